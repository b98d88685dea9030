//! What can go wrong with an edit. It must never carry text of the file, because errors are logged.

/// Why an edit was not made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A splice reaches beyond the file or overlaps its neighbour.
    #[error("splice at byte {at} does not fit the file")]
    Splice {
        /// Where it begins.
        at: usize,
    },
    /// The file would not read back as intended.
    #[error("the edit would change more than was asked: {what}")]
    Verify {
        /// Which rule it breaks.
        what: &'static str,
    },
    /// The file has no keyword for what was asked.
    #[error("the file defines no {what} keyword")]
    NoKeyword {
        /// `open` or `done`.
        what: &'static str,
    },
    /// The node does not exist or is not an open task.
    #[error("not an open task")]
    NotOpen,
    /// A repeater cannot be carried out.
    #[error("the repeater cannot be advanced: {what}")]
    Repeater {
        /// Why.
        what: &'static str,
    },
    /// The headline that was named does not exist.
    #[error("no such entry")]
    NoEntry,
    /// An argument cannot be written at its place.
    #[error("not a valid {what}")]
    Argument {
        /// Which one.
        what: &'static str,
    },
    /// There is nothing to change.
    #[error("there is no {what} to change")]
    Missing {
        /// What was looked for.
        what: &'static str,
    },
    /// An entry cannot go below itself.
    #[error("an entry cannot be moved into itself")]
    IntoItself,
}
