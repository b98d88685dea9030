//! What a single word can be: a count, a month, a clock. It must never decide whether that is meant; a number out of
//! range is caught as it is, so that the person can be told.

use super::{
    calendar::{Calendar, Span},
    lex::Word,
    numeric::Numeric,
};
use jiff::civil::Weekday;

/// A place in a pattern that a word can fill.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slot {
    /// Any words, or none.
    Text,
    Count,
    Unit,
    /// A weekday in full.
    Weekday,
    /// A weekday in full or short.
    Wday,
    /// A weekday in the plural.
    Wdays,
    Month,
    /// Day of a month, with or without an ordinal ending.
    Day,
    /// Day of a month with an ordinal ending.
    Ordinal,
    Year,
    /// A date in digits.
    Date,
    /// A time with minutes or with am or pm.
    Clock,
    /// A number from 0 to 23, alone or with minutes behind a dot.
    Hour,
}

impl Slot {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "text" => Self::Text,
            "count" => Self::Count,
            "unit" => Self::Unit,
            "weekday" => Self::Weekday,
            "wday" => Self::Wday,
            "wdays" => Self::Wdays,
            "month" => Self::Month,
            "day" => Self::Day,
            "ordinal" => Self::Ordinal,
            "year" => Self::Year,
            "date" => Self::Date,
            "clock" => Self::Clock,
            "hour" => Self::Hour,
            _ => return None,
        })
    }
}

/// A time of day as typed; may be out of range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Typed {
    pub(super) hour: i8,
    pub(super) minute: i8,
    pub(super) half: Option<Half>,
}

/// Half of the day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Half {
    Am,
    Pm,
}

/// What a pattern caught.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Caught {
    /// How many words it used.
    pub(super) used: usize,
    /// How many of them are the pattern's own.
    pub(super) literals: usize,
    /// Words of `{text}`, as a range.
    pub(super) text: Option<(usize, usize)>,
    pub(super) count: Option<u16>,
    pub(super) unit: Option<Span>,
    pub(super) weekday: Option<Weekday>,
    pub(super) month: Option<i8>,
    pub(super) day: Option<i8>,
    pub(super) year: Option<i16>,
    pub(super) date: Option<Numeric>,
    pub(super) clock: Option<Typed>,
}

impl Caught {
    pub(super) const fn with_text(mut self, from: usize, to: usize) -> Self {
        self.text = Some((from, to));
        self.used = to;
        self
    }

    pub(super) const fn with_literal(mut self) -> Self {
        self.used += 1;
        self.literals += 1;
        self
    }

    /// Adds what the phrase says where the pattern does not.
    pub(super) fn or_by(mut self, count: Option<u16>, unit: Option<Span>) -> Self {
        self.count = self.count.or(count);
        self.unit = self.unit.or(unit);
        self
    }

    /// Fills a slot with a word, if the word can be that.
    pub(super) fn with_slot(mut self, slot: Slot, word: &Word<'_>, calendar: &Calendar) -> Option<Self> {
        let key = word.key.as_str();
        match slot {
            Slot::Text => return None,
            Slot::Count => self.count = Some(calendar.count(key)?),
            Slot::Unit => self.unit = Some(calendar.unit(key)?),
            Slot::Weekday => self.weekday = Some(calendar.weekday(key)?),
            Slot::Wday => {
                let short = || calendar.weekday_short(key);
                self.weekday = Some(calendar.weekday(key).or_else(short)?);
            }
            Slot::Wdays => self.weekday = Some(calendar.weekday_plural(key)?),
            Slot::Month => self.month = Some(calendar.month(key)?),
            Slot::Day => {
                let plain = || number(key, 1, 39);
                self.day = Some(calendar.ordinal(key).or_else(plain)?);
            }
            Slot::Ordinal => self.day = Some(calendar.ordinal(key)?),
            Slot::Year => self.year = Some(year(key)?),
            Slot::Date => self.date = Some(Numeric::parse(key, word.tail)?),
            Slot::Clock => self.clock = Some(clock(key, calendar)?),
            Slot::Hour => {
                let (hour, minute) = key.split_once('.').unwrap_or((key, "00"));
                self.clock = Some(Typed {
                    hour: number(hour, 0, 23)?,
                    minute: number(minute, 0, 59).filter(|_| minute.len() == 2)?,
                    half: None,
                });
            }
        }
        self.used += 1;
        Some(self)
    }
}

/// Reads a plain number within bounds.
pub(super) fn number(key: &str, least: i8, most: i8) -> Option<i8> {
    let plain = (1..=2).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| key.parse().ok()).flatten().filter(|n| (least..=most).contains(n))
}

/// Reads a year of four digits; earlier and later ones are more likely numbers.
fn year(key: &str) -> Option<i16> {
    let plain = key.len() == 4 && key.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| key.parse().ok()).flatten().filter(|year| (1900..=2999).contains(year))
}

/// Reads `14:30`, `9:05`, `2pm` or `2:30pm`.
fn clock(key: &str, calendar: &Calendar) -> Option<Typed> {
    let (digits, half) = calendar.half(key);
    let (hour, minute) = match digits.split_once([':', '.']) {
        Some((hour, minute)) if minute.len() == 2 && (digits.contains(':') || half.is_some()) => {
            (number(hour, 0, 99)?, number(minute, 0, 99)?)
        }
        Some(_) => return None,
        None => {
            half?;
            (number(digits, 0, 99)?, 0)
        }
    };
    Some(Typed { hour, minute, half })
}
