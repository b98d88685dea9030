//! Words of the dictionary that differ from a word by a slip of the hand. It looks at every word, so it is asked only
//! when the word as typed finds little.

use crate::segment::Terms;

/// Most words that are taken for what was meant.
const NEAR_MAX: usize = 12;

/// Returns the terms nearest to a word: one slip from four letters, two from eight.
pub(crate) fn near(terms: &Terms, word: &str) -> Vec<usize> {
    let wanted: Vec<char> = word.chars().collect();
    let most = match wanted.len() {
        0..=3 => return Vec::new(),
        4..=7 => 1,
        _ => 2,
    };
    if !wanted.iter().all(|c| c.is_alphabetic()) {
        return Vec::new();
    }
    let letters = mask(word);
    let mut found: Vec<(usize, usize)> = Vec::new();
    for at in 0..terms.len() {
        let other = terms.word(at);
        if other.len().abs_diff(word.len()) > most * 3
            || (mask(other) ^ letters).count_ones() as usize > 2 * most
        {
            continue;
        }
        if let Some(distance) = distance(&wanted, other, most).filter(|distance| *distance > 0) {
            found.push((distance, at));
        }
    }
    found.sort_unstable();
    let best = found.first().map_or(0, |(distance, _)| *distance);
    found.into_iter().filter(|(distance, _)| *distance == best).map(|(_, at)| at).take(NEAR_MAX).collect()
}

/// Which letters occur, by their lowest bits.
fn mask(word: &str) -> u32 {
    word.bytes().fold(0, |mask, byte| mask | 1 << (byte & 31))
}

/// Edits between two words, a swap of neighbours counting once; none if there are more than `most`.
pub(crate) fn distance(one: &[char], other: &str, most: usize) -> Option<usize> {
    let other: Vec<char> = other.chars().collect();
    if one.len().abs_diff(other.len()) > most {
        return None;
    }
    let width = one.len() + 1;
    let (mut older, mut old): (Vec<usize>, Vec<usize>) = (vec![0; width], (0..width).collect());
    let mut before = '\0';
    for (row, theirs) in (1..).zip(&other) {
        let mut new: Vec<usize> = Vec::with_capacity(width);
        new.push(row);
        for (column, ours) in one.iter().enumerate() {
            let at = |line: &[usize], column: usize| line.get(column).copied().unwrap_or(usize::MAX / 2);
            let cost = usize::from(ours != theirs);
            let mut least = (at(&old, column) + cost).min(at(&old, column + 1) + 1).min(at(&new, column) + 1);
            let last = column.checked_sub(1);
            if let Some(last) = last
                && row > 1
                && *ours == before
                && one.get(last) == Some(theirs)
            {
                least = least.min(at(&older, last) + 1);
            }
            new.push(least);
        }
        if new.iter().all(|least| *least > most) {
            return None;
        }
        (older, old) = (old, new);
        before = *theirs;
    }
    old.last().copied().filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(one: &str, other: &str) -> Option<usize> {
        distance(&one.chars().collect::<Vec<_>>(), other, 2)
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
