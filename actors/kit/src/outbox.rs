//! What an actor has to say after it has handled something. Collects frames; sends nothing.

use link::{Codec, Frame};
use protocol::{
    envelope::Header,
    id::TurnKey,
    lifecycle::Nack,
    limits::FRAME_MAX,
    outcome::{Tier, Trouble},
    role::Role,
    route::{Kind, permitted},
};
use serde::Serialize;

/// The turn that a message belongs to, as its header carries it: whatever is said about it carries it on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Thread {
    /// The turn.
    pub turn: TurnKey,
    /// Depth of the turn.
    pub depth: u8,
    /// Attempt of the turn.
    pub attempt: u8,
}

impl From<&Header> for Thread {
    fn from(header: &Header) -> Self {
        Self { turn: header.turn, depth: header.depth, attempt: header.attempt }
    }
}

/// Frames to send.
#[derive(Debug)]
pub struct Outbox {
    role: Role,
    generation: u32,
    next_request: u64,
    frames: Vec<Frame>,
}

impl Outbox {
    /// Returns an empty outbox of one life of a role.
    #[must_use]
    pub const fn new(role: Role, generation: u32) -> Self {
        Self { role, generation, next_request: 1, frames: Vec::new() }
    }

    /// Says something and expects no answer.
    pub fn tell<T: Serialize>(&mut self, kind: Kind, to: Role, thread: Thread, body: &T) {
        let header = self.header(kind, to, thread);
        self.push(header, body);
    }

    /// Asks something; the answer, or a [`Kind::Nack`], carries the number that is returned. The hub answers for a
    /// receiver that does not, at the deadline of the route table.
    pub fn ask<T: Serialize>(&mut self, kind: Kind, to: Role, thread: Thread, body: &T) -> u64 {
        let mut header = self.header(kind, to, thread);
        header.request = self.next_request;
        header.deadline_ms = permitted(kind, self.role, to).map_or(0, |route| route.deadline_ms);
        self.next_request += 1;
        self.push(header, body);
        header.request
    }

    /// Answers a question.
    pub fn answer<T: Serialize>(&mut self, question: &Header, kind: Kind, body: &T) {
        let mut header = question.answer(kind);
        header.from = self.role;
        self.push(header, body);
    }

    /// Reports that a turn cannot go on.
    pub fn trouble(&mut self, thread: Thread, tier: Tier, code: &str, sentence: &str) {
        let trouble = Trouble { tier, code: code.into(), sentence: sentence.into() };
        self.tell(Kind::Nack, Role::Supervisor, thread, &Nack::Trouble(trouble));
    }

    /// Takes the frames out.
    #[must_use]
    pub fn take(&mut self) -> Vec<Frame> {
        std::mem::take(&mut self.frames)
    }

    /// Returns a header of this life.
    #[must_use]
    pub fn header(&self, kind: Kind, to: Role, thread: Thread) -> Header {
        let mut header = Header::new(kind, self.role, to, self.generation);
        (header.turn, header.depth, header.attempt) = (thread.turn, thread.depth, thread.attempt);
        header
    }

    /// Whoever asked gets a word instead of silence.
    fn too_long(&mut self, header: Header, bytes: usize) {
        tracing::error!(bytes, kind = ?header.kind, "body is longer than a frame may be");
        let sentence = "The answer is longer than I can hand on. Ask for less at a time.";
        let trouble = Trouble { tier: Tier::Critical, code: "answer.long".into(), sentence: sentence.into() };
        let word =
            Frame::new(Header { kind: Kind::Nack, ..header }, Codec::INTERNAL, &Nack::Trouble(trouble));
        if let (Ok(frame), true) = (word, header.reply) {
            self.frames.push(frame);
        }
    }

    fn push<T: Serialize>(&mut self, header: Header, body: &T) {
        match Frame::new(header, Codec::INTERNAL, body) {
            Ok(frame) if frame.wire_len() <= FRAME_MAX => self.frames.push(frame),
            Ok(frame) => self.too_long(header, frame.wire_len()),
            Err(error) => tracing::error!(err = %error, kind = ?header.kind, "body not encoded"),
        }
    }
}
