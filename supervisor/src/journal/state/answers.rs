//! The answers that wait for somebody to come: bounded in number and in bytes, quick to ask for a key, because every
//! message that arrives asks.

use crate::journal::turn::{Answer, Sent};
use protocol::id::TurnKey;
use std::collections::{BTreeMap, BTreeSet};

/// Answers that wait for somebody to come. More than a person reads; the oldest go first.
pub const ANSWERS_MAX: usize = 1_000;

/// Text of the answers that wait, in bytes: 1,000 of the longest would be 96 MB.
pub const ANSWERS_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The answers that wait, in the order in which their turns ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    waiting: BTreeMap<u64, Answer>,
    by_key: BTreeMap<TurnKey, u64>,
    /// Those that may have arrived.
    sent: BTreeSet<u64>,
    next: u64,
    bytes: usize,
}

impl Answers {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Answer> {
        self.waiting.values()
    }

    pub(super) fn get(&self, key: TurnKey) -> Option<&Answer> {
        self.waiting.get(self.by_key.get(&key)?)
    }

    /// Takes an answer in. Returns how many that nobody has got were given up for it: those that may have arrived go
    /// first, then the oldest.
    pub(super) fn push(&mut self, answer: Answer) -> u64 {
        self.remove(answer.key);
        self.bytes += answer.answer.text.len();
        self.by_key.insert(answer.key, self.next);
        self.waiting.insert(self.next, answer);
        self.next += 1;
        let mut given_up = 0;
        while self.waiting.len() > ANSWERS_MAX || self.bytes > ANSWERS_BYTES_MAX {
            let oldest = self.sent.first().or_else(|| self.waiting.keys().next());
            let oldest = oldest.and_then(|order| self.waiting.get(order));
            let Some((key, sent)) = oldest.map(|answer| (answer.key, answer.sent)) else {
                break;
            };
            self.remove(key);
            given_up += u64::from(sent == Sent::No);
        }
        given_up
    }

    /// Forgets an answer that arrived. Returns whether it was there.
    pub(super) fn remove(&mut self, key: TurnKey) -> bool {
        let Some(order) = self.by_key.remove(&key) else {
            return false;
        };
        self.sent.remove(&order);
        let gone = self.waiting.remove(&order);
        self.bytes -= gone.map_or(0, |answer| answer.answer.text.len());
        true
    }

    /// Notes that an answer may have arrived. Returns whether it is there.
    pub(super) fn mark_sent(&mut self, key: TurnKey) -> bool {
        let Some(order) = self.by_key.get(&key) else {
            return false;
        };
        self.sent.insert(*order);
        if let Some(answer) = self.waiting.get_mut(order) {
            answer.sent = Sent::Perhaps;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::record::tests::{key, name};
    use protocol::{id::WallMs, label::Labeled};

    fn answer(number: u64, bytes: usize) -> Answer {
        Answer {
            key: key(number),
            source: name("gateway:local"),
            conversation: name("a"),
            message: name("m"),
            answer: Labeled::from_owner("x".repeat(bytes)),
            at: WallMs(0),
            code: None,
            sent: Sent::No,
        }
    }

    #[test]
    fn oldest_goes_first_but_before_it_what_may_have_arrived() {
        let mut answers = Answers::default();
        for number in 0..1_000 {
            assert_eq!(answers.push(answer(number, 1)), 0);
        }
        assert!(answers.mark_sent(key(500)));
        assert_eq!(answers.push(answer(1_000, 1)), 0);
        assert!(answers.get(key(500)).is_none() && answers.get(key(0)).is_some());
        assert_eq!(answers.push(answer(1_001, 1)), 1);
        assert!(answers.get(key(0)).is_none());
        assert_eq!(answers.iter().count(), ANSWERS_MAX);
    }

    #[test]
    fn long_answers_are_bounded_by_their_bytes() {
        let mut answers = Answers::default();
        let given_up: u64 = (0..20).map(|n| answers.push(answer(n, 1 << 20))).sum();
        assert_eq!((given_up, answers.iter().count()), (4, 16));
        assert!(answers.remove(key(19)) && !answers.remove(key(19)));
        assert_eq!(answers.bytes, 15 << 20);
    }
}
