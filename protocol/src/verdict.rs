//! What the gates decided. The fourth noun of the path.

use crate::id::TurnKey;
use serde::{Deserialize, Serialize};

/// Ordered by strictness: verdicts of several gates combine by maximum.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Decision {
    /// Go on.
    Allow,
    /// A person decides.
    Ask,
    /// No.
    Deny,
}

/// A verdict, as `act` reports it for the record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Verdict {
    /// The turn.
    pub turn: TurnKey,
    /// Which step.
    pub step: u8,
    /// Name of the action.
    pub action: String,
    /// What was decided.
    pub decision: Decision,
    /// Stable code of the reason, such as `default.memory-write`.
    pub code: String,
    /// The reason as a sentence.
    pub sentence: String,
}
