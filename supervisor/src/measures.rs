//! From settings, which people write, to the hub's measures, which it counts with.

use crate::{hub::Config, restart::Policy, settings::Settings};
use protocol::role::Role;
use std::collections::{BTreeMap, BTreeSet};

/// Puts the hub's measures together.
#[must_use]
pub fn config(
    settings: &Settings,
    memex: String,
    memory_state: String,
    local_socket: String,
) -> Config {
    let mut memory_mib = BTreeMap::new();
    let mut disabled = BTreeSet::new();
    for role in Role::ACTORS {
        let of = settings.role(role);
        memory_mib.insert(role, of.memory_mib);
        if !of.enabled {
            disabled.insert(role);
        }
    }
    Config {
        memex,
        memory_state,
        local_socket,
        zone: settings.zone.clone(),
        faults: settings.faults.inject.clone(),
        outside: settings.faults.outside.clone(),
        require_sandbox: settings.sandbox.require,
        memory_mib,
        disabled,
        restart: Policy {
            ladder_ms: settings.restart.ladder_ms.clone(),
            jitter_percent: settings.restart.jitter_percent,
            healthy_ms: settings.restart.healthy_ms,
            degraded_after: settings.restart.degraded_after,
            window_ms: settings.restart.degraded_window_ms,
            degraded_every_ms: settings.restart.degraded_every_ms,
        },
        ping_ms: settings.health.ping_ms,
        misses: settings.health.misses,
        start_ms: settings.health.start_ms,
        start_max_ms: settings.health.start_max_ms,
        grace_ms: settings.health.grace_ms,
        term_ms: settings.health.term_ms,
        depth: settings.turn.depth,
        running: settings.turn.running,
        waiting: settings.turn.waiting,
        retries: settings.turn.retries,
        step_ms: settings.drain.step_ms,
        total_ms: settings.drain.total_ms,
        quick_ms: settings.drain.quick_ms,
    }
}
