//! The one error type of this crate: what a checking constructor refuses.

/// Why a word of the protocol was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A role number or name that this build does not know.
    #[error("unknown role {0}")]
    UnknownRole(String),
    /// A message kind that this build does not know.
    #[error("unknown message kind {0}")]
    UnknownKind(u16),
    /// An identifier that is empty, too long or holds characters that are not allowed.
    #[error("malformed {what}: {why}")]
    Malformed {
        /// Which identifier.
        what: &'static str,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A header of another wire version.
    #[error("wire version {0} is not spoken here")]
    Version(u8),
    /// Fewer bytes than a header has.
    #[error("a header has {expected} bytes, got {got}")]
    ShortHeader {
        /// Bytes a header has.
        expected: usize,
        /// Bytes that were there.
        got: usize,
    },
    /// Reserved header bits that are not zero.
    #[error("reserved header bits are set")]
    Reserved,
}
