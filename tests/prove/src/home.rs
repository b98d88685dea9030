//! A home of its own for each daemon: memex, state, sockets, settings, log, the double of an outside service.

use crate::Check;
use std::{
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

static HOMES: AtomicU64 = AtomicU64::new(0);

/// A folder that goes when this value goes, unless `PROVE_KEEP` is set.
#[derive(Debug)]
pub struct Home {
    dir: PathBuf,
}

impl Home {
    /// Makes a home for one person alone.
    ///
    /// # Errors
    /// As the kernel says.
    pub fn new(tag: &str) -> Check<Self> {
        let number = HOMES.fetch_add(1, Ordering::Relaxed);
        let tag: String = tag.chars().filter(char::is_ascii_alphanumeric).take(12).collect();
        let name = format!("pp-{tag}-{}-{number}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        std::fs::DirBuilder::new().mode(0o700).create(&dir)?;
        let home = Self { dir };
        std::fs::create_dir(home.memex())?;
        home.configure("")?;
        Ok(home)
    }

    /// The folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The memex.
    #[must_use]
    pub fn memex(&self) -> PathBuf {
        self.dir.join("memex")
    }

    /// The daemon's state.
    #[must_use]
    pub fn state(&self) -> PathBuf {
        self.dir.join("state")
    }

    /// The sockets' folder.
    #[must_use]
    pub fn run(&self) -> PathBuf {
        self.dir.join("run")
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> PathBuf {
        self.dir.join("config.toml")
    }

    /// The double of an outside service.
    #[must_use]
    pub fn outside(&self) -> PathBuf {
        self.dir.join("outside.txt")
    }

    /// What the daemon says on its standard error, over all its lives.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.dir.join("daemon.log")
    }

    /// Writes the settings.
    ///
    /// # Errors
    /// As the kernel says.
    pub fn configure(&self, text: &str) -> Check {
        // Never half a file for a daemon that reads it just now.
        let fresh = self.dir.join("config.new");
        std::fs::write(&fresh, text)?;
        std::fs::rename(&fresh, self.config())?;
        Ok(())
    }

    /// Returns the lines of the outside double that end in a text.
    #[must_use]
    pub fn outside_lines(&self) -> Vec<(String, String)> {
        let text = std::fs::read_to_string(self.outside()).unwrap_or_default();
        let pair = |line: &str| line.split_once(' ').map(|(key, text)| (key.to_owned(), text.to_owned()));
        text.lines().filter_map(pair).collect()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // No environment is read to decide this but a marker file: a failed proof leaves it to keep the evidence.
        if !self.dir.join("keep").exists() {
            drop(std::fs::remove_dir_all(&self.dir));
        }
    }
}

/// Settings for proofs: short intervals, so that seconds show what takes minutes in real life.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Between pings, in ms.
    pub ping_ms: u64,
    /// Missed pings that make a hang.
    pub misses: u64,
    /// To become ready, in ms.
    pub start_ms: u64,
    /// From SIGTERM to SIGKILL, in ms.
    pub term_ms: u64,
    /// Delays of restarts, in ms.
    pub ladder_ms: Vec<u64>,
    /// Deaths that degrade.
    pub degraded_after: u64,
    /// Between tries of a degraded role, in ms.
    pub degraded_every_ms: u64,
    /// How long an orphan may keep its lock, in ms.
    pub orphan_ms: u64,
    /// Lines to put before everything.
    pub top: String,
    /// Whole tables to add.
    pub more: String,
    /// Faults: role, at, contains, does, ms.
    pub faults: Vec<(&'static str, &'static str, String, &'static str, u64)>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            ping_ms: 300,
            misses: 3,
            start_ms: 5_000,
            term_ms: 500,
            ladder_ms: vec![0, 50, 100],
            degraded_after: 1_000,
            degraded_every_ms: 500,
            orphan_ms: 2_000,
            top: String::new(),
            more: String::new(),
            faults: Vec::new(),
        }
    }
}

impl Settings {
    /// Adds a fault.
    #[must_use]
    pub fn fault(
        mut self,
        role: &'static str,
        at: &'static str,
        contains: &str,
        does: &'static str,
        ms: u64,
    ) -> Self {
        self.faults.push((role, at, contains.into(), does, ms));
        self
    }

    /// Takes all faults out.
    #[must_use]
    pub fn harmless(mut self) -> Self {
        self.faults.clear();
        self
    }

    /// Returns the file.
    #[must_use]
    pub fn text(&self, home: &Home) -> String {
        let Self {
            ping_ms,
            misses,
            start_ms,
            term_ms,
            ladder_ms,
            degraded_after,
            degraded_every_ms,
            orphan_ms,
            top,
            more,
            faults,
        } = self;
        let start_max = (*start_ms * 10).max(10_000);
        let outside = home.outside();
        let mut text = format!(
            "{top}\n[health]\nping_ms = {ping_ms}\nmisses = {misses}\nstart_ms = {start_ms}\nstart_max_ms = {start_max}\nterm_ms = {term_ms}\n\
             [restart]\nladder_ms = {ladder_ms:?}\njitter_percent = 0\nhealthy_ms = 2000\ndegraded_after = {degraded_after}\ndegraded_every_ms = {degraded_every_ms}\n\
             [orphan]\nwait_ms = {orphan_ms}\n{more}\n[faults]\noutside = {:?}\n",
            outside.display().to_string()
        );
        for (role, at, contains, does, ms) in faults {
            text.push_str(&format!(
                "[[faults.inject]]\nrole = {role:?}\nat = {at:?}\ncontains = {contains:?}\ndoes = {does:?}\nms = {ms}\n"
            ));
        }
        text
    }
}

/// Waits until no other proof runs on this machine, and keeps others waiting for as long as the value lives: proofs are
/// about time, and disturb each other.
///
/// # Errors
/// As the kernel says.
pub fn alone() -> Check<std::fs::File> {
    let path = std::env::temp_dir().join(format!("pp-proofs-{}.lock", rustix::process::geteuid().as_raw()));
    let file = std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive)?;
    Ok(file)
}
