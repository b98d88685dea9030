//! A blocking connection to one of the daemon's sockets: frames with a deadline, without any runtime, so that a command
//! begins at once.

use bytes::BytesMut;
use kit::clock;
use link::{
    Codec, Error, Frame,
    frame::{Split, split},
};
use protocol::{envelope::Header, role::Role, route::Kind};
use serde::Serialize;
use std::{
    io::{self, Read as _, Write as _},
    os::unix::net::UnixStream,
    path::Path,
    time::{Duration, Instant},
};

/// How long a daemon may take nothing up.
const WRITE: Duration = Duration::from_secs(5);

/// What a wait has brought.
#[derive(Debug)]
pub(crate) enum Got {
    /// A frame.
    Frame(Frame),
    /// The daemon, or its gateway, has gone.
    Closed,
    /// Nothing in time.
    Late,
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Wire {
    stream: UnixStream,
    inbox: BytesMut,
    max: usize,
}

impl Wire {
    /// Connects; `None` when nobody listens there.
    pub(crate) fn connect(path: &Path, max: usize) -> io::Result<Option<Self>> {
        match UnixStream::connect(path) {
            Ok(stream) => {
                stream.set_write_timeout(Some(WRITE))?;
                Ok(Some(Self::over(stream, max)))
            }
            Err(error) if is_nobody(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Wraps a connected socket.
    pub(crate) fn over(stream: UnixStream, max: usize) -> Self {
        Self { stream, inbox: BytesMut::new(), max }
    }

    /// Sends a body under a kind.
    pub(crate) fn send<T: Serialize>(&mut self, kind: Kind, body: &T) -> Result<(), Error> {
        let mut bytes = BytesMut::new();
        frame(kind, body)?.write(&mut bytes);
        Ok(self.stream.write_all(&bytes)?)
    }

    /// Waits for the next frame.
    pub(crate) fn next(&mut self, deadline: Instant) -> Result<Got, Error> {
        let mut chunk = [0; 16 * 1024];
        loop {
            match split(&mut self.inbox, self.max)? {
                Split::Frame(frame) => return Ok(Got::Frame(frame)),
                // Of a newer daemon: not for us.
                Split::Unknown { .. } => continue,
                Split::Partial => {}
            }
            let left = deadline.saturating_duration_since(clock::monotonic());
            if left.is_zero() {
                return Ok(Got::Late);
            }
            self.stream.set_read_timeout(Some(left))?;
            match self.stream.read(&mut chunk) {
                Ok(0) => return Ok(Got::Closed),
                Ok(n) => self.inbox.extend_from_slice(chunk.get(..n).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(Got::Late),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {
                    return Ok(Got::Closed);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Says whether a failed connect means that nobody is there.
pub(crate) fn is_nobody(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused)
}

/// Puts a frame for one of the two sockets together.
pub(crate) fn frame<T: Serialize>(kind: Kind, body: &T) -> Result<Frame, Error> {
    // Both sockets look at the kind alone.
    Frame::new(Header::new(kind, Role::Supervisor, Role::Supervisor, 0), Codec::Json, body)
}

/// Makes an id that nobody has used.
pub(crate) fn fresh_id() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Waits between two looks at something that tells nobody when it changes: a socket that is to appear, a process of
/// another session. The caller has the deadline.
pub(crate) fn pause(time: Duration) {
    let time = rustix::event::Timespec::try_from(time).ok();
    match rustix::event::poll(&mut [], time.as_ref()) {
        // A signal makes it shorter, which does no harm.
        Ok(_) | Err(_) => {}
    }
}
