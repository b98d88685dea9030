//! Questions: agenda, search, show, tasks.

use super::*;
use protocol::{
    label::Confidentiality,
    recall::{EntryRef, Item, Reason},
};

fn titles(items: &[Item]) -> Vec<&str> {
    items.iter().map(|item| item.entry.path.last().unwrap().as_str()).collect()
}

fn agenda(home: &mut Home, day: i8, days: u8) -> Vec<Vec<(String, Reason)>> {
    let from = Day { day, ..TODAY };
    let Recalled::Agenda(found) = home.ask(Query::Agenda { from, days }) else { panic!() };
    let line = |item: &Item| (item.entry.path.last().unwrap().clone(), item.reason.unwrap());
    found.iter().map(|day| day.items.iter().map(line).collect()).collect()
}

const DAYS: &str = "* TODO late\nDEADLINE: <2026-03-06 Fri>\n\
    * TODO soon\nDEADLINE: <2026-03-20 Fri>\n\
    * TODO short warning\nDEADLINE: <2026-03-20 Fri -2d>\n\
    * TODO waiting\nSCHEDULED: <2026-03-05 Thu>\n\
    * TODO [#C] at nine\nSCHEDULED: <2026-03-09 Mon 09:00>\n\
    * TODO weekly\nSCHEDULED: <2026-03-03 Tue +1w>\n\
    * DONE over\nDEADLINE: <2026-03-09 Mon>\n\
    * party <2026-03-10 Tue 20:00>\n\
    * holiday\n<2026-03-08 Sun>--<2026-03-10 Tue>\n\
    * COMMENT hidden\n** TODO below\nDEADLINE: <2026-03-09 Mon>\n\
    * in code\n#+begin_src org\n<2026-03-09 Mon>\n#+end_src\n# <2026-03-09 Mon>\n[2026-03-09 Mon]\n";

#[test]
fn today_has_what_is_late_and_what_is_near() {
    let mut home = Home::new(&[("a.org", DAYS)]);
    let expected = [
        ("at nine", Reason::Scheduled),
        ("late", Reason::Overdue(3)),
        ("weekly", Reason::ScheduledBefore(6)),
        ("waiting", Reason::ScheduledBefore(4)),
        ("soon", Reason::DeadlineIn(11)),
        ("holiday", Reason::Dated),
    ];
    let expected: Vec<_> = expected.map(|(title, reason)| (title.to_owned(), reason)).into();
    assert_eq!(agenda(&mut home, 9, 1), [expected]);
}

#[test]
fn days_to_come_have_their_own_and_repeated_entries_only() {
    let mut home = Home::new(&[("a.org", DAYS)]);
    let days = agenda(&mut home, 10, 11);
    assert_eq!(days.len(), 11);
    let names =
        |day: usize| -> Vec<&str> { days[day].iter().map(|(t, _)| t.split(" <").next().unwrap()).collect() };
    assert_eq!(names(0), ["party", "weekly", "holiday"]);
    assert_eq!(names(7), ["weekly"]);
    assert_eq!(names(10), ["soon", "short warning"]);
    assert!(names(1).is_empty());
}

#[test]
fn tasks_are_sorted_by_deadline_schedule_priority_and_place() {
    let mut home =
        Home::new(&[("a.org", DAYS), ("b.org", "* TODO [#A] urgent\n* TODO plain\n* TODO [#C] idle\n")]);
    let Recalled::Tasks { items, total } = home.ask(Query::Tasks { limit: 8 }) else { panic!() };
    assert_eq!(total, 9);
    assert_eq!(
        titles(&items),
        ["late", "soon", "short warning", "weekly", "waiting", "at nine", "urgent", "plain"]
    );
}

fn search(home: &mut Home, words: &str) -> Vec<(String, String)> {
    let query = Query::Search { words: words.to_owned(), limit: 10 };
    let Recalled::Hits { hits, .. } = home.ask(query) else { panic!() };
    let line = |hit: protocol::recall::Hit| (hit.entry.path.join("/"), hit.passage.text);
    hits.into_iter().map(line).collect()
}

#[test]
fn search_wants_every_word_and_prefers_titles() {
    let mut home = Home::new(&[(
        "a.org",
        "intro about heating\n* House\n** Boiler\nThe valve is new.\n** Bills\n:PROPERTIES:\n:ID: x\n:END:\nfirst\n\
         the BOILER valve cost 120\nlast\n* Ärger :personal:\nÜber den Boiler\n",
    )]);
    let found = search(&mut home, "boiler valve?");
    assert_eq!(found[0], ("House/Boiler".to_owned(), "The valve is new.".to_owned()));
    assert_eq!(found[1], ("House/Bills".to_owned(), "first\nthe BOILER valve cost 120\nlast".to_owned()));
    assert_eq!(found.len(), 2);
    assert_eq!(search(&mut home, "über")[0].0, "Ärger");
    assert_eq!(search(&mut home, "heating")[0].0, "");
    assert!(search(&mut home, "unicorn zebra").is_empty());
    let loose = home.ask(Query::Search { words: "boiler unicorn".to_owned(), limit: 10 });
    let Recalled::Hits { hits, note, .. } = loose else { panic!() };
    assert_eq!(hits[0].entry.path.last().unwrap(), "Boiler");
    assert!(note.unwrap().contains("all of these words"));
}

#[test]
fn tags_say_who_may_see_a_passage() {
    let mut home = Home::new(&[("a.org", "* diary :@personal:\n** doctor\nblood test\n")]);
    let query = Query::Search { words: "blood".to_owned(), limit: 1 };
    let Recalled::Hits { hits, .. } = home.ask(query) else { panic!() };
    assert_eq!(hits[0].passage.label.confidentiality, Confidentiality::Personal);
    let Recalled::Entry(entry) = show(&mut home, "diary") else { panic!() };
    assert_eq!(entry.text.label.confidentiality, Confidentiality::Personal);
}

fn show(home: &mut Home, words: &str) -> Recalled {
    home.ask(Query::Show { target: Target::Words(words.to_owned()) })
}

#[test]
fn entry_is_found_by_id_link_title_words_and_beginnings() {
    let mut home = Home::new(&[
        ("a.org", "top\n* Water the plants\n:PROPERTIES:\n:ID: 1f0c\n:END:\n** child\n* Plan [1] B\n"),
        ("x/b.org", "* Plants\n* child\n"),
    ]);
    let mut line = |words: &str| {
        let Recalled::Entry(entry) = show(&mut home, words) else { panic!("{words}") };
        (entry.entry.file, entry.entry.line)
    };
    let a = |line| ("a.org".to_owned(), line);
    assert_eq!(line("1f0c"), a(2));
    assert_eq!(line("[[id:1f0c][Water]]"), a(2));
    assert_eq!(line("water THE plants"), a(2));
    assert_eq!(line("plants water"), a(2));
    assert_eq!(line("wat pla"), a(2));
    assert_eq!(line("plants"), ("x/b.org".to_owned(), 1));
    assert_eq!(line("x/b.org::*child"), ("x/b.org".to_owned(), 2));
    assert_eq!(line("a.org"), a(0));
    let link = EntryRef { file: "a.org".to_owned(), line: 7, path: vec!["Plan [1] B".to_owned()], id: None };
    assert_eq!(line(&link.link()), a(7));
    assert!(matches!(show(&mut home, "child"), Recalled::Ambiguous(two) if two.len() == 2));
    let Recalled::NotFound { near } = show(&mut home, "wather the palnts") else { panic!() };
    assert_eq!(near[0].line, 2);
}

#[test]
fn long_entry_is_cut_with_a_mark() {
    let mut home = Home::new(&[("a.org", &format!("* long\n{}", "é".repeat(20_000)))]);
    let Recalled::Entry(entry) = show(&mut home, "long") else { panic!() };
    assert!(entry.text.text.len() < 17_000 && entry.text.text.contains("cut here"));
}

#[test]
fn monstrous_entries_do_not_silence_the_answer() {
    let title = "long ".repeat(200_000);
    let deep: String = (1..200).map(|level| format!("{} TODO level\n", "*".repeat(level))).collect();
    let late: String = (0..3_000).map(|n| format!("* TODO late {n}\nDEADLINE: <2026-03-01>\n")).collect();
    let mut home = Home::new(&[("a.org", &format!("* TODO {title}\nDEADLINE: <2026-03-01>\n{deep}{late}"))]);
    for query in [
        Query::Agenda { from: TODAY, days: 31 },
        Query::Tasks { limit: 50 },
        Query::Search { words: "long".into(), limit: 50 },
        Query::Search { words: "level".into(), limit: 50 },
        Query::Report,
    ] {
        let answer = format!("{:?}", home.ask(query.clone()));
        assert!(answer.len() < 600_000, "{query:?}: {} bytes", answer.len());
    }
    let Recalled::Agenda(days) = home.ask(Query::Agenda { from: TODAY, days: 1 }) else { panic!() };
    assert_eq!(days[0].items.len() + days[0].more as usize, 3_001);
}

#[test]
fn copies_of_conflicts_are_searched_but_never_listed() {
    let copy = "* TODO pay\nDEADLINE: <2026-03-09 Mon>\nonly here\n";
    let mut home =
        Home::new(&[("n.org", "* TODO pay\n"), ("n.sync-conflict-20260302-090000-ABCDEFG.org", copy)]);
    assert_eq!(search(&mut home, "only here").len(), 1);
    assert!(matches!(show(&mut home, "pay"), Recalled::Entry(entry) if entry.entry.file == "n.org"));
    assert_eq!(agenda(&mut home, 9, 1), [vec![]]);
    home.written(1, done("pay"));
}

#[test]
fn edits_from_outside_are_seen_at_the_next_question() {
    let mut home = Home::new(&[("a.org", "* one\n")]);
    let root = home.memory.past.store().unwrap().root();
    home.write("a.org", "* two\n");
    home.write(".hidden.org", "* three\n");
    home.write("b.txt", "* four\n");
    assert!(matches!(show(&mut home, "two"), Recalled::Entry(_)));
    assert!(matches!(show(&mut home, "one"), Recalled::NotFound { .. }));
    assert_ne!(home.memory.past.store().unwrap().root(), root);
    assert_eq!(home.memory.note(), "1 entry in 1 file");
}

#[test]
fn missing_memex_opens_degraded_and_recovers() {
    let mut home = Home::new(&[("a.org", "* one\n")]);
    let memex = home.path("");
    let away = home.dir.path().join("away");
    fs::rename(&memex, &away).unwrap();
    home.reopen();
    assert!(matches!(show(&mut home, "one"), Recalled::Unreadable(_)));
    assert!(matches!(home.change(1, note("a")), Changed::Refused(_)));
    assert!(home.memory.degraded().contains("cannot be read"));
    fs::rename(&away, &memex).unwrap();
    assert!(matches!(show(&mut home, "one"), Recalled::Entry(_)));
    assert_eq!(home.memory.degraded(), "");
}

#[test]
fn bytes_that_are_no_text_are_shown_and_kept() {
    let mut home = Home::new(&[]);
    fs::write(home.path("inbox.org"), b"* caf\xe9\n\xff\n").unwrap();
    assert!(matches!(show(&mut home, "caf"), Recalled::Entry(_)));
    home.written(1, note("a"));
    assert!(fs::read(home.path("inbox.org")).unwrap().starts_with(b"* caf\xe9\n\xff\n"));
}

#[test]
fn thousand_entries_are_counted_and_found() {
    let text: String = (0..84)
        .map(|n| {
            format!(
                "* TODO entry {n}\nDEADLINE: <2026-03-09 Mon>\n:PROPERTIES:\n:ID: x{n}\n:END:\nbody {n}\n"
            )
        })
        .collect();
    let names: Vec<String> = (0..12).map(|n| format!("f{n}.org")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|n| (n.as_str(), text.as_str())).collect();
    let mut home = Home::new(&files);
    home.reopen();
    assert_eq!(home.memory.note(), "1008 entries in 12 files");
    assert_eq!(agenda(&mut home, 9, 1)[0].len(), 1008);
    assert_eq!(search(&mut home, "entry 83").len(), 10);
}
