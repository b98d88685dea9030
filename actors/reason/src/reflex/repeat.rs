//! Which repeater a phrase means. It must never stand for a rhythm that Org cannot keep.

use super::{
    calendar::Span, catalogue::Language, date::Days, phrase::RepeatPhrase, slot::Caught, step::Part,
};
use jiff::civil::Date;
use protocol::change::Unit;

/// A rhythm and the day that it names, if it names one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Every {
    pub(super) count: u16,
    pub(super) unit: Unit,
    pub(super) start: Option<Date>,
}

/// Says what a repeater phrase means.
pub(super) fn resolve(
    language: &Language,
    days: Days<'_>,
    kind: RepeatPhrase,
    caught: &Caught,
    typed: &str,
) -> Part {
    let rhythm = |count, unit| every(count, unit, None);
    let found = match kind {
        RepeatPhrase::Unit => caught.unit.and_then(|unit| spans(1, unit)),
        RepeatPhrase::Units => caught.unit.and_then(|unit| spans(caught.count.unwrap_or(1), unit)),
        RepeatPhrase::OtherUnit => caught.unit.and_then(|unit| spans(2, unit)),
        RepeatPhrase::Weekday => weekly(days, caught, 1),
        RepeatPhrase::OtherWeekday => weekly(days, caught, 2),
        RepeatPhrase::MonthDay => caught
            .day
            .and_then(|day| days.next_day_of_month(day))
            .and_then(|day| every(1, Unit::Month, Some(day))),
        RepeatPhrase::Daily => rhythm(1, Unit::Day),
        RepeatPhrase::Weekly => rhythm(1, Unit::Week),
        RepeatPhrase::Fortnightly => rhythm(2, Unit::Week),
        RepeatPhrase::Monthly => rhythm(1, Unit::Month),
        RepeatPhrase::Yearly => rhythm(1, Unit::Year),
        RepeatPhrase::NoSuch => None,
    };
    let sentence = || language.say.no_repeater.replace("{text}", typed);
    found.map_or_else(|| Part::Problem(sentence()), Part::Every)
}

const fn every(count: u16, unit: Unit, start: Option<Date>) -> Option<Every> {
    Some(Every { count, unit, start })
}

fn spans(count: u16, unit: Span) -> Option<Every> {
    let (count, unit) = match unit {
        Span::Minute => return None,
        Span::Hour => (count, Unit::Hour),
        Span::Day => (count, Unit::Day),
        Span::Week => (count, Unit::Week),
        Span::Fortnight => (count.checked_mul(2)?, Unit::Week),
        Span::Month => (count, Unit::Month),
        Span::Year => (count, Unit::Year),
    };
    every(count, unit, None)
}

/// A rhythm of weeks begins on the next such weekday, today included.
fn weekly(days: Days<'_>, caught: &Caught, count: u16) -> Option<Every> {
    let start = days.this(caught.weekday?)?;
    every(count, Unit::Week, Some(start))
}
