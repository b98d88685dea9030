//! What the kernel says about processes, and unix signals to them.

use rustix::process::{Pid, Signal};
use std::{collections::BTreeSet, path::PathBuf};

/// A process as `/proc` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// Its parent.
    pub parent: u32,
    /// Its process group.
    pub group: u32,
    /// `R`, `S`, `T`, `Z` and so on.
    pub state: char,
}

/// Returns a process, also a dead one that nobody has buried.
#[must_use]
pub fn look(pid: u32) -> Option<Process> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in brackets and may hold anything, brackets included.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut words = rest.split_ascii_whitespace();
    let state = words.next()?.chars().next()?;
    let parent = words.next()?.parse().ok()?;
    let group = words.next()?.parse().ok()?;
    Some(Process { pid, parent, group, state })
}

/// Returns all processes.
#[must_use]
pub fn all() -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(look).collect()
}

/// Returns everything that descends from a process.
#[must_use]
pub fn descendants(pid: u32) -> Vec<Process> {
    let all = all();
    let mut family = BTreeSet::from([pid]);
    loop {
        let before = family.len();
        family.extend(all.iter().filter(|p| family.contains(&p.parent)).map(|p| p.pid).collect::<Vec<_>>());
        if family.len() == before {
            break;
        }
    }
    all.into_iter().filter(|p| p.pid != pid && family.contains(&p.pid)).collect()
}

/// Says whether a process runs: not dead, not waiting to be buried.
#[must_use]
pub fn is_alive(pid: u32) -> bool {
    look(pid).is_some_and(|process| process.state != 'Z')
}

/// Sends a unix signal; false when the process is gone.
pub fn kick(pid: u32, signal: Signal) -> bool {
    let raw = i32::try_from(pid).ok().and_then(Pid::from_raw);
    raw.is_some_and(|raw| rustix::process::kill_process(raw, signal).is_ok())
}

/// Returns the open descriptors of a process with what they lead to.
#[must_use]
pub fn descriptors(pid: u32) -> Vec<(u32, String)> {
    let Ok(entries) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return Vec::new() };
    let mut found: Vec<(u32, String)> = entries
        .flatten()
        .filter_map(|entry| {
            let number = entry.file_name().to_str()?.parse().ok()?;
            let target: PathBuf = std::fs::read_link(entry.path()).ok()?;
            Some((number, target.to_string_lossy().into_owned()))
        })
        .collect();
    found.sort();
    found
}

/// Resident memory in KiB.
#[must_use]
pub fn resident_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.split_ascii_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Buries the dead that have become ours, because we are subreaper. `keep` has handles of its own.
pub fn bury(keep: &BTreeSet<u32>) {
    let own = std::process::id();
    for process in all().into_iter().filter(|p| p.parent == own && p.state == 'Z' && !keep.contains(&p.pid)) {
        if let Some(pid) = i32::try_from(process.pid).ok().and_then(Pid::from_raw) {
            let _buried = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::NOHANG);
        }
    }
}
