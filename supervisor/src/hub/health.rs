//! Time passes: pings, deadlines, late starts, restarts that are due. Every timer belongs to the life it was set for.

use super::{Effect, Hub, Kick, Own, Phase};
use crate::{
    seat::{Actual, Ended, Seat},
    turn::Stage,
};
use protocol::{
    lifecycle::{Nack, Pong, Progress},
    role::Role,
    route::Kind,
};

/// Longest sleep between two looks, in ms: also what the service manager's watchdog sees.
const LOOK_MS: u64 = 1_000;

/// How long after the start the service manager is told at the latest (supervision spec E8).
const ANNOUNCE_MS: u64 = 30_000;

impl Hub {
    /// Looks at every clock.
    pub fn tick(&mut self) {
        self.forgive_gap();
        self.last_tick = self.now;
        for role in Role::ACTORS {
            self.look_at(role);
        }
        self.expire_asks();
        self.expire_turns();
        self.wake_rested();
        self.look_at_drain();
        if !self.announced && self.now >= self.started + ANNOUNCE_MS {
            self.announced = true;
            self.effects.push(Effect::Announce);
        }
        self.dispatch();
        let health = self.health();
        if health != self.told_health {
            self.told_health = health;
            self.effects.push(Effect::Tell(health.to_owned()));
        }
    }

    /// Returns when to call [`Hub::tick`] next.
    pub fn wake_at(&mut self) -> u64 {
        let seats = self.seats.values().filter_map(Seat::wake_at);
        let asks = self.asks.values().map(|ask| ask.deadline);
        let rest = self.resting.first().map(|(until, _)| *until);
        let phase = match self.phase {
            Phase::Finishing { by } | Phase::Stopping { by } => Some(by),
            Phase::Running | Phase::Left => None,
        };
        let next = seats.chain(asks).chain(rest).chain(phase).min().unwrap_or(u64::MAX);
        self.wanted_tick = next.clamp(self.now + 1, self.now + LOOK_MS);
        self.wanted_tick
    }

    /// The machine slept, as the other clock tells: nobody else is to blame.
    pub fn forgive(&mut self, gap: u64) {
        for seat in self.seats.values_mut() {
            seat.forgive(gap);
        }
        for ask in self.asks.values_mut() {
            ask.deadline += gap;
        }
        for turn in self.turns.values_mut() {
            turn.since += gap;
        }
    }

    /// A look that comes two pings late means that the supervisor itself stood still.
    fn forgive_gap(&mut self) {
        let late = self.now.saturating_sub(self.wanted_tick);
        if late > 2 * self.config.ping_ms.min(LOOK_MS) {
            self.effects.push(Effect::Note(format!("stood still for {late} ms")));
            self.forgive(late);
        }
    }

    fn look_at(&mut self, role: Role) {
        let now = self.now;
        let Some(seat) = self.seats.get(&role) else {
            return;
        };
        match seat.actual {
            Actual::Backoff { at } if at <= now => self.spawn(role),
            Actual::Starting { by, latest } if by.min(latest) <= now => {
                self.effects.push(Effect::Note(format!("{role} is not ready in time")));
                self.end(role, Ended::Hung);
            }
            Actual::Ending { by, killed } if by <= now => {
                if let Some(seat) = self.seats.get_mut(&role) {
                    seat.actual = Actual::Ending { by: now + self.config.term_ms, killed: true };
                    let generation = seat.generation;
                    self.effects.push(Effect::Kick { role, generation, kick: Kick::Kill });
                }
                if killed {
                    self.effects.push(Effect::Complain(format!("{role} survives SIGKILL")));
                }
            }
            Actual::Ready { since } => self.check(role, since),
            Actual::Down
            | Actual::Backoff { .. }
            | Actual::Starting { .. }
            | Actual::Ending { .. }
            | Actual::Failed { .. } => {}
        }
    }

    fn check(&mut self, role: Role, since: u64) {
        let now = self.now;
        let (ping_ms, misses_max) = (self.config.ping_ms, self.config.misses);
        let patience = self.config.deadline_ms + self.config.grace_ms;
        let healthy = self.config.restart.healthy_ms;
        let Some(seat) = self.seats.get_mut(&role) else {
            return;
        };
        if seat.done > 0 && now >= since + healthy {
            seat.ladder.recovered();
        }
        let stuck = seat.current.is_some_and(|(_, at)| now > at + patience);
        let stalled = seat.stalled_since.is_some_and(|at| now > at + 5_000);
        if seat.ping_at > now && !stuck && !stalled {
            return;
        }
        if seat.misses >= misses_max || stuck || stalled {
            self.effects.push(Effect::Note(format!("{role} hangs")));
            self.end(role, Ended::Hung);
            return;
        }
        seat.misses += 1;
        seat.ping_at = now + ping_ms;
        let header = self.header(Kind::Ping, role);
        self.tell(header, &());
    }

    pub(super) fn pong(&mut self, role: Role, pong: Pong) {
        let Some(seat) = self.seats.get_mut(&role) else {
            return;
        };
        seat.misses = 0;
        seat.handled = pong.handled;
        if !pong.note.is_empty() {
            seat.note = pong.note;
        }
        seat.degraded = pong.degraded;
    }

    pub(super) fn progress(&mut self, role: Role, progress: &Progress) {
        let now = self.now;
        let start_ms = self.config.start_ms;
        let Some(seat) = self.seats.get_mut(&role) else {
            return;
        };
        if let Actual::Starting { by, latest } = &mut seat.actual {
            *by = (now + start_ms).min(*latest);
            seat.note = format!("{} of {}: {}", progress.done, progress.total, progress.what);
        }
    }

    /// Writing to a role stalls, or goes on.
    pub fn stalled(&mut self, role: Role, generation: u32, stalls: bool) {
        let now = self.now;
        if let Some(seat) = self.seats.get_mut(&role)
            && seat.generation == generation
        {
            seat.stalled_since = stalls.then(|| seat.stalled_since.unwrap_or(now));
        }
    }

    /// Questions past their deadline are answered here; the receiver's answer is dropped when it comes.
    fn expire_asks(&mut self) {
        let now = self.now;
        let late: Vec<_> =
            self.asks.iter().filter(|(_, ask)| ask.deadline <= now).map(|(key, _)| *key).collect();
        for key in late {
            let Some(ask) = self.asks.remove(&key) else {
                continue;
            };
            match ask.own {
                None => self.nack(&ask.header, &Nack::Timeout),
                Some(Own::Rollback(turn)) => {
                    let attempt = self.turns.get(&turn).map_or(0, |t| t.attempt.saturating_sub(1));
                    self.ask_rollback(turn, attempt);
                }
                Some(Own::Deliver(_)) => {}
                Some(Own::Look { client } | Own::Mend { client, .. }) => {
                    self.refuse(client, 5, "memory did not answer in time", "passepartout ctl status");
                }
            }
        }
    }

    /// A turn that stays with an actor which does not even say that it has it was lost on the way: try again.
    fn expire_turns(&mut self) {
        let limit = self.config.deadline_ms + self.config.grace_ms;
        let now = self.now;
        let lost: Vec<_> = self
            .turns
            .values()
            .filter(|turn| matches!(turn.stage, Stage::At(_)) && now > turn.since + limit)
            .map(|turn| turn.key)
            .collect();
        for key in lost {
            let trouble = protocol::outcome::Trouble {
                tier: protocol::outcome::Tier::Transient,
                code: "turn.timeout".into(),
                sentence: "This took too long, so I stopped.".into(),
            };
            self.trouble(key, trouble);
        }
    }

    /// Tells the service manager once memory and every gateway can work.
    pub(super) fn announce(&mut self) {
        let up =
            |role: &Role| self.is_ready(*role) || self.seat(*role).is_some_and(|s| s.ladder.is_degraded());
        let gateways = Role::ACTORS.iter().filter(|role| role.is_gateway());
        if !self.announced && self.is_ready(Role::Memory) && gateways.into_iter().all(up) {
            self.announced = true;
            self.effects.push(Effect::Announce);
        }
    }
}
