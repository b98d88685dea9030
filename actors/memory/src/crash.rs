//! Places at which a test may stop the machine, as `kill -9` would. Outside of tests nothing ever stops here.
//!
//! After a stop nothing may clean up: the code asks [`Steps::stopped`] before it removes a file that it left behind.

use std::io;

/// Counts the steps of the write protocol.
#[derive(Default, Clone)]
pub(crate) struct Steps {
    #[cfg(test)]
    left: std::rc::Rc<std::cell::Cell<Option<u32>>>,
    /// What happens at the step instead of a stop.
    #[cfg(test)]
    event: std::rc::Rc<std::cell::RefCell<Option<Event>>>,
}

/// Something that comes in the way once.
#[cfg(test)]
pub(crate) type Event = Box<dyn FnOnce() -> io::Result<()>>;

impl std::fmt::Debug for Steps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Steps")
    }
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
            None => return Ok(()),
            Some(0) => {}
            Some(left) => {
                self.left.set(Some(left - 1));
                if left > 1 {
                    return Ok(());
                }
            }
        }
        if let Some(event) = self.event.take() {
            self.left.set(None);
            return event();
        }
        Err(io::Error::other("stopped by the test"))
    }

    pub(crate) fn stopped(&self) -> bool {
        self.left.get() == Some(0)
    }

    pub(crate) fn about_to_stop(&self) -> bool {
        matches!(self.left.get(), Some(0 | 1)) && self.event.borrow().is_none()
    }

    /// Stops at the `count`th step from now, from 1.
    pub(crate) fn stop_after(&self, count: u32) {
        self.left.set(Some(count));
    }

    /// Lets something happen at the `count`th step from now, once.
    pub(crate) fn at(&self, count: u32, event: Event) {
        self.left.set(Some(count));
        self.event.replace(Some(event));
    }

    /// Says whether the event has not happened yet.
    pub(crate) fn pending(&self) -> bool {
        self.event.borrow().is_some()
    }
}
