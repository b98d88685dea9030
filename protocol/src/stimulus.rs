//! Something happened outside. The first noun of the path.

use crate::{
    id::{Name, TurnKey, WallMs},
    label::Labeled,
};
use serde::{Deserialize, Serialize};

/// How soon a stimulus is dealt with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, Default)]
pub enum Class {
    /// At once, past the order of its conversation: `/stop`.
    Urgent,
    /// In the order of its conversation.
    #[default]
    Normal,
    /// When nothing else waits; never counts as activity.
    Background,
}

/// Who stands behind a stimulus; known from the transport, never from the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Principal {
    /// The owner of the memex, authenticated by the channel.
    Owner,
    /// The program itself: timers, results.
    System,
}

/// What happened.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Event {
    /// A person said something.
    Message(Labeled),
    /// An action of this turn ended and its result goes back into the loop.
    Result {
        /// The action, as [`crate::proposal::Action::name`] gives it.
        action: String,
        /// What it gave.
        text: Labeled,
    },
}

/// A stimulus as the supervisor hands it to `perceive`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stimulus {
    /// The turn that it opens or continues.
    pub turn: TurnKey,
    /// How deep the turn is, 0 for what came from outside.
    pub depth: u8,
    /// The conversation it belongs to.
    pub conversation: Name,
    /// Who stands behind it.
    pub principal: Principal,
    /// When it was accepted.
    pub at: WallMs,
    /// What happened.
    pub event: Event,
}

/// What a gateway hands to the supervisor; durable before [`Admission::Accepted`] comes back.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Admit {
    /// The conversation, unique within the gateway.
    pub conversation: Name,
    /// The message's own id at its source: the same message always carries the same id.
    pub message: Name,
    /// Who said it.
    pub principal: Principal,
    /// What was said.
    pub text: Labeled,
    /// Whether it may wait behind everything else. `/stop` is recognised by the supervisor whatever this says.
    pub background: bool,
    /// The source's own position after this message, if it has one: journalled with the message.
    pub offset: Option<u64>,
}

/// What the supervisor answers to [`Admit`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Admission {
    /// Durable; an answer will come.
    Accepted(TurnKey),
    /// Known already and not answered yet.
    Pending(TurnKey),
    /// Known already and answered; an answer that was never delivered is delivered again.
    Done(TurnKey),
    /// Not taken, and nothing was kept.
    Refused(Refusal),
}

/// Why a message was not taken.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Refusal {
    /// The journal cannot be written (disk full, read only).
    Journal,
    /// Too many turns wait already.
    Busy,
    /// The tree is stopping.
    Draining,
    /// The text is longer than [`crate::limits::TEXT_MAX`].
    TooLong,
}

impl Refusal {
    /// Returns the sentence for the person, with what to do.
    #[must_use]
    pub const fn sentence(&self) -> &'static str {
        match self {
            Self::Journal => {
                "I cannot write my journal (is the disk full?), so I did not take this. Free some space and send it again."
            }
            Self::Busy => "Too many requests wait already. Send this again in a moment.",
            Self::Draining => "I am shutting down and did not take this. Send it again when I am back.",
            Self::TooLong => {
                "This is longer than 64 KiB. Put it into a file in the memex and tell me its name."
            }
        }
    }
}
