//! A question in plain language, to a ranking of entries. Nothing in it is an operator. Entries are read again through
//! the owner of the files only where ranking looks at them closely.

use crate::{
    english,
    entry::{Day, Sight},
    index::Index,
    query::Clause,
    search::{Asked, Need, Scored, Tuning},
    stem::stem,
    token,
    wanted::{Form, Want},
};
use std::collections::BTreeMap;

/// A question about the memex.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// As the person typed it.
    pub text: &'a str,
    /// File and place of the entry in view.
    pub focus: Option<(&'a str, u32)>,
    /// What the destination may see.
    pub sight: Sight,
    /// The day on which it is asked.
    pub today: Option<Day>,
    /// How entries are weighed.
    pub tuning: Tuning,
}

/// A question taken apart.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    pub(crate) wants: Vec<Want>,
    /// For each part of the question, which of the wants it holds.
    pub(crate) parts: Vec<Vec<usize>>,
}

impl Parsed {
    pub(crate) fn clauses(&self) -> Vec<Clause> {
        self.wants.iter().map(|want| Clause::Word(want.name.clone())).collect()
    }
}

impl Index {
    /// Takes a question apart into words with their forms.
    pub(crate) fn parse(&self, text: &str) -> Parsed {
        let mut parsed = Parsed::default();
        let mut stems: BTreeMap<String, usize> = BTreeMap::new();
        let full = token::question(text);
        let telling = full.iter().any(|word| !english::is_empty(word));
        for part in text.split(['?', ',', ';', ':', '.', '!', '\n']) {
            let words = token::question(part);
            let mut wants = Vec::new();
            for (at, word) in words.iter().enumerate() {
                if telling && english::is_empty(word) {
                    continue;
                }
                let number = *stems.entry(stem(word)).or_insert_with(|| {
                    parsed.wants.push(self.want(
                        word,
                        at.checked_sub(1).and_then(|at| words.get(at)),
                        words.get(at + 1),
                    ));
                    parsed.wants.len() - 1
                });
                if !wants.contains(&number) {
                    wants.push(number);
                }
            }
            if !wants.is_empty() {
                parsed.parts.push(wants);
            }
        }
        parsed
    }

    fn want(&self, word: &str, before: Option<&String>, after: Option<&String>) -> Want {
        let mut forms = vec![(Form::Kin(word.to_owned()), 1.0)];
        // `mode line` is also written `modeline`.
        for (one, other) in
            [(before.map(String::as_str), Some(word)), (Some(word), after.map(String::as_str))]
        {
            if let (Some(one), Some(other)) = (one, other)
                && one.len() + other.len() >= 6
                && one.len().min(other.len()) >= 2
                && !token::is_dense(word)
            {
                forms.push((Form::Kin(format!("{one}{other}")), 1.0));
            }
        }
        let want = Want { name: word.to_owned(), forms, weight: 1.0 };
        if self.knows(&want) { want } else { want.near() }
    }

    /// Returns entries that may answer a question, the best first.
    pub(crate) fn answer(&self, question: &Question<'_>, parsed: &Parsed, limit: usize) -> Vec<Scored> {
        let asked = Asked { limit, sight: question.sight, today: question.today, tuning: question.tuning };
        let mut found = self.rank(&parsed.wants, Need::Any, &[], &[], &asked);
        self.sort(&mut found, limit);
        found
    }
}
