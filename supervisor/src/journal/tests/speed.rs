//! How fast it is, printed and not judged: `cargo test --release -p supervisor speed -- --nocapture`.

use super::{Dir, Journal, accepted, done};
use crate::journal::{Durability, Options, replay_bytes};
use std::{
    fs,
    time::{Duration, Instant},
};

#[expect(clippy::disallowed_methods, reason = "measures the real disk; nothing depends on the result")]
fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

fn fill(journal: &mut Journal, turns: u64, per_sync: u64) {
    for number in 0..turns {
        journal.append(&accepted(number, "a")).unwrap();
        journal.append(&done(number)).unwrap();
        if number % per_sync == 0 {
            journal.sync().unwrap();
        }
    }
    journal.sync().unwrap();
}

#[test]
fn speed_of_appends_syncs_and_replay_is_told() {
    for (durability, turns, per_sync) in
        [(Durability::Full, 50, 1), (Durability::Full, 500, 32), (Durability::Off, 5_000, 32)]
    {
        let dir = Dir::new();
        let options = Options { durability, reserve_bytes: 0, ..Options::default() };
        let (mut journal, _) = Journal::open(dir.path(), &options).unwrap();
        let (taken, ()) = timed(|| fill(&mut journal, turns, per_sync));
        let counters = journal.counters();
        drop(journal);
        let seconds = taken.as_secs_f64();
        let bytes = fs::read(dir.file("00000001.journal")).unwrap();
        let (open, _) = timed(|| Journal::open(dir.path(), &options).unwrap());
        let (replay, _) = timed(|| replay_bytes(&bytes));
        println!(
            "{durability:?}, {per_sync} turns a sync: {:.0} records/s, {:.0} syncs/s; {} bytes: open {open:.1?}, of it replay {replay:.1?}",
            f64::from(u32::try_from(counters.records).unwrap()) / seconds,
            f64::from(u32::try_from(counters.syncs).unwrap()) / seconds,
            bytes.len(),
        );
    }
}
