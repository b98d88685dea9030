//! Uniform text: composed, with `\n` line ends, without what cannot be seen. It must never add a character that was
//! not said, and never hide one that a person would see.

use unicode_normalization::UnicodeNormalization as _;

/// Returns the text in NFC, with `\n` line ends, without control characters (but `\n` and tab) and invisible
/// characters, blanks at both ends trimmed.
///
/// It is composed twice: once so that what is dropped is decided on the final characters, and once because two
/// characters may have become neighbours.
#[must_use]
pub fn normalised(text: &str) -> String {
    let composed: String = text.nfc().collect();
    let visible = without_joiners(&without_invisible(&composed));
    visible.nfc().collect::<String>().trim().to_owned()
}

/// Unifies line ends and drops control and invisible characters, joiners excepted.
fn without_invisible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\n' | '\t' => out.push(c),
            _ if c.is_control() || is_invisible(c) => {}
            _ => out.push(c),
        }
    }
    out
}

/// Says whether a character shows nothing and can reorder or hide others: zero-width and bidi marks, invisible
/// operators, and the tag block that smuggles whole sentences past a reader.
const fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{e0000}'..='\u{e007f}')
}

const fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Drops zero-width joiners and non-joiners except between two characters that can need one: Persian and Indic
/// letters and families of emoji. Between plain letters they only serve to split words unseen.
fn without_joiners(text: &str) -> String {
    let needs = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && !is_joiner(c) && !c.is_whitespace());
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if !is_joiner(c) || (needs(out.chars().next_back()) && needs(chars.peek().copied())) {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn letters_are_composed_and_line_ends_unified() {
        assert_eq!(normalised("cafe\u{301}\r\nb\rc\u{2028}d"), "café\nb\nc\nd");
    }

    #[test]
    fn control_and_invisible_characters_are_dropped() {
        assert_eq!(normalised(" \u{feff}n\u{200b}ot\u{202e}e\u{0}\t:\u{7} x\u{e0041} \n"), "note\t: x");
        assert_eq!(normalised("no\u{200d}te"), "note");
    }

    #[test]
    fn letters_compose_across_a_dropped_character() {
        assert_eq!(normalised("e\u{200b}\u{301}"), "é");
    }

    #[test]
    fn joiners_stay_where_a_script_needs_them() {
        let family = "👩\u{200d}👧";
        let persian = "می\u{200c}خواهم";
        assert_eq!(normalised(family), family);
        assert_eq!(normalised(persian), persian);
    }

    proptest! {
        #[test]
        fn result_is_stable_and_holds_no_control(text in any::<String>()) {
            let once = normalised(&text);
            prop_assert_eq!(normalised(&once), once.clone());
            prop_assert!(once.chars().all(|c| matches!(c, '\n' | '\t') || !c.is_control()));
            prop_assert_eq!(once.trim(), once.as_str());
        }
    }
}
