//! Cuts a text into words and remembers where each stood, so that what is kept of it is kept as typed. It must never
//! decide what a word means.

/// Marks that may stand before a word without belonging to it.
const OPENING: &[char] = &['(', '[', '<', '"', '“', '„', '«', '‘', '¿', '¡'];

/// Marks that may stand behind a word without belonging to it.
const CLOSING: &[char] = &[')', ']', '>', '"', '”', '“', '»', '’', ',', '.', ';', ':', '!', '?', '…'];

/// A word as it stands in the text.
#[derive(Clone, Debug)]
pub(super) struct Word<'t> {
    /// As typed, with the marks around it.
    pub(super) raw: &'t str,
    /// As typed, without the marks around it.
    pub(super) core: &'t str,
    /// Lower case, without the marks around it: what patterns compare.
    pub(super) key: String,
    /// The marks behind it.
    pub(super) tail: &'t str,
    /// Byte offset of `raw` in the text.
    pub(super) start: usize,
    /// Whether it begins with a capital letter.
    pub(super) capital: bool,
    /// Whether it stands between quotation marks: then it is never read as a pattern or a date.
    pub(super) quoted: bool,
}

impl<'t> Word<'t> {
    fn new(raw: &'t str, start: usize) -> Self {
        let front = raw.trim_start_matches(OPENING);
        let core = front.trim_end_matches(CLOSING);
        Self {
            raw,
            core,
            key: key(core),
            tail: front.get(core.len()..).unwrap_or(""),
            start,
            capital: core.chars().next().is_some_and(char::is_uppercase),
            quoted: false,
        }
    }

    /// Byte offset behind `raw`.
    pub(super) const fn end(&self) -> usize {
        self.start + self.raw.len()
    }

    /// Says whether the word makes a pause that sets off what came before: `friday: …`.
    pub(super) fn pauses(&self) -> bool {
        self.tail.contains([':', ','])
    }
}

/// Returns the form of a word that patterns compare.
pub(super) fn key(word: &str) -> String {
    word.to_lowercase().replace('’', "'")
}

/// Returns the words of a text in order.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut from = None;
    for (at, c) in text.char_indices() {
        match (c.is_whitespace(), from) {
            (true, Some(start)) => {
                words.extend(text.get(start..at).map(|raw| Word::new(raw, start)));
                from = None;
            }
            (false, None) => from = Some(at),
            (true, None) | (false, Some(_)) => {}
        }
    }
    if let Some(start) = from {
        words.extend(text.get(start..).map(|raw| Word::new(raw, start)));
    }
    mark_quoted(&mut words);
    words
}

/// Marks the words between quotation marks. A mark that is never closed quotes nothing.
fn mark_quoted(words: &mut [Word<'_>]) {
    let mut open: Option<(usize, char)> = None;
    let mut spans = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if open.is_none() {
            open = closing_of(word.raw).map(|closing| (at, closing));
        }
        let opened_here = open.is_some_and(|(from, _)| from == at);
        if let Some((from, closing)) = open
            && closes(word.raw, closing, opened_here)
        {
            spans.push((from, at));
            open = None;
        }
    }
    for (from, to) in spans {
        for word in words.iter_mut().take(to + 1).skip(from) {
            word.quoted = true;
        }
    }
}

/// Returns the mark that would close the quotation that a word opens.
fn closing_of(raw: &str) -> Option<char> {
    match raw.trim_start_matches(['(', '[']).chars().next()? {
        '"' => Some('"'),
        '“' => Some('”'),
        '„' => Some('“'),
        '«' => Some('»'),
        '`' => Some('`'),
        _ => None,
    }
}

fn closes(raw: &str, closing: char, opened_here: bool) -> bool {
    let end = raw.trim_end_matches([')', ']', ',', '.', ';', ':', '!', '?']);
    let marks = end.chars().filter(|c| *c == closing).count();
    let needed =
        if opened_here && closing_of(raw) == Some(closing) && matches!(closing, '"' | '`') { 2 } else { 1 };
    end.ends_with(closing) && marks >= needed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<String> {
        words(text).into_iter().map(|word| word.key).collect()
    }

    #[test]
    fn words_keep_their_place_and_lose_marks_in_the_key() {
        let found = words("Note:  (the Boiler), hums!");
        assert_eq!(keys("Note:  (the Boiler), hums!"), ["note", "the", "boiler", "hums"]);
        assert_eq!(found[0].tail, ":");
        assert_eq!((found[1].raw, found[1].start), ("(the", 7));
        assert!(found[2].capital);
    }

    #[test]
    fn quoted_words_are_marked_and_open_quotes_are_not() {
        let quoted = |text| words(text).iter().map(|word| word.quoted).collect::<Vec<_>>();
        assert_eq!(quoted("read \"Monday Morning\". today"), [false, true, true, false]);
        assert_eq!(quoted("“friday” due"), [true, false]);
        assert_eq!(quoted("a 5\" pipe and \"half"), [false; 5]);
    }

    #[test]
    fn curly_apostrophe_is_a_plain_one() {
        assert_eq!(keys("What’s on?"), ["what's", "on"]);
    }
}
