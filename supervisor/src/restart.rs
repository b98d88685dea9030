//! When a dead actor is started again: the delay ladder (supervision spec E5). Pure: time and chance are arguments.

use std::collections::VecDeque;

/// The ladder's measures, all in ms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Delays of the first, second, ... restart; the last one stays.
    pub ladder_ms: Vec<u64>,
    /// Spread of a delay in per cent, up and down.
    pub jitter_percent: u8,
    /// How long ready, with a message done, wipes the slate.
    pub healthy_ms: u64,
    /// Deaths within the window above which the role is degraded.
    pub degraded_after: usize,
    /// The window.
    pub window_ms: u64,
    /// Delay between tries while degraded.
    pub degraded_every_ms: u64,
}

/// What a role's deaths have come to.
#[derive(Debug, Default, Clone)]
pub struct Ladder {
    rung: usize,
    deaths: VecDeque<u64>,
    degraded: bool,
}

/// What to do about a death.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Next {
    /// Start again after this, in ms.
    pub delay_ms: u64,
    /// The role has just become degraded: tell the owner, once per episode.
    pub newly_degraded: bool,
}

impl Ladder {
    /// Books a death and says when to try again. `chance` is uniform in `0..=u16::MAX`.
    pub fn died(&mut self, policy: &Policy, now: u64, was_ready: bool, chance: u16) -> Next {
        self.deaths.push_back(now);
        while self.deaths.front().is_some_and(|at| at + policy.window_ms < now) {
            self.deaths.pop_front();
        }
        // Death before ready points at a structural fault: not at once again (Postfix, s6).
        if !was_ready {
            self.rung = self.rung.max(2);
        }
        let was = self.degraded;
        self.degraded = was || self.deaths.len() > policy.degraded_after;
        let rung = policy.ladder_ms.get(self.rung).or(policy.ladder_ms.last());
        let mut delay = rung.copied().unwrap_or(1000);
        if self.degraded {
            delay = delay.max(policy.degraded_every_ms);
        }
        self.rung = (self.rung + 1).min(policy.ladder_ms.len());
        Next { delay_ms: spread(delay, policy.jitter_percent, chance), newly_degraded: self.degraded && !was }
    }

    /// Wipes the slate after a healthy while.
    pub fn recovered(&mut self) {
        *self = Self::default();
    }

    /// Says whether the role has died too often lately.
    #[must_use]
    pub const fn is_degraded(&self) -> bool {
        self.degraded
    }
}

fn spread(delay: u64, percent: u8, chance: u16) -> u64 {
    let span = delay * u64::from(percent) / 100;
    delay - span + 2 * span * u64::from(chance) / u64::from(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn policy() -> Policy {
        Policy {
            ladder_ms: vec![0, 250, 1000, 4000, 15_000, 60_000],
            jitter_percent: 20,
            healthy_ms: 60_000,
            degraded_after: 5,
            window_ms: 60_000,
            degraded_every_ms: 60_000,
        }
    }

    const MIDDLE: u16 = u16::MAX / 2;

    #[test]
    fn first_death_is_mended_at_once_and_then_ever_later() {
        let mut ladder = Ladder::default();
        let delays: Vec<u64> =
            (0..5).map(|n| ladder.died(&policy(), n * 20_000, true, MIDDLE).delay_ms).collect();
        assert_eq!(delays[0], 0);
        assert!(delays.windows(2).all(|pair| pair[0] < pair[1]), "{delays:?}");
    }

    #[test]
    fn death_before_ready_waits_a_second() {
        let next = Ladder::default().died(&policy(), 0, false, MIDDLE);
        assert!((999..=1001).contains(&next.delay_ms), "{next:?}");
    }

    #[test]
    fn more_than_five_deaths_in_a_minute_are_told_once() {
        let mut ladder = Ladder::default();
        let told = (0..20).filter(|n| ladder.died(&policy(), *n, true, 0).newly_degraded).count();
        assert_eq!(told, 1);
        assert!(ladder.is_degraded());
        ladder.recovered();
        assert!(!ladder.is_degraded());
    }

    proptest! {
        #[test]
        fn delay_stays_within_jitter_of_a_rung(deaths in 0_u64..12, chance in any::<u16>()) {
            let mut ladder = Ladder::default();
            for n in 0..deaths {
                ladder.died(&policy(), n * 100_000, true, MIDDLE);
            }
            let delay = ladder.died(&policy(), deaths * 100_000, true, chance).delay_ms;
            let fits = policy().ladder_ms.iter().any(|rung| {
                (rung * 8 / 10..=rung * 12 / 10).contains(&delay)
            });
            prop_assert!(fits, "{}", delay);
        }
    }
}
