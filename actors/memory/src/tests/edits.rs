//! Entries changed where they stand: one edit, its bytes and no others, and the way back.

use super::*;
use protocol::change::{Edit, When};
use protocol::recall::Moment;

const FILE: &str =
    "#+TITLE: Things\n* TODO pay rent :money:\ntext\n** part\n* Shopping\n- [ ] milk\n- [ ] bread\n* last";

fn edit(words: &str, edit: Edit) -> Change {
    Change::Edit { target: Target::Words(words.to_owned()), edit }
}

fn on(day: i8) -> Option<When> {
    Some(When { moment: Moment { day: Day { year: 2026, month: 3, day }, time: None }, repeat: None })
}

/// Makes one edit of the file above, checks the result, and that undo gives back the very bytes.
fn check(words: &str, change: Edit, wanted: &str) {
    let mut home = Home::new(&[("a.org", FILE)]);
    home.written(1, edit(words, change));
    assert_eq!(home.read("a.org"), wanted);
    home.undone(2, UNDO);
    assert_eq!(home.read("a.org"), FILE);
}

#[test]
fn each_edit_changes_its_bytes_and_is_taken_back() {
    let rent = "* TODO pay rent :money:\n";
    let with = |from: &str, to: &str| FILE.replacen(from, to, 1);
    check("pay rent", Edit::Priority(Some('A')), &with("TODO pay", "TODO [#A] pay"));
    check("pay rent", Edit::AddTags(vec!["home".into()]), &with(":money:", ":money:home:"));
    check("pay rent", Edit::RemoveTags(vec!["money".into()]), &with(" :money:", ""));
    check("pay rent", Edit::Title("pay the rent".into()), &with("pay rent", "pay the rent"));
    check("pay rent", Edit::Schedule(on(13)), &with(rent, &format!("{rent}SCHEDULED: <2026-03-13 Fri>\n")));
    check("pay rent", Edit::Deadline(on(13)), &with(rent, &format!("{rent}DEADLINE: <2026-03-13 Fri>\n")));
    check("pay rent", Edit::Append("more".into()), &with("text\n", "text\nmore\n"));
}

#[test]
fn checkbox_is_ticked_by_its_words() {
    check("Shopping", Edit::Check("milk".into()), &FILE.replace("[ ] milk", "[X] milk"));
    let mut home = Home::new(&[("a.org", FILE)]);
    let none = home.change(1, edit("Shopping", Edit::Check("beer".into())));
    assert!(matches!(none, Changed::Refused(why) if why.contains("checkbox")));
}

#[test]
fn subtree_moves_within_a_file_and_never_into_itself() {
    let mut home = Home::new(&[("a.org", FILE)]);
    let into = home.change(1, edit("pay rent", Edit::Refile { to: Target::Words("part".into()) }));
    assert!(matches!(into, Changed::Refused(_)), "{into:?}");
    home.written(2, edit("pay rent", Edit::Refile { to: Target::Words("Shopping".into()) }));
    assert_eq!(
        home.read("a.org"),
        "#+TITLE: Things\n* Shopping\n- [ ] milk\n- [ ] bread\n** TODO pay rent :money:\ntext\n*** part\n* last"
    );
    home.undone(3, UNDO);
    assert_eq!(home.read("a.org"), FILE);
}

#[test]
fn subtree_moves_to_another_file_as_one_change() {
    let mut home = Home::new(&[("a.org", FILE), ("b.org", "* Money\nold\n* Other\n")]);
    home.written(1, edit("pay rent", Edit::Refile { to: Target::Words("Money".into()) }));
    assert_eq!(home.read("b.org"), "* Money\nold\n** TODO pay rent :money:\ntext\n*** part\n* Other\n");
    assert!(!home.read("a.org").contains("rent"));
    home.undone(2, UNDO);
    assert_eq!((home.read("a.org").as_str(), home.read("b.org").as_str()), (FILE, "* Money\nold\n* Other\n"));
}

#[test]
fn half_of_a_move_is_taken_back_when_the_other_half_cannot_be_written() {
    let mut home = Home::new(&[("a.org", FILE), ("b.org", "* Money\n")]);
    std::os::unix::fs::symlink("somebody@host.1:1", home.path(".#a.org")).unwrap();
    let moved = home.change(1, edit("pay rent", Edit::Refile { to: Target::Words("Money".into()) }));
    assert!(matches!(&moved, Changed::Refused(why) if why.contains("Emacs")), "{moved:?}");
    assert_eq!((home.read("a.org").as_str(), home.read("b.org").as_str()), (FILE, "* Money\n"));
}

#[test]
fn archived_entry_lies_beside_its_file_and_comes_back() {
    let mut home = Home::new(&[("sub/a.org", FILE)]);
    home.written(1, edit("pay rent", Edit::Archive));
    let archive = home.read("sub/a.org_archive");
    assert!(archive.starts_with("* TODO pay rent :money:\n:PROPERTIES:\n"), "{archive}");
    assert!(archive.contains(":ARCHIVE_TIME: 2026-03-09 Mon 10:00\n"), "{archive}");
    assert!(!home.read("sub/a.org").contains("rent"));
    home.undone(2, UNDO);
    assert_eq!(home.read("sub/a.org"), FILE);
    assert!(!home.path("sub/a.org_archive").exists());
}

#[test]
fn clock_starts_and_stops() {
    let mut home = Home::new(&[("a.org", FILE)]);
    home.written(1, edit("last", Edit::ClockIn));
    home.written(2, edit("last", Edit::ClockOut));
    let text = home.read("a.org");
    assert!(text.contains("CLOCK: [2026-03-09 Mon 10:00]--[2026-03-09 Mon 10:00] =>  0:00"), "{text}");
}

#[test]
fn edit_of_what_is_not_there_or_not_one_writes_nothing() {
    let mut home = Home::new(&[("a.org", "* same\n* same\n")]);
    let edited = |home: &mut Home, words: &str| home.change(1, edit(words, Edit::Priority(Some('A'))));
    assert!(matches!(edited(&mut home, "same"), Changed::Ambiguous(two) if two.len() == 2));
    assert!(matches!(edited(&mut home, "other"), Changed::NotFound { .. }));
    assert!(matches!(edited(&mut home, "a.org"), Changed::Refused(_)));
    assert_eq!(home.read("a.org"), "* same\n* same\n");
}
