//! What must hold for any bytes from outside: one function per parser. libFuzzer calls them (`targets/`), `fuzzloop`
//! calls them on a stable compiler, and the tests replay the corpora through them. Each panics when its promise is
//! broken, and that is all it does: no file, no clock.

mod chance;
mod config;
mod corpus;
mod dice;
mod frames;
mod journal;
mod mutate;
mod org;
mod reflex;
mod sexp;

pub use chance::Chance;
pub use config::config;
pub use corpus::{corpus, seeds};
pub use frames::{frames, fresh_frame};
pub use journal::{journal, segment};
pub use mutate::Mutator;
pub use org::org;
pub use reflex::reflex;
pub use sexp::sexp;

/// A parser of outside bytes.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// What it is called on the command line, and the name of its corpus.
    pub name: &'static str,
    /// What it reads, for people.
    pub about: &'static str,
    /// Puts bytes through it.
    pub run: fn(&[u8]),
    /// Words that lead into it, for the mutator.
    pub words: &'static [&'static str],
    /// Makes a well-formed input, where one can be made better than by hand.
    pub fresh: Option<fn(&mut Chance) -> Vec<u8>>,
}

/// Every target.
pub const TARGETS: [Target; 6] = [
    Target {
        name: "frames",
        about: "frames between processes: length, header, every body in every codec",
        run: frames,
        words: frames::WORDS,
        fresh: Some(fresh_frame),
    },
    Target {
        name: "config",
        about: "the configuration file",
        run: config,
        words: config::WORDS,
        fresh: None,
    },
    Target {
        name: "sexp",
        about: "frames of Emacs and scripts on the local socket",
        run: sexp,
        words: sexp::WORDS,
        fresh: None,
    },
    Target {
        name: "journal",
        about: "segments of the journal: torn, damaged, or well framed with strange records",
        run: journal,
        words: journal::WORDS,
        fresh: None,
    },
    Target {
        name: "reflex",
        about: "what a person types: perceived, understood, judged",
        run: reflex,
        words: reflex::WORDS,
        fresh: None,
    },
    Target {
        name: "org",
        about: "Org files: headlines and everything in them",
        run: org,
        words: org::WORDS,
        fresh: None,
    },
];

/// Finds a target by its name.
#[must_use]
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
