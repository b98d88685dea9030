//! What the date phrases of a text say together: when to begin, when it must be done. It must never drop one of them:
//! phrases that contradict each other are a clash, and the text keeps them.

use super::{
    date::Days,
    phrase::Lead,
    repeat::Every,
    step::{Part, Step},
};
use jiff::{
    Span, ZonedDateTime,
    civil::{Date, DateTime, Time},
};
use protocol::{
    change::{Repeat, RepeatKind, Unit, When},
    recall::{Clock, Day, Moment},
};

/// The dates of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Times {
    pub(super) scheduled: Option<When>,
    pub(super) deadline: Option<When>,
}

/// Why phrases make no dates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// The person has to be told.
    Problem(String),
    /// They contradict each other.
    Clash,
}

/// Phrases about the same date.
#[derive(Clone, Copy, Default)]
struct Cluster {
    due: bool,
    day: Option<Date>,
    clock: Option<Time>,
    every: Option<Every>,
}

/// Joins phrases to dates.
pub(super) fn join(steps: &[Step], days: Days<'_>) -> Result<Times, Fault> {
    let dated = |step: &Step| !matches!(step.part, Part::Clock(_));
    if steps.iter().any(|step| step.needs_day) && !steps.iter().any(dated) {
        return Err(Fault::Clash);
    }
    let mut times = Times::default();
    for cluster in clusters(steps)? {
        let slot = if cluster.due { &mut times.deadline } else { &mut times.scheduled };
        if slot.replace(cluster.resolve(days)?).is_some() {
            return Err(Fault::Clash);
        }
    }
    let endless = times.scheduled.is_some_and(|when| when.repeat.is_some());
    match times.deadline {
        Some(When { repeat: None, .. }) if endless => {
            let sentence = days.language.say.no_end.clone();
            Err(Fault::Problem(sentence))
        }
        Some(_) | None => Ok(times),
    }
}

/// A leading "by" opens a deadline; "on" only says which day is meant, so "by 5pm on friday" is one date, and so is
/// "tomorrow before noon".
fn clusters(steps: &[Step]) -> Result<Vec<Cluster>, Fault> {
    let mut done = Vec::new();
    let mut open = Cluster::default();
    for step in steps {
        let due = step.lead == Some(Lead::By);
        let second_day = open.day.is_some() && matches!(step.part, Part::Day(_) | Part::Instant(_));
        if second_day && step.lead.is_none() {
            return Err(Fault::Clash);
        }
        let same_day = matches!(step.part, Part::Clock(_)) && open.day.is_some() && open.clock.is_none();
        if !open.is_empty() && ((due && !same_day) || second_day) {
            done.push(open);
            open = Cluster::default();
        }
        open.due |= due;
        open.add(&step.part)?;
    }
    if !open.is_empty() {
        done.push(open);
    }
    Ok(done)
}

impl Cluster {
    const fn is_empty(&self) -> bool {
        self.day.is_none() && self.clock.is_none() && self.every.is_none()
    }

    fn add(&mut self, part: &Part) -> Result<(), Fault> {
        let clash = match part {
            Part::Problem(sentence) => return Err(Fault::Problem(sentence.clone())),
            Part::Day(day) => self.day.replace(*day).is_some(),
            Part::Clock(time) => self.clock.replace(*time).is_some(),
            Part::Every(every) => self.every.replace(*every).is_some(),
            Part::Instant(then) => {
                self.day.replace(then.date()).is_some() | self.clock.replace(then.time()).is_some()
            }
        };
        if clash { Err(Fault::Clash) } else { Ok(()) }
    }

    fn resolve(self, days: Days<'_>) -> Result<When, Fault> {
        let now = days.now.datetime();
        if let (Some(day), Some(start)) = (self.day, self.every.and_then(|every| every.start))
            && day.weekday() != start.weekday()
            && day.day() != start.day()
        {
            return Err(Fault::Clash);
        }
        let hourly = self.every.filter(|every| every.unit == Unit::Hour);
        let then = match (self.day, self.clock, hourly) {
            (None, None, Some(every)) => interval(days.now, every),
            (None, clock, _) => self.first(now, clock),
            (Some(day), clock, _) => Some((day, clock)),
        };
        let (day, clock) = then.ok_or(Fault::Clash)?;
        Ok(When { moment: moment(day, clock), repeat: self.every.map(repeat) })
    }

    /// Returns the first time that is not over: a clock alone is today or tomorrow, a rhythm begins today or on its
    /// own day, or one interval later when that moment has passed.
    fn first(self, now: DateTime, clock: Option<Time>) -> Option<(Date, Option<Time>)> {
        let start = self.every.and_then(|every| every.start);
        let day = start.unwrap_or_else(|| now.date());
        let over = clock.is_some_and(|clock| day.to_datetime(clock) <= now);
        if !over {
            return Some((day, clock));
        }
        let wait = match self.every {
            Some(every) if every.unit != Unit::Hour => span(every)?,
            Some(_) | None => Span::new().days(1),
        };
        Some((day.checked_add(wait).ok()?, clock))
    }
}

/// Returns the moment one interval from now, on the clock of the zone.
fn interval(now: &ZonedDateTime, every: Every) -> Option<(Date, Option<Time>)> {
    let then = now.checked_add(span(every)?).ok()?;
    Some((then.date(), Some(then.time())))
}

fn span(every: Every) -> Option<Span> {
    let none = Span::new();
    match every.unit {
        Unit::Hour => none.try_hours(every.count),
        Unit::Day => none.try_days(every.count),
        Unit::Week => none.try_weeks(every.count),
        Unit::Month => none.try_months(every.count),
        Unit::Year => none.try_years(every.count),
    }
    .ok()
}

/// "Every Monday" keeps its weekday and skips what was missed: `++` in Org.
const fn repeat(every: Every) -> Repeat {
    Repeat { kind: RepeatKind::CatchUp, count: every.count, unit: every.unit }
}

fn moment(date: Date, time: Option<Time>) -> Moment {
    Moment { day: day(date), time: time.map(|time| Clock { hour: time.hour(), minute: time.minute() }) }
}

/// Returns a date in the words of the protocol.
pub(super) fn day(date: Date) -> Day {
    Day { year: date.year(), month: date.month(), day: date.day() }
}
