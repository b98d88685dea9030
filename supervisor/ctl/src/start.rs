//! Brings the daemon up in the background for a person who only wants to talk.

use crate::{
    Error, Failure, Kind,
    failure::last_words,
    wire::{Got, Wire, pause},
};
use kit::clock;
use protocol::{
    control::Client,
    limits::{CTL_FRAME_MAX, FRAME_MAX},
    route::Kind as Word,
};
use std::{
    fs::OpenOptions,
    io,
    os::unix::{fs::OpenOptionsExt as _, process::CommandExt as _},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use supervisor::paths::Paths;

/// How long a start may take until the local socket answers.
const DEADLINE: Duration = Duration::from_secs(10);

/// Between two looks at the socket.
const LOOK: Duration = Duration::from_millis(20);

/// A second daemon ends with this code (sysexits.h): the first one is as good.
const RUNS_ALREADY: i32 = 75;

/// Whether a daemon may be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spawn {
    /// It may.
    May,
    /// `--no-spawn`.
    Never,
}

/// What was found, or done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// It ran.
    Running,
    /// It was started.
    Started,
    /// It was started, for the first time ever.
    First,
}

/// Sees to it that a daemon runs. Its gateway may be away for a moment, being started again: whoever wants to talk
/// tries to connect until it has lost patience.
pub(crate) fn ensure(paths: &Paths, spawn: Spawn) -> Result<Found, Failure> {
    let connected = Wire::connect(&paths.local_socket(), FRAME_MAX);
    match connected.map_err(|error| Failure::system("the local socket", error))? {
        Some(_) => return Ok(Found::Running),
        None if is_up(paths) => return Ok(Found::Running),
        None if spawn == Spawn::Never => return Err(Failure::not_running(paths)),
        None => {}
    }
    let found = if paths.journal().exists() { Found::Started } else { Found::First };
    let child = begin(paths)?;
    wait(paths, child, clock::monotonic() + DEADLINE)?;
    Ok(found)
}

/// Says whether a daemon listens to its operator.
fn is_up(paths: &Paths) -> bool {
    matches!(Wire::connect(&paths.ctl_socket(), CTL_FRAME_MAX), Ok(Some(_)))
}

/// Starts the daemon. It leaves the session, so neither Ctrl-C nor the end of the terminal reaches it.
pub(crate) fn begin(paths: &Paths) -> Result<Child, Failure> {
    paths.prepare()?;
    let file = paths.state.join("up.log");
    let log = OpenOptions::new().create(true).append(true).mode(0o600).open(&file);
    let log = log.map_err(|error| Failure::system(file.display().to_string(), error))?;
    let mut command = Command::new("/proc/self/exe");
    command
        // Its own name in lists of processes instead of that of the link.
        .arg0("passepartout")
        .arg("up")
        .arg("--memex")
        .arg(&paths.memex)
        .arg("--config")
        .arg(&paths.config)
        .arg("--state-dir")
        .arg(&paths.state)
        .arg("--runtime-dir")
        .arg(&paths.runtime)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::from(log));
    kit::sys::spawn_detached(command).map_err(|error| Failure::system("the daemon", error))
}

fn wait(paths: &Paths, mut child: Child, deadline: Instant) -> Result<(), Failure> {
    let mut watched = true;
    loop {
        if answers(paths, deadline) {
            return Ok(());
        }
        if watched && let Ok(Some(status)) = child.try_wait() {
            // Somebody else was quicker and its socket will come; or it is at fault.
            watched = false;
            let code = status.code().unwrap_or(-1);
            if code != RUNS_ALREADY {
                return Err(ended(paths, code));
            }
        }
        if clock::monotonic() >= deadline {
            let source = Error::NotUp { last_words: last_words(paths) };
            return Err(Failure::new(Kind::Timeout, source, "passepartout ctl status"));
        }
        pause(LOOK);
    }
}

/// Says whether the gateway answers; whoever only accepts is not there yet.
fn answers(paths: &Paths, deadline: Instant) -> bool {
    let ask = || -> io::Result<bool> {
        let Some(mut wire) = Wire::connect(&paths.local_socket(), FRAME_MAX)? else {
            return Ok(false);
        };
        wire.send(Word::Client, &Client::Ping).map_err(io::Error::other)?;
        Ok(matches!(wire.next(deadline), Ok(Got::Frame(_))))
    };
    ask().unwrap_or(false)
}

fn ended(paths: &Paths, code: i32) -> Failure {
    let kind = if code == i32::from(Kind::Config as u8) { Kind::Config } else { Kind::NotRunning };
    let log = paths.state.join("up.log");
    let source = Error::Ended { code, last_words: last_words(paths) };
    Failure::new(kind, source, format!("passepartout config check; the log is {}", log.display()))
}
