//! Tests of the whole crate: a memex in a folder of its own, requests as `act` and the supervisor send them.

mod crash;
mod edits;
mod focus;
mod golden;
mod model;
mod others;
mod past;
mod questions;
mod turns;
mod wild;

use crate::{Fresh, Memory, crash::Steps, testdir::TestDir};
use protocol::{
    change::{Change, ChangeRequest, Changed, Target},
    id::{Name, TurnKey, WallMs},
    recall::{Clock, Day, Query, Recall, Recalled},
    snapshot::{Reply, Request},
};
use std::{fs, path::PathBuf};

/// 2026-03-09 is a Monday.
const TODAY: Day = Day { year: 2026, month: 3, day: 9 };

/// A memex, its state folder and an open memory.
struct Home {
    dir: TestDir,
    steps: Steps,
    memory: Memory,
}

fn turn(number: u8) -> TurnKey {
    TurnKey::from_bytes([number; 16])
}

fn note(text: &str) -> Change {
    Change::Note { text: text.to_owned(), tags: Vec::new() }
}

fn done(words: &str) -> Change {
    Change::Done { target: Target::Words(words.to_owned()) }
}

const UNDO: Change = Change::Undo { turn: None };

fn request(number: u8, change: Change) -> ChangeRequest {
    ChangeRequest {
        turn: turn(number),
        attempt: 0,
        step: 0,
        conversation: Name::new("local").unwrap(),
        at: WallMs(i64::from(number)),
        today: TODAY,
        time: Clock { hour: 10, minute: 0 },
        change,
    }
}

impl Home {
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = TestDir::new();
        for (name, text) in files {
            let path = dir.path().join("memex").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::create_dir_all(dir.path().join("memex")).unwrap();
        let steps = Steps::default();
        let memory = open(&dir, &steps);
        Self { dir, steps, memory }
    }

    /// Forgets everything that is not on disk, as a kill does, and starts again.
    fn reopen(&mut self) {
        self.steps = Steps::default();
        // The old one goes first: it holds the store.
        let nowhere = TestDir::new();
        self.memory = open(&nowhere, &Steps::default());
        self.memory = open(&self.dir, &self.steps);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("memex").join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// Edits as an editor does: reads, replaces once, writes.
    fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{from} not in {text}");
        self.write(name, &text.replacen(from, to, 1));
    }

    /// Names of all files in the memex, hidden ones too.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("")).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn change(&mut self, number: u8, change: Change) -> Changed {
        self.memory.change(&request(number, change))
    }

    fn written(&mut self, number: u8, change: Change) {
        let changed = self.change(number, change);
        assert!(matches!(changed, Changed::Written { .. }), "{changed:?}");
    }

    fn undone(&mut self, number: u8, change: Change) -> Vec<String> {
        let changed = self.change(number, change);
        let Changed::Undone { conflicts, .. } = changed else { panic!("{changed:?}") };
        conflicts
    }

    fn roll_back(&mut self, number: u8) -> Reply {
        self.memory.snapshot(&Request::Rollback { turn: turn(number), attempt: 0 })
    }

    fn ask(&mut self, query: Query) -> Recalled {
        self.memory.recall(&Recall { query, today: TODAY, conversation: Name::new("local").unwrap() })
    }
}

fn open(dir: &TestDir, steps: &Steps) -> Memory {
    let root = dir.path();
    let (memex, state) = (root.join("memex"), root.join("state"));
    let fresh = Fresh { now: WallMs(0), seed: [7; 16] };
    Memory::open_with(&memex, &state, fresh, &mut |_, _| {}, steps.clone()).unwrap()
}
