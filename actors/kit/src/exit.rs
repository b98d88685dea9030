//! How a process ends. The supervisor maps the code to a restart policy (sysexits.h).

/// Why an actor, or the supervisor, ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Drained: all is said and done.
    Drained = 0,
    /// Called with the wrong words.
    Usage = 64,
    /// The supervisor is gone.
    PeerGone = 69,
    /// A bug: a broken invariant.
    Bug = 70,
    /// The system refused something.
    System = 71,
    /// Try again later; also "another one runs already".
    Temporary = 75,
    /// The confinement that the settings require cannot be had.
    Jail = 77,
    /// The configuration is at fault: trying again does not help.
    Config = 78,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
