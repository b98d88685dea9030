//! One phrase of a date: a day, a time or a repeater with the word that leads it, and where it may stand. It must
//! never take a bare word for a date where a title could mean it.

use super::{
    catalogue::Language,
    clock,
    date::Days,
    lex::Word,
    phrase::{Bare, DateKind, Lead, RepeatPhrase, TimeKind},
    repeat::{self, Every},
    slot::Caught,
};
use jiff::civil::{Date, DateTime, Time};

/// What a phrase says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Day(Date),
    Clock(Time),
    Instant(DateTime),
    Every(Every),
    /// A sentence about what cannot be.
    Problem(String),
}

/// A phrase that was found.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) lead: Option<Lead>,
    pub(super) part: Part,
    /// How many words it has.
    pub(super) used: usize,
    /// Whether it counts only beside a day: "John 3:16".
    pub(super) needs_day: bool,
    /// Whether a part of the day may follow.
    is_day: bool,
}

/// Where in the text a phrase stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Begin,
    Middle,
    End,
    /// The phrase is all there is.
    Whole,
}

/// The surroundings of a phrase.
struct Spot<'a, 't> {
    /// The words from the lead on.
    words: &'a [Word<'t>],
    /// The word before the lead.
    before: Option<&'a Word<'t>>,
    place: Place,
    previous: Option<&'a Step>,
    lead: Option<Lead>,
    /// How many words the lead has.
    skip: usize,
}

/// Reads phrases as seen from a moment.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) language: &'a Language,
    pub(super) days: Days<'a>,
    /// Whether "for" leads a date.
    pub(super) loose: bool,
}

impl Reader<'_> {
    /// Returns the phrases that begin at a word, the longest first.
    pub(super) fn steps(
        self,
        words: &[Word<'_>],
        at: usize,
        place: Place,
        previous: Option<&Step>,
    ) -> Vec<Step> {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        let words = words.get(at..).unwrap_or(&[]);
        let mut found = Vec::new();
        for (lead, skip) in self.leads(words) {
            if lead.is_none() && place == Place::Middle && previous.is_none() {
                continue;
            }
            let spot = Spot { words, before, place, previous, lead, skip };
            self.days(&spot, &mut found);
            self.clocks(&spot, &mut found);
            self.repeats(&spot, &mut found);
        }
        found.sort_by_key(|step| std::cmp::Reverse(step.used));
        found
    }

    /// Returns the leads that begin here, and none.
    pub(super) fn leads(self, words: &[Word<'_>]) -> Vec<(Option<Lead>, usize)> {
        let mut leads = vec![(None, 0)];
        for phrase in &self.language.leads {
            if phrase.is == Lead::For && !self.loose {
                continue;
            }
            let used = phrase
                .says
                .iter()
                .filter_map(|pattern| pattern.prefix(words, &self.language.calendar))
                .map(|caught| caught.used)
                .max();
            leads.extend(used.map(|used| (Some(phrase.is), used)));
        }
        leads
    }

    fn days(self, spot: &Spot<'_, '_>, found: &mut Vec<Step>) {
        for phrase in &self.language.dates {
            for pattern in &phrase.says {
                let Some(caught) = pattern.prefix(spot.rest(), &self.language.calendar) else {
                    continue;
                };
                let caught = caught.or_by(phrase.count, phrase.unit);
                let named = phrase.is == DateKind::Weekday && spot.lead.is_none();
                if spot.takes_day(phrase.bare, caught.used)
                    && !(named && spot.is_name(&self.language.calendar.fixed_names))
                {
                    let part = self.days.resolve(phrase.is, &caught, &spot.typed(caught.used));
                    found.push(spot.step(part, &caught, false));
                }
            }
        }
    }

    fn clocks(self, spot: &Spot<'_, '_>, found: &mut Vec<Step>) {
        for phrase in &self.language.times {
            for pattern in &phrase.says {
                let Some(caught) = pattern.prefix(spot.rest(), &self.language.calendar) else {
                    continue;
                };
                if spot.takes_clock(phrase.is, caught.used) {
                    let typed = spot.typed(caught.used);
                    let part = clock::resolve(self.language, phrase.is, phrase.hour, &caught, &typed);
                    let plain = caught.clock.is_some_and(|clock| clock.half.is_none());
                    let bare = spot.lead.is_none() && phrase.is == TimeKind::Clock && plain;
                    found.push(spot.step(part, &caught, bare));
                }
            }
        }
    }

    fn repeats(self, spot: &Spot<'_, '_>, found: &mut Vec<Step>) {
        for phrase in &self.language.repeats {
            for pattern in &phrase.says {
                let Some(caught) = pattern.prefix(spot.rest(), &self.language.calendar) else {
                    continue;
                };
                let caught = caught.or_by(phrase.count, phrase.unit);
                let no_such = phrase.is == RepeatPhrase::NoSuch;
                if spot.takes_repeat(phrase.bare) && !(no_such && spot.place == Place::Middle) {
                    let typed = spot.typed(caught.used);
                    let part = repeat::resolve(self.language, self.days, phrase.is, &caught, &typed);
                    found.push(spot.step(part, &caught, false));
                }
            }
        }
    }
}

impl<'t> Spot<'_, 't> {
    /// The words behind the lead.
    fn rest(&self) -> &[Word<'t>] {
        self.words.get(self.skip..).unwrap_or(&[])
    }

    fn typed(&self, used: usize) -> String {
        let keys: Vec<&str> = self
            .rest()
            .iter()
            .take(used)
            .map(|word| word.raw.trim_end_matches([',', ':', '!', '?', ')', ';']))
            .collect();
        keys.join(" ")
    }

    fn step(&self, part: Part, caught: &Caught, needs_day: bool) -> Step {
        Step {
            lead: self.lead,
            is_day: matches!(part, Part::Day(_)),
            part,
            used: self.skip + caught.used,
            needs_day,
        }
    }

    /// Says whether the word before makes a name of the weekday: "Black Friday".
    fn is_name(&self, names: &[String]) -> bool {
        self.before.is_some_and(|word| names.contains(&word.key))
    }

    fn behind_day(&self) -> bool {
        self.previous.is_some_and(|step| step.is_day)
    }

    fn behind_clock(&self) -> bool {
        self.previous.is_some_and(|step| matches!(step.part, Part::Clock(_)))
    }

    fn behind_repeat(&self) -> bool {
        self.previous.is_some_and(|step| matches!(step.part, Part::Every(_)))
    }

    fn takes_day(&self, bare: Bare, used: usize) -> bool {
        let last = used.checked_sub(1).and_then(|last| self.rest().get(last));
        let paused = last.is_some_and(Word::pauses);
        match (self.lead, self.place) {
            (Some(Lead::At), _) => false,
            (None, Place::Middle) => bare != Bare::Never && self.behind_clock(),
            (Some(Lead::On | Lead::By | Lead::For), _) | (None, Place::Whole) => true,
            (None, Place::End) => bare != Bare::Never || self.behind_repeat(),
            (None, Place::Begin) => match bare {
                Bare::Edge => true,
                Bare::End => paused || self.previous.is_some(),
                Bare::Never => self.behind_repeat(),
            },
        }
    }

    fn takes_clock(&self, kind: TimeKind, used: usize) -> bool {
        let timed = matches!(self.lead, Some(Lead::At | Lead::By));
        let bare = self.lead.is_none();
        match kind {
            TimeKind::Hour => {
                self.lead == Some(Lead::At) && (self.place != Place::Middle || self.behind_day())
            }
            TimeKind::Clock | TimeKind::Am | TimeKind::Pm | TimeKind::OClock => {
                timed || (bare && (self.place != Place::Middle || self.behind_day()))
            }
            TimeKind::HalfPast
            | TimeKind::QuarterPast
            | TimeKind::QuarterTo
            | TimeKind::Fixed
            | TimeKind::Midnight => timed || (bare && self.behind_day()),
            TimeKind::PartOfDay => {
                let small = self.rest().iter().take(used).all(|word| !word.capital);
                bare && self.behind_day() && small
            }
        }
    }

    fn takes_repeat(&self, bare: Bare) -> bool {
        match self.lead {
            Some(Lead::By) => true,
            Some(Lead::On) => self.place != Place::Middle,
            Some(Lead::At | Lead::For) => false,
            None => match self.place {
                Place::Middle => self.previous.is_some(),
                Place::Begin => bare == Bare::Edge,
                Place::End | Place::Whole => true,
            },
        }
    }
}
