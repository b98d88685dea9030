//! What the operator asks of the hub. Each verb ends in one reply; a repeated mutating verb gets the first one's.

use super::{Effect, Hub, Own, Then};
use crate::{
    journal::{Record, Unpark},
    seat::{Actual, Desired, Ended, Seat},
    turn::{Stage, Turn},
};
use protocol::{
    control::{Held, Reply, Request, Verb},
    id::{Name, TurnKey, WallMs},
    label::Labeled,
    role::Role,
    route::Kind,
    snapshot,
    stimulus::{Admit, Principal},
    version,
};

/// How long after memory has refused a rollback it is asked again.
const REFUSED_AGAIN_MS: u64 = 5_000;

impl Hub {
    /// An operator asks.
    pub fn request(&mut self, client: u64, request: Request) {
        if request.major != version::MAJOR {
            let why = format!("this daemon speaks version {}, you speak {}", version::MAJOR, request.major);
            self.refuse(client, 4, &why, "passepartout ctl version");
            return;
        }
        if let Some(before) = self.state.verb_reply(&request.id) {
            let reply = Reply::Done(before.to_owned());
            self.effects.push(Effect::Reply { client, reply });
            return;
        }
        let id = request.id;
        match request.verb {
            Verb::Status => {
                let reply = Reply::Status(Box::new(self.status()));
                self.effects.push(Effect::Reply { client, reply });
            }
            Verb::Version => {
                let text = format!("passepartout {}", env!("CARGO_PKG_VERSION"));
                self.effects.push(Effect::Reply { client, reply: Reply::Done(text) });
            }
            Verb::Start { role } => self.set_desired(client, &id, &role, Desired::Up, false),
            Verb::Stop { role } => self.set_desired(client, &id, &role, Desired::Down, false),
            Verb::Restart { role } => self.set_desired(client, &id, &role, Desired::Up, true),
            Verb::Drain => {
                self.done(client, &id, "draining");
                self.terminate();
            }
            Verb::Reload => self.effects.push(Effect::Reload { client: Some(client) }),
            Verb::ParkedList => self.list_parked(client),
            Verb::ParkedRetry { turn } => self.unpark(client, &id, &turn, Unpark::Retry),
            Verb::ParkedDrop { turn } => self.unpark(client, &id, &turn, Unpark::Drop),
            Verb::UncertainList => self.list_uncertain(client),
            Verb::UncertainResolve { turn, happened } => self.resolve(client, &id, &turn, happened),
            Verb::Look(look) => self.look(client, look),
            Verb::Keep { snapshot, name } => {
                self.mend(client, id, |_, _| snapshot::Request::Keep { snapshot, name });
            }
            Verb::Restore { snapshot, scope } => {
                self.mend(client, id, |by, at| snapshot::Request::Restore { snapshot, scope, by, at });
            }
            Verb::Rollback { turn } => self.revert(client, id, turn),
            Verb::Inject { text } => self.inject_text(client, &id, text),
            // Control answers these itself: they read files, and the hub does not.
            Verb::Tail { .. } | Verb::Trace { .. } | Verb::JournalVerify | Verb::Doctor => {
                self.refuse(client, 1, "not a question for the hub", "");
            }
        }
    }

    pub(super) fn refuse(&mut self, client: u64, code: u8, why: &str, hint: &str) {
        let reply = Reply::Refused { code, why: why.into(), hint: hint.into() };
        self.effects.push(Effect::Reply { client, reply });
    }

    /// Confirms a mutating verb once it is durable.
    fn done(&mut self, client: u64, id: &str, text: &str) {
        self.append(Record::Verb { id: id.into(), reply: text.into() });
        self.after_sync(Then::Reply { client, reply: Reply::Done(text.into()) });
    }

    fn set_desired(&mut self, client: u64, id: &str, name: &str, desired: Desired, again: bool) {
        let Ok(role) = name.parse::<Role>() else {
            let known: Vec<&str> = Role::ACTORS.iter().map(|role| role.as_str()).collect();
            self.refuse(
                client,
                1,
                &format!("there is no role `{name}`"),
                &format!("one of: {}", known.join(", ")),
            );
            return;
        };
        if role == Role::Supervisor {
            self.refuse(client, 1, "the supervisor is stopped by draining", "passepartout ctl drain");
            return;
        }
        let now = self.now;
        self.append(Record::Desired { role, up: desired == Desired::Up });
        let Some(seat) = self.seats.get_mut(&role) else {
            return;
        };
        seat.desired = desired;
        let text = match (desired, again) {
            (Desired::Down, _) => {
                // Also while it waits for its next try: stopped stays stopped.
                if let Actual::Backoff { .. } | Actual::Failed { .. } = seat.actual {
                    seat.actual = Actual::Down;
                }
                self.end(role, Ended::Wanted);
                format!("{role} stops and stays down until `ctl start {role}`")
            }
            (Desired::Up, restart) => {
                seat.ladder.recovered();
                if restart && seat.is_alive() {
                    self.end(role, Ended::Wanted);
                } else if !seat.is_alive() {
                    seat.actual = Actual::Backoff { at: now };
                }
                format!("{role} starts")
            }
        };
        self.done(client, id, &text);
        self.tick();
    }

    fn list_parked(&mut self, client: u64) {
        let held = self.state.parked().map(|turn| Held {
            turn: turn.key.short(),
            since: turn.parked.as_ref().map_or(0, |parked| parked.at.0),
            what: turn.parked.as_ref().map_or_else(String::new, |parked| parked.why.clone()),
            conversation: turn.conversation.to_string(),
        });
        let reply = Reply::Held(held.collect());
        self.effects.push(Effect::Reply { client, reply });
    }

    fn list_uncertain(&mut self, client: u64) {
        let held = self.state.doubts().map(|doubt| Held {
            turn: doubt.key.short(),
            since: doubt.at.0,
            what: format!("{} at step {} may or may not have happened", doubt.action, doubt.step),
            conversation: doubt.conversation.to_string(),
        });
        let reply = Reply::Held(held.collect());
        self.effects.push(Effect::Reply { client, reply });
    }

    /// Finds the one turn that a prefix means among those that are held.
    fn one(&mut self, client: u64, prefix: &str, among: &[TurnKey], list: &str) -> Option<TurnKey> {
        let prefix = prefix.to_ascii_lowercase();
        let fits: Vec<TurnKey> =
            among.iter().copied().filter(|key| key.to_string().starts_with(&prefix)).collect();
        match fits.as_slice() {
            [key] if !prefix.is_empty() => Some(*key),
            [] => {
                self.refuse(client, 1, &format!("no such turn: {prefix}"), list);
                None
            }
            _ => {
                self.refuse(client, 1, &format!("`{prefix}` fits several turns; give more of the key"), list);
                None
            }
        }
    }

    fn unpark(&mut self, client: u64, id: &str, prefix: &str, how: Unpark) {
        let parked: Vec<TurnKey> = self.state.parked().map(|turn| turn.key).collect();
        let Some(key) = self.one(client, prefix, &parked, "passepartout ctl parked list") else {
            return;
        };
        let Some(known) = self.state.turn(key).cloned() else {
            return;
        };
        self.append(Record::Unparked { key, how, at: self.wall });
        match how {
            Unpark::Drop => self.done(client, id, &format!("turn {} given up", key.short())),
            Unpark::Retry => {
                self.numbers += 1;
                self.enqueue(Turn {
                    key,
                    number: self.numbers,
                    source: known.source,
                    conversation: known.conversation,
                    message: known.message,
                    principal: known.principal,
                    class: known.class,
                    text: known.text,
                    at: known.at,
                    attempt: known.attempt.saturating_add(1).max(1),
                    depth: 0,
                    stage: Stage::Waiting,
                    since: self.now,
                    wrote: false,
                    charges: 0,
                    retries: 0,
                    suspect: true,
                });
                self.offer_start(key);
                self.done(client, id, &format!("turn {} is tried again", key.short()));
            }
        }
        self.dispatch();
    }

    fn resolve(&mut self, client: u64, id: &str, prefix: &str, happened: bool) {
        let doubts: Vec<TurnKey> = self.state.doubts().map(|doubt| doubt.key).collect();
        let mut keys = doubts.clone();
        keys.dedup();
        let Some(key) = self.one(client, prefix, &keys, "passepartout ctl uncertain list") else {
            return;
        };
        let steps: Vec<u8> =
            self.state.doubts().filter(|doubt| doubt.key == key).map(|doubt| doubt.step).collect();
        for step in steps {
            self.append(Record::Resolved { key, step, happened, at: self.wall });
        }
        let word = if happened { "happened" } else { "did not happen" };
        self.done(client, id, &format!("noted: turn {} {word}", key.short()));
    }

    fn look(&mut self, client: u64, look: snapshot::Look) {
        if self.is_ready(Role::Memory) {
            let request = snapshot::Request::Look(look);
            self.ask(Kind::Snapshot, Role::Memory, TurnKey::none(), &request, Own::Look { client });
        } else {
            self.refuse(client, 1, "memory is not ready", "passepartout ctl status");
        }
    }

    pub(super) fn looked(&mut self, client: u64, reply: snapshot::Reply) {
        match reply {
            snapshot::Reply::Lines(lines) => {
                self.effects.push(Effect::Reply { client, reply: Reply::Lines(lines) });
            }
            snapshot::Reply::Refused(why) => self.refuse(client, 1, &why, "passepartout ctl snapshots"),
            snapshot::Reply::RolledBack { .. }
            | snapshot::Reply::Reverted { .. }
            | snapshot::Reply::Done(_) => self.refuse(client, 1, "memory gave another answer", ""),
        }
    }

    fn revert(&mut self, client: u64, id: String, turn: String) {
        let open = self.turns.keys().any(|key| key.to_string().starts_with(&turn));
        if open {
            self.refuse(client, 1, "that turn has not ended yet", "passepartout ctl status");
        } else {
            self.mend(client, id, |by, at| snapshot::Request::Revert { turn, by, at });
        }
    }

    /// Asks memory to write on the operator's behalf, under a turn of its own that is the same however often the verb
    /// comes.
    fn mend(&mut self, client: u64, id: String, request: impl FnOnce(TurnKey, WallMs) -> snapshot::Request) {
        let (Ok(source), Ok(message)) = (Name::new("ctl"), Name::new(format!("rollback-{id}"))) else {
            return;
        };
        if self.is_ready(Role::Memory) {
            let by = TurnKey::derive(&source, &source, &message);
            let request = request(by, self.wall);
            let own = Own::Mend { client, verb: id };
            self.ask(Kind::Snapshot, Role::Memory, TurnKey::none(), &request, own);
        } else {
            self.refuse(client, 1, "memory is not ready", "passepartout ctl status");
        }
    }

    pub(super) fn mended(&mut self, client: u64, verb: &str, reply: snapshot::Reply) {
        match reply {
            snapshot::Reply::Reverted { turn, what, conflicts } => {
                let mut text = format!("took back turn {}: {}", turn.short(), what.join("; "));
                if !conflicts.is_empty() {
                    text.push_str("; edited since, so left alone and mine put beside: ");
                    text.push_str(&conflicts.join(", "));
                }
                self.done(client, verb, &text);
            }
            snapshot::Reply::Done(text) => self.done(client, verb, &text),
            snapshot::Reply::Refused(why) => {
                self.refuse(client, 1, &why, "passepartout ctl snapshots");
            }
            snapshot::Reply::RolledBack { .. } | snapshot::Reply::Lines(_) => {
                self.refuse(client, 1, "memory gave another answer", "");
            }
        }
    }

    pub(super) fn rollback_refused(&mut self, key: TurnKey, why: &str) {
        self.notice(
            &format!("rollback:{key}"),
            &format!("I could not take back what turn {} wrote: {why}", key.short()),
        );
        // Asked again when this question, which nobody hears, runs into its deadline: not in a tight circle.
        let mut header = self.header(Kind::Snapshot, Role::Memory);
        self.requests += 1;
        (header.request, header.turn) = (self.requests, key);
        let ask = super::Ask { header, deadline: self.now + REFUSED_AGAIN_MS, own: Some(Own::Rollback(key)) };
        self.asks.insert((Role::Supervisor, header.generation, header.request), ask);
    }

    fn inject_text(&mut self, client: u64, id: &str, text: String) {
        let (Ok(conversation), Ok(message)) = (Name::new("operator"), Name::new(format!("inject-{id}")))
        else {
            self.refuse(client, 1, "the id of the request is malformed", "");
            return;
        };
        if self.is_closed() || self.phase != super::Phase::Running {
            self.refuse(client, 1, "nothing is taken in just now", "passepartout ctl status");
            return;
        }
        let admit = Admit {
            conversation,
            message,
            principal: Principal::Owner,
            text: Labeled::from_owner(text),
            background: false,
            offset: None,
        };
        let key = self.inject(admit);
        self.done(client, id, &format!("turn {}", key.short()));
        self.begin(key);
        self.dispatch();
    }

    /// The settings were read again.
    pub fn reconfigure(&mut self, config: super::Config) {
        let before = std::mem::replace(&mut self.config, config);
        for role in Role::ACTORS {
            let off = self.config.disabled.contains(&role);
            if off == before.disabled.contains(&role) {
                // What an actor was told at its welcome has changed: it hears the new at its next one. One that waits
                // for its next life hears it then anyway, and must not lose its turn to live.
                let told = super::effects::welcome(&before, role);
                let is_alive = self.seat(role).is_some_and(Seat::is_alive);
                if is_alive && told != super::effects::welcome(&self.config, role) {
                    self.end(role, Ended::Wanted);
                }
                continue;
            }
            let now = self.now;
            let Some(seat) = self.seats.get_mut(&role) else {
                continue;
            };
            if off {
                seat.desired = Desired::Down;
                self.end(role, Ended::Wanted);
            } else {
                seat.desired = Desired::Up;
                if !seat.is_alive() {
                    seat.actual = Actual::Backoff { at: now };
                }
            }
        }
        // What failed for good may work with the new settings.
        for seat in self.seats.values_mut() {
            if seat.desired == Desired::Up && matches!(seat.actual, Actual::Failed { .. }) {
                seat.actual = Actual::Backoff { at: self.now };
            }
        }
        self.tick();
    }
}
