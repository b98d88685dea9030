//! What the journal says: one variant per thing that must survive a crash. Bodies are JSON, so that a person with
//! standard tools can read them in ten years. Never put text of the owner anywhere but into a `Labeled`, whose
//! `Debug` hides it.

use super::tagged;
use protocol::{
    id::{Name, TurnKey, WallMs},
    label::Labeled,
    outcome::{self, Nature},
    role::Role,
    stimulus::{Class, Principal},
};
use serde::{Deserialize, Serialize};

/// What the owner did with a parked turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unpark {
    /// Try it again, with a clean slate.
    Retry,
    /// Give it up.
    Drop,
}

/// How a turn ends in trouble.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ending {
    /// Stable code.
    pub code: String,
    /// What the person is told; a sentence of ours, without user text.
    pub sentence: String,
}

/// One line of the journal. Fields that a reader does not know are ignored; types that it does not know are an error.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Record {
    /// A message was taken; durable before its source is told.
    Accepted {
        /// The turn that it opens.
        #[serde(with = "shown")]
        key: TurnKey,
        /// The gateway that it came through.
        source: Name,
        /// The conversation.
        conversation: Name,
        /// Its id at the source.
        message: Name,
        /// Who stands behind it.
        principal: Principal,
        /// How soon it is dealt with.
        class: Class,
        /// What was said, with its label.
        text: Labeled,
        /// When.
        at: WallMs,
        /// The source's position after it.
        #[serde(default)]
        offset: Option<u64>,
    },
    /// An actor took the turn up.
    Started {
        /// The turn.
        #[serde(with = "shown")]
        key: TurnKey,
        /// Which actor.
        #[serde(with = "shown")]
        role: Role,
        /// Which try, counted from 1.
        attempt: u8,
    },
    /// A turn was in hand when its actor died.
    Charged {
        /// The turn.
        #[serde(with = "shown")]
        key: TurnKey,
        /// Which actor died.
        #[serde(with = "shown")]
        role: Role,
        /// Of what: `crash`, `hang`, `oom`.
        cause: String,
        /// How much that counts.
        weight: u8,
        /// What the turn has now.
        total: u8,
    },
    /// A turn ended with its answer.
    Done {
        /// The turn.
        #[serde(with = "shown")]
        key: TurnKey,
        /// Its one answer.
        answer: Labeled,
        /// When.
        at: WallMs,
    },
    /// A turn ended in trouble; the person is told why.
    Failed {
        /// The turn.
        #[serde(with = "shown")]
        key: TurnKey,
        /// Stable code, such as `memory.unreadable`.
        code: String,
        /// What the person is told.
        answer: Labeled,
        /// When.
        at: WallMs,
    },
    /// A turn was set aside until the owner decides.
    Parked {
        /// The turn.
        #[serde(with = "shown")]
        key: TurnKey,
        /// Why, without user text.
        why: String,
        /// When.
        at: WallMs,
    },
    /// The owner decided about a parked turn.
    Unparked {
        /// The turn.
        #[serde(with = "shown")]
        key: TurnKey,
        /// What.
        how: Unpark,
        /// When.
        at: WallMs,
    },
    /// An effect is about to happen; synced before it does.
    Intent {
        /// The turn.
        #[serde(with = "shown")]
        key: TurnKey,
        /// Which try.
        attempt: u8,
        /// Step of the turn.
        step: u8,
        /// Name of the action.
        action: String,
        /// What the outside does with a repetition.
        nature: Nature,
    },
    /// An effect happened.
    Commit {
        /// The turn.
        #[serde(with = "shown")]
        key: TurnKey,
        /// Step of the turn.
        step: u8,
        /// What the outside gave back, without user text.
        receipt: String,
    },
    /// An effect may or may not have happened; the owner is asked.
    Uncertain {
        /// The turn.
        #[serde(with = "shown")]
        key: TurnKey,
        /// Step of the turn.
        step: u8,
        /// Name of the action.
        action: String,
        /// The conversation, because the question may outlive the turn.
        conversation: Name,
        /// When.
        at: WallMs,
    },
    /// The owner has looked.
    Resolved {
        /// The turn.
        #[serde(with = "shown")]
        key: TurnKey,
        /// Step of the turn.
        step: u8,
        /// Whether it happened.
        happened: bool,
        /// When.
        at: WallMs,
    },
    /// What became of an answer or a notice.
    Delivered {
        /// The turn or the notice.
        #[serde(with = "shown")]
        key: TurnKey,
        /// What.
        how: outcome::Delivered,
    },
    /// The position of a source, also backwards when it starts anew.
    Offset {
        /// The gateway.
        source: Name,
        /// The position.
        value: u64,
    },
    /// Memory can be put back to this root if the turn fails.
    SnapTaken {
        /// The turn.
        #[serde(with = "shown")]
        key: TurnKey,
        /// Which try.
        attempt: u8,
        /// Root of the snapshot.
        root: String,
    },
    /// What a turn wrote is about to be taken back.
    RollbackBegin {
        /// The turn.
        #[serde(with = "shown")]
        key: TurnKey,
        /// Which try.
        attempt: u8,
        /// Root to go back to, because the turn may have ended when a restart has to finish this.
        root: String,
        /// Why.
        why: String,
        /// How the turn ends afterwards; without it the turn is tried again. A restart must not try again what a person
        /// has stopped.
        #[serde(default)]
        ending: Option<Ending>,
    },
    /// What a turn wrote was taken back.
    RollbackDone {
        /// The turn.
        #[serde(with = "shown")]
        key: TurnKey,
        /// Which try.
        attempt: u8,
        /// Files that a person had edited since and that were left alone.
        conflicts: Vec<String>,
    },
    /// What the operator wants of an actor.
    Desired {
        /// Which.
        #[serde(with = "shown")]
        role: Role,
        /// Up or down.
        up: bool,
    },
    /// A message to the owner that waits for its delivery.
    Notice {
        /// Its id, in the same space as the turns.
        #[serde(with = "shown")]
        id: TurnKey,
        /// What the owner is told.
        text: String,
        /// When.
        at: WallMs,
    },
    /// A verb of the operator was done; the same id again gets the same reply.
    Verb {
        /// Random id that the client chose.
        id: String,
        /// The reply.
        reply: String,
    },
    /// Head of each segment. The records from here to [`Record::CheckpointEnd`] say nothing new: they are the shortest
    /// history that leads to the state at the end of the segment before.
    Checkpoint {
        /// Newest wall time of any record before.
        latest: WallMs,
        /// Records before that made no sense where they stood.
        anomalies: u64,
        /// Answers and notices before that were given up because too many waited.
        given_up: u64,
    },
    /// End of the checkpoint; one without it, or with another count, is incomplete.
    CheckpointEnd {
        /// Records between the two.
        records: u64,
    },
}

impl Record {
    /// Each type as it stands in the file; what is not here was written by a newer build.
    pub(super) const KINDS: [&str; 21] = [
        "accepted",
        "started",
        "charged",
        "done",
        "failed",
        "parked",
        "unparked",
        "intent",
        "commit",
        "uncertain",
        "resolved",
        "delivered",
        "offset",
        "snap-taken",
        "rollback-begin",
        "rollback-done",
        "desired",
        "notice",
        "verb",
        "checkpoint",
        "checkpoint-end",
    ];

    /// Returns the type as it stands in the file.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Accepted { .. } => "accepted",
            Self::Started { .. } => "started",
            Self::Charged { .. } => "charged",
            Self::Done { .. } => "done",
            Self::Failed { .. } => "failed",
            Self::Parked { .. } => "parked",
            Self::Unparked { .. } => "unparked",
            Self::Intent { .. } => "intent",
            Self::Commit { .. } => "commit",
            Self::Uncertain { .. } => "uncertain",
            Self::Resolved { .. } => "resolved",
            Self::Delivered { .. } => "delivered",
            Self::Offset { .. } => "offset",
            Self::SnapTaken { .. } => "snap-taken",
            Self::RollbackBegin { .. } => "rollback-begin",
            Self::RollbackDone { .. } => "rollback-done",
            Self::Desired { .. } => "desired",
            Self::Notice { .. } => "notice",
            Self::Verb { .. } => "verb",
            Self::Checkpoint { .. } => "checkpoint",
            Self::CheckpointEnd { .. } => "checkpoint-end",
        }
    }

    /// Returns the record as it stands in the file, for people: it holds what was said.
    #[must_use]
    pub fn line(&self) -> String {
        let mut line = Vec::new();
        match tagged::encode(self, &mut line) {
            Ok(()) => String::from_utf8(line).unwrap_or_default(),
            // Only maps with odd keys cannot be JSON, and a record has none.
            Err(_) => String::new(),
        }
    }

    /// Returns the turn or notice that the record is about, if it is about one.
    #[must_use]
    pub const fn key(&self) -> Option<TurnKey> {
        match self {
            Self::Accepted { key, .. }
            | Self::Started { key, .. }
            | Self::Charged { key, .. }
            | Self::Done { key, .. }
            | Self::Failed { key, .. }
            | Self::Parked { key, .. }
            | Self::Unparked { key, .. }
            | Self::Intent { key, .. }
            | Self::Commit { key, .. }
            | Self::Uncertain { key, .. }
            | Self::Resolved { key, .. }
            | Self::Delivered { key, .. }
            | Self::SnapTaken { key, .. }
            | Self::RollbackBegin { key, .. }
            | Self::RollbackDone { key, .. }
            | Self::Notice { id: key, .. } => Some(*key),
            Self::Offset { .. }
            | Self::Desired { .. }
            | Self::Verb { .. }
            | Self::Checkpoint { .. }
            | Self::CheckpointEnd { .. } => None,
        }
    }

    /// Returns when it happened, if the record says so.
    #[must_use]
    pub const fn at(&self) -> Option<WallMs> {
        match self {
            Self::Accepted { at, .. }
            | Self::Done { at, .. }
            | Self::Failed { at, .. }
            | Self::Parked { at, .. }
            | Self::Unparked { at, .. }
            | Self::Uncertain { at, .. }
            | Self::Resolved { at, .. }
            | Self::Notice { at, .. }
            | Self::Checkpoint { latest: at, .. } => Some(*at),
            Self::Started { .. }
            | Self::Charged { .. }
            | Self::Intent { .. }
            | Self::Commit { .. }
            | Self::Delivered { .. }
            | Self::Offset { .. }
            | Self::SnapTaken { .. }
            | Self::RollbackBegin { .. }
            | Self::RollbackDone { .. }
            | Self::Desired { .. }
            | Self::Verb { .. }
            | Self::CheckpointEnd { .. } => None,
        }
    }
}

/// Writes a value as people see and type it: keys in hex, roles by name.
mod shown {
    use serde::{Deserializer, Serializer, de};
    use std::{
        fmt::{self, Display},
        marker::PhantomData,
        str::FromStr,
    };

    pub(super) fn serialize<T: Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub(super) fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        from.deserialize_str(Shown(PhantomData))
    }

    struct Shown<T>(PhantomData<T>);

    impl<T: FromStr<Err: Display>> de::Visitor<'_> for Shown<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a key in hex or the name of a role")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(E::custom)
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::journal::tagged::decode;

    pub(crate) fn key(number: u64) -> TurnKey {
        let mut bytes = [7; 16];
        bytes[..8].copy_from_slice(&number.to_be_bytes());
        TurnKey::from_bytes(bytes)
    }

    pub(crate) fn name(text: &str) -> Name {
        Name::new(text).unwrap()
    }

    pub(crate) fn accepted(number: u64, conversation: &str) -> Record {
        Record::Accepted {
            key: key(number),
            source: name("gateway:local"),
            conversation: name(conversation),
            message: name(&format!("m{number}")),
            principal: Principal::Owner,
            class: Class::Normal,
            text: Labeled::from_owner(format!("buy milk {number}")),
            at: WallMs(1_000),
            offset: Some(number),
        }
    }

    pub(crate) fn done(number: u64) -> Record {
        Record::Done {
            key: key(number),
            answer: Labeled::from_owner(format!("bought {number}")),
            at: WallMs(2_000),
        }
    }

    #[test]
    fn accepted_reads_as_a_person_expects() {
        let text = accepted(1, "chat").line();
        assert_eq!(
            text,
            r#"{"t":"accepted","key":"00000000000000010707070707070707","source":"gateway:local","conversation":"chat","message":"m1","principal":"Owner","class":"Normal","text":{"text":"buy milk 1","label":{"confidentiality":"Normal","integrity":"Owner"}},"at":1000,"offset":1}"#
        );
        assert_eq!(decode(text.as_bytes()).unwrap(), accepted(1, "chat"));
    }

    #[test]
    fn unknown_field_is_ignored() {
        let text = r#"{"t":"desired","role":"act","up":false,"because":"new in 9.0"}"#;
        let record = decode(text.as_bytes()).unwrap();
        assert_eq!(record, Record::Desired { role: Role::Act, up: false });
    }

    #[test]
    fn debug_of_a_record_shows_no_user_text() {
        let shown = format!("{:?} {:?}", accepted(1, "chat"), done(1));
        assert!(!shown.contains("milk") && !shown.contains("bought"), "{shown}");
    }
}
