//! One connected client: its bytes to words and back, in the dialect that its first byte chooses. Decides nothing.
//!
//! What a client has not been answered yet is bounded by [`OWED_MAX`]: beyond that nothing more is read from it, so the
//! kernel makes it wait. A client that takes nothing up for [`WRITE`] is dropped.

use crate::{
    ancestor::{self, Splitter},
    core::{ClientId, Said},
    ours,
    shell::Note,
};
use link::{
    Channel, Codec, Frame,
    channel::{Arrival, Flow},
};
use protocol::{
    control::{Client, Server},
    envelope::Header,
    id::{Name, TurnKey},
    limits::FRAME_MAX,
    role::Role,
    route::Kind,
};
use std::{io, time::Duration};
use tokio::{
    io::AsyncWriteExt as _,
    net::UnixStream,
    sync::mpsc::{Receiver, Sender},
    time::timeout,
};

/// Words that a client may be owed before nothing more is read from it.
const OWED_MAX: usize = 32;

/// Room for words to a client: what it may be owed, the answers that it may have unconfirmed, and some more. Cannot
/// run over unless the bounds that make it up are broken; then the client is dropped.
pub(crate) const ROOM: usize = OWED_MAX + 2 * crate::core::UNCONFIRMED_MAX + 16;

/// How long a client may take nothing up (supervision spec A3, last row).
pub(crate) const WRITE: Duration = Duration::from_secs(5);

/// How long a client may be silent before it is greeted in the ancestor's way: the ancestor spoke first.
const SILENCE: Duration = Duration::from_millis(200);

/// Bytes read at once.
const CHUNK: usize = 16 * 1024;

/// Why a connection ends; none of it is worth more than a debug line.
type End = io::Result<()>;

/// A connection with its ways to and from the core.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) id: ClientId,
    pub(crate) stream: UnixStream,
    pub(crate) notes: Sender<Note>,
    pub(crate) words: Receiver<Server>,
    /// How long it may take nothing up: [`WRITE`], less in tests.
    pub(crate) patience: Duration,
}

/// Serves a client until it or the gateway goes.
pub(crate) async fn serve(connection: Connection) {
    let (id, notes) = (connection.id, connection.notes.clone());
    if let Err(error) = converse(connection).await {
        tracing::debug!(err = %error, "client dropped");
    }
    // Nobody to tell means that the process ends.
    drop(notes.send(Note::Left(id)).await);
}

async fn converse(connection: Connection) -> End {
    let mut first = [0; 1];
    let read = match timeout(SILENCE, read(&connection.stream, &mut first)).await {
        Ok(read) => read?,
        Err(_silent) => return Ancestral::new(connection).run(&[]).await,
    };
    match first.get(..read) {
        Some([0]) => Ours::new(connection, &first).run().await,
        Some([byte]) if byte.is_ascii_hexdigit() || byte.is_ascii_whitespace() => {
            Ancestral::new(connection).run(&first).await
        }
        Some([_]) => Ancestral::new(connection).write(ancestor::error(NEITHER)).await,
        Some(_) | None => Ok(()),
    }
}

/// For whoever speaks something else altogether.
const NEITHER: &str = "this socket speaks frames of passepartout, or six hex digits and a list; \
                       `passepartout chat` is the easy way";

/// Reads what is there, waiting for the first byte. Cancel safe.
async fn read(stream: &UnixStream, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        stream.readable().await?;
        match stream.try_read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            done => return done,
        }
    }
}

fn slow() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "client takes nothing up")
}

fn broken(error: link::Error) -> io::Error {
    match error {
        link::Error::Io(error) => error,
        other @ (link::Error::Length { .. }
        | link::Error::Header(_)
        | link::Error::Decode { .. }
        | link::Error::Encode { .. }
        | link::Error::Trailing { .. }
        | link::Error::UnknownCodec(_)) => io::Error::other(other),
    }
}

/// Where words go to and come from, and how many are owed.
#[derive(Debug)]
struct Desk {
    id: ClientId,
    patience: Duration,
    notes: Sender<Note>,
    words: Receiver<Server>,
    owed: usize,
}

impl Desk {
    async fn hand_in(&mut self, said: Said) -> End {
        self.owed += usize::from(said.is_answered());
        let note = Note::Heard(self.id, said);
        self.notes.send(note).await.map_err(|_closed| io::ErrorKind::BrokenPipe.into())
    }

    /// Counts words that go out.
    const fn count(&mut self, words: &Server) {
        match words {
            Server::Welcome { .. }
            | Server::Accepted { .. }
            | Server::Refused { .. }
            | Server::Pong
            | Server::Error { .. } => self.owed = self.owed.saturating_sub(1),
            Server::Answer { .. } => {}
        }
    }

    const fn listens(&self) -> bool {
        self.owed < OWED_MAX
    }
}

/// A client that speaks our frames.
struct Ours {
    desk: Desk,
    channel: Channel,
}

enum Wake {
    Words(Option<Server>),
    Arrival(Result<Arrival, link::Error>),
}

impl Ours {
    fn new(connection: Connection, first: &[u8]) -> Self {
        let Connection { id, stream, notes, words, patience } = connection;
        Self {
            desk: Desk { id, patience, notes, words, owed: 0 },
            channel: Channel::resume(stream, FRAME_MAX, Flow::Free, first),
        }
    }

    async fn run(mut self) -> End {
        loop {
            let listens = self.desk.listens();
            let wake = tokio::select! {
                biased;
                words = self.desk.words.recv() => Wake::Words(words),
                arrival = self.channel.next(), if listens => Wake::Arrival(arrival),
            };
            match wake {
                Wake::Words(Some(words)) => {
                    self.desk.count(&words);
                    self.say(&words).await?;
                }
                Wake::Words(None) | Wake::Arrival(Ok(Arrival::Closed)) => return Ok(()),
                Wake::Arrival(Ok(Arrival::Frame(frame))) => self.take(&frame).await?,
                Wake::Arrival(Ok(Arrival::Unknown { kind, .. })) => {
                    self.complain(format!("unknown kind {kind}")).await?;
                }
                Wake::Arrival(Err(error)) => {
                    // Where the next frame begins nobody knows: said and closed.
                    self.complain(error.to_string()).await?;
                    return Err(broken(error));
                }
            }
        }
    }

    async fn take(&mut self, frame: &Frame) -> End {
        let client = if frame.header.kind == Kind::Client {
            frame.read::<Client>(Codec::Json).map_err(|error| error.to_string())
        } else {
            Err(format!("{:?} has no business on this socket", frame.header.kind))
        };
        match client.map(ours::understand) {
            Ok(Ok(said)) => self.desk.hand_in(said).await,
            Ok(Err(words)) => self.say(&words).await,
            Err(why) => self.complain(why).await,
        }
    }

    async fn complain(&mut self, why: String) -> End {
        self.say(&Server::Error { why }).await
    }

    async fn say(&mut self, words: &Server) -> End {
        let header = Header::new(Kind::Server, Role::GatewayLocal, Role::GatewayLocal, 0);
        let frame = Frame::new(header, Codec::Json, words).map_err(broken)?;
        self.channel.send(frame).map_err(broken)?;
        match timeout(self.desk.patience, self.channel.flush()).await {
            Ok(done) => done.map_err(broken),
            Err(_late) => Err(slow()),
        }
    }
}

/// A client that speaks as the ancestor's clients did.
struct Ancestral {
    desk: Desk,
    stream: UnixStream,
    splitter: Splitter,
}

impl Ancestral {
    fn new(connection: Connection) -> Self {
        let Connection { id, stream, notes, words, patience } = connection;
        let desk = Desk { id, patience, notes, words, owed: 0 };
        Self { desk, stream, splitter: Splitter::default() }
    }

    async fn run(mut self, first: &[u8]) -> End {
        self.write(ancestor::greeting()).await?;
        self.splitter.push(first);
        let mut buffer = vec![0; CHUNK];
        loop {
            while self.desk.listens()
                && let Some(frame) = self.splitter.take()
            {
                self.take(frame).await?;
            }
            let listens = self.desk.listens();
            let (words, bytes) = tokio::select! {
                biased;
                words = self.desk.words.recv() => (Some(words), 0),
                bytes = read(&self.stream, &mut buffer), if listens => (None, bytes?),
            };
            match words {
                Some(Some(words)) => self.say(&words).await?,
                Some(None) => return Ok(()),
                None => match buffer.get(..bytes) {
                    // One of ours that was late with its first byte: it comes again.
                    Some([] | [0, ..]) | None => return Ok(()),
                    Some(bytes) => self.splitter.push(bytes),
                },
            }
        }
    }

    async fn take(&mut self, frame: Result<crate::Sexp, crate::Error>) -> End {
        let fresh = fresh_id()?;
        let said = frame.and_then(|frame| ancestor::understand(&frame, &fresh));
        match said {
            Ok(Some(said)) => self.desk.hand_in(said).await,
            Ok(None) => Ok(()),
            Err(error) => self.write(ancestor::error(&error.to_string())).await,
        }
    }

    async fn say(&mut self, words: &Server) -> End {
        self.desk.count(words);
        self.write(ancestor::say(words)).await?;
        if let Server::Answer { turn, .. } = words
            && let Ok(turn) = turn.parse::<TurnKey>()
        {
            let note = Note::Written(self.desk.id, turn);
            let sent = self.desk.notes.send(note).await;
            return sent.map_err(|_closed| io::ErrorKind::BrokenPipe.into());
        }
        Ok(())
    }

    async fn write(&mut self, text: String) -> End {
        match timeout(self.desk.patience, self.stream.write_all(text.as_bytes())).await {
            Ok(done) => done,
            Err(_late) => Err(slow()),
        }
    }
}

/// Makes the id of a message that came without one.
fn fresh_id() -> io::Result<Name> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Name::new(hex).map_err(io::Error::other)
}

#[cfg(test)]
mod tests;
