//! Why memory cannot start. What goes wrong later is an answer, a sentence for the person, not an error.

use std::{io, path::PathBuf};

/// Why memory cannot start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The state folder cannot be made or entered.
    #[error("cannot use the state folder {}", path.display())]
    State {
        /// Which folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The transaction log cannot be read or written.
    #[error("cannot use the transaction log {}", path.display())]
    Log {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}
