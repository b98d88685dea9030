//! Words to the service manager (`sd_notify`). Nothing happens when there is none.

use sd_notify::NotifyState;

fn say(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::debug!(err = %error, "service manager not told");
    }
}

/// The tree can work.
pub fn ready() {
    say(&[NotifyState::Ready, NotifyState::Status("ready")]);
}

/// How the tree is.
pub fn status(text: &str) {
    say(&[NotifyState::Status(text)]);
}

/// The tree is stopping.
pub fn stopping() {
    say(&[NotifyState::Stopping]);
}

/// The service manager's watchdog, fed by full passes of the real loop.
#[derive(Debug)]
pub struct Watchdog {
    every_ms: u64,
    last: u64,
}

impl Watchdog {
    /// Learns how often the watchdog wants to be fed.
    #[must_use]
    pub fn from_environment() -> Self {
        let period = sd_notify::watchdog_enabled().map_or(0, |period| period.as_millis());
        Self { every_ms: u64::try_from(period / 2).unwrap_or(0), last: 0 }
    }

    /// Feeds it when it is time.
    pub fn pat(&mut self, now: u64) {
        if self.every_ms > 0 && now >= self.last + self.every_ms.min(1_000) {
            self.last = now;
            say(&[NotifyState::Watchdog]);
        }
    }
}
