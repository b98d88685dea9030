//! Actors that die: by a blow, unasked with code 0, at every birth, or that are just slow.

use crate::{
    Check, Instance, Outcome, Row, Setup, ensure,
    home::Settings,
    instance::actors,
    procs,
    report::{pass, spread},
    wait::{eventually, in_ms, ms, now, pass_time, s},
};
use protocol::control::Verb;
use rustix::process::Signal;

/// Killed again and again.
pub const CRASH: Row =
    Row { name: "actor-crashes", about: "ready again in time, others untouched, nothing lost", run: crash };

fn crash(setup: &Setup) -> Check<Outcome> {
    let mut instance = Instance::up(setup, "crash", Settings { ladder_ms: vec![0], ..Settings::default() })?;
    let rounds = setup.pick(2, 20);
    let mut figures = Vec::new();
    for role in actors() {
        let mut took = Vec::new();
        for round in 0..rounds {
            let before = instance.status()?;
            let Some(of) = before.roles.iter().find(|r| r.role == role) else {
                return Err("role is missing".into());
            };
            let begun = now();
            ensure!(procs::kick(of.pid, Signal::KILL), "{role} was gone already");
            let after = eventually("it is ready again", s(10), || {
                let now = instance.status().ok()?;
                let again = now
                    .roles
                    .iter()
                    .any(|r| r.role == role && r.generation > of.generation && r.actual == "ready");
                again.then_some(now)
            })?;
            took.push(in_ms(begun.elapsed()));
            let untouched = after
                .roles
                .iter()
                .filter(|r| r.role != role)
                .all(|r| before.roles.iter().any(|b| b.role == r.role && b.pid == r.pid));
            ensure!(untouched, "another role lost its process when {role} was killed");
            let answer =
                instance.ask("crash", &format!("{role}-{round}"), &format!("note: after {role} {round}"))?;
            ensure!(answer.text.starts_with("Noted"), "answered `{}`", answer.text);
        }
        let (p50, p99, _) = spread(&mut took);
        let goal = if role == "memory" { 300.0 } else { 50.0 };
        let word = if p99 <= goal { "" } else { " (over its goal on this machine just now)" };
        figures.push(format!("{role} {p50:.1}/{p99:.1}{word}"));
    }
    let entries = crate::org::entries(&instance.home.memex())?.len();
    let wanted = rounds * actors().len();
    ensure!(entries == wanted, "{entries} notes of {wanted}");
    instance.finish()?;
    pass(format!(
        "{rounds} kills each; kill to ready p50/p99 ms: {}; {entries} notes, each once",
        figures.join(", ")
    ))
}

/// Exit code 0 that nobody asked for.
pub const EXIT_0: Row =
    Row { name: "exit-0-unasked", about: "counts as a failure and is mended", run: exit_0 };

fn exit_0(setup: &Setup) -> Check<Outcome> {
    let settings = Settings { ladder_ms: vec![300], ..Settings::default() };
    let mut instance =
        Instance::up(setup, "exit0", settings.clone().fault("reason", "take", "leave now", "exit0", 0))?;
    let asked = {
        let socket = instance.local_socket();
        std::thread::spawn(move || crate::client::ask(&socket, "exit", "m1", "note: leave now", s(20)))
    };
    let died =
        eventually("reason leaves", s(10), || instance.role("reason").ok().filter(|r| r.restarts == 1))?;
    instance.set(settings)?;
    instance.order(Verb::Reload)?;
    let answer = asked.join().map_err(|_| "the asking thread panicked")??;
    ensure!(died.last_death == "exit 0", "cause is `{}`", died.last_death);
    ensure!(answer.text.starts_with("Noted"), "answered `{}`", answer.text);
    instance.finish()?;
    pass("counted as a death (`exit 0`), started again, the request answered")
}

/// Dies at every birth.
pub const CRASH_LOOP: Row = Row {
    name: "crash-loop-at-boot",
    about: "delays grow, ctl quick, told once, others untouched",
    run: crash_loop,
};

fn crash_loop(setup: &Setup) -> Check<Outcome> {
    let settings = Settings {
        ladder_ms: vec![0, 100, 200, 400],
        degraded_after: 3,
        degraded_every_ms: 1_000,
        ..Settings::default()
    };
    let mut instance = Instance::up(setup, "loop", settings.clone())?;
    let before = instance.pids()?;
    instance.set(settings.clone().fault("reason", "boot", "", "abort", 0))?;
    instance.order(Verb::Reload)?;
    // A message that waits, and somebody who listens for notices.
    let mut talk = crate::wire::Talk::open(&instance.local_socket(), "loop")?;
    talk.say("m1", "note: patience")?;
    let begun = now();
    let (mut waits, mut degraded, mut notices) = (Vec::new(), false, 0);
    let long = setup.pick(s(4), s(12));
    while begun.elapsed() < long {
        let asked = now();
        let status = instance.status()?;
        waits.push(in_ms(asked.elapsed()));
        degraded |= status.roles.iter().any(|r| r.role == "reason" && r.actual == "degraded")
            && status.health == "degraded";
        if let Ok(Some(protocol::control::Server::Answer { turn, text, message })) = talk.hear(ms(20)) {
            if text.contains("keeps dying") {
                notices += 1;
                ensure!(message.is_empty(), "the notice claims to answer `{message}`");
            }
            talk.tell(&protocol::control::Client::Seen { turn })?;
        }
    }
    let deaths = instance.role("reason")?.restarts;
    let others =
        instance.pids()?.into_iter().filter(|(role, _)| role != "reason").all(|pair| before.contains(&pair));
    let (p50, p99, worst) = spread(&mut waits);
    ensure!(others, "another role lost its process");
    ensure!(degraded, "never shown as degraded");
    ensure!(notices == 1, "the owner was told {notices} times, not once");
    ensure!(p99 < setup.bound(100.0), "ctl took {p99:.0} ms at p99");
    // 3 quick ones, then at least a second apart.
    let most = 5 + long.as_secs() as u32;
    ensure!(deaths <= most, "{deaths} starts in {} s are no ladder", long.as_secs());
    instance.set(settings)?;
    instance.order(Verb::Reload)?;
    let answer = instance.ask("loop", "m1", "note: patience")?;
    ensure!(answer.text.starts_with("Noted"), "answered `{}`", answer.text);
    instance.ready()?;
    instance.finish()?;
    pass(format!(
        "{deaths} deaths in {} s, told once, ctl {p50:.1}/{p99:.1}/{worst:.1} ms (p50/p99/max of {}), then mended by a reload",
        long.as_secs(),
        waits.len()
    ))
}

/// Slow, but alive.
pub const SLOW_START: Row = Row {
    name: "slow-start",
    about: "not ready before Ready, not killed before its time, killed after it",
    run: slow_start,
};

fn slow_start(setup: &Setup) -> Check<Outcome> {
    let settings = Settings { start_ms: 3_000, ..Settings::default() };
    let slow = settings.clone().fault("memory", "start", "", "sleep", 1_500);
    let mut instance = Instance::new(setup, "slow", slow)?;
    let begun = now();
    instance.start()?;
    pass_time(ms(500));
    let early = instance.role("memory")?.actual;
    ensure!(early == "starting", "memory is `{early}` before it said so");
    let status = instance.ready()?;
    let took = in_ms(begun.elapsed());
    let deaths: u32 = status.roles.iter().map(|r| r.restarts).sum();
    ensure!(took >= 1_400.0 && deaths == 0, "ready after {took:.0} ms with {deaths} deaths");
    // Beyond its time it counts as hung.
    instance.set(Settings { start_ms: 300, ..settings }.fault("memory", "start", "", "sleep", 60_000))?;
    instance.order(Verb::Reload)?;
    let late = eventually("a start that never ends is ended", s(10), || {
        instance.role("memory").ok().filter(|r| r.restarts >= 1)
    })?;
    ensure!(late.last_death.starts_with("hung"), "cause is `{}`", late.last_death);
    instance.set(Settings::default())?;
    instance.order(Verb::Reload)?;
    instance.ready()?;
    instance.finish()?;
    pass(format!(
        "ready after {took:.0} ms of 1500 asleep, no death; one that sleeps on: `{}`",
        late.last_death
    ))
}
