//! The executable proofs: each starts a real daemon in a home of its own, hurts it, and judges what is left.
//! Never looks inside the daemon: only sockets, files, signals and what the kernel tells.

pub mod client;
pub mod home;
pub mod instance;
pub mod org;
pub mod procs;
pub mod proof;
pub mod random;
pub mod report;
pub mod wait;
pub mod wire;

pub use home::Home;
pub use instance::Instance;
pub use report::{Check, Fault, Outcome, Row};

use std::path::PathBuf;

/// What a proof is run with.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The product's binary.
    pub binary: PathBuf,
    /// How thorough to be.
    pub scale: Scale,
    /// What was said on the command line behind the name.
    pub args: Vec<String>,
}

/// How thorough to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// A few seconds, as part of the tests.
    Short,
    /// As the goal says.
    Full,
}

impl Setup {
    /// Takes one number for the short form, another for the full one.
    #[must_use]
    pub fn pick<T>(&self, short: T, full: T) -> T {
        match self.scale {
            Scale::Short => short,
            Scale::Full => full,
        }
    }

    /// Returns a bound on a time in ms. Debug builds beside a build prove order, not speed: the short form allows more.
    #[must_use]
    pub fn bound(&self, ms: f64) -> f64 {
        ms * self.pick(10.0, 1.0)
    }

    /// Returns the number behind an option such as `--turns`.
    ///
    /// # Errors
    /// When what stands there is no number.
    pub fn number(&self, option: &str) -> Check<Option<u64>> {
        let Some(at) = self.args.iter().position(|arg| arg == option) else {
            return Ok(None);
        };
        let value = self.args.get(at + 1).map(String::as_str).unwrap_or("");
        match value.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(Fault(format!("{option} wants a number, not `{value}`"))),
        }
    }

    /// Refuses options that the proof does not have.
    ///
    /// # Errors
    /// Naming the first one.
    pub fn only(&self, options: &[&str]) -> Check {
        match self.args.iter().find(|arg| arg.starts_with("--") && !options.contains(&arg.as_str())) {
            Some(unknown) => {
                Err(Fault(format!("unknown option {unknown}; there are: {}", options.join(" "))))
            }
            None => Ok(()),
        }
    }
}
