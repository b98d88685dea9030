//! `chaos`: kill any process at any moment and nothing is lost or doubled. First each actor at each step of a turn, by
//! name; then at random, under load.

use super::{Proof, points, storm};
use crate::{Check, Outcome, Setup, report::pass};

/// The proof.
pub const PROOF: Proof = Proof {
    name: "chaos",
    arguments: "--turns N --seed S --seconds N",
    summary: "kill anything at any moment: nothing lost, nothing doubled",
    run,
};

fn run(setup: &Setup) -> Check<Outcome> {
    setup.only(&["--turns", "--seed", "--seconds", "--points-only", "--storm-only", "--calm"])?;
    let only = |word: &str| setup.args.iter().any(|arg| arg == word);
    let mut figures = Vec::new();
    if !only("--storm-only") {
        figures.push(points::run(setup)?);
    }
    if !only("--points-only") {
        figures.push(storm::run(setup)?);
    }
    pass(figures.join("; "))
}
