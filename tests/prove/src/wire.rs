//! The two named sockets, spoken without the product's client code, so that a fault there cannot hide one here.

use crate::{Check, Fault};
use bytes::BytesMut;
use link::{
    Codec, Frame,
    frame::{Split, split},
};
use protocol::{
    control::{Client, Reply, Request, Server, Verb},
    envelope::Header,
    limits::{CTL_FRAME_MAX, FRAME_MAX},
    role::Role,
    route::Kind,
    version,
};
use std::{
    io::{self, Read as _, Write as _},
    os::unix::net::UnixStream,
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// A connection.
#[derive(Debug)]
pub struct Wire {
    stream: UnixStream,
    buffer: BytesMut,
    max: usize,
}

impl Wire {
    /// Connects.
    ///
    /// # Errors
    /// As the kernel says.
    pub fn open(path: &Path, max: usize) -> io::Result<Self> {
        let stream = UnixStream::connect(path)?;
        stream.set_write_timeout(Some(Duration::from_secs(5)))?;
        Ok(Self { stream, buffer: BytesMut::new(), max })
    }

    /// Writes a frame.
    ///
    /// # Errors
    /// As the kernel says.
    pub fn send(&mut self, frame: &Frame) -> io::Result<()> {
        let mut bytes = BytesMut::new();
        frame.write(&mut bytes);
        self.stream.write_all(&bytes)
    }

    /// Writes raw bytes.
    ///
    /// # Errors
    /// As the kernel says.
    pub fn send_raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// Reads a frame; `None` when none came in time.
    ///
    /// # Errors
    /// When the other end is gone or speaks nonsense.
    pub fn receive(&mut self, within: Duration) -> io::Result<Option<Frame>> {
        let begun = crate::wait::now();
        loop {
            match split(&mut self.buffer, self.max).map_err(io::Error::other)? {
                Split::Frame(frame) => return Ok(Some(frame)),
                Split::Unknown { kind, .. } => return Err(io::Error::other(format!("unknown kind {kind}"))),
                Split::Partial => {}
            }
            let Some(left) = within.checked_sub(begun.elapsed()).filter(|left| !left.is_zero()) else {
                return Ok(None);
            };
            self.stream.set_read_timeout(Some(left))?;
            let mut chunk = [0; 16 * 1024];
            match self.stream.read(&mut chunk) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(n) => self.buffer.extend_from_slice(&chunk[..n]),
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    return Ok(None);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

static REQUESTS: AtomicU64 = AtomicU64::new(0);

/// Puts an operator's request into a frame, with an id that is not used twice.
///
/// # Errors
/// When it cannot be encoded.
pub fn request(verb: Verb) -> Check<Frame> {
    let number = REQUESTS.fetch_add(1, Ordering::Relaxed);
    let id = format!("prove-{}-{number}", std::process::id());
    let header = Header::new(Kind::Control, Role::Supervisor, Role::Supervisor, 0);
    Ok(Frame::new(header, Codec::Json, &Request { major: version::MAJOR, id, verb })?)
}

/// Asks the operator's socket one thing.
///
/// # Errors
/// When nobody answers in time.
pub fn ctl(socket: &Path, verb: Verb, within: Duration) -> Check<Reply> {
    let mut wire = Wire::open(socket, CTL_FRAME_MAX)?;
    wire.send(&request(verb)?)?;
    match wire.receive(within)? {
        Some(frame) => Ok(frame.read(Codec::Json)?),
        None => Err(Fault(format!("ctl did not answer within {} ms", within.as_millis()))),
    }
}

/// One end of the people's socket.
#[derive(Debug)]
pub struct Talk(Wire);

impl Talk {
    /// Connects and says hello.
    ///
    /// # Errors
    /// As the kernel says.
    pub fn open(socket: &Path, conversation: &str) -> io::Result<Self> {
        let mut talk = Self(Wire::open(socket, FRAME_MAX)?);
        talk.tell(&Client::Hello { major: version::MAJOR, conversation: conversation.into() })?;
        Ok(talk)
    }

    /// Says something.
    ///
    /// # Errors
    /// As the kernel says.
    pub fn tell(&mut self, words: &Client) -> io::Result<()> {
        let header = Header::new(Kind::Client, Role::GatewayLocal, Role::GatewayLocal, 0);
        let frame = Frame::new(header, Codec::Json, words).map_err(io::Error::other)?;
        self.0.send(&frame)
    }

    /// Says a message.
    ///
    /// # Errors
    /// As the kernel says.
    pub fn say(&mut self, message: &str, text: &str) -> io::Result<()> {
        self.tell(&Client::Say { message: message.into(), text: text.into() })
    }

    /// Hears something; `None` when nothing came in time.
    ///
    /// # Errors
    /// When the gateway is gone.
    pub fn hear(&mut self, within: Duration) -> io::Result<Option<Server>> {
        match self.0.receive(within)? {
            Some(frame) => frame.read(Codec::Json).map(Some).map_err(io::Error::other),
            None => Ok(None),
        }
    }
}
