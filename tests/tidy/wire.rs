//! The rule about the wire: a change of a message is seen in the diff of `ops/docs/protocol.md`, with its version.

use super::{
    tree::{SOURCES, Source, read},
    verdict,
};
use protocol::version::{MAJOR, MINOR, WIRE};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// Files of the protocol that say nothing about bytes on the wire.
const SHAPELESS: [&str; 5] = ["lib.rs", "error.rs", "limits.rs", "version.rs", "command.rs"];

/// Hex digits of a shape: enough to tell two apart, few enough to read.
const DIGITS: usize = 12;

#[test]
fn wire_change_is_written_down() {
    let book = read("ops/docs/protocol.md").unwrap_or_default();
    let mut broken = Vec::new();
    for source in SOURCES.iter() {
        let Some(file) = source.path.strip_prefix("protocol/src/") else {
            continue;
        };
        if SHAPELESS.contains(&file) {
            continue;
        }
        let row = format!("| `{file}` | `{}` |", shape(source));
        if !book.lines().any(|line| line == row) {
            broken.push(row);
        }
    }
    verdict(
        "A message changed. If bytes on the wire mean something else now, raise WIRE (and MAJOR or MINOR) in\n\
         protocol/src/version.rs and say in the history of ops/docs/protocol.md what changed. In any case put these\n\
         rows into its table of shapes:",
        &broken,
    );
}

#[test]
fn history_of_the_wire_begins_with_this_version() {
    let book = read("ops/docs/protocol.md").unwrap_or_default();
    let history = book.split_once("## History").map_or("", |(_, history)| history);
    let newest = history.lines().find(|line| line.starts_with("| ") && !line.starts_with("| wire"));
    let wanted = format!("| {WIRE} | {MAJOR}.{MINOR} |");
    if newest.is_none_or(|row| !row.starts_with(&wanted)) {
        verdict(
            "The first row of the history in ops/docs/protocol.md is the version in protocol/src/version.rs:",
            &[format!("{wanted} ..")],
        );
    }
}

/// Hash of what a file puts on the wire: its declarations, without comments and layout. The envelope is written by
/// hand, so there all of its code counts.
fn shape(source: &Source) -> String {
    let text = if source.path.ends_with("envelope.rs") {
        product(source).collect::<Vec<_>>().join(" ")
    } else {
        declarations(source)
    };
    // Layout is rustfmt's: blanks, and the comma before a bracket that it puts at the end of a line.
    let mut bare: String = text.split_whitespace().collect();
    for bracket in ['}', ')', ']'] {
        bare = bare.replace(&format!(",{bracket}"), &bracket.to_string());
    }
    let mut digits = String::new();
    for byte in Sha256::digest(bare.as_bytes()) {
        write!(digits, "{byte:02x}").unwrap();
    }
    digits.truncate(DIGITS);
    digits
}

/// Lines outside tests, without comments.
fn product(source: &Source) -> impl Iterator<Item = &str> {
    let lines = source.parts.uncommented.lines().zip(source.lines());
    lines.filter(|(_, (_, _, is_test))| !is_test).map(|(line, _)| line)
}

/// Every item that is serialised or has fixed numbers, from its first attribute to its last bracket. rustfmt sees to
/// it that an item begins and ends in the first column.
fn declarations(source: &Source) -> String {
    let mut found = String::new();
    let mut item = String::new();
    for line in product(source) {
        if item.is_empty() && !line.starts_with("#[") {
            continue;
        }
        item.push_str(line);
        item.push(' ');
        let ends = !line.starts_with(' ') && line.ends_with([';', '}']);
        if ends {
            if item.contains("Serialize") || item.contains("#[repr(") {
                found.push_str(&item);
            }
            item.clear();
        }
    }
    found
}
