//! The hash of a file's bytes. It decides whether a file is what we think it is; nothing else may.
//!
//! A file of more than one piece is hashed as the list of its pieces' hashes, so that a write at the end of a long file
//! costs one piece and not the whole.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// A SHA-256 digest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Hash([u8; 32]);

/// Bytes of a piece. A longer one makes small writes dearer, a shorter one the list.
const PIECE: usize = 16 * 1024;

/// The hashes of a file's pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sums(Vec<[u8; 32]>);

impl Sums {
    /// Hashes bytes. Pieces that begin a similar file, given with its sums, are not hashed again.
    pub(crate) fn of(bytes: &[u8], like: Option<(&[u8], &Self)>) -> Self {
        let mut sums = Vec::with_capacity(bytes.len() / PIECE + 1);
        let mut pieces = bytes.chunks(PIECE);
        if let Some((old, known)) = like {
            let same = old.chunks(PIECE).zip(bytes.chunks(PIECE)).take_while(|(old, new)| old == new).count();
            sums.extend(known.0.iter().take(same));
            pieces = bytes.get(sums.len() * PIECE..).unwrap_or_default().chunks(PIECE);
        }
        sums.extend(pieces.map(|piece| <[u8; 32]>::from(Sha256::digest(piece))));
        Self(sums)
    }

    /// Returns the hash of the whole.
    pub(crate) fn hash(&self) -> Hash {
        match self.0.as_slice() {
            [] => Hash(Sha256::digest(b"").into()),
            [one] => Hash(*one),
            many => {
                let mut hash = Sha256::new();
                // No text begins like this, so that a list is never taken for a text.
                hash.update(b"\0pieces\0");
                many.iter().for_each(|piece| hash.update(piece));
                Hash(hash.finalize().into())
            }
        }
    }
}

/// A digest that is not 64 hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("64 hex digits expected")]
pub struct NotAHash;

impl Hash {
    /// Hashes bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Sums::of(bytes, None).hash()
    }

    /// Returns the raw bytes.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 32] {
        self.0
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&to_hex(&self.0))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

impl From<Hash> for String {
    fn from(hash: Hash) -> Self {
        to_hex(&hash.0)
    }
}

impl TryFrom<String> for Hash {
    type Error = NotAHash;

    fn try_from(text: String) -> Result<Self, NotAHash> {
        let bytes = from_hex(&text).ok_or(NotAHash)?;
        Ok(Self(bytes.try_into().or(Err(NotAHash))?))
    }
}

pub(crate) fn to_hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

pub(crate) fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| match pair {
            [high, low] => u8::try_from(digit(high)? * 16 + digit(low)?).ok(),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_reads_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(from_hex(&to_hex(&bytes)).unwrap(), bytes);
        assert_eq!(from_hex("abc"), None);
        assert_eq!(from_hex("zz"), None);
    }

    #[test]
    fn hash_survives_json() {
        let hash = Hash::of(b"abc");
        let json = serde_json::to_string(&hash).unwrap();
        assert!(json.starts_with("\"ba7816bf"));
        assert_eq!(serde_json::from_str::<Hash>(&json).unwrap(), hash);
    }

    #[test]
    fn hash_of_a_similar_file_is_the_hash_of_the_file() {
        let old: Vec<u8> = (0..100_000_u32).map(|n| (n % 251) as u8).collect();
        let known = Sums::of(&old, None);
        let mut changed = old.clone();
        changed[40_000] ^= 1;
        for new in [&old[..], &old[..70_000], &[&old[..], b"more"].concat(), &changed[..], b"", &old[..PIECE]]
        {
            assert_eq!(Sums::of(new, Some((&old, &known))).hash(), Hash::of(new));
        }
        assert_ne!(Hash::of(&changed), Hash::of(&old));
    }
}
