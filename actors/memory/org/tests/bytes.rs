//! Arbitrary bytes: the scanner loses none, no input panics, and edits change only their own place.

use org::{Doc, NewEntry, Span, append, apply, complete, scan, verify};
use proptest::prelude::*;

/// Lines that are likely to be structure, so that random files are not all plain text.
const PIECES: [&str; 30] = [
    "* ",
    "** ",
    "***",
    "TODO ",
    "DONE ",
    "[#A] ",
    "COMMENT ",
    "title",
    " :tag:",
    "\n",
    "\n",
    "\n",
    "DEADLINE: ",
    "SCHEDULED: ",
    "CLOSED: ",
    "<2026-03-02 Mon +1w>",
    "<2026-03-02 Mon 10:00 .+2d/4d>",
    "[2026-03-02 Mon]",
    ":PROPERTIES:\n",
    ":END:\n",
    ":KEY: v\n",
    "#+TODO: A | B\n",
    "#+begin_src\n",
    "#+end_src\n",
    "\r\n",
    "\u{feff}",
    "é",
    "--",
    " ",
    "#+TYP_TODO: X Y\n",
];

fn org_like() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => proptest::sample::select(&PIECES[..]).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..4),
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn joined(bytes: &[u8], doc: &Doc) -> Vec<u8> {
    let mut out = doc.preamble.of(bytes).to_vec();
    for node in &doc.nodes {
        out.extend_from_slice(node.own().of(bytes));
    }
    out
}

proptest! {
    #[test]
    fn own_texts_of_all_nodes_give_the_input_back(bytes in org_like()) {
        let doc = scan(&bytes);
        prop_assert_eq!(joined(&bytes, &doc), bytes.clone());
        for node in &doc.nodes {
            prop_assert!(node.begin < node.line_end && node.line_end <= node.body);
            prop_assert!(node.body <= node.own_end && node.own_end <= node.end);
            prop_assert!(node.title.end <= node.line_end);
        }
    }

    #[test]
    fn any_bytes_are_scanned(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let doc = scan(&bytes);
        prop_assert_eq!(joined(&bytes, &doc), bytes.clone());
        let found = org::active_stamps(&bytes, Span::new(0, bytes.len()));
        prop_assert!(found.iter().all(|stamp| stamp.span.end <= bytes.len()));
    }

    #[test]
    fn appended_foreign_text_adds_one_entry_and_nothing_else(
        bytes in org_like(), title in "[ -~\\n]{0,60}", body in org_like(), task in any::<bool>(),
    ) {
        let doc = scan(&bytes);
        let entry = NewEntry {
            task,
            title: title.clone(),
            body: String::from_utf8_lossy(&body).into_owned(),
            created: "2026-03-09T10:00:00".parse().unwrap(),
            ..NewEntry::default()
        };
        if let Ok(splices) = append(&bytes, &doc, &entry) {
            let after = apply(&bytes, &splices).unwrap();
            prop_assert!(after.starts_with(&bytes));
            let found = verify(&bytes, &doc, &after, None).unwrap();
            let node = found.nodes.last().unwrap();
            let written = node.title.text(&after).replace('\u{200B}', "");
            let said = org::title(&title, &doc.keywords).replace('\u{200B}', "");
            prop_assert_eq!(written, said);
            prop_assert_eq!(node.is_open(), task);
            prop_assert!(node.drawer.is_some() && node.tags.is_none());
        }
    }

    #[test]
    fn done_changes_one_entry_only(bytes in org_like(), pick in any::<usize>()) {
        let doc = scan(&bytes);
        let open: Vec<usize> = (0..doc.nodes.len()).filter(|i| doc.nodes[*i].is_open()).collect();
        if let Some(index) = open.get(pick % open.len().max(1)) {
            let now = "2026-03-09T10:00:00".parse().unwrap();
            if let Ok(done) = complete(&bytes, &doc, *index, now) {
                let after = apply(&bytes, &done.splices).unwrap();
                verify(&bytes, &doc, &after, Some(*index)).unwrap();
            }
        }
    }
}

#[test]
fn hostile_shapes_are_scanned_in_linear_time() {
    let shapes: [Vec<u8>; 8] = [
        b"*".repeat(1_000_000),
        [b"*".repeat(1_000_000), b" x".to_vec()].concat(),
        b"#+begin_src\n".repeat(100_000),
        b":PROPERTIES:\n".repeat(100_000),
        b"* a\nDEADLINE: <DEADLINE: <".repeat(50_000),
        [b"* a\nDEADLINE: ".to_vec(), b"SCHEDULED:<".repeat(100_000)].concat(),
        b"x".repeat(10_000_000),
        (1..2_000).flat_map(|n| [b"*".repeat(n), b" x\n".to_vec()].concat()).collect(),
    ];
    for shape in shapes {
        let doc = scan(&shape);
        assert_eq!(joined(&shape, &doc), shape);
    }
}
