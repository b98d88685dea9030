//! The hub: every decision of the supervisor, as one pure state machine. Events and time in, effects out; no I/O, no
//! clock, no randomness. `tree` feeds it and carries its effects out; `tests/sim` feeds it under a seeded scheduler.
//!
//! It reads the header of what it forwards and nothing else. It decodes only what is addressed to the supervisor.
//!
//! What must be durable before something else happens goes like this: the record is appended, a `Then` is kept under
//! a token, [`Effect::Sync`] carries the token out, and [`Hub::durable`] or [`Hub::not_durable`] brings it back.

mod deaths;
mod deliver;
mod dispatch;
mod drain;
mod effects;
mod flow;
mod health;
mod inbox;
mod status;
mod verbs;

pub use effects::{Death, Effect, Kick};

use crate::{
    journal::{Ending, Known, Record, State},
    restart,
    seat::{Actual, Desired, Seat},
    turn::{After, Stage, Turn},
};
use link::{Codec, Frame};
use protocol::{
    control::{Counts, Reply},
    envelope::Header,
    id::{Name, TurnKey, WallMs},
    lifecycle::{Fault, Nack},
    limits::CHARGES_MAX,
    role::Role,
    route::Kind,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The measures that the settings give the hub, times in ms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Absolute path of the memex.
    pub memex: String,
    /// Absolute path of memory's state folder.
    pub memory_state: String,
    /// Absolute path of the local gateway's socket.
    pub local_socket: String,
    /// IANA name of the zone.
    pub zone: String,
    /// Faults to hand on.
    pub faults: Vec<Fault>,
    /// See [`protocol::lifecycle::Welcome`].
    pub outside: String,
    /// See [`protocol::lifecycle::Welcome`].
    pub require_sandbox: bool,
    /// Address space per role in MiB.
    pub memory_mib: BTreeMap<Role, u32>,
    /// Roles that the settings switch off.
    pub disabled: BTreeSet<Role>,
    /// The delay ladder.
    pub restart: restart::Policy,
    /// Time between pings.
    pub ping_ms: u64,
    /// Pings without answer that make a hang.
    pub misses: u32,
    /// Time to become ready.
    pub start_ms: u64,
    /// The same with progress.
    pub start_max_ms: u64,
    /// What a request may be late beyond its deadline.
    pub grace_ms: u64,
    /// From SIGTERM to SIGKILL.
    pub term_ms: u64,
    /// Deepest turn.
    pub depth: u8,
    /// Turns in hand at once.
    pub running: usize,
    /// Turns that may wait.
    pub waiting: usize,
    /// Tries of a turn in transient trouble.
    pub retries: u8,
    /// How long a turn may stay with one actor.
    pub deadline_ms: u64,
    /// How long an actor of an earlier supervisor may keep its role's lock.
    pub orphan_ms: u64,
    /// Time for turns in hand when draining.
    pub step_ms: u64,
    /// Time for the whole drain.
    pub total_ms: u64,
    /// The same after a second SIGTERM.
    pub quick_ms: u64,
}

/// What happens once a record is durable.
#[derive(Debug, Clone)]
enum Then {
    /// A frame goes out, or another one if the journal fails.
    Send { frame: Frame, otherwise: Option<Frame> },
    /// A message was taken: its source is told and the turn may run. Or it is refused and forgotten.
    Admitted { key: TurnKey, question: Header },
    /// An answer or notice is offered to its gateway.
    Offer { key: TurnKey },
    /// Memory takes back what a try wrote.
    RollBack { key: TurnKey, attempt: u8 },
    /// The operator gets his reply.
    Reply { client: u64, reply: Reply },
    /// The process may end.
    Leave,
}

/// A question that is on its way.
#[derive(Debug, Clone)]
struct Ask {
    header: Header,
    deadline: u64,
    /// Set for the supervisor's own questions.
    own: Option<Own>,
}

/// What the supervisor itself has asked.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Own {
    Rollback(TurnKey),
    Deliver(TurnKey),
    Look { client: u64 },
    Mend { client: u64, verb: String },
}

/// What the hub is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Running,
    /// Turns in hand may finish until then.
    Finishing {
        by: u64,
    },
    /// Actors end, one after the other, until then.
    Stopping {
        by: u64,
    },
    Left,
}

/// The state machine.
#[derive(Debug)]
pub struct Hub {
    config: Config,
    state: State,
    seats: BTreeMap<Role, Seat>,
    turns: BTreeMap<TurnKey, Turn>,
    /// Turns of each conversation in the order of acceptance; the first one is next or in hand.
    queues: BTreeMap<Name, VecDeque<TurnKey>>,
    /// First ones that may start, most urgent first.
    startable: BTreeSet<(protocol::stimulus::Class, u64, TurnKey)>,
    resting: BTreeSet<(u64, TurnKey)>,
    numbers: u64,
    asks: BTreeMap<(Role, u32, u64), Ask>,
    requests: u64,
    pending: BTreeMap<u64, Then>,
    tokens: u64,
    effects: Vec<Effect>,
    counts: Counts,
    /// Why nothing is taken in, when the journal cannot be written.
    closed: Option<String>,
    phase: Phase,
    /// Where the owner was seen last: notices go there.
    owner_at: Option<(Role, Name)>,
    now: u64,
    wall: WallMs,
    started: u64,
    last_tick: u64,
    wanted_tick: u64,
    chance: u64,
    pid: u32,
    announced: bool,
    told_health: &'static str,
}

impl Hub {
    /// Takes up where the journal ends. `seed` feeds the jitter of restarts.
    #[must_use]
    pub fn new(config: Config, state: State, now: u64, wall: WallMs, seed: u64, pid: u32) -> Self {
        let mut hub = Self {
            config,
            state,
            seats: Role::ACTORS.into_iter().map(|role| (role, Seat::new(role))).collect(),
            turns: BTreeMap::new(),
            queues: BTreeMap::new(),
            startable: BTreeSet::new(),
            resting: BTreeSet::new(),
            numbers: 0,
            asks: BTreeMap::new(),
            requests: 0,
            pending: BTreeMap::new(),
            tokens: 0,
            effects: Vec::new(),
            counts: Counts::default(),
            closed: None,
            phase: Phase::Running,
            owner_at: None,
            now,
            wall,
            started: now,
            last_tick: now,
            wanted_tick: now,
            chance: seed | 1,
            pid,
            announced: false,
            told_health: "starting",
        };
        hub.recover();
        hub
    }

    /// Sets the time; every entry point is called after it.
    pub fn at(&mut self, now: u64, wall: WallMs) {
        self.now = self.now.max(now);
        self.wall = wall;
    }

    /// Takes the effects out.
    #[must_use]
    pub fn take(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Returns what survives a crash, for a new checkpoint.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// Returns what survives a crash, for the journal's own upkeep.
    pub const fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    /// Starts the roles that are wanted.
    pub fn start(&mut self) {
        for role in Role::ACTORS {
            let wanted = self.state.desired(role).unwrap_or(true);
            let up = wanted && !self.config.disabled.contains(&role);
            let now = self.now;
            if let Some(seat) = self.seats.get_mut(&role) {
                seat.desired = if up { Desired::Up } else { Desired::Down };
                if up {
                    seat.actual = Actual::Backoff { at: now };
                }
            }
        }
        self.tick();
    }

    /// Makes turns of what the journal says is open, in the order of acceptance.
    fn recover(&mut self) {
        let open: Vec<_> = self.state.open().cloned().collect();
        for known in open {
            let snap = known.snap.as_ref().map(|snap| snap.attempt);
            let rollback = self.state.rollbacks().find(|r| r.key == known.key).cloned();
            let rolling = rollback.as_ref().map(|rollback| rollback.attempt);
            let charges = known.charges();
            let last = known.attempt.max(snap.unwrap_or(0)).max(rolling.unwrap_or(0));
            self.numbers += 1;
            let turn = Turn {
                key: known.key,
                number: self.numbers,
                source: known.source.clone(),
                conversation: known.conversation.clone(),
                message: known.message.clone(),
                principal: known.principal,
                class: known.class,
                text: known.text.clone(),
                at: known.at,
                attempt: last.max(1),
                depth: 0,
                stage: Stage::Waiting,
                since: self.now,
                wrote: snap.is_some() || rolling.is_some(),
                charges: known.charges(),
                retries: 0,
                suspect: known.charges() > 0,
            };
            let key = turn.key;
            self.enqueue(turn);
            self.doubt_effects(key);
            // Also without anything to roll back, so that frames of an earlier life are of an earlier try.
            let ending = rollback.and_then(|rollback| rollback.ending);
            let after = match ending {
                Some(Ending { code, sentence }) => After::Fail { code, sentence },
                None if charges >= CHARGES_MAX => {
                    After::Park { why: format!("it was in hand at {charges} deaths") }
                }
                None => After::Retry { delay_ms: 0 },
            };
            self.abort(key, after, "restart");
        }
    }

    fn seat(&self, role: Role) -> Option<&Seat> {
        self.seats.get(&role)
    }

    fn is_ready(&self, role: Role) -> bool {
        self.seats.get(&role).is_some_and(Seat::is_ready)
    }

    fn append(&mut self, record: Record) {
        self.state.apply(&record);
        self.counts.records += 1;
        self.effects.push(Effect::Append(record));
    }

    /// Keeps what follows until everything appended so far is durable.
    fn after_sync(&mut self, then: Then) {
        self.tokens += 1;
        self.pending.insert(self.tokens, then);
        self.effects.push(Effect::Sync(self.tokens));
    }

    fn send(&mut self, frame: Frame) {
        let generation = self.seats.get(&frame.header.to).map_or(0, |seat| seat.generation);
        self.effects.push(Effect::Send { role: frame.header.to, generation, frame });
    }

    fn tell<T: Serialize>(&mut self, header: Header, body: &T) {
        if let Some(frame) = self.frame(header, body) {
            self.send(frame);
        }
    }

    fn frame<T: Serialize>(&mut self, header: Header, body: &T) -> Option<Frame> {
        match Frame::new(header, Codec::INTERNAL, body) {
            Ok(frame) => Some(frame),
            Err(error) => {
                let line = format!("{:?} not encoded: {error}", header.kind);
                self.effects.push(Effect::Complain(line));
                None
            }
        }
    }

    fn header(&self, kind: Kind, to: Role) -> Header {
        let generation = self.seats.get(&to).map_or(0, |seat| seat.generation);
        Header::new(kind, Role::Supervisor, to, generation)
    }

    fn nack(&mut self, question: &Header, nack: &Nack) {
        let mut header = question.answer(Kind::Nack);
        header.from = Role::Supervisor;
        self.tell(header, nack);
    }

    fn next_chance(&mut self) -> u16 {
        // xorshift64 (Marsaglia 2003): jitter wants spread, not secrecy.
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        u16::try_from(self.chance & 0xffff).unwrap_or(0)
    }

    /// What was appended is durable.
    pub fn durable(&mut self, token: u64) {
        let Some(then) = self.pending.remove(&token) else {
            return;
        };
        match then {
            Then::Send { frame, .. } => self.send(frame),
            Then::Admitted { key, question } => self.admitted(key, &question),
            Then::Offer { key } => self.offer(key),
            Then::RollBack { key, attempt } => self.roll_back(key, attempt),
            Then::Reply { client, reply } => self.effects.push(Effect::Reply { client, reply }),
            Then::Leave => self.effects.push(Effect::Leave),
        }
        self.dispatch();
    }

    /// What was appended is not durable, and may be lost.
    pub fn not_durable(&mut self, token: u64) {
        let Some(then) = self.pending.remove(&token) else {
            return;
        };
        match then {
            Then::Send { otherwise, .. } => {
                if let Some(frame) = otherwise {
                    self.send(frame);
                }
            }
            Then::Admitted { key, question } => self.not_admitted(key, &question),
            // Offered and asked when the journal is back: see `reopened`.
            Then::Offer { .. } | Then::RollBack { .. } => {}
            Then::Reply { client, .. } => {
                let reply = Reply::Refused {
                    code: 1,
                    why: "the journal cannot be written".into(),
                    hint: "passepartout ctl doctor".into(),
                };
                self.effects.push(Effect::Reply { client, reply });
            }
            Then::Leave => self.effects.push(Effect::Leave),
        }
    }

    /// The journal cannot be written: nothing is taken in until [`Hub::reopened`].
    pub fn journal_failed(&mut self, why: &str) {
        self.closed = Some(why.to_owned());
        let tokens: Vec<u64> = self.pending.keys().copied().collect();
        for token in tokens {
            self.not_durable(token);
        }
    }

    /// The journal takes records again, and what is known here has been written as a checkpoint. With `room` new
    /// messages are taken in too; without it only what is in hand is brought to its end.
    pub fn reopened(&mut self, room: bool) {
        if room {
            self.closed = None;
        } else if self.closed.is_none() {
            self.closed = Some("the disk is nearly full".into());
        }
        let waiting: Vec<TurnKey> = self.state.undelivered().map(|answer| answer.key).collect();
        for key in waiting {
            self.offer(key);
        }
        self.resume_rollbacks();
        self.dispatch();
    }

    /// Says whether the journal is closed to new messages.
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        self.closed.is_some()
    }

    fn knows(&self, key: TurnKey) -> Known {
        self.state.lookup(key)
    }
}
