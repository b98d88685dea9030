//! A stimulus made uniform. The second noun of the path.

use crate::{
    id::{Name, TurnKey, WallMs},
    label::Labeled,
    stimulus::Principal,
};
use serde::{Deserialize, Serialize};

/// What `perceive` hands to `reason`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Percept {
    /// The turn.
    pub turn: TurnKey,
    /// How deep the turn is.
    pub depth: u8,
    /// The conversation.
    pub conversation: Name,
    /// Who stands behind it.
    pub principal: Principal,
    /// When it was accepted.
    pub at: WallMs,
    /// What was understood of it.
    pub sense: Sense,
}

/// What a percept is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Sense {
    /// Words of a person: blanks trimmed, Unicode composed, line ends `\n`, control characters gone.
    Utterance(Labeled),
    /// A slash command with its arguments.
    Command {
        /// Name without the slash, lower case, known to [`crate::command`] or not.
        name: String,
        /// Everything behind the name.
        arguments: Labeled,
    },
    /// A result of this turn's own action.
    Result {
        /// The action.
        action: String,
        /// What it gave.
        text: Labeled,
    },
}
