//! Which time of day a phrase means. It must never round or wrap a time that does not exist.

use super::{
    catalogue::Language,
    phrase::TimeKind,
    slot::{Caught, Half, Typed},
    step::Part,
};
use jiff::civil::Time;

/// Says what a time phrase means. `hour` is the hour that the language file gives it, `typed` the phrase as typed.
pub(super) fn resolve(
    language: &Language,
    kind: TimeKind,
    hour: Option<i8>,
    caught: &Caught,
    typed: &str,
) -> Part {
    let say = &language.say;
    let clock = caught.clock;
    let time = match kind {
        TimeKind::Midnight => return Part::Problem(say.midnight.clone()),
        TimeKind::Clock | TimeKind::Hour | TimeKind::OClock => clock.and_then(time),
        TimeKind::Am => clock.and_then(|clock| time(with_half(clock, Half::Am))),
        TimeKind::Pm => clock.and_then(|clock| time(with_half(clock, Half::Pm))),
        TimeKind::HalfPast => clock.and_then(|clock| at(clock.hour, 30)),
        TimeKind::QuarterPast => clock.and_then(|clock| at(clock.hour, 15)),
        TimeKind::QuarterTo => clock.and_then(|clock| at((clock.hour + 23) % 24, 45)),
        TimeKind::Fixed | TimeKind::PartOfDay => hour.and_then(|hour| at(hour, 0)),
    };
    time.map_or_else(|| Part::Problem(say.impossible_time.replace("{text}", typed)), Part::Clock)
}

const fn with_half(clock: Typed, half: Half) -> Typed {
    Typed { half: Some(half), ..clock }
}

fn time(typed: Typed) -> Option<Time> {
    let Typed { hour, minute, half } = typed;
    let hour = match half {
        None => hour,
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(Half::Am) => hour % 12,
        Some(Half::Pm) => hour % 12 + 12,
    };
    at(hour, minute)
}

fn at(hour: i8, minute: i8) -> Option<Time> {
    Time::new(hour, minute, 0, 0).ok()
}
