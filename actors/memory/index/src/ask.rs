//! A question in plain language, to a ranking of entries. Nothing in it is an operator. Entries are read again through
//! the owner of the files only where ranking looks at them closely.

use crate::{
    context::Source,
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
    pub(crate) fn answer(
        &self,
        question: &Question<'_>,
        parsed: &Parsed,
        source: &dyn Source,
        limit: usize,
    ) -> Vec<Scored> {
        let tuning = question.tuning;
        let asked = Asked { limit, sight: question.sight, today: question.today, tuning };
        let mut wants = parsed.wants.clone();
        if let Some((file, ordinal)) = question.focus {
            wants.extend(self.around(file, ordinal, tuning.focus, &wants, source));
        }
        let mut found = self.rank(&wants, Need::Any, &[], &[], &asked);
        if tuning.echo > 0.0 {
            let more = self.echo(&found, &wants, tuning.echo, source);
            if !more.is_empty() {
                wants.extend(more);
                found = self.rank(&wants, Need::Any, &[], &[], &asked);
            }
        }
        if tuning.part > 0.0 && parsed.parts.len() > 1 {
            self.add_parts(&mut found, parsed, &asked);
        }
        self.spread(&mut found, tuning);
        if let Some((file, ordinal)) = question.focus {
            self.draw_near(&mut found, file, ordinal, question);
        }
        self.sort(&mut found, limit);
        found
    }

    /// A question with several parts may have its answers in several entries: an entry that answers one part well is
    /// lifted beside those that have a little of all.
    fn add_parts(&self, found: &mut [Scored], parsed: &Parsed, asked: &Asked) {
        let best = top(found);
        let mut lifts: BTreeMap<(u32, u32), f32> = BTreeMap::new();
        for part in parsed.parts.iter().filter(|part| part.len() > 1) {
            let wants: Vec<Want> = part.iter().filter_map(|at| parsed.wants.get(*at).cloned()).collect();
            let ranked = self.rank(&wants, Need::Any, &[], &[], asked);
            let most = top(&ranked);
            for one in ranked {
                let lift = lifts.entry((one.segment, one.doc)).or_default();
                *lift = lift.max(one.score / most);
            }
        }
        for one in found {
            let lift = lifts.get(&(one.segment, one.doc)).copied().unwrap_or(0.0);
            one.score += asked.tuning.part * best * lift;
        }
    }

    /// What stands beside a hit is often about the same: part of a score goes to siblings and children, and a little to
    /// the whole file.
    fn spread(&self, found: &mut Vec<Scored>, tuning: Tuning) {
        // The two best of each family, so that nobody is lifted by itself.
        let mut families: BTreeMap<(u32, u32, u32), [f32; 2]> = BTreeMap::new();
        let mut files: BTreeMap<(u32, u32), [f32; 2]> = BTreeMap::new();
        let mut known: BTreeMap<(u32, u32), f32> = BTreeMap::new();
        for one in found.iter() {
            let Some((file, row)) = self.segment(one.segment).and_then(|segment| segment.file(one.doc))
            else {
                continue;
            };
            known.insert((one.segment, one.doc), one.score);
            enter(families.entry((one.segment, row.file, row.parent)).or_default(), one.score);
            // As the parent of others.
            enter(families.entry((one.segment, row.file, one.doc - file.first)).or_default(), one.score);
            enter(files.entry((one.segment, row.file)).or_default(), one.score);
        }
        for one in found.iter_mut() {
            let Some((_, row)) = self.segment(one.segment).and_then(|segment| segment.file(one.doc)) else {
                continue;
            };
            let own = one.score;
            let other = |pair: Option<&[f32; 2]>| match pair {
                Some([first, second]) if *first <= own => *second,
                Some([first, _]) => *first,
                None => 0.0,
            };
            let family = other(families.get(&(one.segment, row.file, row.parent)));
            let file = other(files.get(&(one.segment, row.file)));
            one.score += tuning.near * family + tuning.file * file;
        }
    }

    /// Entries near the one in view are lifted, the nearer the more, even if they have none of the words.
    fn draw_near(&self, found: &mut Vec<Scored>, file: &str, ordinal: u32, question: &Question<'_>) {
        let Some((segment, first, entries)) = self.place(file) else {
            return;
        };
        let best = if found.is_empty() { 1.0 } else { top(found) };
        let here = self.line(file, ordinal);
        for at in (0..entries).filter(|at| self.may_see(file, *at, question.sight)) {
            let there = self.line(file, at);
            let both = here.iter().zip(&there).take_while(|(one, other)| one == other).count();
            let steps = here.len() + there.len() - 2 * both;
            if steps == 0 {
                continue;
            }
            let lift = question.tuning.close * best / f32::from(u16::try_from(steps).unwrap_or(u16::MAX));
            let doc = first + at;
            match found.iter_mut().find(|one| one.segment == segment && one.doc == doc) {
                Some(one) => one.score += lift,
                None => found.push(Scored { segment, doc, score: lift, has: 0 }),
            }
        }
    }

    /// Words of the titles around the entry in view.
    fn around(
        &self,
        file: &str,
        ordinal: u32,
        weight: f32,
        known: &[Want],
        source: &dyn Source,
    ) -> Vec<Want> {
        let mut text = file.strip_suffix(".org").unwrap_or(file).to_owned();
        for at in self.line(file, ordinal) {
            text.push(' ');
            text.push_str(&source.text(file, at).unwrap_or_default().title);
        }
        let mut wants: Vec<Want> = Vec::new();
        for word in token::question(&text) {
            let is_new = |want: &Want| want.name != word;
            if !english::is_empty(&word) && known.iter().all(is_new) && wants.iter().all(is_new) {
                wants.push(Want { name: word.clone(), forms: vec![(Form::Kin(word), 1.0)], weight });
            }
        }
        wants
    }

    /// Words that the best hits share and the rest does not: pseudo-relevance feedback.
    fn echo(&self, found: &[Scored], wants: &[Want], weight: f32, source: &dyn Source) -> Vec<Want> {
        let mut best: Vec<Scored> = found.to_vec();
        self.sort(&mut best, ECHO_ENTRIES);
        let total: f32 = best.iter().map(|one| one.score).sum();
        let mut counts: BTreeMap<String, f32> = BTreeMap::new();
        for one in &best {
            let Some(text) = self.name(one).and_then(|(file, ordinal)| source.text(file, ordinal)) else {
                continue;
            };
            let words = token::question(&format!("{} {}", text.title, text.body));
            let share = one.score / total / f32::from(u16::try_from(words.len()).unwrap_or(u16::MAX));
            for word in words {
                *counts.entry(word).or_default() += share;
            }
        }
        let known: Vec<String> = wants.iter().map(|want| stem(&want.name)).collect();
        let all = f64::from(self.sizes().entries);
        let mut ranked: Vec<(f32, String)> = counts
            .into_iter()
            .filter(|(word, _)| word.len() > 2 && !english::is_empty(word) && !known.contains(&stem(word)))
            .filter(|(word, _)| !word.bytes().all(|byte| byte.is_ascii_digit()))
            .map(|(word, share)| {
                let having = f64::from(self.having(&word));
                (share * crate::search::narrow((all / (having + 1.0)).max(1.0).ln()), word)
            })
            .collect();
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        ranked.truncate(ECHO_WORDS);
        let most = ranked.first().map_or(1.0, |one| one.0);
        let want = |(much, word): (f32, String)| Want {
            name: word.clone(),
            forms: vec![(Form::Exact(word), 1.0)],
            weight: weight * much / most,
        };
        ranked.into_iter().map(want).collect()
    }

    /// How many entries hold a word, gone ones included.
    fn having(&self, word: &str) -> u32 {
        self.segments().filter_map(|(_, segment)| Some(segment.count(segment.terms.find(word)?))).sum()
    }
}

/// So many of the best hits echo, with so many words.
const ECHO_ENTRIES: usize = 6;
const ECHO_WORDS: usize = 12;

fn top(found: &[Scored]) -> f32 {
    found.iter().map(|one| one.score).fold(0.0, f32::max).max(f32::MIN_POSITIVE)
}

fn enter(pair: &mut [f32; 2], score: f32) {
    let [first, second] = *pair;
    *pair = if score > first { [score, first] } else { [first, second.max(score)] };
}
