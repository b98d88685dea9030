//! Peers at the two sockets that go away in the middle, or that never read.

use crate::{
    Check, Instance, Outcome, Row, Setup, client, ensure,
    home::Settings,
    procs,
    report::{pass, spread},
    wait::{eventually, in_ms, ms, now, pass_time, s},
    wire::{self, Talk, Wire},
};
use protocol::{control::Verb, limits::CTL_FRAME_MAX};

/// A client that goes while it is answered.
pub const GONE: Row = Row {
    name: "ctl-client-gone",
    about: "gone mid-reply, with a half frame, or with nonsense: no harm",
    run: gone,
};

fn gone(setup: &Setup) -> Check<Outcome> {
    let mut instance = Instance::up(setup, "gone", Settings::default())?;
    let before = instance.pids()?;
    let open_before = procs::descriptors(instance.supervisor()?).len();
    let rounds = setup.pick(40, 300);
    let mut turned_away = 0;
    for round in 0..rounds {
        let mut wire = Wire::open(&instance.ctl_socket(), CTL_FRAME_MAX)?;
        let sent = match round % 5 {
            0 => wire.send(&wire::request(Verb::Status)?),
            1 => wire.send(&wire::request(Verb::Tail { lines: 500, follow: true })?),
            2 => wire.send_raw(&[0, 0, 1]),
            3 => wire.send_raw(&[0xff; 64]),
            _ => {
                let doctor = wire::request(Verb::Doctor)?;
                (0..20).try_for_each(|_| wire.send(&doctor))
            }
        };
        // More come at once than there are places: a closed door is no fault.
        turned_away += usize::from(sent.is_err());
        drop(wire);
        // The people's socket too.
        if let Ok(mut talk) = Talk::open(&instance.local_socket(), "gone") {
            drop(talk.say(&format!("m{round}"), "agenda"));
        }
    }
    // Followers of the log who go while nothing is logged: their places are free all the same.
    eventually("nothing is in hand any more", s(30), || {
        instance.status().is_ok_and(|status| status.counts.open == 0).then_some(())
    })?;
    let quiet = eventually("descriptors of the gone are closed", s(10), || {
        let open = procs::descriptors(instance.supervisor().ok()?).len();
        (open <= open_before + 2).then_some(open)
    })?;
    for _ in 0..50 {
        let mut wire = Wire::open(&instance.ctl_socket(), CTL_FRAME_MAX)?;
        wire.send(&wire::request(Verb::Tail { lines: 0, follow: true })?)?;
        wire.receive(s(1))?;
    }
    eventually("places of followers who are gone are free", s(2), || {
        let supervisor = instance.supervisor().ok()?;
        (procs::descriptors(supervisor).len() <= quiet + 5).then_some(())
    })?;
    ensure!(instance.pids()? == before, "a process was replaced");
    let answer = instance.ask("gone", "last", "note: still here")?;
    ensure!(answer.text.starts_with("Noted"), "answered `{}`", answer.text);
    let open_after = eventually("descriptors of the gone are closed", s(10), || {
        let n = procs::descriptors(instance.supervisor().ok()?).len();
        (n <= open_before + 2).then_some(n)
    })?;
    instance.finish()?;
    pass(format!(
        "{rounds} clients gone in five ways on both sockets ({turned_away} turned away), then 50 followers: same processes, descriptors {open_before} before and {open_after} after"
    ))
}

/// Operators that never read.
pub const DEAF_OPERATOR: Row = Row {
    name: "ctl-never-reads",
    about: "dropped in time; ctl and people do not wait for it",
    run: deaf_operator,
};

fn deaf_operator(setup: &Setup) -> Check<Outcome> {
    let mut instance = Instance::up(setup, "deaf", Settings::default())?;
    let mut deaf = Vec::new();
    for _ in 0..20 {
        let mut wire = Wire::open(&instance.ctl_socket(), CTL_FRAME_MAX)?;
        wire.send(&wire::request(Verb::Tail { lines: 1_000, follow: true })?)?;
        // Far more than a socket holds, and nothing is ever read.
        for _ in 0..200 {
            if wire.send(&wire::request(Verb::Status)?).is_err() {
                break;
            }
        }
        deaf.push(wire);
    }
    let mut waits = Vec::new();
    let (mut asks, begun) = (Vec::new(), now());
    let mut round = 0;
    while begun.elapsed() < setup.pick(s(3), s(10)) {
        let asked = now();
        instance.status()?;
        waits.push(in_ms(asked.elapsed()));
        let asked = now();
        instance.ask("deaf", &format!("m{round}"), "agenda")?;
        asks.push(in_ms(asked.elapsed()));
        round += 1;
        pass_time(ms(20));
    }
    let (_, p99, _) = spread(&mut waits);
    let (_, ask99, _) = spread(&mut asks);
    ensure!(p99 < setup.bound(100.0), "ctl took {p99:.0} ms at p99 beside deaf clients");
    ensure!(ask99 < setup.bound(500.0), "people waited {ask99:.0} ms at p99 beside deaf operators");
    drop(deaf);
    instance.finish()?;
    pass(format!("20 deaf clients: ctl {p99:.1} ms p99 of {}, people {ask99:.1} ms p99", waits.len()))
}

/// People that never read.
pub const DEAF_PERSON: Row = Row {
    name: "client-never-reads",
    about: "others answered, memory bounded, its answers kept",
    run: deaf_person,
};

fn deaf_person(setup: &Setup) -> Check<Outcome> {
    let mut instance = Instance::up(setup, "mute", Settings::default())?;
    let gateway = instance.role("gateway:local")?.pid;
    let resident = procs::resident_kib(gateway);
    let rounds = setup.pick(100, 1_500);
    let mut deaf = Talk::open(&instance.local_socket(), "mute")?;
    let mut said = 0;
    for n in 0..rounds {
        // At some point the kernel makes it wait: then it has said enough.
        if deaf.say(&format!("m{n}"), "help").is_err() {
            break;
        }
        said += 1;
    }
    let mut asks = Vec::new();
    for n in 0..50 {
        let asked = now();
        let answer = instance.ask("other", &format!("m{n}"), &format!("note: beside {n}"))?;
        asks.push(in_ms(asked.elapsed()));
        ensure!(answer.text.starts_with("Noted"), "answered `{}`", answer.text);
    }
    let (p50, p99, _) = spread(&mut asks);
    let grown = procs::resident_kib(gateway).saturating_sub(resident);
    ensure!(instance.role("gateway:local")?.pid == gateway, "the gateway was replaced");
    ensure!(p99 < setup.bound(1_000.0), "others waited {p99:.0} ms at p99");
    ensure!(grown < 16 * 1024, "the gateway grew by {grown} KiB");
    drop(deaf);
    // What it never read is there when it comes back.
    let first = client::ask(&instance.local_socket(), "mute", "m0", "help", s(20))?;
    ensure!(!first.text.is_empty() && !first.parked, "the first answer is gone");
    instance.finish()?;
    pass(format!(
        "{said} messages never read: others {p50:.1}/{p99:.1} ms p50/p99, gateway grew by {grown} KiB, its answers came later"
    ))
}

/// Lists of the operator that are longer than a frame.
pub const LONG_LISTS: Row = Row {
    name: "long-lists",
    about: "hundreds of uncertain effects are listed all the same",
    run: long_lists,
};

fn long_lists(setup: &Setup) -> Check<Outcome> {
    let settings = Settings { ladder_ms: vec![0], degraded_after: 1_000, ..Settings::default() };
    let mut instance = Instance::up(setup, "long", settings.fault("act", "effect", "maybe", "kill", 0))?;
    let many = setup.pick(30, 600);
    for n in 0..many {
        let answer = instance.ask(
            &format!("a rather long name of a conversation {n}"),
            "m",
            &format!("outside: maybe {n}"),
        )?;
        ensure!(!answer.parked, "parked after one death: {}", answer.text);
    }
    ensure!(
        instance.home.outside_lines().is_empty(),
        "an effect happened after its actor was killed before it"
    );
    let counted = instance.status()?.counts.uncertain;
    ensure!(counted == many, "{counted} uncertain effects are counted, {many} were made");
    // What does not fit into a frame may be cut with a word on it, but not be silence.
    let held = instance
        .held(Verb::UncertainList)
        .map_err(|fault| format!("{many} uncertain effects cannot be listed: {fault}"))?;
    ensure!(!held.is_empty(), "nothing is listed");
    instance.finish()?;
    pass(format!("{many} uncertain effects, {} listed at once", held.len()))
}
