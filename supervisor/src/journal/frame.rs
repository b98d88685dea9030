//! How a record lies in a file: u32 LE body length, u32 LE CRC32C over length and body, JSON body. Reads any bytes
//! without panic and without trusting a length; never touches a file.

use super::{Error, Record, tagged};
use serde::Deserialize;

/// Longest body. 64 KiB of text become 384 KiB when JSON escapes every byte, 96 KiB of answer 576 KiB.
pub const RECORD_MAX: usize = 1024 * 1024;

/// Bytes before the body.
pub(super) const HEAD: usize = 8;

/// Appends the record with its length and checksum.
pub(super) fn encode(record: &Record, to: &mut Vec<u8>) -> Result<(), Error> {
    let kind = record.kind();
    let start = to.len();
    to.extend_from_slice(&[0; HEAD]);
    if let Err(source) = tagged::encode(record, to) {
        to.truncate(start);
        return Err(Error::Encode { kind, source });
    }
    let bytes = to.len() - start - HEAD;
    let too_large = Error::TooLarge { kind, bytes, max: RECORD_MAX };
    let length = u32::try_from(bytes).unwrap_or(u32::MAX).to_le_bytes();
    if bytes > RECORD_MAX {
        to.truncate(start);
        return Err(too_large);
    }
    if let Some((head, body)) = to.get_mut(start..).and_then(<[u8]>::split_first_chunk_mut) {
        *head = join(length, checksum(length, body).to_le_bytes());
    }
    Ok(())
}

fn join(length: [u8; 4], sum: [u8; 4]) -> [u8; HEAD] {
    let [a, b, c, d] = length;
    let [e, f, g, h] = sum;
    [a, b, c, d, e, f, g, h]
}

fn checksum(length: [u8; 4], body: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&length), body)
}

/// A whole record as it lies in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame<'a> {
    /// Where its length field begins.
    pub(super) offset: usize,
    /// Its body, checked against its checksum.
    pub(super) body: &'a [u8],
}

impl Frame<'_> {
    /// Returns where the next one begins.
    pub(super) const fn end(&self) -> usize {
        self.offset + HEAD + self.body.len()
    }

    /// Decodes the body; `file` is for the error.
    pub(super) fn record(&self, file: &str) -> Result<Record, Error> {
        let at = || (file.to_owned(), u64::try_from(self.offset).unwrap_or(u64::MAX));
        tagged::decode(self.body).map_err(|source| {
            let (file, offset) = at();
            match kind_of(self.body) {
                Some(kind) if !Record::KINDS.contains(&kind.as_str()) => {
                    Error::UnknownRecord { file, offset, kind }
                }
                Some(_) | None => Error::Malformed { file, offset, source },
            }
        })
    }
}

fn kind_of(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Tag {
        t: String,
    }
    serde_json::from_slice::<Tag>(body).ok().map(|tag| tag.t)
}

/// Reads the frame that begins at `offset`, if a whole and unharmed one does.
fn frame_at(bytes: &[u8], offset: usize) -> Option<Frame<'_>> {
    let (length, rest) = bytes.get(offset..)?.split_first_chunk::<4>()?;
    let (sum, rest) = rest.split_first_chunk::<4>()?;
    let count = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    if count > RECORD_MAX {
        return None;
    }
    let body = rest.get(..count)?;
    // Cheap and first: a body is a JSON object, so resynchronising rarely has to compute a checksum.
    let sound = body.first() == Some(&b'{') && checksum(*length, body) == u32::from_le_bytes(*sum);
    sound.then_some(Frame { offset, body })
}

/// What lies in a segment, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// A whole record.
    Good(Frame<'a>),
    /// Bytes that are no record.
    Bad {
        /// Where they begin.
        offset: usize,
        /// Where they end: at the next whole record or at the end of the segment.
        end: usize,
    },
}

/// Walks over a segment and finds its way back after damage. User text cannot fake a record: the upper bytes of a
/// length are zero, and JSON never holds a zero byte.
#[derive(Debug)]
pub(super) struct Pieces<'a> {
    bytes: &'a [u8],
    offset: usize,
}

/// Returns the pieces of a segment.
pub(super) const fn pieces(bytes: &[u8]) -> Pieces<'_> {
    Pieces { bytes, offset: 0 }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let offset = self.offset;
        if offset >= self.bytes.len() {
            return None;
        }
        if let Some(frame) = frame_at(self.bytes, offset) {
            self.offset = frame.end();
            return Some(Piece::Good(frame));
        }
        let end = (offset + 1..self.bytes.len())
            .find(|&candidate| frame_at(self.bytes, candidate).is_some())
            .unwrap_or(self.bytes.len());
        self.offset = end;
        Some(Piece::Bad { offset, end })
    }
}

/// Returns the good records up to the first bad place, and that place.
pub(super) fn good_prefix(bytes: &[u8]) -> (Vec<Frame<'_>>, Option<usize>) {
    let mut frames = Vec::new();
    let mut offset = 0;
    while offset < bytes.len() {
        let Some(frame) = frame_at(bytes, offset) else {
            return (frames, Some(offset));
        };
        offset = frame.end();
        frames.push(frame);
    }
    (frames, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::record::tests::{accepted, done};
    use proptest::prelude::*;

    fn three() -> Vec<u8> {
        let mut bytes = Vec::new();
        for number in 0..3 {
            encode(&accepted(number, "chat"), &mut bytes).unwrap();
        }
        bytes
    }

    #[test]
    fn layout_is_length_checksum_body() {
        let mut bytes = Vec::new();
        encode(&Record::CheckpointEnd { records: 0 }, &mut bytes).unwrap();
        let body = br#"{"t":"checkpoint-end","records":0}"#;
        let mut covered = 34_u32.to_le_bytes().to_vec();
        covered.extend_from_slice(body);
        assert_eq!(bytes[..4], 34_u32.to_le_bytes());
        assert_eq!(bytes[4..8], crc32c::crc32c(&covered).to_le_bytes());
        assert_eq!(&bytes[8..], body);
    }

    #[test]
    fn record_longer_than_limit_is_refused_and_leaves_nothing_behind() {
        let mut bytes = three();
        let before = bytes.clone();
        let verb = Record::Verb { id: "1".to_owned(), reply: "x".repeat(RECORD_MAX) };
        assert!(matches!(encode(&verb, &mut bytes), Err(Error::TooLarge { kind: "verb", .. })));
        assert_eq!(bytes, before);
    }

    #[test]
    fn length_beyond_limit_or_file_is_bad_and_not_allocated() {
        for length in [u32::MAX, 0x0010_0001, 500, 0] {
            let mut bytes = length.to_le_bytes().to_vec();
            bytes.extend_from_slice(b"\0\0\0\0{}");
            let found: Vec<_> = pieces(&bytes).collect();
            assert_eq!(found, [Piece::Bad { offset: 0, end: 10 }]);
        }
    }

    #[test]
    fn walk_finds_its_way_back_after_a_flipped_byte() {
        let mut bytes = three();
        let first = frame_at(&bytes, 0).unwrap().end();
        let second = frame_at(&bytes, first).unwrap().end();
        bytes[first + 40] ^= 1;
        let found: Vec<_> = pieces(&bytes)
            .map(|piece| match piece {
                Piece::Good(frame) => (true, frame.offset),
                Piece::Bad { offset, .. } => (false, offset),
            })
            .collect();
        assert_eq!(found, [(true, 0), (false, first), (true, second)]);
    }

    #[test]
    fn unknown_type_is_an_error_that_names_it() {
        let body = br#"{"t":"teleported","key":1}"#;
        let error = Frame { offset: 5, body }.record("x").unwrap_err();
        assert!(error.to_string().contains("unknown type \"teleported\""));
        let body = br#"{"t":"done","key":1}"#;
        let error = Frame { offset: 5, body }.record("x").unwrap_err();
        assert!(matches!(error, Error::Malformed { offset: 5, .. }));
    }

    #[test]
    fn each_kind_is_listed_once() {
        assert!(Record::KINDS.contains(&done(1).kind()));
        for kind in Record::KINDS {
            let body = format!(r#"{{"t":"{kind}"}}"#);
            let error = tagged::decode(body.as_bytes()).unwrap_err();
            assert!(!error.to_string().contains("unknown variant"), "{kind}");
        }
    }

    proptest! {
        #[test]
        fn pieces_of_any_bytes_cover_them_without_gap(bytes: Vec<u8>) {
            let mut at = 0;
            for piece in pieces(&bytes) {
                let (from, to) = match piece {
                    Piece::Good(frame) => (frame.offset, frame.end()),
                    Piece::Bad { offset, end } => (offset, end),
                };
                prop_assert_eq!(from, at);
                prop_assert!(to > from);
                at = to;
            }
            prop_assert_eq!(at, bytes.len());
        }
    }
}
