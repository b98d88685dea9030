//! Random records, random kills, random harm: what was synced is there, and nothing else is.

use super::{Dir, Journal, key, name, open};
use crate::journal::{Error, Known, Record, State, Unpark, frame, replay_bytes, segment::Survey};
use proptest::{collection::vec, prelude::*, sample::Index};
use protocol::{
    id::WallMs,
    label::Labeled,
    outcome::{Delivered, Nature},
    role::Role,
    stimulus::{Class, Principal},
};
use std::fs;

fn acceptance(number: u64, conversation: &str, length: u8, flag: bool) -> Record {
    Record::Accepted {
        key: key(number),
        source: name("gateway:local"),
        conversation: name(conversation),
        message: name(&number.to_string()),
        principal: Principal::Owner,
        class: Class::Normal,
        text: Labeled::from_owner("x".repeat(usize::from(length) * 40)),
        at: WallMs(i64::try_from(number).unwrap()),
        offset: flag.then_some(number),
    }
}

fn turn_record() -> impl Strategy<Value = Record> {
    let conversation = prop_oneof![Just("a"), Just("b"), Just("c")];
    (0..12_u64, 0..14_u8, 0..3_u8, conversation, any::<bool>()).prop_map(
        |(number, what, step, conversation, flag)| {
            let key = key(number);
            let at = WallMs(i64::try_from(number).unwrap());
            let answer = Labeled::from_owner(format!("answer \u{1} {number}"));
            let attempt = step + 1;
            match what {
                0..=2 => acceptance(number, conversation, step, flag),
                3 => Record::Started { key, role: Role::Act, attempt },
                4 => Record::Charged {
                    key,
                    role: Role::Act,
                    cause: "crash".to_owned(),
                    weight: 1,
                    total: attempt,
                },
                5 => Record::Done { key, answer, at },
                6 => Record::Failed { key, code: "act.x".to_owned(), answer, at },
                7 => Record::Parked { key, why: "crash".to_owned(), at },
                8 => Record::Unparked { key, how: if flag { Unpark::Retry } else { Unpark::Drop }, at },
                9 => Record::Intent {
                    key,
                    attempt,
                    step,
                    action: "send".to_owned(),
                    nature: if flag { Nature::Reversible } else { Nature::Ambiguous },
                },
                10 => Record::Commit { key, step, receipt: "r".to_owned() },
                11 => Record::Uncertain {
                    key,
                    step,
                    action: "send".to_owned(),
                    conversation: name(conversation),
                    at,
                },
                12 => Record::Resolved { key, step, happened: flag, at },
                _ => Record::SnapTaken { key, attempt, root: "root".to_owned() },
            }
        },
    )
}

fn other_record() -> impl Strategy<Value = Record> {
    (0..12_u64, 0..7_u8, any::<bool>(), 0..3_u8).prop_map(|(number, what, flag, third)| {
        let key = key(number);
        match what {
            0 => Record::Delivered {
                key,
                how: match third {
                    0 => Delivered::Confirmed,
                    1 => Delivered::Absent,
                    _ => Delivered::Unknown,
                },
            },
            1 => Record::Offset { source: name("gateway:local"), value: number },
            2 => Record::RollbackBegin {
                key,
                attempt: third,
                root: "root".to_owned(),
                why: "crash".to_owned(),
                ending: None,
            },
            3 => Record::RollbackDone { key, attempt: third, conflicts: vec!["a.org".to_owned()] },
            4 => Record::Desired { role: Role::Reason, up: flag },
            5 => Record::Notice { id: key, text: "n".repeat(usize::from(third) * 30), at: WallMs(3) },
            _ => Record::Verb { id: number.to_string(), reply: "done".to_owned() },
        }
    })
}

fn records(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Record>> {
    vec(prop_oneof![3 => turn_record(), 1 => other_record()], count)
}

/// The state that these records lead to, by the model: plain replay in memory.
fn replayed(records: &[Record]) -> State {
    let mut state = State::default();
    for record in records {
        state.apply(record);
    }
    state
}

/// Records per sync, and whether the journal rotates.
fn written(dir: &Dir, records: &[Record], batch: usize) -> Vec<u64> {
    let (mut journal, _) = open(dir);
    let mut ends = Vec::new();
    for batch in records.chunks(batch.max(1)) {
        for record in batch {
            ends.push(journal.append(record).unwrap().offset);
        }
        journal.sync().unwrap();
    }
    ends
}

#[test]
fn try_that_was_taken_back_without_its_start_counts_after_a_checkpoint() {
    let taken_back = Record::RollbackDone { key: key(1), attempt: 2, conflicts: Vec::new() };
    let commit = Record::Commit { key: key(1), step: 0, receipt: String::new() };
    let mut state = replayed(&[acceptance(1, "a", 0, false), taken_back]);
    let mut again = State::default();
    again.apply(&state.checkpoint());
    state.history().for_each(|record| again.apply(&record));
    state.apply(&commit);
    again.apply(&commit);
    assert_eq!(again.essence().0, state.essence().0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn checkpoint_leads_to_the_same_state(records in records(0..120)) {
        let state = replayed(&records);
        let history: Vec<_> = state.history().collect();
        let mut again = State::default();
        again.apply(&state.checkpoint());
        for record in &history {
            again.apply(record);
        }
        let records = history.len() as u64;
        again.apply(&Record::CheckpointEnd { records });
        prop_assert!(!again.is_within_checkpoint());
        let (essence, wanted) = (again.essence(), state.essence());
        prop_assert_eq!(essence.0, wanted.0);
        prop_assert_eq!(essence.2, wanted.2);
        let order = |state: &State| state.open().map(|turn| turn.key).collect::<Vec<_>>();
        prop_assert_eq!(order(&again), order(&state));
    }

    #[test]
    fn kill_at_any_byte_keeps_every_record_before_it(
        records in records(1..30),
        batch in 1..6_usize,
        kill: Index,
    ) {
        let dir = Dir::new();
        let ends = written(&dir, &records, batch);
        let file = dir.file("00000001.journal");
        let bytes = fs::read(&file).unwrap();
        let checkpoint = Survey::of(&bytes).good[1].end();
        let kill = checkpoint + kill.index(bytes.len() - checkpoint + 1);
        fs::write(&file, &bytes[..kill]).unwrap();

        let (journal, recovered) = open(&dir);

        let survivors = ends.iter().filter(|end| **end <= kill as u64).count();
        prop_assert_eq!(recovered.records, survivors as u64 + 2);
        let wanted = replayed(&records[..survivors]);
        prop_assert_eq!(journal.state().essence(), wanted.essence());
        prop_assert!(recovered.mended.is_none());
    }

    #[test]
    fn flipped_bytes_cost_the_records_they_hit_and_no_other(
        records in records(1..30),
        flips in vec((any::<Index>(), 1..=255_u8), 1..4),
    ) {
        let dir = Dir::new();
        let ends = written(&dir, &records, 3);
        let file = dir.file("00000001.journal");
        let mut bytes = fs::read(&file).unwrap();
        let checkpoint = Survey::of(&bytes).good[1].end();
        let mut hit = std::collections::BTreeSet::new();
        for (place, mask) in flips {
            let at = checkpoint + place.index(bytes.len() - checkpoint);
            bytes[at] ^= mask;
            hit.insert(ends.iter().position(|end| (at as u64) < *end).unwrap());
        }
        fs::write(&file, &bytes).unwrap();

        let (journal, _) = open(&dir);

        let kept: Vec<_> = records
            .iter()
            .enumerate()
            .filter(|(index, _)| !hit.contains(index))
            .map(|(_, record)| record.clone())
            .collect();
        // Two flips of one byte may undo each other.
        let untouched = replayed(&records).essence();
        let essence = journal.state().essence();
        prop_assert!(essence == replayed(&kept).essence() || essence == untouched);
    }

    #[test]
    fn restart_after_rotations_and_a_kill_finds_what_was_synced(
        records in records(300..500),
        more in records(1..10),
        torn in 1..200_usize,
    ) {
        let dir = Dir::new();
        written(&dir, &records, 4);
        let (mut journal, recovered) = open(&dir);
        prop_assert!(recovered.cut.is_none() && recovered.mended.is_none());
        prop_assert_eq!(journal.state().essence(), replayed(&records).essence());
        let synced = journal.state().essence();
        let newest = dir.file(&format!("{:08}.journal", journal.durable().segment));
        for record in &more {
            journal.append(record).unwrap();
        }
        journal.write().unwrap();
        drop(journal);
        let bytes = fs::read(&newest).unwrap();
        let first = {
            let mut buffer = Vec::new();
            more.iter().for_each(|record| frame::encode(record, &mut buffer).unwrap());
            bytes.len() - buffer.len()
        };
        // Killed before even one of the new ones was whole.
        let end = first + torn.min(20);
        fs::write(&newest, &bytes[..end.min(bytes.len())]).unwrap();
        let (journal, _) = open(&dir);
        prop_assert_eq!(journal.state().essence(), synced);
    }

    #[test]
    fn damage_in_an_older_segment_never_passes_silently(
        records in records(300..400),
        place: Index,
        mask in 1..=255_u8,
    ) {
        let dir = Dir::new();
        written(&dir, &records, 4);
        let first = dir.file("00000001.journal");
        prop_assume!(dir.file("00000002.journal").exists() && first.exists());
        let mut bytes = fs::read(&first).unwrap();
        let at = place.index(bytes.len());
        bytes[at] ^= mask;
        fs::write(&first, &bytes).unwrap();
        let refused = Journal::open(dir.path(), &super::options());
        prop_assert!(matches!(refused, Err(Error::Damaged { .. })), "{:?}", refused);
    }

    #[test]
    fn any_bytes_replay_without_panic(bytes: Vec<u8>, records in records(0..6), cut: usize) {
        let (_, _, bad) = replay_bytes(&bytes);
        prop_assert!(bad > 0 || bytes.is_empty());
        let mut segment = Vec::new();
        for record in &records {
            frame::encode(record, &mut segment).unwrap();
        }
        let count = records.len() as u64;
        prop_assert_eq!(replay_bytes(&segment).1, count);
        segment.splice(..cut % (segment.len() + 1), bytes);
        prop_assert!(replay_bytes(&segment).1 <= count);
    }

    #[test]
    fn turns_of_a_conversation_come_back_in_order_of_acceptance(numbers in vec(0..500_u64, 1..80)) {
        let dir = Dir::new();
        let (mut journal, _) = open(&dir);
        let mut wanted = Vec::new();
        for number in numbers {
            if journal.state().lookup(key(number)) == Known::Unknown {
                wanted.push(key(number));
            }
            super::put(&mut journal, &[super::accepted(number, "a")]);
        }
        drop(journal);
        let (journal, _) = open(&dir);
        let found: Vec<_> = journal.state().open().map(|turn| turn.key).collect();
        prop_assert_eq!(found, wanted);
    }
}
