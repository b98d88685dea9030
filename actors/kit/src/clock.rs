//! The only place that asks the system for the time. Everybody else gets it as an argument.

use protocol::id::WallMs;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Returns the monotonic time, for intervals.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is the one legal place")]
pub fn monotonic() -> Instant {
    Instant::now()
}

/// Returns the wall time, for labels only.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is the one legal place")]
pub fn wall() -> WallMs {
    let millis = |d: Duration| i64::try_from(d.as_millis()).unwrap_or(i64::MAX);
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => WallMs(millis(since)),
        Err(before) => WallMs(-millis(before.duration())),
    }
}

/// Returns how far the clock that runs on through a suspend is ahead of the monotonic one.
#[must_use]
pub fn asleep() -> Duration {
    let boot = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let mono = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let nanos = |t: rustix::time::Timespec| i128::from(t.tv_sec) * 1_000_000_000 + i128::from(t.tv_nsec);
    Duration::from_nanos(u64::try_from(nanos(boot) - nanos(mono)).unwrap_or(0))
}
