//! Dates in digits: `2026-03-09`, `9.3.`, `9.3.2026`, `3/9`. It must never choose between two readings of a date.

use super::slot::number;
use jiff::civil::Date;

/// A date in digits as typed; may be impossible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Numeric {
    form: Form,
    year: Option<i16>,
    first: i8,
    second: i8,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// Year, month, day.
    Iso,
    /// Day, month.
    Dotted,
    /// Day and month in either order.
    Slashed,
}

/// What a date in digits can mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reading {
    /// One day; the year is the next possible one if none was given.
    Day { year: Option<i16>, month: i8, day: i8 },
    /// Two days.
    Either(Date, Date),
    /// No day.
    Impossible,
}

impl Numeric {
    /// Reads a word. A dotted date without a year needs its second dot (`9.3.`), for `3.9` is a number.
    pub(super) fn parse(key: &str, tail: &str) -> Option<Self> {
        let separator = key.chars().find(|c| !c.is_ascii_digit())?;
        let mut parts = key.split(separator);
        let (a, b, c) = (parts.next()?, parts.next()?, parts.next());
        if parts.next().is_some() {
            return None;
        }
        let small = |part| number(part, 0, 99);
        match (separator, c) {
            ('-' | '/', Some(c)) if a.len() == 4 => {
                Some(Self { form: Form::Iso, year: Some(year(a)?), first: small(b)?, second: small(c)? })
            }
            ('.', c) if c.is_some() || tail.starts_with('.') => Some(Self {
                form: Form::Dotted,
                year: c.map(year).map_or(Some(None), |year| year.map(Some))?,
                first: small(a)?,
                second: small(b)?,
            }),
            ('/', c) => Some(Self {
                form: Form::Slashed,
                year: c.map(year).map_or(Some(None), |year| year.map(Some))?,
                first: small(a)?,
                second: small(b)?,
            }),
            _ => None,
        }
    }

    /// Says what the date means. `next` finds the next day of that month and day of the month.
    pub(super) fn reading(self, next: impl Fn(i8, i8) -> Option<Date>) -> Reading {
        let Self { form, year, first, second } = self;
        let day = |month, day| Reading::Day { year, month, day };
        let date = |month, day| match year {
            Some(year) => Date::new(year, month, day).ok(),
            None => next(month, day),
        };
        match form {
            Form::Iso => day(first, second),
            Form::Dotted => day(second, first),
            Form::Slashed => match (date(first, second), date(second, first)) {
                (Some(a), Some(b)) if a != b => Reading::Either(a, b),
                (Some(_), Some(_) | None) => day(first, second),
                (None, Some(_)) => day(second, first),
                (None, None) => Reading::Impossible,
            },
        }
    }
}

/// Reads a year of four digits, or of two for this century.
fn year(part: &str) -> Option<i16> {
    let digits = part.bytes().all(|b| b.is_ascii_digit());
    match part.len() {
        4 if digits => part.parse().ok().filter(|year| *year >= 1000),
        2 if digits => part.parse().ok().map(|year: i16| 2000 + year),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn reading(key: &str, tail: &str) -> Option<Reading> {
        Numeric::parse(key, tail).map(|n| n.reading(|m, d| Date::new(2026, m, d).ok()))
    }

    const fn day(year: Option<i16>, month: i8, day: i8) -> Option<Reading> {
        Some(Reading::Day { year, month, day })
    }

    #[test]
    fn each_form_is_read_in_its_own_order() {
        assert_eq!(reading("2026-03-09", ""), day(Some(2026), 3, 9));
        assert_eq!(reading("2026/3/9", ""), day(Some(2026), 3, 9));
        assert_eq!(reading("9.3", "."), day(None, 3, 9));
        assert_eq!(reading("9.3.26", ""), day(Some(2026), 3, 9));
        assert_eq!(reading("3/14", ""), day(None, 3, 14));
        assert_eq!(reading("14/3/2027", ""), day(Some(2027), 3, 14));
    }

    #[test]
    fn slashed_date_with_two_readings_stays_open() {
        let either = Reading::Either(date(2026, 3, 9), date(2026, 9, 3));
        assert_eq!(reading("3/9", ""), Some(either));
        assert_eq!(reading("3/3", ""), day(None, 3, 3));
        assert_eq!(reading("31/31", ""), Some(Reading::Impossible));
    }

    #[test]
    fn numbers_and_versions_are_no_dates() {
        for (key, tail) in [("3.9", ""), ("1.2.3.4", ""), ("192.168", ""), ("1-2", ""), ("9", "."), ("", ".")]
        {
            assert_eq!(reading(key, tail), None, "{key}");
        }
    }
}
