//! Bounds that both ends keep. Each says where it comes from.

/// Largest frame between processes, header included, in bytes (supervision spec E3).
pub const FRAME_MAX: usize = 256 * 1024;

/// Largest frame on the control socket, in bytes (supervision spec E3).
pub const CTL_FRAME_MAX: usize = 64 * 1024;

/// Unacknowledged messages per direction (supervision spec E3: the kernel blocks at 167 frames of 304 bytes).
pub const WINDOW_MESSAGES: u16 = 32;

/// Unacknowledged bytes per direction (supervision spec E3: the kernel blocks at about 219 KiB).
pub const WINDOW_BYTES: u32 = 128 * 1024;

/// How deep a turn may go: results that come back as new inputs (FEATURES K2).
pub const DEPTH_MAX: u8 = 10;

/// Longest text of one stimulus, in bytes; longer input is refused with advice to put it into a file.
pub const TEXT_MAX: usize = 64 * 1024;

/// Longest answer, in bytes; the rest is cut with a visible mark.
pub const ANSWER_MAX: usize = 96 * 1024;

/// Longest identifier of a conversation, principal, channel or message, in bytes.
pub const NAME_MAX: usize = 200;

/// Charges after which a turn is parked (supervision spec E6).
pub const CHARGES_MAX: u8 = 3;
