//! The operator's verbs: asked on the control socket, shown when the daemon has answered. A verb that changes something
//! carries an id and keeps it when it has to be asked again, so it is not done twice.

use crate::{
    Error, Failure, Kind,
    args::{Ctl, Journal, Parked, Snapshots, Uncertain},
    offline, show,
    wire::{Got, Wire, fresh_id, pause},
};
use jiff::tz::TimeZone;
use kit::clock;
use link::Codec;
use protocol::{
    control::{Reply, Request, RoleStatus, Status, Verb},
    limits::CTL_FRAME_MAX,
    route::Kind as Word,
    snapshot::{Look, Scope},
    version,
};
use std::{
    io::{self, IsTerminal as _, Write},
    time::{Duration, Instant},
};
use supervisor::paths::Paths;

/// How long a verb may take: longer than the daemon allows itself, so that its own word for it arrives.
const DEADLINE: Duration = Duration::from_secs(40);

/// How long an actor may take to come to the state that was asked for.
const SETTLE: Duration = Duration::from_secs(30);

/// How long a drain may take: longer than the daemon's total for it.
const DRAIN: Duration = Duration::from_secs(60);

/// How long a daemon may be away in the middle of a verb: it crashed and comes again.
const AWAY: Duration = Duration::from_secs(3);

/// Between two looks at something.
const LOOK: Duration = Duration::from_millis(50);

/// Between two pictures of `top` and `--watch`.
const PICTURE: Duration = Duration::from_secs(1);

/// Carries a verb out.
pub(crate) fn run(paths: &Paths, verb: Ctl, out: &mut impl Write) -> Result<(), Failure> {
    let zone = TimeZone::system();
    let verb = match verb {
        Ctl::Status { json, watch } => return status(paths, json, watch, out),
        Ctl::Top => return top(paths, out),
        Ctl::Tail { lines, follow } => return tail(paths, lines, follow, out),
        Ctl::Routes => {
            return Ok(write!(out, "{}", show::lines(&supervisor::routes::routes()))?);
        }
        Ctl::Start { role } => return settle(paths, &role, Wanted::Started, out),
        Ctl::Stop { role } => return settle(paths, &role, Wanted::Stopped, out),
        Ctl::Restart { role } => return settle(paths, &role, Wanted::Restarted, out),
        Ctl::Drain => return drain(paths, out),
        Ctl::Journal { what: Journal::Repair } => return offline::repair(paths, out),
        Ctl::Journal { what: Journal::Verify } => return verify(paths, out),
        Ctl::Snapshots { limit, what: None } => {
            let reply = call(paths, Verb::Look(Look::Snapshots { limit }))?;
            let Reply::Lines(lines) = reply else {
                return print(reply, &zone, out);
            };
            return Ok(write!(out, "{}", show::snapshots(&lines, &zone))?);
        }
        Ctl::Trace { turn } => Verb::Trace { turn },
        Ctl::Reload => Verb::Reload,
        Ctl::Parked { what: Parked::List } => Verb::ParkedList,
        Ctl::Parked { what: Parked::Retry { turn } } => Verb::ParkedRetry { turn },
        Ctl::Parked { what: Parked::Drop { turn } } => Verb::ParkedDrop { turn },
        Ctl::Uncertain { what: Uncertain::List } => Verb::UncertainList,
        Ctl::Uncertain { what: Uncertain::Happened { turn } } => {
            Verb::UncertainResolve { turn, happened: true }
        }
        Ctl::Uncertain { what: Uncertain::DidNot { turn } } => {
            Verb::UncertainResolve { turn, happened: false }
        }
        Ctl::Snapshots { what: Some(Snapshots::Keep { snapshot, name }), .. } => {
            Verb::Keep { snapshot, name }
        }
        Ctl::Snapshots { what: Some(Snapshots::Verify), .. } => Verb::Look(Look::Verify),
        Ctl::Diff { from, to } => Verb::Look(Look::Diff { from, to: to.unwrap_or_default() }),
        Ctl::History { entry } => {
            let reply = call(paths, Verb::Look(Look::History { entry: entry.join(" ") }))?;
            let Reply::Lines(lines) = reply else {
                return print(reply, &zone, out);
            };
            return Ok(write!(out, "{}", show::snapshots(&lines, &zone))?);
        }
        Ctl::Memory => Verb::Look(Look::Report),
        Ctl::Rollback { turn, to, file, entry } => rollback(turn, to, file, entry),
        Ctl::Inject { text } => Verb::Inject { text: text.join(" ") },
        Ctl::Doctor => Verb::Doctor,
        Ctl::Version => Verb::Version,
    };
    print(call(paths, verb)?, &zone, out)
}

/// What `rollback` asks for; the arguments were checked against each other when they were read.
fn rollback(turn: Option<String>, to: Option<String>, file: Option<String>, entry: Option<String>) -> Verb {
    let scope = match (file, entry) {
        (Some(file), _) => Scope::File(file),
        (None, Some(entry)) => Scope::Entry(entry),
        (None, None) => Scope::Everything,
    };
    match to {
        Some(snapshot) => Verb::Restore { snapshot, scope },
        None => Verb::Rollback { turn: turn.unwrap_or_default() },
    }
}

/// Shows a reply that needs no more than that.
fn print(reply: Reply, zone: &TimeZone, out: &mut impl Write) -> Result<(), Failure> {
    match reply {
        Reply::Done(line) => Ok(writeln!(out, "{}", show::printable(&line))?),
        Reply::Status(status) => Ok(write!(out, "{}", show::status(&status))?),
        Reply::Lines(lines) => Ok(write!(out, "{}", show::lines(&lines))?),
        Reply::Held(held) => Ok(write!(out, "{}", show::held(&held, zone))?),
        Reply::Findings(findings) => {
            write!(out, "{}", show::findings(&findings))?;
            if findings.iter().any(|finding| finding.grade == "bad") {
                let why = Error::Refused("something is bad".into());
                return Err(Failure::new(Kind::Refused, why, "do what the lines above say"));
            }
            Ok(())
        }
        Reply::Refused { code, why, hint } => {
            Err(Failure::new(Kind::of_refusal(code), Error::Refused(why), hint))
        }
    }
}

/// Asks the daemon and waits for its one reply. Asked again, under the same id, when the connection is lost.
fn call(paths: &Paths, verb: Verb) -> Result<Reply, Failure> {
    let id = fresh_id().map_err(|error| Failure::system("randomness", error))?;
    let request = Request { major: version::MAJOR, id, verb };
    let deadline = clock::monotonic() + DEADLINE;
    let mut lost: Option<Instant> = None;
    loop {
        if let Some(mut wire) = connect(paths)? {
            match ask(&mut wire, &request, deadline)? {
                Some(Reply::Refused { code, why, hint }) => {
                    return Err(Failure::new(Kind::of_refusal(code), Error::Refused(why), hint));
                }
                Some(reply) => return Ok(reply),
                // From here on: since when it is away.
                None => lost = Some(clock::monotonic()),
            }
        }
        match lost {
            Some(since) if clock::monotonic().duration_since(since) < AWAY => pause(LOOK),
            Some(_) | None => return Err(Failure::not_running(paths)),
        }
    }
}

fn connect(paths: &Paths) -> Result<Option<Wire>, Failure> {
    Wire::connect(&paths.ctl_socket(), CTL_FRAME_MAX)
        .map_err(|error| Failure::system("the control socket", error))
}

/// Asks on one connection; `None` when it was lost.
fn ask(wire: &mut Wire, request: &Request, deadline: Instant) -> Result<Option<Reply>, Failure> {
    match wire.send(Word::Control, request) {
        Ok(()) => hear(wire, deadline),
        // More than the daemon takes: it would cut us off.
        Err(error @ (link::Error::Length { .. } | link::Error::Encode { .. })) => {
            Err(Failure::new(Kind::Refused, error, ""))
        }
        Err(_) => Ok(None),
    }
}

/// Waits for a reply; `None` when the connection was lost.
fn hear(wire: &mut Wire, deadline: Instant) -> Result<Option<Reply>, Failure> {
    match wire.next(deadline) {
        Ok(Got::Frame(frame)) => frame
            .read::<Reply>(Codec::Json)
            .map(Some)
            .map_err(|error| Failure::new(Kind::Version, Error::Stranger(error), "passepartout ctl version")),
        Ok(Got::Late) => {
            let source = Error::Late("the daemon does not answer".into());
            Err(Failure::new(Kind::Timeout, source, "passepartout ctl status"))
        }
        Ok(Got::Closed) | Err(link::Error::Io(_)) => Ok(None),
        Err(error) => Err(Failure::new(Kind::Version, error, "passepartout ctl version")),
    }
}

fn look(paths: &Paths) -> Result<Status, Failure> {
    match call(paths, Verb::Status)? {
        Reply::Status(status) => Ok(*status),
        Reply::Done(_) | Reply::Lines(_) | Reply::Held(_) | Reply::Findings(_) | Reply::Refused { .. } => {
            let source = Error::Refused("the daemon gave an answer of another kind".into());
            Err(Failure::new(Kind::Version, source, "passepartout ctl version"))
        }
    }
}

fn status(paths: &Paths, json: bool, watch: bool, out: &mut impl Write) -> Result<(), Failure> {
    loop {
        let status = look(paths)?;
        if json {
            let text = serde_json::to_string(&status).map_err(io::Error::other)?;
            writeln!(out, "{text}")?;
        } else {
            write!(out, "{}", show::status(&status))?;
        }
        out.flush()?;
        if !watch {
            return Ok(());
        }
        pause(PICTURE);
    }
}

fn top(paths: &Paths, out: &mut impl Write) -> Result<(), Failure> {
    let terminal = io::stdout().is_terminal();
    loop {
        let picture = show::top(&look(paths)?);
        if terminal {
            write!(out, "\x1b[H\x1b[2J{picture}")?;
        } else {
            // Nobody can stop it there: one picture.
            return Ok(write!(out, "{picture}")?);
        }
        out.flush()?;
        pause(PICTURE);
    }
}

fn tail(paths: &Paths, lines: u16, follow: bool, out: &mut impl Write) -> Result<(), Failure> {
    let verb = Verb::Tail { lines, follow };
    if !follow {
        return print(call(paths, verb)?, &TimeZone::UTC, out);
    }
    let id = fresh_id().map_err(|error| Failure::system("randomness", error))?;
    let request = Request { major: version::MAJOR, id, verb };
    let Some(mut wire) = connect(paths)? else {
        return Err(Failure::not_running(paths));
    };
    let mut reply = ask(&mut wire, &request, clock::monotonic() + DEADLINE)?;
    // A quiet day has no lines at all: the wait is without end, Ctrl-C ends it.
    let patience = Duration::from_secs(365 * 86_400);
    while let Some(lines) = reply {
        print(lines, &TimeZone::UTC, out)?;
        out.flush()?;
        reply = hear(&mut wire, clock::monotonic() + patience)?;
    }
    let source = Error::Refused("the daemon has ended".into());
    Err(Failure::new(Kind::NotRunning, source, "passepartout ctl status"))
}

fn verify(paths: &Paths, out: &mut impl Write) -> Result<(), Failure> {
    if connect(paths)?.is_none() {
        return offline::verify(paths, out);
    }
    print(call(paths, Verb::JournalVerify)?, &TimeZone::UTC, out)
}

/// The state that an actor is to come to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Started,
    Stopped,
    Restarted,
}

/// Changes the state of an actor and waits until it is there, or until it is clear that it will not be.
fn settle(paths: &Paths, role: &str, wanted: Wanted, out: &mut impl Write) -> Result<(), Failure> {
    let before = role_of(&look(paths)?, role).map_or(0, |state| state.generation);
    let role = role.to_owned();
    let verb = match wanted {
        Wanted::Started => Verb::Start { role: role.clone() },
        Wanted::Stopped => Verb::Stop { role: role.clone() },
        Wanted::Restarted => Verb::Restart { role: role.clone() },
    };
    let reply = call(paths, verb)?;
    let deadline = clock::monotonic() + SETTLE;
    loop {
        let Some(state) = role_of(&look(paths)?, &role) else {
            return print(reply, &TimeZone::UTC, out);
        };
        let there = match wanted {
            Wanted::Started => state.actual == "ready",
            Wanted::Stopped => state.actual == "down" || state.actual == "failed",
            Wanted::Restarted => state.actual == "ready" && state.generation > before,
        };
        if there {
            let pid = if state.pid == 0 { String::new() } else { format!(", process {}", state.pid) };
            return Ok(writeln!(out, "{role} is {}{pid}", state.actual)?);
        }
        if wanted != Wanted::Stopped && state.actual == "failed" {
            let why = format!("{role} has failed: {}", state.last_death);
            return Err(Failure::new(Kind::Refused, Error::Refused(why), "passepartout ctl tail"));
        }
        if clock::monotonic() >= deadline {
            let why = format!("{role} is still {}; last death: {}", state.actual, state.last_death);
            return Err(Failure::new(Kind::Timeout, Error::Late(why), "passepartout ctl tail"));
        }
        pause(LOOK);
    }
}

fn role_of(status: &Status, role: &str) -> Option<RoleStatus> {
    status.roles.iter().find(|state| state.role == role).cloned()
}

/// Drains, and waits for the end of the daemon, which closes the connection.
fn drain(paths: &Paths, out: &mut impl Write) -> Result<(), Failure> {
    let id = fresh_id().map_err(|error| Failure::system("randomness", error))?;
    let request = Request { major: version::MAJOR, id, verb: Verb::Drain };
    let Some(mut wire) = connect(paths)? else {
        return Err(Failure::not_running(paths));
    };
    let deadline = clock::monotonic() + DRAIN;
    let mut reply = ask(&mut wire, &request, deadline)?;
    while let Some(Reply::Done(line)) = reply {
        writeln!(out, "{}", show::printable(&line))?;
        out.flush()?;
        reply = hear(&mut wire, deadline)?;
    }
    match reply {
        None => Ok(writeln!(out, "drained")?),
        Some(other) => print(other, &TimeZone::UTC, out),
    }
}
