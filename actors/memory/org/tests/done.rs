//! Marking tasks done compared with what Emacs makes of the same text.
//!
//! `emacs-done.txt` was written by GNU Emacs 28.2 (Org 9.5.5) with `org-log-done` set to `time`, tag alignment off,
//! on 2026-03-09 at 10:00. A `~` alone on the last line of an input stands for a missing final newline. Left out:
//! repeaters without weekday (Emacs adds one), `9:00` (Emacs writes 09:00) and headlines that are no tasks.

use org::{apply, complete, scan, verify};

#[test]
fn done_tasks_equal_those_of_emacs() {
    let now = "2026-03-09T10:00:00".parse().unwrap();
    let mut count = 0;
    for case in include_str!("emacs-done.txt").split("#### in\n").skip(1) {
        let (input, expected) = case.split_once("#### out\n").unwrap();
        let input = input.strip_suffix("~\n").unwrap_or(input).as_bytes();
        let doc = scan(input);
        let done = complete(input, &doc, 0, now).unwrap();
        let after = apply(input, &done.splices).unwrap();
        verify(input, &doc, &after, Some(0)).unwrap();
        let after = String::from_utf8(after).unwrap();
        let closed = if after.ends_with('\n') { "" } else { "\n" };
        assert_eq!(after + closed, expected, "from:\n{case}");
        count += 1;
    }
    assert!(count > 50);
}
