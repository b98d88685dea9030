//! The state as a checkpoint tells it, and the done keys that rotation seals.

use super::State;
use crate::journal::{
    Record,
    done::{Batch, DoneKeys, Horizon},
    turn::{Answer, Turn},
};
#[cfg(test)]
use std::collections::BTreeSet;

impl State {
    pub(in crate::journal) fn with_done(done: DoneKeys) -> Self {
        Self { done, ..Self::default() }
    }

    /// Says whether a checkpoint has begun and not ended.
    pub(in crate::journal) const fn is_within_checkpoint(&self) -> bool {
        self.checkpoint.is_some()
    }

    /// Returns the shortest history that leads to this state, without the done keys. Nothing in it is longer than the
    /// record it came from, so that whatever could be written once can be written again.
    pub(in crate::journal) fn history(&self) -> impl Iterator<Item = Record> {
        let answers = self.answers.iter().flat_map(Answer::records);
        let turns = self.in_order().flat_map(Turn::records);
        answers.chain(turns).chain(self.loose_ends())
    }

    /// The part of the history that belongs to no open turn and no answer.
    fn loose_ends(&self) -> impl Iterator<Item = Record> {
        let doubts = self.doubts.values().map(|doubt| Record::Uncertain {
            key: doubt.key,
            step: doubt.step,
            action: doubt.action.clone(),
            conversation: doubt.conversation.clone(),
            at: doubt.at,
        });
        let rollbacks = self.rollbacks.values().map(|rollback| Record::RollbackBegin {
            key: rollback.key,
            attempt: rollback.attempt,
            root: rollback.root.clone(),
            why: rollback.why.clone(),
            ending: rollback.ending.clone(),
        });
        let notices = self.notices.iter().map(|notice| Record::Notice {
            id: notice.id,
            text: notice.text.clone(),
            at: notice.at,
        });
        let offsets = self
            .offsets
            .iter()
            .map(|(source, value)| Record::Offset { source: source.clone(), value: *value });
        let desired = self.desired.iter().map(|(role, up)| Record::Desired { role: *role, up: *up });
        let verbs =
            self.verbs.iter().map(|(id, reply)| Record::Verb { id: id.clone(), reply: reply.clone() });
        doubts.chain(rollbacks).chain(notices).chain(offsets).chain(desired).chain(verbs)
    }

    /// Returns the record that a checkpoint of this state begins with.
    pub(in crate::journal) const fn checkpoint(&self) -> Record {
        Record::Checkpoint { latest: self.latest, anomalies: self.anomalies, given_up: self.given_up }
    }

    pub(in crate::journal) fn sealing(&self, segment: u32, merge: usize) -> Batch {
        self.done.sealing(segment, merge)
    }

    pub(in crate::journal) fn seal(&mut self, batch: Batch) -> Vec<u32> {
        self.done.seal(batch)
    }

    pub(in crate::journal) fn expire(&mut self, horizon: Horizon) -> Vec<u32> {
        self.done.expire(horizon)
    }

    /// Returns everything that two equal states have in common, for tests.
    #[cfg(test)]
    pub(in crate::journal) fn essence(&self) -> (Vec<Record>, BTreeSet<[u8; 16]>, Record) {
        (self.history().collect(), self.done.to_set(), self.checkpoint())
    }
}
