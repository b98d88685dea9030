//! What everybody would do first: plain BM25 over heading path and own body, every word as it stands. Shares no code with
//! the product, so that it can stand beside it.

use super::memex::Memex;
use std::collections::BTreeMap;

/// Usual constants (context.md 1.2).
const K1: f64 = 0.9;
const B: f64 = 0.4;

/// Words of every entry.
#[derive(Debug)]
pub(super) struct Plain {
    entries: Vec<(String, u32)>,
    words: Vec<BTreeMap<String, f64>>,
    lens: Vec<f64>,
    having: BTreeMap<String, f64>,
}

impl Plain {
    /// Counts the words of all entries that are open.
    pub(super) fn new(memex: &Memex) -> Self {
        let mut plain =
            Self { entries: Vec::new(), words: Vec::new(), lens: Vec::new(), having: BTreeMap::new() };
        for (name, file) in &memex.files {
            for (at, own) in (0u32..).zip(&file.entries).skip(1) {
                if own.sight == index::Sight::Private {
                    continue;
                }
                let mut counts: BTreeMap<String, f64> = BTreeMap::new();
                for word in words(&format!("{} {}", memex.headings(name, at).join(" "), own.body)) {
                    *counts.entry(word).or_default() += 1.0;
                }
                for word in counts.keys() {
                    *plain.having.entry(word.clone()).or_default() += 1.0;
                }
                plain.entries.push((name.clone(), at));
                plain.lens.push(counts.values().sum());
                plain.words.push(counts);
            }
        }
        plain
    }

    /// The best entries for a question.
    pub(super) fn best(&self, question: &str, many: usize) -> Vec<(String, u32)> {
        let all = self.entries.len() as f64;
        let mean = self.lens.iter().sum::<f64>() / all.max(1.0);
        let asked = words(question);
        let mut scored: Vec<(f64, usize)> = Vec::new();
        for (at, counts) in self.words.iter().enumerate() {
            let mut score = 0.0;
            for word in &asked {
                let (Some(count), Some(having)) = (counts.get(word), self.having.get(word)) else {
                    continue;
                };
                let idf = (1.0 + (all - having + 0.5) / (having + 0.5)).ln();
                score += idf * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * self.lens[at] / mean));
            }
            if score > 0.0 {
                scored.push((score, at));
            }
        }
        scored.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        scored.into_iter().take(many).map(|(_, at)| self.entries[at].clone()).collect()
    }
}

fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
