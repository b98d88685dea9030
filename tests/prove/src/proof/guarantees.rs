//! `guarantees`: the rows of the table of guarantees (supervision spec A3), each tried on a real daemon.

use super::Proof;
use crate::{Check, Outcome, Row, Setup, report::run_rows};
pub const PROOF: Proof = Proof { name: "guarantees", arguments: "[ROW]", summary: "each testable row of the table of guarantees", run };
pub const ROWS: &[&Row] = &[];
fn run(setup: &Setup) -> Check<Outcome> { run_rows(setup, ROWS) }
