//! One end of a connection: frames in, frames out, credit both ways. Owns the socket; one task owns the channel.
//!
//! Nothing here waits for a write: what the kernel does not take at once stays in a buffer that credit bounds, and
//! [`Channel::next`] sends it on while it waits to read. So there is no writer task and no send to cancel.

use crate::{
    Error, Frame,
    credit::{Ledger, Window},
    frame::{Split, split},
};
use bytes::{Buf as _, BytesMut};
use protocol::{
    envelope::{HEADER_LEN, Header},
    role::Role,
    route::Kind,
};
use std::collections::VecDeque;
use tokio::{io::Interest, net::UnixStream};

/// What arrived.
#[derive(Debug)]
pub enum Arrival {
    /// A frame.
    Frame(Frame),
    /// A well-formed frame of a kind that this build does not know; the connection goes on.
    Unknown {
        /// The kind.
        kind: u16,
        /// Raw header.
        raw: [u8; HEADER_LEN],
    },
    /// The peer has closed.
    Closed,
}

/// Whether credit is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Between supervisor and actor.
    Credited,
    /// On the named sockets: the buffer's bound does.
    Free,
}

/// One end of a connection.
#[derive(Debug)]
pub struct Channel {
    stream: UnixStream,
    max: usize,
    flow: Flow,
    inbox: BytesMut,
    outbox: BytesMut,
    /// Frames that wait for credit.
    waiting: VecDeque<Frame>,
    window: Window,
    ledger: Ledger,
}

impl Channel {
    /// Wraps a socket. `max` is the largest frame in bytes that is taken.
    #[must_use]
    pub fn new(stream: UnixStream, max: usize, flow: Flow) -> Self {
        Self {
            stream,
            max,
            flow,
            inbox: BytesMut::new(),
            outbox: BytesMut::new(),
            waiting: VecDeque::new(),
            window: Window::default(),
            ledger: Ledger::default(),
        }
    }

    /// Wraps a socket of which some bytes were read already.
    #[must_use]
    pub fn resume(stream: UnixStream, max: usize, flow: Flow, read: &[u8]) -> Self {
        let mut channel = Self::new(stream, max, flow);
        channel.inbox.extend_from_slice(read);
        channel
    }

    /// Puts a frame on its way. What has no credit waits; the caller bounds how much by [`Channel::queued`].
    ///
    /// # Errors
    /// [`Error::Length`] when the frame is larger than the connection allows: it is not sent.
    pub fn send(&mut self, mut frame: Frame) -> Result<(), Error> {
        let len = frame.wire_len();
        if len > self.max {
            return Err(Error::Length { len, min: HEADER_LEN, max: self.max });
        }
        if self.flow == Flow::Credited {
            (frame.header.credit_messages, frame.header.credit_bytes) = self.ledger.settle();
            if !frame.header.kind.is_exempt() && (!self.waiting.is_empty() || !self.window.take(len)) {
                // The grant must not wait with the frame: the peer could be waiting for it in turn.
                let (messages, bytes) = (frame.header.credit_messages, frame.header.credit_bytes);
                (frame.header.credit_messages, frame.header.credit_bytes) = (0, 0);
                self.grant(&frame.header, messages, bytes);
                self.waiting.push_back(frame);
                return Ok(());
            }
        }
        frame.write(&mut self.outbox);
        Ok(())
    }

    /// Writes what the kernel takes now.
    ///
    /// # Errors
    /// [`Error::Io`] when the peer is gone.
    pub fn flush_now(&mut self) -> Result<(), Error> {
        while !self.outbox.is_empty() {
            match self.stream.try_write(&self.outbox) {
                Ok(n) => self.outbox.advance(n),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Writes everything that has credit. Cancel safe: what was written is off the buffer.
    ///
    /// # Errors
    /// [`Error::Io`] when the peer is gone.
    pub async fn flush(&mut self) -> Result<(), Error> {
        loop {
            self.flush_now()?;
            if self.outbox.is_empty() {
                return Ok(());
            }
            self.stream.writable().await?;
        }
    }

    /// Says whether bytes wait that the kernel did not take.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Returns how many frames wait for credit.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.waiting.len()
    }

    /// Waits for the next frame, sending on what waits meanwhile. Cancel safe.
    ///
    /// # Errors
    /// As [`split`], and [`Error::Io`].
    pub async fn next(&mut self) -> Result<Arrival, Error> {
        loop {
            if let Some(arrival) = self.take()? {
                return Ok(arrival);
            }
            self.flush_now()?;
            let interest = if self.outbox.is_empty() {
                Interest::READABLE
            } else {
                Interest::READABLE | Interest::WRITABLE
            };
            self.stream.ready(interest).await?;
            if self.read()? == Read::Closed {
                // A frame that was whole before the end still counts.
                return Ok(self.take()?.unwrap_or(Arrival::Closed));
            }
        }
    }

    /// Takes a frame that has already arrived, without waiting: what a dead peer has left behind.
    ///
    /// # Errors
    /// As [`split`].
    pub fn drain(&mut self) -> Result<Option<Arrival>, Error> {
        while let Ok(Read::Some) = self.read() {}
        self.take()
    }

    fn read(&mut self) -> Result<Read, Error> {
        self.inbox.reserve(16 * 1024);
        match self.stream.try_read_buf(&mut self.inbox) {
            Ok(0) => Ok(Read::Closed),
            Ok(_) => Ok(Read::Some),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(Read::Nothing),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => Ok(Read::Closed),
            Err(error) => Err(error.into()),
        }
    }

    fn take(&mut self) -> Result<Option<Arrival>, Error> {
        loop {
            match split(&mut self.inbox, self.max)? {
                Split::Partial => return Ok(None),
                Split::Unknown { kind, raw } => return Ok(Some(Arrival::Unknown { kind, raw })),
                Split::Frame(frame) => {
                    if self.flow == Flow::Credited {
                        self.account(&frame)?;
                        if frame.header.kind == Kind::Credit {
                            continue;
                        }
                    }
                    return Ok(Some(Arrival::Frame(frame)));
                }
            }
        }
    }

    /// Books the credit that a frame costs and brings.
    fn account(&mut self, frame: &Frame) -> Result<(), Error> {
        self.window.grant(frame.header.credit_messages, frame.header.credit_bytes);
        while let Some(next) = self.waiting.front() {
            if !self.window.take(next.wire_len()) {
                break;
            }
            if let Some(next) = self.waiting.pop_front() {
                next.write(&mut self.outbox);
            }
        }
        if !frame.header.kind.is_exempt() {
            self.ledger.count(frame.wire_len());
            if self.ledger.is_due() {
                let (messages, bytes) = self.ledger.settle();
                let back = frame.header.answer(Kind::Credit);
                self.grant(&back, messages, bytes);
                self.flush_now()?;
            }
        }
        Ok(())
    }

    fn grant(&mut self, like: &Header, messages: u16, bytes: u32) {
        if messages == 0 && bytes == 0 {
            return;
        }
        let (from, to) = match (like.from, like.to) {
            (Role::Supervisor, to) => (Role::Supervisor, to),
            (from, _) => (from, Role::Supervisor),
        };
        let mut header = Header::new(Kind::Credit, from, to, like.generation);
        (header.credit_messages, header.credit_bytes) = (messages, bytes);
        Frame::bare(header).write(&mut self.outbox);
    }
}

#[derive(PartialEq, Eq)]
enum Read {
    Some,
    Nothing,
    Closed,
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn pair() -> (Channel, Channel) {
        let (a, b) = UnixStream::pair().unwrap();
        let max = protocol::limits::FRAME_MAX;
        (Channel::new(a, max, Flow::Credited), Channel::new(b, max, Flow::Credited))
    }

    fn frame(kind: Kind, len: usize) -> Frame {
        let header = Header::new(kind, Role::Act, Role::Memory, 1);
        Frame { header, body: Bytes::from(vec![7; len]) }
    }

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
    }

    #[test]
    fn a_thousand_frames_pass_a_window_of_thirty_two() {
        runtime().block_on(async {
            let (mut a, mut b) = pair();
            for len in 0..1000 {
                a.send(frame(Kind::Recall, len)).unwrap();
            }
            assert!(a.queued() > 900);
            for len in 0..1000 {
                let arrival = tokio::select! {
                    biased;
                    got = b.next() => got.unwrap(),
                    got = a.next() => panic!("nothing is sent back but credit: {got:?}"),
                };
                let Arrival::Frame(frame) = arrival else { panic!("{arrival:?}") };
                assert_eq!(frame.body.len(), len);
            }
            assert_eq!(a.queued(), 0);
        });
    }

    #[test]
    fn ping_passes_when_no_credit_is_left() {
        runtime().block_on(async {
            let (mut a, mut b) = pair();
            for _ in 0..40 {
                a.send(frame(Kind::Recall, 10)).unwrap();
            }
            a.send(frame(Kind::Ping, 0)).unwrap();
            a.flush().await.unwrap();
            let mut kinds = Vec::new();
            while kinds.last() != Some(&Kind::Ping) {
                let Arrival::Frame(frame) = b.next().await.unwrap() else { panic!("frame expected") };
                kinds.push(frame.header.kind);
            }
            assert_eq!(kinds.len(), 33);
        });
    }

    #[test]
    fn frame_above_the_limit_is_not_sent() {
        let runtime = runtime();
        let _guard = runtime.enter();
        let (mut a, _b) = pair();
        assert!(a.send(frame(Kind::Recall, 256 * 1024)).is_err());
    }

    #[test]
    fn what_a_dead_peer_has_left_is_read_before_the_end() {
        runtime().block_on(async {
            let (mut a, mut b) = pair();
            a.send(frame(Kind::Started, 0)).unwrap();
            a.flush().await.unwrap();
            drop(a);
            assert!(matches!(b.next().await.unwrap(), Arrival::Frame(_)));
            assert!(matches!(b.next().await.unwrap(), Arrival::Closed));
        });
    }
}
