//! JSON lines on stderr. User text and secrets never get here: their types show kind and length only.

use protocol::role::Role;
use tracing_subscriber::{filter::LevelFilter, prelude::*};

/// Starts logging. Level names: `error`, `warn`, `info`, `debug`; anything else means `info`.
pub fn start(level: &str) {
    let level = level.parse().unwrap_or(LevelFilter::INFO);
    let layer = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_target(false)
        .with_writer(std::io::stderr)
        .with_filter(level);
    // A second start in one process (tests) keeps the first subscriber.
    drop(tracing_subscriber::registry().with(layer).try_init());
}

/// Makes a panic end the process with a line that names the place and shows no text: a payload could hold anything.
pub fn abort_on_panic(role: Role) {
    std::panic::set_hook(Box::new(move |info| {
        let (file, line) = info
            .location()
            .map_or(("?", 0), |at| (at.file(), at.line()));
        tracing::error!(role = role.as_str(), file, line, "panic");
        std::process::abort();
    }));
}
