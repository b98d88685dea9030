//! What can go wrong here: only bytes that come back from disk.

/// Why stored bytes are no index.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Written by another version: build the index anew.
    #[error("stored index has format {found}, this is format {known}")]
    Version {
        /// Format of the bytes.
        found: u32,
        /// Format of this build.
        known: u32,
    },
    /// The bytes are not those that were written: build the index anew.
    #[error("stored index is damaged: {what}")]
    Damaged {
        /// The part that does not fit.
        what: &'static str,
    },
}
