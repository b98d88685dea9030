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
    /// The operator looks; nothing is written.
    Look(Look),
    /// The operator gives a snapshot a name, which keeps it for ever.
    Keep {
        /// Which one, as the operator said it.
        snapshot: String,
        /// The name.
        name: String,
    },
    /// The operator puts back what a snapshot holds, as a new turn that can itself be taken back.
    Restore {
        /// Which one, as the operator said it.
        snapshot: String,
        /// What of it.
        scope: Scope,
        /// Key of the new turn.
        by: TurnKey,
        /// When.
        at: WallMs,
    },
}

/// What an operator may look at.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Look {
    /// The latest snapshots, newest first. Each line begins with the number and the time in ms.
    Snapshots {
        /// At most this many.
        limit: u16,
    },
    /// What differs between two snapshots.
    Diff {
        /// The older one, as the operator said it.
        from: String,
        /// The newer one; empty for the memex as it is now.
        to: String,
    },
    /// Every version of one entry that is still known.
    History {
        /// The entry, as a person says it.
        entry: String,
    },
    /// Whether every object of the store is what its hash says.
    Verify,
    /// Counts, orphans, broken links, largest files.
    Report,
}

/// What to put back.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Every file.
    Everything,
    /// One file, by its name below the memex.
    File(String),
    /// One entry, as a person says it.
    Entry(String),
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
    /// To a look.
    Lines(Vec<String>),
    /// To keeping or restoring: done; a line for the operator.
    Done(String),
    /// It could not be done; a sentence that says what to do.
    Refused(String),
}
