//! One spelling for what people take for the same word: case, accents, ligatures and width go. It must be the same for
//! text and for question, and folding twice must change nothing.

use unicode_normalization::UnicodeNormalization;

/// Appends the folded form.
pub(crate) fn fold_into(word: &str, out: &mut String) {
    if word.is_ascii() {
        let begin = out.len();
        out.push_str(word);
        if let Some(new) = out.get_mut(begin..) {
            new.make_ascii_lowercase();
        }
        return;
    }
    // Twice, because lower case may bring marks back, and compatibility forms may bring capitals.
    let once: String = pass(word);
    out.push_str(&pass(&once));
}

/// Returns the folded form.
pub(crate) fn fold(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    fold_into(word, &mut out);
    out
}

fn pass(word: &str) -> String {
    // Composed again at the end: marks that carry meaning (kana, Hangul, Indic vowels) stay.
    let bare = word.nfkd().filter(|c| !is_accent(*c)).flat_map(char::to_lowercase).filter(|c| !is_accent(*c));
    let mut plain = String::with_capacity(word.len());
    for c in bare {
        match letters(c) {
            Some(known) => plain.push_str(known),
            None => plain.push(c),
        }
    }
    plain.nfc().collect()
}

/// Letters that Unicode does not take apart, though people type them as others.
const fn letters(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' | 'ẞ' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ł' => "l",
        'þ' => "th",
        'ı' => "i",
        'ς' => "σ",
        _ => return None,
    })
}

/// Marks over and below letters, vowel points of Hebrew and Arabic.
const fn is_accent(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{487}' | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}'..='\u{5c2}'
        | '\u{5c4}'..='\u{5c5}' | '\u{5c7}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}' | '\u{ad}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn same_word_in_other_spelling_is_the_same() {
        assert_eq!(fold("Straße"), fold("STRASSE"));
        assert_eq!(fold("Café"), "cafe");
        assert_eq!(fold("cafe\u{301}"), "cafe");
        assert_eq!(fold("ﬁne"), "fine");
        assert_eq!(fold("ＡＢＣ"), "abc");
        assert_eq!(fold("İstanbul"), "istanbul");
        assert_eq!(fold("ΟΔΟΣ"), fold("οδος"));
        assert_eq!(fold("が"), "が");
        assert_eq!(fold("한글"), "한글");
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(word in "\\PC{0,12}") {
            let once = fold(&word);
            prop_assert_eq!(fold(&once), once);
        }
    }
}
