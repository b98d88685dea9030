//! The operator's socket: one listener, one task per client, JSON frames. Answers while everything else is broken.
//!
//! *Trust*: only processes of the same user get a word in; each frame is bounded and decoded strictly.

use crate::{doctor, logring::LogRing, paths::Paths, router};
use interprocess::local_socket::{
    GenericFilePath, ListenerOptions, ToFsName as _,
    tokio::{Listener, Stream, prelude::*},
};
use interprocess::os::unix::local_socket::ListenerOptionsExt as _;
use link::{
    Channel, Codec, Frame,
    channel::{Arrival, Flow},
};
use protocol::{
    control::{Held, Reply, Request, Verb},
    envelope::Header,
    limits::CTL_FRAME_MAX,
    role::Role,
    route::Kind,
};
use ractor::{Actor, ActorProcessingErr, ActorRef, rpc::CallResult};
use rustix::fd::OwnedFd;
use std::{
    io,
    os::unix::fs::MetadataExt as _,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// Clients at once (supervision spec E11).
const CLIENTS: usize = 64;

/// How long a client may be silent.
const IDLE: Duration = Duration::from_secs(60);

/// How long the hub may take for a verb; rollback waits for memory.
const VERB: Duration = Duration::from_secs(35);

/// How often the socket is looked for: `XDG_RUNTIME_DIR` can vanish at a logout.
const LOOK: Duration = Duration::from_secs(30);

/// Control hears nothing; it listens.
#[derive(Debug)]
pub enum Msg {}

/// What it is made of.
#[derive(Debug, Clone)]
pub struct Seed {
    /// Who decides.
    pub router: ActorRef<router::Msg>,
    /// Where everything is.
    pub paths: Paths,
    /// The log lines.
    pub ring: LogRing,
}

/// The ractor actor.
#[derive(Debug)]
pub struct Control;

impl Actor for Control {
    type Msg = Msg;
    type State = ();
    type Arguments = Seed;

    async fn pre_start(&self, _: ActorRef<Msg>, seed: Seed) -> Result<(), ActorProcessingErr> {
        let listener = listen(&seed.paths.ctl_socket())?;
        kit::task::spawn("control", serve(seed, listener));
        Ok(())
    }
}

/// Binds the socket. The caller holds the supervisor's lock, so whatever lies at the path is a leftover.
fn listen(path: &Path) -> io::Result<Listener> {
    remove_socket(path);
    let name = path.to_fs_name::<GenericFilePath>()?;
    // Not reclaimed by path at drop: that could take somebody else's file.
    ListenerOptions::new().name(name).mode(0o600).reclaim_name(false).create_tokio()
}

/// Takes a leftover socket away.
pub fn remove_socket(path: &Path) {
    if let Err(error) = std::fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(err = %error, "leftover socket not removed");
    }
}

async fn serve(seed: Seed, mut listener: Listener) {
    let clients = Arc::new(AtomicUsize::new(0));
    let path = seed.paths.ctl_socket();
    let mut inode = inode_of(&path);
    let mut look = tokio::time::interval(LOOK);
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(stream) if clients.load(Ordering::Relaxed) < CLIENTS => {
                    clients.fetch_add(1, Ordering::Relaxed);
                    let (seed, clients) = (seed.clone(), Arc::clone(&clients));
                    kit::task::spawn("ctl client", async move {
                        client(&seed, stream).await;
                        clients.fetch_sub(1, Ordering::Relaxed);
                    });
                }
                Ok(_) => tracing::warn!("too many ctl clients, one is turned away"),
                Err(error) => {
                    // Out of descriptors, mostly: it passes.
                    tracing::warn!(err = %error, "ctl client not accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
            _ = look.tick() => {
                if inode_of(&path) != inode {
                    tracing::warn!("the ctl socket is gone, made anew");
                    if seed.paths.prepare().is_ok() && let Ok(new) = listen(&path) {
                        listener = new;
                        inode = inode_of(&path);
                    }
                }
            }
        }
    }
}

fn inode_of(path: &Path) -> Option<u64> {
    std::fs::symlink_metadata(path).ok().map(|meta| meta.ino())
}

async fn client(seed: &Seed, stream: Stream) {
    let own = rustix::process::geteuid().as_raw();
    // An error here means that the other end is dead or in another namespace: refused all the same.
    match stream.peer_creds().ok().and_then(|creds| creds.euid()) {
        Some(uid) if uid == own || uid == 0 => {}
        uid => {
            tracing::warn!(?uid, "ctl client of another user turned away");
            return;
        }
    }
    // From here on a plain tokio stream: shutdown of the crate's own does nothing (supervision spec C2).
    let Stream::UdSocket(stream) = stream;
    let Ok(stream) = OwnedFd::try_from(stream) else {
        return;
    };
    let Ok(stream) = tokio::net::UnixStream::from_std(stream.into()) else {
        return;
    };
    let mut channel = Channel::new(stream, CTL_FRAME_MAX, Flow::Free);
    while let Ok(Ok(Arrival::Frame(frame))) = tokio::time::timeout(IDLE, channel.next()).await {
        let reply = match frame.read::<Request>(Codec::Json) {
            Ok(request) => match serve_verb(seed, &mut channel, request).await {
                Some(reply) => reply,
                None => return,
            },
            Err(error) => Reply::Refused {
                code: 4,
                why: format!("not understood: {error}"),
                hint: "passepartout ctl version".into(),
            },
        };
        if say(&mut channel, &reply).await.is_err() {
            return;
        }
    }
}

/// Says a reply; a long one is cut to what a frame holds.
async fn say(channel: &mut Channel, reply: &Reply) -> Result<(), link::Error> {
    let header = Header::new(Kind::Controlled, Role::Supervisor, Role::Supervisor, 0);
    let mut frame = Frame::new(header, Codec::Json, reply)?;
    if frame.wire_len() > CTL_FRAME_MAX
        && let Some(short) = shortened(reply)
    {
        frame = Frame::new(header, Codec::Json, &short)?;
    }
    channel.send(frame)?;
    let flushed = tokio::time::timeout(Duration::from_secs(5), channel.flush()).await;
    flushed.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into()))
}

/// Cuts a list to what a frame holds, with a word on the rest: the newest lines, but the oldest of what is held, since
/// those are dealt with first and make room for the others. Counts twice, for what JSON escapes.
fn shortened(reply: &Reply) -> Option<Reply> {
    let mut room = CTL_FRAME_MAX / 2;
    let mut fits = |bytes: usize| {
        let rest = room.checked_sub(bytes);
        room = rest.unwrap_or(0);
        rest.is_some()
    };
    match reply {
        Reply::Lines(lines) => {
            let mut kept: Vec<String> =
                lines.iter().rev().take_while(|line| fits(line.len() * 2)).cloned().collect();
            kept.push(format!("({} earlier lines do not fit)", lines.len() - kept.len()));
            kept.reverse();
            Some(Reply::Lines(kept))
        }
        Reply::Held(held) => {
            // The names of the fields and the number: 80 bytes.
            let len = |held: &Held| 80 + (held.turn.len() + held.what.len() + held.conversation.len()) * 2;
            let mut kept: Vec<Held> = held.iter().take_while(|held| fits(len(held))).cloned().collect();
            let what = format!("({} more do not fit: settle these first)", held.len() - kept.len());
            kept.push(Held { turn: String::new(), since: 0, what, conversation: String::new() });
            Some(Reply::Held(kept))
        }
        Reply::Done(_) | Reply::Status(_) | Reply::Findings(_) | Reply::Refused { .. } => None,
    }
}

async fn serve_verb(seed: &Seed, channel: &mut Channel, request: Request) -> Option<Reply> {
    if mutates(&request.verb) {
        tracing::info!(verb = word(&request.verb), "operator");
    }
    match request.verb {
        Verb::Tail { lines, follow } => {
            let mut coming = seed.ring.follow();
            let past = Reply::Lines(seed.ring.last(usize::from(lines)));
            if !follow {
                return Some(past);
            }
            say(channel, &past).await.ok()?;
            loop {
                tokio::select! {
                    line = coming.recv() => {
                        let line = line.ok()?;
                        say(channel, &Reply::Lines(vec![line])).await.ok()?;
                    }
                    // Who goes, or says more, has heard enough. Without this a gone one would keep its place until the
                    // next line, and sixty-four of them keep everybody out.
                    _ = channel.next() => return None,
                }
            }
        }
        Verb::Trace { turn } => Some(doctor::trace(&seed.paths, &turn)),
        Verb::JournalVerify => Some(doctor::verify(&seed.paths)),
        Verb::Doctor => {
            let reply = ask(seed, Request { verb: Verb::Status, ..request }).await;
            let Reply::Status(status) = reply else {
                return Some(reply);
            };
            Some(doctor::examine(&seed.paths, &status))
        }
        Verb::Status
        | Verb::Start { .. }
        | Verb::Stop { .. }
        | Verb::Restart { .. }
        | Verb::Drain
        | Verb::Reload
        | Verb::ParkedList
        | Verb::ParkedRetry { .. }
        | Verb::ParkedDrop { .. }
        | Verb::UncertainList
        | Verb::UncertainResolve { .. }
        | Verb::Look(_)
        | Verb::Keep { .. }
        | Verb::Restore { .. }
        | Verb::Rollback { .. }
        | Verb::Inject { .. }
        | Verb::Version => {
            let mut reply = ask(seed, request).await;
            if let Reply::Status(status) = &mut reply {
                for role in &mut status.roles {
                    role.rss_kib = doctor::rss_kib(role.pid);
                }
            }
            Some(reply)
        }
    }
}

async fn ask(seed: &Seed, request: Request) -> Reply {
    let call = seed.router.call(|port| router::Msg::Request(Box::new(request), port), Some(VERB));
    match call.await {
        Ok(CallResult::Success(reply)) => reply,
        Ok(CallResult::Timeout | CallResult::SenderError) | Err(_) => Reply::Refused {
            code: 5,
            why: "no answer in time".into(),
            hint: "passepartout ctl status".into(),
        },
    }
}

const fn mutates(verb: &Verb) -> bool {
    !matches!(
        verb,
        Verb::Status
            | Verb::Tail { .. }
            | Verb::Trace { .. }
            | Verb::ParkedList
            | Verb::UncertainList
            | Verb::JournalVerify
            | Verb::Look(_)
            | Verb::Doctor
            | Verb::Version
    )
}

/// The verb alone: what comes with it could be text of the owner.
const fn word(verb: &Verb) -> &'static str {
    match verb {
        Verb::Start { .. } => "start",
        Verb::Stop { .. } => "stop",
        Verb::Restart { .. } => "restart",
        Verb::Drain => "drain",
        Verb::Reload => "reload",
        Verb::ParkedRetry { .. } => "parked retry",
        Verb::ParkedDrop { .. } => "parked drop",
        Verb::UncertainResolve { .. } => "uncertain resolve",
        Verb::Keep { .. } => "snapshots keep",
        Verb::Restore { .. } => "restore",
        Verb::Rollback { .. } => "rollback",
        Verb::Inject { .. } => "inject",
        Verb::Status
        | Verb::Tail { .. }
        | Verb::Trace { .. }
        | Verb::ParkedList
        | Verb::UncertainList
        | Verb::JournalVerify
        | Verb::Look(_)
        | Verb::Doctor
        | Verb::Version => "read",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(reply: &Reply) -> bool {
        let header = Header::new(Kind::Controlled, Role::Supervisor, Role::Supervisor, 0);
        Frame::new(header, Codec::Json, reply).is_ok_and(|frame| frame.wire_len() <= CTL_FRAME_MAX)
    }

    /// Found by `tests/show guarantees long-lists`: what could not be listed could not be settled either.
    #[test]
    fn list_longer_than_a_frame_is_cut_with_a_word_on_the_rest() {
        let held = |n: usize| Held {
            turn: format!("{n:08x}"),
            since: 1_800_000_000_000,
            what: "outside at step 0 may or may not have happened".into(),
            conversation: "\"".repeat(200),
        };
        let all = Reply::Held((0..2_000).map(held).collect());
        assert!(!fits(&all));
        let short = shortened(&all).unwrap();
        assert!(fits(&short));
        let Reply::Held(kept) = short else { panic!("not a list") };
        assert!(kept.len() > 20 && kept[0] == held(0), "{} kept", kept.len());
        let rest = format!("({} more do not fit: settle these first)", 2_001 - kept.len());
        assert_eq!(kept.last().map(|held| held.what.clone()), Some(rest));

        let lines = Reply::Lines((0..5_000).map(|n| format!("\tline {n}")).collect());
        let short = shortened(&lines).unwrap();
        assert!(!fits(&lines) && fits(&short));
    }
}
