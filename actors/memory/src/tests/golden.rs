//! The exact Org text that is written. Its reading was checked with Emacs 28.2 (Org 9.5.5).

use super::*;
use protocol::{
    change::{Repeat, RepeatKind, Unit, When},
    recall::{EntryRef, Moment},
};

fn when(day: i8, time: Option<Clock>, repeat: Option<Repeat>) -> When {
    When { moment: Moment { day: Day { day, ..TODAY }, time }, repeat }
}

#[test]
fn note_makes_the_inbox_and_is_answered_with_its_place() {
    let mut home = Home::new(&[]);
    let changed = home.change(1, note("the boiler hums\n\nsince * Monday\n* not a headline"));
    assert_eq!(
        home.read("inbox.org"),
        "#+TITLE: Inbox\n\
         * the boiler hums\n\
         :PROPERTIES:\n\
         :CREATED: [2026-03-09 Mon 10:00]\n\
         :END:\n\
         since * Monday\n \
         * not a headline\n"
    );
    let expected = Changed::Written {
        entry: EntryRef {
            file: "inbox.org".to_owned(),
            line: 2,
            path: vec!["the boiler hums".to_owned()],
            id: None,
        },
        what: "note".to_owned(),
    };
    assert_eq!(changed, expected);
}

#[test]
fn task_has_planning_before_its_drawer() {
    let mut home = Home::new(&[("inbox.org", "* old\r\n")]);
    let clock = Clock { hour: 9, minute: 5 };
    let weekly = Repeat { kind: RepeatKind::CatchUp, count: 1, unit: Unit::Week };
    home.written(
        1,
        Change::Task {
            title: "water the plants".to_owned(),
            scheduled: Some(when(10, Some(clock), Some(weekly))),
            deadline: Some(when(12, None, None)),
            priority: Some('A'),
            tags: vec!["home".to_owned()],
        },
    );
    assert_eq!(
        home.read("inbox.org"),
        "* old\r\n\
         * TODO [#A] water the plants :home:\r\n\
         DEADLINE: <2026-03-12 Thu> SCHEDULED: <2026-03-10 Tue 09:05 ++1w>\r\n\
         :PROPERTIES:\r\n\
         :CREATED: [2026-03-09 Mon 10:00]\r\n\
         :END:\r\n"
    );
}

#[test]
fn done_task_is_closed_and_a_repeating_one_moves_on() {
    let mut home = Home::new(&[(
        "a.org",
        "* TODO pay\nDEADLINE: <2026-03-09 Mon>\n* TODO water\nSCHEDULED: <2026-03-02 Mon .+2d/4d>\n",
    )]);
    home.written(1, done("pay"));
    let changed = home.change(2, done("water"));
    let Changed::Written { what, .. } = changed else { panic!("{changed:?}") };
    assert_eq!(what, "next 2026-03-11 Wed");
    assert_eq!(
        home.read("a.org"),
        "* DONE pay\n\
         CLOSED: [2026-03-09 Mon 10:00] DEADLINE: <2026-03-09 Mon>\n\
         * TODO water\n\
         SCHEDULED: <2026-03-11 Wed .+2d/4d>\n\
         :PROPERTIES:\n\
         :LAST_REPEAT: [2026-03-09 Mon 10:00]\n\
         :END:\n\
         - State \"DONE\"       from \"TODO\"       [2026-03-09 Mon 10:00]\n"
    );
}

#[test]
fn text_that_would_be_structure_stays_text() {
    let mut home = Home::new(&[("inbox.org", "* a")]);
    home.written(1, note("TODO [#A] x :tag:\n#+TODO: a | b\n:END:\n%%(ding)\n* y"));
    assert_eq!(
        home.read("inbox.org"),
        "* a\n\
         * \u{200B}TODO [#A] x :tag:\u{200B}\n\
         :PROPERTIES:\n\
         :CREATED: [2026-03-09 Mon 10:00]\n\
         :END:\n\
         ,#+TODO: a | b\n\
         ,:END:\n\
         %% (ding)\n \
         * y\n"
    );
}

#[test]
fn file_mode_stays() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut home = Home::new(&[("inbox.org", "* a\n")]);
    let path = home.path("inbox.org");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    home.written(1, note("b"));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}
