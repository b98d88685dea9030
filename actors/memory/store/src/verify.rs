//! Reads everything that can be reached and names what is damaged: by file, entry and snapshot, not by offset.

use crate::{
    error::Error,
    hash::{Hash, Kind},
    object::{Entry, names},
    store::Store,
    tree::Role,
};
use std::{collections::BTreeSet, sync::Arc};

/// An object that cannot be read.
#[derive(Debug)]
pub struct Damage {
    /// The object.
    pub hash: Hash,
    /// What it belongs to, for people: `now, file a.org, entry Garden`.
    pub belongs_to: String,
    /// Why.
    pub error: Error,
}

/// What a walk over everything found.
#[derive(Debug, Default)]
pub struct Report {
    /// Objects that were read.
    pub objects: usize,
    /// Those that could not be.
    pub damage: Vec<Damage>,
}

/// Where the walk is, in words.
#[derive(Clone)]
struct Trail(Option<Arc<(Self, String)>>);

impl Trail {
    fn with(&self, word: String) -> Self {
        Self(Some(Arc::new((self.clone(), word))))
    }

    fn text(&self) -> String {
        let mut words = Vec::new();
        let mut at = self;
        while let Some(step) = &at.0 {
            words.push(step.1.as_str());
            at = &step.0;
        }
        words.reverse();
        words.join(", ")
    }
}

impl Store {
    /// Reads everything that the last commit names, history and snapshots included, and checks each hash.
    #[must_use]
    pub fn verify(&self) -> Report {
        let mut report = Report::default();
        let Some(head) = self.pack.head() else { return report };
        let mut seen = BTreeSet::new();
        let mut open = vec![(head.state, Trail(None))];
        while let Some((hash, trail)) = open.pop() {
            if !seen.insert(hash.fingerprint()) {
                continue;
            }
            let read =
                self.pack.get_any(hash).and_then(|(kind, bytes)| Ok((kind, names(kind, &bytes)?, bytes)));
            match read {
                Err(error) => report.damage.push(Damage { hash, belongs_to: belongs(&trail), error }),
                Ok((kind, named, bytes)) => {
                    report.objects += 1;
                    let here = match kind {
                        Kind::Entry => Entry::read(&bytes).map_or_else(
                            |_| trail.clone(),
                            |(entry, _)| trail.with(format!("entry {}", entry.title)),
                        ),
                        Kind::Content | Kind::File | Kind::Node | Kind::State => trail,
                    };
                    // The present comes first, so that what is shared is named by it.
                    for (at, next) in named.iter().enumerate().rev() {
                        open.push((next.hash, step(&here, kind, at, next.key.as_ref())));
                    }
                }
            }
        }
        report
    }
}

fn belongs(trail: &Trail) -> String {
    let text = trail.text();
    if text.is_empty() { "the state itself".to_owned() } else { text }
}

fn step(here: &Trail, kind: Kind, at: usize, key: Option<&(Role, Vec<u8>)>) -> Trail {
    if kind == Kind::State {
        let word = match at {
            0 => "now",
            1 => "now, identities by file",
            2 => "now, whereabouts",
            3 => "snapshots",
            4 => "history",
            _ => "lost entries",
        };
        return here.with(word.to_owned());
    }
    let Some((role, key)) = key else { return here.clone() };
    let name = String::from_utf8_lossy(key);
    match role {
        Role::Folder | Role::Rosters => here.with(format!("file {name}")),
        Role::Snapshots => {
            let number = key.iter().fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
            here.with(format!("snapshot {number}"))
        }
        Role::History => here.with("an old version".to_owned()),
        Role::Children | Role::Roster | Role::Whereabouts | Role::Lost => here.clone(),
    }
}
