//! Other writers: what people and their programs change is seen at once, and what they want left out is left out.

use super::*;

fn found(home: &mut Home, words: &str) -> usize {
    let Recalled::Hits { hits, .. } = home.ask(Query::Search { words: words.into(), limit: 20 }) else {
        return usize::MAX;
    };
    hits.len()
}

#[test]
fn changes_of_others_are_seen_at_the_next_question() {
    let mut home = Home::new(&[("a.org", "* one zebra\n")]);
    assert_eq!(found(&mut home, "zebra"), 1);
    home.write("b.org", "* two zebra\n");
    assert_eq!(found(&mut home, "zebra"), 2);
    fs::create_dir_all(home.path("deep/er")).unwrap();
    home.write("deep/er/c.org", "* three zebra\n");
    assert_eq!(found(&mut home, "zebra"), 3);
    home.write("deep/er/d.org", "* four zebra\n");
    assert_eq!(found(&mut home, "zebra"), 4);
    fs::rename(home.path("deep"), home.path("other")).unwrap();
    home.write("other/er/c.org", "* three lion\n");
    assert_eq!(found(&mut home, "zebra"), 3);
    fs::rename(home.path("a.org"), home.path("other/a.org")).unwrap();
    fs::remove_file(home.path("b.org")).unwrap();
    assert_eq!(found(&mut home, "zebra"), 2);
    fs::remove_dir_all(home.path("other")).unwrap();
    assert_eq!(found(&mut home, "zebra"), 0);
}

#[test]
fn memex_that_vanishes_is_told_and_comes_back() {
    let mut home = Home::new(&[("a.org", "* zebra\n")]);
    let aside = home.dir.path().join("aside");
    fs::rename(home.path(""), &aside).unwrap();
    let answer = home.ask(Query::Search { words: "zebra".into(), limit: 5 });
    assert!(matches!(answer, Recalled::Unreadable(_)), "{answer:?}");
    assert!(matches!(home.change(1, note("x")), Changed::Refused(_)));
    fs::rename(&aside, home.path("")).unwrap();
    assert_eq!(found(&mut home, "zebra"), 1);
    home.write("b.org", "* zebra\n");
    assert_eq!(found(&mut home, "zebra"), 2);
}

#[test]
fn what_the_ignore_file_names_is_neither_found_nor_written() {
    let mut home = Home::new(&[("a.org", "* zebra\n"), ("old/b.org", "* zebra\n* TODO ride\n")]);
    assert_eq!(found(&mut home, "zebra"), 2);
    home.write(".passepartoutignore", "old/\n");
    assert_eq!(found(&mut home, "zebra"), 1);
    assert!(matches!(home.change(1, done("ride")), Changed::NotFound { .. }));
    home.write("old/c.org", "* zebra\n");
    assert_eq!(found(&mut home, "zebra"), 1);
    fs::remove_file(home.path(".passepartoutignore")).unwrap();
    assert_eq!(found(&mut home, "zebra"), 3);
}

#[test]
fn half_written_file_is_read_once_its_writer_is_done() {
    use std::io::Write as _;
    let mut home = Home::new(&[("a.org", "* zebra\n")]);
    let mut file = fs::OpenOptions::new().append(true).open(home.path("a.org")).unwrap();
    file.write_all(b"* second zebra\n").unwrap();
    drop(file);
    assert_eq!(found(&mut home, "zebra"), 2);
}
