//! What can go wrong in the store. It must never hide damage: whoever sees it can say what was hit.

use crate::hash::Hash;
use std::{io, path::PathBuf};

/// A failure of the store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The disk refused.
    #[error("{} cannot be used", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Another process has the store.
    #[error("another process uses the store")]
    Locked,
    /// An object is not what its hash says.
    #[error("object {0} is damaged")]
    Damaged(Hash),
    /// An object is not there.
    #[error("object {0} is missing")]
    Missing(Hash),
    /// An object has its hash and cannot be read: another version wrote it.
    #[error("an object cannot be read: {0}")]
    Malformed(&'static str),
    /// The last committed state cannot be read; the store has to be rebuilt from the memex, which loses history only.
    #[error("the store has to be rebuilt from the memex: its history is lost")]
    Rebuild(#[source] Box<Self>),
    /// The scan that was handed over is one of other bytes.
    #[error("the scan does not belong to these bytes")]
    ForeignScan,
    /// The file is larger than the store takes.
    #[error("a file of {0} bytes is too large for the store")]
    TooLarge(usize),
    /// A write ended in an unknown state; only opening the store again tells what is on the disk.
    #[error("a write to the store failed; it has to be opened again")]
    Poisoned,
    /// There is no such snapshot.
    #[error("there is no snapshot {0}")]
    NoSnapshot(u64),
}

pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Puts the path to a failure of the disk.
pub(crate) fn at(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Error {
    let path = path.into();
    move |source| Error::Io { path, source }
}
