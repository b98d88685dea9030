//! How many tokens a text is, at most. Vocabularies differ and cost megabytes, so this is an estimate that errs high;
//! it adds up line by line, so that what was counted piece by piece holds for the whole.

/// Returns an upper estimate of the tokens of some lines.
///
/// Tokenizers cut at blanks, digits and punctuation first; then common words are one token. So it counts the pieces and
/// charges long words and foreign letters for more. Measured against o200k on 1.2 MB of Org text in pieces of 4,000
/// bytes: 10 % too high in the mean, too low for 2 % of the pieces, by 9 % at worst (tables of symbols).
#[must_use]
pub fn tokens(text: &str) -> usize {
    // In twelfths of a token.
    let mut sum = 0usize;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_ascii_alphabetic() {
            let mut len = 1;
            let mut bends = 0;
            while let Some(next) = chars.next_if(char::is_ascii_alphabetic) {
                len += 1;
                bends += usize::from(next.is_ascii_uppercase());
            }
            sum += word(len, bends);
        } else if c.is_ascii_digit() {
            let mut len = 1usize;
            while chars.next_if(char::is_ascii_digit).is_some() {
                len += 1;
            }
            sum += 12 * len.div_ceil(3);
        } else if c == ' ' {
            // One blank goes with the word behind it, but not with a number; more are one token.
            let mut more = false;
            while chars.next_if_eq(&' ').is_some() {
                more = true;
            }
            let number = chars.peek().is_some_and(char::is_ascii_digit);
            sum += if more || number { 12 } else { 0 };
        } else if c.is_ascii() {
            let mut same = 1usize;
            while chars.next_if_eq(&c).is_some() {
                same += 1;
            }
            sum += if c == '\\' { 18 } else { 11 };
            sum += same.min(64) / 4 + (same.saturating_sub(64)) / 2;
        } else {
            sum += foreign(c);
        }
    }
    sum.div_ceil(12)
}

/// Most words up to seven letters are one token, longer ones often two; capitals within a word begin another.
const fn word(len: usize, bends: usize) -> usize {
    let base = match len {
        0..=4 => 11,
        5..=6 => 12,
        7..=8 => 14,
        9..=11 => 17,
        _ => 18 + (len - 11) * 4,
    };
    base + bends * 6
}

/// Letters of other scripts: mostly half a token, rare ones up to one for each byte.
const fn foreign(c: char) -> usize {
    match c {
        '\u{80}'..='\u{24f}' => 10,
        '\u{250}'..='\u{6ff}' => 10,
        '\u{2000}'..='\u{27ff}' => 18,
        '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' => 14,
        _ => 12 * c.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lines_add_up(one in "\\PC{0,40}", other in "\\PC{0,40}") {
            let (one, other) = (format!("{one}\n"), format!("{other}\n"));
            let both = format!("{one}{other}");
            prop_assert!(tokens(&both) <= tokens(&one) + tokens(&other));
        }
    }
}
