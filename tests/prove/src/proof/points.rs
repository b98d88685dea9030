//! Each actor killed once at each step of a turn, by name; then the supervisor at each moment of one.

use crate::{
    Check, Fault, Instance, Setup, client,
    client::{Seen, key},
    ensure,
    home::Settings,
    instance::actors,
    org,
    wait::{eventually, ms, pass_time, s},
    wire::Talk,
};
use protocol::control::Verb;

/// Time between a death and the next life: enough to take the fault out of the settings.
const PAUSE_MS: u64 = 500;

/// What a turn is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Note,
    Outside,
    Query,
}

const KINDS: [Kind; 3] = [Kind::Note, Kind::Outside, Kind::Query];

/// Runs all steps and returns figures.
pub(super) fn run(setup: &Setup) -> Check<String> {
    let settings = Settings { ladder_ms: vec![PAUSE_MS], ..Settings::default() };
    let mut instance = Instance::up(setup, "points", settings)?;
    let (mut done, mut unreachable, mut faults) = (0, Vec::new(), Vec::new());
    let mut number = 0;
    let mut cases: Vec<(&'static str, &'static str, Kind)> = Vec::new();
    for role in actors() {
        for at in ["take", "send"] {
            cases.extend(KINDS.map(|kind| (role, at, kind)));
        }
    }
    cases.extend(["effect", "commit"].map(|at| ("act", at, Kind::Outside)));
    cases.extend(["effect", "commit"].map(|at| ("memory", at, Kind::Note)));
    if setup.args.iter().any(|arg| arg == "--moments") {
        cases.clear();
    }
    if setup.scale == crate::Scale::Short {
        let mut nth = 0;
        cases.retain(|(role, at, _)| {
            nth += 1;
            nth % 4 == 0 || (*role, *at) == ("act", "commit")
        });
    }
    for (role, at, kind) in cases {
        number += 1;
        let label = format!("{role} at {at} of a {kind:?} turn");
        match strike(&mut instance, role, at, kind, number) {
            Ok(true) => done += 1,
            Ok(false) => unreachable.push(label),
            Err(fault) => {
                println!("  points: {label}: FAIL {fault}");
                faults.push(format!("{label}: {fault}"));
                instance.keep();
                instance = Instance::up(
                    setup,
                    "points",
                    Settings { ladder_ms: vec![PAUSE_MS], ..Settings::default() },
                )?;
            }
        }
    }
    for role in actors() {
        for at in ["boot", "start"] {
            let skipped = setup.args.iter().any(|arg| arg == "--moments");
            if skipped || (setup.scale == crate::Scale::Short && role != "memory") {
                continue;
            }
            number += 1;
            match birth(&mut instance, role, at, number) {
                Ok(()) => done += 1,
                Err(fault) => {
                    println!("  points: {role} at {at}: FAIL {fault}");
                    faults.push(format!("{role} at {at}: {fault}"));
                    instance.keep();
                    instance = Instance::up(
                        setup,
                        "points",
                        Settings { ladder_ms: vec![PAUSE_MS], ..Settings::default() },
                    )?;
                }
            }
        }
    }
    let rounds = setup.number("--moments")?.unwrap_or(setup.pick(6, 60));
    if let Err(fault) = supervisor(&mut instance, rounds) {
        println!("  points: supervisor: FAIL {fault}");
        faults.push(format!("supervisor: {fault}"));
        instance.keep();
    }
    if faults.is_empty() {
        instance.finish()?;
    }
    let never = if unreachable.is_empty() {
        String::new()
    } else {
        format!(" (no such step: {})", unreachable.join(", "))
    };
    let figures = format!("{done} kills by name{never}, {rounds} of the supervisor at each moment");
    if faults.is_empty() {
        Ok(figures)
    } else {
        Err(Fault(format!("{} of the kills by name: {}; {figures}", faults.len(), faults.join("; "))))
    }
}

/// Kills one actor once, at one point of one turn. False when the turn does not come by there.
fn strike(
    instance: &mut Instance,
    role: &'static str,
    at: &'static str,
    kind: Kind,
    number: u32,
) -> Check<bool> {
    let token = format!("zp{number}pz");
    let text = match kind {
        Kind::Note => format!("note: point {token}"),
        Kind::Outside => format!("outside: {token}"),
        Kind::Query => format!("find {token}"),
    };
    // The gateway sees only the answer of an outside turn.
    let contains = if role == "gateway:local" && kind == Kind::Outside {
        "Told the outside".to_owned()
    } else {
        token.clone()
    };
    let plain = instance.settings.clone().harmless();
    instance.set(plain.clone().fault(role, at, &contains, "kill", 0))?;
    instance.order(Verb::Reload)?;
    let before = instance.ready()?;
    let of = |name: &str| {
        before.roles.iter().find(|r| r.role == name).map_or((0, 0), |r| (r.restarts, r.generation))
    };
    let (deaths, generation) = of(role);
    let others: Vec<(String, u32)> =
        before.roles.iter().filter(|r| r.role != role).map(|r| (r.role.clone(), r.pid)).collect();
    let (message, socket) = (format!("p{number}"), instance.local_socket());
    let asked = {
        let (message, text) = (message.clone(), text.clone());
        std::thread::spawn(move || client::ask_and(Seen::Kept, &socket, "points", &message, &text, s(30)))
    };
    let struck = eventually("the fault strikes", s(10), || {
        let died = instance.role(role).is_ok_and(|now| now.restarts > deaths);
        // Answered without a death: the turn does not come by.
        died.then_some(true).or_else(|| {
            asked.is_finished().then_some(instance.role(role).is_ok_and(|now| now.restarts > deaths))
        })
    })?;
    instance.set(plain)?;
    instance.order(Verb::Reload)?;
    if struck {
        instance.reborn(role, generation, s(10))?;
    }
    let answer = asked.join().map_err(|_| "the asking thread panicked")??;
    instance.ready()?;
    ensure!(!answer.parked, "parked after one death: {}", answer.text);
    judge(instance, kind, &token, &message, &text, &answer)?;
    if struck {
        let now = instance.status()?;
        let restarts = now.roles.iter().find(|r| r.role == role).map_or(0, |r| r.restarts);
        ensure!(restarts == deaths + 1, "{role} died {} times, not once", restarts - deaths);
        for (name, pid) in others {
            let same = now.roles.iter().any(|r| r.role == name && r.pid == pid);
            ensure!(same, "{name} did not keep its process");
        }
        let expected = match (role, at) {
            ("act", "effect") => Some((0, true)),
            ("act", "commit") => Some((1, true)),
            _ => None,
        };
        if let Some((lines, listed)) = expected {
            let there =
                instance.home.outside_lines().iter().filter(|(_, text)| text.contains(&token)).count();
            ensure!(there == lines, "{there} effects, not {lines}");
            let turn = key("points", &message);
            let held = instance.held(Verb::UncertainList)?.iter().any(|held| turn.starts_with(&held.turn));
            ensure!(held == listed, "listed as uncertain: {held}");
        }
    }
    Ok(struck)
}

/// One answer, however often it is asked for; written once, or an effect at most once and shown if unsure.
fn judge(
    instance: &Instance,
    kind: Kind,
    token: &str,
    message: &str,
    text: &str,
    answer: &client::Answer,
) -> Check {
    let again = instance.ask("points", message, text)?;
    ensure!(
        again.turn == answer.turn && again.text == answer.text,
        "two answers: `{}` and `{}`",
        answer.text,
        again.text
    );
    let entries = org::entries(&instance.home.memex())?;
    let notes = entries.iter().filter(|entry| entry.title.contains(token)).count();
    let lines = instance.home.outside_lines().iter().filter(|(_, text)| text.contains(token)).count();
    let wanted = usize::from(kind == Kind::Note);
    ensure!(notes == wanted, "{notes} entries, expected {wanted}; answer `{}`", answer.text);
    match kind {
        Kind::Note => ensure!(answer.text.starts_with("Noted in"), "answer `{}`", answer.text),
        Kind::Outside => {
            ensure!(lines <= 1, "{lines} effects");
            let held = instance.held(Verb::UncertainList)?;
            let listed = held.iter().any(|held| answer.turn.starts_with(&held.turn));
            let confirmed = answer.text == "Told the outside." || answer.text == "That was done already.";
            ensure!(confirmed || listed, "neither confirmed nor listed: {lines} effects, `{}`", answer.text);
            ensure!(!confirmed || lines == 1, "confirmed with {lines} effects");
        }
        Kind::Query => ensure!(lines == 0, "a query had an effect"),
    }
    Ok(())
}

/// An actor that dies as soon as it is born, once; a request that comes meanwhile is answered afterwards.
fn birth(instance: &mut Instance, role: &'static str, at: &'static str, number: u32) -> Check {
    let plain = instance.settings.clone().harmless();
    let before = instance.ready()?;
    let of = before.roles.iter().find(|r| r.role == role).map_or((0, 0), |r| (r.restarts, r.generation));
    instance.set(plain.clone().fault(role, at, "", "kill", 0))?;
    instance.order(Verb::Reload)?;
    eventually("it dies at its birth", s(10), || {
        instance.role(role).is_ok_and(|r| r.restarts > of.0).then_some(())
    })?;
    let (message, text) = (format!("b{number}"), format!("note: birth zp{number}pz"));
    let asked = {
        let (message, text, socket) = (message.clone(), text.clone(), instance.local_socket());
        std::thread::spawn(move || client::ask_and(Seen::Kept, &socket, "points", &message, &text, s(30)))
    };
    instance.set(plain)?;
    instance.order(Verb::Reload)?;
    instance.reborn(role, of.1, s(15))?;
    let answer = asked.join().map_err(|_| "the asking thread panicked")??;
    judge(instance, Kind::Note, &format!("zp{number}pz"), &message, &text, &answer)
}

/// The supervisor killed ever later after a message was said, and started at once.
fn supervisor(instance: &mut Instance, rounds: u64) -> Check {
    for round in 0..rounds {
        let kind = KINDS[round as usize % 2];
        let token = format!("zs{round}sz");
        let text = match kind {
            Kind::Outside => format!("outside: {token}"),
            Kind::Note | Kind::Query => format!("note: point {token}"),
        };
        let message = format!("s{round}");
        let mut talk = Talk::open(&instance.local_socket(), "points")?;
        talk.say(&message, &text)?;
        // Steps of half a millisecond over the length of a turn.
        pass_time(ms(round % 60 / 2));
        instance.kill_supervisor()?;
        instance.start()?;
        let answer =
            match client::ask_and(Seen::Kept, &instance.local_socket(), "points", &message, &text, s(10)) {
                Ok(answer) => answer,
                Err(fault) => return Err(silence(instance, &message, &text, &fault)),
            };
        ensure!(!answer.parked, "parked by the death of the supervisor: {}", answer.text);
        judge(instance, kind, &token, &message, &text, &answer)
            .map_err(|fault| Fault(format!("round {round}: {fault}")))?;
        instance.ready()?;
    }
    Ok(())
}

/// No answer came: says what the daemon thinks of it, and whether a new connection hears more.
fn silence(instance: &Instance, message: &str, text: &str, fault: &Fault) -> Fault {
    let counts =
        instance.status().map(|status| format!("{:?}", status.counts)).unwrap_or_else(|fault| fault.0);
    let again = match client::ask_and(Seen::Kept, &instance.local_socket(), "points", message, text, s(5)) {
        Ok(answer) => format!("a new connection hears `{}`", answer.text),
        Err(fault) => format!("nor on a new connection: {fault}"),
    };
    Fault(format!("{fault}; {again}; {counts}"))
}
