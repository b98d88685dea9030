//! From settings, which people write, to the hub's measures, which it counts with.

use crate::{
    hub::Config,
    journal::Options,
    restart::Policy,
    settings::{Restart, Settings},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// Puts the hub's measures together. `zone` is the system's, for settings that name none.
#[must_use]
pub fn config(settings: &Settings, zone: &str, places: Places) -> Config {
    let mut memory_mib = BTreeMap::new();
    let mut disabled = BTreeSet::new();
    for (role, of) in &settings.roles {
        memory_mib.insert(*role, of.memory_mib);
        if !of.enabled {
            disabled.insert(*role);
        }
    }
    let zone = if settings.zone.is_empty() { zone } else { &settings.zone };
    Config {
        memex: places.memex,
        memory_state: places.memory_state,
        local_socket: places.local_socket,
        zone: zone.to_owned(),
        faults: settings.faults.inject.clone(),
        outside: settings.faults.outside.clone(),
        require_sandbox: settings.sandbox.require,
        memory_mib,
        disabled,
        restart: policy(&settings.restart),
        ping_ms: ms(settings.health.ping),
        misses: settings.health.misses,
        start_ms: ms(settings.health.start),
        start_max_ms: ms(settings.health.start_max),
        grace_ms: ms(settings.health.grace),
        term_ms: ms(settings.health.term),
        depth: settings.turn.depth,
        running: settings.turn.running,
        waiting: settings.turn.waiting,
        retries: settings.turn.retries,
        deadline_ms: ms(settings.turn.deadline),
        orphan_ms: ms(settings.orphan.wait),
        step_ms: ms(settings.drain.step),
        total_ms: ms(settings.drain.total),
        quick_ms: ms(settings.drain.quick),
    }
}

/// Where actors find their things, as absolute paths.
#[derive(Debug, Clone)]
pub struct Places {
    /// The memex.
    pub memex: String,
    /// Memory's state folder.
    pub memory_state: String,
    /// The local gateway's socket.
    pub local_socket: String,
}

/// Puts the journal's options together.
#[must_use]
pub fn journal(settings: &Settings) -> Options {
    let of = &settings.journal;
    Options {
        segment_bytes: of.segment_bytes,
        segments: of.segments,
        reserve_bytes: of.reserve_bytes,
        done_keys: of.done_keys,
        done_days: of.done_days,
        ..Options::default()
    }
}

fn policy(of: &Restart) -> Policy {
    Policy {
        ladder_ms: of.ladder.iter().copied().map(ms).collect(),
        jitter_percent: u8::try_from(of.jitter_percent).unwrap_or(100).min(100),
        healthy_ms: ms(of.healthy),
        degraded_after: usize::try_from(of.degraded_after).unwrap_or(usize::MAX),
        window_ms: ms(of.degraded_window),
        degraded_every_ms: ms(of.degraded_every),
    }
}

fn ms(of: Duration) -> u64 {
    u64::try_from(of.as_millis()).unwrap_or(u64::MAX)
}
