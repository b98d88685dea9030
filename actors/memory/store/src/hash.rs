//! Hashes of objects. The kind is hashed with the bytes, so that no object can pass as one of another kind.

use sha2::{Digest as _, Sha256};
use std::fmt;

/// Separates our hashes from all others; the digit is the version of every encoding in the store.
const DOMAIN: &[u8; 3] = b"pp1";

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    /// Bytes of a file: the own text of an entry or the text before the first headline.
    Content = 1,
    /// A headline with what stands below it.
    Entry = 2,
    /// A file.
    File = 3,
    /// A node of a list or map.
    Node = 4,
    /// All roots of one committed state.
    State = 5,
}

impl Kind {
    pub(crate) const fn of(byte: u8) -> Option<Self> {
        match byte {
            1 => Some(Self::Content),
            2 => Some(Self::Entry),
            3 => Some(Self::File),
            4 => Some(Self::Node),
            5 => Some(Self::State),
            _ => None,
        }
    }
}

/// The SHA-256 of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hash([u8; 32]);

impl Hash {
    pub(crate) fn of(kind: Kind, payload: &[u8]) -> Self {
        let mut hash = Sha256::new();
        hash.update(DOMAIN);
        hash.update([kind as u8]);
        hash.update(payload);
        Self(hash.finalize().into())
    }

    /// Returns the raw bytes.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 32] {
        self.0
    }

    pub(crate) const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub(crate) fn from_slice(bytes: &[u8]) -> Option<Self> {
        Some(Self(bytes.try_into().ok()?))
    }

    /// The first half, by which the index finds it. The whole hash is checked when the object is read.
    pub(crate) fn fingerprint(self) -> u128 {
        let (first, _) = self.0.split_at(16);
        first.iter().fold(0, |sum, byte| (sum << 8) | u128::from(*byte))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

/// Who an entry is, across edits and moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Identity([u8; 16]);

impl Identity {
    /// Makes an identity of a word that says where it comes from and of what makes it unique.
    pub(crate) fn of(origin: &str, unique: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        hash.update(DOMAIN);
        hash.update([0]);
        hash.update(origin);
        for part in unique {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let digest: [u8; 32] = hash.finalize().into();
        let mut id = [0; 16];
        for (to, from) in id.iter_mut().zip(digest) {
            *to = from;
        }
        Self(id)
    }

    /// Returns the raw bytes.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0
    }

    /// Takes back what [`Identity::to_bytes`] gave.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    pub(crate) const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}
