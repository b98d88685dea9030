//! What can be wrong with what a client of the ancestor's kind sends. The words are for the person at the other end.

/// A frame that was not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The six digits are not there.
    #[error("six hex digits of length expected, then a list; what was sent up to here is dropped")]
    Digits,
    /// More is announced, or sent, than is taken.
    #[error("a frame may have at most {max} bytes; put long text into a file in the memex")]
    TooLong {
        /// Most.
        max: usize,
    },
    /// Neither characters nor bytes are as many as announced.
    #[error("{announced} announced, but the list has {chars} characters in {bytes} bytes")]
    Length {
        /// Announced.
        announced: usize,
        /// Characters.
        chars: usize,
        /// Bytes.
        bytes: usize,
    },
    /// As many characters as announced are there and the list still is not closed.
    #[error("the list does not end within the {announced} characters announced; it is dropped")]
    Unclosed {
        /// Announced.
        announced: usize,
    },
    /// Something else than a list.
    #[error("a list expected, such as (:TYPE :HEALTH-CHECK)")]
    NotAList,
    /// The bytes are not text.
    #[error("UTF-8 expected")]
    NotUtf8,
    /// Lists within lists within lists.
    #[error("lists may be nested {max} deep")]
    Depth {
        /// Most.
        max: usize,
    },
    /// The text ends within an expression.
    #[error("the expression does not end")]
    Unfinished,
    /// Something follows the expression.
    #[error("something follows the expression")]
    Trailing,
    /// A character that has no business there.
    #[error("`{0}` is not understood here: lists, strings, symbols and integers are")]
    Unexpected(char),
    /// Keywords and values do not come in pairs.
    #[error("a property list expected: keyword, value, keyword, value")]
    NotAPlist,
    /// The type is missing or unknown.
    #[error(
        "unknown :TYPE; send (:TYPE :EVENT :PAYLOAD (:SENSOR :USER-INPUT :TEXT \"...\")) or (:TYPE :HEALTH-CHECK)"
    )]
    Type,
    /// The type is known, but there is nothing in it for us.
    #[error(
        "nothing to do in this; send :PAYLOAD (:SENSOR :USER-INPUT :TEXT \"...\") or :PAYLOAD (:ACTION :HEALTH-CHECK)"
    )]
    Nothing,
    /// A session or message id cannot be used.
    #[error("{what} must have 1 to 180 bytes without control characters")]
    Name {
        /// Which.
        what: &'static str,
    },
}
