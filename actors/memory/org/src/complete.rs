//! Marks a task done the way `org-todo` does with `org-log-done` and `org-log-repeat` set to `time`.
//!
//! Checked against Emacs 28.2 with Org 9.5.5; the tests hold its output. Where this differs on purpose: tags are not
//! aligned again, a repeater keeps its own text, and the line of a log note always ends with a newline.

use crate::{
    block,
    edit::logbook,
    error::Error,
    meta::Planning,
    repeat,
    scan::{Doc, Node},
    span::{Span, is_blank, lines},
    splice::Splice,
    stamp::{self, Repeater, Stamp, Unit},
};
use jiff::civil::{DateTime, Time};

/// What marking a task done comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completed {
    /// The edits, in order.
    pub splices: Vec<Splice>,
    /// The next date of a task that repeats.
    pub next: Option<DateTime>,
    /// Whether that date has a time.
    pub timed: bool,
}

/// Marks the open task `index` done at `now`.
///
/// # Errors
/// [`Error::NotOpen`] when it is none, [`Error::NoKeyword`] when the file has no done state, [`Error::Repeater`] when
/// a repeater cannot be advanced.
pub fn complete(bytes: &[u8], doc: &Doc, index: usize, now: DateTime) -> Result<Completed, Error> {
    let node = doc.nodes.get(index).ok_or(Error::NotOpen)?;
    let state = node.state.filter(|state| !state.is_done()).ok_or(Error::NotOpen)?;
    let done = doc.keywords.done_word(state).ok_or(Error::NoKeyword { what: "done" })?;
    mark_done(bytes, doc, node, done, now, Logging { closed: true, drawer: false })
}

/// Marks an open task done with a keyword of the caller's choice.
pub(crate) fn mark_done(
    bytes: &[u8],
    doc: &Doc,
    node: &Node,
    done: &str,
    now: DateTime,
    logging: Logging,
) -> Result<Completed, Error> {
    let (Some(keyword), Some(state), true) = (node.keyword, node.state, node.is_open()) else {
        return Err(Error::NotOpen);
    };
    let repeating = repeating(bytes, doc, node);
    if repeating.is_empty() {
        let mut splices = vec![Splice::replace(keyword, done)];
        if logging.closed {
            splices.push(closed(bytes, doc, node, now));
        }
        return Ok(Completed { splices, next: None, timed: false });
    }
    let sequence = doc.keywords.sequence(state);
    let first = sequence.filter(|s| !s.by_type).and_then(|s| s.open.first());
    let from = keyword.text(bytes);
    let mut splices = Vec::new();
    if let Some(first) = first.filter(|first| **first != from) {
        splices.push(Splice::replace(keyword, first.as_str()));
    }
    let mut soonest: Option<(DateTime, bool)> = None;
    let planned = node.planning.map(|planning| planning.line);
    for (stamp, repeater) in &repeating {
        let at = advance(bytes, stamp, *repeater, now, &mut splices)?;
        let main = planned.is_none_or(|line| stamp.span.begin < line.end);
        if main && soonest.is_none_or(|(known, _)| at < known) {
            soonest = Some((at, stamp.time.is_some()));
        }
    }
    if let Some(planning) = node.planning {
        drop_stale(bytes, doc, planning, &mut splices);
    }
    let indent = last_repeat(bytes, doc, node, now, &mut splices);
    let note = format!(
        "- State {:<12} from {:<12} {}",
        format!("\"{done}\""),
        format!("\"{from}\""),
        stamp::inactive(now),
    );
    if logging.drawer {
        logbook::add(bytes, doc, node, &note, &mut splices);
    } else {
        let note = format!("{indent}{note}{}", doc.newline.as_str());
        insert_line(bytes, doc, note_place(bytes, doc, node), &note, &mut splices);
    }
    splices.sort_by_key(|splice| splice.at);
    splices.retain(|splice| {
        let old = Span::new(splice.at, splice.at + splice.remove);
        old.of(bytes) != splice.insert
    });
    Ok(Completed {
        splices: merge(splices),
        next: soonest.map(|(at, _)| at),
        timed: soonest.is_some_and(|(_, timed)| timed),
    })
}

/// What a change of state leaves behind in the entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Logging {
    /// Whether `CLOSED` is written, as with `org-log-done` set to `time`.
    pub closed: bool,
    /// Whether notes go into a `LOGBOOK` drawer, as with `org-log-into-drawer`.
    pub drawer: bool,
}

/// All active timestamps of the entry that repeat, drawers included, as Emacs takes them; not those in blocks.
pub(crate) fn repeating(bytes: &[u8], doc: &Doc, node: &Node) -> Vec<(Stamp, Repeater)> {
    let own = node.own();
    let hidden = block::verbatim(bytes, Span::new(node.body, node.own_end), doc.newline);
    let mut found = Vec::new();
    for stamp in stamp::active_stamps(bytes, own) {
        let inside = |span: &Span| span.begin <= stamp.span.begin && stamp.span.begin < span.end;
        if hidden.iter().any(inside) {
            continue;
        }
        let second = stamp.last.and_then(|_| stamp::stamp_at(bytes, stamp.span.end + 2));
        for stamp in [Some(stamp), second].into_iter().flatten() {
            if let Some(repeater) = stamp.repeater.filter(|r| r.step.count > 0) {
                found.push((stamp, repeater));
            }
        }
    }
    found
}

/// Writes the next date over the old one, part by part.
fn advance(
    bytes: &[u8],
    stamp: &Stamp,
    repeater: Repeater,
    now: DateTime,
    splices: &mut Vec<Splice>,
) -> Result<DateTime, Error> {
    let hourly = repeater.step.unit == Unit::Hour;
    if hourly && stamp.time.is_none() {
        return Err(Error::Repeater { what: "it counts hours but has no time of day" });
    }
    let at = repeat::next(stamp, repeater, now)
        .ok_or(Error::Repeater { what: "its next date lies beyond the calendar" })?;
    splices.push(Splice::replace(stamp.date_span, at.date().to_string()));
    if let Some(weekday) = stamp.weekday_span
        && weekday.of(bytes) != stamp::weekday(at.date()).as_bytes()
    {
        splices.push(Splice::replace(weekday, stamp::weekday(at.date())));
    }
    if hourly && let (Some(span), Some(old)) = (stamp.time_span, stamp.time) {
        splices.push(Splice::replace(span, clock(at.time())));
        if let (Some(span), Some(until)) = (stamp.until_span, stamp.until) {
            let length = until.duration_since(old);
            splices.push(Splice::replace(span, clock(at.time().wrapping_add(length))));
        }
    }
    Ok(at)
}

fn clock(time: Time) -> String {
    format!("{:02}:{:02}", time.hour(), time.minute())
}

/// Sets `CLOSED` as the first word of the planning line; an old one goes.
pub(crate) fn closed(bytes: &[u8], doc: &Doc, node: &Node, now: DateTime) -> Splice {
    let stamp = stamp::inactive(now);
    let Some(planning) = node.planning else {
        let end = doc.newline.as_str();
        let at = after_headline(bytes, node);
        return if at == node.line_end {
            Splice::insert(at, format!("{end}CLOSED: {stamp}"))
        } else {
            Splice::insert(at, format!("CLOSED: {stamp}{end}"))
        };
    };
    let (content, words) = without(bytes, doc, planning, &["CLOSED:"]);
    let gap = if words.is_empty() { "" } else { " " };
    Splice::replace(content, format!("CLOSED: {stamp}{gap}{words}"))
}

/// A repeating task loses `CLOSED`, and `SCHEDULED` if that does not repeat. Splices inside of the line that were
/// made already are carried over.
fn drop_stale(bytes: &[u8], doc: &Doc, planning: Planning, splices: &mut Vec<Splice>) {
    let mut stale = Vec::new();
    if planning.closed.is_some() {
        stale.push("CLOSED:");
    }
    let scheduled = planning.scheduled;
    let repeats = |span: Span| stamp::stamp_at(bytes, span.begin).is_some_and(|s| s.repeater.is_some());
    if scheduled.is_some_and(|span| !repeats(span)) {
        stale.push("SCHEDULED:");
    }
    if stale.is_empty() {
        return;
    }
    for (begin, end) in words_of(bytes, doc, planning, &stale) {
        let inside = |splice: &Splice| begin <= splice.at && splice.at < end;
        splices.retain(|splice| !inside(splice));
        splices.push(Splice::replace(Span::new(begin, end), ""));
    }
    let (content, rest) = without(bytes, doc, planning, &stale);
    if rest.is_empty() {
        splices.retain(|splice| splice.at < planning.line.begin || splice.at >= content.end);
        splices.push(Splice::replace(planning.line, ""));
    }
}

/// Returns the span of the line's words and their text without some of them.
pub(crate) fn without(bytes: &[u8], doc: &Doc, planning: Planning, stale: &[&str]) -> (Span, String) {
    let content = content_of(bytes, doc, planning);
    let mut rest = Vec::new();
    let mut at = content.begin;
    for (begin, end) in words_of(bytes, doc, planning, stale) {
        rest.extend_from_slice(Span::new(at, begin).of(bytes));
        at = end;
    }
    rest.extend_from_slice(Span::new(at, content.end).of(bytes));
    let text = String::from_utf8_lossy(&rest).trim().to_owned();
    (content, text)
}

fn content_of(bytes: &[u8], doc: &Doc, planning: Planning) -> Span {
    let line = lines(bytes, planning.line, doc.newline).next();
    let content = line.map_or(planning.line, |line| line.content);
    crate::span::trim(bytes, content)
}

/// Returns where such words stand, each with its timestamp and the blanks behind it (or before it at the line end).
fn words_of(bytes: &[u8], doc: &Doc, planning: Planning, stale: &[&str]) -> Vec<(usize, usize)> {
    let content = content_of(bytes, doc, planning);
    let mut found: Vec<(usize, usize)> = Vec::new();
    for word in stale {
        let stamps = [planning.closed, planning.scheduled, planning.deadline];
        for stamp in stamps.into_iter().flatten() {
            let head = Span::new(content.begin, stamp.begin);
            let text = head.of(bytes);
            let trimmed = text.iter().rev().take_while(|byte| is_blank(**byte)).count();
            let head = Span::new(head.begin, head.end - trimmed);
            if !head.of(bytes).ends_with(word.as_bytes()) {
                continue;
            }
            let behind = Span::new(stamp.end, content.end).of(bytes);
            let blanks = behind.iter().take_while(|byte| is_blank(**byte)).count();
            found.push((head.end - word.len(), stamp.end + blanks));
        }
    }
    found.sort_unstable();
    let mut line_end = content.end;
    for (begin, end) in found.iter_mut().rev() {
        if *end >= line_end {
            let before = Span::new(content.begin, *begin).of(bytes);
            *begin -= before.iter().rev().take_while(|byte| is_blank(**byte)).count();
            line_end = *begin;
        }
    }
    found.dedup_by(|next, kept| {
        next.0 = next.0.max(kept.1);
        next.0 >= next.1
    });
    found
}

/// Sets `LAST_REPEAT` and returns the indentation of the drawer's last line, which the log note takes.
fn last_repeat(bytes: &[u8], doc: &Doc, node: &Node, now: DateTime, splices: &mut Vec<Splice>) -> String {
    let stamp = stamp::inactive(now);
    let end = doc.newline.as_str();
    let Some(drawer) = node.drawer else {
        let at = node.planning.map_or_else(|| after_headline(bytes, node), |p| p.line.end);
        let text = format!(":PROPERTIES:{end}:LAST_REPEAT: {stamp}{end}:END:{end}");
        insert_line(bytes, doc, at, &text, splices);
        return String::new();
    };
    let old = drawer.value(bytes, doc.newline, "LAST_REPEAT");
    let closing = Span::new(drawer.body.end, drawer.span.end);
    let blanks = closing.of(bytes).iter().take_while(|byte| is_blank(**byte)).count();
    let indent = Span::new(closing.begin, closing.begin + blanks).text(bytes);
    match old {
        Some(value) if value.is_empty() => {
            splices.push(Splice::insert(value.begin, format!(" {stamp}")));
        }
        Some(value) => {
            splices.retain(|splice| splice.at < value.begin || splice.at >= value.end);
            splices.push(Splice::replace(value, stamp));
        }
        None => splices.push(Splice::insert(drawer.body.end, format!("{indent}:LAST_REPEAT: {stamp}{end}"))),
    }
    indent
}

/// The log note stands behind the meta lines and the blank lines that follow them.
fn note_place(bytes: &[u8], doc: &Doc, node: &Node) -> usize {
    let body = Span::new(node.body, node.own_end);
    let mut at = body.begin;
    for line in lines(bytes, body, doc.newline) {
        let text = line.content.of(bytes);
        if text.iter().any(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) {
            return line.content.begin;
        }
        at = line.next;
    }
    at
}

pub(crate) fn after_headline(bytes: &[u8], node: &Node) -> usize {
    let rest = Span::new(node.line_end, node.own_end).of(bytes);
    let len = memchr::memchr(b'\n', rest).map_or(0, |at| at + 1);
    node.line_end + len
}

/// Inserts whole lines; if the place is the end of a file without final newline, the line end goes first.
pub(crate) fn insert_line(bytes: &[u8], doc: &Doc, at: usize, text: &str, splices: &mut Vec<Splice>) {
    let open = at == bytes.len() && at > 0 && !bytes.ends_with(b"\n");
    let first = !splices.iter().any(|splice| splice.at == at && splice.remove == 0);
    let text = if open && first { format!("{}{text}", doc.newline.as_str()) } else { text.to_owned() };
    splices.push(Splice::insert(at, text));
}

/// Joins splices that touch, so that each can be found again by itself.
pub(crate) fn merge(splices: Vec<Splice>) -> Vec<Splice> {
    let mut merged: Vec<Splice> = Vec::new();
    for splice in splices {
        match merged.last_mut() {
            Some(last) if last.at + last.remove == splice.at => {
                last.remove += splice.remove;
                last.insert.extend_from_slice(&splice.insert);
            }
            Some(_) | None => merged.push(splice),
        }
    }
    merged
}
