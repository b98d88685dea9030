//! What the keyword lines of a file say about it: properties, tags, link abbreviations, odd levels.
//!
//! A set-up file is read by whoever may open files; here its keyword lines are only put before those of the file.

use crate::{
    keyword::{Keywords, Sequence},
    objects::{Objects, objects},
    scan::scan,
};
use std::collections::BTreeMap;

/// Settings of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// Keyword lines in order, keys in capitals; those of set-up files stand where they are named.
    pub lines: Vec<(String, String)>,
    /// `#+FILETAGS:` in order, doubles kept.
    pub file_tags: Vec<String>,
    /// `#+PROPERTY:` merged, the last new key first, as Emacs keeps them.
    pub properties: Vec<(String, String)>,
    /// `#+LINK:` abbreviations, the last first.
    pub abbreviations: Vec<(String, String)>,
    /// `#+STARTUP: odd`: each level has two stars more than the one above.
    pub odd: bool,
}

impl Settings {
    /// Reads the settings of a file from its keyword lines.
    #[must_use]
    pub fn of(bytes: &[u8], found: &Objects) -> Self {
        Self::with(bytes, found, |_| None)
    }

    /// Reads the settings of a file; `open` returns the bytes of the file that `#+SETUPFILE:` names, if it may be read.
    /// Set-up files of set-up files are not followed.
    #[must_use]
    pub fn with(bytes: &[u8], found: &Objects, mut open: impl FnMut(&str) -> Option<Vec<u8>>) -> Self {
        let mut lines = Vec::new();
        for keyword in &found.keywords {
            let key = keyword.key.text(bytes).to_uppercase();
            let value = keyword.value.text(bytes);
            if key == "SETUPFILE"
                && let Some(setup) = open(value.trim_matches('"'))
            {
                let there = objects(&setup, &scan(&setup));
                let taken =
                    there.keywords.iter().map(|k| (k.key.text(&setup).to_uppercase(), k.value.text(&setup)));
                lines.extend(taken.filter(|(key, _)| key != "SETUPFILE"));
            }
            lines.push((key, value));
        }
        Self::from_lines(lines)
    }

    fn from_lines(lines: Vec<(String, String)>) -> Self {
        let mut found = Self::default();
        let mut properties = Merged::default();
        for (key, value) in &lines {
            match key.as_str() {
                "FILETAGS" => {
                    let words = value.split_whitespace().flat_map(|word| word.trim_matches(':').split(':'));
                    found.file_tags.extend(words.filter(|tag| !tag.is_empty()).map(str::to_owned));
                }
                "PROPERTY" => {
                    if let Some((name, value)) = two(value) {
                        properties.put(name, value);
                    }
                }
                "LINK" => {
                    if let Some((name, value)) = two(value).filter(|(_, value)| !value.is_empty()) {
                        found.abbreviations.push((name.to_owned(), value.to_owned()));
                    }
                }
                "STARTUP" => {
                    for word in value.split_whitespace() {
                        match word.to_lowercase().as_str() {
                            "odd" => found.odd = true,
                            "oddeven" => found.odd = false,
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        if let Some((_, category)) = lines.iter().find(|(key, _)| key == "CATEGORY") {
            properties.put("CATEGORY", category);
        }
        found.abbreviations.reverse();
        properties.list.reverse();
        found.properties = properties.list;
        found.lines = lines;
        found
    }

    /// Returns the TODO keywords that these lines define; a file scanned alone does not know those of its set-up file.
    #[must_use]
    pub fn keywords(&self) -> Keywords {
        let sequences = self.lines.iter().filter_map(|(key, value)| match key.as_str() {
            "TODO" | "SEQ_TODO" => Some(Sequence::parse(value, false)),
            "TYP_TODO" => Some(Sequence::parse(value, true)),
            _ => None,
        });
        Keywords::new(sequences.collect())
    }

    /// Returns the level of a headline with so many stars.
    #[must_use]
    pub const fn level(&self, stars: usize) -> usize {
        if self.odd { stars / 2 + 1 } else { stars }
    }
}

/// Properties in the order in which they were first set.
#[derive(Default)]
struct Merged {
    list: Vec<(String, String)>,
    places: BTreeMap<String, usize>,
}

impl Merged {
    /// Sets a property, or appends to it when the key ends in `+`.
    fn put(&mut self, key: &str, value: &str) {
        let name = key.strip_suffix('+').unwrap_or(key);
        let place = *self.places.entry(name.to_lowercase()).or_insert(self.list.len());
        match self.list.get_mut(place) {
            Some((_, old)) if name.len() < key.len() => {
                old.push(' ');
                old.push_str(value);
            }
            Some((_, old)) => value.clone_into(old),
            None => self.list.push((name.to_owned(), value.to_owned())),
        }
    }
}

/// Splits a value at its first blanks.
fn two(value: &str) -> Option<(&str, &str)> {
    let at = value.find([' ', '\t'])?;
    let (name, rest) = value.split_at(at);
    Some((name, rest.trim_start_matches([' ', '\t']))).filter(|(name, _)| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Settings {
        let bytes = text.as_bytes();
        Settings::of(bytes, &objects(bytes, &scan(bytes)))
    }

    #[test]
    fn plus_appends_to_a_property() {
        let found = settings("#+PROPERTY: a 1\n#+property: A+ 2\n#+PROPERTY: b 3\n");
        let expected = [("b".to_owned(), "3".to_owned()), ("a".to_owned(), "1 2".to_owned())];
        assert_eq!(found.properties, expected);
    }

    #[test]
    fn set_up_file_gives_its_keywords() {
        let text = b"#+SETUPFILE: \"s.org\"\n#+FILETAGS: :b:\n";
        let found = objects(text, &scan(text));
        let setup = |name: &str| (name == "s.org").then(|| b"#+FILETAGS: :a:\n#+TODO: X | Y\n".to_vec());
        let found = Settings::with(text, &found, setup);
        assert_eq!(found.file_tags, ["a", "b"]);
        assert!(found.keywords().state(b"X").is_some());
    }

    #[test]
    fn odd_levels_count_every_second_star() {
        let found = settings("#+STARTUP: overview odd\n");
        assert_eq!([1, 3, 5].map(|stars| found.level(stars)), [1, 2, 3]);
    }
}
