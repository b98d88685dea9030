//! `guarantees`: the rows of the table of guarantees (supervision spec A3), each tried on a real daemon.

pub(super) use system::{CLOCK, MEMORY, ORPHANS};

mod death;
mod end;
mod hang;
mod peers;
mod system;

use super::Proof;
use crate::{Check, Fault, Outcome, Row, Setup, report::run_rows};

/// The proof.
pub const PROOF: Proof = Proof {
    name: "guarantees",
    arguments: "[ROW]",
    summary: "each testable row of the table of guarantees",
    run,
};

/// The rows, in the order of the table.
pub const ROWS: &[&Row] = &[
    &death::CRASH,
    &death::EXIT_0,
    &hang::FROZEN,
    &hang::SPINNING,
    &hang::SLEEPING,
    &death::CRASH_LOOP,
    &death::SLOW_START,
    &end::MID_EFFECT,
    &end::HELD_LOCK,
    &end::TERMINATED,
    &end::INTERRUPTED,
    &end::TWICE,
    &end::HANGUP,
    &peers::GONE,
    &system::DESCRIPTORS,
    &system::ORPHANS,
    &system::MEMORY,
    &system::DISK,
    &system::CLOCK,
    &hang::SUSPENDED,
    &system::UPGRADE,
    &system::NO_DESCRIPTORS,
    &system::NO_PROCESSES,
    &end::TWO,
    &peers::DEAF_OPERATOR,
    &peers::DEAF_PERSON,
    &peers::LONG_LISTS,
];

fn run(setup: &Setup) -> Check<Outcome> {
    setup.only(&[])?;
    let rows: Vec<&Row> = match setup.args.first() {
        None => ROWS.to_vec(),
        Some(name) => ROWS.iter().copied().filter(|row| row.name.contains(name.as_str())).collect(),
    };
    if rows.is_empty() {
        let names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
        return Err(Fault(format!("no such row; there are: {}", names.join(" "))));
    }
    run_rows(setup, &rows)
}
