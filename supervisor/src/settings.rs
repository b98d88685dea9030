//! The one TOML file, read strictly: a key that is not known is a fault, never ignored, because a misspelt limit is no
//! limit. All faults are reported at once, and with any fault nothing of the file is in force. Reads no file and no
//! environment itself.

mod example;
mod fault;
mod parse;
mod reload;
mod roles;
mod schema;
mod value;

#[cfg(test)]
mod tests;

pub use example::example;
pub use fault::{Fault, Problem};
pub use reload::{Change, Needs, Reload};

use protocol::{lifecycle, role::Role};
use std::{collections::BTreeMap, time::Duration};

/// Everything that can be set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The owner's folder of Org files; `~` is not expanded yet.
    pub memex: String,
    /// IANA name of the owner's time zone; empty means the system's.
    pub zone: String,
    /// How life and death of actors are judged.
    pub health: Health,
    /// When dead ones are started again.
    pub restart: Restart,
    /// Bounds of turns.
    pub turn: Turns,
    /// The journal's files.
    pub journal: Journal,
    /// How long stopping may take.
    pub drain: Drain,
    /// What to do with actors of a dead supervisor.
    pub orphan: Orphan,
    /// Confinement.
    pub sandbox: Sandbox,
    /// Per actor; holds each role of [`Role::ACTORS`].
    pub roles: BTreeMap<Role, RoleSettings>,
    /// What is logged.
    pub log: Log,
    /// Faults for the crash suites.
    pub faults: Faults,
}

/// How life and death of actors are judged.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Health {
    /// Between two pings.
    pub ping: Duration,
    /// Pings without answer after which an actor hangs.
    pub misses: u32,
    /// From birth to ready.
    pub start: Duration,
    /// The same, while it reports progress.
    pub start_max: Duration,
    /// Past a deadline, before an actor hangs.
    pub grace: Duration,
    /// From SIGTERM to SIGKILL.
    pub term: Duration,
}

/// When dead actors are started again.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Restart {
    /// Delay before each start; the last one repeats.
    pub ladder: Vec<Duration>,
    /// How much each delay varies.
    pub jitter_percent: u32,
    /// After this long without trouble the ladder begins anew.
    pub healthy: Duration,
    /// Deaths within the window that make a role degraded.
    pub degraded_after: u32,
    /// The window.
    pub degraded_window: Duration,
    /// Between the tries of a degraded role.
    pub degraded_every: Duration,
}

/// Bounds of turns.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Turns {
    /// Results that come back as new inputs.
    pub depth: u8,
    /// In hand at the same time.
    pub running: usize,
    /// Accepted and waiting.
    pub waiting: usize,
    /// Tries of a turn whose trouble may pass.
    pub retries: u8,
    /// For one step of a turn.
    pub deadline: Duration,
}

/// The journal's files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Journal {
    /// A segment is sealed at this size.
    pub segment_bytes: u64,
    /// Segments that are kept.
    pub segments: usize,
    /// Space that is freed when the disk is full.
    pub reserve_bytes: u64,
    /// Keys of ended turns that are remembered.
    pub done_keys: usize,
    /// For how many days at most.
    pub done_days: u32,
}

/// How long stopping may take.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Drain {
    /// For one step in hand.
    pub step: Duration,
    /// For everything.
    pub total: Duration,
    /// For everything, when asked twice.
    pub quick: Duration,
}

/// What to do with actors of a dead supervisor.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Orphan {
    /// How long to wait for them.
    pub wait: Duration,
}

/// Confinement.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sandbox {
    /// Whether actors refuse to run without it.
    pub require: bool,
}

/// One actor.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RoleSettings {
    /// Whether it is started.
    pub enabled: bool,
    /// How much memory it may take, in MiB.
    pub memory_mib: u32,
}

/// What is logged.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Log {
    /// `error`, `warn`, `info`, `debug` or `trace`.
    pub level: String,
}

/// Faults for the crash suites.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Faults {
    /// File that stands for an outside service; empty means none.
    pub outside: String,
    /// What is acted out.
    pub inject: Vec<lifecycle::Fault>,
}

impl Settings {
    /// Reads the text of a configuration file. `file` is its name, for the faults.
    ///
    /// # Errors
    /// All faults of the file, by line. Nothing of it may be used then.
    pub fn parse(text: &str, file: &str) -> Result<Self, Vec<Fault>> {
        Self::parse_with(text, file, &|_| true)
    }

    /// As [`Self::parse`], and asks whether the zone exists, which only the caller's zone data can tell.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn parse_with(
        text: &str,
        file: &str,
        zone_exists: &dyn Fn(&str) -> bool,
    ) -> Result<Self, Vec<Fault>> {
        parse::parse(text, file, zone_exists, schema::RENAMED)
    }
}

impl Default for Settings {
    /// Returns what the schema says when the file says nothing.
    fn default() -> Self {
        let mut settings = Self {
            memex: String::new(),
            zone: String::new(),
            health: Health::default(),
            restart: Restart::default(),
            turn: Turns::default(),
            journal: Journal::default(),
            drain: Drain::default(),
            orphan: Orphan::default(),
            sandbox: Sandbox::default(),
            roles: BTreeMap::new(),
            log: Log::default(),
            faults: Faults::default(),
        };
        for key in schema::sections().flat_map(|section| section.keys) {
            key.set_default(&mut settings);
        }
        for role in Role::ACTORS {
            let mut of_role = RoleSettings::default();
            for key in roles::ROLE_KEYS {
                key.set_default(&mut of_role);
            }
            settings.roles.insert(role, of_role);
        }
        settings
    }
}
