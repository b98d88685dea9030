//! What can go wrong on a connection.

/// A fault of a connection or of a body.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The socket failed.
    #[error("socket")]
    Io(#[from] std::io::Error),
    /// A frame announces more bytes than the connection allows, or fewer than a header has.
    #[error("frame of {len} bytes is outside {min} to {max}")]
    Length {
        /// Announced.
        len: usize,
        /// Least.
        min: usize,
        /// Most.
        max: usize,
    },
    /// The header is malformed.
    #[error("header")]
    Header(#[source] protocol::Error),
    /// The body does not decode.
    #[error("{codec} body does not decode: {why}")]
    Decode {
        /// Codec in use.
        codec: &'static str,
        /// What the codec says.
        why: String,
    },
    /// The value cannot be encoded.
    #[error("{codec} cannot encode: {why}")]
    Encode {
        /// Codec in use.
        codec: &'static str,
        /// What the codec says.
        why: String,
    },
    /// Bytes are left over behind the body.
    #[error("{left} bytes are left behind the body")]
    Trailing {
        /// How many.
        left: usize,
    },
    /// A codec number that this build does not know.
    #[error("unknown codec {0}")]
    UnknownCodec(u8),
}
