//! What a headline has from others: inherited tags and properties, and the bounds that org-element gives it.

use crate::{
    scan::{Doc, Node},
    settings::Settings,
    span::Span,
};

/// The tag that archives a subtree.
const ARCHIVE: &str = "ARCHIVE";

/// Whether ancestors and the file are asked, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inherit {
    /// Only the headline itself.
    No,
    /// Up to the first that sets it.
    Yes,
}

/// The bounds of a headline as org-element gives them: blank lines at the end of a parent belong to the parent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bounds {
    /// Its contents without blank lines around them.
    pub contents: Option<Span>,
    /// Its end.
    pub end: usize,
}

impl Node {
    /// Says whether it carries the archive tag.
    #[must_use]
    pub fn is_archived(&self, bytes: &[u8]) -> bool {
        self.own_tags(bytes).any(|tag| tag == ARCHIVE)
    }
}

/// Returns the tags of a headline with those of the file and its ancestors; of doubles the most local stays.
#[must_use]
pub fn all_tags<'a>(bytes: &'a [u8], doc: &Doc, settings: &'a Settings, index: usize) -> Vec<&'a str> {
    let mut chain = Vec::new();
    let mut at = Some(index);
    while let Some(node) = at.and_then(|at| doc.nodes.get(at)) {
        chain.push(node);
        at = node.parent;
    }
    let mut tags: Vec<&str> = settings.file_tags.iter().map(String::as_str).collect();
    tags.extend(chain.iter().rev().flat_map(|node| node.own_tags(bytes)));
    let mut kept = Vec::with_capacity(tags.len());
    let mut seen = std::collections::BTreeSet::new();
    for tag in tags.into_iter().rev() {
        if seen.insert(tag) {
            kept.push(tag);
        }
    }
    kept.reverse();
    kept
}

/// Returns the value of a property: its first line, with those of `KEY+` appended. A headline that only appends gets
/// the value of the next ancestor that sets it in front.
#[must_use]
pub fn property(
    bytes: &[u8],
    doc: &Doc,
    settings: &Settings,
    index: Option<usize>,
    key: &str,
    inherit: Inherit,
) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut at = index;
    let mut drawer = match index {
        Some(index) => doc.nodes.get(index)?.drawer,
        None => doc.drawer,
    };
    loop {
        let mut local = Vec::new();
        let mut base = false;
        for property in drawer.into_iter().flat_map(|drawer| drawer.properties(bytes, doc.newline)) {
            let name = property.key.of(bytes);
            if name.eq_ignore_ascii_case(key.as_bytes()) && !base {
                base = true;
                local.insert(0, property.value.text(bytes));
            } else if name.strip_suffix(b"+").is_some_and(|name| name.eq_ignore_ascii_case(key.as_bytes())) {
                local.push(property.value.text(bytes));
            }
        }
        if !local.is_empty() {
            parts.push(local.join(" "));
        }
        match (base, inherit, at) {
            (true, _, _) | (_, Inherit::No, _) => break,
            (false, Inherit::Yes, None) => {
                let global = settings.properties.iter().find(|(name, _)| name.eq_ignore_ascii_case(key));
                parts.extend(global.map(|(_, value)| value.clone()));
                break;
            }
            (false, Inherit::Yes, Some(index)) => {
                at = doc.nodes.get(index)?.parent;
                drawer = match at {
                    Some(above) => doc.nodes.get(above)?.drawer,
                    None => doc.drawer,
                };
            }
        }
    }
    parts.reverse();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Returns the bounds of all headlines.
#[must_use]
pub fn bounds(bytes: &[u8], doc: &Doc) -> Vec<Bounds> {
    let mut found: Vec<Bounds> = Vec::with_capacity(doc.nodes.len());
    let white = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    for node in &doc.nodes {
        let above = node.parent.and_then(|parent| found.get(parent)).and_then(|above| above.contents);
        let end = above.map_or(node.end, |above| node.end.min(above.end));
        let first = next_line(bytes, node.line_end).min(end);
        let area = bytes.get(first..end).unwrap_or_default();
        let contents = area.iter().position(|byte| !white(byte)).map(|text| {
            let line = memchr::memrchr(b'\n', area.get(..text).unwrap_or_default()).map_or(0, |at| at + 1);
            let last = first + area.iter().rposition(|byte| !white(byte)).unwrap_or_default();
            Span::new(first + line, next_line(bytes, last).min(end))
        });
        found.push(Bounds { contents, end });
    }
    found
}

fn next_line(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    memchr::memchr(b'\n', rest).map_or(bytes.len(), |len| at + len + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{objects::objects, scan::scan};

    const TEXT: &[u8] =
        b"#+PROPERTY: dir /top\n#+FILETAGS: :f:a:\n* a :a:\n:PROPERTIES:\n:K: 1\n:K+: 2\n:END:\n\
        ** b :b:f:\n:PROPERTIES:\n:K+: 3\n:END:\n** c :ARCHIVE:\n\n\n* d\n";

    #[test]
    fn properties_are_appended_and_inherited() {
        let doc = scan(TEXT);
        let settings = Settings::of(TEXT, &objects(TEXT, &doc));
        let value = |index, key, inherit| property(TEXT, &doc, &settings, Some(index), key, inherit);
        assert_eq!(value(1, "k", Inherit::Yes).as_deref(), Some("1 2 3"));
        assert_eq!(value(1, "K", Inherit::No).as_deref(), Some("3"));
        assert_eq!(value(2, "dir", Inherit::Yes).as_deref(), Some("/top"));
        assert_eq!(value(2, "dir", Inherit::No), None);
    }

    #[test]
    fn most_local_of_equal_tags_stays() {
        let doc = scan(TEXT);
        let settings = Settings::of(TEXT, &objects(TEXT, &doc));
        assert_eq!(all_tags(TEXT, &doc, &settings, 1), ["a", "b", "f"]);
        assert!(doc.nodes[2].is_archived(TEXT));
    }

    #[test]
    fn blank_lines_at_the_end_belong_to_the_parent() {
        let text = b"* a\n** b\nx\n\n\n* c\n";
        let found = bounds(text, &scan(text));
        assert_eq!(found[0], Bounds { contents: Some(Span::new(4, 11)), end: 13 });
        assert_eq!(found[1], Bounds { contents: Some(Span::new(9, 11)), end: 11 });
    }
}
