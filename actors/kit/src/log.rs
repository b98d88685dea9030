//! JSON lines on stderr. User text and secrets never get here: their types show kind and length only.

use protocol::role::Role;
use std::{io, sync::Arc};
use tracing_subscriber::{filter::LevelFilter, prelude::*};

/// Starts logging. Level names: `error`, `warn`, `info`, `debug`; anything else means `info`.
pub fn start(level: &str) {
    start_beside(level, |_| {});
}

/// Starts logging and shows each line to somebody else as well.
pub fn start_beside(level: &str, beside: impl Fn(&str) + Send + Sync + 'static) {
    let level = level.parse().unwrap_or(LevelFilter::INFO);
    let beside = Arc::new(beside);
    let layer = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_target(false)
        // The spans are ractor's own and say nothing about a turn.
        .with_current_span(false)
        .with_span_list(false)
        .with_writer(move || Tee(Arc::clone(&beside)))
        .with_filter(level);
    // A second start in one process (tests) keeps the first subscriber.
    drop(tracing_subscriber::registry().with(layer).try_init());
}

/// Writes to stderr and to somebody else. The formatter hands over one whole line at a time.
struct Tee<F>(Arc<F>);

impl<F: Fn(&str)> io::Write for Tee<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Ok(line) = std::str::from_utf8(bytes) {
            (self.0)(line.trim_end());
        }
        // A stderr that nobody reads any more is no reason to lose the line for those beside.
        drop(io::stderr().write_all(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Makes a panic end the process with a line that names the place and shows no text: a payload could hold anything.
pub fn abort_on_panic(role: Role) {
    std::panic::set_hook(Box::new(move |info| {
        let (file, line) = info.location().map_or(("?", 0), |at| (at.file(), at.line()));
        tracing::error!(role = role.as_str(), file, line, "panic");
        std::process::abort();
    }));
}
