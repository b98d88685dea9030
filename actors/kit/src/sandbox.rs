//! What a role may still do once it runs: rlimits, no new privileges, Landlock, seccomp. Reviewed data, one table.
//!
//! Applied after the state is loaded and before ready. Layers that the kernel lacks are named, not passed over.

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd,
    Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetStatus, Scope,
};
use protocol::role::Role;
use rustix::process::{DumpableBehavior, Resource, Rlimit};
use seccompiler::{
    SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};
use std::{collections::BTreeMap, path::PathBuf};

/// Highest Landlock version that the rules below were written against.
const ABI_WANTED: ABI = ABI::V7;

/// What a role keeps.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Which role.
    pub role: Role,
    /// Folders that it may read and write.
    pub folders: Vec<PathBuf>,
    /// Files that it may read and write.
    pub files: Vec<PathBuf>,
    /// Most address space in MiB; 0 for no bound.
    pub memory_mib: u32,
    /// Whether it may accept connections on a socket that it has bound already.
    pub accepts: bool,
    /// Whether it may start processes, for the fault that leaves an orphan.
    pub forks: bool,
}

/// What is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// In words, such as `landlock 7, seccomp, rlimits`.
    pub words: String,
    /// Whether every layer is in force.
    pub complete: bool,
}

/// Confines the calling thread and all that it starts. Cannot be undone.
#[must_use]
pub fn apply(policy: &Policy) -> Report {
    let layers = [
        ("undumpable", rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).is_ok()),
        ("no-new-privs", rustix::thread::set_no_new_privs(true).is_ok()),
        ("rlimits", limit(policy)),
        ("landlock", landlock(policy)),
        ("seccomp", seccomp(policy)),
    ];
    let say = |wanted: bool| {
        let names: Vec<&str> =
            layers.iter().filter(|(_, got)| *got == wanted).map(|(name, _)| *name).collect();
        names.join(", ")
    };
    let complete = layers.iter().all(|(_, got)| *got);
    let words = if complete { say(true) } else { format!("{}; missing: {}", say(true), say(false)) };
    Report { words, complete }
}

fn limit(policy: &Policy) -> bool {
    let both = |n| Rlimit { current: Some(n), maximum: Some(n) };
    let set = |resource, n| rustix::process::setrlimit(resource, both(n)).is_ok();
    let memory = u64::from(policy.memory_mib) * 1024 * 1024;
    let writes_files = !policy.folders.is_empty() || !policy.files.is_empty();
    set(Resource::Core, 0)
        // 64 descriptors: an actor has five and a few files; a gateway one per client, bounded in its own code.
        && set(Resource::Nofile, if policy.accepts { 256 } else { 64 })
        && (memory == 0 || set(Resource::As, memory))
        // No role forks or starts threads; the superuser is exempt from this limit, seccomp is not.
        && (policy.forks || set(Resource::Nproc, 0))
        && (writes_files || set(Resource::Fsize, 0))
}

fn landlock(policy: &Policy) -> bool {
    enforce(policy).is_ok_and(|status| status != RulesetStatus::NotEnforced)
}

fn enforce(policy: &Policy) -> Result<RulesetStatus, landlock::RulesetError> {
    let all = AccessFs::from_all(ABI_WANTED);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .handle_access(AccessNet::from_all(ABI_WANTED))?
        .scope(Scope::from_all(ABI_WANTED))?
        .create()?;
    let folder = all & !BitFlags::from(AccessFs::Execute);
    let file = AccessFs::from_file(ABI_WANTED) & !BitFlags::from(AccessFs::Execute);
    for (paths, access) in [(&policy.folders, folder), (&policy.files, file)] {
        for path in paths {
            // A path that is not there cannot be granted, and then is not.
            if let Ok(fd) = PathFd::new(path) {
                rules = rules.add_rule(PathBeneath::new(fd, access))?;
            }
        }
    }
    Ok(rules.restrict_self()?.ruleset)
}

/// Calls that no role makes once it runs; each with its reason.
fn denied(policy: &Policy) -> Vec<i64> {
    let mut calls = vec![
        // Nobody opens a connection of its own: it has fd 3.
        libc::SYS_socket,
        libc::SYS_connect,
        libc::SYS_bind,
        libc::SYS_listen,
        // Nobody looks into or steers other processes.
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_pidfd_open,
        libc::SYS_pidfd_getfd,
        libc::SYS_pidfd_send_signal,
        libc::SYS_tkill,
        // Nobody changes the view of the file system or its own confinement.
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_pivot_root,
        libc::SYS_chroot,
        libc::SYS_unshare,
        libc::SYS_setns,
        libc::SYS_open_by_handle_at,
        // Large attack surfaces of the kernel that nobody needs.
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_io_uring_setup,
        libc::SYS_keyctl,
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_init_module,
        libc::SYS_finit_module,
        libc::SYS_delete_module,
        libc::SYS_kexec_load,
        libc::SYS_reboot,
        libc::SYS_swapon,
        libc::SYS_swapoff,
        // Nobody becomes another program. (The runner of `act` will be a process of its own.)
        libc::SYS_execve,
        libc::SYS_execveat,
    ];
    if !policy.accepts {
        calls.extend([libc::SYS_accept, libc::SYS_accept4]);
    }
    #[cfg(target_arch = "x86_64")]
    if !policy.forks {
        // Threads come by clone3; these make processes only.
        calls.extend([libc::SYS_fork, libc::SYS_vfork]);
    }
    calls
}

fn seccomp(policy: &Policy) -> bool {
    let Ok(own) = u64::try_from(rustix::process::getpid().as_raw_nonzero().get()) else {
        return false;
    };
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        denied(policy).into_iter().map(|call| (call, Vec::new())).collect();
    // A signal may go to itself only: `abort` needs that.
    let other = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, own)
        .map(|condition| SeccompRule::new(vec![condition]));
    let Ok(Ok(other)) = other else { return false };
    for call in [libc::SYS_kill, libc::SYS_tgkill] {
        rules.insert(call, vec![other.clone()]);
    }
    let Ok(arch) = std::env::consts::ARCH.try_into() else {
        return false;
    };
    let eperm = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let Ok(filter) = SeccompFilter::new(rules, SeccompAction::Allow, eperm, arch) else {
        return false;
    };
    let Ok(program) = seccompiler::BpfProgram::try_from(filter) else {
        return false;
    };
    seccompiler::apply_filter(&program).is_ok()
}
