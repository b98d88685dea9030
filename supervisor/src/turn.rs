//! One turn as the hub carries it: an accepted stimulus and all that follows from it.

use protocol::{
    id::{Name, TurnKey, WallMs},
    label::Labeled,
    role::Role,
    stimulus::{Class, Principal},
};

/// Where a turn is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// Accepted, but not durable yet.
    Admitting,
    /// In the queue of its conversation.
    Waiting,
    /// With an actor.
    At(Role),
    /// What it wrote is being taken back; then this happens.
    RollingBack(After),
    /// It failed for now and is tried again later.
    Resting {
        /// When.
        until: u64,
    },
}

/// What follows a rollback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum After {
    /// Try again after this many ms.
    Retry {
        /// The delay.
        delay_ms: u64,
    },
    /// End with this answer.
    Fail {
        /// Stable code.
        code: String,
        /// What the person is told.
        sentence: String,
    },
    /// Set aside.
    Park {
        /// Why, without user text.
        why: String,
    },
}

/// A turn.
#[derive(Debug, Clone)]
pub struct Turn {
    /// Its name for ever.
    pub key: TurnKey,
    /// Order of acceptance.
    pub number: u64,
    /// The gateway that it came through.
    pub source: Name,
    /// Its conversation.
    pub conversation: Name,
    /// The message's id at the source.
    pub message: Name,
    /// Who stands behind it.
    pub principal: Principal,
    /// How soon.
    pub class: Class,
    /// What was said.
    pub text: Labeled,
    /// When it was accepted.
    pub at: WallMs,
    /// Which try, from 1. Frames of another try are stale.
    pub attempt: u8,
    /// How deep.
    pub depth: u8,
    /// Where it is.
    pub stage: Stage,
    /// Since when it is there.
    pub since: u64,
    /// Whether this try was given leave to write to memory.
    pub wrote: bool,
    /// What its deaths have come to.
    pub charges: u8,
    /// Tries that ended in transient trouble.
    pub retries: u8,
    /// Whether it was in hand when an actor died: such turns go one at a time.
    pub suspect: bool,
}

impl Turn {
    /// Says whether it occupies its conversation.
    #[must_use]
    pub const fn is_running(&self) -> bool {
        matches!(self.stage, Stage::At(_) | Stage::RollingBack(_))
    }
}
