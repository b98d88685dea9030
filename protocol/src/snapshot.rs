//! Words between the supervisor and memory about turns: settle, roll back, list.

use crate::id::{TurnKey, WallMs};
use serde::{Deserialize, Serialize};

/// What the supervisor asks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Request {
    /// The turn failed or must be tried again: take back all that attempts up to this one wrote. Idempotent; a turn
    /// that wrote nothing is rolled back at once.
    Rollback {
        /// The turn.
        turn: TurnKey,
        /// The last attempt that may have written.
        attempt: u8,
    },
    /// The operator takes back the writes of a settled turn, as a new turn that can itself be taken back.
    Revert {
        /// The turn, by the beginning of its key.
        turn: String,
        /// Key of the new turn.
        by: TurnKey,
        /// When.
        at: WallMs,
    },
    /// The latest turns that wrote, newest first.
    List {
        /// At most this many.
        limit: u16,
    },
}

/// What memory answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Reply {
    /// To a rollback: done.
    RolledBack {
        /// Steps that were taken back.
        steps: u8,
        /// Pieces that a person had changed since: theirs stay, ours lie beside, in these files.
        conflicts: Vec<String>,
    },
    /// To a revert: done.
    Reverted {
        /// The turn that was taken back.
        turn: TurnKey,
        /// What it had written.
        what: Vec<String>,
        /// As above.
        conflicts: Vec<String>,
    },
    /// To a list.
    Turns(Vec<TurnLine>),
    /// It could not be done; a sentence that says what to do.
    Refused(String),
}

/// A turn that wrote.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TurnLine {
    /// The turn.
    pub turn: TurnKey,
    /// When it was accepted.
    pub at: WallMs,
    /// What it wrote, one line each.
    pub what: Vec<String>,
    /// Whether it was taken back.
    pub undone: bool,
}
