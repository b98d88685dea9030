//! The only file of the kit with `unsafe`: file descriptors given at birth, and the birth itself.
#![expect(unsafe_code, reason = "fd numbers and pre_exec have no safe form")]

use std::{
    fs::File,
    io,
    os::{
        fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd, RawFd},
        unix::process::CommandExt as _,
    },
    process::{Child, Command, Stdio},
};

/// Number of the socket to the supervisor.
pub const SOCKET_FD: RawFd = 3;

/// Number of the role lock, which keeps a second actor of the role from starting beside an orphan.
pub const LOCK_FD: RawFd = 4;

/// Takes over the two descriptors that an actor is born with.
///
/// # Errors
/// When they are not open: the process was not started by a supervisor.
pub fn inherited() -> io::Result<(std::os::unix::net::UnixStream, OwnedFd)> {
    for fd in [SOCKET_FD, LOCK_FD] {
        // SAFETY: fcntl with F_GETFD touches no memory and fails cleanly on a closed descriptor.
        if unsafe { libc::fcntl(fd, libc::F_GETFD) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    // SAFETY: the descriptors were just seen open, the supervisor made them for this process, and this function is
    // called once, first thing, so nobody else owns them.
    let socket = unsafe { OwnedFd::from_raw_fd(SOCKET_FD) };
    // SAFETY: as above.
    let lock = unsafe { OwnedFd::from_raw_fd(LOCK_FD) };
    let socket = std::os::unix::net::UnixStream::from(socket);
    socket.set_nonblocking(true)?;
    for fd in [socket.as_raw_fd(), lock.as_raw_fd()] {
        // SAFETY: sets a flag of a descriptor that is owned here.
        if unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok((socket, lock))
}

/// What an actor is born with.
#[derive(Debug)]
pub struct Birth<'a> {
    /// Name of the role, its argument.
    pub role: &'a str,
    /// Which life of the role it is.
    pub generation: u32,
    /// Least level of its log lines.
    pub level: &'a str,
    /// Becomes fd 3.
    pub socket: OwnedFd,
    /// Becomes fd 4.
    pub lock: &'a File,
    /// Becomes stdout and stderr.
    pub output: OwnedFd,
    /// Sent to it when the supervisor dies.
    pub on_orphaned: Farewell,
}

/// Signal that an actor gets when its supervisor dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Farewell {
    /// SIGTERM: it finishes the step in hand.
    Finish,
    /// SIGKILL.
    Die,
}

/// Starts an actor: the running image again, in a hidden role, with fds 0 to 4 and nothing else, no environment,
/// its own process group. Must be called on the main thread, because the kernel ties the death signal to the thread.
///
/// # Errors
/// As fork and exec.
pub fn spawn_actor(birth: Birth<'_>) -> io::Result<Child> {
    let signal = match birth.on_orphaned {
        Farewell::Finish => libc::SIGTERM,
        Farewell::Die => libc::SIGKILL,
    };
    // Above 9, so that no `dup2` below can overwrite the source of the other.
    let socket = duplicate_high(birth.socket.as_raw_fd())?;
    let lock = duplicate_high(birth.lock.as_raw_fd())?;
    let mut command = Command::new("/proc/self/exe");
    command
        .arg0(format!("passepartout: {}", birth.role))
        .args(["actor", birth.role, &birth.generation.to_string(), birth.level])
        .env_clear()
        .current_dir("/")
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::from(birth.output.try_clone()?))
        .stderr(Stdio::from(birth.output));
    let parent = std::process::id();
    let (socket_fd, lock_fd) = (socket.as_raw_fd(), lock.as_raw_fd());
    let arm = move || -> io::Result<()> {
        // SAFETY: only async-signal-safe system calls, no allocation, no lock: required between fork and exec.
        let done = unsafe { arm_child(signal, parent, socket_fd, lock_fd) };
        if done { Ok(()) } else { Err(io::Error::last_os_error()) }
    };
    // SAFETY: the closure obeys the rule of `pre_exec`, see above.
    unsafe { command.pre_exec(arm) };
    command.spawn()
}

/// Runs in the child between fork and exec.
///
/// # Safety
/// Makes only async-signal-safe calls, so it may run there; the descriptors must be open and above 9.
#[expect(clippy::multiple_unsafe_ops_per_block, reason = "one sequence of system calls")]
unsafe fn arm_child(signal: i32, parent: u32, socket: RawFd, lock: RawFd) -> bool {
    // SAFETY: plain system calls on numbers; no memory is handed over.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, signal) == 0
            // Armed too late, the parent is gone already: nobody would ever send the signal.
            && u32::try_from(libc::getppid()) == Ok(parent)
            && worse_oom_score()
            && libc::dup2(socket, SOCKET_FD) >= 0
            && libc::dup2(lock, LOCK_FD) >= 0
            && libc::syscall(libc::SYS_close_range, 5_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) == 0
    }
}

/// Makes the kernel take an actor before the supervisor when memory runs out. Not vital: true whatever happens.
#[expect(clippy::multiple_unsafe_ops_per_block, reason = "one sequence of system calls")]
fn worse_oom_score() -> bool {
    // SAFETY: constant strings with a terminating zero, a descriptor of our own; async-signal-safe calls only.
    unsafe {
        let fd = libc::open(c"/proc/self/oom_score_adj".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if fd >= 0 {
            libc::write(fd, c"300".as_ptr().cast(), 3);
            libc::close(fd);
        }
    }
    true
}

fn duplicate_high(fd: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: makes a new descriptor from a number; fails cleanly on a closed one.
    let new = unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 10) };
    if new < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel just made it and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(new) })
}

/// Returns a child that has died and was not waited for, without waiting for it.
#[must_use]
pub fn dead_child() -> Option<rustix::process::Pid> {
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    let mut info = std::mem::MaybeUninit::<libc::siginfo_t>::zeroed();
    // SAFETY: the kernel fills the structure that is handed over, and it was zeroed before.
    let done = unsafe { libc::waitid(libc::P_ALL, 0, info.as_mut_ptr(), options) };
    // SAFETY: zeroed or filled, either is a valid value of this plain structure.
    let info = unsafe { info.assume_init() };
    // SAFETY: after a successful waitid the field is the pid, or zero when nobody has died.
    let pid = unsafe { info.si_pid() };
    if done == 0 { rustix::process::Pid::from_raw(pid) } else { None }
}

/// Registers a descriptor with the runtime. A pidfd is readable once the process is dead.
///
/// # Errors
/// When the runtime refuses.
pub fn watch_fd(fd: OwnedFd) -> io::Result<tokio::io::unix::AsyncFd<OwnedFd>> {
    // SAFETY: the descriptor is owned by the value that is returned, so it stays open and the same while registered.
    let watched =
        unsafe { tokio::io::unix::AsyncFd::register_with_interest(fd, tokio::io::Interest::READABLE) };
    watched.map_err(io::Error::other)
}

/// Gives memory that is free back to the system, after work that needed much more than what stays. Only where the C
/// library keeps it otherwise.
pub fn give_back_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it takes a number, touches free memory only, and may be called at any time (malloc_trim(3)).
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Waits until there is something to read from a descriptor that never blocks. Cancel safe: reads nothing itself.
///
/// # Errors
/// When the runtime refuses the descriptor.
pub async fn readable(descriptor: BorrowedFd<'_>) -> io::Result<()> {
    watch_fd(descriptor.try_clone_to_owned()?)?.readable().await.map(drop)
}

/// Starts a command in a session of its own, for `chat` that brings up the daemon and outlives it.
///
/// # Errors
/// As fork and exec.
pub fn spawn_detached(mut command: Command) -> io::Result<Child> {
    let leave = || -> io::Result<()> {
        // SAFETY: one system call without memory.
        if unsafe { libc::setsid() } < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    };
    // SAFETY: the closure makes one async-signal-safe call.
    unsafe { command.pre_exec(leave) };
    command.spawn()
}

/// Leaves a grandchild behind that ignores SIGTERM, for the crash suite (supervision spec F, case 5).
pub(crate) fn leave_orphan() {
    // SAFETY: fork without exec in a process that runs one thread; the children make only async-signal-safe calls.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: as above.
        let grandchild = unsafe { libc::fork() };
        if grandchild == 0 {
            // SAFETY: ignores a signal, closes the inherited descriptors, waits to be killed.
            unsafe { lie_in_wait() }
        }
        // SAFETY: ends the middle child without running anybody's destructors.
        unsafe { libc::_exit(0) }
    }
}

#[expect(clippy::multiple_unsafe_ops_per_block, reason = "one sequence of system calls")]
unsafe fn lie_in_wait() -> ! {
    // SAFETY: plain system calls on numbers.
    unsafe {
        libc::signal(libc::SIGTERM, libc::SIG_IGN);
        libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, 0);
        loop {
            libc::pause();
        }
    }
}
