//! What an operator reads, word for word.

use super::*;
use protocol::control::Counts;

fn example() -> Status {
    let memory = RoleStatus {
        role: "memory".into(),
        desired: "up".into(),
        actual: "ready".into(),
        pid: 101,
        generation: 1,
        rss_kib: 5_300,
        handled: 12,
        note: "1000 entries in 12 files".into(),
        ..RoleStatus::default()
    };
    let act = RoleStatus {
        role: "act".into(),
        desired: "up".into(),
        actual: "backoff".into(),
        generation: 4,
        restarts: 3,
        last_death: "SIGKILL".into(),
        next_try_ms: 3_200,
        current: "ab12cd34 for 12 s".into(),
        queue: 2,
        ..RoleStatus::default()
    };
    let gateway = RoleStatus {
        role: "gateway:local".into(),
        desired: "down".into(),
        actual: "down".into(),
        ..RoleStatus::default()
    };
    Status {
        health: "degraded".into(),
        pid: 100,
        version: "0.1.0".into(),
        uptime_s: 7_384,
        memex: "/home/anna/memex".into(),
        roles: vec![memory, act, gateway],
        counts: Counts {
            open: 2,
            running: 1,
            done: 40,
            records: 300,
            syncs: 90,
            journal_bytes: 20 * 1024 * 1024,
            ..Counts::default()
        },
        notices: vec!["act died 3 times: \x1b[2J`passepartout ctl tail`".into()],
    }
}

#[test]
fn status_shows_everything_on_one_screen() {
    let expected = "\
degraded  pid 100  up 2 h 3 min  version 0.1.0  memex /home/anna/memex

ROLE           STATE    PID  RESTARTS  RSS       NOTE
memory         ready    101  0         5300 KiB  1000 entries in 12 files
act            backoff  0    3         0 KiB     last death: SIGKILL; next try in 4 s
gateway:local  stopped  0    0         0 KiB

turns    2 open (1 running), 40 done, 0 failed, 0 parked, 0 uncertain, 0 undelivered
intake   0 duplicates, 0 refused, 0 misrouted
journal  300 records, 90 syncs, 20 MiB

! act died 3 times: ?[2J`passepartout ctl tail`
";
    assert_eq!(status(&example()), expected);
}

#[test]
fn top_shows_what_is_in_hand_as_well() {
    let expected = "\
ROLE           LIFE  HANDLED  QUEUE  IN HAND
memory         1     12       0
act            4     0        2      ab12cd34 for 12 s
gateway:local  0     0        0
";
    assert!(top(&example()).ends_with(expected), "{}", top(&example()));
}

#[test]
fn what_waits_for_the_owner_is_a_table_with_moments() {
    let parked = Held {
        turn: "ab12cd34".into(),
        since: 1_700_000_000_000,
        what: "killed reason 3 times".into(),
        conversation: "local".into(),
    };
    let expected = "\
TURN      SINCE             CONVERSATION  WHAT
ab12cd34  2023-11-14 22:13  local         killed reason 3 times
";
    assert_eq!(held(&[parked], &TimeZone::UTC), expected);
    assert_eq!(held(&[], &TimeZone::UTC), "none\n");
}

#[test]
fn snapshots_have_moments_instead_of_milliseconds() {
    let line = "ab12cd34 1700000000000 note in inbox.org; task (taken back)".to_owned();
    let expected = "ab12cd34  2023-11-14 22:13  note in inbox.org; task (taken back)\nodd\n";
    assert_eq!(snapshots(&[line, "odd".into()], &TimeZone::UTC), expected);
}

#[test]
fn findings_are_graded() {
    let finding = |grade: &str, subject: &str| Finding {
        grade: grade.into(),
        subject: subject.into(),
        text: "text".into(),
    };
    let expected = "ok    memory   text\nwarn  journal  text\n";
    assert_eq!(findings(&[finding("ok", "memory"), finding("warn", "journal")]), expected);
}

#[test]
fn spans_of_time_have_two_units() {
    for (seconds, text) in [(5, "5 s"), (65, "1 min 5 s"), (3_600, "1 h 0 min"), (90_000, "1 d 1 h")] {
        assert_eq!(duration(seconds), text);
    }
}
