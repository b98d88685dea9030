//! The thin shell around the core: the listening socket, the clients' tasks, the frames to and from the supervisor.

use crate::{
    client::{self, Connection, ROOM},
    core::{ClientId, Core, Effect, Event, Said},
};
use kit::{Actor, Outbox, Status, Thread, clock, task};
use link::{Codec, Frame};
use protocol::{
    control::Server,
    id::TurnKey,
    lifecycle::{Attach, Nack},
    outcome::Deliver,
    role::Role,
    route::Kind,
    stimulus::Admission,
};
use std::{
    collections::BTreeMap,
    io,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    net::{UnixListener, UnixStream},
    sync::{
        OwnedSemaphorePermit, Semaphore,
        mpsc::{Receiver, Sender, channel, error::TrySendError},
    },
};

/// Clients at once, as on the control socket (supervision spec E11).
pub const CLIENTS_MAX: usize = 64;

/// Notes of the clients' tasks that may wait for the actor. When it is full the tasks wait, and through them the
/// clients.
const NOTES: usize = 64;

/// How long nobody is accepted after that failed: out of descriptors, mostly, and that passes.
const PAUSE: Duration = Duration::from_millis(100);

/// What a client's task tells the actor.
#[derive(Debug)]
pub enum Note {
    /// It is there; words for it go here.
    Came(ClientId, Sender<Server>),
    /// It has said something.
    Heard(ClientId, Said),
    /// An answer was written to it, and it cannot confirm.
    Written(ClientId, TurnKey),
    /// It is gone.
    Left(ClientId),
}

/// What wakes the actor beside the supervisor.
#[derive(Debug)]
pub enum Wake {
    /// A client.
    Note(Note),
    /// The core's next moment.
    Due,
}

/// The actor.
#[derive(Debug)]
pub struct Gateway {
    core: Core,
    notes: Receiver<Note>,
    clients: BTreeMap<ClientId, Sender<Server>>,
    /// The core's numbers of the questions that are with the supervisor.
    asked: BTreeMap<u64, u64>,
    socket: PathBuf,
    inode: Option<u64>,
    born: Instant,
}

impl Gateway {
    /// Binds the socket and begins to accept. Whatever lies at the path is a leftover: the caller holds the role's lock.
    ///
    /// # Errors
    /// When the path cannot be bound.
    pub fn open(socket: &Path) -> io::Result<Self> {
        match std::fs::remove_file(socket) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let listener = std::os::unix::net::UnixListener::bind(socket)?;
        std::fs::set_permissions(socket, std::fs::Permissions::from_mode(0o600))?;
        listener.set_nonblocking(true)?;
        let listener = UnixListener::from_std(listener)?;
        let (sender, notes) = channel(NOTES);
        task::spawn("listener", listen(listener, sender));
        Ok(Self {
            core: Core::default(),
            notes,
            clients: BTreeMap::new(),
            asked: BTreeMap::new(),
            socket: socket.into(),
            inode: inode_of(socket),
            born: clock::monotonic(),
        })
    }

    fn happen(&mut self, event: Event, out: &mut Outbox) {
        let now = clock::monotonic().duration_since(self.born).as_millis();
        let now = u64::try_from(now).unwrap_or(u64::MAX);
        let mut events = vec![event];
        while let Some(event) = events.pop() {
            for effect in self.core.handle(event, now) {
                events.extend(self.carry_out(effect, out));
            }
        }
    }

    /// Carries an effect out; a client that cannot be told anything any more has left.
    fn carry_out(&mut self, effect: Effect, out: &mut Outbox) -> Option<Event> {
        match effect {
            Effect::Say(client, words) => match self.clients.get(&client)?.try_send(words) {
                Ok(()) => None,
                Err(error) => {
                    if matches!(error, TrySendError::Full(_)) {
                        tracing::warn!(client = client.0, "queue of a client is full, dropped");
                    }
                    self.clients.remove(&client);
                    Some(Event::Left(client))
                }
            },
            Effect::Attach(conversation) => {
                let attach = Attach { conversation };
                out.tell(Kind::Attach, Role::Supervisor, Thread::default(), &attach);
                None
            }
            Effect::Admit(number, admit) => {
                let request = out.ask(Kind::Admit, Role::Supervisor, Thread::default(), &admit);
                self.asked.insert(request, number);
                None
            }
            Effect::Delivered(question, how) => {
                out.answer(&question, Kind::Delivered, &how);
                None
            }
        }
    }
}

impl Actor for Gateway {
    type Event = Wake;

    fn message(&mut self, frame: &Frame, out: &mut Outbox) {
        let header = frame.header;
        if header.kind == Kind::Deliver {
            match frame.read::<Deliver>(Codec::INTERNAL) {
                Ok(deliver) => self.happen(Event::Deliver(header, deliver), out),
                Err(error) => {
                    tracing::error!(err = %error, "answer not understood");
                    out.answer(&header, Kind::Nack, &Nack::Malformed);
                }
            }
        } else if header.kind == Kind::Admitted || header.kind == Kind::Nack {
            let Some(number) = self.asked.remove(&header.request) else {
                return;
            };
            let event = match frame.read::<Admission>(Codec::INTERNAL) {
                Ok(admission) if header.kind == Kind::Admitted => Event::Admitted(number, admission),
                Ok(_) | Err(_) => Event::NotAdmitted(number),
            };
            self.happen(event, out);
        } else {
            tracing::warn!(kind = ?header.kind, "not for a gateway");
        }
    }

    async fn outside(&mut self) -> Wake {
        let due = self.core.due().map(|ms| self.born + Duration::from_millis(ms));
        let due = async {
            match due {
                Some(due) => tokio::time::sleep_until(due.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            Some(note) = self.notes.recv() => Wake::Note(note),
            () = due => Wake::Due,
        }
    }

    fn event(&mut self, event: Wake, out: &mut Outbox) {
        let event = match event {
            Wake::Note(Note::Came(client, words)) => {
                self.clients.insert(client, words);
                Event::Came(client)
            }
            Wake::Note(Note::Heard(client, said)) if self.clients.contains_key(&client) => {
                Event::Heard(client, said)
            }
            // The last words of one that was dropped.
            Wake::Note(Note::Heard(..)) => return,
            Wake::Note(Note::Written(client, turn)) => Event::Written(client, turn),
            Wake::Note(Note::Left(client)) => {
                self.clients.remove(&client);
                Event::Left(client)
            }
            Wake::Due => Event::Tick,
        };
        self.happen(event, out);
    }

    fn cancel(&mut self, _: TurnKey) {
        // What is on its way to a person is finished work: there is nothing to stop.
    }

    fn status(&self) -> Status {
        // Looked at with each ping: a logout can take the whole runtime folder away, and a confined process cannot
        // bind anew.
        let gone = self.inode != inode_of(&self.socket);
        let degraded = "the local socket is gone: passepartout ctl restart gateway:local";
        Status {
            open: u32::try_from(self.core.open()).unwrap_or(u32::MAX),
            note: format!("{} clients", self.core.clients()),
            degraded: if gone { degraded.into() } else { String::new() },
        }
    }

    fn drain(&mut self) {
        self.core.drain();
    }
}

fn inode_of(path: &Path) -> Option<u64> {
    std::fs::symlink_metadata(path).ok().map(|meta| meta.ino())
}

async fn listen(listener: UnixListener, notes: Sender<Note>) {
    let own = rustix::process::geteuid().as_raw();
    let seats = Arc::new(Semaphore::new(CLIENTS_MAX));
    let mut id = 0;
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(err = %error, "client not accepted");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        if !is_owner(&stream, own) {
            tracing::warn!("client of another user turned away");
            continue;
        }
        let Ok(seat) = Arc::clone(&seats).try_acquire_owned() else {
            tracing::warn!("too many clients, one is turned away");
            continue;
        };
        id += 1;
        if seat_client(ClientId(id), stream, &notes, seat).await.is_err() {
            return;
        }
    }
}

async fn seat_client(
    id: ClientId,
    stream: UnixStream,
    notes: &Sender<Note>,
    seat: OwnedSemaphorePermit,
) -> Result<(), tokio::sync::mpsc::error::SendError<Note>> {
    let (sender, words) = channel(ROOM);
    notes.send(Note::Came(id, sender)).await?;
    let connection = Connection { id, stream, notes: notes.clone(), words, patience: client::WRITE };
    task::spawn("client", async move {
        client::serve(connection).await;
        drop(seat);
    });
    Ok(())
}

/// Says whether the other end is the owner or the superuser. An error means that it is dead already: no.
fn is_owner(stream: &UnixStream, own: u32) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == own || peer.uid() == 0)
}

#[cfg(test)]
mod tests;
