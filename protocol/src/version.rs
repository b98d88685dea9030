//! Which protocol this build speaks. A change of any message raises [`WIRE`]; `ops/docs/protocol.md` lists the changes.

/// Version in the first byte of each header. Processes of one tree are one build, so there is no negotiation.
pub const WIRE: u8 = 1;

/// Major version of the messages: another one at hello is a permanent failure, not a retry.
pub const MAJOR: u16 = 0;

/// Minor version of the messages.
pub const MINOR: u16 = 1;
