//! TODO keywords of a file. They come from keyword lines anywhere in it, so they are known only after a whole pass.

use std::collections::BTreeMap;

/// One line of keywords.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sequence {
    /// Keywords of open states, in order.
    pub open: Vec<String>,
    /// Keywords of done states, in order.
    pub done: Vec<String>,
    /// Whether it is a `TYP_TODO` line: a repeating task then keeps its keyword.
    pub by_type: bool,
}

/// What a keyword means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Still to do; the index of its sequence.
    Open(usize),
    /// Done; the index of its sequence.
    Done(usize),
}

impl State {
    /// Says whether it is a done state.
    #[must_use]
    pub const fn is_done(self) -> bool {
        match self {
            Self::Open(_) => false,
            Self::Done(_) => true,
        }
    }
}

/// All keywords of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Keywords {
    sequences: Vec<Sequence>,
    states: BTreeMap<Vec<u8>, State>,
}

impl Default for Keywords {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl Keywords {
    /// Collects sequences; without any, `TODO | DONE` holds.
    #[must_use]
    pub fn new(mut sequences: Vec<Sequence>) -> Self {
        sequences.retain(|s| !s.open.is_empty() || !s.done.is_empty());
        if sequences.is_empty() {
            sequences.push(Sequence {
                open: vec!["TODO".to_owned()],
                done: vec!["DONE".to_owned()],
                by_type: false,
            });
        }
        let mut states = BTreeMap::new();
        for (index, sequence) in sequences.iter().enumerate() {
            let open = sequence.open.iter().map(|w| (w, State::Open(index)));
            let done = sequence.done.iter().map(|w| (w, State::Done(index)));
            for (word, state) in open.chain(done) {
                states.entry(word.clone().into_bytes()).or_insert(state);
            }
        }
        Self { sequences, states }
    }

    /// Returns what a word means, `None` if it is no keyword.
    #[must_use]
    pub fn state(&self, word: &[u8]) -> Option<State> {
        self.states.get(word).copied()
    }

    /// Returns the keyword of a new task: `TODO` if it is an open one, else the first open one.
    #[must_use]
    pub fn open_word(&self) -> Option<&str> {
        match self.state(b"TODO") {
            Some(State::Open(_)) => Some("TODO"),
            Some(State::Done(_)) | None => {
                self.sequences.iter().find_map(|s| s.open.first()).map(String::as_str)
            }
        }
    }

    /// Returns the sequence that a state belongs to.
    #[must_use]
    pub fn sequence(&self, state: State) -> Option<&Sequence> {
        let (State::Open(index) | State::Done(index)) = state;
        self.sequences.get(index)
    }

    /// Returns the keyword that marks a task of this state done.
    #[must_use]
    pub fn done_word(&self, state: State) -> Option<&str> {
        let own = self.sequence(state).and_then(|s| s.done.first());
        own.or_else(|| self.sequences.iter().find_map(|s| s.done.first())).map(String::as_str)
    }

    /// Returns the sequences in the order of the file.
    #[must_use]
    pub fn sequences(&self) -> &[Sequence] {
        &self.sequences
    }
}

impl Sequence {
    /// Reads the value of a keyword line: words, an optional bar, suffixes such as `(t!)` cut.
    #[must_use]
    pub fn parse(value: &str, by_type: bool) -> Self {
        let words: Vec<&str> = value.split_ascii_whitespace().map(without_key).collect();
        let named = |list: &[&str]| -> Vec<String> {
            list.iter().filter(|w| **w != "|" && !w.is_empty()).map(|w| (*w).to_owned()).collect()
        };
        let bar = words.iter().position(|w| *w == "|");
        let cut = bar.unwrap_or_else(|| words.len().saturating_sub(1));
        let (open, done) = words.split_at(cut);
        Self { open: named(open), done: named(done), by_type }
    }
}

fn without_key(word: &str) -> &str {
    match word.split_once('(') {
        Some((name, rest)) if rest.ends_with(')') => name,
        Some(_) | None => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_bar_the_last_word_is_done() {
        let sequence = Sequence::parse("A(a) B(b!/@) C", false);
        assert_eq!(sequence.open, ["A", "B"]);
        assert_eq!(sequence.done, ["C"]);
    }

    #[test]
    fn done_word_comes_from_the_own_sequence() {
        let keywords = Keywords::new(vec![
            Sequence::parse("TODO | DONE", false),
            Sequence::parse("NEXT WAIT | FIN CANC", false),
        ]);
        let state = keywords.state(b"WAIT").unwrap();
        assert_eq!(keywords.done_word(state), Some("FIN"));
        assert_eq!(keywords.open_word(), Some("TODO"));
    }

    #[test]
    fn file_without_keyword_lines_has_todo_and_done() {
        let keywords = Keywords::new(vec![Sequence::parse(" ", false)]);
        assert_eq!(keywords, Keywords::default());
        assert_eq!(keywords.state(b"DONE"), Some(State::Done(0)));
    }
}
