//! The file of done keys that belongs to sealed segments: magic, first segment, last segment, count, newest wall time,
//! sorted keys, CRC32C over all before. Fixed and written by hand, because 100,000 keys are read at each start.
//! Trusts neither count nor order; never touches a file.

use super::done::Batch;
use protocol::id::WallMs;

/// First bytes; the last one counts versions of the format.
const MAGIC: [u8; 8] = *b"ppdone\0\x01";

/// Writes a batch down.
pub(super) fn encode(batch: &Batch) -> Vec<u8> {
    let count = u32::try_from(batch.keys.len()).unwrap_or(u32::MAX);
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&batch.first.to_le_bytes());
    bytes.extend_from_slice(&batch.last.to_le_bytes());
    bytes.extend_from_slice(&count.to_le_bytes());
    bytes.extend_from_slice(&batch.newest.0.to_le_bytes());
    for key in &batch.keys {
        bytes.extend_from_slice(key);
    }
    bytes.extend_from_slice(&crc32c::crc32c(&bytes).to_le_bytes());
    bytes
}

/// Reads a batch back; `None` when anything about it is wrong.
pub(super) fn decode(bytes: &[u8]) -> Option<Batch> {
    let (body, sum) = bytes.split_last_chunk::<4>()?;
    if crc32c::crc32c(body) != u32::from_le_bytes(*sum) {
        return None;
    }
    let (magic, rest) = body.split_first_chunk::<8>()?;
    let (first, rest) = rest.split_first_chunk::<4>()?;
    let (last, rest) = rest.split_first_chunk::<4>()?;
    let (count, rest) = rest.split_first_chunk::<4>()?;
    let (newest, rest) = rest.split_first_chunk::<8>()?;
    let (keys, tail) = rest.as_chunks::<16>();
    let count = usize::try_from(u32::from_le_bytes(*count)).ok()?;
    let sound = *magic == MAGIC && tail.is_empty() && keys.len() == count && keys.is_sorted();
    sound.then(|| Batch {
        first: u32::from_le_bytes(*first),
        last: u32::from_le_bytes(*last),
        newest: WallMs(i64::from_le_bytes(*newest)),
        keys: keys.to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn batch() -> Batch {
        Batch { first: 3, last: 5, newest: WallMs(-7), keys: vec![[1; 16], [2; 16], [9; 16]] }
    }

    #[test]
    fn batch_reads_back_what_was_written() {
        assert_eq!(decode(&encode(&batch())), Some(batch()));
        let empty = Batch::default();
        assert_eq!(decode(&encode(&empty)), Some(empty));
    }

    #[test]
    fn any_flipped_bit_or_missing_byte_is_noticed() {
        let bytes = encode(&batch());
        for index in 0..bytes.len() {
            let mut harmed = bytes.clone();
            harmed[index] ^= 0x10;
            assert_eq!(decode(&harmed), None);
            assert_eq!(decode(&bytes[..index]), None);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_refused_without_panic(bytes: Vec<u8>) {
            prop_assert_eq!(decode(&bytes), None);
        }
    }
}
