//! Actors that live and do nothing, and a supervisor that stood still itself.

use crate::{
    Check, Instance, Outcome, Row, Setup, client, ensure,
    home::Settings,
    instance::actors,
    procs,
    report::{pass, spread},
    wait::{eventually, in_ms, ms, now, pass_time, s},
};
use protocol::control::Verb;
use rustix::process::Signal;

/// SIGSTOP, each actor in turn.
pub const FROZEN: Row =
    Row { name: "hang-sigstop", about: "noticed by missing pongs, replaced, requests answered", run: frozen };

fn frozen(setup: &Setup) -> Check<Outcome> {
    let settings =
        Settings { ping_ms: 200, misses: 3, term_ms: 300, ladder_ms: vec![0], ..Settings::default() };
    let mut instance = Instance::up(setup, "frozen", settings)?;
    let mut waits = Vec::new();
    for role in actors() {
        let before = instance.role(role)?;
        let begun = now();
        ensure!(procs::kick(before.pid, Signal::STOP), "{role} is gone");
        let asked = {
            let (socket, role) = (instance.local_socket(), role.to_owned());
            std::thread::spawn(move || {
                client::ask(&socket, "frozen", &role, &format!("note: while {role} is frozen"), s(25))
            })
        };
        let after = instance.reborn(role, before.generation, s(25))?;
        waits.push(in_ms(begun.elapsed()));
        ensure!(after.last_death.starts_with("hung"), "{role}: cause is `{}`", after.last_death);
        let answer = asked.join().map_err(|_| "the asking thread panicked")??;
        ensure!(answer.text.starts_with("Noted"), "answered `{}`", answer.text);
    }
    instance.finish()?;
    let (p50, _, worst) = spread(&mut waits);
    pass(format!(
        "each of {} roles replaced; frozen to ready {p50:.0} ms p50, {worst:.0} ms at most, with 3 pings of 200 ms",
        waits.len()
    ))
}

/// Busy for ever.
pub const SPINNING: Row = Row {
    name: "hang-busy-loop",
    about: "killed, the request charged and parked, others flow",
    run: spinning,
};

fn spinning(setup: &Setup) -> Check<Outcome> {
    poison(setup, "spin")
}

/// Blocked in a call.
pub const SLEEPING: Row =
    Row { name: "hang-blocking-sleep", about: "the same for a handler that sleeps", run: sleeping };

fn sleeping(setup: &Setup) -> Check<Outcome> {
    poison(setup, "sleep")
}

/// A request over which an actor hangs each time; twenty good ones behind it.
fn poison(setup: &Setup, how: &'static str) -> Check<Outcome> {
    let settings =
        Settings { ping_ms: 150, misses: 2, term_ms: 150, ladder_ms: vec![0], ..Settings::default() };
    let mut instance = Instance::up(setup, how, settings.fault("reason", "take", "poisonous", how, 600_000))?;
    let begun = now();
    let bad = {
        let socket = instance.local_socket();
        std::thread::spawn(move || client::ask(&socket, "bad", "m", "note: poisonous", s(40)))
    };
    let good: Vec<_> = (0..20)
        .map(|n| {
            let socket = instance.local_socket();
            std::thread::spawn(move || {
                client::ask(
                    &socket,
                    &format!("good-{}", n % 5),
                    &format!("m{n}"),
                    &format!("note: wholesome {n}"),
                    s(40),
                )
            })
        })
        .collect();
    let mut noted = 0;
    for one in good {
        let answer = one.join().map_err(|_| "the asking thread panicked")??;
        noted += usize::from(answer.text.starts_with("Noted"));
    }
    let answer = bad.join().map_err(|_| "the asking thread panicked")??;
    let took = in_ms(begun.elapsed());
    ensure!(noted == 20, "{noted} of 20 good requests were done");
    ensure!(answer.parked, "the bad one was answered: `{}`", answer.text);
    let parked = instance.held(Verb::ParkedList)?;
    ensure!(parked.len() == 1, "{} parked: {parked:?}", parked.len());
    let reason = instance.role("reason")?;
    ensure!(reason.restarts == 3, "reason died {} times, not 3", reason.restarts);
    ensure!(reason.last_death.starts_with("hung"), "cause is `{}`", reason.last_death);
    let bad =
        crate::org::entries(&instance.home.memex())?.iter().filter(|e| e.title.contains("poisonous")).count();
    ensure!(bad == 0, "the parked request has written");
    // Thought over by the owner: given up, and nothing is held any more.
    instance.order(Verb::ParkedDrop { turn: parked[0].turn.clone() })?;
    ensure!(instance.held(Verb::ParkedList)?.is_empty(), "still parked after dropping it");
    instance.finish()?;
    pass(format!(
        "3 hangs charged, then parked (`{}`); 20 of 20 others done; {took:.0} ms in all",
        parked[0].what
    ))
}

/// The machine was asleep: nobody else is to blame.
pub const SUSPENDED: Row = Row {
    name: "suspend-resume",
    about: "no false hang kills after the supervisor stood still",
    run: suspended,
};

fn suspended(setup: &Setup) -> Check<Outcome> {
    let settings = Settings { ping_ms: 200, misses: 2, ..Settings::default() };
    let mut instance = Instance::up(setup, "suspend", settings)?;
    let before = instance.pids()?;
    let (rounds, long) = (setup.pick(1, 4), setup.pick(s(2), s(6)));
    for round in 0..rounds {
        // Also with a request in hand.
        let asked = {
            let socket = instance.local_socket();
            std::thread::spawn(move || {
                client::ask(&socket, "suspend", &format!("m{round}"), &format!("note: asleep {round}"), s(30))
            })
        };
        pass_time(ms(round));
        instance.kick(Signal::STOP)?;
        pass_time(long);
        instance.kick(Signal::CONT)?;
        let answer = asked.join().map_err(|_| "the asking thread panicked")??;
        ensure!(answer.text.starts_with("Noted"), "answered `{}`", answer.text);
        // Several intervals, in which a false alarm would strike.
        pass_time(ms(1_000));
    }
    let after = instance.pids()?;
    ensure!(before == after, "an actor was replaced: {before:?} and {after:?}");
    eventually("healthy", s(3), || {
        instance.status().is_ok_and(|status| status.roles.iter().all(|r| r.restarts == 0)).then_some(())
    })?;
    instance.finish()?;
    pass(format!("{rounds} times {} s still with pings of 200 ms and 2 misses: 0 kills", long.as_secs()))
}
