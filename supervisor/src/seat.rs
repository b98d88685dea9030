//! One role as the hub sees it: what is wanted, what is, how healthy. Pure; the `child` that fills the seat is elsewhere.

use crate::restart::Ladder;
use protocol::{id::TurnKey, role::Role};

/// What the operator or the settings want.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Desired {
    /// It runs.
    Up,
    /// It does not.
    Down,
}

/// What is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actual {
    /// No process.
    Down,
    /// A process that is not ready yet; liveness is not judged before.
    Starting {
        /// When it must be ready, extended by progress.
        by: u64,
        /// When not even progress extends it any more.
        latest: u64,
    },
    /// At work.
    Ready {
        /// Since when.
        since: u64,
    },
    /// Asked to end.
    Ending {
        /// Killed if it has not by then.
        by: u64,
        /// Whether it was killed already.
        killed: bool,
    },
    /// Dead; tried again later.
    Backoff {
        /// When.
        at: u64,
    },
    /// Dead, and trying again does not help.
    Failed {
        /// Why, and what to do.
        why: String,
    },
}

/// Why a process is being ended by us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The operator or a drain wants it down: nobody is charged.
    Wanted,
    /// It hung: the turn in hand is charged.
    Hung,
}

/// A role.
#[derive(Debug, Clone)]
pub struct Seat {
    /// Which.
    pub role: Role,
    /// What is wanted.
    pub desired: Desired,
    /// What is.
    pub actual: Actual,
    /// Which life, from 1.
    pub generation: u32,
    /// Process id, 0 when there is none.
    pub pid: u32,
    /// Set when we end the process ourselves.
    pub ended: Option<Ended>,
    /// Where it is on the delay ladder.
    pub ladder: Ladder,
    /// Deaths that nobody asked for.
    pub restarts: u32,
    /// Cause of the last death.
    pub last_death: String,
    /// Turn in hand and since when: told started, not yet rested.
    pub current: Option<(TurnKey, u64)>,
    /// Messages done in this life.
    pub done: u64,
    /// Pings without answer.
    pub misses: u32,
    /// When the next ping goes out.
    pub ping_at: u64,
    /// What it said of itself.
    pub note: String,
    /// Why it is not in full service.
    pub degraded: String,
    /// What confines it.
    pub sandbox: String,
    /// Whether every layer of the confinement is in force.
    pub confined: bool,
    /// Messages handled, as it counts.
    pub handled: u64,
    /// Since when a process of an earlier supervisor holds its lock.
    pub held_since: Option<u64>,
    /// When writing to it began to stall, if it does.
    pub stalled_since: Option<u64>,
}

impl Seat {
    /// Returns an empty seat.
    #[must_use]
    pub fn new(role: Role) -> Self {
        Self {
            role,
            desired: Desired::Up,
            actual: Actual::Down,
            generation: 0,
            pid: 0,
            ended: None,
            ladder: Ladder::default(),
            restarts: 0,
            last_death: String::new(),
            current: None,
            done: 0,
            misses: 0,
            ping_at: 0,
            note: String::new(),
            degraded: String::new(),
            sandbox: String::new(),
            confined: false,
            handled: 0,
            held_since: None,
            stalled_since: None,
        }
    }

    /// Says whether it is at work.
    #[must_use]
    pub const fn is_ready(&self) -> bool {
        matches!(self.actual, Actual::Ready { .. })
    }

    /// Says whether there is a process.
    #[must_use]
    pub const fn is_alive(&self) -> bool {
        matches!(self.actual, Actual::Starting { .. } | Actual::Ready { .. } | Actual::Ending { .. })
    }

    /// Returns the state as the operator reads it.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match &self.actual {
            Actual::Down => "down",
            Actual::Starting { .. } => "starting",
            Actual::Ready { .. } => "ready",
            Actual::Ending { .. } => "draining",
            Actual::Backoff { .. } if self.ladder.is_degraded() => "degraded",
            Actual::Backoff { .. } => "backoff",
            Actual::Failed { .. } => "failed",
        }
    }

    /// Returns when this seat wants to be looked at again.
    #[must_use]
    pub fn wake_at(&self) -> Option<u64> {
        match self.actual {
            Actual::Starting { by, .. } | Actual::Ending { by, .. } => Some(by),
            Actual::Backoff { at } => Some(at),
            Actual::Ready { .. } => Some(self.ping_at),
            Actual::Down | Actual::Failed { .. } => None,
        }
    }

    /// Moves every deadline by a hole in time: the supervisor itself was stopped or the machine asleep, and nobody else
    /// is to blame for that.
    pub fn forgive(&mut self, gap: u64) {
        self.misses = 0;
        match &mut self.actual {
            Actual::Starting { by, latest } => {
                *by += gap;
                *latest += gap;
            }
            Actual::Ending { by, .. } => *by += gap,
            Actual::Ready { .. } => self.ping_at += gap,
            Actual::Down | Actual::Backoff { .. } | Actual::Failed { .. } => {}
        }
        if let Some((_, since)) = &mut self.current {
            *since += gap;
        }
        if let Some(since) = &mut self.stalled_since {
            *since += gap;
        }
    }
}
