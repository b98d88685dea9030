//! What can go wrong between a command line and its result. What to do about it is said by [`crate::Failure`].

use std::{io, path::PathBuf};

/// Why a command could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nobody answers on the socket.
    #[error("passepartout does not run for the memex {memex}")]
    NotRunning {
        /// Which memex.
        memex: PathBuf,
        /// What the last daemon said when it could not start.
        last_words: Option<String>,
    },
    /// It was started and does not answer.
    #[error("passepartout was started and does not answer")]
    NotUp {
        /// What it said when it could not start.
        last_words: Option<String>,
    },
    /// It was started and ended at once.
    #[error("passepartout was started and ended with code {code}")]
    Ended {
        /// Its exit code.
        code: i32,
        /// What it said.
        last_words: Option<String>,
    },
    /// The daemon said no.
    #[error("{0}")]
    Refused(String),
    /// The daemon said something else than was asked.
    #[error("the daemon gave an answer that this version does not know")]
    Stranger(#[source] link::Error),
    /// Nothing came in time.
    #[error("{0}")]
    Late(String),
    /// The connection failed.
    #[error("connection to the daemon")]
    Link(#[from] link::Error),
    /// The words do not make a command.
    #[error("{0}")]
    Usage(String),
    /// The configuration is at fault.
    #[error("{}", .0.join("\n"))]
    Config(Vec<String>),
    /// The places cannot be used.
    #[error(transparent)]
    Places(#[from] supervisor::paths::Error),
    /// The tree cannot be started.
    #[error(transparent)]
    Tree(#[from] supervisor::tree::Error),
    /// The journal cannot be read or repaired.
    #[error("journal")]
    Journal(#[from] supervisor::journal::Error),
    /// A file or the system refused something.
    #[error("{what}")]
    System {
        /// What was tried.
        what: String,
        /// Why it failed.
        #[source]
        source: io::Error,
    },
    /// Whoever reads the output has gone.
    #[error("output")]
    Output(#[source] io::Error),
}

impl Error {
    /// Returns what the daemon said when it could not start.
    #[must_use]
    pub fn last_words(&self) -> Option<&str> {
        match self {
            Self::NotRunning { last_words, .. }
            | Self::NotUp { last_words }
            | Self::Ended { last_words, .. } => last_words.as_deref(),
            Self::Refused(_)
            | Self::Stranger(_)
            | Self::Late(_)
            | Self::Link(_)
            | Self::Usage(_)
            | Self::Config(_)
            | Self::Places(_)
            | Self::Tree(_)
            | Self::Journal(_)
            | Self::System { .. }
            | Self::Output(_) => None,
        }
    }
}
