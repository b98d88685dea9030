//! One frame: four bytes of length (big endian, so that the first byte of any permitted frame is zero and tells our
//! clients from the ancestor's hex digits), then header, then body.

use crate::{Codec, Error};
use bytes::{Buf as _, Bytes, BytesMut};
use protocol::envelope::{HEADER_LEN, Header};
use serde::{Serialize, de::DeserializeOwned};

/// Bytes of the length prefix.
pub const PREFIX_LEN: usize = 4;

/// A header and its body, still encoded.
#[derive(Clone, PartialEq, Eq)]
pub struct Frame {
    /// The header.
    pub header: Header,
    /// The body in the connection's codec.
    pub body: Bytes,
}

impl Frame {
    /// Puts a frame together.
    ///
    /// # Errors
    /// [`Error::Encode`] as [`Codec::encode`].
    pub fn new<T: Serialize>(header: Header, codec: Codec, body: &T) -> Result<Self, Error> {
        Ok(Self { header, body: Bytes::from(codec.encode(body)?) })
    }

    /// Puts a frame without body together.
    #[must_use]
    pub const fn bare(header: Header) -> Self {
        Self { header, body: Bytes::new() }
    }

    /// Decodes the body.
    ///
    /// # Errors
    /// As [`Codec::decode`].
    pub fn read<T: DeserializeOwned>(&self, codec: Codec) -> Result<T, Error> {
        codec.decode(&self.body)
    }

    /// Returns the bytes on the wire, without the length prefix.
    #[must_use]
    pub fn wire_len(&self) -> usize {
        HEADER_LEN + self.body.len()
    }

    /// Appends the frame to a buffer.
    pub fn write(&self, buffer: &mut BytesMut) {
        let len = u32::try_from(self.wire_len()).unwrap_or(u32::MAX);
        buffer.extend_from_slice(&len.to_be_bytes());
        buffer.extend_from_slice(&self.header.encode());
        buffer.extend_from_slice(&self.body);
    }
}

impl std::fmt::Debug for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Frame({:?}, {} bytes)", self.header, self.body.len())
    }
}

/// What [`split`] found at the beginning of a buffer.
#[derive(Debug)]
pub enum Split {
    /// A whole frame, taken off the buffer.
    Frame(Frame),
    /// A whole frame whose kind this build does not know, taken off the buffer: its header up to the kind is sound.
    Unknown {
        /// The kind.
        kind: u16,
        /// Raw header, to answer to.
        raw: [u8; HEADER_LEN],
    },
    /// Not yet a whole frame.
    Partial,
}

/// Takes one frame off the beginning of a buffer.
///
/// # Errors
/// [`Error::Length`] as soon as four bytes announce a length outside the bounds, before anything is allocated for it;
/// [`Error::Header`] for a malformed header. Either ends the connection: there is no way to find the next frame.
pub fn split(buffer: &mut BytesMut, max: usize) -> Result<Split, Error> {
    let Some(prefix) = buffer.first_chunk::<PREFIX_LEN>() else {
        return Ok(Split::Partial);
    };
    let len = u32::from_be_bytes(*prefix) as usize;
    if len < HEADER_LEN || len > max {
        return Err(Error::Length { len, min: HEADER_LEN, max });
    }
    if buffer.len() < PREFIX_LEN + len {
        return Ok(Split::Partial);
    }
    buffer.advance(PREFIX_LEN);
    let mut frame = buffer.split_to(len).freeze();
    match Header::decode(&frame) {
        Ok(header) => Ok(Split::Frame(Frame { header, body: frame.split_off(HEADER_LEN) })),
        Err(protocol::Error::UnknownKind(kind)) => {
            let raw = frame.first_chunk().copied().unwrap_or([0; HEADER_LEN]);
            Ok(Split::Unknown { kind, raw })
        }
        Err(error) => Err(Error::Header(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use protocol::{role::Role, route::Kind};

    fn frame(body: &[u8]) -> Frame {
        let header = Header::new(Kind::Ping, Role::Supervisor, Role::Act, 4);
        Frame { header, body: Bytes::copy_from_slice(body) }
    }

    #[test]
    fn frame_longer_than_limit_is_refused() {
        let mut buffer = BytesMut::from(&1_000_000_u32.to_be_bytes()[..]);
        assert!(matches!(split(&mut buffer, 1000), Err(Error::Length { len: 1_000_000, .. })));
    }

    #[test]
    fn frame_shorter_than_a_header_is_refused() {
        let mut buffer = BytesMut::from(&47_u32.to_be_bytes()[..]);
        assert!(matches!(split(&mut buffer, 1000), Err(Error::Length { len: 47, .. })));
    }

    #[test]
    fn unknown_kind_is_told_apart_from_damage() {
        let mut buffer = BytesMut::new();
        frame(b"x").write(&mut buffer);
        buffer[PREFIX_LEN + 2] = 0xfe;
        assert!(matches!(split(&mut buffer, 1000), Ok(Split::Unknown { kind: 0xfe, .. })));
        assert!(buffer.is_empty());
    }

    proptest! {
        #[test]
        fn frames_cut_at_any_byte_come_out_whole(bodies in proptest::collection::vec(
            proptest::collection::vec(any::<u8>(), 0..60), 1..6), cuts in proptest::collection::vec(1_usize..40, 1..60)) {
            let mut wire = BytesMut::new();
            for body in &bodies {
                frame(body).write(&mut wire);
            }
            let mut cuts = cuts.into_iter().cycle();
            let mut buffer = BytesMut::new();
            let mut seen = Vec::new();
            while !wire.is_empty() {
                let n = cuts.next().unwrap().min(wire.len());
                buffer.extend_from_slice(&wire.split_to(n));
                while let Split::Frame(frame) = split(&mut buffer, 1000).unwrap() {
                    seen.push(frame.body.to_vec());
                }
            }
            prop_assert_eq!(seen, bodies);
        }

        #[test]
        fn any_bytes_split_or_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut buffer = BytesMut::from(&bytes[..]);
            while let Ok(Split::Frame(_) | Split::Unknown { .. }) = split(&mut buffer, 4096) {}
        }
    }
}
