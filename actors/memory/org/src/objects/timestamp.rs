//! Timestamps as Emacs reads them, without checking that the day exists: `<2024-99-99>` is one. What a person can be
//! reminded of is decided by [`crate::stamp_at`], which is strict.

use crate::span::Span;

/// Longest timestamp that is read. Emacs knows no limit; this one keeps the search in a long line linear.
const STAMP_MAX: usize = 1024;

/// What kind of timestamp it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StampKind {
    /// `<..>`
    Active,
    /// `<..>--<..>` or with two times of day.
    ActiveRange,
    /// `[..]`
    Inactive,
    /// `[..]--[..]` or with two times of day.
    InactiveRange,
    /// `<%%(..)>`, never evaluated.
    Diary,
}

/// Day and time as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Moment {
    /// Four digits.
    pub year: u32,
    /// Two digits, not checked.
    pub month: u32,
    /// Two digits, not checked.
    pub day: u32,
    /// Hour and minute.
    pub time: Option<(u32, u32)>,
}

/// A repeater or warning: its sign, the digits and the unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cookie {
    /// `+`, `++`, `.+`, `-` or `--`.
    pub sign: Span,
    /// The digits; they may be more than any integer holds.
    pub value: Span,
    /// One of `hdwmy`.
    pub unit: u8,
}

/// A timestamp.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timestamp {
    /// With brackets; a range in full.
    pub span: Span,
    /// Its kind.
    pub kind: StampKind,
    /// Begin; `None` for a diary timestamp and where the date is not of the form 2026-03-09.
    pub start: Option<Moment>,
    /// End, equal to the begin if there is none.
    pub end: Option<Moment>,
    /// The first repeater in it.
    pub repeater: Option<Cookie>,
    /// The first warning period in it.
    pub warning: Option<Cookie>,
}

/// Reads the timestamp at `at`, which must end before `end`.
#[must_use]
pub fn read(bytes: &[u8], at: usize, end: usize) -> Option<Timestamp> {
    let rest = bytes.get(at..end)?;
    let active = match rest.first()? {
        b'<' => true,
        b'[' => false,
        _ => return None,
    };
    let digit = rest.get(1)?;
    let diary = rest.starts_with(b"<%%");
    if !diary && !digit.is_ascii_digit() {
        return None;
    }
    let rest = rest.get(..rest.len().min(STAMP_MAX))?;
    let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    let rest = rest.get(..line)?;
    if !(is_dated(rest) || is_loose(rest) || is_diary(rest)) {
        return None;
    }
    let first = memchr::memchr2(b']', b'>', rest)? + 1;
    let second = second(rest.get(first..)?);
    let span = Span::new(at, at + first + second.map_or(0, |len| len + 2));
    let date = rest.get(..first)?;
    if diary {
        let kind = StampKind::Diary;
        return Some(Timestamp { span, kind, start: None, end: None, repeater: None, warning: None });
    }
    let until = time_range(date);
    let kind = match (active, second.is_some() || until.is_some()) {
        (true, true) => StampKind::ActiveRange,
        (true, false) => StampKind::Active,
        (false, true) => StampKind::InactiveRange,
        (false, false) => StampKind::Inactive,
    };
    let start = moment(date);
    let last = second.and_then(|len| moment(rest.get(first + 2..first + 2 + len)?));
    let end = match (start, last) {
        (Some(start), last) => Some(Moment {
            time: last.and_then(|last| last.time).or(until).or(start.time),
            ..last.unwrap_or(start)
        }),
        (None, last) => last,
    };
    let repeater = cookie(bytes, span, b'+');
    let warning = cookie(bytes, span, b'-');
    Some(Timestamp { span, kind, start, end, repeater, warning })
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Whether `2026-03-09` stands here.
fn is_date(text: &[u8]) -> bool {
    text.len() >= 10
        && text.iter().take(10).enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

fn is_dated(rest: &[u8]) -> bool {
    rest.get(1..).is_some_and(is_date)
        && matches!(rest.get(11), Some(b' ' | b'>' | b']'))
        && memchr::memchr2(b']', b'>', rest).is_some()
}

/// `<2026-3-9 .. +1w>`: digits of any number, if a repeater ends it.
fn is_loose(rest: &[u8]) -> bool {
    let mut at = 1;
    for part in 0..3 {
        let len = digits(rest.get(at..).unwrap_or_default());
        if len == 0 || (part < 2 && rest.get(at + len) != Some(&b'-')) {
            return false;
        }
        at += len + usize::from(part < 2);
    }
    let Some(close) = memchr::memchr(b'>', rest) else {
        return false;
    };
    let inner = rest.get(at..close).unwrap_or_default();
    let Some((unit, count)) = inner.split_last() else {
        return false;
    };
    let front = count.len() - count.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    rest.first() == Some(&b'<')
        && matches!(unit, b'd' | b'w' | b'm' | b'y')
        && front < count.len()
        && front > 1
        && count.get(front - 1) == Some(&b'+')
}

fn is_diary(rest: &[u8]) -> bool {
    rest.starts_with(b"<%%(")
        && memchr::memchr(b'>', rest).is_some_and(|at| at > 5 && rest.get(at - 1) == Some(&b')'))
}

/// Length of the second timestamp of a range, behind the `--`.
fn second(rest: &[u8]) -> Option<usize> {
    let rest = rest.strip_prefix(b"--")?;
    matches!(rest.first(), Some(b'<' | b'[')).then_some(())?;
    Some(memchr::memchr2(b']', b'>', rest)? + 1)
}

/// Reads `9:30` or `09:30`: the time and its length.
fn clock(text: &[u8]) -> Option<((u32, u32), usize)> {
    let hour = digits(text).min(2);
    let minute = text.get(hour + 1..hour + 3)?;
    if hour == 0 || text.get(hour) != Some(&b':') || digits(minute) < 2 {
        return None;
    }
    Some(((number(text.get(..hour)?)?, number(minute)?), hour + 3))
}

fn number(text: &[u8]) -> Option<u32> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Whether minutes are below 60 and a first of two digits of the hour below 3, as for a range of times.
fn is_strict(text: &[u8]) -> bool {
    let hour = digits(text).min(2);
    (hour == 1 || text.first().is_some_and(|byte| *byte < b'3'))
        && text.get(hour + 1).is_some_and(|byte| *byte < b'6')
}

/// Returns the second time of `10:00-11:30`.
fn time_range(date: &[u8]) -> Option<(u32, u32)> {
    for colon in memchr::memchr_iter(b':', date) {
        for width in [2, 1] {
            let Some(text) = colon.checked_sub(width).and_then(|at| date.get(at..)) else {
                continue;
            };
            let Some((_, len)) = clock(text).filter(|(_, len)| *len == width + 3 && is_strict(text)) else {
                continue;
            };
            let Some(tail) = text.get(len..).and_then(|tail| tail.strip_prefix(b"-")) else {
                continue;
            };
            if let Some((until, _)) = clock(tail).filter(|_| is_strict(tail)) {
                return Some(until);
            }
        }
    }
    None
}

/// Reads the first date, and a time directly behind it or behind the name of the weekday.
fn moment(text: &[u8]) -> Option<Moment> {
    let at = (0..text.len()).find(|at| text.get(*at..).is_some_and(is_date))?;
    let date = text.get(at..)?;
    let year = number(date.get(..4)?)?;
    let month = number(date.get(5..7)?)?;
    let day = number(date.get(8..10)?)?;
    let rest = date.get(10..)?;
    let spaced = |text: &[u8]| text.iter().take_while(|byte| **byte == b' ').count();
    let time = |rest: &[u8]| {
        let blanks = spaced(rest);
        clock(rest.get(blanks..)?).filter(|_| blanks > 0).map(|(time, _)| time)
    };
    let blanks = spaced(rest);
    let name = rest.get(blanks..)?;
    let stops = |byte: &u8| matches!(byte, b']' | b'+' | b'0'..=b'9' | b'>' | b'\r' | b'\n' | b' ' | b'-');
    let len = name.iter().position(stops).unwrap_or(name.len());
    let time = if blanks > 0 && len > 0 { time(name.get(len..)?) } else { time(rest) };
    Some(Moment { year, month, day, time })
}

/// Finds the first sign with digits and a unit behind it.
fn cookie(bytes: &[u8], span: Span, sign: u8) -> Option<Cookie> {
    let text = span.of(bytes);
    for at in memchr::memchr_iter(sign, text) {
        let len = digits(text.get(at + 1..)?);
        let unit = text.get(at + 1 + len).copied();
        let Some(unit) = unit.filter(|unit| len > 0 && matches!(unit, b'h' | b'd' | b'w' | b'm' | b'y'))
        else {
            continue;
        };
        let above = at.checked_sub(1).and_then(|at| text.get(at));
        let double = above.is_some_and(|byte| *byte == sign || (sign == b'+' && *byte == b'.'));
        let begin = span.begin + at - usize::from(double);
        let value = Span::new(span.begin + at + 1, span.begin + at + 1 + len);
        return Some(Cookie { sign: Span::new(begin, span.begin + at + 1), value, unit });
    }
    None
}
