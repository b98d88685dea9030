//! The numbers of DESIGN section 9, each beside its physical limit or peer in the same run. Goals hold or the proof fails;
//! where a busy machine could blame us for its own slowness, the goal is widened by what the limit itself took.

mod limits;
mod tree;

pub(super) use tree::pss_kib;

use crate::{Check, Outcome, Setup, ensure, proof::Proof, report::pass};

/// The entry of the list.
pub const PROOF: Proof = Proof {
    name: "bench",
    arguments: "[tree]",
    summary: "numbers of DESIGN section 9, beside their limits",
    run,
};

fn run(setup: &Setup) -> Check<Outcome> {
    let group = setup.args.first().map_or("tree", String::as_str);
    ensure!(group == "tree", "there is no group `{group}`; there is: tree");
    tree::run(setup)
}

/// A table of figures with their goals.
#[derive(Debug, Default)]
pub(super) struct Table {
    missed: Vec<String>,
    shown: usize,
}

impl Table {
    /// Shows a figure that has a goal: it must stay below.
    pub(super) fn below(&mut self, what: &str, figure: f64, goal: f64, unit: &str, beside: &str) {
        let holds = figure <= goal;
        let word = if holds { "ok" } else { "MISSED" };
        println!("  {what:<44} {figure:>9.2} {unit:<3} goal {goal:>8.2}  {word:<6} {beside}");
        self.shown += 1;
        if !holds {
            self.missed.push(format!("{what} {figure:.2} {unit} > {goal:.2}"));
        }
    }

    /// Shows a figure that has none.
    pub(super) fn show(&self, what: &str, figure: f64, unit: &str, beside: &str) {
        println!("  {what:<44} {figure:>9.2} {unit:<3} {:21} {beside}", "");
    }

    pub(super) fn verdict(self, figures: &str) -> Check<Outcome> {
        ensure!(self.missed.is_empty(), "{}", self.missed.join("; "));
        pass(format!("{} goals hold; {figures}", self.shown))
    }
}
