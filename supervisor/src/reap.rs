//! Buries strangers: the supervisor is subreaper, so what an actor's children leave behind becomes ours.

use protocol::role::Role;
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions};
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

/// Knows which children are actors: those are buried by the task of their life.
#[derive(Debug, Clone, Default)]
pub struct Reaper {
    own: Arc<Mutex<BTreeSet<u32>>>,
}

impl Reaper {
    /// A process is an actor of ours.
    pub fn own(&self, pid: u32) {
        self.own.lock().unwrap_or_else(PoisonError::into_inner).insert(pid);
    }

    /// It was buried.
    pub fn disown(&self, pid: Pid) {
        let pid = pid.as_raw_nonzero().get().unsigned_abs();
        self.own.lock().unwrap_or_else(PoisonError::into_inner).remove(&pid);
    }

    /// Buries every dead child that is no actor. A dead actor stops the search, because the kernel shows the same dead
    /// one again; its life's task buries it and calls this once more.
    pub fn bury_strangers(&self) {
        while let Some(pid) = kit::sys::dead_child() {
            let known = pid.as_raw_nonzero().get().unsigned_abs();
            if self.own.lock().unwrap_or_else(PoisonError::into_inner).contains(&known) {
                return;
            }
            tracing::info!(pid = known, "orphan buried");
            if rustix::process::waitpid(Some(pid), WaitOptions::NOHANG).is_err() {
                return;
            }
        }
    }

    /// Kills every child that is left, at the very end.
    pub fn kill_all(&self) {
        let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        for task in tasks {
            let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            for pid in children.split_ascii_whitespace().filter_map(|word| word.parse().ok()) {
                if let Some(pid) = Pid::from_raw(pid)
                    && let Err(error) = rustix::process::kill_process(pid, Signal::KILL)
                {
                    tracing::debug!(err = %error, "child not killed");
                }
            }
        }
    }
}

/// Kills a process of an earlier supervisor, if it is what it should be.
pub fn evict(role: Role, pid: u32) {
    let Some(raw) = i32::try_from(pid).ok().and_then(Pid::from_raw) else {
        return;
    };
    // The descriptor first: from here on the number cannot come to mean somebody else unnoticed.
    let Ok(pidfd) = rustix::process::pidfd_open(raw, PidfdFlags::empty()) else {
        return;
    };
    let cmdline = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let name = cmdline.split(|byte| *byte == 0).next().unwrap_or_default();
    if name != format!("passepartout: {role}").as_bytes() {
        tracing::warn!(pid, role = role.as_str(), "holder of a role lock is not an actor, left alone");
        return;
    }
    if let Err(error) = rustix::process::pidfd_send_signal(pidfd, Signal::KILL) {
        tracing::warn!(pid, err = %error, "holder of a role lock not killed");
    }
}
