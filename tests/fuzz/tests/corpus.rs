//! The corpora and some thousand seeded mutations of them, on every run of the tests.

#![expect(clippy::unwrap_used, reason = "a test: a panic is its verdict")]

use prove_fuzz::{Mutator, TARGETS, corpus, segment, target};
use std::{
    collections::BTreeSet,
    io::{self, Write as _},
};
use supervisor::journal::replay_bytes;

/// Mutations per target and run: a few seconds without optimisation. `fuzzloop` does the long runs.
const MUTATIONS: usize = 3_000;

/// Changing it changes what is tried; a failure names the mutation that can be had again with it.
const SEED: u64 = 20_261_130;

/// Types of records in the journal.
const RECORD_KINDS: usize = 21;

/// Names the input that is being tried, should it be the one that breaks something.
struct Trying<'a> {
    what: String,
    input: &'a [u8],
}

impl Drop for Trying<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let shown = self.input.escape_ascii();
            drop(writeln!(io::stderr(), "{}: b\"{shown}\"", self.what));
        }
    }
}

fn holds(name: &str) {
    let target = target(name).unwrap();
    let attempt = |what: String, input: &[u8]| {
        let _trying = Trying { what, input };
        (target.run)(input);
    };
    let seeds = corpus(target);
    assert!(!seeds.is_empty(), "no corpus for {name}");
    for (file, input) in &seeds {
        attempt(format!("corpus/{name}/{file}"), input);
    }
    let mut mutator = Mutator::new(target, SEED);
    for number in 0..MUTATIONS {
        attempt(format!("mutation {number}"), &mutator.input());
    }
}

#[test]
fn any_bytes_are_frames_or_refused() {
    holds("frames");
}

#[test]
fn any_text_is_a_configuration_or_refused() {
    holds("config");
}

#[test]
fn any_bytes_are_expressions_or_refused() {
    holds("sexp");
}

#[test]
fn any_bytes_are_a_journal_or_damage() {
    holds("journal");
}

#[test]
fn any_words_are_understood_somehow() {
    holds("reflex");
}

#[test]
fn any_bytes_are_an_org_file() {
    holds("org");
}

#[test]
fn every_target_has_a_function_for_libfuzzer() {
    for target in TARGETS {
        let path = format!("{}/targets/{}.rs", env!("CARGO_MANIFEST_DIR"), target.name);
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains(&format!("prove_fuzz::{}(", target.name)));
    }
}

#[test]
fn every_record_of_the_journal_has_a_seed() {
    let journal = corpus(target("journal").unwrap());
    let (_, seed) = journal.iter().find(|(name, _)| name == "every-record").unwrap();
    let kinds: BTreeSet<&str> = std::str::from_utf8(&seed[1..])
        .unwrap()
        .lines()
        .map(|line| line.split('"').nth(3).unwrap())
        .collect();
    assert_eq!(kinds.len(), RECORD_KINDS, "a new record wants a line in corpus/journal/every-record");
    let (segment, count) = segment(&seed[1..]);
    let (_, records, bad) = replay_bytes(&segment);
    assert_eq!((records, bad), (count, 0), "each line is a record of its own kind");
    assert_eq!(kinds.len() as u64, count);
}
