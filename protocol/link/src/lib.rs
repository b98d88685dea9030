//! How the protocol travels: codec, frames, credit. Knows bytes and sockets, but no meaning.
//!
//! *Trust*: every byte that comes in is hostile until the header is decoded and the body has been consumed whole;
//! lengths are checked before anything is allocated.
#![warn(missing_docs)]

pub mod channel;
pub mod credit;
pub mod error;
pub mod frame;
pub mod wire;

pub use channel::Channel;
pub use error::Error;
pub use frame::Frame;
pub use wire::Codec;
