//! What the journal adds up to: the state that survives a crash. Pure. `apply` takes any record in any order and never
//! fails: what makes no sense where it stands is counted as an anomaly. Never changed but by a record.

mod answers;
mod apply;
mod checkpoint;

use super::{
    done::DoneKeys,
    turn::{Answer, Doubt, Known, Notice, Rollback, Sent, Turn},
};
use answers::Answers;
pub use answers::{ANSWERS_BYTES_MAX, ANSWERS_MAX};
use protocol::{
    id::{Name, TurnKey, WallMs},
    role::Role,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Notices that wait. More means that nobody looks.
pub const NOTICES_MAX: usize = 1_000;

/// Verbs whose reply is remembered. A client repeats a verb within seconds, and 64 clients is the limit.
pub const VERBS_MAX: usize = 256;

/// The state that survives a crash.
#[derive(Clone, Debug, Default)]
pub struct State {
    turns: BTreeMap<TurnKey, Turn>,
    order: BTreeMap<u64, TurnKey>,
    next: u64,
    parked: BTreeSet<TurnKey>,
    doubts: BTreeMap<(TurnKey, u8), Doubt>,
    rollbacks: BTreeMap<TurnKey, Rollback>,
    answers: Answers,
    notices: VecDeque<Notice>,
    offsets: BTreeMap<Name, u64>,
    desired: BTreeMap<Role, bool>,
    verbs: VecDeque<(String, String)>,
    done: DoneKeys,
    latest: WallMs,
    anomalies: u64,
    given_up: u64,
    /// Records since the beginning of a checkpoint that has not ended.
    checkpoint: Option<u64>,
}

impl State {
    /// Says what is known of a key.
    #[must_use]
    pub fn lookup(&self, key: TurnKey) -> Known {
        match self.turns.get(&key) {
            Some(turn) if turn.parked.is_some() => Known::Parked,
            Some(_) => Known::Open,
            None if self.answer(key).is_some() || self.done.contains(key) => Known::Done,
            None => Known::Unknown,
        }
    }

    /// Returns a turn that has not ended, parked or not.
    #[must_use]
    pub fn turn(&self, key: TurnKey) -> Option<&Turn> {
        self.turns.get(&key)
    }

    /// Returns the turns that are to be worked on, in the order in which they were accepted.
    pub fn open(&self) -> impl Iterator<Item = &Turn> {
        self.in_order().filter(|turn| turn.parked.is_none())
    }

    /// Returns how many turns are to be worked on.
    #[must_use]
    pub fn open_count(&self) -> usize {
        self.turns.len() - self.parked.len()
    }

    /// Returns the turns that wait for the owner's decision, in the order in which they were accepted.
    pub fn parked(&self) -> impl Iterator<Item = &Turn> {
        self.in_order().filter(|turn| turn.parked.is_some())
    }

    /// Returns the effects that may or may not have happened.
    pub fn doubts(&self) -> impl Iterator<Item = &Doubt> {
        self.doubts.values()
    }

    /// Returns the rollbacks that have begun and not ended.
    pub fn rollbacks(&self) -> impl Iterator<Item = &Rollback> {
        self.rollbacks.values()
    }

    /// Returns the answers that nobody has got yet, oldest first.
    pub fn undelivered(&self) -> impl Iterator<Item = &Answer> {
        self.answers.iter().filter(|answer| answer.sent == Sent::No)
    }

    /// Returns the answer of a turn that ended, unless its delivery was confirmed or it was given up.
    #[must_use]
    pub fn answer(&self, key: TurnKey) -> Option<&Answer> {
        self.answers.get(key)
    }

    /// Returns the messages to the owner that wait, oldest first.
    pub fn notices(&self) -> impl Iterator<Item = &Notice> {
        self.notices.iter()
    }

    /// Returns the position of a source.
    #[must_use]
    pub fn offset(&self, source: &Name) -> Option<u64> {
        self.offsets.get(source).copied()
    }

    /// Says whether the operator wants an actor up; `None` when nobody ever said.
    #[must_use]
    pub fn desired(&self, role: Role) -> Option<bool> {
        self.desired.get(&role).copied()
    }

    /// Returns the reply to a verb that was done already.
    #[must_use]
    pub fn verb_reply(&self, id: &str) -> Option<&str> {
        let mut verbs = self.verbs.iter().rev();
        verbs.find(|(known, _)| known == id).map(|(_, reply)| reply.as_str())
    }

    /// Returns the keys of open and parked turns and of doubts that begin with these hex digits: what a person types.
    #[must_use]
    pub fn matching(&self, prefix: &str) -> Vec<TurnKey> {
        let doubts = self.doubts.keys().map(|(key, _)| *key);
        let keys: BTreeSet<TurnKey> = self.turns.keys().copied().chain(doubts).collect();
        keys.into_iter().filter(|key| key.to_string().starts_with(prefix)).collect()
    }

    /// Returns how many keys of ended turns are remembered.
    #[must_use]
    pub fn done_count(&self) -> usize {
        self.done.len()
    }

    /// Returns the newest wall time of any record.
    #[must_use]
    pub const fn latest(&self) -> WallMs {
        self.latest
    }

    /// Returns how many records made no sense where they stood.
    #[must_use]
    pub const fn anomalies(&self) -> u64 {
        self.anomalies
    }

    /// Returns how many answers and notices were given up because too many waited.
    #[must_use]
    pub const fn given_up(&self) -> u64 {
        self.given_up
    }

    fn in_order(&self) -> impl Iterator<Item = &Turn> {
        self.order.values().filter_map(|key| self.turns.get(key))
    }
}
