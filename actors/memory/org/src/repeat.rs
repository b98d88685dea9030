//! Arithmetic of repeaters, as Emacs does it: a day beyond the end of a month runs over into the next one.

use crate::stamp::{Interval, RepeatKind, Repeater, Stamp, Unit};
use jiff::{
    Span, ToSpan as _,
    civil::{Date, DateTime},
};

/// Most steps of one `++` repeater. Emacs asks a person after ten; this bound only stops an hourly repeater that was
/// forgotten for a century.
const STEPS_MAX: u32 = 1_000_000;

/// Moves a time by whole intervals; `None` beyond the calendar.
#[must_use]
pub fn shift(from: DateTime, step: Interval, times: u32) -> Option<DateTime> {
    let count = i64::from(step.count.checked_mul(times)?);
    match step.unit {
        Unit::Hour => from.checked_add(Span::new().try_hours(count).ok()?).ok(),
        Unit::Day => from.checked_add(Span::new().try_days(count).ok()?).ok(),
        Unit::Week => from.checked_add(Span::new().try_weeks(count).ok()?).ok(),
        Unit::Month => by_months(from, count),
        Unit::Year => by_months(from, count.checked_mul(12)?),
    }
}

/// 31 January plus one month is 3 March, or 2 March in a leap year.
fn by_months(from: DateTime, months: i64) -> Option<DateTime> {
    let total = i64::from(from.year()) * 12 + i64::from(from.month()) - 1 + months;
    let year = i16::try_from(total.div_euclid(12)).ok()?;
    let month = i8::try_from(total.rem_euclid(12) + 1).ok()?;
    let first = Date::new(year, month, 1).ok()?;
    let date = first.checked_add((i64::from(from.day()) - 1).days()).ok()?;
    Some(date.to_datetime(from.time()))
}

/// Returns when a repeating timestamp comes next after being done at `now`.
#[must_use]
pub fn next(stamp: &Stamp, repeater: Repeater, now: DateTime) -> Option<DateTime> {
    let (from, step) = (stamp.at(), repeater.step);
    if step.count == 0 {
        return None;
    }
    match repeater.kind {
        RepeatKind::Cumulate => shift(from, step, 1),
        RepeatKind::Restart => match step.unit {
            Unit::Hour => shift(now, step, 1),
            Unit::Day | Unit::Week | Unit::Month | Unit::Year => {
                shift(now.date().to_datetime(from.time()), step, 1)
            }
        },
        RepeatKind::CatchUp => catch_up(from, step, now),
    }
}

/// At least one step, then on until the date lies in the future; each step starts from the date before it.
fn catch_up(from: DateTime, step: Interval, now: DateTime) -> Option<DateTime> {
    let mut at = shift(from, step, 1)?;
    for _ in 0..STEPS_MAX {
        if at > now {
            return Some(at);
        }
        at = shift(at, step, 1)?;
    }
    None
}

/// Says whether a timestamp falls on a day, by itself, its range or its repeater.
#[must_use]
pub fn occurs_on(stamp: &Stamp, day: Date) -> bool {
    if day < stamp.date {
        return false;
    }
    if day == stamp.date || stamp.last.is_some_and(|last| day <= last) {
        return true;
    }
    let Some(Repeater { step, .. }) = stamp.repeater else {
        return false;
    };
    let days = i64::from((day - stamp.date).get_days());
    let count = i64::from(step.count);
    if count == 0 {
        return false;
    }
    match step.unit {
        Unit::Hour => hour_hits(stamp, day, step.count),
        Unit::Day => days % count == 0,
        Unit::Week => days % (count * 7) == 0,
        Unit::Month => month_hits(stamp, day, count),
        Unit::Year => month_hits(stamp, day, count * 12),
    }
}

/// Counts from the first date, so that the 31st does not drift.
fn month_hits(stamp: &Stamp, day: Date, every: i64) -> bool {
    let months = |date: Date| i64::from(date.year()) * 12 + i64::from(date.month());
    let apart = months(day) - months(stamp.date);
    // The day may have run over from the month before.
    (apart - 1..=apart)
        .filter(|n| *n >= 0 && n % every == 0)
        .any(|n| by_months(stamp.at(), n).is_some_and(|at| at.date() == day))
}

fn hour_hits(stamp: &Stamp, day: Date, every: u32) -> bool {
    let hours = i64::from((day - stamp.date).get_days()) * 24 - i64::from(stamp.at().hour());
    let every = i64::from(every);
    let first = (hours + every - 1).div_euclid(every) * every;
    first < hours + 24
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stamp::stamp_at;

    fn next_of(text: &str, now: &str) -> String {
        let stamp = stamp_at(text.as_bytes(), 0).unwrap();
        let now: DateTime = now.parse().unwrap();
        let found = next(&stamp, stamp.repeater.unwrap(), now).unwrap();
        found.strftime("%Y-%m-%d %H:%M").to_string()
    }

    /// What Emacs 28.2 with Org 9.5.5 makes of each on 2026-03-09 at 10:00.
    #[test]
    fn next_dates_equal_those_of_emacs() {
        let cases = [
            ("<2026-03-09 Mon +1w>", "2026-03-16 00:00"),
            ("<2026-03-02 Mon .+2d/4d>", "2026-03-11 00:00"),
            ("<2026-03-02 Mon ++1w>", "2026-03-16 00:00"),
            ("<2026-03-02 Mon 10:00 ++1d>", "2026-03-10 10:00"),
            ("<2026-03-02 Mon 23:00 ++1d>", "2026-03-09 23:00"),
            ("<2026-03-09 Mon 23:00 ++1d>", "2026-03-10 23:00"),
            ("<2026-03-09 Mon ++1d>", "2026-03-10 00:00"),
            ("<2026-03-20 Fri ++1d>", "2026-03-21 00:00"),
            ("<2026-03-02 Mon 10:00 .+3h>", "2026-03-09 13:00"),
            ("<2026-03-02 Mon 10:00 +3h>", "2026-03-02 13:00"),
            ("<2026-03-02 Mon 10:00 ++5h>", "2026-03-09 12:00"),
            ("<2026-01-31 Sat +1m>", "2026-03-03 00:00"),
            ("<2026-01-31 Sat ++1m>", "2026-04-03 00:00"),
            ("<2024-02-29 Thu +1y>", "2025-03-01 00:00"),
            ("<2024-02-29 Thu .+1m>", "2026-04-09 00:00"),
        ];
        for (text, expected) in cases {
            assert_eq!(next_of(text, "2026-03-09T10:00:00"), expected, "{text}");
        }
    }

    #[test]
    fn repeaters_fall_on_their_days() {
        let hits =
            |text: &str, day: &str| occurs_on(&stamp_at(text.as_bytes(), 0).unwrap(), day.parse().unwrap());
        assert!(hits("<2026-03-02 +1w>", "2026-03-16"));
        assert!(!hits("<2026-03-02 +1w>", "2026-03-17"));
        assert!(!hits("<2026-03-02 +1w>", "2026-02-23"));
        assert!(hits("<2026-01-31 +1m>", "2026-03-03"));
        assert!(hits("<2026-01-31 +1m>", "2026-03-31"));
        assert!(hits("<2024-02-29 +1y>", "2025-03-01"));
        assert!(hits("<2026-03-02>--<2026-03-04>", "2026-03-03"));
        assert!(!hits("<2026-03-02>--<2026-03-04>", "2026-03-05"));
        assert!(hits("<2026-03-02 10:00 +36h>", "2026-03-03"));
        assert!(!hits("<2026-03-02 10:00 +48h>", "2026-03-03"));
        assert!(!hits("<2026-03-02 +0d>", "2026-03-03"));
    }
}
