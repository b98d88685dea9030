//! The nine reports of section F of the supervision spec.

use crate::{
    Check, Instance, Outcome, Row, Setup, client,
    client::Seen,
    ensure,
    home::Settings,
    instance::actors,
    procs,
    proof::guarantees::{CLOCK, MEMORY, ORPHANS},
    report::{pass, spread},
    wait::{eventually, in_ms, ms, now, pass_time, s},
};
use protocol::control::Verb;
use rustix::process::Signal;

/// openclaw#739: position lost at a restart, old messages answered again.
pub const F1: Row =
    Row { name: "F1", about: "redelivery of everything after each restart: one reply each", run: f1 };

fn f1(setup: &Setup) -> Check<Outcome> {
    let mut instance = Instance::up(setup, "f1", Settings::default())?;
    let (restarts, messages) = (setup.pick(3, 20), 10);
    let mut first: Vec<client::Answer> = Vec::new();
    for round in 0..=restarts {
        for n in 0..messages {
            // Never confirmed, so that it is re-served for ever.
            let text = if n % 2 == 0 { format!("note: update {n}") } else { format!("outside: update {n}") };
            let answer =
                client::ask_and(Seen::Kept, &instance.local_socket(), "f1", &format!("u{n}"), &text, s(20))?;
            if round == 0 {
                first.push(answer);
            } else {
                ensure!(
                    first[n] == answer,
                    "round {round}: another answer to u{n}: `{}` and `{}`",
                    first[n].text,
                    answer.text
                );
            }
        }
        if round < restarts {
            instance.kill_supervisor()?;
            instance.start()?;
            instance.ready()?;
        }
    }
    let notes = crate::org::entries(&instance.home.memex())?.len();
    let lines = instance.home.outside_lines().len();
    ensure!(
        notes == messages / 2 && lines == messages / 2,
        "{notes} notes and {lines} effects of {} each",
        messages / 2
    );
    instance.finish()?;
    pass(format!(
        "{messages} messages re-served after each of {restarts} kills: {notes} notes, {lines} effects, answers unchanged"
    ))
}

/// circus#1157: endless retries flood the log, ctl dead, other services never start.
pub const F2: Row =
    Row { name: "F2", about: "one role cannot start: others do, ctl quick, few log lines", run: f2 };

fn f2(setup: &Setup) -> Check<Outcome> {
    // A binary of its own per role there is not; a role that dies at once is the same to the supervisor.
    let settings = Settings {
        ladder_ms: vec![0, 250, 1_000, 4_000, 15_000, 60_000],
        degraded_after: 5,
        degraded_every_ms: 60_000,
        ..Settings::default()
    };
    let mut instance = Instance::new(setup, "f2", settings.fault("reason", "boot", "", "abort", 0))?;
    instance.start()?;
    eventually("the others are ready", s(10), || {
        let status = instance.status().ok()?;
        status.roles.iter().all(|r| r.role == "reason" || r.actual == "ready").then_some(())
    })?;
    let mut waits = Vec::new();
    let times = setup.pick(10, 50);
    for _ in 0..times {
        let begun = now();
        instance.status()?;
        waits.push(in_ms(begun.elapsed()));
        pass_time(ms(190));
    }
    let (p50, _, worst) = spread(&mut waits);
    let lines = std::fs::read_to_string(instance.home.log())?.lines().count();
    let deaths = instance.role("reason")?.restarts;
    ensure!(worst < setup.bound(100.0), "ctl took {worst:.0} ms");
    ensure!(lines < 50, "{lines} log lines");
    instance.finish()?;
    pass(format!(
        "status {times} times: {p50:.1} ms p50, {worst:.1} ms at most; {lines} log lines, {deaths} tries"
    ))
}

/// circus#965: the flapping logic revives what was stopped on purpose.
pub const F3: Row = Row {
    name: "F3",
    about: "stopped while waiting for its next try: stays down, also after a restart",
    run: f3,
};

fn f3(setup: &Setup) -> Check<Outcome> {
    let settings = Settings { ladder_ms: vec![700], ..Settings::default() };
    let mut instance = Instance::up(setup, "f3", settings)?;
    let of = instance.role("reason")?;
    procs::kick(of.pid, Signal::KILL);
    eventually("it waits for its next try", s(5), || {
        instance.role("reason").is_ok_and(|r| r.actual == "backoff").then_some(())
    })?;
    instance.order(Verb::Stop { role: "reason".into() })?;
    let generation = instance.role("reason")?.generation;
    pass_time(ms(2_300));
    let still = instance.role("reason")?;
    ensure!(
        still.actual == "down" && still.desired == "down" && still.generation == generation,
        "after three delays: {still:?}"
    );
    instance.kill_supervisor()?;
    instance.start()?;
    eventually("the others are ready", s(10), || {
        let status = instance.status().ok()?;
        status.roles.iter().all(|r| r.role == "reason" || r.actual == "ready").then_some(())
    })?;
    pass_time(ms(800));
    let after = instance.role("reason")?;
    ensure!(after.actual == "down" && after.pid == 0, "after a restart of the supervisor: {after:?}");
    // A reload must not revive it either.
    instance.order(Verb::Reload)?;
    ensure!(instance.role("reason")?.actual == "down", "a reload revived it");
    instance.order(Verb::Start { role: "reason".into() })?;
    instance.ready()?;
    instance.finish()?;
    pass("down through three delays, a killed supervisor and a reload; up again when told")
}

/// process-compose#403: a failed health probe kills for good.
pub const F4: Row =
    Row { name: "F4", about: "a frozen actor is replaced with the intervals of real life", run: f4 };

fn f4(setup: &Setup) -> Check<Outcome> {
    if setup.scale == crate::Scale::Short {
        return Ok(Outcome::Skip("takes 20 s with the default intervals; the full form does it".into()));
    }
    let mut instance = Instance::new(setup, "f4", Settings::default())?;
    instance.home.configure("")?;
    instance.start()?;
    instance.ready()?;
    let of = instance.role("reason")?;
    let begun = now();
    procs::kick(of.pid, Signal::STOP);
    let after = instance.reborn("reason", of.generation, s(40))?;
    let took = in_ms(begun.elapsed());
    ensure!(after.pid != of.pid, "the same process");
    ensure!(took < 25_000.0, "ready after {took:.0} ms, 25 s are allowed");
    instance.finish()?;
    pass(format!("new process ready {:.1} s after SIGSTOP, cause `{}`", took / 1000.0, after.last_death))
}

/// process-compose#49: children of children survive the shutdown.
pub const F5: Row =
    Row { name: "F5", about: "a double-forked child that ignores TERM: none left after stop", run: f5 };

fn f5(setup: &Setup) -> Check<Outcome> {
    (ORPHANS.run)(setup)
}

/// OpenDeck#329: children die when a worker thread ends.
pub const F6: Row = Row { name: "F6", about: "idle and busy for a while: same processes", run: f6 };

fn f6(setup: &Setup) -> Check<Outcome> {
    let mut instance = Instance::up(setup, "f6", Settings::default())?;
    let before = instance.pids()?;
    let threads = std::fs::read_dir(format!("/proc/{}/task", instance.supervisor()?))?.count();
    // Longer than the 10 s for which an idle thread of a pool is kept.
    let long = setup.pick(s(2), s(25));
    for n in 0..3 {
        instance.ctl(Verb::Doctor)?;
        instance.ctl(Verb::JournalVerify)?;
        instance.ask("f6", &format!("m{n}"), "agenda")?;
        pass_time(long / 3);
    }
    ensure!(instance.pids()? == before, "an actor was replaced");
    instance.finish()?;
    pass(format!(
        "{} s with doctor, verify and requests between: same processes; supervisor has {threads} threads (the report's 15 minutes were not waited for)",
        long.as_secs()
    ))
}

/// supervisor#1043: clock set back while starting.
pub const F7: Row = Row { name: "F7", about: "clock jumps while starting and waiting", run: f7 };

fn f7(setup: &Setup) -> Check<Outcome> {
    (CLOCK.run)(setup)
}

/// taskiq-aio-pika#35: a message that gets the worker killed is redelivered for ever.
pub const F8: Row =
    Row { name: "F8", about: "a request that eats all memory: parked, the others flow", run: f8 };

fn f8(setup: &Setup) -> Check<Outcome> {
    (MEMORY.run)(setup)
}

/// overmind#186: a leftover socket blocks the next start.
pub const F9: Row = Row { name: "F9", about: "killed and started again many times at once", run: f9 };

fn f9(setup: &Setup) -> Check<Outcome> {
    let mut instance = Instance::up(setup, "f9", Settings::default())?;
    let rounds = setup.pick(5, 50);
    let mut waits = Vec::new();
    for n in 0..rounds {
        instance.kill_supervisor()?;
        ensure!(instance.ctl_socket().exists(), "no socket was left behind: the case does not arise");
        let begun = now();
        instance.start()?;
        instance.ready()?;
        waits.push(in_ms(begun.elapsed()));
        if n % 10 == 0 {
            let log = instance.home.dir().join("second.log");
            let mut second = instance.command(&log)?.spawn()?;
            let status = eventually("the second one ends", s(10), || second.try_wait().ok().flatten())?;
            ensure!(status.code() == Some(75), "beside a live one: {status}");
            ensure!(instance.status().is_ok(), "the live one does not answer any more");
        }
    }
    let (p50, p99, _) = spread(&mut waits);
    ensure!(actors().len() == instance.status()?.roles.len(), "roles are missing");
    instance.finish()?;
    pass(format!(
        "{rounds} kills: all ready again after {p50:.0}/{p99:.0} ms p50/p99; beside a live one always 75"
    ))
}
