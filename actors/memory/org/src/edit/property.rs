//! Properties of an entry. Lines of other keys, `KEY+` among them, and their order stay.

use super::{checked, indent_at, insert_lines, node_of, same_headline, touching};
use crate::{
    complete::after_headline,
    error::Error,
    scan::{Doc, Node},
    span::Span,
    splice::Splice,
};

/// Sets a property: the first line of the key, or a new line at the end of the drawer, which is made if need be.
///
/// # Errors
/// [`Error::Argument`] for a key or value that does not fit into one line of a drawer.
pub fn set_property(
    bytes: &[u8],
    doc: &Doc,
    index: usize,
    key: &str,
    value: &str,
) -> Result<Vec<Splice>, Error> {
    let node = node_of(doc, index)?;
    valid_key(key)?;
    let value = value.trim();
    if value.chars().any(char::is_control) {
        return Err(Error::Argument { what: "property value" });
    }
    let mut splices = Vec::new();
    put(bytes, doc, node, key, value, &mut splices);
    checked(bytes, doc, splices, &touching(&[index]), |after, found| {
        found.nodes.get(index).is_some_and(|new| {
            let now = new.property(after, found.newline, key);
            now.is_some_and(|now| now.of(after) == value.as_bytes()) && same_headline(bytes, node, after, new)
        })
    })
}

/// Gives an entry its `ID`. The value is made by the caller.
///
/// # Errors
/// [`Error::Argument`] when it has another one already, or when the value is empty.
pub fn set_id(bytes: &[u8], doc: &Doc, index: usize, id: &str) -> Result<Vec<Splice>, Error> {
    let old = node_of(doc, index)?.property(bytes, doc.newline, "ID");
    let other = old.is_some_and(|old| !old.is_empty() && old.of(bytes) != id.as_bytes());
    if other || id.trim().is_empty() {
        return Err(Error::Argument { what: "identifier" });
    }
    set_property(bytes, doc, index, "ID", id)
}

/// A key has no blanks, does not end a drawer and is not an accumulating one.
fn valid_key(key: &str) -> Result<(), Error> {
    let odd = key.is_empty()
        || key.ends_with('+')
        || key.starts_with(':')
        || key.ends_with(':')
        || key.chars().any(|c| c.is_whitespace() || c.is_control())
        || ["END", "PROPERTIES"].iter().any(|word| key.eq_ignore_ascii_case(word));
    if odd { Err(Error::Argument { what: "property key" }) } else { Ok(()) }
}

/// Writes the line without a check of its own.
pub(super) fn put(bytes: &[u8], doc: &Doc, node: &Node, key: &str, value: &str, splices: &mut Vec<Splice>) {
    let end = doc.newline.as_str();
    let gap = if value.is_empty() { "" } else { " " };
    let line = format!(":{key}:{gap}{value}");
    let Some(drawer) = node.drawer else {
        let at = node.planning.map_or_else(|| after_headline(bytes, node), |planning| planning.line.end);
        let text = [":PROPERTIES:".to_owned(), line, ":END:".to_owned()];
        insert_lines(bytes, doc, at, &text, splices);
        return;
    };
    let same = |found: &crate::Property| found.key.of(bytes).eq_ignore_ascii_case(key.as_bytes());
    match drawer.properties(bytes, doc.newline).find(same) {
        Some(found) => {
            let from = Span::new(found.key.end + 1, found.value.end.max(found.key.end + 1));
            if found.value.is_empty() || value.is_empty() {
                splices.push(Splice::replace(from, format!("{gap}{value}")));
            } else {
                splices.push(Splice::replace(found.value, value));
            }
        }
        None => {
            let last = drawer.properties(bytes, doc.newline).last();
            let indent = indent_at(bytes, last.map_or(drawer.body.end, |last| last.line.begin));
            splices.push(Splice::insert(drawer.body.end, format!("{indent}{line}{end}")));
        }
    }
}

/// Deletes all lines of a key, and the drawer when it has no other.
///
/// # Errors
/// [`Error::Missing`] when the entry has no such property.
pub fn delete_property(bytes: &[u8], doc: &Doc, index: usize, key: &str) -> Result<Vec<Splice>, Error> {
    let node = node_of(doc, index)?;
    let drawer = node.drawer.ok_or(Error::Missing { what: "property" })?;
    let all: Vec<_> = drawer.properties(bytes, doc.newline).collect();
    let same = |found: &&crate::Property| found.key.of(bytes).eq_ignore_ascii_case(key.as_bytes());
    let going: Vec<_> = all.iter().filter(same).collect();
    if going.is_empty() {
        return Err(Error::Missing { what: "property" });
    }
    let splices = if going.len() == all.len() {
        vec![Splice::replace(drawer.span, "")]
    } else {
        going.iter().map(|found| Splice::replace(found.line, "")).collect()
    };
    checked(bytes, doc, splices, &touching(&[index]), |after, found| {
        found.nodes.get(index).is_some_and(|new| {
            new.property(after, found.newline, key).is_none() && same_headline(bytes, node, after, new)
        })
    })
}
