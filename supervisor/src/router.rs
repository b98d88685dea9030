//! Carries the hub's effects out and feeds it: the ractor actor around the pure state machine. Owns the journal, so
//! that what the hub decides on is never behind a mailbox. Decides nothing.
//!
//! Group commit: the first record that something waits for sends `Flush` to our own mailbox. Everything that is queued
//! before it is handled first and synced with it.

use crate::{
    child,
    hub::{Death, Effect, Hub},
    journal::{Journal, Reserve},
    notify,
    tree::Reload,
};
use kit::clock;
use link::Frame;
use protocol::{
    control::{Reply, Request},
    role::Role,
};
use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort};
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

/// How often a journal that cannot be written is tried again.
const JOURNAL_RETRY: Duration = Duration::from_secs(2);

/// Free bytes with which a disk without a reserve counts as not full: a segment of the journal.
const ROOM: u64 = 4 * 1024 * 1024;

/// What the router is told. Only events that the supervisor itself makes: frames arrive within credit.
#[derive(Debug)]
pub enum Msg {
    /// Who fills the seats, and go.
    Start(BTreeMap<Role, ActorRef<child::Msg>>),
    /// The child actor of a role was started anew.
    Replaced(Role, ActorRef<child::Msg>),
    /// A frame of an actor.
    Frame {
        /// Whose.
        role: Role,
        /// Which life.
        generation: u32,
        /// What.
        frame: Frame,
    },
    /// A frame of an unknown kind.
    Unknown {
        /// Whose.
        role: Role,
        /// Which kind.
        kind: u16,
    },
    /// A process was started.
    Born {
        /// Which role.
        role: Role,
        /// Which life.
        generation: u32,
        /// Its process id.
        pid: u32,
    },
    /// A process is dead.
    Died {
        /// Which role.
        role: Role,
        /// Which life.
        generation: u32,
        /// How.
        death: Death,
    },
    /// Writing to a process stalls, or goes on.
    Stalled {
        /// Which role.
        role: Role,
        /// Which life.
        generation: u32,
        /// Which of the two.
        stalls: bool,
    },
    /// The clock that was set.
    Tick,
    /// Sync the journal.
    Flush,
    /// Try the journal again.
    Retry,
    /// An operator asks.
    Request(Box<Request>, RpcReplyPort<Reply>),
    /// SIGTERM or SIGINT.
    Terminate,
    /// SIGHUP.
    Hangup,
}

/// What the router is made of.
#[derive(Debug)]
pub struct Parts {
    /// The state machine.
    pub hub: Hub,
    /// The journal.
    pub journal: Journal,
    /// Reads the settings again.
    pub reload: Reload,
    /// Told when all is said and done.
    pub done: tokio::sync::oneshot::Sender<()>,
    /// When the supervisor started: the zero of the hub's clock.
    pub zero: Instant,
}

/// The ractor actor.
#[derive(Debug)]
pub struct Router;

/// Its state.
#[derive(Debug)]
pub struct State {
    hub: Hub,
    journal: Journal,
    children: BTreeMap<Role, ActorRef<child::Msg>>,
    clients: BTreeMap<u64, RpcReplyPort<Reply>>,
    next_client: u64,
    tokens: Vec<u64>,
    flushing: bool,
    failed: bool,
    wake: u64,
    asleep: Duration,
    reload: Reload,
    done: Option<tokio::sync::oneshot::Sender<()>>,
    zero: Instant,
    watchdog: notify::Watchdog,
}

impl Actor for Router {
    type Msg = Msg;
    type State = State;
    type Arguments = Parts;

    async fn pre_start(&self, _: ActorRef<Msg>, parts: Parts) -> Result<State, ActorProcessingErr> {
        let Parts { hub, journal, reload, done, zero } = parts;
        Ok(State {
            hub,
            journal,
            children: BTreeMap::new(),
            clients: BTreeMap::new(),
            next_client: 0,
            tokens: Vec::new(),
            flushing: false,
            failed: false,
            wake: u64::MAX,
            asleep: clock::asleep(),
            reload,
            done: Some(done),
            zero,
            watchdog: notify::Watchdog::from_environment(),
        })
    }

    async fn handle(
        &self,
        myself: ActorRef<Msg>,
        msg: Msg,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        let begun = clock::monotonic();
        state.hub.at(state.now(), clock::wall());
        state.take_in(&myself, msg);
        state.carry_out(&myself);
        state.set_clock(&myself);
        let took = clock::monotonic().duration_since(begun);
        if took > Duration::from_secs(1) {
            tracing::warn!(elapsed_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX), "slow pass");
        }
        Ok(())
    }
}

impl State {
    fn now(&self) -> u64 {
        let since = clock::monotonic().duration_since(self.zero);
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn take_in(&mut self, myself: &ActorRef<Msg>, msg: Msg) {
        match msg {
            Msg::Start(children) => {
                self.children = children;
                self.hub.start();
            }
            Msg::Replaced(role, child) => {
                self.children.insert(role, child);
            }
            Msg::Frame { role, generation, frame } => self.hub.frame_from(role, generation, &frame),
            Msg::Unknown { role, kind } => self.hub.unknown_from(role, kind),
            Msg::Born { role, generation, pid } => self.hub.born(role, generation, pid),
            Msg::Died { role, generation, death } => self.hub.died(role, generation, death),
            Msg::Stalled { role, generation, stalls } => self.hub.stalled(role, generation, stalls),
            Msg::Tick => self.tick(),
            Msg::Flush => self.flush(myself),
            Msg::Retry => self.retry(myself),
            Msg::Request(request, port) => {
                self.next_client += 1;
                self.clients.insert(self.next_client, port);
                self.hub.request(self.next_client, *request);
            }
            Msg::Terminate => self.hub.terminate(),
            Msg::Hangup => self.reload(None),
        }
    }

    fn tick(&mut self) {
        self.wake = u64::MAX;
        let asleep = clock::asleep();
        let slept = asleep.saturating_sub(self.asleep);
        self.asleep = asleep;
        if slept > Duration::from_secs(1) {
            self.hub.forgive(u64::try_from(slept.as_millis()).unwrap_or(u64::MAX));
        }
        self.hub.tick();
        // Only after a full pass of the real loop, and only while the journal can be written.
        if !self.failed {
            self.watchdog.pat(self.now());
        }
    }

    fn carry_out(&mut self, myself: &ActorRef<Msg>) {
        loop {
            let effects = self.hub.take();
            if effects.is_empty() {
                break;
            }
            for effect in effects {
                self.effect(myself, effect);
            }
        }
    }

    fn effect(&mut self, myself: &ActorRef<Msg>, effect: Effect) {
        match effect {
            Effect::Append(record) => self.append(myself, &record),
            Effect::Sync(token) => self.want_sync(myself, token),
            Effect::Send { role, generation, frame } => {
                self.tell(role, child::Msg::Send(generation, frame));
            }
            Effect::Spawn { role, generation } => self.tell(role, child::Msg::Spawn(generation)),
            Effect::Kick { role, generation, kick } => {
                self.tell(role, child::Msg::Kick(generation, kick));
            }
            Effect::Evict { role, pid } => crate::reap::evict(role, pid),
            Effect::Reply { client, mut reply } => {
                if let Reply::Status(status) = &mut reply {
                    if let Some(error) = self.journal.rotation_fault() {
                        status.notices.push(format!("the journal cannot start a new segment: {error}"));
                    }
                    status.counts.syncs = self.journal.counters().syncs;
                    status.counts.journal_bytes = self.journal.disk_bytes().unwrap_or(0);
                }
                // A client that has gone away does not need its answer.
                if let Some(port) = self.clients.remove(&client) {
                    drop(port.send(reply));
                }
            }
            Effect::Reload { client } => self.reload(client),
            Effect::Announce => notify::ready(),
            Effect::Tell(text) => notify::status(&text),
            Effect::Stopping => notify::stopping(),
            Effect::Complain(line) => tracing::error!(detail = line, "hub"),
            Effect::Note(line) => tracing::info!(detail = line, "hub"),
            Effect::Leave => {
                if let Some(done) = self.done.take() {
                    // Nobody waits any more: then the process is ending already.
                    if done.send(()).is_err() {
                        tracing::debug!("nobody waits for the end");
                    }
                }
            }
        }
    }

    fn tell(&self, role: Role, msg: child::Msg) {
        if let Some(child) = self.children.get(&role)
            && let Err(error) = child.cast(msg)
        {
            tracing::debug!(err = %error, "child actor is gone");
        }
    }

    fn append(&mut self, myself: &ActorRef<Msg>, record: &crate::journal::Record) {
        if self.failed {
            // Not lost: the hub's state has it, and a checkpoint of that state is written first when the journal is back.
            return;
        }
        if let Err(error) = self.journal.append(record) {
            self.journal_failed(myself, &error.to_string());
        }
    }

    fn want_sync(&mut self, myself: &ActorRef<Msg>, token: u64) {
        if self.failed {
            self.hub.not_durable(token);
            return;
        }
        self.tokens.push(token);
        if !self.flushing {
            self.flushing = true;
            if let Err(error) = myself.cast(Msg::Flush) {
                tracing::debug!(err = %error, "own mailbox is closed");
            }
        }
    }

    fn flush(&mut self, myself: &ActorRef<Msg>) {
        self.flushing = false;
        let tokens = std::mem::take(&mut self.tokens);
        if self.failed {
            return;
        }
        match self.journal.sync(self.hub.state_mut()) {
            Ok(_) => {
                for token in tokens {
                    self.hub.durable(token);
                }
            }
            Err(error) => self.journal_failed(myself, &error.to_string()),
        }
    }

    fn journal_failed(&mut self, myself: &ActorRef<Msg>, why: &str) {
        tracing::error!(err = why, "journal cannot be written, nothing is taken in");
        self.failed = true;
        self.tokens.clear();
        self.hub.journal_failed(why);
        if let Err(error) = self.journal.release_reserve() {
            tracing::warn!(err = %error, "reserve not freed");
        }
        // The reserve may be room enough for the last records.
        drop(myself.send_after(Duration::from_millis(50), || Msg::Retry));
    }

    fn retry(&mut self, myself: &ActorRef<Msg>) {
        if self.failed {
            let reopened = self.journal.reopen();
            match reopened.and_then(|_| self.journal.checkpoint(self.hub.state_mut())) {
                Ok(()) => self.failed = false,
                Err(error) => tracing::warn!(err = %error, "journal still cannot be written"),
            }
        }
        let room = !self.failed && self.has_room();
        if !self.failed {
            self.hub.reopened(room);
        }
        if !room {
            drop(myself.send_after(JOURNAL_RETRY, || Msg::Retry));
        }
    }

    /// Says whether new messages can be taken in: the reserve is back, or, on a disk too small for one, a segment fits.
    fn has_room(&mut self) -> bool {
        match self.journal.restore_reserve() {
            Ok(Reserve::Held) => true,
            Ok(Reserve::Absent) => self.journal.free_bytes() >= ROOM,
            Err(_) => false,
        }
    }

    fn reload(&mut self, client: Option<u64>) {
        let reply = match self.reload.again() {
            Ok((config, text)) => {
                self.hub.reconfigure(config);
                Reply::Done(text)
            }
            Err(faults) => {
                for fault in &faults {
                    tracing::error!(
                        detail = fault,
                        "configuration refused, the last good one stays in force"
                    );
                }
                Reply::Refused {
                    code: 1,
                    why: faults.join("\n"),
                    hint: "mend the file, then: passepartout ctl reload".into(),
                }
            }
        };
        if let Some(port) = client.and_then(|client| self.clients.remove(&client)) {
            drop(port.send(reply));
        }
    }

    /// Sets the clock for the hub's next look, unless an earlier one is set.
    fn set_clock(&mut self, myself: &ActorRef<Msg>) {
        let wake = self.hub.wake_at();
        if wake < self.wake {
            self.wake = wake;
            let delay = Duration::from_millis(wake.saturating_sub(self.now()));
            drop(myself.send_after(delay, || Msg::Tick));
        }
    }
}
