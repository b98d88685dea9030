//! Random blows under load, then peace, then judgement.

mod judge;
mod person;

use crate::{
    Check, Fault, Instance, Setup,
    home::Settings,
    procs,
    random::Random,
    report::spread,
    wait::{eventually, in_ms, ms, now, pass_time, s},
};
use judge::{Evidence, Verdict};
use person::{Message, Person};
use protocol::control::Verb;
use rustix::process::Signal;
use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// Conversations at the same time.
const PEOPLE: u64 = 8;

/// Time between two blows, in ms: several turns fit between, and each start is over before the next blow on average.
const BETWEEN: (u64, u64) = (20, 400);

/// How long everything may take to be answered once there is peace.
const PEACE: Duration = Duration::from_secs(120);

/// What all threads share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Nothing new is said any more.
    enough: AtomicBool,
    /// Nobody waits any longer.
    give_up: AtomicBool,
    /// Messages answered.
    answered: AtomicU64,
    /// Messages said again after a long silence.
    silences: AtomicU64,
    /// Connections that broke.
    breaks: AtomicU64,
}

/// What the blows came to.
#[derive(Debug, Default)]
struct Blows {
    kills: BTreeMap<String, u64>,
    freezes: BTreeMap<String, u64>,
    starts: u64,
}

pub(super) fn run(setup: &Setup) -> Check<String> {
    let turns = setup.number("--turns")?.unwrap_or(setup.pick(300, 20_000));
    let seconds = setup.number("--seconds")?.unwrap_or(setup.pick(8, 3_600));
    let seed = match setup.number("--seed")? {
        Some(seed) => seed,
        None => std::time::UNIX_EPOCH.elapsed().map_or(1, |d| u64::from(d.subsec_nanos())),
    };
    println!(
        "  storm: seed {seed}; repeat with: tests/show chaos --turns {turns} --seed {seed} --seconds {seconds}"
    );
    let settings = Settings {
        ping_ms: 100,
        misses: 5,
        start_ms: 3_000,
        term_ms: 200,
        ladder_ms: vec![0, 20, 50],
        orphan_ms: 1_000,
        more: "[turn]\nretries = 50\n".into(),
        ..Settings::default()
    };
    let mut instance = Instance::up(setup, "storm", settings)?;
    let calm = setup.args.iter().any(|arg| arg == "--calm");
    let judged = storm(&mut instance, turns, seconds, seed, calm);
    if judged.is_err() {
        instance.keep();
        println!("  storm: the home is kept in {}", instance.home.dir().display());
    }
    judged
}

fn storm(instance: &mut Instance, turns: u64, seconds: u64, seed: u64, calm: bool) -> Check<String> {
    let shared = Shared::default();
    let socket = instance.local_socket();
    let begun = now();
    let end = begun + s(seconds);
    let results: Mutex<Vec<Message>> = Mutex::default();
    let mut blows = Blows::default();
    let (mut stormed, mut peaceful) = (Duration::ZERO, Ok(()));
    let finished = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for number in 0..PEOPLE {
            let (shared, results, socket, finished) = (&shared, &results, &socket, &finished);
            let share = turns / PEOPLE + u64::from(number < turns % PEOPLE);
            scope.spawn(move || {
                let mut person = Person::new(number, seed, share);
                person.live(socket, shared);
                if let Ok(mut results) = results.lock() {
                    results.extend(person.into_messages());
                }
                finished.fetch_add(1, Ordering::Relaxed);
            });
        }
        let over = || finished.load(Ordering::Relaxed) == PEOPLE;
        let struck = match calm {
            true => watch(end, &shared, &over),
            false => rage(instance, seed, end, &shared, &mut blows, &over),
        };
        stormed = begun.elapsed();
        shared.enough.store(true, Ordering::Relaxed);
        peaceful = struck.and_then(|()| eventually("everybody is answered", PEACE, || over().then_some(())));
        shared.give_up.store(true, Ordering::Relaxed);
    });
    let messages = results.into_inner().unwrap_or_default();
    if let Err(fault) = peaceful {
        println!("  storm: {fault}");
    }
    let status = instance.ready()?;
    let uncertain = instance.held(Verb::UncertainList)?;
    let parked = instance.held(Verb::ParkedList)?;
    let open = status.counts.open;
    let (tree, memory) = rebirth(instance)?;
    instance.finish()?;
    let evidence = Evidence {
        entries: crate::org::entries(&instance.home.memex())?,
        outside: instance.home.outside_lines(),
        uncertain: uncertain.iter().map(|held| held.turn.clone()).collect(),
        parked: parked.iter().map(|held| held.turn.clone()).collect(),
        open,
    };
    let Verdict { faults, words } = judge::judge(&messages, &evidence);
    let mut waits: Vec<f64> = messages.iter().filter_map(Message::wait).map(in_ms).collect();
    let (p50, p99, _) = spread(&mut waits);
    let rate = waits.len() as f64 / stormed.as_secs_f64().max(0.001);
    let figures = format!(
        "seed {seed}: {} messages, {words}; kills {}; freezes {}; supervisor starts {}; connections broken {}, silences {}; {rate:.0} turns/s, p50 {p50:.1} ms, p99 {p99:.0} ms; at the end the tree is back in {tree:.0} ms, memory in {memory:.0} ms",
        messages.len(),
        counted(&blows.kills),
        counted(&blows.freezes),
        blows.starts,
        shared.breaks.load(Ordering::Relaxed),
        shared.silences.load(Ordering::Relaxed),
    );
    if faults.is_empty() {
        Ok(figures)
    } else {
        for fault in faults.iter().take(40) {
            println!("    {fault}");
        }
        Err(Fault(format!("{} faults, the first: {}; {figures}", faults.len(), faults[0])))
    }
}

fn counted(of: &BTreeMap<String, u64>) -> String {
    let words: Vec<String> = of.iter().map(|(name, n)| format!("{name} {n}")).collect();
    if words.is_empty() { "none".into() } else { words.join(" ") }
}

/// Strikes until everybody is done or the time is over; leaves the tree running and nobody frozen.
fn rage(
    instance: &mut Instance,
    seed: u64,
    end: Instant,
    shared: &Shared,
    blows: &mut Blows,
    over: &dyn Fn() -> bool,
) -> Check {
    let mut random = Random::new(seed ^ 0xb105);
    let mut frozen: Vec<(Instant, u32)> = Vec::new();
    let mut told = now();
    let mut pids: BTreeMap<String, u32> = BTreeMap::new();
    while !over() && now() < end {
        pass_time(ms(random.between(BETWEEN.0, BETWEEN.1)));
        thaw(&mut frozen, now());
        if told.elapsed() > s(10) {
            told = now();
            println!(
                "  storm: {} answered, {} kills",
                shared.answered.load(Ordering::Relaxed),
                blows.kills.values().sum::<u64>()
            );
        }
        for (role, pid) in children(instance.supervisor()?) {
            pids.insert(role, pid);
        }
        let roles: Vec<(String, u32)> = pids.iter().map(|(role, pid)| (role.clone(), *pid)).collect();
        match random.below(100) {
            0..=11 => {
                blow_supervisor(instance, blows)?;
                pids.clear();
            }
            // Both at once: the supervisor just after an actor.
            12..=15 if !roles.is_empty() => {
                kill(random.one(&roles), blows);
                blow_supervisor(instance, blows)?;
                pids.clear();
            }
            16..=23 if !roles.is_empty() => {
                let (role, pid) = random.one(&roles).clone();
                if procs::kick(pid, Signal::STOP) {
                    *blows.freezes.entry(role).or_default() += 1;
                    // Half of them stay frozen until the health check finds them.
                    if random.percent(50) {
                        frozen.push((now() + ms(random.between(20, 1_500)), pid));
                    }
                }
            }
            24..=33 if roles.len() > 1 => {
                kill(random.one(&roles), blows);
                kill(random.one(&roles), blows);
            }
            _ if !roles.is_empty() => kill(random.one(&roles), blows),
            _ => {}
        }
    }
    thaw(&mut frozen, now() + s(3_600));
    Ok(())
}

/// The same without a blow, for comparison.
fn watch(end: Instant, shared: &Shared, over: &dyn Fn() -> bool) -> Check {
    let mut told = now();
    while !over() && now() < end {
        pass_time(ms(20));
        if told.elapsed() > s(10) {
            told = now();
            println!("  storm: {} answered, calm", shared.answered.load(Ordering::Relaxed));
        }
    }
    Ok(())
}

/// How long the whole tree, and memory alone, take to come back with all that there is by now, in ms.
fn rebirth(instance: &mut Instance) -> Check<(f64, f64)> {
    instance.kill_supervisor()?;
    let begun = now();
    instance.start()?;
    instance.ready()?;
    let tree = in_ms(begun.elapsed());
    let of = instance.role("memory")?;
    let begun = now();
    procs::kick(of.pid, Signal::KILL);
    instance.reborn("memory", of.generation, s(20))?;
    Ok((tree, in_ms(begun.elapsed())))
}

fn thaw(frozen: &mut Vec<(Instant, u32)>, until: Instant) {
    frozen.retain(|(at, pid)| {
        if *at > until {
            return true;
        }
        procs::kick(*pid, Signal::CONT);
        false
    });
}

fn kill((role, pid): &(String, u32), blows: &mut Blows) {
    if procs::kick(*pid, Signal::KILL) {
        *blows.kills.entry(role.clone()).or_default() += 1;
    }
}

fn blow_supervisor(instance: &mut Instance, blows: &mut Blows) -> Check {
    instance.kill_supervisor()?;
    *blows.kills.entry("supervisor".into()).or_default() += 1;
    instance.start()?;
    blows.starts += 1;
    Ok(())
}

/// Returns the actors below a supervisor, by what the kernel shows: the daemon is not asked.
fn children(supervisor: u32) -> Vec<(String, u32)> {
    let of = procs::all().into_iter().filter(|p| p.parent == supervisor && p.state != 'Z');
    of.filter_map(|p| {
        let line = std::fs::read(format!("/proc/{}/cmdline", p.pid)).ok()?;
        let mut words = line.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        let role = words.find(|word| word == "actor").and_then(|_| words.next())?;
        Some((role.into_owned(), p.pid))
    })
    .collect()
}
