//! What was really done. The fifth noun of the path. Also the effects that `act` and the gateways announce first.

use crate::{id::TurnKey, label::Labeled};
use serde::{Deserialize, Serialize};

/// How a turn, or a step of it, ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The turn.
    pub turn: TurnKey,
    /// How deep it was.
    pub depth: u8,
    /// What comes of it.
    pub end: End,
}

/// What comes of an outcome.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum End {
    /// The turn is done and this is its one answer.
    Answer(Labeled),
    /// The result goes back into the loop, one deeper.
    Feedback {
        /// The action.
        action: String,
        /// What it gave.
        text: Labeled,
    },
    /// The running turns of the conversation are to be stopped; the answer counts them.
    Interrupt,
    /// The state of the tree is the answer.
    Status,
}

/// Tiers of trouble (FEATURES K2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Tier {
    /// May be gone next time: try again.
    Transient,
    /// The turn cannot go on: take back what it wrote, tell the person.
    Critical,
    /// Trouble while dealing with trouble, or too deep: end it, tell the person, show the operator.
    Recursive,
}

/// A turn that cannot go on, as an actor reports it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Trouble {
    /// How bad.
    pub tier: Tier,
    /// Stable code, such as `memory.unreadable`.
    pub code: String,
    /// Sentence for the person that says what to do.
    pub sentence: String,
}

/// An effect that is about to happen; synced before it does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Intent {
    /// The turn.
    pub turn: TurnKey,
    /// Step of the turn.
    pub step: u8,
    /// Name of the action.
    pub action: String,
    /// What the outside does with a repetition.
    pub nature: Nature,
}

/// What the outside does with a repetition of an effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Nature {
    /// A write to memory: undone by rollback, so it may simply be done again.
    Reversible,
    /// Cannot be asked about and cannot be repeated: an intent without a commit is uncertain.
    Ambiguous,
}

/// What the supervisor answers to an [`Intent`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Leave {
    /// Durable: go ahead.
    Go,
    /// This step was committed by an earlier try: do not do it again.
    Committed,
    /// An earlier try may have done it: do not do it again; the owner is asked.
    Uncertain,
    /// The journal cannot be written: do not do it.
    Refused,
}

/// An effect that happened.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Commit {
    /// The turn.
    pub turn: TurnKey,
    /// Step of the turn.
    pub step: u8,
    /// What the outside gave back, short and without user text.
    pub receipt: String,
}

/// An answer on its way to a person.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Deliver {
    /// The turn that it answers, or the notice.
    pub turn: TurnKey,
    /// The conversation.
    pub conversation: crate::id::Name,
    /// The source's id of the message that it answers; `None` for a notice.
    pub message: Option<crate::id::Name>,
    /// The text.
    pub text: Labeled,
}

/// What became of a delivery.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Delivered {
    /// The person's client confirmed it.
    Confirmed,
    /// Nobody is there; it is kept and offered again when somebody comes.
    Absent,
    /// Written to a client that cannot confirm; it may have been lost on the way.
    Unknown,
}
