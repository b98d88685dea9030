//! The life of an actor: hello, welcome, load, confine, ready; then the loop; then the end.
//!
//! The loop handles one thing at a time. Before a message of a turn is handled the supervisor is told `Started`, and
//! afterwards, together with the results, `Rested`: so a death in between is charged to that turn and to no other.

use crate::{
    Exit, Outbox, Thread,
    fault::Faults,
    log,
    sandbox::{self, Policy},
    sys,
};
use link::{
    Channel, Codec, Frame,
    channel::{Arrival, Flow},
};
use protocol::{
    envelope::{HEADER_LEN, Header},
    id::TurnKey,
    lifecycle::{FaultPoint, Hello, Nack, Pong, Progress, Ready, Welcome},
    limits::FRAME_MAX,
    role::Role,
    route::Kind,
    version,
};
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// How long the supervisor may take for its welcome (supervision spec E3).
const WELCOME: Duration = Duration::from_secs(5);

/// How long a write may stall before the supervisor counts as gone (supervision spec A3, last row).
const WRITE: Duration = Duration::from_secs(5);

/// An actor: handles what comes, one thing at a time.
pub trait Actor {
    /// Something from outside the tree that only gateways have.
    type Event: Send;

    /// Handles a message.
    fn message(&mut self, frame: &Frame, out: &mut Outbox);

    /// Waits for something from outside. Must be cancel safe. [`Idle`] says never.
    fn outside(&mut self) -> impl Future<Output = Self::Event>;

    /// Handles what came from outside.
    fn event(&mut self, event: Self::Event, out: &mut Outbox);

    /// Stops work on a turn, as far as any is in hand.
    fn cancel(&mut self, turn: TurnKey);

    /// Says how it is.
    fn status(&self) -> Status;

    /// Stops taking in what is new; called once when the tree drains.
    fn drain(&mut self) {}

    /// Puts away what saves the next life work; called when the process is asked to end. Nothing may depend on it.
    fn close(&mut self) {}
}

/// How an actor is.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Status {
    /// Turns in hand.
    pub open: u32,
    /// State worth showing.
    pub note: String,
    /// Why it is not in full service, and what to do; empty when all is well.
    pub degraded: String,
}

/// For actors that nothing reaches from outside.
#[derive(Debug)]
pub enum Idle {}

impl Idle {
    /// Never returns.
    pub async fn never() -> Self {
        std::future::pending().await
    }
}

/// What an actor has at hand while it is made.
#[derive(Debug)]
pub struct Start<'a> {
    /// What the supervisor told it.
    pub welcome: &'a Welcome,
    /// The faults it has to act out.
    pub faults: &'a Faults,
    channel: &'a mut Channel,
    outbox: &'a Outbox,
}

impl Start<'_> {
    /// Tells the supervisor that a long start goes on, which extends its patience.
    pub fn progress(&mut self, done: u64, total: u64, what: &str) {
        let header = self.outbox.header(Kind::Progress, Role::Supervisor, Thread::default());
        let body = Progress { done, total, what: what.into() };
        if let Ok(frame) = Frame::new(header, Codec::INTERNAL, &body)
            && self.channel.send(frame).is_ok()
            && let Err(error) = self.channel.flush_now()
        {
            tracing::debug!(err = %error, "progress not sent");
        }
    }
}

/// Runs an actor from birth to death. `make` loads its state and says what it keeps of its rights.
pub fn run<A, M>(role: Role, generation: u32, level: &str, make: M) -> Exit
where
    A: Actor,
    M: FnOnce(Start<'_>) -> Result<(A, Policy), Exit>,
{
    log::start(level);
    log::abort_on_panic(role);
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    let Ok((socket, lock)) = sys::inherited() else {
        tracing::error!("not started by a supervisor: fd 3 and fd 4 are missing");
        return Exit::Usage;
    };
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return Exit::System;
    };
    let exit = runtime.block_on(async {
        let stream = match tokio::net::UnixStream::from_std(socket) {
            Ok(stream) => stream,
            Err(error) => {
                tracing::error!(err = %error, "socket of the supervisor");
                return Exit::System;
            }
        };
        let channel = Channel::new(stream, FRAME_MAX, Flow::Credited);
        match live(role, generation, channel, make).await {
            Ok(exit) | Err(exit) => exit,
        }
    });
    drop(lock);
    exit
}

async fn live<A, M>(role: Role, generation: u32, mut channel: Channel, make: M) -> Result<Exit, Exit>
where
    A: Actor,
    M: FnOnce(Start<'_>) -> Result<(A, Policy), Exit>,
{
    let mut outbox = Outbox::new(role, generation);
    // From here on a SIGTERM waits until the step in hand is finished.
    let term = signal(SignalKind::terminate()).or(Err(Exit::System))?;
    let welcome = greet(role, generation, &mut channel, &mut outbox).await?;
    let faults = Faults::new(welcome.faults.iter().filter(|f| f.role == role).cloned().collect());
    faults.strike(FaultPoint::Boot, b"");
    let start = Start { welcome: &welcome, faults: &faults, channel: &mut channel, outbox: &outbox };
    let (actor, policy) = make(start)?;
    faults.strike(FaultPoint::Start, b"");
    let jail = sandbox::apply(&policy);
    if !jail.complete && welcome.require_sandbox {
        tracing::error!(sandbox = jail.words, "confinement is incomplete and the settings require it");
        return Err(Exit::Jail);
    }
    let status = actor.status();
    let ready =
        Ready { sandbox: jail.words, confined: jail.complete, note: status.note, degraded: status.degraded };
    outbox.tell(Kind::Ready, Role::Supervisor, Thread::default(), &ready);
    let mut body = Body { actor, outbox, channel, faults, handled: 0, draining: false };
    body.send().await?;
    body.work(term).await
}

/// Says hello and waits for the welcome.
async fn greet(
    role: Role,
    generation: u32,
    channel: &mut Channel,
    outbox: &mut Outbox,
) -> Result<Welcome, Exit> {
    let hello = Hello {
        major: version::MAJOR,
        minor: version::MINOR,
        codec: Codec::INTERNAL as u8,
        role,
        generation,
        build: env!("CARGO_PKG_VERSION").into(),
        capabilities: vec!["started".into(), "cancel".into(), "drain".into()],
    };
    outbox.tell(Kind::Hello, Role::Supervisor, Thread::default(), &hello);
    for frame in outbox.take() {
        channel.send(frame).or(Err(Exit::Bug))?;
    }
    let arrival = tokio::time::timeout(WELCOME, channel.next()).await.or(Err(Exit::PeerGone))?;
    match arrival {
        Ok(Arrival::Frame(frame)) if frame.header.kind == Kind::Welcome => {
            frame.read(Codec::INTERNAL).or(Err(Exit::Bug))
        }
        Ok(Arrival::Frame(_) | Arrival::Unknown { .. }) => Err(Exit::Bug),
        Ok(Arrival::Closed) | Err(_) => Err(Exit::PeerGone),
    }
}

struct Body<A> {
    actor: A,
    outbox: Outbox,
    channel: Channel,
    faults: Faults,
    handled: u64,
    draining: bool,
}

enum Wake<E> {
    Arrival(Result<Arrival, link::Error>),
    Outside(E),
    Term,
}

impl<A: Actor> Body<A> {
    async fn work(&mut self, mut term: Signal) -> Result<Exit, Exit> {
        loop {
            let wake = tokio::select! {
                biased;
                _ = term.recv() => Wake::Term,
                arrival = self.channel.next() => Wake::Arrival(arrival),
                event = self.actor.outside() => Wake::Outside(event),
            };
            match wake {
                // Only between two steps: the one in hand is finished by now.
                Wake::Term => {
                    self.actor.close();
                    return Ok(Exit::Drained);
                }
                Wake::Outside(event) => self.actor.event(event, &mut self.outbox),
                Wake::Arrival(Ok(Arrival::Frame(frame))) => self.take_up(&frame).await?,
                Wake::Arrival(Ok(Arrival::Unknown { kind, raw })) => self.refuse(kind, &raw),
                Wake::Arrival(Ok(Arrival::Closed)) => return Ok(Exit::PeerGone),
                Wake::Arrival(Err(error)) => {
                    tracing::warn!(err = %error, "connection to the supervisor");
                    return Err(Exit::PeerGone);
                }
            }
            self.send().await?;
            if self.draining && self.actor.status().open == 0 {
                self.outbox.tell(Kind::Drained, Role::Supervisor, Thread::default(), &());
                self.send().await?;
                self.draining = false;
            }
        }
    }

    async fn take_up(&mut self, frame: &Frame) -> Result<(), Exit> {
        let thread = Thread::from(&frame.header);
        let kind = frame.header.kind;
        if kind == Kind::Ping {
            self.pong();
        } else if kind == Kind::Cancel {
            self.actor.cancel(frame.header.turn);
        } else if kind == Kind::Drain {
            self.actor.drain();
            self.draining = true;
        } else {
            self.handled += 1;
            let is_turn = !thread.turn.is_none();
            if is_turn {
                self.outbox.tell(Kind::Started, Role::Supervisor, thread, &());
                self.send().await?;
                self.faults.strike(FaultPoint::Take, &frame.body);
            }
            self.actor.message(frame, &mut self.outbox);
            if is_turn {
                self.faults.strike(FaultPoint::Send, &frame.body);
                self.outbox.tell(Kind::Rested, Role::Supervisor, thread, &());
            }
        }
        Ok(())
    }

    fn pong(&mut self) {
        let Status { open, note, degraded } = self.actor.status();
        let pong = Pong { handled: self.handled, open, note, degraded };
        self.outbox.tell(Kind::Pong, Role::Supervisor, Thread::default(), &pong);
    }

    fn refuse(&mut self, kind: u16, raw: &[u8; HEADER_LEN]) {
        tracing::warn!(kind, "unknown kind");
        // The kind is made known so that the rest of the header can be read and answered to.
        let mut known = *raw;
        for (slot, byte) in known.iter_mut().skip(2).zip((Kind::Nack as u16).to_le_bytes()) {
            *slot = byte;
        }
        if let Ok(header) = Header::decode(&known) {
            self.outbox.answer(&header, Kind::Nack, &Nack::UnknownKind(kind));
        }
    }

    async fn send(&mut self) -> Result<(), Exit> {
        for frame in self.outbox.take() {
            if let Err(error) = self.channel.send(frame) {
                tracing::error!(err = %error, "frame not sent");
            }
        }
        match tokio::time::timeout(WRITE, self.channel.flush()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Exit::PeerGone),
        }
    }
}

/// Loads the owner's zone from the system's database; UTC, with a warning, when it is not there. Must be called before
/// the confinement, which shuts the database away.
#[must_use]
pub fn zone(name: &str) -> jiff::tz::TimeZone {
    if name.is_empty() {
        return jiff::tz::TimeZone::UTC;
    }
    jiff::tz::TimeZone::get(name).unwrap_or_else(|error| {
        tracing::warn!(err = %error, "time zone not found, using UTC");
        jiff::tz::TimeZone::UTC
    })
}
