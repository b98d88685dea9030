//! stub
use crate::journal::Options;
use protocol::{lifecycle::Fault, role::Role};
#[derive(Debug, Clone, Default)]
pub struct Settings {
    pub zone: String,
    pub memex: String,
    pub health: Health,
    pub restart: Restart,
    pub turn: Turn,
    pub journal: JournalSettings,
    pub drain: Drain,
    pub sandbox: Sandbox,
    pub log: Log,
    pub faults: Faults,
}
#[derive(Debug, Clone, Default)]
pub struct Health {
    pub ping_ms: u64,
    pub misses: u32,
    pub start_ms: u64,
    pub start_max_ms: u64,
    pub grace_ms: u64,
    pub term_ms: u64,
}
#[derive(Debug, Clone, Default)]
pub struct Restart {
    pub ladder_ms: Vec<u64>,
    pub jitter_percent: u8,
    pub healthy_ms: u64,
    pub degraded_after: usize,
    pub degraded_window_ms: u64,
    pub degraded_every_ms: u64,
}
#[derive(Debug, Clone, Default)]
pub struct Turn {
    pub depth: u8,
    pub running: usize,
    pub waiting: usize,
    pub retries: u8,
}
#[derive(Debug, Clone, Default)]
pub struct JournalSettings {}
impl JournalSettings {
    pub fn options(&self) -> Options {
        Options::default()
    }
}
#[derive(Debug, Clone, Default)]
pub struct Drain {
    pub step_ms: u64,
    pub total_ms: u64,
    pub quick_ms: u64,
}
#[derive(Debug, Clone, Default)]
pub struct Sandbox {
    pub require: bool,
}
#[derive(Debug, Clone, Default)]
pub struct Log {
    pub level: String,
}
#[derive(Debug, Clone, Default)]
pub struct Faults {
    pub outside: String,
    pub inject: Vec<Fault>,
}
#[derive(Debug, Clone, Default)]
pub struct RoleSettings {
    pub enabled: bool,
    pub memory_mib: u32,
}
impl Settings {
    pub fn parse(_: &str, _: &str) -> Result<Self, Vec<String>> {
        Ok(Self::default())
    }
    pub fn role(&self, _: Role) -> RoleSettings {
        RoleSettings::default()
    }
}
