//! What a proof, or a row of it, comes to.

use crate::Setup;
use std::fmt;

/// Why a proof failed, for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault(pub String);

/// A step of a proof.
pub type Check<T = ()> = Result<T, Fault>;

/// How a proof ended that did not fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// With these figures.
    Pass(String),
    /// Not run, and why; never counts as passed.
    Skip(String),
}

/// One line of a table of proofs.
#[derive(Debug)]
pub struct Row {
    /// How it is called.
    pub name: &'static str,
    /// What it shows, in a few words.
    pub about: &'static str,
    /// Shows it.
    pub run: fn(&Setup) -> Check<Outcome>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<link::Error> for Fault {
    fn from(error: link::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<rustix::io::Errno> for Fault {
    fn from(error: rustix::io::Errno) -> Self {
        Self(error.to_string())
    }
}

impl From<String> for Fault {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Fault {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

/// Fails with a sentence unless something holds.
#[macro_export]
macro_rules! ensure {
    ($holds:expr, $($words:tt)+) => {
        // Named, because `!` before a comparison reads badly.
        match $holds {
            true => {}
            false => return Err($crate::Fault(format!($($words)+))),
        }
    };
}

/// Passes with figures.
///
/// # Errors
/// Never; spares the rows an `Ok`.
pub fn pass(figures: impl Into<String>) -> Check<Outcome> {
    Ok(Outcome::Pass(figures.into()))
}

/// Runs the rows one after the other, prints a line for each, and sums up.
///
/// # Errors
/// When a row failed.
pub fn run_rows(setup: &Setup, rows: &[&Row]) -> Check<Outcome> {
    let (mut passed, mut skipped, mut failed) = (0, Vec::new(), Vec::new());
    for row in rows {
        let begun = crate::wait::now();
        let result = (row.run)(setup);
        let took = begun.elapsed().as_secs_f32();
        match result {
            Ok(Outcome::Pass(figures)) => {
                passed += 1;
                println!("  {:<24} PASS  {figures}  [{took:.1} s]", row.name);
            }
            Ok(Outcome::Skip(why)) => {
                skipped.push(row.name);
                println!("  {:<24} SKIPPED  {why}", row.name);
            }
            Err(fault) => {
                println!("  {:<24} FAIL  {fault}  [{took:.1} s]", row.name);
                failed.push(format!("{}: {fault}", row.name));
            }
        }
    }
    let mut figures = format!("{passed} of {} rows hold", rows.len());
    if !skipped.is_empty() {
        figures.push_str(&format!(", {} skipped ({})", skipped.len(), skipped.join(", ")));
    }
    if failed.is_empty() {
        pass(figures)
    } else {
        Err(Fault(format!("{figures}, {} failed ({})", failed.len(), failed.join("; "))))
    }
}

/// Returns the value below which `percent` of the sorted values lie.
#[must_use]
pub fn percentile(sorted: &[f64], percent: f64) -> f64 {
    if sorted.is_empty() {
        return 0.0;
    }
    let last = sorted.len() - 1;
    let at = (percent / 100.0 * last as f64).ceil() as usize;
    sorted[at.min(last)]
}

/// Returns p50, p99 and the largest of some values, sorted on the way.
#[must_use]
pub fn spread(values: &mut [f64]) -> (f64, f64, f64) {
    values.sort_by(f64::total_cmp);
    (percentile(values, 50.0), percentile(values, 99.0), values.last().copied().unwrap_or(0.0))
}
