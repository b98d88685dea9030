//! Full-text search: every word must occur, best entries first, with the passage that holds them.

use crate::{
    entry::{All, At, cut},
    folder::Folder,
    target::plain,
};
use protocol::recall::{Hit, Recalled};

/// Longest passage in bytes: three lines of a terminal.
const PASSAGE_MAX: usize = 240;

/// Points of one word. A title says what an entry is about; a body only mentions.
const IN_TITLE: u32 = 10;
const IN_TITLE_AS_WORD: u32 = 5;
const IN_TAGS: u32 = 6;
const IN_PATH: u32 = 2;
const IN_BODY: u32 = 1;
/// More than this many occurrences tell nothing more.
const OCCURRENCES_MAX: u32 = 5;
/// Points of the words as one phrase.
const PHRASE_IN_TITLE: u32 = 20;
const PHRASE_IN_BODY: u32 = 8;

/// Searches for words.
pub(crate) fn search(folder: &Folder, words: &str, limit: u8) -> Recalled {
    let phrase = plain(words);
    let words = query_words(&phrase);
    if words.is_empty() {
        return Recalled::Hits { hits: Vec::new(), total: 0 };
    }
    let mut found: Vec<(u32, At<'_>)> = folder
        .tops()
        .chain(folder.entries())
        .filter_map(|at| Some((score(at, &words, &phrase)?, at)))
        .collect();
    // Sorting is stable: entries of equal score stay in the order of files and lines.
    found.sort_by(|a, b| {
        let recent = b.1.file.modified().cmp(&a.1.file.modified());
        b.0.cmp(&a.0).then(recent)
    });
    let total = u32::try_from(found.len()).unwrap_or(u32::MAX);
    let hits = found.iter().take(usize::from(limit)).map(|(_, at)| Hit {
        entry: at.entry_ref(),
        todo: at.todo(),
        passage: at.labeled(passage(*at, &words)),
    });
    Recalled::Hits { hits: hits.collect(), total }
}

/// Punctuation around a word is not meant: `boiler?` looks for `boiler`.
fn query_words(phrase: &str) -> Vec<&str> {
    let outer = |c: char| !c.is_alphanumeric();
    let mut words: Vec<&str> = Vec::new();
    for raw in phrase.split(' ') {
        let word = raw.trim_matches(outer);
        let word = if word.is_empty() { raw } else { word };
        if !word.is_empty() && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// What a search looks at of one entry, in the form in which it compares. Made once per reading of a file.
#[derive(Debug)]
pub(crate) struct Text {
    own: String,
    title: String,
    tags: String,
}

/// Returns the text of an entry; the first search after a file was read makes those of the whole file.
fn text_of(at: At<'_>) -> Option<&Text> {
    let make = |index: Option<usize>| {
        let at = At { file: at.file, index };
        Text {
            own: at.own().text(&at.file.bytes).to_lowercase(),
            title: plain(&at.title()),
            tags: at.tags().join(" ").to_lowercase(),
        }
    };
    // First what stands above all headlines, then the headlines in order.
    let all = || std::iter::once(None).chain((0..at.file.doc.nodes.len()).map(Some)).map(make).collect();
    let texts: &Vec<Text> = at.file.texts.get_or_init(all);
    texts.get(at.index.map_or(0, |index| index + 1))
}

fn score(at: At<'_>, words: &[&str], phrase: &str) -> Option<u32> {
    let Text { own, title, tags } = text_of(at)?;
    let mut path: Option<String> = None;
    let mut points = 0;
    for word in words {
        let mut gained = 0;
        if title.contains(*word) {
            gained += IN_TITLE;
            let whole = title.split(|c: char| !c.is_alphanumeric()).any(|w| w == *word);
            gained += if whole { IN_TITLE_AS_WORD } else { 0 };
        }
        if tags.contains(*word) {
            gained += IN_TAGS;
        }
        let count = own.matches(*word).take(OCCURRENCES_MAX as usize).count();
        gained += u32::try_from(count).unwrap_or(OCCURRENCES_MAX) * IN_BODY;
        if gained == 0 {
            let path = path.get_or_insert_with(|| path_text(at));
            gained += if path.contains(word) { IN_PATH } else { 0 };
        }
        if gained == 0 {
            return None;
        }
        points += gained;
    }
    // A hit by file name and titles above alone would list every entry of a file.
    if points == IN_PATH * u32::try_from(words.len()).unwrap_or(u32::MAX) {
        return None;
    }
    if words.len() > 1 {
        points += if title.contains(phrase) { PHRASE_IN_TITLE } else { 0 };
        points += if own.contains(phrase) { PHRASE_IN_BODY } else { 0 };
    }
    Some(points)
}

fn path_text(at: At<'_>) -> String {
    let entry = at.entry_ref();
    plain(&format!("{} {}", entry.file, entry.path.join(" ")))
}

/// Returns the line with most of the words and its neighbours, without drawers and planning.
fn passage(at: At<'_>, words: &[&str]) -> String {
    let body = at.node().map_or(at.own(), |node| org::Span::new(node.body, node.own_end));
    let text = body.text(&at.file.bytes);
    let lines: Vec<&str> = text.lines().collect();
    let hits = |line: &str| {
        let line = line.to_lowercase();
        words.iter().filter(|word| line.contains(**word)).count()
    };
    let best = lines
        .iter()
        .enumerate()
        .max_by_key(|(index, line)| (hits(line), std::cmp::Reverse(*index)))
        .filter(|(_, line)| hits(line) > 0)
        .map(|(index, _)| index);
    let first_text = || lines.iter().position(|line| !line.trim().is_empty());
    let Some(best) = best.or_else(first_text) else {
        let title = at.title();
        return cut(&title, PASSAGE_MAX).0.to_owned();
    };
    let line = |index: Option<usize>| {
        let line = index.and_then(|index| lines.get(index)).copied();
        line.map(str::trim).filter(|line| !line.is_empty())
    };
    let Some(main) = line(Some(best)) else {
        return String::new();
    };
    if main.len() >= PASSAGE_MAX {
        return window(main, words);
    }
    let mut passage = main.to_owned();
    if let Some(next) = line(best.checked_add(1)).filter(|next| passage.len() + next.len() < PASSAGE_MAX) {
        passage = format!("{passage}\n{next}");
    }
    if let Some(above) = line(best.checked_sub(1)).filter(|above| passage.len() + above.len() < PASSAGE_MAX) {
        passage = format!("{above}\n{passage}");
    }
    passage
}

/// Cuts a long line around the first word that it holds.
fn window(line: &str, words: &[&str]) -> String {
    let lower = line.to_lowercase();
    let first = words.iter().filter_map(|word| lower.find(word)).min();
    // Lower case may differ in length, so the place is only nearly right; that is enough for a window.
    let from = first.unwrap_or(0).saturating_sub(PASSAGE_MAX / 3);
    let from = (from..=line.len()).find(|at| line.is_char_boundary(*at));
    let from = from.unwrap_or(0);
    let rest = line.get(from..).unwrap_or_default();
    let rest = match rest.split_once(' ') {
        Some((_, rest)) if from > 0 => rest,
        Some(_) | None => rest,
    };
    let (text, more) = cut(rest, PASSAGE_MAX);
    let front = if from > 0 { "…" } else { "" };
    let back = if more { "…" } else { "" };
    format!("{front}{text}{back}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_around_query_words_is_dropped() {
        assert_eq!(query_words("where is the boiler? boiler +1"), ["where", "is", "the", "boiler", "1"]);
        assert_eq!(query_words("c++"), ["c"]);
    }

    #[test]
    fn window_cuts_at_characters() {
        let line = "é".repeat(300) + " boiler " + &"ü".repeat(300);
        let text = window(&line, &["boiler"]);
        assert!(text.len() <= PASSAGE_MAX + 6);
    }
}
