//! Sets the TODO keyword of an entry, with what Emacs does beside it: `CLOSED`, repeaters, notes, parents' cookies.

use super::{checked, cookie, node_of, touching};
use crate::{
    complete::{self, Logging, mark_done, repeating},
    error::Error,
    meta::Planning,
    scan::{Doc, Node},
    span::{Span, is_blank},
    splice::Splice,
};
use jiff::civil::DateTime;

/// Sets or clears the TODO keyword. A task that repeats and is marked done moves on and stays open.
///
/// # Errors
/// [`Error::NoKeyword`] for a word that the file does not define, [`Error::Repeater`] when a repeater cannot be
/// advanced, [`Error::Verify`] when the headline would not read as asked.
pub fn set_keyword(
    bytes: &[u8],
    doc: &Doc,
    index: usize,
    to: Option<&str>,
    now: DateTime,
    logging: Logging,
) -> Result<Vec<Splice>, Error> {
    let node = node_of(doc, index)?;
    let meant = match to {
        Some(word) => Some(doc.keywords.state(word.as_bytes()).ok_or(Error::NoKeyword { what: "such" })?),
        None => None,
    };
    let done = |state: Option<crate::State>| state.is_some_and(crate::State::is_done);
    let mut expected = to.map(str::to_owned);
    let mut splices = Vec::new();
    if let Some(word) = to
        && done(meant)
        && !done(node.state)
    {
        let repeats = !repeating(bytes, doc, node).is_empty();
        if node.keyword.is_some() {
            splices = mark_done(bytes, doc, node, word, now, logging)?.splices;
            if repeats {
                expected = returned(bytes, doc, node);
            }
        } else if repeats {
            return Err(Error::Repeater { what: "the entry has no keyword to return to" });
        } else {
            splices.push(keyword(bytes, node, to));
            if logging.closed {
                splices.push(complete::closed(bytes, doc, node, now));
            }
        }
    } else {
        splices.push(keyword(bytes, node, to));
        let opened = node.state.is_none_or(crate::State::is_done);
        if logging.closed && (to.is_none() || (!done(meant) && opened)) {
            splices.extend(node.planning.and_then(|planning| without_closed(bytes, doc, planning)));
        }
    }
    let state = expected.as_deref().and_then(|word| doc.keywords.state(word.as_bytes()));
    let (mut touched, more) = cookie::of_parents(bytes, doc, index, state);
    touched.push(index);
    splices.extend(more);
    checked(bytes, doc, splices, &touching(&touched), |after, found| {
        let new = found.nodes.get(index);
        new.is_some_and(|new| new.keyword.map(|span| span.text(after)) == expected)
    })
}

/// The keyword that a repeating task returns to.
fn returned(bytes: &[u8], doc: &Doc, node: &Node) -> Option<String> {
    let sequence = node.state.and_then(|state| doc.keywords.sequence(state));
    let first = sequence.filter(|sequence| !sequence.by_type).and_then(|sequence| sequence.open.first());
    first.cloned().or_else(|| node.keyword.map(|span| span.text(bytes)))
}

fn keyword(bytes: &[u8], node: &Node, to: Option<&str>) -> Splice {
    match (node.keyword, to) {
        (Some(old), Some(word)) => Splice::replace(old, word),
        (Some(old), None) => {
            let behind = Span::new(old.end, node.line_end).of(bytes);
            let blanks = behind.iter().take_while(|byte| is_blank(**byte)).count();
            Splice::replace(Span::new(old.begin, old.end + blanks), "")
        }
        (None, Some(word)) => {
            let begin = node.begin + node.level;
            let rest = Span::new(begin, node.line_end).of(bytes);
            let blanks = rest.iter().take_while(|byte| is_blank(**byte)).count();
            Splice::insert(begin + blanks, format!("{word} "))
        }
        (None, None) => Splice::insert(node.begin, ""),
    }
}

/// Takes `CLOSED` out of the planning line, and the line itself when nothing is left.
fn without_closed(bytes: &[u8], doc: &Doc, planning: Planning) -> Option<Splice> {
    planning.closed?;
    let (content, rest) = complete::without(bytes, doc, planning, &["CLOSED:"]);
    Some(if rest.is_empty() { Splice::replace(planning.line, "") } else { Splice::replace(content, rest) })
}
