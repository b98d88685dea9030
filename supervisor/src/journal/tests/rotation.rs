//! Rotation, its crashes, and bounds over a long life.

use super::{Dir, Journal, accepted, done, key, open, options, put};
use crate::journal::{Durability, Known, Options, Record, inspect::disk_bytes};
use protocol::{id::WallMs, label::Labeled, outcome::Delivered};
use std::{collections::BTreeMap, fs};

fn confirmed(number: u64) -> Record {
    Record::Delivered { key: key(number), how: Delivered::Confirmed }
}

type Picture = BTreeMap<String, Vec<u8>>;

/// Pictures of the directory just before and just after a rotation, with the state.
fn around_a_rotation() -> (Picture, Picture, Journal, Dir) {
    let dir = Dir::new();
    let (mut journal, _) = open(&dir);
    put(&mut journal, &[accepted(5_000, "a"), accepted(5_001, "b")]);
    let mut number = 0;
    loop {
        number += 1;
        let rotations = journal.counters().rotations;
        journal.append(&accepted(number, "a")).unwrap();
        journal.append(&done(number)).unwrap();
        if number % 2 == 0 {
            journal.append(&confirmed(number)).unwrap();
        }
        journal.write().unwrap();
        let before = dir.picture();
        journal.sync().unwrap();
        // Late enough that a segment is removed and a sidecar is merged.
        if journal.counters().rotations > rotations && rotations >= 5 {
            let after = dir.picture();
            return (before, after, journal, dir);
        }
    }
}

#[test]
fn crash_at_any_step_of_a_rotation_recovers_the_same_state() {
    let (before, after, journal, _dir) = around_a_rotation();
    let wanted = journal.state().essence();
    let is_new = |name: &&String| before.get(*name) != after.get(*name);
    let sidecar = after.keys().filter(is_new).find(|n| n.ends_with(".done"));
    let segment = after.keys().filter(is_new).find(|n| n.ends_with(".journal"));
    let mut steps = vec![before.clone()];
    // Each file: half staged, staged, in force. Then each superfluous one gone.
    let mut now = before.clone();
    for name in [sidecar.unwrap(), segment.unwrap()] {
        let bytes = &after[name];
        for length in [bytes.len() / 2, bytes.len()] {
            let mut staged = now.clone();
            staged.insert(format!("{name}.staged"), bytes[..length].to_vec());
            steps.push(staged);
        }
        now.insert(name.clone(), bytes.clone());
        steps.push(now.clone());
    }
    let gone: Vec<_> = before.keys().filter(|name| !after.contains_key(*name)).collect();
    assert!(gone.len() >= 2, "{gone:?}");
    for name in gone {
        now.remove(name);
        steps.push(now.clone());
    }
    assert_eq!(now, after);
    for (index, files) in steps.iter().enumerate() {
        let crashed = Dir::from_picture(files);
        let (mut journal, recovered) = open(&crashed);
        assert_eq!(journal.state().essence(), wanted, "step {index}");
        assert_eq!(recovered.keys_lost, [""; 0]);
        // It goes on from there, through the next rotation.
        let rotations = journal.counters().rotations;
        let mut number = 100_000;
        while journal.counters().rotations == rotations {
            number += 1;
            put(&mut journal, &[accepted(number, "z"), done(number)]);
        }
        let going_on = journal.state().essence();
        drop(journal);
        assert_eq!(open(&crashed).0.state().essence(), going_on, "step {index}");
    }
}

#[test]
fn state_is_the_same_before_and_after_a_restart_behind_a_rotation() {
    let (_, _, journal, dir) = around_a_rotation();
    let wanted = journal.state().essence();
    drop(journal);
    let (journal, _) = open(&dir);
    assert_eq!(journal.state().essence(), wanted);
    let waiting: Vec<_> = journal.state().undelivered().map(|a| a.key).collect();
    assert!(waiting.contains(&key(1)) && !waiting.contains(&key(2)));
    assert_eq!(journal.state().lookup(key(2)), Known::Done);
}

#[test]
fn large_state_does_not_make_every_record_rotate() {
    let dir = Dir::new();
    let (mut journal, _) = open(&dir);
    for number in 0..2_000 {
        put(&mut journal, &[accepted(number, "a")]);
    }
    assert!(journal.counters().rotations < 12);
    drop(journal);
    assert_eq!(open(&dir).0.state().open_count(), 2_000);
}

#[test]
fn size_on_disk_and_memory_stay_bounded_over_forty_thousand_turns() {
    let dir = Dir::new();
    let options = Options {
        segment_bytes: 1 << 20,
        done_keys: 20_000,
        reserve_bytes: 0,
        durability: Durability::Off,
        ..Options::default()
    };
    let (mut journal, _) = Journal::open(dir.path(), &options).unwrap();
    let mut most = 0;
    for number in 0..40_000_u64 {
        for record in [accepted(number, "a"), done(number), confirmed(number)] {
            journal.append(&record).unwrap();
        }
        if number % 50 == 0 {
            journal.sync().unwrap();
        }
        if number % 1_000 == 0 {
            most = most.max(disk_bytes(dir.path()).unwrap());
        }
    }
    journal.sync().unwrap();
    assert!(most < 4 * (1 << 20) + (1 << 20), "{most} bytes");
    let files = fs::read_dir(dir.path()).unwrap().count();
    assert!(files < 4 + 40, "{files} files");
    let state = journal.state();
    assert!((20_000..25_000).contains(&state.done_count()));
    assert!((20_000..40_000).all(|number| state.lookup(key(number)) == Known::Done));
    assert_eq!(state.lookup(key(0)), Known::Unknown);
    let wanted = state.essence();
    drop(journal);
    let (journal, _) = Journal::open(dir.path(), &options).unwrap();
    assert_eq!(journal.state().essence(), wanted);
}

#[test]
fn keys_older_than_the_horizon_are_forgotten() {
    let dir = Dir::new();
    let options = Options { done_keys: 32, done_days: 1, ..options() };
    let (mut journal, _) = Journal::open(dir.path(), &options).unwrap();
    let day = 86_400_000;
    for number in 0..400 {
        let end = Record::Done {
            key: key(number),
            answer: Labeled::from_owner(""),
            at: WallMs(i64::try_from(number).unwrap() * day / 10),
        };
        put(&mut journal, &[accepted(number, "a"), end, confirmed(number)]);
    }
    let known = |number| journal.state().lookup(key(number)) == Known::Done;
    assert!(known(399) && known(392) && !known(0) && !known(200));
}
