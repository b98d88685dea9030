//! What can go wrong in `reason`: so far only a language file that does not hold together. It must never carry text
//! of the owner.

/// An error of `reason`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The language file is no TOML, lacks a part or has an unknown one.
    #[error("the language file cannot be read")]
    Language(#[source] toml::de::Error),
    /// A pattern of the language file is malformed.
    #[error("pattern {pattern:?}: {why}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A part of the language file does not fit the program.
    #[error("the language file has no {0}")]
    Lacking(String),
}
