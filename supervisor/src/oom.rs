//! Tells a kill by the kernel's out-of-memory killer from any other: the signal is the same, only a counter differs.
//!
//! The counter is that of the whole machine (`oom_kill` of `/proc/vmstat`, Linux 4.13), because actors share the
//! cgroup of the supervisor. A kill elsewhere in the same life can therefore be taken for ours; it weighs one death
//! more, no message is lost by it.

use crate::hub::Death;

/// How many processes the kernel had killed for want of memory when a life began.
#[derive(Debug, Clone, Copy)]
pub struct Witness(Option<u64>);

impl Witness {
    /// Reads the counter.
    #[must_use]
    pub fn now() -> Self {
        let text = std::fs::read_to_string("/proc/vmstat").unwrap_or_default();
        Self(count(&text))
    }

    /// Corrects what a death looks like. `ordered` says that we sent a kill ourselves.
    #[must_use]
    pub fn judge(self, later: Self, death: Death, ordered: bool) -> Death {
        let more = matches!((self.0, later.0), (Some(before), Some(after)) if after > before);
        let killed = death == Death::Signal(libc::SIGKILL);
        if more && killed && !ordered { Death::OutOfMemory } else { death }
    }
}

fn count(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_kill_that_nobody_ordered_while_the_counter_rose_is_the_kernels() {
        let kill = Death::Signal(libc::SIGKILL);
        let (before, after) = (Witness(count("nr 1\noom_kill 4\n")), Witness(count("oom_kill 5\n")));
        assert_eq!(before.judge(after, kill, false), Death::OutOfMemory);
        assert_eq!(before.judge(after, kill, true), kill);
        assert_eq!(before.judge(before, kill, false), kill);
        assert_eq!(before.judge(after, Death::Signal(6), false), Death::Signal(6));
        assert_eq!(before.judge(Witness(count("nr 1\n")), kill, false), kill);
    }
}
