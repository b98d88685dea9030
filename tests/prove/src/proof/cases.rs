//! `cases`: the rows of the table of cases (supervision spec A3), each tried on a real daemon.

use super::Proof;
use crate::{Check, Outcome, Row, Setup, report::run_rows};
pub const PROOF: Proof = Proof { name: "cases", arguments: "[ID]", summary: "each testable row of the table of cases", run };
pub const ROWS: &[&Row] = &[];
fn run(setup: &Setup) -> Check<Outcome> { run_rows(setup, ROWS) }
