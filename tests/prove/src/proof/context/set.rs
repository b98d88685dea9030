//! The questions of a set, and whether an answer is there.

use super::memex::Memex;
use crate::{Check, Fault};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::Path;

/// A question with the entries that answer it.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) id: String,
    pub(super) text: String,
    /// The kind, questions with a focus being one of their own.
    pub(super) kind: String,
    pub(super) answer: Vec<(String, u32)>,
    pub(super) focus: Option<(String, u32)>,
}

/// Reads `questions.jsonl` and finds each entry; the stated hash must be that of the body as the scanner sees it.
pub(super) fn read(set: &Path, memex: &Memex) -> Check<Vec<Asked>> {
    let text = std::fs::read_to_string(set.join("questions.jsonl"))?;
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| question(line, memex)).collect()
}

fn question(line: &str, memex: &Memex) -> Check<Asked> {
    let value: Value = serde_json::from_str(line).map_err(|error| Fault(error.to_string()))?;
    let word = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let mut answer = Vec::new();
    for at in value["answer"].as_array().into_iter().flatten() {
        let (file, ordinal) = place(at, memex)?;
        let body = &memex.get(&file, ordinal).ok_or("no such entry")?.body;
        let hash: String = Sha256::digest(body.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        crate::ensure!(
            at["sha256"].as_str() == Some(&hash),
            "{}: the body of its answer is another",
            word("id")
        );
        answer.push((file, ordinal));
    }
    let focus = if value["focus"].is_null() { None } else { Some(place(&value["focus"], memex)?) };
    let kind = if focus.is_some() { "focus".to_owned() } else { word("kind") };
    Ok(Asked { id: word("id"), text: word("q"), kind, answer, focus })
}

fn place(value: &Value, memex: &Memex) -> Check<(String, u32)> {
    let file = value["path"].as_str().unwrap_or_default().to_owned();
    let titles = value["headings"].as_array().into_iter().flatten();
    let titles: Vec<String> = titles.filter_map(|title| title.as_str()).map(str::to_owned).collect();
    match memex.find(&file, &titles) {
        Some(ordinal) => Ok((file, ordinal)),
        None => Err(Fault(format!("{file}: there is no entry {titles:?}"))),
    }
}

/// Whether a whole body stands in a text in one piece.
pub(super) fn is_present(text: &str, body: &str) -> bool {
    let body = body.replace("\r\n", "\n");
    let lines: Vec<&str> = body.lines().collect();
    let full = |line: &&str| !line.trim().is_empty();
    let (Some(first), Some(last)) = (lines.iter().position(full), lines.iter().rposition(full)) else {
        return true;
    };
    text.replace("\r\n", "\n").contains(&lines[first..=last].join("\n"))
}

/// Titles and lines of private entries that no open entry has too.
pub(super) fn private_lines(memex: &Memex) -> Vec<String> {
    let entries = || memex.files.values().flat_map(|file| &file.entries);
    let lines = |own: &super::memex::Own| {
        let body = own.body.lines().map(|line| line.trim().to_owned());
        body.chain([own.title.trim().to_owned()]).filter(|line| line.chars().count() >= 4).collect::<Vec<_>>()
    };
    let open: std::collections::BTreeSet<String> =
        entries().filter(|own| own.sight == index::Sight::Open).flat_map(lines).collect();
    entries()
        .filter(|own| own.sight == index::Sight::Private)
        .flat_map(lines)
        .filter(|line| !open.contains(line))
        .collect()
}
