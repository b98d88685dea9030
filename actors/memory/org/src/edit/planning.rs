//! `SCHEDULED` and `DEADLINE`. The planning line stays the second one; what is set comes first in it, as in Emacs.

use super::{checked, insert_bare, node_of, same_headline, touching};
use crate::{
    complete::{after_headline, without},
    error::Error,
    scan::Doc,
    span::Span,
    splice::Splice,
    stamp::{Stamp, stamp_at},
};

/// Which date of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// `SCHEDULED:`
    Scheduled,
    /// `DEADLINE:`
    Deadline,
}

impl When {
    const fn word(self) -> &'static str {
        match self {
            Self::Scheduled => "SCHEDULED:",
            Self::Deadline => "DEADLINE:",
        }
    }

    const fn of(self, planning: crate::Planning) -> Option<Span> {
        match self {
            Self::Scheduled => planning.scheduled,
            Self::Deadline => planning.deadline,
        }
    }
}

/// Sets or clears a date. A repeater of the old date stays if the new one has none; `CLOSED` goes, as in Emacs.
///
/// # Errors
/// [`Error::Argument`] when the text is not one active timestamp, [`Error::Missing`] when there is none to clear.
pub fn set_planning(
    bytes: &[u8],
    doc: &Doc,
    index: usize,
    when: When,
    to: Option<&str>,
) -> Result<Vec<Splice>, Error> {
    let node = node_of(doc, index)?;
    let old = node.planning.and_then(|planning| when.of(planning));
    let mut splices = Vec::new();
    let mut written = None;
    if let Some(text) = to {
        let stamp = valid(text)?;
        let text = with_repeater(bytes, text, &stamp, old);
        let words = format!("{} {text}", when.word());
        match node.planning {
            Some(planning) => {
                let (content, rest) = without(bytes, doc, planning, &[when.word(), "CLOSED:"]);
                let gap = if rest.is_empty() { "" } else { " " };
                splices.push(Splice::replace(content, format!("{words}{gap}{rest}")));
            }
            None => insert_bare(bytes, doc, after_headline(bytes, node), &words, &mut splices),
        }
        written = Some(text);
    } else {
        let planning = node.planning.filter(|_| old.is_some()).ok_or(Error::Missing { what: "date" })?;
        let (content, rest) = without(bytes, doc, planning, &[when.word()]);
        if rest.is_empty() {
            splices.push(Splice::replace(planning.line, ""));
        } else {
            splices.push(Splice::replace(content, rest));
        }
    }
    checked(bytes, doc, splices, &touching(&[index]), |after, found| {
        found.nodes.get(index).is_some_and(|new| {
            let now = new.planning.and_then(|planning| when.of(planning));
            now.map(|span| span.text(after)) == written && same_headline(bytes, node, after, new)
        })
    })
}

/// One active timestamp, or a range of two, and nothing else.
fn valid(text: &str) -> Result<Stamp, Error> {
    let wrong = Error::Argument { what: "timestamp" };
    let stamp = stamp_at(text.as_bytes(), 0).filter(|stamp| stamp.active).ok_or(wrong.clone())?;
    let one = stamp.span.end == text.len();
    let range = stamp.last.is_some()
        && stamp_at(text.as_bytes(), stamp.span.end + 2).is_some_and(|second| second.span.end == text.len());
    if one || range { Ok(stamp) } else { Err(wrong) }
}

/// Carries the repeater of the old date over, with the delay that follows it; a delay alone too.
fn with_repeater(bytes: &[u8], text: &str, stamp: &Stamp, old: Option<Span>) -> String {
    let Some(old) = old.and_then(|span| stamp_at(bytes, span.begin)).filter(|_| stamp.repeater.is_none())
    else {
        return text.to_owned();
    };
    let words = Span::new(old.span.begin + 1, old.span.end - 1).text(bytes);
    let interval = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let marked = |word: &str| {
        let bare = word.trim_start_matches(['.', '+', '-']);
        bare.len() < word.len() && interval(bare) && bare.contains(['h', 'd', 'w', 'm', 'y'])
    };
    let mut words = words.split_ascii_whitespace().skip_while(|word| !marked(word));
    let (Some(mut kept), Some(head), None) =
        (words.next().map(str::to_owned), text.strip_suffix('>'), stamp.last)
    else {
        return text.to_owned();
    };
    if stamp.delay.is_some() && kept.starts_with('-') {
        return text.to_owned();
    }
    // Emacs takes one word more, and none behind the `/4d` of a habit.
    if let Some(next) = words.next().filter(|next| marked(next) && !next.starts_with("--"))
        && !kept.contains('/')
        && stamp.delay.is_none()
    {
        kept = format!("{kept} {next}");
    }
    format!("{head} {kept}>")
}
