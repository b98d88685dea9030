//! Rules about files: their names, how they begin, how wide they are.

use super::{
    lex::LITERAL,
    tree::{SOURCES, TREE},
    verdict,
};

/// Widest line in characters. rustfmt keeps code to 100; this is for comments and prose.
const WIDTH_MAX: usize = 140;

/// Names that say nothing.
const NO_NAMES: [&str; 8] = ["utils", "util", "helpers", "helper", "common", "manager", "misc", "shared"];

#[test]
fn every_file_says_what_it_is_for() {
    let without =
        SOURCES.iter().filter(|source| !source.text.starts_with("//! ")).map(|source| source.path.to_owned());
    verdict(
        "Each Rust file opens with `//!`: what it is for and what it must never do.",
        &without.collect::<Vec<_>>(),
    );
}

#[test]
fn no_file_is_called_mod_or_has_a_name_that_says_nothing() {
    let mut broken = Vec::new();
    for source in SOURCES.iter() {
        let parts = source.path.trim_end_matches(".rs").split('/');
        if source.path.ends_with("/mod.rs") || parts.clone().any(|part| NO_NAMES.contains(&part)) {
            broken.push(source.path.to_owned());
        }
    }
    verdict(
        "`foo.rs` beside `foo/`, no `mod.rs`; and what has no better name than `utils` has no home yet.",
        &broken,
    );
}

#[test]
fn no_line_is_wider_than_a_screen() {
    let mut broken = Vec::new();
    for source in SOURCES.iter() {
        for ((number, line, _), text) in source.lines().zip(source.text.lines()) {
            // A literal that rustfmt cannot break does not count; a comment does.
            let literal = line.chars().filter(|c| *c == LITERAL).count();
            if text.chars().count() - literal > WIDTH_MAX {
                broken.push(source.place(number));
            }
        }
    }
    for file in TREE.iter().filter(|file| is_prose(&file.path)) {
        for (at, line) in file.text.lines().enumerate() {
            let is_table = line.starts_with('|');
            if !is_table && line.chars().count() > WIDTH_MAX {
                broken.push(format!("{}:{}", file.path, at + 1));
            }
        }
    }
    verdict(
        "No line has more than 140 characters (tables in Markdown and single literals excepted).",
        &broken,
    );
}

/// Files that people read and write: not the lock file, not data.
fn is_prose(path: &str) -> bool {
    let is_script = path.starts_with(".ci/") || path.starts_with(".config/");
    is_script || path.ends_with(".md") || path.ends_with("Cargo.toml")
}

#[test]
fn no_file_knows_the_machine_it_was_written_on() {
    // In pieces, so that this file does not find itself.
    let homes = [concat!("/ro", "ot/"), concat!("/wo", "rk/"), concat!("/tm", "p/pp-")];
    let mut broken = Vec::new();
    for file in TREE.iter() {
        for (at, line) in file.text.lines().enumerate() {
            let begins_path = |found: usize| {
                let before = line.get(..found).and_then(|head| head.chars().next_back());
                before.is_none_or(|c| !c.is_alphanumeric() && !"~./}_-".contains(c))
            };
            let found = homes.iter().filter_map(|home| line.find(home)).any(begins_path);
            if found {
                broken.push(format!("{}:{}: {}", file.path, at + 1, line.trim()));
            }
        }
    }
    verdict(
        "No path of a development machine: find things relative to the repository or to the home folder.",
        &broken,
    );
}

#[test]
fn no_file_is_left_unfinished() {
    let mut broken = Vec::new();
    for file in TREE.iter() {
        let is_marker =
            |line: &str| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ") || line == "=======";
        if file.text.lines().any(is_marker) {
            broken.push(format!("{}: conflict markers of a merge", file.path));
        }
        if !file.text.is_empty() && !file.text.ends_with('\n') {
            broken.push(format!("{}: no newline at the end", file.path));
        }
    }
    verdict("Files are whole.", &broken);
}
