//! Orders that change an entry where it stands: an entry, a word between, and what is to be done with it. It must never
//! change anything when one of the two is missing: then the words are no such order, or it asks.
#![expect(clippy::wildcard_enum_match_arm, reason = "of all orders, these few change an entry")]

use super::{
    catalogue::Intent,
    lex::words,
    order::{Asked, target},
    step::Reader,
    tags, title,
    when::Times,
};
use protocol::{
    change::{Change, Edit, Target, When},
    proposal::Action,
};

/// Turns such an order into an action. `None` means that the words are no such order after all.
pub(super) fn action(reader: Reader<'_>, asked: Asked<'_>, object: &str) -> Option<Action> {
    let language = reader.language;
    let say = &language.say;
    let at_once = match asked.intent {
        Intent::Reschedule | Intent::Deadline => return Some(dated(reader, asked, object)),
        Intent::Archive => Some(Edit::Archive),
        Intent::ClockIn => Some(Edit::ClockIn),
        Intent::ClockOut => Some(Edit::ClockOut),
        _ => None,
    };
    if let Some(edit) = at_once {
        return Some(match target(language, object) {
            Some(target) => edited(target, edit),
            None => Action::Say(say.missing_edit.clone()),
        });
    }
    let (first, second) = split(asked.splits, object)?;
    // Where the entry comes first is a matter of the order: "tick milk in shopping", "tag shopping with food".
    let (entry, what) = if asked.intent.names_entry_last() { (second, first) } else { (first, second) };
    let entry = target(language, entry)?;
    let edit = match asked.intent {
        Intent::Tag => Edit::AddTags(tags_of(what)?),
        Intent::Untag => Edit::RemoveTags(tags_of(what)?),
        Intent::Priority => priority(what)?,
        Intent::Append => Edit::Append(what.to_owned()),
        Intent::Move => Edit::Refile { to: target(language, what)? },
        Intent::Tick => Edit::Check(what.to_owned()),
        _ => return None,
    };
    Some(edited(entry, edit))
}

fn edited(target: Target, edit: Edit) -> Action {
    Action::Change(Change::Edit { target, edit })
}

/// An entry with its new date: "reschedule call the plumber to friday at 9".
fn dated(reader: Reader<'_>, asked: Asked<'_>, object: &str) -> Action {
    let say = &reader.language.say;
    let (entry, when) = match entry_and_date(reader, asked, object) {
        Ok(found) => found,
        Err(sentence) => return Action::Say(sentence),
    };
    match (target(reader.language, &entry), when) {
        (Some(target), Some(when)) if asked.intent == Intent::Deadline => {
            edited(target, Edit::Deadline(Some(when)))
        }
        (Some(target), Some(when)) => edited(target, Edit::Schedule(Some(when))),
        (_, None) => Action::Say(say.missing_date.clone()),
        (None, Some(_)) => Action::Say(say.missing_edit.clone()),
    }
}

/// Whatever follows the last "to" is the date if it is nothing else; otherwise the dates of the whole count.
fn entry_and_date(
    reader: Reader<'_>,
    asked: Asked<'_>,
    object: &str,
) -> Result<(String, Option<When>), String> {
    let when = |times: Times| times.scheduled.or(times.deadline);
    if let Some((entry, date)) = split(asked.splits, object) {
        let gist = title::read(reader, date)?;
        if gist.title.is_empty() {
            return Ok((entry.to_owned(), when(gist.times)));
        }
    }
    let gist = title::read(reader, object)?;
    let bare = asked.splits.iter().find_map(|word| gist.title.strip_suffix(&format!(" {word}")));
    let lone = asked.splits.contains(&gist.title);
    Ok((if lone { String::new() } else { bare.unwrap_or(&gist.title).to_owned() }, when(gist.times)))
}

/// Splits at the last word that is one of these, or at the first colon where one is allowed.
fn split<'t>(splits: &[String], object: &'t str) -> Option<(&'t str, &'t str)> {
    if splits.iter().any(|word| word == ":")
        && let Some((entry, what)) = object.split_once(": ").or_else(|| object.split_once(":\n"))
    {
        return Some((entry.trim(), what.trim())).filter(|(a, b)| !a.is_empty() && !b.is_empty());
    }
    let said = words(object);
    let at = said.iter().rposition(|word| !word.quoted && splits.contains(&word.key))?;
    let word = said.get(at)?;
    let before = object.get(..word.start)?.trim();
    let after = object.get(word.end()..)?.trim();
    (!before.is_empty() && !after.is_empty()).then_some((before, after))
}

/// Tags with or without `#` and colons, as people write them.
fn tags_of(text: &str) -> Option<Vec<String>> {
    let parts = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ':'));
    let parts = parts.map(|part| part.trim_matches(['#', '.', '!'])).filter(|part| !part.is_empty());
    let tags: Option<Vec<String>> = parts.filter(|part| *part != "and").map(tags::bare).collect();
    tags.filter(|tags| !tags.is_empty())
}

/// The edit that `A` to `C`, or a word for none, asks for.
fn priority(text: &str) -> Option<Edit> {
    let letter = match text.trim().trim_end_matches(['.', '!']).to_uppercase().as_str() {
        "A" => Some('A'),
        "B" => Some('B'),
        "C" => Some('C'),
        "NONE" | "NOTHING" | "NORMAL" => None,
        _ => return None,
    };
    Some(Edit::Priority(letter))
}
