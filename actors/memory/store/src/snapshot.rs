//! Snapshots: the roots of a moment under a number, and which of them are kept. A named one is never dropped.

use crate::{
    code::{Reader, Writer},
    error::Result,
    object::Roots,
};
use std::collections::BTreeSet;

const HOUR: u64 = 60 * 60 * 1000;
const DAY: u64 = 24 * HOUR;

/// Why a snapshot is taken.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cause {
    /// The turn that wrote; none for edits from outside.
    pub turn: Option<String>,
    /// A name given by a person.
    pub name: Option<String>,
}

/// A snapshot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// Its number, from 1, never used twice.
    pub number: u64,
    /// When, in milliseconds since 1970.
    pub when: u64,
    /// Why.
    pub cause: Cause,
    pub(crate) roots: Roots,
}

/// Which snapshots are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keep {
    /// The newest so many.
    pub newest: usize,
    /// The last of each hour for so many hours.
    pub hours: u64,
    /// The last of each day for so many days.
    pub days: u64,
}

impl Default for Keep {
    fn default() -> Self {
        Self { newest: 20, hours: 24, days: 30 }
    }
}

impl Keep {
    /// Returns the numbers of those that go; `all` is in the order of the numbers.
    pub(crate) fn dropped(&self, all: &[Snapshot], now: u64) -> Vec<u64> {
        let mut kept = BTreeSet::new();
        let (mut hours, mut days) = (BTreeSet::new(), BTreeSet::new());
        for (age, snapshot) in all.iter().rev().enumerate() {
            let span = now.saturating_sub(snapshot.when);
            let hour = span < self.hours.saturating_mul(HOUR) && hours.insert(snapshot.when / HOUR);
            let day = span < self.days.saturating_mul(DAY) && days.insert(snapshot.when / DAY);
            if age < self.newest || snapshot.cause.name.is_some() || hour || day {
                kept.insert(snapshot.number);
            }
        }
        all.iter().map(|snapshot| snapshot.number).filter(|number| !kept.contains(number)).collect()
    }
}

impl Snapshot {
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut to = Writer::default();
        self.roots.write(&mut to);
        to.number(self.when);
        to.maybe(self.cause.turn.as_ref().map(String::as_bytes));
        to.maybe(self.cause.name.as_ref().map(String::as_bytes));
        to.0
    }

    pub(crate) fn read(number: u64, bytes: &[u8]) -> Result<Self> {
        let mut from = Reader(bytes);
        let roots = Roots::read(&mut from)?;
        let when = from.number()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let cause = Cause { turn: from.maybe()?.map(text), name: from.maybe()?.map(text) };
        from.end()?;
        Ok(Self { number, when, cause, roots })
    }
}
