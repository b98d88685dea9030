//! Carries the core's work out: the process around it. Decides nothing.

use crate::core::{Core, Hands};
use kit::{Actor, Exit, Idle, Outbox, Status, fault::Faults, sandbox::Policy};
use link::Frame;
use protocol::{id::TurnKey, lifecycle::FaultPoint, role::Role};
use std::{
    fs::File,
    io::{self, Write as _},
    path::PathBuf,
};

/// Runs the role.
#[must_use]
pub fn run(generation: u32, level: &str) -> Exit {
    kit::run(Role::Act, generation, level, |start| {
        let zone = kit::run::zone(&start.welcome.zone);
        let outside = match start.welcome.outside.as_str() {
            "" => None,
            path => Some(open(path).map_err(|error| {
                tracing::error!(err = %error, "the double of the outside cannot be opened");
                Exit::Config
            })?),
        };
        let files = outside.iter().map(|(path, _)| path.clone()).collect();
        let policy = Policy {
            role: Role::Act,
            folders: Vec::new(),
            files,
            memory_mib: start.welcome.memory_mib,
            accepts: false,
            forks: !start.faults.is_empty(),
        };
        let hands = Double { file: outside.map(|(_, file)| file), faults: start.faults.clone() };
        Ok((Act { core: Core::new(zone), hands }, policy))
    })
}

fn open(path: &str) -> io::Result<(PathBuf, File)> {
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path)?;
    Ok((path.into(), file))
}

struct Act {
    core: Core,
    hands: Double,
}

/// The double of an outside service: a file that gets a line per effect.
struct Double {
    file: Option<File>,
    faults: Faults,
}

impl Hands for Double {
    fn has_outside(&self) -> bool {
        self.file.is_some()
    }

    fn outside(&mut self, turn: TurnKey, text: &str) -> io::Result<()> {
        let Some(file) = &mut self.file else {
            return Err(io::ErrorKind::NotFound.into());
        };
        self.faults.strike(FaultPoint::Effect, text.as_bytes());
        // One write, so that a line is whole or not there.
        file.write_all(format!("{turn} {}\n", text.escape_default()).as_bytes())?;
        self.faults.strike(FaultPoint::Commit, text.as_bytes());
        Ok(())
    }
}

impl Actor for Act {
    type Event = Idle;

    fn message(&mut self, frame: &Frame, out: &mut Outbox) {
        self.core.message(frame, &mut self.hands, out);
    }

    fn outside(&mut self) -> impl Future<Output = Idle> {
        Idle::never()
    }

    fn event(&mut self, event: Idle, _: &mut Outbox) {
        match event {}
    }

    fn cancel(&mut self, turn: TurnKey) {
        self.core.cancel(turn);
    }

    fn status(&self) -> Status {
        let open = u32::try_from(self.core.open()).unwrap_or(u32::MAX);
        Status { open, ..Status::default() }
    }
}
