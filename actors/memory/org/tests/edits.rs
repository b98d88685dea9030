//! Edits against the frozen answers of Emacs, against reports of broken tools, and against random bytes.
//!
//! `edits-emacs.txt` was written by `tests/show org-edits --write`; it must not be edited by hand.

#![expect(clippy::unwrap_used, reason = "what builds a case of a test may fail loudly")]

#[path = "../../../../tests/prove/src/proof/edits/act.rs"]
mod act;

use org::edit::{self, Draft, Place, When};
use org::{Logging, Splice, apply, scan, stamp_at};
use proptest::prelude::*;

#[test]
fn edits_equal_those_of_emacs() {
    let plain = |text: &str| text.strip_suffix("~\n").unwrap_or(text).replace("^M", "\r");
    let (mut count, all) = (0, include_str!("edits-emacs.txt"));
    for case in all.split("#### equal\t").skip(1) {
        let case = case.split("#### alike").next().unwrap();
        let (line, rest) = case.split_once('\n').unwrap();
        let (text, rest) = rest.split_once("#### other\n").unwrap();
        let (other, rest) = rest.split_once("#### emacs\n").unwrap();
        let (emacs, emacs_other) = rest.split_once("#### emacs other\n").unwrap();
        let found = act::act(line, plain(text).as_bytes(), plain(other).as_bytes()).unwrap();
        assert_eq!(String::from_utf8_lossy(&found[0]), plain(emacs), "{line}");
        if let Some(found) = found.get(1) {
            assert_eq!(String::from_utf8_lossy(found), plain(emacs_other), "{line}");
        }
        count += 1;
    }
    assert!(count >= 60, "{count} cases");
}

fn done(text: &str) -> String {
    let now = act::NOW.parse().unwrap();
    let logging = Logging { closed: true, drawer: true };
    let splices = edit::set_keyword(text.as_bytes(), &scan(text.as_bytes()), 0, Some("DONE"), now, logging);
    String::from_utf8(apply(text.as_bytes(), &splices.unwrap()).unwrap()).unwrap()
}

fn inserted(text: &str, place: Place) -> String {
    let draft = Draft { title: "c".to_owned(), ..Draft::default() };
    let splices = edit::insert_entry(text.as_bytes(), &scan(text.as_bytes()), place, &draft).unwrap();
    String::from_utf8(apply(text.as_bytes(), &splices).unwrap()).unwrap()
}

#[test]
fn f1_lines_of_an_accumulating_key_stay() {
    let drawer = ":PROPERTIES:\n:OPT: base\n:OPT+: first\n:OPT+: second\n:END:\n";
    assert!(done(&format!("* TODO Labels\n{drawer}")).contains(drawer));
}

#[test]
fn f2_property_without_value_stays() {
    let drawer = ":PROPERTIES:\n:colour:\n:size: 3\n:END:\n";
    assert!(done(&format!("* TODO Form\n{drawer}")).contains(drawer));
    let text = format!("* Form\n{drawer}");
    let doc = scan(text.as_bytes());
    assert!(doc.nodes[0].property(text.as_bytes(), doc.newline, "colour").unwrap().is_empty());
}

#[test]
fn f3_added_headline_leaves_all_others_alone() {
    let text = "* a\n- one\n\n\n* b\n   DEADLINE: <2026-03-02 Mon>\n:PROPERTIES:\n:K: v\n:END:\ntext";
    assert_eq!(inserted(text, Place::End), format!("{text}\n* c\n"));
}

#[test]
fn f4_headline_in_a_crlf_file_ends_in_crlf() {
    assert_eq!(inserted("* a\r\ntext\r\n* b\r\n", Place::After(0)), "* a\r\ntext\r\n* c\r\n* b\r\n");
}

#[test]
fn f5_habit_keeps_its_longest_interval() {
    let after = done("* TODO water\nSCHEDULED: <2026-03-02 Mon .+2d/4d>\n");
    assert!(after.starts_with("* TODO water\nSCHEDULED: <2026-03-11 Wed .+2d/4d>\n"), "{after}");
}

#[test]
fn f6_log_goes_below_the_planning_line() {
    let after = done("* TODO pay\nDEADLINE: <2026-03-09 Mon .+1d>\n");
    assert!(after.starts_with("* TODO pay\nDEADLINE: <2026-03-10 Tue .+1d>\n:PROPERTIES:\n"), "{after}");
    assert!(scan(after.as_bytes()).nodes[0].planning.unwrap().deadline.is_some());
    let broken = b"* TODO pay\n:LOGBOOK:\n:END:\nDEADLINE: <2026-03-09 Mon>\n";
    assert!(scan(broken).nodes[0].planning.is_none());
    assert!(stamp_at(broken, 0).is_none());
}

#[test]
fn f7_unclosed_drawer_swallows_no_headline() {
    let doc = scan(b"* A\n:PROPERTIES:\n:K: v\n** B :t:\n:END:\n");
    assert_eq!(doc.nodes.len(), 2);
    assert!(doc.nodes[0].drawer.is_none());
}

#[test]
fn f8_shorter_text_leaves_no_stale_bytes() {
    let text = format!("* a\n{}", "a long line\n".repeat(200));
    let splices = edit::replace_body(text.as_bytes(), &scan(text.as_bytes()), 0, "x\ny\nz").unwrap();
    assert_eq!(apply(text.as_bytes(), &splices).unwrap(), b"* a\nx\ny\nz\n");
}

fn back(
    first: &[u8],
    change: Result<Vec<Splice>, org::Error>,
    undo: impl Fn(&[u8]) -> Result<Vec<Splice>, org::Error>,
) {
    let changed = apply(first, &change.unwrap()).unwrap();
    assert_eq!(apply(&changed, &undo(&changed).unwrap()).unwrap(), first);
}

#[test]
fn edit_and_its_inverse_give_the_same_bytes() {
    let text = b"* TODO a\n:PROPERTIES:\n:K: v\n:END:\nbody\n* b\n";
    let doc = scan(text);
    back(text, edit::set_priority(text, &doc, 0, Some('A')), |t| edit::set_priority(t, &scan(t), 0, None));
    back(text, edit::set_tags(text, &doc, 0, &["x"]), |t| edit::set_tags(t, &scan(t), 0, &[]));
    back(text, edit::set_property(text, &doc, 0, "N", "1"), |t| edit::delete_property(t, &scan(t), 0, "N"));
    let date = Some("<2026-03-12 Thu>");
    back(text, edit::set_planning(text, &doc, 0, When::Scheduled, date), |t| {
        edit::set_planning(t, &scan(t), 0, When::Scheduled, None)
    });
}

proptest! {
    #[test]
    fn any_bytes_and_foreign_texts_neither_panic_nor_make_structure(
        bytes in proptest::collection::vec(
            prop_oneof![
                any::<u8>().prop_map(|byte| vec![byte]),
                proptest::sample::select(vec![
                    "* ", "\n", "\n** TODO ", ":PROPERTIES:\n", ":END:\n", "SCHEDULED: <2026-03-02 Mon +1w>",
                    "- [ ] x [/]\n", "[1/2]", " :tag:\n", "#+TODO: A | B\n", ":LOGBOOK:\n", "\r\n",
                ]).prop_map(|piece| piece.as_bytes().to_vec()),
            ], 0..40).prop_map(|pieces| pieces.concat()),
        index in 0usize..6,
        text in "(\\* |\\n|#\\+TODO: x|:END:|:PROPERTIES:|:K: v|DEADLINE: <2026-03-02 Mon>|[ -~é]){0,8}",
    ) {
        let doc = scan(&bytes);
        let now = act::NOW.parse().unwrap();
        let place = [Place::Before(index), Place::FirstChild(index), Place::Top, Place::End][index % 4];
        let draft = Draft { title: text.clone(), body: text.clone(), tags: vec![text.clone()], ..Draft::default() };
        let added = edit::insert_entry(&bytes, &doc, place, &draft);
        let context = edit::Context { file: "f", category: "c", now };
        drop(edit::archive(&bytes, &doc, index, context));
        drop(edit::refile(&bytes, &doc, index, Some(0)));
        drop(edit::refile_to(&bytes, &doc, index, &bytes, &doc, None));
        let kept = [
            edit::set_title(&bytes, &doc, index, &text),
            edit::set_tags(&bytes, &doc, index, &[&text]),
            edit::set_property(&bytes, &doc, index, "K", &text),
            edit::set_property(&bytes, &doc, index, &text, "v"),
            edit::delete_property(&bytes, &doc, index, "K"),
            edit::set_id(&bytes, &doc, index, &text),
            edit::replace_body(&bytes, &doc, index, &text),
            edit::append_body(&bytes, &doc, index, &text),
            edit::replace_text(&bytes, &doc, index, "x", &text),
            edit::link(&bytes, &doc, index, &text, Some(&text)),
            edit::set_priority(&bytes, &doc, index, Some('B')),
            edit::set_planning(&bytes, &doc, index, When::Deadline, Some("<2026-03-12 Thu>")),
            edit::set_keyword(&bytes, &doc, index, Some("DONE"), now, Logging { closed: true, drawer: true }),
            edit::clock_in(&bytes, &doc, index, now),
            edit::clock_out(&bytes, &doc, index, now),
            edit::toggle_checkbox(&bytes, &doc, index, bytes.len() / 2),
        ];
        let count = doc.nodes.len();
        let all = kept.into_iter().map(|splices| (splices, count)).chain([(added, count + 1)]);
        for (splices, count) in all.filter_map(|(splices, count)| Some((splices.ok()?, count))) {
            let after = apply(&bytes, &splices).unwrap();
            let found = scan(&after);
            prop_assert_eq!(found.nodes.len(), count);
            prop_assert_eq!(&found.keywords, &doc.keywords);
        }
    }
}
