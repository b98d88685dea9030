//! Focus, links and the report.

use super::*;

fn focused(home: &mut Home) -> Vec<String> {
    let Recalled::Focus(entries) = home.ask(Query::Focus) else { panic!() };
    entries.iter().map(|entry| entry.path.last().unwrap().clone()).collect()
}

fn focus(words: &str) -> Change {
    Change::Focus { target: Target::Words(words.to_owned()) }
}

#[test]
fn focus_is_a_stack_that_outlives_a_restart_and_a_rollback() {
    let mut home = Home::new(&[("a.org", "* house\n** boiler\n* garden\n")]);
    home.written(1, focus("house"));
    home.written(2, focus("boiler"));
    home.reopen();
    assert_eq!(focused(&mut home), ["house", "boiler"]);
    home.written(3, focus("garden"));
    home.roll_back(3);
    assert_eq!(focused(&mut home), ["house", "boiler"]);
    home.written(4, Change::Unfocus);
    assert_eq!(home.change(4, Change::Unfocus), home.change(4, Change::Unfocus));
    assert_eq!(focused(&mut home), ["house"]);
    home.written(5, Change::Unfocus);
    assert!(matches!(home.change(6, Change::Unfocus), Changed::Refused(_)));
}

#[test]
fn focus_is_no_deeper_than_ten() {
    let files: String = (0..12).map(|n| format!("* entry{n}\n")).collect();
    let mut home = Home::new(&[("a.org", &files)]);
    for n in 0..12 {
        home.written(n + 1, focus(&format!("entry{n}")));
    }
    let held = focused(&mut home);
    assert_eq!((held.len(), held[0].as_str(), held[9].as_str()), (10, "entry2", "entry11"));
}

#[test]
fn of_several_entries_the_one_in_focus_is_meant() {
    let mut home = Home::new(&[("a.org", "* house\n** costs\nroof\n* car\n** costs\ntyres\n")]);
    let show = |home: &mut Home| home.ask(Query::Show { target: Target::Words("costs".into()) });
    assert!(matches!(show(&mut home), Recalled::Ambiguous(_)));
    home.written(1, focus("car"));
    assert!(matches!(show(&mut home), Recalled::Entry(entry) if entry.text.text.contains("tyres")));
}

#[test]
fn links_to_an_entry_are_found_by_id_title_and_file() {
    let mut home = Home::new(&[
        (
            "a.org",
            "* boiler\n:PROPERTIES:\n:ID: b-1\n:CUSTOM_ID: hot\n:END:\nsee [[#hot]]\n* plain [[*boiler]]\n",
        ),
        ("sub/b.org", "* by id\n[[id:b-1][x]]\n* by file\n[[file:../a.org::*boiler]]\n* other [[id:c]]\n"),
    ]);
    let links = home.ask(Query::Links { target: Target::Words("boiler".into()), limit: 9 });
    let Recalled::Links { from, total, .. } = links else { panic!("{links:?}") };
    let titles: Vec<&str> = from.iter().map(|entry| entry.path[0].as_str()).collect();
    assert_eq!(total, 4);
    assert_eq!(titles, ["boiler", "plain [[*boiler]]", "by id", "by file"]);
}

#[test]
fn report_counts_states_and_names_what_is_broken() {
    let mut home = Home::new(&[
        (
            "a.org",
            "* TODO one :x:\n:PROPERTIES:\n:ID: a\n:END:\n* DONE two\n[[id:gone]] [[file:b.org::*nothing]]\n",
        ),
        ("c.org", "* hidden :@personal:\n[[id:nowhere]]\n"),
        ("b.org", "* three\n:PROPERTIES:\n:ID: a\n:END:\n[[https://example.org/]] [[file:missing.org]]\n"),
    ]);
    let Recalled::Report(report) = home.ask(Query::Report) else { panic!() };
    let text = report.text;
    for part in [
        "4 entries in 3 files",
        "states: TODO 1, DONE 1",
        "tags: x 1",
        "5, 1 IDs that nothing links to",
        "broken links: 3",
        "doubled IDs: 1: a in a.org and b.org",
        "snapshots: 1",
    ] {
        assert!(text.contains(part), "{part} not in {text}");
    }
    assert!(!text.contains("nowhere") && !text.contains("personal"), "{text}");
}
