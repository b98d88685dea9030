//! One edit, named by a line of words parted by TABs: carried out by the crate `org`. The same line goes to Emacs.
//!
//! Shared by the proof and by the frozen cases of the crate, so it must not know either.

use org::edit::{self, Context, Draft, Place, When};
use org::{Logging, Splice, apply, scan};

/// The moment at which all edits happen.
pub(super) const NOW: &str = "2026-03-09T10:00:00";

/// Carries an edit out. Returns the file, and behind it the other file if there is one.
pub(super) fn act(line: &str, bytes: &[u8], other: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let words: Vec<String> = line.split('\t').map(|word| word.replace("\\n", "\n")).collect();
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let some = |at: usize| Some(word(at)).filter(|word| !word.is_empty());
    let number = |at: usize| word(at).parse::<usize>().map_err(|err| format!("{line}: {err}"));
    let doc = scan(bytes);
    let index = number(1)?;
    let now = NOW.parse().map_err(|err| format!("{err}"))?;
    let splices: Result<Vec<Splice>, org::Error> = match word(0) {
        "keyword" => {
            let logging = Logging { closed: word(3) == "t", drawer: word(4) == "t" };
            edit::set_keyword(bytes, &doc, index, some(2), now, logging)
        }
        "priority" => edit::set_priority(bytes, &doc, index, word(2).chars().next()),
        "tags" => {
            let tags: Vec<&str> = word(2).split(':').filter(|tag| !tag.is_empty()).collect();
            edit::set_tags(bytes, &doc, index, &tags)
        }
        "title" => edit::set_title(bytes, &doc, index, word(2)),
        "property" => edit::set_property(bytes, &doc, index, word(2), word(3)),
        "unset" => edit::delete_property(bytes, &doc, index, word(2)),
        "schedule" => edit::set_planning(bytes, &doc, index, When::Scheduled, some(2)),
        "deadline" => edit::set_planning(bytes, &doc, index, When::Deadline, some(2)),
        "new" => {
            let place = match word(2) {
                "before" => Place::Before(index),
                "after" => Place::After(index),
                "first" => Place::FirstChild(index),
                "last" => Place::LastChild(index),
                "top" => Place::Top,
                _ => Place::End,
            };
            let draft = Draft { title: word(3).to_owned(), body: word(4).to_owned(), ..Draft::default() };
            edit::insert_entry(bytes, &doc, place, &draft)
        }
        "body" => edit::replace_body(bytes, &doc, index, word(2)),
        "append" => edit::append_body(bytes, &doc, index, word(2)),
        "text" => edit::replace_text(bytes, &doc, index, word(2), word(3)),
        "link" => edit::link(bytes, &doc, index, word(2), some(3)),
        "refile" => edit::refile(bytes, &doc, index, some(2).map(|_| number(2)).transpose()?),
        "clock-in" => edit::clock_in(bytes, &doc, index, now),
        "clock-out" => edit::clock_out(bytes, &doc, index, now),
        "box" => {
            let line = number(2)?;
            let before = bytes.split_inclusive(|byte| *byte == b'\n').take(line - 1);
            edit::toggle_checkbox(bytes, &doc, index, before.map(<[u8]>::len).sum())
        }
        "move" => {
            let target = some(2).map(|_| number(2)).transpose()?;
            let target_doc = scan(other);
            let (gone, come) = edit::refile_to(bytes, &doc, index, other, &target_doc, target)
                .map_err(|err| err.to_string())?;
            return both(bytes, &gone, other, &come);
        }
        "archive" => {
            let context = Context { file: word(2), category: word(3), now };
            let moved = edit::archive(bytes, &doc, index, context).map_err(|err| err.to_string())?;
            let end = Splice::insert(other.len(), moved.text);
            return both(bytes, &moved.splices, other, &[end]);
        }
        _ => return Err(format!("no such edit: {line}")),
    };
    let splices = splices.map_err(|err| err.to_string())?;
    Ok(vec![apply(bytes, &splices).map_err(|err| err.to_string())?])
}

fn both(bytes: &[u8], first: &[Splice], other: &[u8], second: &[Splice]) -> Result<Vec<Vec<u8>>, String> {
    let first = apply(bytes, first).map_err(|err| err.to_string())?;
    Ok(vec![first, apply(other, second).map_err(|err| err.to_string())?])
}
