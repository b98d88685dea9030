//! Frames: what comes from an actor is checked against the route table and its turn, then handed on or taken in.

use super::{Ask, Effect, Hub, Own, Then};
use crate::{
    journal::{Fate, Record},
    seat::Actual,
    turn::{After, Stage},
};
use link::{Codec, Frame};
use protocol::{
    envelope::Header,
    id::TurnKey,
    lifecycle::{Attach, Hello, Nack, Pong, Progress, Ready},
    outcome::{Commit, Delivered, End, Intent, Leave, Nature, Outcome, Tier, Trouble},
    role::Role,
    route::{Exchange, Kind, Route, lifecycle_permitted, permitted},
    snapshot,
    stimulus::{Admit, Event, Principal, Stimulus},
    verdict::Verdict,
    version,
};
use serde::{Serialize, de::DeserializeOwned};

impl Hub {
    /// A frame has come from one life of a role.
    pub fn frame_from(&mut self, role: Role, generation: u32, frame: &Frame) {
        let current = self.seats.get(&role).is_some_and(|s| s.generation == generation && s.is_alive());
        if !current {
            return;
        }
        let header = frame.header;
        if header.from != role {
            self.misrouted(&header, "speaks for somebody else");
        } else if lifecycle_permitted(header.kind, role, header.to) {
            self.lifecycle(role, frame);
        } else if header.reply {
            self.answer(role, frame);
        } else {
            match permitted(header.kind, role, header.to) {
                Some(route) if !matches!(route.exchange, Exchange::Answer(_)) => {
                    self.question(route, frame);
                }
                Some(_) | None => self.misrouted(&header, "not in the route table"),
            }
        }
        self.dispatch();
    }

    /// A frame of a kind that this build does not know has come.
    pub fn unknown_from(&mut self, role: Role, kind: u16) {
        let mut header = self.header(Kind::Nack, role);
        header.reply = true;
        self.counts.misrouted += 1;
        self.tell(header, &Nack::UnknownKind(kind));
    }

    fn misrouted(&mut self, header: &Header, why: &str) {
        self.counts.misrouted += 1;
        let line = format!("{} -> {} {:?} refused: {why}", header.from, header.to, header.kind);
        self.effects.push(Effect::Complain(line));
        self.nack(header, &Nack::NotRouted);
    }

    /// Asks something in the supervisor's own name.
    pub(super) fn ask<T: Serialize>(&mut self, kind: Kind, to: Role, turn: TurnKey, body: &T, own: Own) {
        let mut header = self.header(kind, to);
        self.requests += 1;
        header.request = self.requests;
        header.turn = turn;
        header.deadline_ms = permitted(kind, Role::Supervisor, to).map_or(10_000, |route| route.deadline_ms);
        let deadline = self.now + u64::from(header.deadline_ms);
        let key = (Role::Supervisor, header.generation, header.request);
        self.asks.insert(key, Ask { header, deadline, own: Some(own) });
        self.tell(header, body);
    }

    fn lifecycle(&mut self, role: Role, frame: &Frame) {
        let header = frame.header;
        if header.kind == Kind::Hello {
            if let Some(hello) = self.read::<Hello>(frame) {
                self.hello(role, &hello);
            }
        } else if header.kind == Kind::Ready {
            if let Some(ready) = self.read::<Ready>(frame) {
                self.ready(role, ready);
            }
        } else if header.kind == Kind::Progress {
            if let Some(progress) = self.read::<Progress>(frame) {
                self.progress(role, &progress);
            }
        } else if header.kind == Kind::Pong {
            if let Some(pong) = self.read::<Pong>(frame) {
                self.pong(role, pong);
            }
        } else if header.kind == Kind::Started {
            self.took_up(role, header.turn, header.attempt);
        } else if header.kind == Kind::Rested {
            if let Some(seat) = self.seats.get_mut(&role) {
                seat.current = None;
                seat.done += 1;
            }
        } else if header.kind == Kind::Nack
            && let Some(Nack::Trouble(trouble)) = self.read::<Nack>(frame)
            && self.is_current(&header)
        {
            self.trouble(header.turn, trouble);
        }
    }

    /// The actor takes a turn up: from here on its death counts against that turn.
    fn took_up(&mut self, role: Role, key: TurnKey, attempt: u8) {
        let now = self.now;
        if let Some(seat) = self.seats.get_mut(&role) {
            seat.current = Some((key, now));
        }
        // A rollback is taken up in the turn's name too, but it is no try of the turn.
        if self.turns.get(&key).is_some_and(|turn| turn.attempt == attempt) {
            // Not synced on its own: should it be lost with the supervisor, nobody is charged, which errs on the
            // innocent side.
            self.append(Record::Started { key, role, attempt });
        }
    }

    fn hello(&mut self, role: Role, hello: &Hello) {
        let expected = self.seats.get(&role).map_or(0, |seat| seat.generation);
        let sound = hello.major == version::MAJOR
            && hello.codec == Codec::INTERNAL as u8
            && hello.role == role
            && hello.generation == expected;
        if sound {
            let header = self.header(Kind::Welcome, role);
            let welcome = super::effects::welcome(&self.config, role);
            self.tell(header, &welcome);
        } else {
            let why = format!(
                "speaks version {}.{} as {} of generation {}; this daemon is {}.{}: stop it and start the new one",
                hello.major,
                hello.minor,
                hello.role,
                hello.generation,
                version::MAJOR,
                version::MINOR
            );
            self.give_up(role, why);
        }
    }

    fn ready(&mut self, role: Role, ready: Ready) {
        let now = self.now;
        let Some(seat) = self.seats.get_mut(&role) else {
            return;
        };
        if !matches!(seat.actual, Actual::Starting { .. }) {
            return;
        }
        seat.actual = Actual::Ready { since: now };
        seat.misses = 0;
        seat.ping_at = now + self.config.ping_ms;
        (seat.note, seat.degraded) = (ready.note, ready.degraded);
        (seat.sandbox, seat.confined) = (ready.sandbox, ready.confined);
        if role == Role::Memory {
            self.resume_rollbacks();
        }
        self.announce();
    }

    /// Says whether a frame belongs to the try of its turn that runs now.
    fn is_current(&self, header: &Header) -> bool {
        self.turns
            .get(&header.turn)
            .is_some_and(|turn| turn.attempt == header.attempt && turn.stage == Stage::At(header.from))
    }

    fn question(&mut self, route: &'static Route, frame: &Frame) {
        let header = frame.header;
        if !header.turn.is_none() && !self.is_current(&header) {
            // An earlier try, or a turn that was stopped: nothing comes of it. A late commit neither: its effect is listed
            // as uncertain, and the person was told to look there.
            if header.request != 0 {
                self.nack(&header, &Nack::Stale);
            }
            return;
        }
        if header.to == Role::Supervisor {
            self.mine(frame);
        } else if self.is_ready(header.to) {
            self.pass_on(route, frame);
        } else if header.turn.is_none() {
            self.nack(&header, &Nack::Gone);
        } else {
            self.abort(header.turn, After::Retry { delay_ms: 0 }, "receiver down");
        }
    }

    fn pass_on(&mut self, route: &'static Route, frame: &Frame) {
        let header = frame.header;
        match route.exchange {
            Exchange::Ask(_) => {
                let wrote = self.turns.get(&header.turn).is_some_and(|turn| turn.wrote);
                if header.kind == Kind::Change && !wrote {
                    self.misrouted(&header, "writes without an intent");
                    return;
                }
                let same = |ask: &&Ask| {
                    (ask.header.kind, ask.header.from, ask.header.to) == (header.kind, header.from, header.to)
                };
                if self.asks.values().filter(same).count() >= usize::from(route.capacity) {
                    self.nack(&header, &Nack::Full);
                    return;
                }
                let wait = if header.deadline_ms == 0 { route.deadline_ms } else { header.deadline_ms };
                let deadline = self.now + u64::from(wait.min(route.deadline_ms));
                let key = (header.from, header.generation, header.request);
                self.asks.insert(key, Ask { header, deadline, own: None });
            }
            Exchange::Tell => {
                let now = self.now;
                if let Some(turn) = self.turns.get_mut(&header.turn) {
                    turn.stage = Stage::At(header.to);
                    turn.since = now;
                }
            }
            Exchange::Answer(_) => return,
        }
        self.send(frame.clone());
    }

    fn answer(&mut self, role: Role, frame: &Frame) {
        let header = frame.header;
        let key = (header.to, header.generation, header.request);
        let fits = self.asks.get(&key).is_some_and(|ask| {
            let way = permitted(ask.header.kind, ask.header.from, role);
            let expected = way.map(|route| route.exchange);
            ask.header.to == role
                && (expected == Some(Exchange::Ask(header.kind)) || header.kind == Kind::Nack)
        });
        if !fits {
            // Late, or nobody asked: the question was answered by a time-out or its asker is gone.
            return;
        }
        let Some(ask) = self.asks.remove(&key) else {
            return;
        };
        match ask.own {
            None => {
                let alive = self.seats.get(&header.to).is_some_and(|s| s.generation == header.generation);
                if alive {
                    self.send(frame.clone());
                }
            }
            Some(own) => self.answered(own, frame),
        }
    }

    fn answered(&mut self, own: Own, frame: &Frame) {
        match own {
            Own::Rollback(key) => match self.read::<snapshot::Reply>(frame) {
                Some(snapshot::Reply::RolledBack { conflicts, .. }) => {
                    self.rolled_back(key, conflicts);
                }
                Some(snapshot::Reply::Refused(why)) => self.rollback_refused(key, &why),
                Some(
                    snapshot::Reply::Reverted { .. } | snapshot::Reply::Lines(_) | snapshot::Reply::Done(_),
                )
                | None => {}
            },
            Own::Deliver(key) => {
                if let Some(how) = self.read::<Delivered>(frame) {
                    self.delivered(key, how);
                }
            }
            Own::Look { client } => {
                if let Some(reply) = self.read::<snapshot::Reply>(frame) {
                    self.looked(client, reply);
                }
            }
            Own::Mend { client, verb } => {
                if let Some(reply) = self.read::<snapshot::Reply>(frame) {
                    self.mended(client, &verb, reply);
                }
            }
        }
    }

    /// Takes in what is addressed to the supervisor itself.
    fn mine(&mut self, frame: &Frame) {
        let header = frame.header;
        if header.kind == Kind::Admit {
            match self.read::<Admit>(frame) {
                Some(admit) => self.admit(&header, admit),
                None => self.nack(&header, &Nack::Malformed),
            }
        } else if header.kind == Kind::Attach {
            if let Some(attach) = self.read::<Attach>(frame) {
                self.attached(header.from, attach.conversation);
            }
        } else if header.kind == Kind::Intent {
            match self.read::<Intent>(frame) {
                Some(intent) => self.intent(&header, intent),
                None => self.nack(&header, &Nack::Malformed),
            }
        } else if header.kind == Kind::Commit {
            if let Some(Commit { step, receipt, .. }) = self.read::<Commit>(frame) {
                self.append(Record::Commit { key: header.turn, step, receipt });
            }
        } else if header.kind == Kind::Outcome {
            match self.read::<Outcome>(frame) {
                Some(outcome) => self.outcome(&header, outcome),
                None => self.malformed(header.turn),
            }
        } else if header.kind == Kind::Verdict
            && let Some(verdict) = self.read::<Verdict>(frame)
        {
            let Verdict { step, action, decision, code, .. } = verdict;
            let line = format!("turn {} step {step} {action}: {decision:?} {code}", header.turn.short());
            self.effects.push(Effect::Note(line));
        }
    }

    /// An effect is announced. Leave is given once it is durable, and at most once for what cannot be repeated.
    fn intent(&mut self, header: &Header, intent: Intent) {
        let key = header.turn;
        let fate = self.state.turn(key).and_then(|turn| turn.steps.get(&intent.step));
        let settled = fate.and_then(|step| match (&step.fate, step.nature) {
            (Fate::Committed(_), _) => Some(Leave::Committed),
            (Fate::Uncertain, _) | (Fate::Intended, Nature::Ambiguous) => Some(Leave::Uncertain),
            (Fate::Intended, Nature::Reversible) => None,
        });
        let answer = header.answer(Kind::Leave);
        if let Some(leave) = settled {
            self.tell(answer, &leave);
            return;
        }
        if self.closed.is_some() {
            self.tell(answer, &Leave::Refused);
            return;
        }
        let attempt = header.attempt;
        let first_write =
            intent.nature == Nature::Reversible && self.turns.get(&key).is_some_and(|turn| !turn.wrote);
        if first_write {
            self.append(Record::SnapTaken { key, attempt, root: String::new() });
            if let Some(turn) = self.turns.get_mut(&key) {
                turn.wrote = true;
            }
        }
        let Intent { step, action, nature, .. } = intent;
        self.append(Record::Intent { key, attempt, step, action, nature });
        if let Some(frame) = self.frame(answer, &Leave::Go) {
            let otherwise = self.frame(answer, &Leave::Refused);
            self.after_sync(Then::Send { frame, otherwise });
        }
    }

    fn outcome(&mut self, header: &Header, outcome: Outcome) {
        let key = header.turn;
        match outcome.end {
            End::Answer(answer) => self.finish(key, &answer.text, None),
            End::Interrupt => {
                let Some(conversation) = self.turns.get(&key).map(|t| t.conversation.clone()) else {
                    return;
                };
                let stopped = self.interrupt(&conversation, key);
                let answer = if stopped == 0 { "Nothing else was running." } else { "Stopped." };
                self.finish(key, answer, None);
            }
            End::Status => {
                let answer = self.status_text();
                self.finish(key, &answer, None);
            }
            End::Feedback { action, text } => {
                let Some(turn) = self.turns.get_mut(&key) else {
                    return;
                };
                if turn.depth >= self.config.depth {
                    let trouble = Trouble {
                        tier: Tier::Recursive,
                        code: "turn.depth".into(),
                        sentence: "I went in circles with this and stopped. Try to say it in smaller steps."
                            .into(),
                    };
                    self.trouble(key, trouble);
                    return;
                }
                turn.depth += 1;
                turn.stage = Stage::At(Role::Perceive);
                turn.since = self.now;
                let stimulus = Stimulus {
                    turn: key,
                    depth: turn.depth,
                    conversation: turn.conversation.clone(),
                    principal: Principal::System,
                    at: turn.at,
                    event: Event::Result { action, text },
                };
                self.stimulate(key, &stimulus);
            }
        }
    }

    /// A turn cannot go on (FEATURES K2: three tiers).
    pub(super) fn trouble(&mut self, key: TurnKey, trouble: Trouble) {
        let retries = self.config.retries;
        let rungs = self.config.restart.ladder_ms.len();
        let Some(turn) = self.turns.get_mut(&key) else {
            return;
        };
        let Trouble { tier, code, sentence } = trouble;
        let line = format!("turn {} {code} ({tier:?})", key.short());
        let after = match tier {
            Tier::Transient if turn.retries >= retries => {
                After::Park { why: format!("{code} after {retries} tries") }
            }
            Tier::Transient => {
                turn.retries += 1;
                let rung = usize::from(turn.retries).min(rungs.saturating_sub(1));
                let delay_ms = self.config.restart.ladder_ms.get(rung).copied().unwrap_or(1000);
                After::Retry { delay_ms }
            }
            Tier::Critical | Tier::Recursive => After::Fail { code, sentence },
        };
        self.effects.push(Effect::Note(line.clone()));
        self.abort(key, after, &line);
    }

    fn malformed(&mut self, key: TurnKey) {
        let trouble = Trouble {
            tier: Tier::Critical,
            code: "protocol.malformed".into(),
            sentence: "Something inside me spoke nonsense, so I stopped. This is a bug; `passepartout ctl tail` shows more.".into(),
        };
        self.trouble(key, trouble);
    }

    fn read<T: DeserializeOwned>(&mut self, frame: &Frame) -> Option<T> {
        match frame.read(Codec::INTERNAL) {
            Ok(body) => Some(body),
            Err(error) => {
                let line = format!("{} {:?}: {error}", frame.header.from, frame.header.kind);
                self.effects.push(Effect::Complain(line));
                None
            }
        }
    }
}
