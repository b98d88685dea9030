//! Why the journal refused. Each variant is something a caller can act on; none of them carries user text.

use std::io;

/// Why the journal refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system refused something.
    #[error("cannot {what} {file}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// On which file, by name within the journal's directory.
        file: String,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// A record that had been durable cannot be read any more.
    #[error(
        "journal segment {file} is damaged at byte {offset}; stop passepartout and run `passepartout ctl journal repair`"
    )]
    Damaged {
        /// The segment.
        file: String,
        /// Where its first bad record begins.
        offset: u64,
    },
    /// A whole record of a type that this build does not know: a newer build wrote it.
    #[error(
        "journal segment {file} holds a record of unknown type \"{kind}\" at byte {offset}; a newer passepartout wrote it, so run that one"
    )]
    UnknownRecord {
        /// The segment.
        file: String,
        /// Where the record begins.
        offset: u64,
        /// Its type.
        kind: String,
    },
    /// A whole record whose body is not what its type says.
    #[error("journal segment {file} holds a malformed record at byte {offset}")]
    Malformed {
        /// The segment.
        file: String,
        /// Where the record begins.
        offset: u64,
        /// What the decoder said.
        #[source]
        source: serde_json::Error,
    },
    /// A record that cannot be encoded.
    #[error("a record of type \"{kind}\" cannot be encoded")]
    Encode {
        /// Its type.
        kind: &'static str,
        /// What the encoder said.
        #[source]
        source: serde_json::Error,
    },
    /// A record that is longer than a reader would accept. Nothing was written.
    #[error("a record of type \"{kind}\" has {bytes} bytes, at most {max} are allowed")]
    TooLarge {
        /// Its type.
        kind: &'static str,
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        max: usize,
    },
    /// An earlier write or sync failed; `reopen` first.
    #[error("the journal takes no records since a write failed; it must be reopened first")]
    Failed,
}

impl Error {
    /// Returns a closure that gives a system error its context, for `map_err`.
    pub(super) fn io(what: &'static str, file: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let file = file.into();
        move |source| Self::Io { what, file, source }
    }

    /// Says whether freeing disk space is the remedy.
    #[must_use]
    pub fn is_disk_full(&self) -> bool {
        match self {
            Self::Io { source, .. } => matches!(
                source.kind(),
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
            ),
            Self::Damaged { .. }
            | Self::UnknownRecord { .. }
            | Self::Malformed { .. }
            | Self::Encode { .. }
            | Self::TooLarge { .. }
            | Self::Failed => false,
        }
    }

    /// Returns the next command for the operator; empty when there is none.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Damaged { .. } => "passepartout ctl journal repair",
            Self::Io { .. }
            | Self::UnknownRecord { .. }
            | Self::Malformed { .. }
            | Self::Encode { .. }
            | Self::TooLarge { .. }
            | Self::Failed => "",
        }
    }
}
