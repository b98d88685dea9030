//! Tags and priorities in a text: `#house`, `!A`, `[#A]`, "urgent". It must never take a word off that was more than
//! a mark.

use super::{
    catalogue::Language,
    lex::{Word, words},
};

/// Most tags of an entry; from there on they are words. The gates of `act` allow no more.
const TAGS_MAX: usize = 32;

/// Longest tag, in bytes, for the same reason.
const TAG_MAX: usize = 64;

/// The marks of a text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Marks {
    pub(super) tags: Vec<String>,
    pub(super) priority: Option<char>,
}

impl Marks {
    /// Takes `!A` and `[#A]` off, wherever they stand.
    pub(super) fn take_letters(&mut self, said: &mut Vec<Word<'_>>) {
        said.retain(|word| {
            let letter = letter(word);
            self.priority = self.priority.or(letter);
            letter.is_none()
        });
    }

    /// Takes tags and words for a priority off both ends. A priority in words counts at the beginning only with a
    /// pause behind it: "urgent: call", but "urgent letters".
    pub(super) fn take_edges(&mut self, said: &mut Vec<Word<'_>>, language: &Language) {
        let mut behind = Vec::new();
        while self.take_last(said, language, &mut behind) {}
        while self.take_first(said, language) {}
        behind.reverse();
        for tag in behind {
            self.add(tag);
        }
    }

    fn take_last(&mut self, said: &mut Vec<Word<'_>>, language: &Language, behind: &mut Vec<String>) -> bool {
        let before = said.len().checked_sub(2).and_then(|at| said.get(at));
        let in_the_air =
            before.is_some_and(|word| !word.pauses() && language.words.dangling.contains(&word.key));
        if let Some(tag) = said.last().and_then(tag)
            && !in_the_air
            && self.tags.len() + behind.len() < TAGS_MAX
        {
            behind.push(tag);
            said.pop();
            return true;
        }
        let Some((from, letter)) = priority_at_end(said, language) else {
            return false;
        };
        self.priority = self.priority.or(Some(letter));
        said.truncate(from);
        true
    }

    fn take_first(&mut self, said: &mut Vec<Word<'_>>, language: &Language) -> bool {
        if let Some(tag) = said.first().and_then(tag)
            && self.tags.len() < TAGS_MAX
        {
            self.add(tag);
            said.remove(0);
            return true;
        }
        let Some((to, letter)) = priority_at_beginning(said, language) else {
            return false;
        };
        self.priority = self.priority.or(Some(letter));
        said.drain(..to);
        true
    }

    /// Returns a word of the rest as typed; an inner tag loses its sign and is kept as a word.
    pub(super) fn take_inner<'t>(&mut self, word: &Word<'t>) -> &'t str {
        match tag(word) {
            Some(tag) if self.tags.len() < TAGS_MAX => {
                self.add(tag);
                word.raw.strip_prefix('#').unwrap_or(word.raw)
            }
            Some(_) | None => word.raw,
        }
    }

    fn add(&mut self, tag: String) {
        if !self.tags.contains(&tag) {
            self.tags.push(tag);
        }
    }
}

/// Takes the tags off a note: at either end of its first line, and from a last line that holds nothing else. A note
/// without tags is returned as it was typed.
pub(super) fn note(text: &str, language: &Language) -> (String, Vec<String>) {
    let mut marks = Marks::default();
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let first = if words(first).iter().any(|word| tag(word).is_some()) {
        marks.first_line(first, language)
    } else {
        first.to_owned()
    };
    let (rest, last) = match rest.trim_end().rsplit_once('\n') {
        Some((rest, last)) => (rest, last),
        None => ("", rest),
    };
    let found: Option<Vec<String>> = words(last).iter().map(tag).collect();
    let body = match found {
        Some(tags) if !tags.is_empty() && marks.tags.len() + tags.len() <= TAGS_MAX => {
            tags.into_iter().for_each(|tag| marks.add(tag));
            rest
        }
        Some(_) | None => text.split_once('\n').map_or("", |(_, rest)| rest),
    };
    let whole = format!("{first}\n{body}");
    (whole.trim().to_owned(), marks.tags)
}

impl Marks {
    fn first_line(&mut self, line: &str, language: &Language) -> String {
        let mut said = words(line);
        let mut behind = Vec::new();
        while said.last().is_some_and(|word| tag(word).is_some())
            && self.take_last(&mut said, language, &mut behind)
        {}
        while said.first().and_then(tag).is_some() && self.take_first(&mut said, language) {}
        let kept: Vec<&str> = said.iter().map(|word| self.take_inner(word)).collect();
        behind.reverse();
        behind.into_iter().for_each(|tag| self.add(tag));
        kept.join(" ")
    }
}

/// Reads a tag. `#1` is a number; Org knows no hyphen in a tag, so it becomes an underscore.
fn tag(word: &Word<'_>) -> Option<String> {
    let name = word.raw.strip_prefix('#')?.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '@' | '%');
    let named = name.starts_with(char::is_alphabetic) && name.len() <= TAG_MAX && name.chars().all(plain);
    (named && !word.quoted).then(|| name.replace('-', "_"))
}

/// Reads a tag that is said without its `#`.
pub(super) fn bare(name: &str) -> Option<String> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '@' | '%');
    let named = !name.is_empty() && name.len() <= TAG_MAX && name.chars().all(plain);
    named.then(|| name.replace('-', "_"))
}

fn letter(word: &Word<'_>) -> Option<char> {
    let raw = word.raw.trim_end_matches(['.', ',', ';', ':']);
    let cookie = || raw.strip_prefix("[#")?.strip_suffix(']');
    let name = raw.strip_prefix('!').or_else(cookie)?;
    let mut chars = name.chars();
    let letter = chars.next()?.to_ascii_uppercase();
    let alone = chars.next().is_none() && matches!(letter, 'A'..='C');
    (alone && !word.quoted).then_some(letter)
}

fn priority_at_end(said: &[Word<'_>], language: &Language) -> Option<(usize, char)> {
    let longest = said.len().saturating_sub(3);
    (longest..said.len()).find_map(|from| {
        let before = from.checked_sub(1).and_then(|at| said.get(at));
        let dangles = |word: &Word<'_>| !word.pauses() && language.words.dangling.contains(&word.key);
        if before.is_some_and(dangles) {
            return None;
        }
        let letter = priority(said.get(from..)?, language)?;
        Some((from, letter))
    })
}

fn priority_at_beginning(said: &[Word<'_>], language: &Language) -> Option<(usize, char)> {
    (1..=said.len().min(3)).find_map(|to| {
        let words = said.get(..to)?;
        let letter = priority(words, language)?;
        words.last()?.pauses().then_some((to, letter))
    })
}

fn priority(said: &[Word<'_>], language: &Language) -> Option<char> {
    language.priorities.iter().find_map(|priority| {
        let mut says = priority.says.iter();
        says.any(|pattern| pattern.whole(said, &language.calendar).is_some()).then_some(priority.letter)
    })
}

/// Says whether a text ends in an abbreviation, to which its full stop belongs.
pub(super) fn abbreviates(text: &str) -> bool {
    let last = text.rsplit(char::is_whitespace).next().unwrap_or("");
    last.contains('.') || last.eq_ignore_ascii_case("etc") || last.chars().count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflex::catalogue::english;

    fn noted(text: &str) -> (String, String) {
        let (text, tags) = note(text, &english());
        (text, tags.join(" "))
    }

    fn pair(text: &str, tags: &str) -> (String, String) {
        (text.into(), tags.into())
    }

    #[test]
    fn note_without_tags_is_kept_as_typed() {
        let text = "the  boiler\n\n  hums #1\n#+begin_src\n";
        assert_eq!(note(text, &english()).0, text.trim());
    }

    #[test]
    fn tags_are_taken_off_the_ends_and_kept_as_words_inside() {
        assert_eq!(noted("#home the boiler hums #house-2."), pair("the boiler hums", "home house_2"));
        assert_eq!(noted("the #boiler hums"), pair("the boiler hums", "boiler"));
        assert_eq!(noted("about the #boiler"), pair("about the boiler", "boiler"));
    }

    #[test]
    fn last_line_of_tags_is_taken_off_a_note() {
        assert_eq!(noted("title\nbody\n#include <a>\n#b #c"), pair("title\nbody\n#include <a>", "b c"));
        assert_eq!(noted("title\n#b"), pair("title", "b"));
    }
}
