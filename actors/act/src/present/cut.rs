//! Cuts an answer that is too long. It must never cut without saying so.

use protocol::limits::ANSWER_MAX;

/// Stands where the rest was.
const MARK: &str = "\n[… cut: the answer is longer than 96 KiB]";

/// Returns the text, or as much of it as an answer can have with a mark behind it. It is cut at a line end if one
/// is near, and never inside a character.
#[must_use]
pub fn cut(text: String) -> String {
    if text.len() <= ANSWER_MAX {
        return text;
    }
    let room = ANSWER_MAX - MARK.len();
    let end = (0..=room).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let kept = text.get(..end).unwrap_or_default();
    let kept = match kept.rsplit_once('\n') {
        Some((lines, last)) if last.len() < LINE_NEAR => lines,
        Some(_) | None => kept,
    };
    format!("{kept}{MARK}")
}

/// How far back a line end is looked for, in bytes: a long line is cut inside.
const LINE_NEAR: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn short_answer_is_left_alone() {
        assert_eq!(cut("a\n".into()), "a\n");
    }

    #[test]
    fn long_answer_is_cut_at_a_line_end_with_a_mark() {
        let text = cut("0123456789\n".repeat(10_000));
        assert!(text.ends_with("\n0123456789\n[… cut: the answer is longer than 96 KiB]"));
        assert!(text.len() <= ANSWER_MAX);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn cut_answer_fits(head in "[a-zä€😀\n]{0,9}", unit in "[a-zä€😀]{1,7}") {
            let text = cut(head + &unit.repeat(40_000));
            prop_assert!(text.len() <= ANSWER_MAX);
        }
    }
}
