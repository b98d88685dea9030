//! Ends: of the supervisor by a blow, by unix signals, by a second one; and settings that are at fault.

use crate::{
    Check, Instance, Outcome, Row, Setup, client, ensure,
    home::Settings,
    procs,
    report::{pass, spread},
    wait::{eventually, in_ms, ms, now, pass_time, s},
};
use protocol::control::{Reply, Verb};
use rustix::process::Signal;

/// The supervisor is killed while an effect is under way, and started at once.
pub const MID_EFFECT: Row = Row {
    name: "supervisor-dies",
    about: "killed mid-effect, restarted at once: no double, shown if unsure",
    run: mid_effect,
};

fn mid_effect(setup: &Setup) -> Check<Outcome> {
    let mut figures = Vec::new();
    // Before the effect, and after it: between the two lies what nobody can know.
    for (at, lines) in [("effect", 0..=1), ("commit", 1..=1)] {
        let settings = Settings::default().fault("act", at, "slowly", "sleep", 700);
        let mut instance = Instance::up(setup, "mid", settings)?;
        let asked = {
            let socket = instance.local_socket();
            std::thread::spawn(move || client::ask(&socket, "mid", "m1", "outside: slowly", s(40)))
        };
        eventually("act has it in hand", s(5), || {
            instance.role("act").is_ok_and(|r| !r.current.is_empty()).then_some(())
        })?;
        pass_time(ms(100));
        let old = instance.role("act")?.pid;
        instance.kill_supervisor()?;
        let begun = now();
        instance.start()?;
        instance.ready()?;
        let took = in_ms(begun.elapsed());
        ensure!(!procs::is_alive(old), "two acts at the same time");
        let answer = asked.join().map_err(|_| "the asking thread panicked")??;
        let there = instance.home.outside_lines().len();
        let held = instance.held(Verb::UncertainList)?;
        ensure!(lines.contains(&there), "{there} effects when killed at {at}");
        ensure!(held.len() == 1, "listed as uncertain: {}", held.len());
        ensure!(answer.text.contains("cannot tell whether it happened"), "answered `{}`", answer.text);
        // The owner has looked: it is off the list and never comes again.
        instance.order(Verb::UncertainResolve { turn: held[0].turn.clone(), happened: there == 1 })?;
        ensure!(instance.held(Verb::UncertainList)?.is_empty(), "still listed after the owner decided");
        instance.kill_supervisor()?;
        instance.start()?;
        instance.ready()?;
        let after = instance.home.outside_lines().len();
        ensure!(after == there, "{after} effects after one more restart");
        instance.finish()?;
        figures.push(format!("at {at}: {there} effect, listed once, ready {took:.0} ms after the restart"));
    }
    pass(figures.join("; "))
}

/// An orphan that never ends holds its role's lock.
pub const HELD_LOCK: Row = Row {
    name: "orphan-holds-lock",
    about: "a frozen actor of a dead supervisor is ended after the wait",
    run: held_lock,
};

fn held_lock(setup: &Setup) -> Check<Outcome> {
    let settings = Settings { orphan_ms: 1_500, ping_ms: 5_000, ..Settings::default() };
    let mut figures = Vec::new();
    for role in ["act", "memory"] {
        let mut instance = Instance::up(setup, "held", settings.clone())?;
        let old = instance.role(role)?.pid;
        ensure!(procs::kick(old, Signal::STOP), "{role} is gone");
        instance.kill_supervisor()?;
        instance.start()?;
        let begun = now();
        eventually("the new supervisor says who is in the way", s(5), || {
            instance.role(role).ok().filter(|r| r.actual != "ready")
        })?;
        ensure!(procs::is_alive(old), "the orphan ended by itself, which a frozen process cannot");
        instance.ready_within(s(10)).map_err(|fault| format!("{role}: {fault}"))?;
        let took = in_ms(begun.elapsed());
        ensure!(!procs::is_alive(old), "two {role} at the same time");
        ensure!(took >= 1_000.0, "{role}: the orphan was given only {took:.0} ms");
        let answer = instance.ask("held", "m1", "note: after the orphan")?;
        ensure!(answer.text.starts_with("Noted"), "answered `{}`", answer.text);
        instance.finish()?;
        figures.push(format!("{role} {took:.0} ms"));
    }
    pass(format!("frozen orphans ended, with 1500 ms to wait: ready after {}", figures.join(", ")))
}

/// SIGTERM.
pub const TERMINATED: Row =
    Row { name: "sigterm", about: "drains, finishes what is in hand, code 0, nothing left", run: terminated };

fn terminated(setup: &Setup) -> Check<Outcome> {
    ended_by(setup, Signal::TERM)
}

/// SIGINT.
pub const INTERRUPTED: Row = Row { name: "sigint", about: "the same", run: interrupted };

fn interrupted(setup: &Setup) -> Check<Outcome> {
    ended_by(setup, Signal::INT)
}

fn ended_by(setup: &Setup, signal: Signal) -> Check<Outcome> {
    let settings = Settings::default().fault("act", "effect", "in hand", "sleep", 800);
    let mut instance = Instance::up(setup, "ended", settings)?;
    instance.ask("ended", "m0", "note: before")?;
    // Something is in hand when it comes, and must be finished, not repeated.
    let asked = {
        let socket = instance.local_socket();
        std::thread::spawn(move || client::ask(&socket, "ended", "m1", "outside: in hand", s(20)))
    };
    eventually("act has it in hand", s(5), || {
        instance.role("act").is_ok_and(|r| !r.current.is_empty()).then_some(())
    })?;
    let pids = instance.pids()?;
    let begun = now();
    instance.kick(signal)?;
    let status = instance.wait(s(20))?;
    let took = in_ms(begun.elapsed());
    ensure!(status.code() == Some(0), "ended with {status}");
    let left: Vec<&(String, u32)> = pids.iter().filter(|(_, pid)| procs::is_alive(*pid)).collect();
    ensure!(left.is_empty(), "left behind: {left:?}");
    instance.leftovers()?;
    ensure!(instance.home.outside_lines().len() == 1, "the effect in hand was not finished");
    // Nothing was lost by stopping: the answer is there, now or after the next start.
    instance.set(Settings::default())?;
    instance.start()?;
    let answer = asked.join().map_err(|_| "the asking thread panicked")??;
    ensure!(answer.text == "Told the outside.", "answered `{}`", answer.text);
    ensure!(instance.home.outside_lines().len() == 1, "the effect was repeated");
    instance.ready()?;
    instance.finish()?;
    pass(format!("step of 800 ms finished, code 0 after {took:.0} ms, nothing left, answer kept"))
}

/// SIGTERM twice.
pub const TWICE: Row =
    Row { name: "sigterm-twice", about: "the second one ends it within two seconds", run: twice };

fn twice(setup: &Setup) -> Check<Outcome> {
    let settings = Settings { ping_ms: 60_000, term_ms: 60_000, ..Settings::default() }
        .fault("act", "effect", "endless", "sleep", 600_000);
    let mut instance = Instance::up(setup, "twice", settings)?;
    let mut talk = crate::wire::Talk::open(&instance.local_socket(), "twice")?;
    talk.say("m1", "outside: endless")?;
    eventually("act has it in hand", s(5), || {
        instance.role("act").is_ok_and(|r| !r.current.is_empty()).then_some(())
    })?;
    let pids = instance.pids()?;
    instance.kick(Signal::TERM)?;
    pass_time(ms(500));
    ensure!(procs::is_alive(instance.supervisor()?), "the first one did not wait for the step in hand");
    let begun = now();
    instance.kick(Signal::TERM)?;
    let status = instance.wait(s(10))?;
    let took = in_ms(begun.elapsed());
    ensure!(status.code() == Some(0), "ended with {status}");
    ensure!(took < 3_000.0, "took {took:.0} ms after the second one");
    eventually("nobody is left", s(1), || pids.iter().all(|(_, pid)| !procs::is_alive(*pid)).then_some(()))?;
    instance.leftovers()?;
    pass(format!("code 0, {took:.0} ms after the second signal, a blocked actor included"))
}

/// SIGHUP.
pub const HANGUP: Row = Row {
    name: "sighup-broken-config",
    about: "the last good settings stay, nobody is restarted",
    run: hangup,
};

fn hangup(setup: &Setup) -> Check<Outcome> {
    let mut instance = Instance::up(setup, "hangup", Settings::default())?;
    let before = instance.pids()?;
    let good = instance.settings.text(&instance.home);
    let broken = [
        ("misspelt", good.replace("misses = 3", "mises = 3"), "misses"),
        ("unknown table", format!("{good}\n[helth]\nping_ms = 5\n"), "health"),
        ("syntax", format!("{good}\n[[["), ""),
        ("out of range", good.replace("misses = 3", "misses = 100000"), "misses"),
    ];
    for (what, text, near) in &broken {
        instance.home.configure(text)?;
        instance.kick(Signal::HUP)?;
        let reply = instance.ctl(Verb::Reload)?;
        let Reply::Refused { why, hint, .. } = reply else {
            return Err(format!("{what} was taken: {reply:?}").into());
        };
        ensure!(
            why.contains("config.toml") && why.contains(near),
            "{what}: the line names neither file nor `{near}`: {why}"
        );
        ensure!(!hint.is_empty(), "{what}: no hint");
        let answer = instance.ask("hangup", what, "note: still here")?;
        ensure!(answer.text.starts_with("Noted"), "{what}: answered `{}`", answer.text);
    }
    ensure!(instance.pids()? == before, "an actor was restarted by a broken file");
    // The same file again: read, and needlessly nobody restarted.
    instance.home.configure(&good)?;
    instance.kick(Signal::HUP)?;
    let done = instance.order(Verb::Reload)?;
    pass_time(ms(300));
    ensure!(instance.pids()? == before, "an actor was restarted by an unchanged file");
    instance.finish()?;
    pass(format!(
        "{} broken files refused by name, same processes throughout; good again: `{done}`",
        broken.len()
    ))
}

/// A second supervisor.
pub const TWO: Row = Row {
    name: "two-supervisors",
    about: "the second one exits 75 within a second, naming the pid",
    run: two,
};

fn two(setup: &Setup) -> Check<Outcome> {
    let mut instance = Instance::up(setup, "two", Settings::default())?;
    let rounds = setup.pick(5, 100);
    let first = instance.supervisor()?;
    let mut waits = Vec::new();
    let log = instance.home.dir().join("second.log");
    for round in 0..rounds {
        drop(std::fs::remove_file(&log));
        let begun = now();
        let mut second = instance.command(&log)?.spawn()?;
        let status = eventually("the second one ends", s(10), || second.try_wait().ok().flatten())?;
        waits.push(in_ms(begun.elapsed()));
        ensure!(status.code() == Some(75), "round {round}: it ended with {status}");
        let said = std::fs::read_to_string(&log)?;
        ensure!(
            said.contains(&first.to_string()),
            "round {round}: it does not name {first}: `{}`",
            said.trim()
        );
        ensure!(instance.status().is_ok(), "round {round}: the first one does not answer any more");
    }
    let answer = instance.ask("two", "m1", "note: the first one lives")?;
    ensure!(answer.text.starts_with("Noted"), "answered `{}`", answer.text);
    instance.finish()?;
    let (p50, p99, worst) = spread(&mut waits);
    ensure!(worst < setup.bound(1_000.0), "one took {worst:.0} ms");
    pass(format!(
        "{rounds} of {rounds} refused with 75 naming pid, {p50:.1}/{p99:.1} ms p50/p99; sockets of the first untouched"
    ))
}
