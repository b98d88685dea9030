//! `chaos`: kill any process at any moment and nothing is lost or doubled. First each actor at each step of a turn, by
//! name; then at random, under load.

use super::{Proof, points, storm};
use crate::{Check, Fault, Outcome, Setup, report::pass};

/// The proof.
pub const PROOF: Proof = Proof {
    name: "chaos",
    arguments: "--turns N --seed S --seconds N",
    summary: "kill anything at any moment: nothing lost, nothing doubled",
    run,
};

fn run(setup: &Setup) -> Check<Outcome> {
    setup.only(&[
        "--turns",
        "--seed",
        "--seconds",
        "--points-only",
        "--storm-only",
        "--calm",
        "--moments",
    ])?;
    let only = |word: &str| setup.args.iter().any(|arg| arg == word);
    // The second part is run whatever the first one says: each has its own faults to find.
    let mut parts = Vec::new();
    if !only("--storm-only") {
        parts.push(points::run(setup));
    }
    if !only("--points-only") {
        parts.push(storm::run(setup));
    }
    let failed = parts.iter().any(Result::is_err);
    let words: Vec<String> = parts.into_iter().map(|part| part.unwrap_or_else(|fault| fault.0)).collect();
    if failed { Err(Fault(words.join("; "))) } else { pass(words.join("; ")) }
}
