//! Timestamps: dates, times, ranges, repeaters and delays, with the span of each part so that it can be changed alone.

use crate::span::Span;
use jiff::civil::{Date, DateTime, Time};

/// Longest timestamp that is read, brackets included. Emacs knows no limit; this one keeps the search linear.
const STAMP_MAX: usize = 160;

/// A unit of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// `h`
    Hour,
    /// `d`
    Day,
    /// `w`
    Week,
    /// `m`
    Month,
    /// `y`
    Year,
}

/// A count of units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// How many.
    pub count: u32,
    /// Of what.
    pub unit: Unit,
}

/// How a repeater finds its next date.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RepeatKind {
    /// `+`
    Cumulate,
    /// `++`
    CatchUp,
    /// `.+`
    Restart,
}

/// A repeater such as `.+2d/4d`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Repeater {
    /// How it counts.
    pub kind: RepeatKind,
    /// One step.
    pub step: Interval,
    /// The habit's longest interval, behind the slash.
    pub habit: Option<Interval>,
}

/// A warning period or delay such as `-2d` or `--2d`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delay {
    /// How long.
    pub interval: Interval,
    /// Whether it holds for the first date only.
    pub first_only: bool,
}

/// A timestamp.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    /// From the opening to the closing bracket.
    pub span: Span,
    /// Whether it is `<..>`.
    pub active: bool,
    /// The day.
    pub date: Date,
    /// The time of day.
    pub time: Option<Time>,
    /// The end of `10:00-11:30`.
    pub until: Option<Time>,
    /// Its repeater.
    pub repeater: Option<Repeater>,
    /// Its delay.
    pub delay: Option<Delay>,
    /// Last day of a range `<..>--<..>`.
    pub last: Option<Date>,
    /// The ten characters of the date.
    pub date_span: Span,
    /// The name of the weekday.
    pub weekday_span: Option<Span>,
    /// The time of day.
    pub time_span: Option<Span>,
    /// The end time.
    pub until_span: Option<Span>,
}

impl Stamp {
    /// Returns day and time, midnight if there is none.
    #[must_use]
    pub fn at(&self) -> DateTime {
        self.date.to_datetime(self.time.unwrap_or(Time::midnight()))
    }
}

/// Reads the timestamp at `at`; for a range the first part, with the last day of the second.
#[must_use]
pub fn stamp_at(bytes: &[u8], at: usize) -> Option<Stamp> {
    let mut stamp = single(bytes, at)?;
    let joint = bytes.get(stamp.span.end..)?.starts_with(b"--");
    if joint && let Some(second) = single(bytes, stamp.span.end + 2) {
        stamp.last = Some(second.date).filter(|_| second.active == stamp.active);
    }
    Some(stamp)
}

/// Finds the active timestamps of a range of bytes, in order; the second of a range is not listed again.
#[must_use]
pub fn active_stamps(bytes: &[u8], range: Span) -> Vec<Stamp> {
    let mut found: Vec<Stamp> = Vec::new();
    let mut skip = None;
    for at in memchr::memchr_iter(b'<', range.of(bytes)) {
        let at = range.begin + at;
        if skip == Some(at) {
            continue;
        }
        if let Some(stamp) = stamp_at(bytes, at)
            && stamp.span.end <= range.end
        {
            skip = stamp.last.map(|_| stamp.span.end + 2);
            found.push(stamp);
        }
    }
    found
}

/// Writes an inactive timestamp as Emacs does.
#[must_use]
pub fn inactive(at: DateTime) -> String {
    format!("[{} {} {:02}:{:02}]", at.date(), weekday(at.date()), at.hour(), at.minute())
}

/// Returns the name of a weekday as Emacs writes it in the C locale.
#[must_use]
pub(crate) fn weekday(date: Date) -> &'static str {
    match date.weekday() {
        jiff::civil::Weekday::Monday => "Mon",
        jiff::civil::Weekday::Tuesday => "Tue",
        jiff::civil::Weekday::Wednesday => "Wed",
        jiff::civil::Weekday::Thursday => "Thu",
        jiff::civil::Weekday::Friday => "Fri",
        jiff::civil::Weekday::Saturday => "Sat",
        jiff::civil::Weekday::Sunday => "Sun",
    }
}

fn single(bytes: &[u8], at: usize) -> Option<Stamp> {
    let rest = bytes.get(at..)?;
    let rest = rest.get(..STAMP_MAX.min(rest.len()))?;
    let (active, close) = match rest.first()? {
        b'<' => (true, b'>'),
        b'[' => (false, b']'),
        _ => return None,
    };
    let date = parse_date(rest.get(1..11)?)?;
    let stop = |byte: &u8| matches!(byte, b'>' | b']' | b'<' | b'[' | b'\n');
    let len = rest.iter().skip(1).position(stop)? + 1;
    if rest.get(len) != Some(&close) {
        return None;
    }
    let mut stamp = Stamp {
        span: Span::new(at, at + len + 1),
        active,
        date,
        time: None,
        until: None,
        repeater: None,
        delay: None,
        last: None,
        date_span: Span::new(at + 1, at + 11),
        weekday_span: None,
        time_span: None,
        until_span: None,
    };
    let tail = Span::new(at + 11, at + len);
    for word in words(bytes, tail) {
        stamp.take(bytes, word);
    }
    Some(stamp)
}

fn words(bytes: &[u8], span: Span) -> impl Iterator<Item = Span> {
    let mut at = span.begin;
    span.of(bytes).split(|byte| *byte == b' ').map(move |word| {
        let begin = at;
        at += word.len() + 1;
        Span::new(begin, begin + word.len())
    })
}

impl Stamp {
    fn take(&mut self, bytes: &[u8], span: Span) {
        let Ok(word) = std::str::from_utf8(span.of(bytes)) else {
            return;
        };
        if let Some((time, len)) = parse_time(word) {
            self.time = Some(time);
            self.time_span = Some(Span::new(span.begin, span.begin + len));
            let until = word.get(len..).and_then(|rest| rest.strip_prefix('-'));
            if let Some((until, width)) = until.and_then(parse_time) {
                let begin = span.begin + len + 1;
                self.until = Some(until);
                self.until_span = Some(Span::new(begin, begin + width));
            }
        } else if let Some(repeater) = parse_repeater(word) {
            self.repeater = self.repeater.or(Some(repeater));
        } else if let Some(delay) = parse_delay(word) {
            self.delay = self.delay.or(Some(delay));
        } else if self.weekday_span.is_none() && word.chars().all(is_weekday_char) && !word.is_empty() {
            self.weekday_span = Some(span);
        }
    }
}

fn is_weekday_char(c: char) -> bool {
    !c.is_ascii_digit() && !matches!(c, '+' | '-' | '>' | ']' | '\r' | '\t')
}

fn parse_date(text: &[u8]) -> Option<Date> {
    let text = std::str::from_utf8(text).ok()?;
    let mut parts = text.split('-');
    let year = digits(parts.next()?, 4)?;
    let month = digits(parts.next()?, 2)?;
    let day = digits(parts.next()?, 2)?;
    if year == 0 || parts.next().is_some() {
        return None;
    }
    Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

fn digits(text: &str, len: usize) -> Option<u32> {
    let all = text.len() == len && text.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| text.parse().ok()).flatten()
}

/// Reads `9:00` or `10:00`, returns the time and its length.
fn parse_time(text: &str) -> Option<(Time, usize)> {
    let (hour, rest) = text.split_once(':')?;
    let minute = digits(rest.get(..2)?, 2)?;
    let hour_value = digits(hour, hour.len())?;
    if hour.is_empty() || hour.len() > 2 {
        return None;
    }
    let time = Time::new(i8::try_from(hour_value).ok()?, i8::try_from(minute).ok()?, 0, 0);
    Some((time.ok()?, hour.len() + 3))
}

fn parse_repeater(word: &str) -> Option<Repeater> {
    let (kind, rest) = if let Some(rest) = word.strip_prefix("++") {
        (RepeatKind::CatchUp, rest)
    } else if let Some(rest) = word.strip_prefix(".+") {
        (RepeatKind::Restart, rest)
    } else {
        (RepeatKind::Cumulate, word.strip_prefix('+')?)
    };
    let (step, rest) = parse_interval(rest)?;
    let habit = rest.strip_prefix('/').and_then(parse_interval);
    Some(Repeater { kind, step, habit: habit.map(|(interval, _)| interval) })
}

fn parse_delay(word: &str) -> Option<Delay> {
    let rest = word.strip_prefix('-')?;
    let (first_only, rest) = match rest.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let (interval, _) = parse_interval(rest)?;
    Some(Delay { interval, first_only })
}

fn parse_interval(text: &str) -> Option<(Interval, &str)> {
    let len = text.bytes().take_while(u8::is_ascii_digit).count();
    let (count, rest) = text.split_at_checked(len)?;
    let count = count.parse().ok()?;
    let unit = match rest.bytes().next()? {
        b'h' => Unit::Hour,
        b'd' => Unit::Day,
        b'w' => Unit::Week,
        b'm' => Unit::Month,
        b'y' => Unit::Year,
        _ => return None,
    };
    Some((Interval { count, unit }, rest.get(1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts_of_a_stamp() {
        let text = b"<2026-03-09 Mo. 9:30-11:00 .+2d/4d --3d>";
        let stamp = stamp_at(text, 0).unwrap();
        assert_eq!(stamp.at().to_string(), "2026-03-09T09:30:00");
        assert_eq!(stamp.until.unwrap().to_string(), "11:00:00");
        assert_eq!(stamp.weekday_span.unwrap().of(text), b"Mo.");
        assert_eq!(stamp.until_span.unwrap().of(text), b"11:00");
        let repeater = stamp.repeater.unwrap();
        assert_eq!(repeater.kind, RepeatKind::Restart);
        assert_eq!(repeater.habit.unwrap().count, 4);
        assert!(stamp.delay.unwrap().first_only);
    }

    #[test]
    fn impossible_dates_are_no_stamps() {
        for text in ["<2024-99-99>", "<0000-01-01>", "<2026-02-30 Mon>", "<2026-03-09", "<>"] {
            assert_eq!(stamp_at(text.as_bytes(), 0), None, "{text}");
        }
    }

    #[test]
    fn range_is_one_stamp_with_a_last_day() {
        let text = b"on <2026-03-09 Mon>--<2026-03-11 Wed> and [2026-03-09] and <2026-03-12>";
        let found = active_stamps(text, Span::new(0, text.len()));
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].last.unwrap().to_string(), "2026-03-11");
    }

    #[test]
    fn search_in_unclosed_stamps_is_linear() {
        let text = b"<2026-03-09 ".repeat(100_000);
        assert!(active_stamps(&text, Span::new(0, text.len())).is_empty());
    }
}
