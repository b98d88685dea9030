//! Confidentiality and integrity of a span of text, and the types that keep text out of logs.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Who may see a text. Ordered: the maximum of two labels is the label of what is derived from both.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, Default)]
pub enum Confidentiality {
    /// Anyone.
    Public,
    /// The owner and providers that the owner allows.
    #[default]
    Normal,
    /// The owner only: no remote model.
    Personal,
    /// Nobody but the process that needs it.
    Secret,
}

/// Whose word a text is. Ordered: the maximum of two labels is the label of what is derived from both.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, Default)]
pub enum Integrity {
    /// Said by the owner on an authenticated channel.
    Owner,
    /// Written in the owner's memex.
    Memex,
    /// From outside: never an order.
    #[default]
    Untrusted,
}

/// The label of a span.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, Default)]
pub struct Label {
    /// Who may see it.
    pub confidentiality: Confidentiality,
    /// Whose word it is.
    pub integrity: Integrity,
}

impl Label {
    /// Returns the label of what is derived from both.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self {
            confidentiality: self.confidentiality.max(other.confidentiality),
            integrity: self.integrity.max(other.integrity),
        }
    }
}

/// A text with its label. `Debug` shows kind and length only, so that user text cannot reach a log by accident.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labeled {
    /// The text itself.
    pub text: String,
    /// Its label.
    pub label: Label,
}

impl Labeled {
    /// Labels a text that the owner said on an authenticated channel.
    #[must_use]
    pub fn from_owner(text: impl Into<String>) -> Self {
        let label = Label { confidentiality: Confidentiality::Normal, integrity: Integrity::Owner };
        Self { text: text.into(), label }
    }
}

impl fmt::Debug for Labeled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Labeled({:?}, {} bytes)", self.label.confidentiality, self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_of_labeled_text_shows_no_text() {
        let shown = format!("{:?}", Labeled::from_owner("meet Anna at noon"));
        assert_eq!(shown, "Labeled(Normal, 17 bytes)");
    }

    #[test]
    fn derived_text_inherits_the_stricter_label() {
        let secret = Label { confidentiality: Confidentiality::Secret, integrity: Integrity::Owner };
        let joined = secret.join(Label::default());
        assert_eq!(joined.confidentiality, Confidentiality::Secret);
        assert_eq!(joined.integrity, Integrity::Untrusted);
    }
}
