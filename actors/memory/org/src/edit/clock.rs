//! Clock lines in the `LOGBOOK`. The time is an argument; an entry has at most one running clock.

use super::{checked, logbook, node_of, same_headline, touching};
use crate::{
    block,
    error::Error,
    scan::{Doc, Node},
    span::{Span, lines, trim},
    splice::Splice,
    stamp::{self, Stamp, stamp_at},
};
use jiff::civil::DateTime;

/// Starts the clock of an entry.
///
/// # Errors
/// [`Error::Argument`] when one is running there.
pub fn clock_in(bytes: &[u8], doc: &Doc, index: usize, now: DateTime) -> Result<Vec<Splice>, Error> {
    let node = node_of(doc, index)?;
    if running(bytes, doc, node).is_some() {
        return Err(Error::Argument { what: "start: a clock is running" });
    }
    let mut splices = Vec::new();
    logbook::add(bytes, doc, node, &format!("CLOCK: {}", stamp::inactive(now)), &mut splices);
    finish(bytes, doc, index, splices)
}

/// Stops the clock of an entry.
///
/// # Errors
/// [`Error::Missing`] when none is running, [`Error::Argument`] when it was started later.
pub fn clock_out(bytes: &[u8], doc: &Doc, index: usize, now: DateTime) -> Result<Vec<Splice>, Error> {
    let node = node_of(doc, index)?;
    let (started, end) = running(bytes, doc, node).ok_or(Error::Missing { what: "running clock" })?;
    let now = DateTime::from_parts(
        now.date(),
        now.time().with().second(0).subsec_nanosecond(0).build().unwrap_or(now.time()),
    );
    let minutes = now.duration_since(started.at()).as_mins();
    if minutes < 0 {
        return Err(Error::Argument { what: "end: the clock was started later" });
    }
    let text = format!("--{} => {:2}:{:02}", stamp::inactive(now), minutes / 60, minutes % 60);
    let rest = Span::new(started.span.end, end);
    finish(bytes, doc, index, vec![Splice::replace(rest, text)])
}

/// Finds the clock line without an end: its start and the end of the line.
fn running(bytes: &[u8], doc: &Doc, node: &Node) -> Option<(Stamp, usize)> {
    let body = Span::new(node.body, node.own_end);
    let hidden = block::verbatim(bytes, body, doc.newline);
    lines(bytes, body, doc.newline).find_map(|line| {
        let text = trim(bytes, line.content);
        if hidden.iter().any(|span| span.begin <= text.begin && text.begin < span.end) {
            return None;
        }
        let rest = text.of(bytes).strip_prefix(b"CLOCK:")?;
        let at = text.end - rest.trim_ascii_start().len();
        let found = stamp_at(bytes, at).filter(|found| !found.active && found.time.is_some())?;
        (found.span.end == text.end).then_some((found, line.content.end))
    })
}

fn finish(bytes: &[u8], doc: &Doc, index: usize, splices: Vec<Splice>) -> Result<Vec<Splice>, Error> {
    let node = node_of(doc, index)?;
    checked(bytes, doc, splices, &touching(&[index]), |after, found| {
        found.nodes.get(index).is_some_and(|new| {
            same_headline(bytes, node, after, new) && new.drawer.is_some() == node.drawer.is_some()
        })
    })
}
