//! Which day a date phrase means. All arithmetic is jiff's, on civil days, so neither a change of the clocks nor a
//! short month can shift it. It must never move an impossible date to a possible one.

use super::{
    calendar::Span,
    catalogue::Language,
    numeric::{Numeric, Reading},
    phrase::DateKind,
    slot::Caught,
    step::Part,
};
use jiff::{
    Span as Jump, ZonedDateTime,
    civil::{Date, Weekday},
};

/// Years to look ahead for a day that not every year has: 29 February can be eight years away.
const YEARS_AHEAD: i16 = 8;

/// Finds days as seen from a moment.
#[derive(Clone, Copy)]
pub(super) struct Days<'a> {
    pub(super) language: &'a Language,
    pub(super) now: &'a ZonedDateTime,
}

impl Days<'_> {
    /// Says what a date phrase means. `typed` is the phrase as typed, for the sentence about an impossible one.
    pub(super) fn resolve(self, kind: DateKind, caught: &Caught, typed: &str) -> Part {
        match kind {
            DateKind::Numeric => self.numeric(caught, typed),
            DateKind::Ahead => self.ahead(caught, typed),
            DateKind::Tonight => self.tonight(),
            DateKind::Today
            | DateKind::Tomorrow
            | DateKind::AfterTomorrow
            | DateKind::Weekday
            | DateKind::ThisWeekday
            | DateKind::NextWeekday
            | DateKind::WeekdayAfter
            | DateKind::MonthDay
            | DateKind::DayOfMonth
            | DateKind::DayOfNextMonth
            | DateKind::NextWeek
            | DateKind::NextMonth
            | DateKind::NextYear
            | DateKind::Weekend
            | DateKind::EndOfWeek
            | DateKind::EndOfNextWeek
            | DateKind::EndOfMonth
            | DateKind::EndOfNextMonth
            | DateKind::EndOfNamedMonth
            | DateKind::EndOfYear => self.checked(self.named(kind, caught), caught, typed),
        }
    }

    fn named(self, kind: DateKind, caught: &Caught) -> Option<Date> {
        let today = self.now.date();
        let monday = self.monday();
        let weekday = caught.weekday;
        let day = caught.day.unwrap_or(1);
        let month = caught.month.unwrap_or_else(|| today.month());
        match kind {
            DateKind::Today | DateKind::Tonight | DateKind::Ahead | DateKind::Numeric => Some(today),
            DateKind::Tomorrow => plus(today, 1),
            DateKind::AfterTomorrow => plus(today, 2),
            DateKind::Weekday => self.coming(weekday?),
            DateKind::ThisWeekday => self.this(weekday?),
            DateKind::NextWeekday => plus(monday?, 7 + i64::from(weekday?.to_monday_zero_offset())),
            DateKind::WeekdayAfter => plus(self.coming(weekday?)?, 7),
            DateKind::MonthDay => match caught.year {
                Some(year) => Date::new(year, month, day).ok(),
                None => self.next_month_day(month, day),
            },
            DateKind::DayOfMonth => self.next_day_of_month(day),
            DateKind::DayOfNextMonth => {
                let next = self.first_of_next_month()?;
                Date::new(next.year(), next.month(), day).ok()
            }
            DateKind::NextWeek => plus(monday?, 7),
            DateKind::NextMonth => self.first_of_next_month(),
            DateKind::NextYear => plus(today.last_of_year(), 1),
            DateKind::Weekend => self.this(Weekday::Saturday),
            DateKind::EndOfWeek => plus(monday?, 6),
            DateKind::EndOfNextWeek => plus(monday?, 13),
            DateKind::EndOfMonth => Some(today.last_of_month()),
            DateKind::EndOfNextMonth => Some(self.first_of_next_month()?.last_of_month()),
            DateKind::EndOfNamedMonth => self.end_of_month(month, caught.year),
            DateKind::EndOfYear => Some(today.last_of_year()),
        }
    }

    /// Turns no day into a sentence, and a day that is not the weekday said with it, too.
    fn checked(self, day: Option<Date>, caught: &Caught, typed: &str) -> Part {
        let say = &self.language.say;
        let calendar = &self.language.calendar;
        let Some(day) = day else {
            return Part::Problem(say.impossible_date.replace("{text}", typed));
        };
        match caught.weekday {
            Some(weekday) if weekday != day.weekday() => Part::Problem(
                say.wrong_weekday
                    .replace("{day}", &calendar.spoken(day))
                    .replace("{right}", &calendar.spoken_weekday(day.weekday()))
                    .replace("{wrong}", &calendar.spoken_weekday(weekday)),
            ),
            Some(_) | None => Part::Day(day),
        }
    }

    fn numeric(self, caught: &Caught, typed: &str) -> Part {
        let reading = caught.date.map_or(Reading::Impossible, |date: Numeric| {
            date.reading(|month, day| self.next_month_day(month, day))
        });
        match reading {
            Reading::Impossible => self.checked(None, caught, typed),
            Reading::Day { year, month, day } => {
                let date = match year {
                    Some(year) => Date::new(year, month, day).ok(),
                    None => self.next_month_day(month, day),
                };
                self.checked(date, caught, typed)
            }
            Reading::Either(a, b) => {
                let calendar = &self.language.calendar;
                let sentence = self.language.say.ambiguous_date.replace("{text}", typed);
                Part::Problem(
                    sentence
                        .replace("{a}", &calendar.spoken(a))
                        .replace("{b}", &calendar.spoken(b))
                        .replace("{a_iso}", &a.to_string())
                        .replace("{b_iso}", &b.to_string()),
                )
            }
        }
    }

    /// "In three days": days are counted on the calendar, hours on the clock of the zone.
    fn ahead(self, caught: &Caught, typed: &str) -> Part {
        let count = i64::from(caught.count.unwrap_or(1));
        let unit = caught.unit.unwrap_or(Span::Day);
        let jump = jump(count, unit);
        let found = match unit {
            Span::Minute | Span::Hour => jump
                .and_then(|jump| self.now.checked_add(jump).ok())
                .map(|then| Part::Instant(then.datetime())),
            Span::Day | Span::Week | Span::Fortnight | Span::Month | Span::Year => {
                jump.and_then(|jump| self.now.date().checked_add(jump).ok()).map(Part::Day)
            }
        };
        found.unwrap_or_else(|| self.checked(None, caught, typed))
    }

    /// Today at the hour of "tonight"; without an hour when that has passed.
    fn tonight(self) -> Part {
        let today = self.now.date();
        let at = today.at(self.language.calendar.tonight_hour, 0, 0, 0);
        if at > self.now.datetime() { Part::Instant(at) } else { Part::Day(today) }
    }

    /// Returns the next such weekday after today.
    pub(super) fn coming(self, weekday: Weekday) -> Option<Date> {
        self.now.date().nth_weekday(1, weekday).ok()
    }

    /// Returns the next such weekday, today included.
    pub(super) fn this(self, weekday: Weekday) -> Option<Date> {
        let ahead = weekday.since(self.now.date().weekday());
        plus(self.now.date(), i64::from(ahead))
    }

    /// Returns the Monday of this week.
    pub(super) fn monday(self) -> Option<Date> {
        let today = self.now.date();
        plus(today, -i64::from(today.weekday().to_monday_zero_offset()))
    }

    pub(super) fn first_of_next_month(self) -> Option<Date> {
        plus(self.now.date().last_of_month(), 1)
    }

    /// Returns the next such day of a year, today included.
    fn next_month_day(self, month: i8, day: i8) -> Option<Date> {
        let today = self.now.date();
        (0..=YEARS_AHEAD)
            .filter_map(|ahead| Date::new(today.year().checked_add(ahead)?, month, day).ok())
            .find(|date| *date >= today)
    }

    /// Returns the next such day of a month, today included; short months are passed over.
    pub(super) fn next_day_of_month(self, day: i8) -> Option<Date> {
        let today = self.now.date();
        let mut first = today.first_of_month();
        for _ in 0..12 {
            match Date::new(first.year(), first.month(), day) {
                Ok(date) if date >= today => return Some(date),
                Ok(_) | Err(_) => first = plus(first.last_of_month(), 1)?,
            }
        }
        None
    }

    fn end_of_month(self, month: i8, year: Option<i16>) -> Option<Date> {
        let today = self.now.date();
        let end = |year| Some(Date::new(year, month, 1).ok()?.last_of_month());
        match year {
            Some(year) => end(year),
            None => end(today.year())
                .filter(|date| *date >= today)
                .or_else(|| end(today.year().checked_add(1)?)),
        }
    }
}

/// Returns the day so many days on.
pub(super) fn plus(date: Date, days: i64) -> Option<Date> {
    date.checked_add(Jump::new().try_days(days).ok()?).ok()
}

/// Returns so many units as a span to add.
pub(super) fn jump(count: i64, unit: Span) -> Option<Jump> {
    let none = Jump::new();
    match unit {
        Span::Minute => none.try_minutes(count),
        Span::Hour => none.try_hours(count),
        Span::Day => none.try_days(count),
        Span::Week => none.try_weeks(count),
        Span::Fortnight => none.try_weeks(2 * count),
        Span::Month => none.try_months(count),
        Span::Year => none.try_years(count),
    }
    .ok()
}
