//! Words of the dictionary that differ from a word by a slip of the hand. It looks at every word, so it is asked only
//! when the word as typed finds little.

use crate::{
    index::Index,
    segment::letters,
    wanted::{Form, Want},
};

/// Most words that are taken for what was meant.
const NEAR_MAX: usize = 12;
/// What a word counts that only may have been meant.
const WEIGHT: f32 = 0.7;

impl Index {
    /// The same with words that are spelt nearly so.
    pub(crate) fn near(&self, want: &Want) -> Want {
        let mut forms = want.forms.clone();
        for (form, weight) in &want.forms {
            if let Form::Kin(word) | Form::Exact(word) = form {
                forms.extend(self.nearest(word).into_iter().map(|word| (Form::Exact(word), weight * WEIGHT)));
            }
        }
        Want { forms, ..want.clone() }
    }

    /// The words nearest to one that are in use: one slip from four letters, two from eight.
    fn nearest(&self, word: &str) -> Vec<String> {
        let mut ruler = Ruler::new(word);
        if ruler.most == 0 || !word.chars().all(char::is_alphabetic) {
            return Vec::new();
        }
        let mut found: Vec<(usize, String)> = Vec::new();
        for (_, segment) in self.segments() {
            for (at, letters) in segment.terms.letters.iter().enumerate() {
                if !ruler.may_be_near(*letters) {
                    continue;
                }
                let other = segment.terms.word(at);
                if other.len().abs_diff(word.len()) <= ruler.most * 3
                    && let Some(distance) = ruler.distance(other).filter(|distance| *distance > 0)
                    && segment.is_in_use(at)
                {
                    found.push((distance, other.to_owned()));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        let best = found.first().map_or(0, |(distance, _)| *distance);
        found
            .into_iter()
            .filter(|(distance, _)| *distance == best)
            .map(|(_, word)| word)
            .take(NEAR_MAX)
            .collect()
    }
}

/// Measures words against one.
struct Ruler {
    word: Vec<char>,
    letters: u32,
    most: usize,
    other: Vec<char>,
    rows: [Vec<usize>; 3],
}

impl Ruler {
    fn new(text: &str) -> Self {
        let word: Vec<char> = text.chars().collect();
        let most = match word.len() {
            0..=3 => 0,
            4..=7 => 1,
            _ => 2,
        };
        let rows = [Vec::new(), Vec::new(), Vec::new()];
        Self { word, letters: letters(text), most, other: Vec::new(), rows }
    }

    /// A slip changes two letters of the set at most.
    const fn may_be_near(&self, letters: u32) -> bool {
        (letters ^ self.letters).count_ones() as usize <= 2 * self.most
    }

    /// Edits between two words, a swap of neighbours counting once; none if there are too many.
    fn distance(&mut self, other: &str) -> Option<usize> {
        let Self { word, other: chars, rows, most, .. } = self;
        chars.clear();
        chars.extend(other.chars());
        if word.len().abs_diff(chars.len()) > *most {
            return None;
        }
        let [older, old, new] = rows;
        old.clear();
        old.extend(0..=word.len());
        let at = |line: &[usize], column: usize| line.get(column).copied().unwrap_or(usize::MAX / 2);
        let mut before = None;
        for (row, theirs) in (1..).zip(chars.iter()) {
            new.clear();
            new.push(row);
            for (column, ours) in word.iter().enumerate() {
                let cost = usize::from(ours != theirs);
                let mut least =
                    (at(old, column) + cost).min(at(old, column + 1) + 1).min(at(new, column) + 1);
                if let Some(last) = column.checked_sub(1)
                    && before == Some(ours)
                    && word.get(last) == Some(theirs)
                {
                    least = least.min(at(older, last) + 1);
                }
                new.push(least);
            }
            if new.iter().all(|least| least > most) {
                return None;
            }
            std::mem::swap(older, old);
            std::mem::swap(old, new);
            before = Some(theirs);
        }
        old.last().copied().filter(|distance| distance <= most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(one: &str, other: &str) -> Option<usize> {
        Ruler { most: 2, ..Ruler::new(one) }.distance(other)
    }

    #[test]
    fn a_slip_counts_once() {
        assert_eq!(between("boiler", "boiler"), Some(0));
        assert_eq!(between("boiler", "biler"), Some(1));
        assert_eq!(between("boiler", "bolier"), Some(1));
        assert_eq!(between("boiler", "boxler"), Some(1));
        assert_eq!(between("boiler", "bollers"), Some(2));
        assert_eq!(between("boiler", "kettle"), None);
    }
}
