//! What operator and person type: the command line, the two clients (`ask`, `chat`), the operator's verbs.
//!
//! *Receives*: arguments, the environment, lines of a person, frames of the two named sockets.
//! *Sends*: requests and messages on these sockets; text for people on stdout, errors with their remedy on stderr.
//! *Trust*: as much as the person who types has. What comes from the sockets is bounded, and control characters in it
//! do not reach a terminal.
//! *On crash*: nothing is kept here: a message has its answer kept by the supervisor.

mod args;
mod ask;
mod chat;
mod error;
mod failure;
mod offline;
mod operate;
mod place;
mod show;
mod start;
mod talk;
mod wire;

pub use args::{Cli, Command};
pub use error::Error;
pub use failure::{Failure, Kind};
pub use place::environment;

use clap::Parser as _;
use std::{
    ffi::OsString,
    io::{self, Write as _},
    process::ExitCode,
};
use supervisor::{
    paths::{Paths, Wishes},
    tree,
};

/// What is left to do for the caller.
#[derive(Debug)]
pub enum Run {
    /// `up`: run the tree there, and hand what comes of it to [`ended`].
    Up(Paths),
    /// Everything is done.
    Done(ExitCode),
}

/// Does what the command line says, but for `up`, which only the caller can do. `environment` is what
/// [`environment`] gives, or what a test makes up; options on the command line go before it.
pub fn main(args: impl IntoIterator<Item = OsString>, environment: Wishes) -> Run {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return Run::Done(usage(&error)),
    };
    match run(cli, environment) {
        Ok(Some(paths)) => Run::Up(paths),
        Ok(None) => Run::Done(ExitCode::SUCCESS),
        Err(failure) => Run::Done(failure.report(&mut io::stderr())),
    }
}

/// Says how a tree ended that was run for [`Run::Up`], and returns the exit code for it.
#[must_use]
pub fn ended(result: Result<kit::Exit, tree::Error>) -> ExitCode {
    match result {
        Ok(exit) => exit.into(),
        Err(error) => {
            let code = error.exit();
            Failure::of_start(error).report(&mut io::stderr());
            code.into()
        }
    }
}

/// Help and version go to stdout with code 0, what was typed wrong to stderr with code 64.
fn usage(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    if error.use_stderr() {
        drop(io::stderr().write_all(text.as_bytes()));
        Kind::Usage.into()
    } else {
        drop(io::stdout().write_all(text.as_bytes()));
        ExitCode::SUCCESS
    }
}

/// Carries a command out; returns the places when it is `up`.
fn run(cli: Cli, environment: Wishes) -> Result<Option<Paths>, Failure> {
    let wishes = place::wishes(cli.places, environment);
    let mut out = io::stdout();
    match cli.command {
        Command::Up => return place::find(&wishes).map(Some),
        Command::Ask(ask) => ask::run(&place::find(&wishes)?, &ask, &mut out)?,
        Command::Chat(talk) => chat::run(&place::find(&wishes)?, &talk)?,
        Command::Ctl { verb } => operate::run(&place::find(&wishes)?, verb, &mut out)?,
        Command::Config { what } => offline::config(&wishes, &what, &mut out)?,
        Command::Completions { shell } => offline::completions(shell, &mut out)?,
        Command::Man { dir } => offline::man(dir.as_deref(), &mut out)?,
        Command::Version => offline::version(&mut out)?,
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
