//! Random turns, undos, restarts and edits from outside against a simple model.

use super::*;
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Act {
    Note(String),
    Done(usize),
    Undo,
    UndoTurn(u8),
    RollBack(u8),
    Stop(u32),
    Reopen,
    /// A person appends a line of their own to a file.
    Append(bool),
    /// A person adds a line at the begin of a file.
    Prepend(bool),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => "[a-z*#: ]{1,12}(\n[a-z*#: ]{0,12})?".prop_map(Act::Note),
        2 => (0..4_usize).prop_map(Act::Done),
        2 => Just(Act::Undo),
        2 => any::<u8>().prop_map(Act::UndoTurn),
        1 => any::<u8>().prop_map(Act::RollBack),
        1 => (1..20_u32).prop_map(Act::Stop),
        1 => Just(Act::Reopen),
    ]
}

fn outside() -> impl Strategy<Value = Act> {
    prop_oneof![
        5 => act(),
        1 => any::<bool>().prop_map(Act::Append),
        1 => any::<bool>().prop_map(Act::Prepend),
    ]
}

const TASKS: &str = "* TODO alpha\nDEADLINE: <2026-03-02 Mon +1w>\n* TODO beta\ntext\n* TODO gamma\n:PROPERTIES:\n:K: v\n\
    :END:\n* TODO delta\nSCHEDULED: <2026-03-02 Mon .+2d/4d>";
const TITLES: [&str; 4] = ["alpha", "beta", "gamma", "delta"];

fn file(tasks: bool) -> &'static str {
    if tasks { "a.org" } else { "inbox.org" }
}

/// Carries out an act as turn `number`; returns the line that a person wrote.
fn perform(home: &mut Home, number: u8, act: &Act) -> Option<String> {
    match act {
        Act::Note(text) => drop(home.change(number, note(text))),
        Act::Done(index) => drop(home.change(number, done(TITLES[*index]))),
        Act::Undo => drop(home.change(number, UNDO)),
        Act::UndoTurn(other) => {
            let turn = Some(turn(1 + other % number).to_string());
            drop(home.change(number, Change::Undo { turn }));
        }
        Act::RollBack(other) => drop(home.roll_back(1 + other % number)),
        Act::Stop(step) => {
            home.steps.stop_after(*step);
            drop(home.change(number, note("stopped on the way")));
            home.reopen();
        }
        Act::Reopen => home.reopen(),
        Act::Append(tasks) | Act::Prepend(tasks) => {
            let line = format!("person's line {number:03} of text");
            let path = home.path(file(*tasks));
            let text = fs::read_to_string(&path).unwrap_or_default();
            let at_end = matches!(act, Act::Append(_));
            let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
            let text = if at_end { format!("{text}{gap}{line}\n") } else { format!("{line}\n{text}") };
            fs::write(path, text).unwrap();
            return Some(line);
        }
    }
    None
}

/// Takes back every live turn in some order.
fn undo_everything(home: &mut Home, mut next: u8, order: &[u8]) {
    for pick in order.iter().cycle().take(400) {
        let turns = home.memory.ledger.turns();
        let writes = turns.iter().filter(|line| line.live && !line.what[0].contains(" back "));
        let live: Vec<TurnKey> = writes.map(|line| line.turn).collect();
        if live.is_empty() {
            return;
        }
        let turn = live[usize::from(*pick) % live.len()];
        next += 1;
        home.undone(next, Change::Undo { turn: Some(turn.to_string()) });
    }
    panic!("turns are left");
}

fn text(home: &Home, name: &str) -> Option<String> {
    fs::read_to_string(home.path(name)).ok()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn undoing_everything_in_any_order_gives_the_old_bytes(
        inbox in proptest::option::of(proptest::sample::select(vec!["", "* old", "* old\n\n", "#+TITLE: Inbox\n", "* o\r\n"])),
        acts in proptest::collection::vec(act(), 1..14),
        order in proptest::collection::vec(any::<u8>(), 1..8),
    ) {
        let mut files = vec![("a.org", TASKS)];
        files.extend(inbox.map(|text| ("inbox.org", text)));
        let mut home = Home::new(&files);
        let mut finished = Vec::new();
        for (number, act) in (1..).zip(&acts) {
            // Two turns on one task depend on each other: in the wrong order that is a conflict.
            if let Act::Done(index) = act {
                if finished.contains(index) {
                    continue;
                }
                finished.push(*index);
            }
            perform(&mut home, number, act);
        }
        undo_everything(&mut home, 100, &order);
        prop_assert_eq!(text(&home, "a.org"), Some(TASKS.to_owned()));
        prop_assert_eq!(text(&home, "inbox.org"), inbox.map(str::to_owned));
        prop_assert!(home.names().iter().all(|name| !name.contains("conflict") && !name.starts_with('.')));
    }

    #[test]
    fn no_line_of_a_person_is_ever_lost(
        acts in proptest::collection::vec(outside(), 1..20),
        order in proptest::collection::vec(any::<u8>(), 1..8),
    ) {
        let mut home = Home::new(&[("a.org", TASKS), ("inbox.org", "* old\n")]);
        let mut lines = Vec::new();
        for (number, act) in (1..).zip(&acts) {
            lines.extend(perform(&mut home, number, act));
            let all = text(&home, "a.org").unwrap() + &text(&home, "inbox.org").unwrap();
            for line in &lines {
                prop_assert_eq!(all.matches(line.as_str()).count(), 1, "{}", line);
            }
        }
        undo_everything(&mut home, 100, &order);
        let all = text(&home, "a.org").unwrap() + &text(&home, "inbox.org").unwrap();
        for line in &lines {
            prop_assert_eq!(all.matches(line.as_str()).count(), 1, "{}", line);
        }
        for title in TITLES {
            prop_assert_eq!(all.matches(title).count(), 1);
        }
        prop_assert!(all.contains("* old"));
    }
}
