//! Acts out the faults that the settings order, so that the crash suites test the binary that ships.
//! Does nothing unless the supervisor's welcome lists a fault.

use protocol::lifecycle::{Fault, FaultKind, FaultPoint};
use std::time::Duration;

/// The faults of one actor.
#[derive(Debug, Default, Clone)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// Takes the faults over from the welcome.
    #[must_use]
    pub const fn new(faults: Vec<Fault>) -> Self {
        Self(faults)
    }

    /// Says whether none is ordered.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Acts out the faults that are ordered for this point and these bytes.
    pub fn strike(&self, point: FaultPoint, bytes: &[u8]) {
        for fault in self.0.iter().filter(|fault| fault.at == point) {
            let needle = fault.contains.as_bytes();
            if needle.is_empty() || bytes.windows(needle.len()).any(|window| window == needle) {
                act_out(fault.does, fault.ms);
            }
        }
    }
}

#[expect(clippy::panic, clippy::exit, clippy::disallowed_methods, reason = "faults on order")]
fn act_out(kind: FaultKind, ms: u32) {
    let own = rustix::process::getpid();
    let pause = Duration::from_millis(u64::from(ms));
    let send = |signal| {
        if let Err(error) = rustix::process::kill_process(own, signal) {
            tracing::error!(err = %error, "fault not acted out");
        }
    };
    match kind {
        FaultKind::Abort => std::process::abort(),
        FaultKind::Panic => panic!("fault on order"),
        FaultKind::Exit0 => std::process::exit(0),
        FaultKind::Kill => send(rustix::process::Signal::KILL),
        FaultKind::Freeze => send(rustix::process::Signal::STOP),
        FaultKind::Spin => loop {
            std::hint::spin_loop();
        },
        FaultKind::Sleep => std::thread::sleep(pause),
        FaultKind::Devour => {
            let mut hoard = Vec::new();
            loop {
                hoard.push(vec![1_u8; 1 << 20]);
                std::hint::black_box(&hoard);
            }
        }
        FaultKind::Orphan => crate::sys::leave_orphan(),
    }
}
