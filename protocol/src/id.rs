//! Identifiers as newtypes: checked once, at the border.

use crate::{Error, limits};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// Names a turn for ever: the hash of where its stimulus came from. The same message gets the same key however
/// often it is delivered, which is what makes redelivery harmless.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default)]
pub struct TurnKey([u8; 16]);

impl TurnKey {
    /// Derives the key from source, conversation and message id (supervision spec E4). The parts are
    /// length-prefixed, so that no two different triples run together.
    #[must_use]
    pub fn derive(source: &Name, conversation: &Name, message: &Name) -> Self {
        let mut hash = Sha256::new();
        for part in [source, conversation, message] {
            hash.update((part.as_str().len() as u64).to_le_bytes());
            hash.update(part.as_str().as_bytes());
        }
        let digest: [u8; 32] = hash.finalize().into();
        let mut key = [0; 16];
        key.copy_from_slice(digest.split_at(16).0);
        Self(key)
    }

    /// Returns the key that stands for "no turn" in a header.
    #[must_use]
    pub const fn none() -> Self {
        Self([0; 16])
    }

    /// Says whether this is [`TurnKey::none`].
    #[must_use]
    pub fn is_none(self) -> bool {
        self.0 == [0; 16]
    }

    /// Wraps raw bytes, as read from a header.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Returns the raw bytes, as written into a header.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0
    }

    /// Returns the first eight hex digits: what people see and type.
    #[must_use]
    pub fn short(self) -> String {
        let [a, b, c, d, ..] = self.0;
        format!("{a:02x}{b:02x}{c:02x}{d:02x}")
    }
}

impl fmt::Display for TurnKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0 {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for TurnKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TurnKey({self})")
    }
}

impl std::str::FromStr for TurnKey {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let malformed = |why| Error::Malformed { what: "turn key", why };
        if text.len() != 32 || !text.is_ascii() {
            return Err(malformed("32 hex digits expected"));
        }
        let mut key = [0; 16];
        for (slot, pair) in key.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).unwrap_or("--");
            *slot = u8::from_str_radix(pair, 16).or(Err(malformed("not a hex digit")))?;
        }
        Ok(Self(key))
    }
}

/// A short printable name from outside: a conversation, a principal, a source, a message id.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Debug)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

impl Name {
    /// Checks and wraps a name.
    ///
    /// # Errors
    /// [`Error::Malformed`] when it is empty, longer than [`limits::NAME_MAX`] bytes or holds a control character.
    pub fn new(text: impl Into<String>) -> Result<Self, Error> {
        let text = text.into();
        let malformed = |why| Error::Malformed { what: "name", why };
        if text.is_empty() {
            return Err(malformed("empty"));
        }
        if text.len() > limits::NAME_MAX {
            return Err(malformed("longer than 200 bytes"));
        }
        if text.chars().any(char::is_control) {
            return Err(malformed("holds a control character"));
        }
        Ok(Self(text))
    }

    /// Returns the name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Name {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        Self::new(text)
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Milliseconds since the Unix epoch: a label for people and files, never used for intervals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, Default)]
pub struct WallMs(pub i64);

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name::new(text).unwrap()
    }

    #[test]
    fn keys_of_different_triples_with_equal_concatenation_differ() {
        let one = TurnKey::derive(&name("ab"), &name("c"), &name("d"));
        let two = TurnKey::derive(&name("a"), &name("bc"), &name("d"));
        assert_ne!(one, two);
    }

    #[test]
    fn key_reads_back_what_it_prints() {
        let key = TurnKey::derive(&name("local"), &name("c"), &name("1"));
        assert_eq!(key.to_string().parse::<TurnKey>().unwrap(), key);
        assert!("zz".repeat(16).parse::<TurnKey>().is_err());
        assert!("é".repeat(16).parse::<TurnKey>().is_err());
    }

    #[test]
    fn name_with_control_character_or_no_text_is_refused() {
        assert!(Name::new("").is_err());
        assert!(Name::new("a\nb").is_err());
        assert!(Name::new("x".repeat(201)).is_err());
    }
}
