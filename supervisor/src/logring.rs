//! The last log lines of the whole tree, for `ctl tail`, and the way of actors' lines to our own stderr, with a rate
//! limit: a crash loop must not fill a disk.

use std::{
    collections::VecDeque,
    io::Write as _,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::broadcast;

/// Lines that are kept.
const LINES: usize = 1_000;

/// Longest line that is kept, in bytes.
const LINE_MAX: usize = 4_096;

/// Lines per second of one source beyond which they are counted instead of written.
const RATE: u32 = 200;

/// Shared by everything in the supervisor that logs. The lock is held for a push and never across an await.
#[derive(Debug, Clone)]
pub struct LogRing {
    lines: Arc<Mutex<VecDeque<String>>>,
    follow: broadcast::Sender<String>,
}

impl Default for LogRing {
    fn default() -> Self {
        Self { lines: Arc::default(), follow: broadcast::channel(256).0 }
    }
}

impl LogRing {
    /// Keeps a line and shows it to those who follow.
    pub fn push(&self, line: &str) {
        let mut end = line.len().min(LINE_MAX);
        while !line.is_char_boundary(end) {
            end -= 1;
        }
        let line = line.get(..end).unwrap_or("").to_owned();
        // Nobody may be following; that is no error.
        drop(self.follow.send(line.clone()));
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push_back(line);
        while lines.len() > LINES {
            lines.pop_front();
        }
    }

    /// Returns the last lines.
    #[must_use]
    pub fn last(&self, count: usize) -> Vec<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().skip(lines.len().saturating_sub(count)).cloned().collect()
    }

    /// Returns all lines from now on; one that reads too slowly loses the oldest.
    #[must_use]
    pub fn follow(&self) -> broadcast::Receiver<String> {
        self.follow.subscribe()
    }
}

/// Lets so many lines through per second and counts the rest.
#[derive(Debug, Default)]
pub struct Throttle {
    second: u64,
    passed: u32,
    dropped: u64,
}

impl Throttle {
    /// Takes a line of an actor: to the ring and to stderr, or into the count.
    pub fn line(&mut self, ring: &LogRing, second: u64, line: &str) {
        if second != self.second {
            if self.dropped > 0 {
                emit(
                    ring,
                    &format!(
                        "{{\"level\":\"WARN\",\"message\":\"log lines dropped\",\"count\":{}}}",
                        self.dropped
                    ),
                );
            }
            *self = Self { second, ..Self::default() };
        }
        self.passed += 1;
        if self.passed <= RATE {
            emit(ring, line);
        } else {
            self.dropped += 1;
        }
    }
}

fn emit(ring: &LogRing, line: &str) {
    ring.push(line);
    // A stderr that nobody reads any more is no reason to stop.
    drop(writeln!(std::io::stderr(), "{line}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flood_of_one_second_is_counted_in_the_next() {
        let (ring, mut throttle) = (LogRing::default(), Throttle::default());
        for _ in 0..RATE + 50 {
            throttle.line(&ring, 1, "x");
        }
        throttle.line(&ring, 2, "y");
        let last = ring.last(2);
        assert_eq!(last, [r#"{"level":"WARN","message":"log lines dropped","count":50}"#, "y"]);
    }
}
