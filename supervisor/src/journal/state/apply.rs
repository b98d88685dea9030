//! What each record does to the state. Total: any record in any order; what makes no sense where it stands is reported
//! to `apply`, which counts it.

use super::{NOTICES_MAX, State, VERBS_MAX};
use crate::journal::{
    Record, Unpark,
    turn::{Answer, Charge, Doubt, Fate, Known, Notice, Parked, Rollback, Sent, Snap, Step, Turn},
};
use protocol::{
    id::{TurnKey, WallMs},
    label::Labeled,
    outcome::{Delivered, Nature},
};
use std::collections::BTreeMap;

impl State {
    /// Takes an open turn out as if it had never come: its record could not be made durable and its source was told so.
    pub fn retract(&mut self, key: TurnKey) {
        if let Some(turn) = self.turns.remove(&key) {
            self.order.remove(&turn.order);
            self.parked.remove(&key);
        }
    }

    /// Takes a record in. Total: any record in any order.
    pub fn apply(&mut self, record: &Record) {
        if let Some(at) = record.at() {
            self.latest = self.latest.max(at);
        }
        if let Some(records) = &mut self.checkpoint {
            *records += 1;
        }
        if !self.applied(record) {
            self.anomalies = self.anomalies.saturating_add(1);
        }
    }

    /// Returns whether the record made sense.
    fn applied(&mut self, record: &Record) -> bool {
        match record {
            Record::Accepted { key, .. } => self.accept(*key, record),
            Record::Done { key, answer, at } => self.end(*key, answer, None, *at),
            Record::Failed { key, code, answer, at } => self.end(*key, answer, Some(code), *at),
            Record::Parked { key, why, at } => self.park(*key, why, *at),
            Record::Unparked { key, how, at } => self.unpark(*key, *how, *at),
            Record::Commit { key, step, receipt } => self.commit(*key, *step, receipt),
            Record::Uncertain { .. } => self.doubt(record),
            Record::Resolved { key, step, happened, .. } => self.resolve(*key, *step, *happened),
            Record::Delivered { key, how } => self.deliver(*key, *how),
            Record::RollbackDone { key, attempt, .. } => self.rolled_back(*key, *attempt),
            Record::Notice { id, text, at } => self.notice(*id, text, *at),
            Record::Verb { id, reply } => self.verb(id, reply),
            Record::CheckpointEnd { records } => self.checkpoint_end(*records),
            Record::Checkpoint { .. }
            | Record::Offset { .. }
            | Record::Desired { .. }
            | Record::RollbackBegin { .. } => self.set(record),
            Record::Started { key, .. }
            | Record::Charged { key, .. }
            | Record::Intent { key, .. }
            | Record::SnapTaken { key, .. } => self.progress(*key, record),
        }
    }

    /// Records that set something whatever was there before.
    fn set(&mut self, record: &Record) -> bool {
        if let Record::Checkpoint { latest, anomalies, given_up } = record {
            let sound = self.checkpoint.is_none();
            *self = Self {
                done: std::mem::take(&mut self.done),
                latest: *latest,
                anomalies: *anomalies,
                given_up: *given_up,
                checkpoint: Some(0),
                ..Self::default()
            };
            return sound;
        }
        if let Record::Offset { source, value } = record {
            self.offsets.insert(source.clone(), *value);
        }
        if let Record::Desired { role, up } = record {
            self.desired.insert(*role, *up);
        }
        if let Record::RollbackBegin { key, attempt, root, why, ending } = record {
            let rollback = Rollback {
                key: *key,
                attempt: *attempt,
                root: root.clone(),
                why: why.clone(),
                ending: ending.clone(),
            };
            self.rollbacks.insert(*key, rollback);
        }
        true
    }

    fn accept(&mut self, key: TurnKey, record: &Record) -> bool {
        let Record::Accepted { source, conversation, message, principal, class, text, at, offset, .. } =
            record
        else {
            return false;
        };
        if let Some(offset) = offset {
            let known = self.offsets.entry(source.clone()).or_default();
            *known = (*known).max(*offset);
        }
        // A checkpoint brings back turns whose key is among the done ones: their answer still waits.
        if self.turns.contains_key(&key) || (self.checkpoint.is_none() && self.lookup(key) != Known::Unknown)
        {
            return false;
        }
        let order = self.next;
        self.next += 1;
        self.order.insert(order, key);
        let turn = Turn {
            key,
            source: source.clone(),
            conversation: conversation.clone(),
            message: message.clone(),
            principal: *principal,
            class: *class,
            text: text.clone(),
            at: *at,
            attempt: 0,
            role: None,
            charge: None,
            steps: BTreeMap::new(),
            snap: None,
            parked: None,
            order,
        };
        self.turns.insert(key, turn);
        true
    }

    /// Records that only add to an open turn.
    fn progress(&mut self, of: TurnKey, record: &Record) -> bool {
        let Some(turn) = self.turns.get_mut(&of) else {
            return false;
        };
        if let Record::Started { role, attempt, .. } = record {
            turn.role = Some(*role);
            turn.attempt = turn.attempt.max(*attempt);
        }
        if let Record::Charged { role, cause, weight, total, .. } = record {
            turn.charge = Some(Charge { role: *role, cause: cause.clone(), weight: *weight, total: *total });
        }
        if let Record::Intent { attempt, step, action, nature, .. } = record {
            let known = turn.steps.get(step);
            let settled = known.is_some_and(|known| known.fate != Fate::Intended)
                || self.doubts.contains_key(&(of, *step));
            if settled {
                return false;
            }
            let intent =
                Step { attempt: *attempt, action: action.clone(), nature: *nature, fate: Fate::Intended };
            turn.steps.insert(*step, intent);
        }
        if let Record::SnapTaken { attempt, root, .. } = record {
            turn.snap = Some(Snap { attempt: *attempt, root: root.clone() });
        }
        true
    }

    fn commit(&mut self, key: TurnKey, step: u8, receipt: &str) -> bool {
        let doubted = self.doubts.remove(&(key, step)).is_some();
        let Some(turn) = self.turns.get_mut(&key) else {
            return doubted;
        };
        let fate = Fate::Committed(receipt.to_owned());
        if let Some(known) = turn.steps.get_mut(&step) {
            known.fate = fate;
            return true;
        }
        // Its intent is missing, but that it happened must not be forgotten.
        let unannounced =
            Step { attempt: turn.attempt, action: String::new(), nature: Nature::Ambiguous, fate };
        turn.steps.insert(step, unannounced);
        false
    }

    fn doubt(&mut self, record: &Record) -> bool {
        let Record::Uncertain { key, step, action, conversation, at } = record else {
            return false;
        };
        let known = self.turns.get_mut(key).and_then(|turn| turn.steps.get_mut(step));
        if let Some(known) = known {
            if matches!(known.fate, Fate::Committed(_)) {
                return false;
            }
            known.fate = Fate::Uncertain;
        }
        let doubt = Doubt {
            key: *key,
            step: *step,
            action: action.clone(),
            conversation: conversation.clone(),
            at: *at,
        };
        self.doubts.insert((*key, *step), doubt).is_none()
    }

    fn resolve(&mut self, key: TurnKey, step: u8, happened: bool) -> bool {
        if self.doubts.remove(&(key, step)).is_none() {
            return false;
        }
        if let Some(turn) = self.turns.get_mut(&key) {
            if !happened {
                turn.steps.remove(&step);
            } else if let Some(known) = turn.steps.get_mut(&step) {
                known.fate = Fate::Committed("confirmed by the owner".to_owned());
            }
        }
        true
    }

    fn end(&mut self, key: TurnKey, answer: &Labeled, code: Option<&String>, at: WallMs) -> bool {
        // An end without its beginning is remembered all the same: the turn must not be done again.
        let Some(turn) = self.close(key, at) else {
            return false;
        };
        self.given_up += self.answers.push(Answer {
            key,
            source: turn.source,
            conversation: turn.conversation,
            message: turn.message,
            answer: answer.clone(),
            at,
            code: code.cloned(),
            sent: Sent::No,
        });
        true
    }

    fn close(&mut self, key: TurnKey, at: WallMs) -> Option<Turn> {
        if self.checkpoint.is_none() && !self.done.contains(key) {
            self.done.insert(key, at);
        }
        self.parked.remove(&key);
        let turn = self.turns.remove(&key)?;
        self.order.remove(&turn.order);
        Some(turn)
    }

    fn park(&mut self, key: TurnKey, why: &str, at: WallMs) -> bool {
        let Some(turn) = self.turns.get_mut(&key) else {
            return false;
        };
        turn.parked = Some(Parked { why: why.to_owned(), at });
        self.parked.insert(key)
    }

    fn unpark(&mut self, key: TurnKey, how: Unpark, at: WallMs) -> bool {
        let was_parked = self.parked.remove(&key);
        match how {
            Unpark::Drop => self.close(key, at).is_some() && was_parked,
            Unpark::Retry => {
                if let Some(turn) = self.turns.get_mut(&key) {
                    turn.parked = None;
                    turn.charge = None;
                }
                was_parked
            }
        }
    }

    fn deliver(&mut self, key: TurnKey, how: Delivered) -> bool {
        let notice = self.notices.iter().position(|notice| notice.id == key);
        let answer = match how {
            Delivered::Absent => self.answers.get(key).is_some(),
            Delivered::Confirmed => self.answers.remove(key),
            Delivered::Unknown => self.answers.mark_sent(key),
        };
        if let (Some(index), Delivered::Confirmed | Delivered::Unknown) = (notice, how) {
            self.notices.remove(index);
        }
        // A second confirmation is no anomaly: two clients may show the same answer.
        answer || notice.is_some() || self.done.contains(key)
    }

    /// What memory wrote is gone, so it may be written again; effects outside stay done.
    fn rolled_back(&mut self, key: TurnKey, attempt: u8) -> bool {
        if let Some(turn) = self.turns.get_mut(&key) {
            // Tries up to this one are refused by memory from now on, so none of them may come again.
            turn.attempt = turn.attempt.max(attempt);
            turn.snap = None;
            let doubts = &mut self.doubts;
            turn.steps.retain(|number, step| {
                let undone = step.nature == Nature::Reversible;
                if undone {
                    doubts.remove(&(key, *number));
                }
                !undone
            });
        }
        self.rollbacks.remove(&key).is_some()
    }

    fn notice(&mut self, id: TurnKey, text: &str, at: WallMs) -> bool {
        if self.notices.iter().any(|known| known.id == id) {
            return false;
        }
        let text = text.to_owned();
        self.notices.push_back(Notice { id, text, at });
        if self.notices.len() > NOTICES_MAX {
            self.notices.pop_front();
            self.given_up += 1;
        }
        true
    }

    fn verb(&mut self, id: &str, reply: &str) -> bool {
        if self.verb_reply(id).is_some() {
            return false;
        }
        self.verbs.push_back((id.to_owned(), reply.to_owned()));
        if self.verbs.len() > VERBS_MAX {
            self.verbs.pop_front();
        }
        true
    }

    fn checkpoint_end(&mut self, records: u64) -> bool {
        // The end counts itself here, but not in its own number.
        let sound = self.checkpoint.is_some_and(|seen| seen == records + 1);
        if sound {
            self.checkpoint = None;
        }
        sound
    }
}
