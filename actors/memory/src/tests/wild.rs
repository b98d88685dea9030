//! Everything at once: edits, moves, archiving, restoring, undo, kills, and a person who writes meanwhile. No line that the
//! person wrote is lost: it stands in the memex, or in the history from which it can be put back.

use super::*;
use proptest::prelude::*;
use protocol::{
    change::Edit,
    snapshot::{Look, Scope},
};

#[derive(Debug, Clone)]
enum Act {
    Note,
    Done(usize),
    Priority(usize),
    Tag(usize),
    Append(usize),
    Archive(usize),
    /// An entry under another one, wherever that stands.
    Move(usize, usize),
    /// The same, killed after so many steps and taken back then.
    KilledMove(usize, usize, u32),
    Undo,
    RollBack(u8),
    /// A snapshot, from the newest, put back in whole or for one file.
    Restore(usize, Option<bool>),
    Reopen,
    Person(bool),
}

const A: &str = "* TODO alpha\ntext of alpha\n** beta\ntext of beta\n* TODO gamma :x:\n";
const B: &str = "* delta\n:PROPERTIES:\n:ID: d\n:END:\n* epsilon\nlast";
const TITLES: [&str; 5] = ["alpha", "beta", "gamma", "delta", "epsilon"];

fn act() -> impl Strategy<Value = Act> {
    let entry = || 0..TITLES.len();
    prop_oneof![
        1 => Just(Act::Note),
        1 => entry().prop_map(Act::Done),
        1 => entry().prop_map(Act::Priority),
        1 => entry().prop_map(Act::Tag),
        1 => entry().prop_map(Act::Append),
        1 => entry().prop_map(Act::Archive),
        3 => (entry(), entry()).prop_map(|(a, b)| Act::Move(a, b)),
        2 => (entry(), entry(), 1..24_u32).prop_map(|(a, b, step)| Act::KilledMove(a, b, step)),
        2 => Just(Act::Undo),
        1 => any::<u8>().prop_map(Act::RollBack),
        2 => (0..6_usize, any::<Option<bool>>()).prop_map(|(n, file)| Act::Restore(n, file)),
        1 => Just(Act::Reopen),
        4 => any::<bool>().prop_map(Act::Person),
    ]
}

fn name(first: bool) -> &'static str {
    if first { "a.org" } else { "sub/b.org" }
}

fn edit(title: usize, edit: Edit) -> Change {
    Change::Edit { target: Target::Words(TITLES[title].to_owned()), edit }
}

fn moved(what: usize, to: usize) -> Change {
    edit(what, Edit::Refile { to: Target::Words(TITLES[to].to_owned()) })
}

fn numbers(home: &mut Home) -> Vec<String> {
    let look = Request::Look(Look::Snapshots { limit: 99 });
    let Reply::Lines(lines) = home.memory.snapshot(&look) else { return Vec::new() };
    let first = |line: &String| line.split(' ').next().unwrap_or_default().to_owned();
    lines.iter().map(first).filter(|number| number != "-").collect()
}

/// Carries out an act as turn `number`; returns the line that a person wrote.
fn perform(home: &mut Home, number: u8, act: &Act) -> Option<String> {
    match act {
        Act::Note => drop(home.change(number, note("a note"))),
        Act::Done(title) => drop(home.change(number, done(TITLES[*title]))),
        Act::Priority(title) => drop(home.change(number, edit(*title, Edit::Priority(Some('A'))))),
        Act::Tag(title) => drop(home.change(number, edit(*title, Edit::AddTags(vec!["new".into()])))),
        Act::Append(title) => drop(home.change(number, edit(*title, Edit::Append("* more".into())))),
        Act::Archive(title) => drop(home.change(number, edit(*title, Edit::Archive))),
        Act::Move(what, to) => drop(home.change(number, moved(*what, *to))),
        Act::KilledMove(what, to, step) => {
            home.steps.stop_after(*step);
            drop(home.change(number, moved(*what, *to)));
            home.reopen();
            drop(home.roll_back(number));
        }
        Act::Undo => drop(home.change(number, UNDO)),
        Act::RollBack(other) => drop(home.roll_back(1 + other % number)),
        Act::Restore(place, file) => {
            let numbers = numbers(home);
            let snapshot = numbers.get(place % numbers.len().max(1)).cloned().unwrap_or_default();
            let scope = file.map_or(Scope::Everything, |first| Scope::File(name(first).to_owned()));
            let request =
                Request::Restore { snapshot, scope, by: turn(number), at: WallMs(i64::from(number)) };
            drop(home.memory.snapshot(&request));
        }
        Act::Reopen => home.reopen(),
        Act::Person(first) => {
            let line = format!("person's line {number:03} of text");
            let path = home.path(name(*first));
            let text = fs::read_to_string(&path).unwrap_or_default();
            let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{text}{gap}{line}\n")).unwrap();
            return Some(line);
        }
    }
    None
}

/// All files of the memex, hidden ones too, by name.
fn files(home: &Home) -> std::collections::BTreeMap<String, String> {
    let mut found = std::collections::BTreeMap::new();
    for folder in ["", "sub"] {
        for entry in fs::read_dir(home.path(folder)).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let text = fs::read_to_string(&path).unwrap();
                found.insert(path.display().to_string(), text);
            }
        }
    }
    found
}

fn is_remembered(home: &Home, line: &str) -> bool {
    let store = home.memory.past.store().unwrap();
    store.snapshots().unwrap().iter().any(|snapshot| {
        let files = store.files_at(snapshot.number).unwrap();
        files.iter().any(|(name, _)| {
            let bytes = store.file_at(snapshot.number, name).unwrap().unwrap_or_default();
            String::from_utf8_lossy(&bytes).contains(line)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_line_of_a_person_is_lost_whatever_is_done(acts in proptest::collection::vec(act(), 1..14)) {
        let mut home = Home::new(&[("a.org", A), ("sub/b.org", B)]);
        let mut lines = Vec::new();
        for (number, act) in (1..).zip(&acts) {
            lines.extend(perform(&mut home, number, act));
            // The history hears of what the person wrote before anybody else writes.
            home.memory.notice();
            let all = files(&home);
            prop_assert!(all.keys().all(|name| !name.contains("/.passepartout-")), "{:?}", all.keys());
            for line in &lines {
                let here = all.values().any(|text| text.contains(line.as_str()));
                prop_assert!(here || is_remembered(&home, line), "{} after {:?}", line, act);
            }
        }
        let before = files(&home);
        home.reopen();
        prop_assert_eq!(&files(&home), &before);
        let Reply::Lines(verdict) = home.memory.snapshot(&Request::Look(Look::Verify)) else { panic!() };
        prop_assert!(verdict[0].contains("all of them"), "{:?}", verdict);
        // The root is that of a store built anew from the same files.
        let root = home.memory.past.store().unwrap().root();
        fs::rename(home.dir.path().join("state"), home.dir.path().join("old")).unwrap();
        home.reopen();
        prop_assert_eq!(home.memory.past.store().unwrap().root(), root);
    }
}
