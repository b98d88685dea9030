//! What the hub wants done. Data only.

use crate::journal::Record;
use link::Frame;
use protocol::{control::Reply, lifecycle::Welcome, role::Role};

/// Something to carry out, in order.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Append to the journal.
    Append(Record),
    /// Sync the journal, then bring the token back.
    Sync(u64),
    /// Send a frame to one life of a role; dropped when that life is over.
    Send {
        /// Which role.
        role: Role,
        /// Which life.
        generation: u32,
        /// What.
        frame: Frame,
    },
    /// Start a process.
    Spawn {
        /// Which role.
        role: Role,
        /// Which life it will be.
        generation: u32,
    },
    /// Send a unix signal to a process.
    Kick {
        /// Which role.
        role: Role,
        /// Which life.
        generation: u32,
        /// Which signal.
        kick: Kick,
    },
    /// Kill a process of an earlier supervisor that does not let go of a role's lock.
    Evict {
        /// Which role.
        role: Role,
        /// Which process.
        pid: u32,
    },
    /// Answer an operator.
    Reply {
        /// Who asked.
        client: u64,
        /// What.
        reply: Reply,
    },
    /// Read the configuration again.
    Reload {
        /// Who asked, if anyone.
        client: Option<u64>,
    },
    /// Tell the service manager that the tree is ready.
    Announce,
    /// Tell the service manager how it is.
    Tell(String),
    /// Tell the service manager that the tree is stopping.
    Stopping,
    /// Something that a programmer must look at.
    Complain(String),
    /// Something that the operator may want to know; without user text.
    Note(String),
    /// End the process: everything is said and done.
    Leave,
}

/// A unix signal to an actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kick {
    /// SIGTERM, and SIGCONT so that a stopped one hears it.
    Term,
    /// SIGKILL to its whole process group.
    Kill,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Death {
    /// With this code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// The kernel's out-of-memory killer.
    OutOfMemory,
    /// It could not even be started.
    NotBorn,
    /// Another process still holds the role's lock; this is its id, 0 if unknown.
    Held(u32),
}

impl std::fmt::Display for Death {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "exit {code}"),
            Self::Signal(number) => write!(f, "signal {number}"),
            Self::OutOfMemory => f.write_str("out of memory"),
            Self::NotBorn => f.write_str("could not be started"),
            Self::Held(pid) => write!(f, "role lock still held by pid {pid}"),
        }
    }
}

/// Puts a welcome together.
pub(super) fn welcome(config: &super::Config, role: Role) -> Welcome {
    let only = |wanted: Role, path: &str| {
        if role == wanted { path.to_owned() } else { String::new() }
    };
    Welcome {
        memex: only(Role::Memory, &config.memex),
        state: only(Role::Memory, &config.memory_state),
        socket: only(Role::GatewayLocal, &config.local_socket),
        zone: config.zone.clone(),
        faults: config.faults.iter().filter(|fault| fault.role == role).cloned().collect(),
        outside: only(Role::Act, &config.outside),
        require_sandbox: config.require_sandbox,
        memory_mib: config.memory_mib.get(&role).copied().unwrap_or(0),
    }
}
