//! One actor process: born, spoken to, heard, buried. A ractor actor per role holds the way in; a task per life owns
//! the socket, the pidfd and the burial, so that whatever a dead actor had still said is heard before its death is.

use crate::{
    hub::{Death, Kick},
    lock::{self, Lock},
    logring::{LogRing, Throttle},
    oom::Witness,
    reap::Reaper,
    router,
};
use bytes::BytesMut;
use kit::sys::{Birth, Farewell};
use link::{
    Channel, Frame,
    channel::{Arrival, Flow},
};
use protocol::{limits::FRAME_MAX, role::Role};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use rustix::{
    fd::OwnedFd,
    process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions},
};
use std::{io, path::PathBuf, time::Duration};
use tokio::{
    io::{AsyncReadExt as _, unix::AsyncFd},
    sync::mpsc,
};

/// Frames and kicks under way to the task of a life. More than the hub ever has for one role: the sum of the
/// capacities of its routes and the answers that are offered at once.
const INBOX: usize = 4_096;

/// What a child actor is told.
#[derive(Debug)]
pub enum Msg {
    /// Start a life.
    Spawn(u32),
    /// Say something to a life.
    Send(u32, Frame),
    /// Send it a unix signal.
    Kick(u32, Kick),
}

/// What a child actor is born with.
#[derive(Debug, Clone)]
pub struct Seed {
    /// Which role.
    pub role: Role,
    /// Where deaths and frames go.
    pub router: ActorRef<router::Msg>,
    /// Folder of the role locks.
    pub locks: PathBuf,
    /// Where its log lines go.
    pub ring: LogRing,
    /// Who buries strangers.
    pub reaper: Reaper,
    /// Least level of the actors' log lines.
    pub level: String,
}

/// The ractor actor of one role.
#[derive(Debug)]
pub struct Child;

/// Its state: the current life, if any.
#[derive(Debug)]
pub struct State {
    seed: Seed,
    life: Option<(u32, mpsc::Sender<Order>)>,
}

#[derive(Debug)]
enum Order {
    Send(Frame),
    Kick(Kick),
}

impl Actor for Child {
    type Msg = Msg;
    type State = State;
    type Arguments = Seed;

    async fn pre_start(&self, _: ActorRef<Msg>, seed: Seed) -> Result<State, ActorProcessingErr> {
        Ok(State { seed, life: None })
    }

    async fn handle(&self, _: ActorRef<Msg>, msg: Msg, state: &mut State) -> Result<(), ActorProcessingErr> {
        match msg {
            Msg::Spawn(generation) => state.spawn(generation),
            Msg::Send(generation, frame) => state.order(generation, Order::Send(frame)),
            Msg::Kick(generation, kick) => state.order(generation, Order::Kick(kick)),
        }
        Ok(())
    }
}

impl State {
    fn spawn(&mut self, generation: u32) {
        let role = self.seed.role;
        let death = match self.bear(generation) {
            Ok(Born::Alive(sender)) => {
                self.life = Some((generation, sender));
                return;
            }
            Ok(Born::Held(pid)) => Death::Held(pid),
            Err(error) => {
                tracing::error!(role = role.as_str(), err = %error, "actor not started");
                Death::NotBorn
            }
        };
        report(&self.seed.router, router::Msg::Died { role, generation, death });
    }

    fn bear(&mut self, generation: u32) -> io::Result<Born> {
        let role = self.seed.role;
        let name = role.as_str().replace(':', "-");
        let mut lock = match lock::take(&self.seed.locks.join(format!("{name}.lock")))? {
            Lock::Taken(file) => file,
            Lock::Held(pid) => return Ok(Born::Held(pid)),
        };
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let (log, output) = io::pipe()?;
        let on_orphaned = match role {
            Role::Act | Role::Memory => Farewell::Finish,
            Role::Supervisor | Role::Perceive | Role::Reason | Role::GatewayLocal => Farewell::Die,
        };
        let birth = Birth {
            role: role.as_str(),
            generation,
            level: &self.seed.level,
            socket: theirs.into(),
            lock: &lock,
            output: output.into(),
            on_orphaned,
        };
        let child = kit::sys::spawn_actor(birth)?;
        let pid = child.id();
        self.seed.reaper.own(pid);
        lock::sign(&mut lock, pid)?;
        // Our copy goes: the lock is the actor's from now on, and goes with it.
        drop(lock);
        let raw = i32::try_from(pid).ok().and_then(Pid::from_raw);
        let raw = raw.ok_or_else(|| io::Error::other("process id out of range"))?;
        let pidfd = rustix::process::pidfd_open(raw, PidfdFlags::NONBLOCK)?;
        report(&self.seed.router, router::Msg::Born { role, generation, pid });
        let (sender, orders) = mpsc::channel(INBOX);
        let life = Life {
            seed: self.seed.clone(),
            generation,
            pid: raw,
            pidfd: kit::sys::watch_fd(pidfd)?,
            channel: Channel::new(tokio::net::UnixStream::from_std(ours)?, FRAME_MAX, Flow::Credited),
            witness: Witness::now(),
            ordered: std::cell::Cell::new(false),
        };
        kit::task::spawn("life", life.run(orders));
        kit::task::spawn("log", relay(OwnedFd::from(log), self.seed.ring.clone()));
        Ok(Born::Alive(sender))
    }

    fn order(&mut self, generation: u32, order: Order) {
        let Some((current, sender)) = &self.life else {
            return;
        };
        if *current == generation
            && let Err(mpsc::error::TrySendError::Full(_)) = sender.try_send(order)
        {
            tracing::error!(role = self.seed.role.as_str(), "orders pile up, one is dropped");
        }
    }
}

enum Born {
    Alive(mpsc::Sender<Order>),
    Held(u32),
}

/// One life.
struct Life {
    seed: Seed,
    generation: u32,
    pid: Pid,
    pidfd: AsyncFd<OwnedFd>,
    channel: Channel,
    witness: Witness,
    /// A kill was ordered; what follows is not the kernel's doing.
    ordered: std::cell::Cell<bool>,
}

impl Life {
    async fn run(mut self, mut orders: mpsc::Receiver<Order>) {
        let mut open = true;
        let mut look = tokio::time::interval(Duration::from_secs(1));
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut stuck = false;
        loop {
            tokio::select! {
                biased;
                order = orders.recv() => match order {
                    Some(Order::Send(frame)) => self.say(frame),
                    Some(Order::Kick(kick)) => self.kick(kick),
                    // The ractor actor is gone: a bug. Its process goes with it and both start anew.
                    None => {
                        self.kick(Kick::Kill);
                        break;
                    }
                },
                arrival = self.channel.next(), if open => open = self.hear(arrival),
                _ = self.pidfd.readable() => break,
                _ = look.tick() => {
                    if self.channel.is_stuck() != stuck {
                        stuck = !stuck;
                        self.report(router::Msg::Stalled {
                            role: self.seed.role, generation: self.generation, stalls: stuck,
                        });
                    }
                }
            }
        }
        self.bury().await;
    }

    fn say(&mut self, frame: Frame) {
        if let Err(error) = self.channel.send(frame) {
            tracing::error!(role = self.seed.role.as_str(), err = %error, "frame not sent");
        } else if let Err(error) = self.channel.flush_now() {
            tracing::debug!(role = self.seed.role.as_str(), err = %error, "peer is gone");
        }
    }

    /// Hands an arrival on. Returns whether more can come.
    fn hear(&self, arrival: Result<Arrival, link::Error>) -> bool {
        let (role, generation) = (self.seed.role, self.generation);
        match arrival {
            Ok(Arrival::Frame(frame)) => {
                self.report(router::Msg::Frame { role, generation, frame });
                true
            }
            Ok(Arrival::Unknown { kind, .. }) => {
                self.report(router::Msg::Unknown { role, kind });
                true
            }
            Ok(Arrival::Closed) => false,
            Err(error) => {
                // There is no way to find the next frame: this actor is of no use any more.
                tracing::error!(role = role.as_str(), err = %error, "connection is damaged");
                self.kick(Kick::Kill);
                false
            }
        }
    }

    fn kick(&self, kick: Kick) {
        let signals: &[Signal] = match kick {
            Kick::Term => &[Signal::TERM, Signal::CONT],
            Kick::Kill => &[Signal::KILL],
        };
        self.ordered.set(self.ordered.get() || kick == Kick::Kill);
        for signal in signals {
            // Through the pidfd: a number could have been given to somebody else meanwhile.
            if let Err(error) = rustix::process::pidfd_send_signal(self.pidfd.get_ref(), *signal) {
                tracing::debug!(role = self.seed.role.as_str(), err = %error, "signal not sent");
            }
        }
    }

    async fn bury(mut self) {
        let (role, generation) = (self.seed.role, self.generation);
        drop(self.pidfd.readable().await);
        // What it had said before it died counts.
        while let Ok(Some(Arrival::Frame(frame))) = self.channel.drain() {
            self.report(router::Msg::Frame { role, generation, frame });
        }
        // Whatever it started in its process group goes with it. Before the reaping, which frees the number.
        if let Err(error) = rustix::process::kill_process_group(self.pid, Signal::KILL)
            && error != rustix::io::Errno::SRCH
        {
            tracing::debug!(role = role.as_str(), err = %error, "process group");
        }
        let status = rustix::process::waitid(
            WaitId::PidFd(rustix::fd::AsFd::as_fd(self.pidfd.get_ref())),
            WaitIdOptions::EXITED | WaitIdOptions::NOHANG,
        );
        let death = match status {
            Ok(Some(status)) => status
                .terminating_signal()
                .map_or_else(|| Death::Exit(status.exit_status().unwrap_or(0)), Death::Signal),
            Ok(None) | Err(_) => Death::Signal(0),
        };
        let death = self.witness.judge(Witness::now(), death, self.ordered.get());
        self.seed.reaper.disown(self.pid);
        self.seed.reaper.bury_strangers();
        self.report(router::Msg::Died { role, generation, death });
    }

    fn report(&self, msg: router::Msg) {
        report(&self.seed.router, msg);
    }
}

fn report(router: &ActorRef<router::Msg>, msg: router::Msg) {
    if let Err(error) = router.cast(msg) {
        tracing::debug!(err = %error, "router is gone");
    }
}

/// Longest log line that is taken in one piece, in bytes.
const LINE_MAX: usize = 4_096;

/// Takes an actor's log lines over until the last holder of the pipe is gone.
async fn relay(pipe: OwnedFd, ring: LogRing) {
    let Ok(mut pipe) = tokio::net::unix::pipe::Receiver::from_owned_fd(pipe) else {
        return;
    };
    let mut throttle = Throttle::default();
    let mut buffer = BytesMut::with_capacity(LINE_MAX);
    while let Ok(1..) = pipe.read_buf(&mut buffer).await {
        let second = kit::clock::wall().0.unsigned_abs() / 1000;
        while let Some(end) = line_end(&buffer) {
            let line = buffer.split_to(end);
            throttle.line(&ring, second, String::from_utf8_lossy(&line).trim_end());
        }
        buffer.reserve(LINE_MAX);
    }
}

fn line_end(buffer: &[u8]) -> Option<usize> {
    let newline = buffer.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
    newline.or((buffer.len() >= LINE_MAX).then_some(buffer.len()))
}
