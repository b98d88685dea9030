//! Flow control: how much one side may send before the other has taken it up, so that a write never blocks
//! (supervision spec E3: the kernel blocks after about 219 KiB or 167 small frames).

use protocol::limits::{WINDOW_BYTES, WINDOW_MESSAGES};

/// What the sender may still send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    messages: u16,
    bytes: u32,
}

impl Default for Window {
    fn default() -> Self {
        Self { messages: WINDOW_MESSAGES, bytes: WINDOW_BYTES }
    }
}

impl Window {
    /// Takes credit for a frame of this many bytes, or refuses.
    #[must_use]
    pub fn take(&mut self, len: usize) -> bool {
        let len = cost(len);
        if self.messages == 0 || self.bytes < len {
            return false;
        }
        self.messages -= 1;
        self.bytes -= len;
        true
    }

    /// Gives credit back; never above the whole window, whatever the peer claims.
    pub fn grant(&mut self, messages: u16, bytes: u32) {
        self.messages = self.messages.saturating_add(messages).min(WINDOW_MESSAGES);
        self.bytes = self.bytes.saturating_add(bytes).min(WINDOW_BYTES);
    }
}

/// What the receiver has taken up and not yet given back.
#[derive(Debug, Default, Clone, Copy)]
pub struct Ledger {
    messages: u16,
    bytes: u32,
}

impl Ledger {
    /// Counts a frame that was taken up.
    pub fn count(&mut self, len: usize) {
        self.messages = self.messages.saturating_add(1);
        self.bytes = self.bytes.saturating_add(cost(len));
    }

    /// Says whether so much is owed that it should be given back without waiting for a frame to ride on.
    #[must_use]
    pub const fn is_due(&self) -> bool {
        self.messages >= WINDOW_MESSAGES / 2 || self.bytes >= WINDOW_BYTES / 2
    }

    /// Gives everything back.
    #[must_use]
    pub fn settle(&mut self) -> (u16, u32) {
        let owed = (self.messages, self.bytes);
        *self = Self::default();
        owed
    }
}

/// A frame costs its bytes, and at most half the window. The receiver gives back at half a window, so that half is
/// always to be had in the end: a dearer frame could wait for ever for credit that nobody thinks due.
fn cost(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX).min(WINDOW_BYTES / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn at_most_two_frames_larger_than_half_the_window_are_under_way() {
        let mut window = Window::default();
        assert!(window.take(200 * 1024));
        assert!(window.take(200 * 1024));
        assert!(!window.take(1));
    }

    proptest! {
        #[test]
        fn receiver_that_gives_back_only_what_is_due_never_starves_the_sender(
            lens in proptest::collection::vec(1_usize..300_000, 1..200),
        ) {
            let (mut window, mut ledger) = (Window::default(), Ledger::default());
            for len in lens {
                prop_assert!(window.take(len));
                ledger.count(len);
                if ledger.is_due() {
                    let (messages, bytes) = ledger.settle();
                    window.grant(messages, bytes);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn credit_is_neither_lost_nor_made(lens in proptest::collection::vec(1_usize..300_000, 1..200)) {
            let (mut window, mut ledger) = (Window::default(), Ledger::default());
            for len in lens {
                if !window.take(len) {
                    let (messages, bytes) = ledger.settle();
                    window.grant(messages, bytes);
                    prop_assert_eq!(window, Window::default());
                    prop_assert!(window.take(len));
                }
                ledger.count(len);
            }
            let (messages, bytes) = ledger.settle();
            window.grant(messages, bytes);
            prop_assert_eq!(window, Window::default());
        }
    }
}
