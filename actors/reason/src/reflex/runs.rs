//! Where in a text its dates stand: at the beginning, at the end, or in the middle behind a word that leads them. It
//! must never look anywhere else, and never leave a title that ends in the air.

use super::{
    lex::Word,
    phrase::Lead,
    step::{Part, Place, Reader, Step},
};

/// Most words that the dates at the end of a text can have together: "by the end of next month at half past nine
/// every other friday" has fourteen.
const TAIL_MAX: usize = 16;

/// Most phrases in a row.
const STEPS_MAX: usize = 6;

/// How many words are searched for a date in the middle.
const MIDDLE_MAX: usize = 64;

/// Phrases in a row and the words that they take.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) steps: Vec<Step>,
}

/// The dates of a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Runs {
    pub(super) head: Option<Run>,
    pub(super) middle: Option<Run>,
    pub(super) tail: Option<Run>,
}

impl Reader<'_> {
    /// Finds the dates of a text.
    pub(super) fn runs(self, words: &[Word<'_>]) -> Runs {
        let head = self.head(words);
        let from = head.as_ref().map_or(0, |run| run.to);
        let tail = self.tail(words, from);
        let to = tail.as_ref().map_or(words.len(), |run| run.from);
        let middle = self.middle(words, from, to);
        Runs { head, middle, tail }
    }

    /// Reads all the words as dates.
    pub(super) fn whole(self, words: &[Word<'_>]) -> Option<Vec<Step>> {
        let fits = (1..=TAIL_MAX).contains(&words.len());
        fits.then(|| self.to_end(words, 0, Place::Whole, &mut Vec::new())).flatten()
    }

    /// Reads a repeater at the beginning: such a text is a task even if nothing else says so.
    pub(super) fn begins_with_repeater(self, words: &[Word<'_>]) -> bool {
        self.head(words).is_some_and(|run| {
            let first = run.steps.first().map(|step| &step.part);
            matches!(first, Some(Part::Every(_) | Part::Problem(_))) && run.to < words.len()
        })
    }

    fn head(self, words: &[Word<'_>]) -> Option<Run> {
        let (to, steps) = self.greedy(words, 0, words.len(), Place::Begin);
        let alone = !self.is_alternative(words.get(to));
        (alone && !steps.is_empty()).then_some(Run { from: 0, to, steps })
    }

    fn tail(self, words: &[Word<'_>], from: usize) -> Option<Run> {
        let earliest = from.max(words.len().saturating_sub(TAIL_MAX));
        (earliest..words.len()).find_map(|at| {
            let before = at.checked_sub(1).filter(|before| *before >= from);
            if before.and_then(|at| words.get(at)).is_some_and(|word| self.dangles(word)) {
                return None;
            }
            let steps = self.to_end(words, at, Place::End, &mut Vec::new())?;
            Some(Run { from: at, to: words.len(), steps })
        })
    }

    fn middle(self, words: &[Word<'_>], from: usize, to: usize) -> Option<Run> {
        (from + 1..to.min(from + MIDDLE_MAX)).find_map(|at| {
            if words.get(at - 1).is_some_and(|word| self.dangles(word)) {
                return None;
            }
            let led = self.leads(words.get(at..)?).len() > 1;
            let run = if led {
                let (end, steps) = self.greedy(words, at, to, Place::Middle);
                Some(Run { from: at, to: end, steps })
            } else {
                self.day_before_time(words, at, to)
            };
            run.filter(|run| !run.steps.is_empty() && !self.is_alternative(words.get(run.to)))
        })
    }

    /// Reads a bare day that a time follows: "lunch Thursday at noon with Anna".
    fn day_before_time(self, words: &[Word<'_>], from: usize, to: usize) -> Option<Run> {
        let bare = self.steps(words, from, Place::End, None);
        let day = bare.into_iter().find(|step| matches!(step.part, Part::Day(_)) && from + step.used < to)?;
        let at = from + day.used;
        let time = self.steps(words, at, Place::Middle, Some(&day)).into_iter().find(|step| {
            let timed = matches!(step.part, Part::Clock(_) | Part::Problem(_));
            timed && step.lead == Some(Lead::At) && at + step.used <= to
        })?;
        Some(Run { from, to: at + time.used, steps: vec![day, time] })
    }

    fn is_alternative(self, word: Option<&Word<'_>>) -> bool {
        let alternatives = &self.language.words.alternatives;
        word.is_some_and(|word| !word.quoted && alternatives.contains(&word.key))
    }

    fn dangles(self, word: &Word<'_>) -> bool {
        !word.quoted && !word.pauses() && self.language.words.dangling.contains(&word.key)
    }

    /// Takes the longest phrase again and again.
    fn greedy(self, words: &[Word<'_>], from: usize, to: usize, place: Place) -> (usize, Vec<Step>) {
        let mut at = from;
        let mut steps: Vec<Step> = Vec::new();
        while steps.len() < STEPS_MAX {
            let next =
                self.steps(words, at, place, steps.last()).into_iter().find(|step| at + step.used <= to);
            let Some(next) = next else { break };
            at += next.used;
            steps.push(next);
        }
        (at, steps)
    }

    /// Reads all the words from one on as phrases, long ones first.
    fn to_end(
        self,
        words: &[Word<'_>],
        at: usize,
        place: Place,
        before: &mut Vec<Step>,
    ) -> Option<Vec<Step>> {
        if at == words.len() {
            return Some(before.clone());
        }
        if before.len() == STEPS_MAX {
            return None;
        }
        for step in self.steps(words, at, place, before.last()) {
            let next = at + step.used;
            before.push(step);
            if let Some(all) = self.to_end(words, next, place, before) {
                return Some(all);
            }
            before.pop();
        }
        None
    }
}
