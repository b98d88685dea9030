//! Places at which a test may stop the machine, as `kill -9` would. Outside of tests nothing ever stops here.
//!
//! After a stop nothing may clean up: the code asks [`Steps::stopped`] before it removes a file that it left behind.

use std::io;

/// Counts the steps of the write protocol.
#[derive(Debug, Default, Clone)]
pub(crate) struct Steps {
    #[cfg(test)]
    left: std::rc::Rc<std::cell::Cell<Option<u32>>>,
}

impl Steps {
    /// Passes one step, or stops there.
    #[cfg(not(test))]
    #[expect(clippy::unused_self, reason = "the test build counts")]
    pub(crate) const fn reach(&self) -> io::Result<()> {
        Ok(())
    }

    /// Says whether the machine was stopped.
    #[cfg(not(test))]
    #[expect(clippy::unused_self, reason = "the test build counts")]
    pub(crate) const fn stopped(&self) -> bool {
        false
    }

    /// Says whether the next step is the last, so that a write is torn there.
    #[cfg(not(test))]
    #[expect(clippy::unused_self, reason = "the test build counts")]
    pub(crate) const fn about_to_stop(&self) -> bool {
        false
    }
}

#[cfg(test)]
impl Steps {
    pub(crate) fn reach(&self) -> io::Result<()> {
        match self.left.get() {
            None => Ok(()),
            Some(0) => Err(io::Error::other("stopped by the test")),
            Some(left) => {
                self.left.set(Some(left - 1));
                if left == 1 { self.reach() } else { Ok(()) }
            }
        }
    }

    pub(crate) fn stopped(&self) -> bool {
        self.left.get() == Some(0)
    }

    pub(crate) fn about_to_stop(&self) -> bool {
        matches!(self.left.get(), Some(0 | 1))
    }

    /// Stops at the `count`th step from now, from 1.
    pub(crate) fn stop_after(&self, count: u32) {
        self.left.set(Some(count));
    }
}
