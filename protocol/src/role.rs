//! Who takes part: the supervisor and the actors it spawns.

use crate::Error;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A process of the tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[repr(u8)]
pub enum Role {
    /// Journal, routes, restart policy, control socket.
    Supervisor = 0,
    /// Sole writer of the memex and the store.
    Memory = 1,
    /// Makes a stimulus a percept.
    Perceive = 2,
    /// Makes a percept a proposal.
    Reason = 3,
    /// Gates a proposal and carries it out.
    Act = 4,
    /// The local socket: chat, ask, Emacs, scripts.
    GatewayLocal = 16,
}

impl Role {
    /// The roles that the supervisor spawns, in start order (DESIGN section 3); they stop in an order of their own.
    pub const ACTORS: [Self; 5] = [Self::Memory, Self::Perceive, Self::Reason, Self::Act, Self::GatewayLocal];

    /// Returns the name that people see and type.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Supervisor => "supervisor",
            Self::Memory => "memory",
            Self::Perceive => "perceive",
            Self::Reason => "reason",
            Self::Act => "act",
            Self::GatewayLocal => "gateway:local",
        }
    }

    /// Says whether this role talks to people.
    #[must_use]
    pub const fn is_gateway(self) -> bool {
        matches!(self, Self::GatewayLocal)
    }
}

impl TryFrom<u8> for Role {
    type Error = Error;

    fn try_from(number: u8) -> Result<Self, Error> {
        [Self::Supervisor]
            .into_iter()
            .chain(Self::ACTORS)
            .find(|role| *role as u8 == number)
            .ok_or_else(|| Error::UnknownRole(number.to_string()))
    }
}

impl std::str::FromStr for Role {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        [Self::Supervisor]
            .into_iter()
            .chain(Self::ACTORS)
            .find(|role| role.as_str() == text)
            .ok_or_else(|| Error::UnknownRole(text.to_owned()))
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
