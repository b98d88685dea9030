//! What the journal knows of one turn, one answer, one notice. Pure data; only `State` changes it.

use super::{Ending, Record};
use protocol::{
    id::{Name, TurnKey, WallMs},
    label::Labeled,
    outcome::Nature,
    role::Role,
    stimulus::{Class, Principal},
};
use std::collections::BTreeMap;

/// What the journal knows of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// Accepted and not ended.
    Open,
    /// Ended.
    Done,
    /// Set aside until the owner decides.
    Parked,
    /// Never seen, or ended so long ago that it was forgotten.
    Unknown,
}

/// A turn that was accepted and has not ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turn {
    /// Its name.
    pub key: TurnKey,
    /// The gateway that it came through.
    pub source: Name,
    /// The conversation.
    pub conversation: Name,
    /// Its id at the source.
    pub message: Name,
    /// Who stands behind it.
    pub principal: Principal,
    /// How soon it is dealt with.
    pub class: Class,
    /// What was said.
    pub text: Labeled,
    /// When it was accepted.
    pub at: WallMs,
    /// The last try that an actor reported, 0 before the first.
    pub attempt: u8,
    /// The actor that took it up last.
    pub role: Option<Role>,
    /// The last death that was charged to it.
    pub charge: Option<Charge>,
    /// Its effects, by step.
    pub steps: BTreeMap<u8, Step>,
    /// What memory can be put back to.
    pub snap: Option<Snap>,
    /// Set when it was set aside.
    pub parked: Option<Parked>,
    pub(super) order: u64,
}

impl Turn {
    /// Returns what deaths have cost it so far.
    #[must_use]
    pub fn charges(&self) -> u8 {
        self.charge.as_ref().map_or(0, |charge| charge.total)
    }

    /// Returns the shortest history that leads to this turn.
    pub(super) fn records(&self) -> Vec<Record> {
        let key = self.key;
        let mut records = vec![Record::Accepted {
            key,
            source: self.source.clone(),
            conversation: self.conversation.clone(),
            message: self.message.clone(),
            principal: self.principal,
            class: self.class,
            text: self.text.clone(),
            at: self.at,
            offset: None,
        }];
        // A try that was taken back counts although its start was lost; every turn begins with perceive.
        let tried = (self.attempt > 0).then_some(Role::Perceive);
        records.extend(self.role.or(tried).map(|role| Record::Started { key, role, attempt: self.attempt }));
        records.extend(self.charge.as_ref().map(|charge| Record::Charged {
            key,
            role: charge.role,
            cause: charge.cause.clone(),
            weight: charge.weight,
            total: charge.total,
        }));
        for (number, step) in &self.steps {
            records.extend(step.records(key, *number));
        }
        records.extend(self.snap.as_ref().map(|snap| Record::SnapTaken {
            key,
            attempt: snap.attempt,
            root: snap.root.clone(),
        }));
        records.extend(self.parked.as_ref().map(|parked| Record::Parked {
            key,
            why: parked.why.clone(),
            at: parked.at,
        }));
        records
    }
}

/// A death that was charged to a turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Charge {
    /// The actor that died.
    pub role: Role,
    /// Of what.
    pub cause: String,
    /// How much that counts.
    pub weight: u8,
    /// What the turn has now.
    pub total: u8,
}

/// Why a turn was set aside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parked {
    /// Why, without user text.
    pub why: String,
    /// Since when.
    pub at: WallMs,
}

/// What memory can be put back to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snap {
    /// The try that it was taken for.
    pub attempt: u8,
    /// Root of the snapshot.
    pub root: String,
}

/// An effect of a turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The try that announced it.
    pub attempt: u8,
    /// Name of the action.
    pub action: String,
    /// What the outside does with a repetition.
    pub nature: Nature,
    /// How far it is.
    pub fate: Fate,
}

impl Step {
    fn records(&self, key: TurnKey, step: u8) -> Vec<Record> {
        let intent = Record::Intent {
            key,
            attempt: self.attempt,
            step,
            action: self.action.clone(),
            nature: self.nature,
        };
        match &self.fate {
            // An uncertain one is told by `Uncertain`, which stands on its own because it may outlive the turn.
            Fate::Intended | Fate::Uncertain => vec![intent],
            Fate::Committed(receipt) => {
                let receipt = receipt.clone();
                vec![intent, Record::Commit { key, step, receipt }]
            }
        }
    }
}

/// How far an effect is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Announced; nobody said that it happened.
    Intended,
    /// It happened, and the outside gave this back.
    Committed(String),
    /// The owner is asked whether it happened.
    Uncertain,
}

/// An effect that may or may not have happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Doubt {
    /// The turn, which may have ended since.
    pub key: TurnKey,
    /// Step of the turn.
    pub step: u8,
    /// Name of the action.
    pub action: String,
    /// The conversation.
    pub conversation: Name,
    /// Since when.
    pub at: WallMs,
}

/// A rollback that has begun and not ended: it is done again after a restart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rollback {
    /// The turn, which may have ended since.
    pub key: TurnKey,
    /// Which try.
    pub attempt: u8,
    /// Root to go back to.
    pub root: String,
    /// Why.
    pub why: String,
    /// How the turn ends afterwards, if it is not tried again.
    pub ending: Option<Ending>,
}

/// The answer of a turn that ended, kept until its delivery is confirmed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The turn.
    pub key: TurnKey,
    /// The gateway that it goes out through.
    pub source: Name,
    /// The conversation.
    pub conversation: Name,
    /// The message that it answers.
    pub message: Name,
    /// What is said.
    pub answer: Labeled,
    /// When the turn ended.
    pub at: WallMs,
    /// Code of the trouble, when the turn ended in trouble.
    pub code: Option<String>,
    /// Whether it was sent already, without confirmation.
    pub sent: Sent,
}

/// Whether an answer was sent already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sent {
    /// No: it is offered as soon as somebody comes.
    No,
    /// Perhaps: to a client that cannot confirm. It is sent again only when its message comes again.
    Perhaps,
}

impl Answer {
    /// Returns the shortest history that leads to this answer: a turn without text, and its end.
    pub(super) fn records(&self) -> Vec<Record> {
        let key = self.key;
        let stub = Record::Accepted {
            key,
            source: self.source.clone(),
            conversation: self.conversation.clone(),
            message: self.message.clone(),
            principal: Principal::Owner,
            class: Class::Normal,
            text: Labeled::from_owner(""),
            at: self.at,
            offset: None,
        };
        let answer = self.answer.clone();
        let at = self.at;
        let end = match self.code.clone() {
            None => Record::Done { key, answer, at },
            Some(code) => Record::Failed { key, code, answer, at },
        };
        let sent = match self.sent {
            Sent::No => None,
            Sent::Perhaps => Some(Record::Delivered { key, how: protocol::outcome::Delivered::Unknown }),
        };
        [stub, end].into_iter().chain(sent).collect()
    }
}

/// A message to the owner that waits for its delivery.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    /// Its id, in the same space as the turns.
    pub id: TurnKey,
    /// What the owner is told.
    pub text: String,
    /// When.
    pub at: WallMs,
}
