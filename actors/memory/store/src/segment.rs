//! The records of a segment file and how they are found again after a crash. Nothing is believed without its checksum,
//! and nothing that lies behind the last commit counts.
//!
//! A segment is a header (magic, seed of the store, CRC) and records: kind, length, CRC32C, half a hash, payload. A
//! commit is a record whose half hash is the seed, which no content can know.

use crate::hash::{Hash, Kind};

/// Begin of every segment; the digit is the version of the format.
const MAGIC: &[u8; 8] = b"ppstore1";
/// Magic, seed, CRC.
pub(crate) const HEADER: usize = 28;
/// Kind, length, CRC, half a hash.
pub(crate) const RECORD: usize = 25;
const COMMIT: u8 = 255;
/// Sequence and state.
const COMMIT_LEN: usize = 40;

/// Random bytes made with the store; they tell its commits from bytes that only look like one.
pub(crate) type Seed = [u8; 16];

/// A committed state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Head {
    pub(crate) sequence: u64,
    pub(crate) state: Hash,
}

pub(crate) fn header(seed: Seed) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&seed);
    bytes.extend_from_slice(&crc32c::crc32c(&bytes).to_le_bytes());
    bytes
}

pub(crate) fn seed_of(segment: &[u8]) -> Option<Seed> {
    let header = segment.get(..HEADER)?;
    let (body, sum) = header.split_at_checked(HEADER - 4)?;
    let seed = body.strip_prefix(MAGIC)?;
    (sum == crc32c::crc32c(body).to_le_bytes()).then_some(seed.try_into().ok()?)
}

fn sum(kind: u8, len: [u8; 4], half: &[u8], payload: &[u8]) -> [u8; 4] {
    let mut crc = crc32c::crc32c(&[kind]);
    for part in [len.as_slice(), half, payload] {
        crc = crc32c::crc32c_append(crc, part);
    }
    crc.to_le_bytes()
}

fn append(to: &mut Vec<u8>, kind: u8, half: &[u8], payload: &[u8]) {
    let len = u32::try_from(payload.len()).unwrap_or(u32::MAX).to_le_bytes();
    to.push(kind);
    to.extend_from_slice(&len);
    to.extend_from_slice(&sum(kind, len, half, payload));
    to.extend_from_slice(half);
    to.extend_from_slice(payload);
}

pub(crate) fn append_object(to: &mut Vec<u8>, kind: Kind, hash: Hash, payload: &[u8]) {
    append(to, kind as u8, &hash.fingerprint().to_be_bytes(), payload);
}

pub(crate) fn append_commit(to: &mut Vec<u8>, seed: Seed, head: Head) {
    let mut payload = head.sequence.to_le_bytes().to_vec();
    payload.extend_from_slice(head.state.as_bytes());
    append(to, COMMIT, &seed, &payload);
}

/// Kind and length as a record's first bytes say; both may be damaged.
pub(crate) fn peek(record: &[u8]) -> Option<(Kind, usize)> {
    let kind = Kind::of(*record.first()?)?;
    let len = u32::from_le_bytes(record.get(1..5)?.try_into().ok()?);
    Some((kind, usize::try_from(len).ok()?))
}

enum Record {
    Object(u128),
    Commit(Head),
}

/// Reads the record at the begin of `bytes` and how long it is.
fn record(bytes: &[u8], seed: Seed) -> Option<(Record, usize)> {
    let kind = *bytes.first()?;
    let len: [u8; 4] = bytes.get(1..5)?.try_into().ok()?;
    let half = bytes.get(9..RECORD)?;
    let end = RECORD.checked_add(usize::try_from(u32::from_le_bytes(len)).ok()?)?;
    let payload = bytes.get(RECORD..end)?;
    if bytes.get(5..9)? != sum(kind, len, half, payload) {
        return None;
    }
    if kind == COMMIT && half == seed && payload.len() == COMMIT_LEN {
        let (sequence, state) = payload.split_at_checked(8)?;
        let sequence = u64::from_le_bytes(sequence.try_into().ok()?);
        return Some((Record::Commit(Head { sequence, state: Hash::from_slice(state)? }), end));
    }
    Kind::of(kind)?;
    Some((Record::Object(u128::from_be_bytes(half.try_into().ok()?)), end))
}

/// What was found in a segment.
#[derive(Default, PartialEq, Eq, Debug)]
pub(crate) struct Found {
    pub(crate) objects: Vec<(u128, u32)>,
    pub(crate) head: Option<Head>,
    /// End of the last commit.
    pub(crate) committed: usize,
    /// A record before a commit was unreadable.
    pub(crate) damaged: bool,
}

/// Says whether writing went on in a later segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rank {
    Last,
    Earlier,
}

/// Reads all records that were committed. What follows the last commit is the torn end of a write and does not count.
///
/// An unreadable record before a commit is damage, but for the very last transaction: a disk may keep the end of a write
/// and lose its begin, and nobody was told yet that it is durable. So that one does not count either.
pub(crate) fn scan(bytes: &[u8], seed: Seed, rank: Rank) -> Found {
    let mut found = Found { committed: HEADER.min(bytes.len()), ..Found::default() };
    let mut at = HEADER;
    let mut sure = 0;
    let mut hole = false;
    let mut before = None;
    while at < bytes.len() {
        let rest = bytes.get(at..).unwrap_or_default();
        match record(rest, seed) {
            Some((Record::Object(key), len)) => {
                let Ok(offset) = u32::try_from(at) else { break };
                found.objects.push((key, offset));
                at += len;
            }
            Some((Record::Commit(head), len)) => {
                at += len;
                found.damaged |= before.take().is_some();
                before = hole.then_some((found.head, found.committed, sure));
                found.head = Some(head);
                found.committed = at;
                sure = found.objects.len();
                hole = false;
            }
            None => {
                let Some(skip) = next_record(rest, seed).or_else(|| next_commit(rest, seed)) else { break };
                hole = true;
                at += skip;
            }
        }
    }
    match (before, rank) {
        (Some((head, committed, count)), Rank::Last) => {
            (found.head, found.committed) = (head, committed);
            sure = count;
        }
        (Some(_), Rank::Earlier) => found.damaged = true,
        (None, _) => {}
    }
    found.objects.truncate(sure);
    found
}

/// Where the next record is if the length of this one can be believed.
fn next_record(bytes: &[u8], seed: Seed) -> Option<usize> {
    let len: [u8; 4] = bytes.get(1..5)?.try_into().ok()?;
    let end = RECORD.checked_add(usize::try_from(u32::from_le_bytes(len)).ok()?)?;
    record(bytes.get(end..)?, seed).map(|_| end)
}

fn next_commit(bytes: &[u8], seed: Seed) -> Option<usize> {
    let first = bytes.windows(seed.len()).enumerate().filter(|(_, window)| *window == seed);
    first
        .filter_map(|(at, _)| at.checked_sub(9))
        .find(|at| matches!(record(bytes.get(*at..).unwrap_or_default(), seed), Some((Record::Commit(_), _))))
}

/// Writes down what a full segment holds, so that it need not be read again.
pub(crate) fn sidecar(seed: Seed, found: &Found) -> Vec<u8> {
    let mut bytes = header(seed);
    let head = found.head.map_or((0, [0; 32]), |head| (head.sequence, head.state.to_bytes()));
    bytes.extend_from_slice(&head.0.to_le_bytes());
    bytes.extend_from_slice(&head.1);
    bytes.extend_from_slice(&(found.committed as u64).to_le_bytes());
    for (key, offset) in &found.objects {
        bytes.extend_from_slice(&key.to_be_bytes());
        bytes.extend_from_slice(&offset.to_le_bytes());
    }
    bytes.extend_from_slice(&crc32c::crc32c(&bytes).to_le_bytes());
    bytes
}

/// Reads a sidecar; one that is damaged or of another file is none.
pub(crate) fn read_sidecar(bytes: &[u8], seed: Seed, len: u64) -> Option<Found> {
    let (body, sum) = bytes.split_at_checked(bytes.len().checked_sub(4)?)?;
    if seed_of(body)? != seed || sum != crc32c::crc32c(body).to_le_bytes() {
        return None;
    }
    let (sequence, rest) = body.get(HEADER..)?.split_at_checked(8)?;
    let (state, rest) = rest.split_at_checked(32)?;
    let (committed, rest) = rest.split_at_checked(8)?;
    let committed = u64::from_le_bytes(committed.try_into().ok()?);
    let objects = rest.chunks_exact(20).filter_map(|entry| {
        let (key, offset) = entry.split_at_checked(16)?;
        Some((u128::from_be_bytes(key.try_into().ok()?), u32::from_le_bytes(offset.try_into().ok()?)))
    });
    let sequence = u64::from_le_bytes(sequence.try_into().ok()?);
    let head = Head { sequence, state: Hash::from_slice(state)? };
    (committed == len).then_some(Found {
        objects: objects.collect(),
        head: Some(head),
        committed: usize::try_from(committed).ok()?,
        damaged: false,
    })
}
