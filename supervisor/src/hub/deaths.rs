//! Deaths: who is to blame, what becomes of the turns in hand, when the role lives again.

use super::{Death, Effect, Hub, Kick, Own, Phase};
use crate::{
    journal::Record,
    seat::{Actual, Desired, Ended},
    turn::{After, Stage},
};
use protocol::{id::TurnKey, lifecycle::Nack, limits::CHARGES_MAX, role::Role};

/// Exit codes that trying again does not help: usage, missing confinement, configuration (see `kit::Exit`).
const HOPELESS: [i32; 3] = [64, 77, 78];

/// How often a lock that is held is tried again.
const HELD_AGAIN_MS: u64 = 20;

impl Hub {
    /// A process was started.
    pub fn born(&mut self, role: Role, generation: u32, pid: u32) {
        if let Some(seat) = self.seats.get_mut(&role)
            && seat.generation == generation
        {
            seat.pid = pid;
            seat.held_since = None;
        }
    }

    /// One life of a role is over; everything that it had sent has been handed in before.
    pub fn died(&mut self, role: Role, generation: u32, death: Death) {
        let now = self.now;
        let chance = self.next_chance();
        let Some(seat) = self.seats.get_mut(&role) else {
            return;
        };
        if seat.generation != generation {
            return;
        }
        let was_ready = match seat.actual {
            Actual::Ready { .. } => true,
            Actual::Starting { .. } | Actual::Ending { .. } => seat.done > 0,
            Actual::Down | Actual::Backoff { .. } | Actual::Failed { .. } => return,
        };
        if let Death::Held(pid) = death {
            self.held(role, pid);
            return;
        }
        let ended = seat.ended.take();
        let guilty = seat.current.take().map(|(key, _)| key);
        let hung = ended == Some(Ended::Hung);
        let wanted = ended == Some(Ended::Wanted);
        seat.pid = 0;
        seat.done = 0;
        seat.stalled_since = None;
        seat.degraded.clear();
        if wanted {
            seat.actual = Actual::Down;
            if seat.desired == Desired::Up && self.phase == Phase::Running {
                seat.actual = Actual::Backoff { at: now };
            }
        } else {
            seat.restarts += 1;
            seat.last_death = if hung { format!("hung, {death}") } else { death.to_string() };
            self.plan_restart(role, death, was_ready, chance);
        }
        self.release(role, generation, guilty.filter(|_| !wanted), death, hung);
        if let Phase::Stopping { .. } = self.phase {
            self.stop_next();
        }
        self.dispatch();
    }

    /// An actor of an earlier supervisor still has the role's lock: it finishes its step, and then goes or is made to.
    fn held(&mut self, role: Role, pid: u32) {
        let now = self.now;
        let orphan_ms = self.config.orphan_ms;
        let Some(seat) = self.seats.get_mut(&role) else {
            return;
        };
        let since = *seat.held_since.get_or_insert(now);
        seat.actual = Actual::Backoff { at: now + HELD_AGAIN_MS };
        // This was no life of its own.
        seat.generation -= 1;
        if now >= since + orphan_ms {
            seat.held_since = Some(now);
            self.effects
                .push(Effect::Note(format!("{role}: its lock is held by process {pid}, which is killed")));
            self.effects.push(Effect::Evict { role, pid });
        }
    }

    fn plan_restart(&mut self, role: Role, death: Death, was_ready: bool, chance: u16) {
        let now = self.now;
        let running = self.phase == Phase::Running;
        let Some(seat) = self.seats.get_mut(&role) else {
            return;
        };
        let line = format!("{role} died: {}", seat.last_death);
        if let Death::Exit(code) = death
            && HOPELESS.contains(&code)
        {
            let why = match code {
                77 => "it cannot be confined as the settings require; see `passepartout ctl doctor`",
                78 => "its configuration is at fault; mend it, then `passepartout ctl reload`",
                _ => "it was started with the wrong words; this is a bug",
            };
            seat.actual = Actual::Failed { why: why.into() };
            self.effects.push(Effect::Note(line));
            self.notice(
                &format!("failed:{role}:{now}"),
                &format!("My part `{role}` stopped for good: {why}."),
            );
            return;
        }
        if seat.desired == Desired::Down || !running {
            seat.actual = Actual::Down;
            return;
        }
        let next = seat.ladder.died(&self.config.restart, now, was_ready, chance);
        seat.actual = Actual::Backoff { at: now + next.delay_ms };
        let degraded = next.newly_degraded;
        self.effects.push(Effect::Note(line));
        if degraded {
            let subject = format!("degraded:{role}:{now}");
            let text = format!(
                "My part `{role}` keeps dying and is tried once a minute now. `passepartout ctl status` shows why; your requests wait meanwhile."
            );
            self.notice(&subject, &text);
        }
        if let Some(seat) = self.seats.get(&role)
            && seat.wake_at().is_some_and(|at| at <= now)
        {
            self.spawn(role);
        }
    }

    /// Frees what was in hand of a dead actor. Only the turn that it had started is charged.
    fn release(&mut self, role: Role, generation: u32, guilty: Option<TurnKey>, death: Death, hung: bool) {
        let mut suspects = false;
        if let Some(key) = guilty.filter(|key| self.turns.contains_key(key)) {
            suspects = true;
            self.charge(key, role, death, hung);
        }
        let asked: Vec<TurnKey> = self
            .asks
            .values()
            .filter(|ask| ask.own.is_none() && ask.header.to == role)
            .map(|ask| ask.header.turn)
            .collect();
        let hit: Vec<TurnKey> = self
            .turns
            .values()
            .filter(|turn| match &turn.stage {
                Stage::At(holder) => {
                    *holder == role
                        || asked.contains(&turn.key)
                        || (role == Role::Memory && turn.wrote)
                        || Some(turn.key) == guilty
                }
                Stage::RollingBack(_) => Some(turn.key) == guilty && turn.charges >= CHARGES_MAX,
                Stage::Admitting | Stage::Waiting | Stage::Resting { .. } => false,
            })
            .map(|turn| turn.key)
            .collect();
        for key in hit {
            let Some(turn) = self.turns.get_mut(&key) else {
                continue;
            };
            if let Stage::RollingBack(_) = turn.stage {
                self.give_up_rollback(key);
                continue;
            }
            turn.suspect |= suspects;
            let after = if turn.charges >= CHARGES_MAX {
                After::Park { why: format!("it killed {role} {} times", turn.charges) }
            } else {
                After::Retry { delay_ms: 0 }
            };
            self.abort(key, after, &format!("{role} died"));
        }
        self.drop_asks(role, generation);
    }

    /// Taking back what a turn wrote kills memory each time: it is left as it is, and the owner is told.
    fn give_up_rollback(&mut self, key: TurnKey) {
        let Some(turn) = self.turns.get_mut(&key) else {
            return;
        };
        turn.stage = Stage::Waiting;
        turn.wrote = false;
        let attempt = turn.attempt.saturating_sub(1);
        let short = key.short();
        let text = format!(
            "I could not take back what turn {short} wrote; look at your files. `passepartout ctl snapshots` names them."
        );
        self.notice(&format!("rollback:{key}"), &text);
        self.append(Record::RollbackDone { key, attempt, conflicts: vec!["given up".into()] });
        self.park(key, "taking back what it wrote killed memory 3 times");
    }

    fn charge(&mut self, key: TurnKey, role: Role, death: Death, hung: bool) {
        let (cause, weight) = match death {
            Death::OutOfMemory => ("oom", 2),
            Death::Exit(_) | Death::Signal(_) | Death::NotBorn | Death::Held(_) if hung => ("hang", 1),
            Death::Exit(_) | Death::Signal(_) | Death::NotBorn | Death::Held(_) => ("crash", 1),
        };
        let Some(turn) = self.turns.get_mut(&key) else {
            return;
        };
        turn.charges = turn.charges.saturating_add(weight);
        let total = turn.charges;
        self.append(Record::Charged { key, role, cause: cause.into(), weight, total });
    }

    /// Questions of the dead are forgotten, questions to it are answered in its name.
    fn drop_asks(&mut self, role: Role, generation: u32) {
        self.asks.retain(|(asker, life, _), _| *asker != role || *life != generation);
        let orphaned: Vec<_> =
            self.asks.iter().filter(|(_, ask)| ask.header.to == role).map(|(key, _)| *key).collect();
        for key in orphaned {
            let Some(ask) = self.asks.remove(&key) else {
                continue;
            };
            match ask.own {
                None => self.nack(&ask.header, &Nack::Gone),
                // Asked again when memory is ready; offered again when somebody comes.
                Some(Own::Rollback(_) | Own::Deliver(_)) => {}
                Some(Own::Look { client } | Own::Mend { client, .. }) => {
                    self.refuse(client, 1, "memory died over this", "passepartout ctl status");
                }
            }
        }
    }

    /// Starts a role's next life.
    pub(super) fn spawn(&mut self, role: Role) {
        let now = self.now;
        let Some(seat) = self.seats.get_mut(&role) else {
            return;
        };
        seat.generation += 1;
        seat.ended = None;
        seat.current = None;
        seat.handled = 0;
        seat.actual =
            Actual::Starting { by: now + self.config.start_ms, latest: now + self.config.start_max_ms };
        let generation = seat.generation;
        self.effects.push(Effect::Spawn { role, generation });
    }

    /// Ends a role's process: SIGTERM now, SIGKILL later.
    pub(super) fn end(&mut self, role: Role, why: Ended) {
        let now = self.now;
        let Some(seat) = self.seats.get_mut(&role) else {
            return;
        };
        match seat.actual {
            Actual::Starting { .. } | Actual::Ready { .. } => {
                seat.ended = Some(why);
                seat.actual = Actual::Ending { by: now + self.config.term_ms, killed: false };
                let generation = seat.generation;
                self.effects.push(Effect::Kick { role, generation, kick: Kick::Term });
            }
            Actual::Backoff { .. } => seat.actual = Actual::Down,
            Actual::Down | Actual::Ending { .. } | Actual::Failed { .. } => {}
        }
    }

    /// Ends a role that cannot work with this supervisor; no retry.
    pub(super) fn give_up(&mut self, role: Role, why: String) {
        let Some(seat) = self.seats.get_mut(&role) else {
            return;
        };
        let generation = seat.generation;
        seat.actual = Actual::Failed { why };
        seat.pid = 0;
        self.effects.push(Effect::Kick { role, generation, kick: Kick::Kill });
        self.release(role, generation, None, Death::Exit(0), false);
    }
}
