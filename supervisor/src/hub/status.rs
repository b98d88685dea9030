//! How the tree is: for the operator in full, for a person in a few lines.

use super::{Hub, Phase};
use crate::seat::{Actual, Desired, Seat};
use protocol::control::{RoleStatus, Status};

impl Hub {
    /// Returns everything there is to know.
    #[must_use]
    pub fn status(&self) -> Status {
        let mut counts = self.counts.clone();
        counts.open = self.turns.len() as u64;
        counts.running = self.turns.values().filter(|turn| turn.is_running()).count() as u64;
        counts.parked = self.state.parked().count() as u64;
        counts.uncertain = self.state.doubts().count() as u64;
        counts.undelivered = self.state.undelivered().count() as u64;
        Status {
            health: self.health().into(),
            pid: self.pid,
            version: env!("CARGO_PKG_VERSION").into(),
            uptime_s: (self.now - self.started) / 1000,
            memex: self.config.memex.clone(),
            roles: self.seats.values().map(|seat| self.role_status(seat)).collect(),
            counts,
            notices: self.findings(),
        }
    }

    fn role_status(&self, seat: &Seat) -> RoleStatus {
        let queue = self.asks.values().filter(|ask| ask.header.to == seat.role).count();
        let current = seat.current.map_or_else(String::new, |(key, since)| {
            format!("{} for {} ms", key.short(), self.now.saturating_sub(since))
        });
        RoleStatus {
            role: seat.role.as_str().into(),
            desired: if seat.desired == Desired::Up { "up" } else { "down" }.into(),
            actual: seat.word().into(),
            pid: seat.pid,
            generation: seat.generation,
            restarts: seat.restarts,
            last_death: seat.last_death.clone(),
            next_try_ms: match seat.actual {
                Actual::Backoff { at } => at.saturating_sub(self.now),
                Actual::Down
                | Actual::Starting { .. }
                | Actual::Ready { .. }
                | Actual::Ending { .. }
                | Actual::Failed { .. } => 0,
            },
            rss_kib: 0,
            handled: seat.handled,
            queue: u32::try_from(queue).unwrap_or(u32::MAX),
            current,
            note: seat.note.clone(),
            sandbox: seat.sandbox.clone(),
            degraded: match &seat.actual {
                Actual::Failed { why } => why.clone(),
                Actual::Down
                | Actual::Starting { .. }
                | Actual::Ready { .. }
                | Actual::Ending { .. }
                | Actual::Backoff { .. } => seat.degraded.clone(),
            },
        }
    }

    pub(super) fn health(&self) -> &'static str {
        let wanted = || self.seats.values().filter(|seat| seat.desired == Desired::Up);
        match self.phase {
            Phase::Finishing { .. } | Phase::Stopping { .. } | Phase::Left => "draining",
            Phase::Running if !self.findings().is_empty() => "degraded",
            Phase::Running if wanted().any(|seat| !seat.is_ready()) => "starting",
            Phase::Running => "healthy",
        }
    }

    /// What someone must look at, each with what to do.
    fn findings(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(why) = &self.closed {
            lines.push(format!("the journal takes nothing in ({why}): free some disk space"));
        }
        for seat in self.seats.values() {
            if let Actual::Failed { why } = &seat.actual {
                lines.push(format!("{} has stopped for good: {why}", seat.role));
            } else if seat.ladder.is_degraded() {
                lines.push(format!("{} keeps dying ({}): `ctl tail`", seat.role, seat.last_death));
            } else if !seat.degraded.is_empty() {
                lines.push(format!("{}: {}", seat.role, seat.degraded));
            }
        }
        let parked = self.state.parked().count();
        if parked > 0 {
            lines.push(format!("{parked} set aside: `ctl parked list`"));
        }
        let doubts = self.state.doubts().count();
        if doubts > 0 {
            lines.push(format!("{doubts} uncertain: `ctl uncertain list`"));
        }
        if !self.config.faults.is_empty() {
            lines.push("faults are ordered in the settings: remove [faults] from the config".into());
        }
        lines
    }

    /// The same for a person in a chat.
    pub(super) fn status_text(&self) -> String {
        let status = self.status();
        let mut lines = vec![format!(
            "I am {}. Up for {}, {} requests done, {} open.",
            status.health,
            span(status.uptime_s),
            status.counts.done,
            status.counts.open
        )];
        if let Some(memory) = status.roles.iter().find(|role| role.role == "memory") {
            lines.push(format!("Memory: {}.", memory.note));
        }
        lines.extend(status.notices.iter().map(|line| format!("- {line}")));
        lines.join("\n")
    }
}

fn span(seconds: u64) -> String {
    match seconds {
        0..=119 => format!("{seconds} seconds"),
        120..=7199 => format!("{} minutes", seconds / 60),
        7200..=172_799 => format!("{} hours", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}
