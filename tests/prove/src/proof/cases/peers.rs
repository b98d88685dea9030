//! The cases P of the peers that this version can meet: with the local gateway instead of a bridge, with the reflexes
//! instead of a model.

use crate::{
    Check, Fault, Instance, Outcome, Row, Setup, client, ensure,
    home::Settings,
    instance::actors,
    procs,
    random::Random,
    report::pass,
    wait::{eventually, in_ms, ms, now, pass_time, s},
    wire::Talk,
};
use protocol::control::{Reply, Verb};
use rustix::process::Signal;

/// An actor killed mid-turn.
pub const P1: Row =
    Row { name: "P1", about: "an actor killed mid-turn: one reply each, others keep their pids", run: p1 };

fn p1(setup: &Setup) -> Check<Outcome> {
    let mut words = Vec::new();
    for role in actors() {
        // Slow enough that the blow falls while it is in hand.
        let settings = Settings { ping_ms: 5_000, ladder_ms: vec![300], ..Settings::default() };
        let slow = role != "gateway:local";
        let text = if role == "memory" { "note: m1 slow motion" } else { "find m1 slow motion" };
        let ordered = if slow {
            settings.clone().fault(role, "take", "slow motion", "sleep", 3_000)
        } else {
            settings.clone()
        };
        let mut instance = Instance::up(setup, "p1", ordered)?;
        let ask = |message: &'static str, text: &'static str| {
            let socket = instance.local_socket();
            std::thread::spawn(move || {
                client::ask_and(client::Seen::Kept, &socket, "p1", message, text, s(30))
            })
        };
        let first = ask("m1", text);
        if slow {
            eventually("it is in hand", s(5), || {
                instance.role(role).is_ok_and(|r| !r.current.is_empty()).then_some(())
            })?;
            pass_time(ms(300));
        }
        let before = instance.status()?;
        let of = instance.role(role)?;
        ensure!(procs::kick(of.pid, Signal::KILL), "{role} is gone");
        let second = ask("m2", "note: m2");
        // Ordered before the death is seen, a reload would replace the actor, and nothing would have died.
        eventually("its death is seen", s(5), || {
            instance.role(role).is_ok_and(|r| r.restarts > 0).then_some(())
        })?;
        // The fault is a property of the case, not of every life.
        instance.set(settings)?;
        instance.order(Verb::Reload)?;
        instance.reborn(role, of.generation, s(15))?;
        let first = first.join().map_err(|_| "the asking thread panicked")??;
        let second = second.join().map_err(|_| "the asking thread panicked")??;
        ensure!(!first.parked && !second.parked, "{role}: parked");
        ensure!(second.text.starts_with("Noted"), "{role}: answered `{}`", second.text);
        let again = instance.ask("p1", "m1", text)?;
        ensure!(again == first, "{role}: two answers: `{}` and `{}`", first.text, again.text);
        let after = instance.status()?;
        for r in after.roles.iter().filter(|r| r.role != role) {
            ensure!(
                before.roles.iter().any(|b| b.role == r.role && b.pid == r.pid),
                "{role} killed, {} did not keep its pid",
                r.role
            );
        }
        let now = instance.role(role)?;
        ensure!(
            now.restarts == 1 && now.last_death == "signal 9",
            "{role}: {} restarts, cause `{}`",
            now.restarts,
            now.last_death
        );
        let notes = crate::org::entries(&instance.home.memex())?.len();
        let wanted = if role == "memory" { 2 } else { 1 };
        ensure!(notes == wanted, "{role}: {notes} notes, not {wanted}");
        instance.finish()?;
        words.push(role);
    }
    pass(format!(
        "{} killed in turn: one reply to each message, others kept their pids, one restart with its cause",
        words.join(", ")
    ))
}

/// The gateway killed between taking a message and handing it on.
pub const P2: Row =
    Row { name: "P2", about: "gateway killed 0 to 1000 ms after three messages: each once", run: p2 };

fn p2(setup: &Setup) -> Check<Outcome> {
    let mut instance = Instance::up(setup, "p2", Settings { ladder_ms: vec![0], ..Settings::default() })?;
    let rounds = setup.pick(3, 25);
    let mut random = Random::new(7);
    let mut said = 0;
    for delay in [0, 5, 50, 200, 1_000] {
        let rounds = if delay == 1_000 { rounds.min(setup.pick(1, 25)) } else { rounds };
        for round in 0..rounds {
            let of = instance.role("gateway:local")?;
            let mut talk = Talk::open(&instance.local_socket(), "p2")?;
            for n in 0..3 {
                talk.say(&format!("u{delay}-{round}-{n}"), &format!("note: update {delay} {round} {n}"))?;
            }
            // Between two microseconds and the whole: the gap from taking to handing on is short.
            if delay == 0 {
                let begun = now();
                let until = random.below(1_500);
                while begun.elapsed().as_micros() < u128::from(until) {
                    std::hint::spin_loop();
                }
            } else {
                pass_time(ms(delay));
            }
            procs::kick(of.pid, Signal::KILL);
            for n in 0..3 {
                let answer = instance.ask(
                    "p2",
                    &format!("u{delay}-{round}-{n}"),
                    &format!("note: update {delay} {round} {n}"),
                )?;
                ensure!(answer.text.starts_with("Noted"), "answered `{}`", answer.text);
                said += 1;
            }
            instance.reborn("gateway:local", of.generation, s(10))?;
        }
    }
    let entries = crate::org::entries(&instance.home.memex())?;
    let distinct: std::collections::BTreeSet<&str> = entries.iter().map(|e| e.title.as_str()).collect();
    ensure!(
        entries.len() == said && distinct.len() == said,
        "{} entries, {} different ones, of {said}",
        entries.len(),
        distinct.len()
    );
    let duplicates = instance.status()?.counts.duplicates;
    ensure!(duplicates > 0, "no repeated delivery was seen: the case did not arise");
    instance.finish()?;
    pass(format!("{said} messages, each noted once; {duplicates} repeated deliveries recognised and counted"))
}

/// Circles and repetition.
pub const P7: Row = Row {
    name: "P7",
    about: "ceilings: charges, tries, circles; without a model as far as there are any",
    run: p7,
};

fn p7(setup: &Setup) -> Check<Outcome> {
    // The same fault over the same request: a few tries, then set aside, and not for ever.
    let mut instance = Instance::up(
        setup,
        "p7",
        Settings { ladder_ms: vec![0], ..Settings::default() }.fault(
            "act",
            "take",
            "again and again",
            "abort",
            0,
        ),
    )?;
    let answer = instance.ask("p7", "m1", "note: again and again")?;
    ensure!(answer.parked, "answered `{}`", answer.text);
    ensure!(
        answer.text.contains("parked retry") && answer.text.contains("parked drop"),
        "it does not say what to do: `{}`",
        answer.text
    );
    let act = instance.role("act")?;
    ensure!(act.restarts == 3, "{} deaths before it was set aside", act.restarts);
    let parked = instance.held(Verb::ParkedList)?;
    ensure!(parked.len() == 1, "{parked:?}");
    // Asked for again by the same client: the same word, no new try.
    let again = instance.ask("p7", "m1", "note: again and again")?;
    ensure!(again.parked && instance.role("act")?.restarts == 3, "asking again tried again");
    // The owner lets it try again: the same ceiling again.
    instance.order(Verb::ParkedRetry { turn: parked[0].turn.clone() })?;
    eventually("set aside again", s(10), || {
        (instance.role("act").is_ok_and(|r| r.restarts == 6)
            && instance.held(Verb::ParkedList).is_ok_and(|held| held.len() == 1))
        .then_some(())
    })?;
    // Mended, and tried once more: done, once.
    instance.set(Settings::default())?;
    instance.order(Verb::Reload)?;
    instance.ready()?;
    instance.order(Verb::ParkedRetry { turn: parked[0].turn.clone() })?;
    let done = instance.ask("p7", "m1", "note: again and again")?;
    ensure!(done.text.starts_with("Noted"), "answered `{}`", done.text);
    let notes = crate::org::entries(&instance.home.memex())?.len();
    ensure!(notes == 1, "{notes} notes");
    // A kill on the supervisor in between must not make the count begin anew.
    instance.set(Settings { ladder_ms: vec![400], ..Settings::default() }.fault(
        "act",
        "take",
        "without end",
        "abort",
        0,
    ))?;
    instance.order(Verb::Reload)?;
    instance.ready()?;
    let asked = {
        let socket = instance.local_socket();
        std::thread::spawn(move || client::ask(&socket, "p7", "m2", "note: without end", s(40)))
    };
    eventually("one death", s(10), || instance.role("act").is_ok_and(|r| r.restarts > 6).then_some(()))?;
    instance.kill_supervisor()?;
    instance.start()?;
    let last = asked.join().map_err(|_| "the asking thread panicked")??;
    ensure!(last.parked, "answered `{}`", last.text);
    let after = instance.role("act")?.restarts;
    ensure!(after <= 3, "{after} more deaths after the restart");
    instance.set(Settings::default())?;
    instance.order(Verb::Reload)?;
    instance.ready()?;
    instance.finish()?;
    pass(format!(
        "set aside after 3 deaths, again after 3 when retried, done once when mended; over a killed supervisor 1 + {after} deaths; circles through a model: no model in this version"
    ))
}

/// Bad settings.
pub const P11: Row = Row { name: "P11", about: "bad settings at the start and while running", run: p11 };

fn p11(setup: &Setup) -> Check<Outcome> {
    let files = [
        ("a", "misspelt limit", "[turn]\nwaitng = 5\n", "waitng", "waiting"),
        ("b", "unknown key elsewhere", "[log]\nlevle = \"info\"\n", "levle", "level"),
        ("c", "syntax", "[health\nping_ms = 5000\n", "", ""),
        ("c2", "wrong type", "[health]\nping_ms = \"often\"\n", "ping_ms", ""),
    ];
    let mut words = Vec::new();
    for (id, what, text, key, near) in files {
        let mut instance = Instance::new(setup, "p11", Settings::default())?;
        instance.home.configure(text)?;
        let begun = now();
        instance.start()?;
        let status = instance.wait(s(10))?;
        ensure!(status.code() == Some(78), "({id}) {what}: started with {status}");
        let said = std::fs::read_to_string(instance.home.log())?;
        ensure!(
            said.contains("config.toml") && said.contains(key) && said.contains(near),
            "({id}) {what}: the line does not name file, `{key}` and `{near}`: `{}`",
            said.trim()
        );
        ensure!(
            in_ms(begun.elapsed()) < 3_000.0,
            "({id}) {what}: took {:.0} ms to refuse",
            in_ms(begun.elapsed())
        );
        let line = said.lines().filter(|line| line.contains("config.toml")).count();
        ensure!(line >= 1 && said.lines().count() <= 3, "({id}) {what}: {} lines", said.lines().count());
        words.push(format!("({id}) `{}`", said.lines().next().unwrap_or("").trim()));
        // `ctl` can explain it when nobody answers.
        let last = std::fs::read_to_string(instance.home.state().join("last-words.txt"))
            .map_err(|error| Fault(format!("({id}) nothing is left for ctl to explain: {error}")))?;
        ensure!(last.contains(key), "({id}) what is left for ctl does not name the key: {last}");
        // While running the last good file stays in force.
        instance.home.configure("")?;
        instance.start()?;
        instance.ready()?;
        let before = instance.pids()?;
        instance.home.configure(text)?;
        instance.kick(Signal::HUP)?;
        let reply = instance.ctl(Verb::Reload)?;
        ensure!(matches!(reply, Reply::Refused { .. }), "({id}) {what}: taken while running: {reply:?}");
        let answer = instance.ask("p11", "m", "note: still the good one")?;
        ensure!(
            answer.text.starts_with("Noted") && instance.pids()? == before,
            "({id}) {what}: not as before"
        );
        instance.finish()?;
    }
    println!("    P11: {}", words.join("  "));
    pass(
        "refused with 78, file, key and nearest name in one line, explained for ctl; while running the last good file stays; (d) no released version has had other keys",
    )
}
