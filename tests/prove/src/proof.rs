//! The list of proofs. Another one is a module and a line here.

pub mod bench;
pub mod cases;
pub mod chaos;
pub mod context;
pub mod edits;
pub mod guarantees;
pub mod org;
mod points;
pub mod scale;
pub mod store;
mod storm;

use crate::{Check, Outcome, Setup};

/// A proof with the name by which it is run.
#[derive(Debug)]
pub struct Proof {
    /// Its name.
    pub name: &'static str,
    /// Its arguments, as the list shows them.
    pub arguments: &'static str,
    /// What it shows, in one line.
    pub summary: &'static str,
    /// Shows it.
    pub run: fn(&Setup) -> Check<Outcome>,
}

/// All proofs, in the order of the list.
pub const PROOFS: &[Proof] = &[
    chaos::PROOF,
    guarantees::PROOF,
    cases::PROOF,
    bench::PROOF,
    org::PROOF,
    edits::PROOF,
    store::PROOF,
    scale::PROOF,
    context::PROOF,
];
