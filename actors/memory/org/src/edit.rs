//! Edits of one entry, each a small pure function from a document to the splices that change it.
//!
//! Every function checks its own result: it applies the splices, scans again and refuses when more would change than
//! was asked. A splice names only the bytes that have to change; tags are not aligned, blank lines are neither made
//! nor removed. Nothing here may read a clock or make up an identifier: both are arguments.

mod checkbox;
mod clock;
mod cookie;
mod headline;
mod insert;
pub(crate) mod logbook;
mod planning;
mod property;
mod refile;
mod state;
mod text;

pub use checkbox::toggle_checkbox;
pub use clock::{clock_in, clock_out};
pub use headline::{set_priority, set_tags, set_title};
pub use insert::{Draft, Place, insert_entry};
pub use planning::{When, set_planning};
pub use property::{delete_property, set_id, set_property};
pub use refile::{Archived, Context, archive, refile, refile_to};
pub use state::set_keyword;
pub use text::{append_body, link, replace_body, replace_text};

use crate::{
    complete::{insert_line, merge},
    error::Error,
    scan::{Doc, Node},
    span::{Span, is_blank, lines},
    splice::{Scope, Splice, apply, verify_within},
};

/// Finds an entry.
fn node_of(doc: &Doc, index: usize) -> Result<&Node, Error> {
    doc.nodes.get(index).ok_or(Error::NoEntry)
}

/// Puts splices in order and refuses them when they change more than the scope says, or not what `meant` asks for.
fn checked(
    bytes: &[u8],
    doc: &Doc,
    mut splices: Vec<Splice>,
    scope: &Scope,
    meant: impl FnOnce(&[u8], &Doc) -> bool,
) -> Result<Vec<Splice>, Error> {
    splices.sort_by_key(|splice| splice.at);
    splices.retain(|splice| Span::new(splice.at, splice.at + splice.remove).of(bytes) != splice.insert);
    let splices = merge(splices);
    let after = apply(bytes, &splices)?;
    let found = verify_within(bytes, doc, &after, scope)?;
    if !meant(&after, &found) {
        return Err(Error::Verify { what: "the entry itself" });
    }
    Ok(splices)
}

/// The scope of an edit that stays within some entries.
fn touching(entries: &[usize]) -> Scope {
    Scope { touched: entries.to_vec(), ..Scope::default() }
}

/// Says whether keyword, priority, title and tags of an entry read as before.
fn same_headline(bytes: &[u8], old: &Node, after: &[u8], new: &Node) -> bool {
    let text = |span: Option<Span>, bytes: &[u8]| span.map(|span| span.of(bytes).to_vec());
    text(old.keyword, bytes) == text(new.keyword, after)
        && text(old.priority, bytes) == text(new.priority, after)
        && old.title.of(bytes) == new.title.of(after)
        && text(old.tags, bytes) == text(new.tags, after)
}

/// Inserts a line whose text has no line end, and gives it one only when something follows or stood there before.
fn insert_bare(bytes: &[u8], doc: &Doc, at: usize, text: &str, splices: &mut Vec<Splice>) {
    let end = doc.newline.as_str();
    if at == bytes.len() && at > 0 && !bytes.ends_with(b"\n") {
        splices.push(Splice::insert(at, format!("{end}{text}")));
    } else {
        splices.push(Splice::insert(at, format!("{text}{end}")));
    }
}

/// Inserts several whole lines.
fn insert_lines(bytes: &[u8], doc: &Doc, at: usize, text: &[String], splices: &mut Vec<Splice>) {
    let end = doc.newline.as_str();
    let joined: String = text.iter().flat_map(|line| [line.as_str(), end]).collect();
    insert_line(bytes, doc, at, &joined, splices);
}

/// Returns the blanks at the begin of the line at `at`.
fn indent_at(bytes: &[u8], at: usize) -> String {
    let rest = bytes.get(at..).unwrap_or_default();
    let count = rest.iter().take_while(|byte| is_blank(**byte)).count();
    Span::new(at, at + count).text(bytes)
}

/// Returns the index behind the last entry of a subtree.
fn behind(doc: &Doc, index: usize) -> usize {
    let end = doc.nodes.get(index).map_or(0, |node| node.end);
    let later = doc.nodes.iter().skip(index).take_while(|node| node.begin < end).count();
    index + later
}

/// Returns the end of the last line of a range that is not blank.
fn last_text(bytes: &[u8], doc: &Doc, range: Span) -> usize {
    let full = |text: &[u8]| text.iter().any(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
    let filled = lines(bytes, range, doc.newline).filter(|line| full(line.content.of(bytes)));
    filled.last().map_or(range.begin, |line| line.next)
}
