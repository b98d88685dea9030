//! Text to words. Scripts without blanks become pairs of characters. Linear, and the same for text and question.

use crate::fold::fold_into;
use unicode_normalization::char::is_combining_mark;

/// Longest word in bytes; longer ones are keys and encoded data, of which the beginning is enough.
const WORD_MAX: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Gap,
    Word,
    Dense,
}

/// Calls back with each folded word in order.
pub(crate) fn words(text: &str, mut each: impl FnMut(&str)) {
    let mut scratch = String::new();
    runs(text, |run, class| {
        scratch.clear();
        fold_into(run, &mut scratch);
        match class {
            Class::Dense => pairs(&scratch, &mut each),
            Class::Word | Class::Gap => each(cut(&scratch)),
        }
    });
}

/// Returns the words of a text as they are looked for. The last character of a dense run stands alone in the index, so
/// that one character can be found by its prefix; in a longer question it says nothing more.
pub(crate) fn question(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut scratch = String::new();
    runs(text, |run, class| {
        scratch.clear();
        fold_into(run, &mut scratch);
        match class {
            Class::Dense => {
                let before = found.len();
                pairs(&scratch, &mut |pair| found.push(pair.to_owned()));
                if found.len() > before + 1 {
                    found.pop();
                }
            }
            Class::Word | Class::Gap => found.push(cut(&scratch).to_owned()),
        }
    });
    found.retain(|word| !word.is_empty());
    found
}

/// Returns whether a word is one character of a script without blanks.
pub(crate) fn is_dense(word: &str) -> bool {
    word.chars().next().is_some_and(|c| class(c) == Class::Dense)
}

fn runs(text: &str, mut each: impl FnMut(&str, Class)) {
    let (mut begin, mut now) = (0, Class::Gap);
    for (at, c) in text.char_indices() {
        let next = match class(c) {
            // A mark belongs to what it stands on.
            Class::Gap if now != Class::Gap && is_combining_mark(c) => now,
            next @ (Class::Gap | Class::Word | Class::Dense) => next,
        };
        if next != now {
            if now != Class::Gap {
                each(text.get(begin..at).unwrap_or_default(), now);
            }
            (begin, now) = (at, next);
        }
    }
    if now != Class::Gap {
        each(text.get(begin..).unwrap_or_default(), now);
    }
}

fn pairs(run: &str, each: &mut impl FnMut(&str)) {
    let mut ends = run.char_indices().map(|(at, c)| at + c.len_utf8()).skip(1);
    for (at, _) in run.char_indices() {
        let end = ends.next().unwrap_or(run.len());
        each(run.get(at..end).unwrap_or_default());
    }
}

fn class(c: char) -> Class {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() { Class::Word } else { Class::Gap };
    }
    match c {
        // Thai, Lao, Myanmar, Khmer; kana; Han with its extensions.
        '\u{e00}'..='\u{eff}'
        | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}'
        | '\u{3041}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}'
        | '\u{20000}'..='\u{3ffff}'
            if c != '\u{30fb}' =>
        {
            Class::Dense
        }
        _ if c.is_alphanumeric() => Class::Word,
        _ => Class::Gap,
    }
}

fn cut(word: &str) -> &str {
    if word.len() <= WORD_MAX {
        return word;
    }
    let end = (0..=WORD_MAX).rev().find(|at| word.is_char_boundary(*at)).unwrap_or(0);
    word.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        words(text, |word| found.push(word.to_owned()));
        found
    }

    #[test]
    fn words_are_split_where_letters_end() {
        assert_eq!(of("Org-mode's =foo_bar= 3.14 Ünï"), ["org", "mode", "s", "foo", "bar", "3", "14", "uni"]);
        assert_eq!(of("cafe\u{301} x"), ["cafe", "x"]);
    }

    #[test]
    fn scripts_without_blanks_become_pairs() {
        assert_eq!(of("Emacs編集器"), ["emacs", "編集", "集器", "器"]);
        assert_eq!(question("編集器"), ["編集", "集器"]);
        assert_eq!(question("器"), ["器"]);
    }

    proptest! {
        #[test]
        fn any_text_gives_folded_words(text in "\\PC{0,60}") {
            for word in of(&text) {
                prop_assert!(word.len() <= WORD_MAX.max(8));
            }
        }
    }
}
