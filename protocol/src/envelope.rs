//! The fixed header of every frame. The hub reads this and nothing else of what it forwards.

use crate::{Error, id::TurnKey, role::Role, route::Kind, version};

/// Bytes of a header.
pub const HEADER_LEN: usize = 48;

/// Set in answers: `request` and `generation` are those of the asker.
pub const FLAG_REPLY: u8 = 1;

/// The fixed header (supervision spec E3), little endian:
///
/// | at | bytes | field |
/// |---|---|---|
/// | 0 | 1 | wire version |
/// | 1 | 1 | flags |
/// | 2 | 2 | kind |
/// | 4 | 1 | from |
/// | 5 | 1 | to |
/// | 6 | 1 | depth |
/// | 7 | 1 | attempt |
/// | 8 | 4 | generation |
/// | 12 | 4 | remaining deadline, ms; 0 = none |
/// | 16 | 8 | request |
/// | 24 | 16 | turn |
/// | 40 | 2 | credit grant, messages |
/// | 42 | 2 | zero |
/// | 44 | 4 | credit grant, bytes |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// What the body is.
    pub kind: Kind,
    /// Whether it answers a request.
    pub reply: bool,
    /// Who sends it.
    pub from: Role,
    /// Who gets it.
    pub to: Role,
    /// Depth of the turn.
    pub depth: u8,
    /// Attempt of the turn.
    pub attempt: u8,
    /// Life of the sender; in an answer, of the asker.
    pub generation: u32,
    /// Milliseconds that are left; re-based at each hop; 0 means none.
    pub deadline_ms: u32,
    /// Request id, unique per sender and generation; in an answer, the asker's. 0 where no answer is expected.
    pub request: u64,
    /// The turn, or [`TurnKey::none`].
    pub turn: TurnKey,
    /// Messages that the receiver of this frame may send more.
    pub credit_messages: u16,
    /// Bytes that the receiver of this frame may send more.
    pub credit_bytes: u32,
}

impl Header {
    /// Returns a header without turn, request and deadline.
    #[must_use]
    pub const fn new(kind: Kind, from: Role, to: Role, generation: u32) -> Self {
        Self {
            kind,
            reply: false,
            from,
            to,
            depth: 0,
            attempt: 0,
            generation,
            deadline_ms: 0,
            request: 0,
            turn: TurnKey::none(),
            credit_messages: 0,
            credit_bytes: 0,
        }
    }

    /// Returns the header of the answer to this request: same turn, request and generation, the other way.
    #[must_use]
    pub const fn answer(&self, kind: Kind) -> Self {
        Self {
            kind,
            reply: true,
            from: self.to,
            to: self.from,
            depth: self.depth,
            attempt: self.attempt,
            generation: self.generation,
            deadline_ms: 0,
            request: self.request,
            turn: self.turn,
            credit_messages: 0,
            credit_bytes: 0,
        }
    }

    /// Writes the header.
    #[must_use]
    pub fn encode(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        let flags = if self.reply { FLAG_REPLY } else { 0 };
        let fields: [&[u8]; 14] = [
            &[version::WIRE],
            &[flags],
            &(self.kind as u16).to_le_bytes(),
            &[self.from as u8],
            &[self.to as u8],
            &[self.depth],
            &[self.attempt],
            &self.generation.to_le_bytes(),
            &self.deadline_ms.to_le_bytes(),
            &self.request.to_le_bytes(),
            &self.turn.to_bytes(),
            &self.credit_messages.to_le_bytes(),
            &[0, 0],
            &self.credit_bytes.to_le_bytes(),
        ];
        for (slot, byte) in bytes.iter_mut().zip(fields.into_iter().flatten()) {
            *slot = *byte;
        }
        bytes
    }

    /// Reads a header from the beginning of a frame.
    ///
    /// # Errors
    /// [`Error`] when it is short, of another version, has reserved bits set, or names an unknown role or kind.
    /// [`Error::UnknownKind`] comes last, so that everything else of such a frame is known to be well formed.
    pub fn decode(frame: &[u8]) -> Result<Self, Error> {
        let Some(bytes) = frame.first_chunk::<HEADER_LEN>() else {
            return Err(Error::ShortHeader { expected: HEADER_LEN, got: frame.len() });
        };
        let mut cursor = Cursor(bytes);
        let [wire, flags] = cursor.take();
        if wire != version::WIRE {
            return Err(Error::Version(wire));
        }
        let kind = u16::from_le_bytes(cursor.take());
        let [from, to, depth, attempt] = cursor.take();
        let generation = u32::from_le_bytes(cursor.take());
        let deadline_ms = u32::from_le_bytes(cursor.take());
        let request = u64::from_le_bytes(cursor.take());
        let turn = TurnKey::from_bytes(cursor.take());
        let credit_messages = u16::from_le_bytes(cursor.take());
        let zero: [u8; 2] = cursor.take();
        let credit_bytes = u32::from_le_bytes(cursor.take());
        if flags & !FLAG_REPLY != 0 || zero != [0, 0] {
            return Err(Error::Reserved);
        }
        Ok(Self {
            reply: flags & FLAG_REPLY != 0,
            from: Role::try_from(from)?,
            to: Role::try_from(to)?,
            depth,
            attempt,
            generation,
            deadline_ms,
            request,
            turn,
            credit_messages,
            credit_bytes,
            kind: Kind::try_from(kind)?,
        })
    }
}

/// Walks over a fixed number of bytes; what is taken beyond the end is zero.
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        let (head, rest) = self.0.split_at_checked(N).unwrap_or((&[], &[]));
        for (slot, byte) in out.iter_mut().zip(head) {
            *slot = *byte;
        }
        self.0 = rest;
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_reads_back_what_it_wrote() {
        let mut header = Header::new(Kind::Recall, Role::Act, Role::Memory, 7);
        header.depth = 3;
        header.attempt = 2;
        header.deadline_ms = 1500;
        header.request = u64::MAX;
        header.turn = TurnKey::from_bytes([9; 16]);
        header.credit_messages = 4;
        header.credit_bytes = 70_000;
        assert_eq!(Header::decode(&header.encode()), Ok(header));
        let answer = header.answer(Kind::Recalled);
        assert_eq!(Header::decode(&answer.encode()), Ok(answer));
        assert!(answer.reply && answer.to == Role::Act && answer.request == u64::MAX);
    }

    #[test]
    fn every_single_byte_that_must_not_be_there_is_refused() {
        let good = Header::new(Kind::Ping, Role::Supervisor, Role::Act, 1).encode();
        for (at, value) in [(0, 9), (1, 2), (2, 0xee), (4, 200), (5, 201), (42, 1), (43, 1)] {
            let mut bad = good;
            bad[at] = value;
            assert!(Header::decode(&bad).is_err(), "byte {at}");
        }
        for short in 0..HEADER_LEN {
            assert!(Header::decode(&good[..short]).is_err());
        }
    }
}
