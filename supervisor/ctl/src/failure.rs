//! How a command ends when it does not end well: a code for scripts, a sentence and the next command for people.

use crate::{Error, show};
use std::{
    error::Error as _,
    io::{self, Write},
    process::ExitCode,
};
use supervisor::{paths::Paths, tree};

/// For `--help` and the manual page.
pub(crate) const EXIT_CODES: &str = "Exit codes:
  0   done
  1   refused, or failed
  3   the daemon does not run
  4   the daemon speaks another version
  5   no answer in time
  64  the command line is wrong
  78  the configuration is wrong
`up` also ends with 75 when a daemon runs already, and with 71 when the system refuses something.";

/// The class of a failure; the number is the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// The daemon, or the system, said no.
    Refused = 1,
    /// Nobody is there to ask.
    NotRunning = 3,
    /// The other side speaks another version.
    Version = 4,
    /// Nothing came in time.
    Timeout = 5,
    /// The words do not make a command.
    Usage = 64,
    /// The configuration is at fault.
    Config = 78,
}

impl Kind {
    /// Returns the kind that a refusal of the daemon has.
    #[must_use]
    pub const fn of_refusal(code: u8) -> Self {
        match code {
            4 => Self::Version,
            5 => Self::Timeout,
            _ => Self::Refused,
        }
    }
}

impl From<Kind> for ExitCode {
    fn from(kind: Kind) -> Self {
        Self::from(kind as u8)
    }
}

/// A command that did not end well.
#[derive(Debug)]
#[must_use]
pub struct Failure {
    /// Which exit code it has.
    pub kind: Kind,
    /// The next command to type; empty when there is none.
    pub hint: String,
    /// What happened.
    pub source: Error,
}

impl Failure {
    /// Puts one together.
    pub fn new(kind: Kind, source: impl Into<Error>, hint: impl Into<String>) -> Self {
        Self { kind, hint: hint.into(), source: source.into() }
    }

    /// Nobody is there; shows what the last daemon said.
    pub fn not_running(paths: &Paths) -> Self {
        let source = Error::NotRunning { memex: paths.memex.clone(), last_words: last_words(paths) };
        Self::new(Kind::NotRunning, source, "passepartout up, or passepartout chat")
    }

    /// Something that the system refused.
    pub fn system(what: impl Into<String>, source: io::Error) -> Self {
        Self::new(Kind::Refused, Error::System { what: what.into(), source }, "")
    }

    /// A tree that could not be started.
    pub fn of_start(error: tree::Error) -> Self {
        let (kind, hint) = match &error {
            tree::Error::Running(_) => (Kind::Refused, "passepartout ctl status"),
            tree::Error::Config(_) => (Kind::Config, "passepartout config check"),
            tree::Error::Journal(_) => (Kind::Config, "passepartout ctl journal repair"),
            tree::Error::Paths(_) => (Kind::Config, "passepartout up --help"),
            tree::Error::System { .. } => (Kind::Refused, ""),
        };
        Self::new(kind, error, hint)
    }

    /// Says what happened and what to do, and returns the exit code.
    pub fn report(&self, err: &mut impl Write) -> ExitCode {
        if !matches!(self.source, Error::Output(_)) {
            // A stderr that cannot be written leaves the code to speak.
            drop(err.write_all(self.text().as_bytes()));
        }
        self.kind.into()
    }

    fn text(&self) -> String {
        let mut text = format!("error: {}", self.source);
        let mut cause = self.source.source();
        while let Some(error) = cause {
            text.push_str(": ");
            text.push_str(&error.to_string());
            cause = error.source();
        }
        text.push('\n');
        if let Some(words) = self.source.last_words() {
            text.push_str("it could not start the last time:\n");
            for line in words.trim().lines() {
                text.push_str("  ");
                text.push_str(line);
                text.push('\n');
            }
        }
        let mut text = show::printable(&text);
        if !self.hint.is_empty() {
            text.push_str("hint: ");
            text.push_str(&self.hint);
            text.push('\n');
        }
        text
    }
}

/// For output that nobody takes.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::new(Kind::Refused, Error::Output(error), "")
    }
}

impl From<supervisor::paths::Error> for Failure {
    fn from(error: supervisor::paths::Error) -> Self {
        Self::new(Kind::Config, error, "passepartout --help")
    }
}

/// Returns why the last daemon did not start, if that is why nobody is there.
pub(crate) fn last_words(paths: &Paths) -> Option<String> {
    std::fs::read_to_string(paths.last_words()).ok().filter(|words| !words.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_follow_the_error_and_the_hint_comes_last() {
        let source = io::Error::other("no space");
        let error = Error::System { what: "up.log".into(), source };
        let failure = Failure::new(Kind::Refused, error, "df -h");
        assert_eq!(failure.text(), "error: up.log: no space\nhint: df -h\n");
    }

    #[test]
    fn last_words_are_shown_without_control_characters() {
        let source =
            Error::NotRunning { memex: "/m".into(), last_words: Some("line one\nline \x1b[31mtwo\n".into()) };
        let failure = Failure::new(Kind::NotRunning, source, "passepartout up");
        assert_eq!(
            failure.text(),
            "error: passepartout does not run for the memex /m\nit could not start the last time:\n  \
             line one\n  line ?[31mtwo\nhint: passepartout up\n"
        );
    }
}
