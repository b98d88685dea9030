//! Torn ends, flipped bytes, missing and foreign files, repair.

use super::{Dir, Journal, accepted, done, key, name, open, options, put};
use crate::journal::{Error, Known, Record, frame::pieces, repair, segment::Survey, trace, verify};
use std::{fs, os::unix::fs::PermissionsExt as _};

const FIRST: &str = "00000001.journal";

/// A journal with three accepted turns in one segment.
fn three_turns() -> Dir {
    let dir = Dir::new();
    let (mut journal, _) = open(&dir);
    put(&mut journal, &[accepted(1, "a"), accepted(2, "a")]);
    put(&mut journal, &[accepted(3, "b")]);
    dir
}

/// A journal with some sealed segments.
fn some_segments() -> Dir {
    let dir = Dir::new();
    let (mut journal, _) = open(&dir);
    for number in 0..120 {
        put(&mut journal, &[accepted(number, "a"), done(number)]);
    }
    assert!(journal.counters().rotations >= 2);
    dir
}

/// Offsets of the records of a segment.
fn offsets(bytes: &[u8]) -> Vec<usize> {
    let survey = Survey::of(bytes);
    survey.good.iter().map(|frame| frame.offset).collect()
}

#[test]
fn fresh_journal_is_closed_to_others() {
    let dir = Dir::new();
    let (_, recovered) = open(&dir);
    assert_eq!((recovered.segments, recovered.open), (1, 0));
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(dir.path().to_owned()), 0o700);
    assert_eq!(mode(dir.file(FIRST)), 0o600);
}

#[test]
fn directory_open_to_others_is_closed() {
    let dir = three_turns();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    drop(open(&dir));
    let mode = fs::metadata(dir.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn torn_end_is_cut_back_to_the_last_good_record() {
    let dir = three_turns();
    let mut bytes = fs::read(dir.file(FIRST)).unwrap();
    let whole = bytes.len();
    bytes.extend_from_within(whole - 100..whole - 3);
    fs::write(dir.file(FIRST), &bytes).unwrap();

    let (journal, recovered) = open(&dir);

    let cut = recovered.cut.unwrap();
    assert_eq!((cut.offset, cut.bytes), (whole as u64, 97));
    assert_eq!(journal.state().open_count(), 3);
    assert_eq!(fs::metadata(dir.file(FIRST)).unwrap().len(), whole as u64);
    drop(journal);
    assert_eq!(open(&dir).1.cut, None);
}

#[test]
fn flipped_byte_amid_the_newest_segment_costs_one_record_only() {
    let dir = three_turns();
    let mut bytes = fs::read(dir.file(FIRST)).unwrap();
    let second = offsets(&bytes)[3];
    bytes[second + 50] ^= 4;
    fs::write(dir.file(FIRST), &bytes).unwrap();

    let (journal, recovered) = open(&dir);

    let mended = recovered.mended.unwrap();
    assert_eq!((mended.gaps, mended.kept), (1, 4));
    assert_eq!(fs::read(dir.file(&mended.aside)).unwrap(), bytes);
    let state = journal.state();
    let known = [1, 2, 3].map(|number| state.lookup(key(number)));
    assert_eq!(known, [Known::Open, Known::Unknown, Known::Open]);
}

#[test]
fn bad_record_in_an_older_segment_stops_the_start_and_names_the_remedy() {
    let dir = some_segments();
    let mut bytes = fs::read(dir.file(FIRST)).unwrap();
    let offset = *offsets(&bytes).last().unwrap();
    bytes[offset + 9] ^= 1;
    fs::write(dir.file(FIRST), &bytes).unwrap();

    let error = Journal::open(dir.path(), &options()).unwrap_err();

    assert_eq!(
        error.to_string(),
        format!(
            "journal segment {FIRST} is damaged at byte {offset}; stop passepartout and run `passepartout ctl journal repair`"
        )
    );
    assert_eq!(error.hint(), "passepartout ctl journal repair");
    assert_eq!(fs::read(dir.file(FIRST)).unwrap(), bytes);
}

#[test]
fn repair_keeps_what_can_be_read_and_the_damaged_file_for_ever() {
    let dir = some_segments();
    let whole = fs::read(dir.file(FIRST)).unwrap();
    let mut bytes = whole.clone();
    let all = offsets(&bytes);
    for offset in [all[5], all[9]] {
        bytes[offset + 20] ^= 1;
    }
    fs::write(dir.file(FIRST), &bytes).unwrap();
    fs::write(dir.file("00000001.journal.damaged-1"), "earlier").unwrap();

    let repaired = repair(dir.path()).unwrap();

    assert_eq!(repaired.len(), 1);
    assert_eq!(repaired[0].aside, "00000001.journal.damaged-2");
    assert_eq!((repaired[0].gaps, repaired[0].kept), (2, all.len() as u64 - 2));
    let aside = |name| fs::read(dir.file(name)).unwrap();
    assert_eq!(aside("00000001.journal.damaged-1"), b"earlier");
    assert_eq!(aside("00000001.journal.damaged-2"), bytes);
    let (journal, recovered) = open(&dir);
    assert_eq!(recovered.aside.len(), 2);
    assert_eq!(journal.state().done_count(), 120);
    assert!(verify(dir.path()).unwrap().is_sound());
    assert_eq!(repair(dir.path()).unwrap(), []);
}

#[test]
fn lost_checkpoint_of_the_newest_segment_is_computed_again() {
    let dir = some_segments();
    let (mut journal, _) = open(&dir);
    put(&mut journal, &[accepted(500, "a")]);
    let before = journal.state().essence();
    drop(journal);
    let newest = format!("{:08}.journal", verify(dir.path()).unwrap().segments.len());
    let mut bytes = fs::read(dir.file(&newest)).unwrap();
    bytes[20] ^= 1;
    fs::write(dir.file(&newest), &bytes).unwrap();
    let refused = Journal::open(dir.path(), &options()).unwrap_err();
    assert!(matches!(refused, Error::Damaged { offset: 0, .. }));

    let repaired = repair(dir.path()).unwrap();

    assert_eq!(repaired[0].file, newest);
    let (journal, _) = open(&dir);
    let after = journal.state().essence();
    assert_eq!((after.0, after.1), (before.0, before.1));
}

#[test]
fn segment_without_any_readable_byte_falls_back_to_the_one_before() {
    for content in [&b""[..], &[0; 5_000], b"{\"t\":\"chec"] {
        let dir = some_segments();
        let before = open(&dir).0.state().essence();
        let next = format!("{:08}.journal", verify(dir.path()).unwrap().segments.len() + 1);
        fs::write(dir.file(&next), content).unwrap();

        let (mut journal, _) = open(&dir);

        assert_eq!(journal.state().essence(), before);
        put(&mut journal, &[accepted(900, "a")]);
        drop(journal);
        assert_eq!(open(&dir).0.state().lookup(key(900)), Known::Open);
    }
}

#[test]
fn empty_first_segment_is_no_obstacle() {
    let dir = three_turns();
    fs::write(dir.file(FIRST), "").unwrap();
    assert_eq!(open(&dir).0.state().open_count(), 0);
}

#[test]
fn foreign_files_are_named_and_left_alone() {
    let dir = three_turns();
    for foreign in ["notes.txt", "1.journal", "0000000a.journal"] {
        fs::write(dir.file(foreign), "mine").unwrap();
    }
    let (_, recovered) = open(&dir);
    assert_eq!(recovered.foreign, ["0000000a.journal", "1.journal", "notes.txt"]);
    assert_eq!(fs::read(dir.file("1.journal")).unwrap(), b"mine");
}

#[test]
fn record_of_a_newer_build_stops_the_start_and_is_named() {
    let dir = three_turns();
    let mut bytes = fs::read(dir.file(FIRST)).unwrap();
    let mut newer = Vec::new();
    let verb = Record::Verb { id: "x".to_owned(), reply: String::new() };
    crate::journal::frame::encode(&verb, &mut newer).unwrap();
    let text = String::from_utf8(newer[8..].to_vec()).unwrap();
    let body = text.replace("verb", "tele");
    let mut covered = newer[..4].to_vec();
    covered.extend_from_slice(body.as_bytes());
    bytes.extend_from_slice(&newer[..4]);
    bytes.extend_from_slice(&crc32c::crc32c(&covered).to_le_bytes());
    bytes.extend_from_slice(body.as_bytes());
    assert_eq!(pieces(&bytes).count(), 6);
    fs::write(dir.file(FIRST), &bytes).unwrap();

    let error = Journal::open(dir.path(), &options()).unwrap_err();

    assert!(matches!(&error, Error::UnknownRecord { kind, .. } if kind == "tele"));
    assert_eq!(fs::read(dir.file(FIRST)).unwrap(), bytes);
}

#[test]
fn damaged_sidecar_is_rebuilt_while_its_segments_are_there() {
    let dir = some_segments();
    let picture = dir.picture();
    let sidecar = picture.keys().find(|name| name.ends_with(".done")).unwrap();
    fs::write(dir.file(sidecar), "rubbish").unwrap();
    assert!(!verify(dir.path()).unwrap().is_sound());

    let (journal, recovered) = open(&dir);

    assert_eq!(recovered.keys_lost, [""; 0]);
    assert!((0..120).all(|number| journal.state().lookup(key(number)) == Known::Done));
    assert!(dir.file(&format!("{sidecar}.damaged-1")).exists());
    assert!(verify(dir.path()).unwrap().is_sound());
}

#[test]
fn trace_tells_each_record_of_a_turn_once_beside_a_running_journal() {
    let dir = Dir::new();
    let (mut journal, _) = open(&dir);
    put(&mut journal, &[accepted(7, "a")]);
    for number in 100..180 {
        put(&mut journal, &[accepted(number, "b"), done(number)]);
    }
    let started = Record::Started { key: key(7), role: protocol::role::Role::Act, attempt: 1 };
    put(&mut journal, &[started.clone(), done(7)]);
    let mut torn = fs::OpenOptions::new()
        .append(true)
        .open(dir.file(&format!("{:08}.journal", journal.durable().segment)))
        .unwrap();
    std::io::Write::write_all(&mut torn, b"half").unwrap();

    let found = trace(dir.path(), &key(7).to_string()).unwrap();

    assert!(journal.counters().rotations > 0);
    let records: Vec<_> = found.into_iter().map(|(_, record)| record).collect();
    assert_eq!(records, [accepted(7, "a"), started, done(7)]);
}

#[test]
fn source_names_survive_as_they_were() {
    let dir = three_turns();
    let (journal, _) = open(&dir);
    assert_eq!(journal.state().offset(&name("gateway:local")), Some(3));
}
