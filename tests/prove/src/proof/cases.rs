//! `cases`: what users of such systems report, tried on ours (supervision spec F; the cases P of the peers). One
//! module per list; what needs a bridge or a model that this version does not have is named as skipped.

mod damage;
mod peers;
mod reports;

use super::Proof;
use crate::{Check, Fault, Outcome, Row, Setup, report::run_rows};

/// The proof.
pub const PROOF: Proof = Proof {
    name: "cases",
    arguments: "[ID]",
    summary: "public reports of others, tried on ours: F1 to F9, P1, P2, P6, P7, P11",
    run,
};

/// The cases in the order of their lists.
pub const ROWS: &[&Row] = &[
    &reports::F1,
    &reports::F2,
    &reports::F3,
    &reports::F4,
    &reports::F5,
    &reports::F6,
    &reports::F7,
    &reports::F8,
    &reports::F9,
    &peers::P1,
    &peers::P2,
    &damage::P6_MEMORY,
    &damage::P6_JOURNAL,
    &damage::P6_OLDER,
    &peers::P7,
    &peers::P11,
];

fn run(setup: &Setup) -> Check<Outcome> {
    setup.only(&[])?;
    let rows: Vec<&Row> = match setup.args.first() {
        None => ROWS.to_vec(),
        Some(id) => {
            let same = |name: &str| name.eq_ignore_ascii_case(id);
            ROWS.iter()
                .copied()
                .filter(|row| same(row.name) || row.name.split('-').next().is_some_and(same))
                .collect()
        }
    };
    if rows.is_empty() {
        let names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
        return Err(Fault(format!("no such case; there are: {}", names.join(" "))));
    }
    run_rows(setup, &rows)
}
