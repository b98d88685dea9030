//! The clock of the proofs, and the one place that sleeps.

use crate::{Check, Fault};
use std::time::{Duration, Instant};

/// First and longest pause between two looks.
const PAUSE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(25));

/// Returns the monotonic time.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the one clock of the proofs")]
pub fn now() -> Instant {
    Instant::now()
}

/// Looks again and again until there is something, or the deadline has passed.
///
/// # Errors
/// Naming what did not come.
pub fn eventually<T>(what: &str, within: Duration, mut look: impl FnMut() -> Option<T>) -> Check<T> {
    let begun = now();
    let mut wait = PAUSE.0;
    loop {
        if let Some(found) = look() {
            return Ok(found);
        }
        if begun.elapsed() > within {
            return Err(Fault(format!("not within {} ms: {what}", within.as_millis())));
        }
        pass_time(wait);
        wait = (wait * 2).min(PAUSE.1);
    }
}

/// Lets time pass because the proof is about time: how long something stays frozen, when the next blow falls.
#[expect(clippy::disallowed_methods, reason = "time itself is what the proof is about")]
pub fn pass_time(how_long: Duration) {
    std::thread::sleep(how_long);
}

/// Milliseconds.
#[must_use]
pub const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Seconds.
#[must_use]
pub const fn s(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// Returns a time span in ms.
#[must_use]
pub fn in_ms(span: Duration) -> f64 {
    span.as_secs_f64() * 1000.0
}
