//! Words of the language file for days, months and numbers. It must never know a language by itself.

use super::slot::Half;
use jiff::civil::{Date, Weekday};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The words of a language for the calendar.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Calendar {
    /// Names of the twelve months, the full one first.
    months: Vec<Vec<String>>,
    /// Full names of the seven weekdays from Monday.
    weekdays: Vec<Vec<String>>,
    /// Short names of the weekdays: some are words of their own, so they count only behind "on" and the like.
    weekdays_short: Vec<Vec<String>>,
    /// Names of the weekdays for every one of them: "on sundays".
    weekdays_plural: Vec<Vec<String>>,
    /// Ordinals in words, from the first.
    ordinals: Vec<String>,
    /// What follows the digits of an ordinal.
    ordinal_endings: Vec<String>,
    am: Vec<String>,
    pm: Vec<String>,
    numbers: BTreeMap<String, u16>,
    units: BTreeMap<Span, Vec<String>>,
    /// The hour of "tonight".
    pub(super) tonight_hour: i8,
    /// Words that make a name of the weekday behind them.
    pub(super) fixed_names: Vec<String>,
}

/// A unit of time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Span {
    Minute,
    Hour,
    Day,
    Week,
    Fortnight,
    Month,
    Year,
}

impl Calendar {
    /// Returns what the file lacks, if anything.
    pub(super) fn lack(&self) -> Option<&'static str> {
        let full = |names: &[Vec<String>], wanted| {
            names.len() == wanted && names.iter().all(|names| !names.is_empty())
        };
        if !full(&self.months, 12) {
            return Some("twelve months");
        }
        if !full(&self.weekdays, 7) || self.weekdays_short.len() != 7 || self.weekdays_plural.len() != 7 {
            return Some("seven weekdays");
        }
        (!(0..24).contains(&self.tonight_hour)).then_some("hour for tonight")
    }

    pub(super) fn count(&self, key: &str) -> Option<u16> {
        let digits = key.len() <= 4 && key.bytes().all(|b| b.is_ascii_digit());
        let plain = || digits.then(|| key.parse().ok()).flatten();
        let named = self.numbers.get(key).copied();
        named.or_else(plain).filter(|count| *count > 0)
    }

    pub(super) fn unit(&self, key: &str) -> Option<Span> {
        let named = |names: &Vec<String>| names.iter().any(|name| name == key);
        self.units.iter().find_map(|(unit, names)| named(names).then_some(*unit))
    }

    pub(super) fn weekday(&self, key: &str) -> Option<Weekday> {
        Weekday::from_monday_zero_offset(place(&self.weekdays, key)?).ok()
    }

    pub(super) fn weekday_short(&self, key: &str) -> Option<Weekday> {
        Weekday::from_monday_zero_offset(place(&self.weekdays_short, key)?).ok()
    }

    pub(super) fn weekday_plural(&self, key: &str) -> Option<Weekday> {
        Weekday::from_monday_zero_offset(place(&self.weekdays_plural, key)?).ok()
    }

    pub(super) fn month(&self, key: &str) -> Option<i8> {
        place(&self.months, key).map(|at| at + 1)
    }

    pub(super) fn ordinal(&self, key: &str) -> Option<i8> {
        let named = self.ordinals.iter().position(|name| name == key);
        if let Some(at) = named {
            return i8::try_from(at + 1).ok();
        }
        let digits = self.ordinal_endings.iter().find_map(|ending| key.strip_suffix(ending.as_str()))?;
        super::slot::number(digits, 1, 39)
    }

    /// Splits `2pm` into its digits and its half of the day.
    pub(super) fn half<'k>(&self, key: &'k str) -> (&'k str, Option<Half>) {
        let cut = |endings: &[String]| endings.iter().find_map(|ending| key.strip_suffix(ending.as_str()));
        match (cut(&self.am), cut(&self.pm)) {
            (Some(digits), _) => (digits, Some(Half::Am)),
            (None, Some(digits)) => (digits, Some(Half::Pm)),
            (None, None) => (key, None),
        }
    }

    /// Returns a date in words: `9 March 2026`.
    pub(super) fn spoken(&self, date: Date) -> String {
        let month = usize::try_from(date.month() - 1).ok().and_then(|at| first(&self.months, at));
        format!("{} {} {}", date.day(), month.unwrap_or_default(), date.year())
    }

    /// Returns a weekday in words.
    pub(super) fn spoken_weekday(&self, day: Weekday) -> String {
        usize::try_from(day.to_monday_zero_offset())
            .ok()
            .and_then(|at| first(&self.weekdays, at))
            .unwrap_or_default()
    }
}

/// Returns where a word stands in a list of names.
fn place(names: &[Vec<String>], key: &str) -> Option<i8> {
    let at = names.iter().position(|names| names.iter().any(|name| name == key))?;
    i8::try_from(at).ok()
}

/// Returns the first of the names at a place, with a capital letter.
fn first(names: &[Vec<String>], at: usize) -> Option<String> {
    let name = names.get(at)?.first()?;
    let mut chars = name.chars();
    let head = chars.next()?.to_uppercase();
    Some(head.chain(chars).collect())
}
