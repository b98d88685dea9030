//! The tree: start, turns, deaths, memory, the command line.

use super::{Table, limits};
use crate::{
    Check, Instance, Outcome, Setup, ensure,
    home::Settings,
    procs,
    report::spread,
    wait::{eventually, in_ms, ms, now, s},
    wire::Talk,
};
use protocol::control::{Client, Server};
use std::{fmt::Write as _, path::Path};

/// Entries of the memex that everything is measured on.
const ENTRIES: usize = 1_000;

/// Entries of an inbox that nobody empties.
const INBOX_ENTRIES: usize = 2_500;

pub fn run(setup: &Setup) -> Check<Outcome> {
    let turns = usize::try_from(setup.number("--turns")?.unwrap_or(setup.pick(300, 20_000))).unwrap_or(300);
    let mut table = Table::default();
    let mut instance = Instance::new(setup, "bench", Settings { ladder_ms: vec![0], ..Settings::default() })?;
    fill(&instance.home.memex())?;
    command_line(setup, &mut table)?;
    start(&mut instance, setup, &mut table)?;
    let idle = tree_pss(&instance)?;
    table.below("idle memory of the tree (PSS)", idle, 25.0, "MB", "all six processes");
    talk(&instance, setup, &mut table)?;
    deaths(&instance, setup, &mut table)?;
    flat(&instance, turns, idle, &mut table)?;
    again(&mut instance, turns, &mut table)?;
    instance.finish()?;
    grown(setup, &mut table)?;
    trusted_base(&table);
    table.verdict(&format!("{ENTRIES} entries, {turns} turns"))
}

/// Writes a memex of a thousand entries in ten files.
fn fill(memex: &Path) -> Check {
    for file in 0..10 {
        let mut text = format!("#+TITLE: File {file}\n");
        for entry in 0..ENTRIES / 10 {
            let n = file * 100 + entry;
            let todo = if n % 3 == 0 { "TODO " } else { "" };
            writeln!(text, "* {todo}Entry {n} about subject {}", n % 97).map_err(|e| e.to_string())?;
            if n % 3 == 0 {
                writeln!(text, "SCHEDULED: <2026-{:02}-{:02}>", n % 12 + 1, n % 28 + 1)
                    .map_err(|e| e.to_string())?;
            }
            writeln!(
                text,
                "Some words on it, number {n}, in a line of ordinary length that nobody will read."
            )
            .map_err(|e| e.to_string())?;
        }
        std::fs::write(memex.join(format!("file{file}.org")), text)?;
    }
    Ok(())
}

fn command_line(setup: &Setup, table: &mut Table) -> Check {
    let rounds = setup.pick(10, 60);
    let (bare, ..) = limits::fork_exec(Path::new("/bin/true"), &[], rounds)?;
    let (help, ..) = limits::fork_exec(&setup.binary, &["ctl", "--help"], rounds)?;
    table.below(
        "`passepartout ctl --help`, p50",
        help,
        10.0 + bare,
        "ms",
        &format!("fork and exec of /bin/true {bare:.2} ms"),
    );
    let peak = peak_mib(&setup.binary, &["ctl", "--help"])?;
    table.below("`passepartout ctl --help`, peak memory", peak, 12.0, "MB", "resident, as the kernel counts");
    Ok(())
}

fn start(instance: &mut Instance, setup: &Setup, table: &mut Table) -> Check {
    let (bare, ..) = limits::fork_exec(&setup.binary, &["--version"], 10)?;
    let mut took = Vec::new();
    for round in 0..setup.pick(3, 15) {
        if round > 0 {
            instance.finish()?;
        }
        let begun = now();
        instance.start()?;
        instance.ready()?;
        took.push(in_ms(begun.elapsed()));
    }
    let (p50, _, most) = spread(&mut took);
    let beside = format!("most {most:.1}; one bare start of the binary {bare:.2} ms");
    table.below("start to all actors ready, p50", p50, 150.0, "ms", &beside);
    Ok(())
}

/// Turns one after the other on one connection: the own time of a turn, since there is no model.
fn talk(instance: &Instance, setup: &Setup, table: &mut Table) -> Check {
    let rounds = setup.pick(30, 400);
    let hop = limits::ping_pong(2_000)?;
    let state = instance.home.state();
    let sync = limits::append_sync(&state, rounds)?;
    let replace = limits::replace_file(&instance.home.memex(), 20_000, rounds.min(100))?;
    table.show(
        "limit: socketpair ping-pong, p50",
        hop.0 * 1000.0,
        "us",
        &format!("p99 {:.1} us", hop.1 * 1000.0),
    );
    table.show("limit: append and fdatasync, p50", sync.0, "ms", &format!("p99 {:.2} ms", sync.1));
    table.show(
        "limit: file of 20 kB replaced with care, p50",
        replace.0,
        "ms",
        &format!("p99 {:.2} ms", replace.1),
    );
    // What a turn must wait for: two syncs of the journal; a write one more, and a log, a file, a folder of memory's.
    let kinds = [
        ("answer without memory (`help`)", "help", 2.0 * sync.0, 2.0 * sync.1),
        ("question to memory (`tasks`)", "tasks", 2.0 * sync.0, 2.0 * sync.1),
        ("search (`find subject 42`)", "find subject 42", 2.0 * sync.0, 2.0 * sync.1),
        (
            "write (`note: ...`)",
            "note: one more line of the bench",
            4.0 * sync.0 + replace.0,
            4.0 * sync.1 + replace.1,
        ),
    ];
    let mut talk = Talk::open(&instance.local_socket(), "bench")?;
    for (number, (what, text, floor, floor_p99)) in kinds.into_iter().enumerate() {
        let mut took = Vec::new();
        let mut accepted = Vec::new();
        for round in 0..rounds {
            let begun = now();
            talk.say(&format!("b{number}-{round}"), text)?;
            let turn = loop {
                match talk.hear(s(10))? {
                    Some(Server::Accepted { .. }) => accepted.push(in_ms(begun.elapsed())),
                    Some(Server::Answer { turn, .. }) => break turn,
                    Some(Server::Welcome { .. } | Server::Pong) => {}
                    other => return Err(format!("unexpected: {other:?}").into()),
                }
            };
            took.push(in_ms(begun.elapsed()));
            talk.tell(&Client::Seen { turn })?;
        }
        let (p50, p99, _) = spread(&mut took);
        let (told, ..) = spread(&mut accepted);
        let beside = format!("disk alone {floor:.2}; accepted after {told:.2}");
        table.below(&format!("turn: {what}, p50"), p50, 5.0f64.max(3.0 * floor), "ms", &beside);
        table.below(
            &format!("turn: {what}, p99"),
            p99,
            25.0f64.max(3.0 * floor_p99),
            "ms",
            &format!("disk alone {floor_p99:.2}"),
        );
    }
    // A message that is known and answered: to the hub and back through the gateway, without the disk.
    let mut took = Vec::new();
    for _ in 0..rounds {
        let begun = now();
        talk.say("b0-0", "help")?;
        loop {
            if let Some(Server::Accepted { .. }) = talk.hear(s(10))? {
                break;
            }
        }
        took.push(in_ms(begun.elapsed()) * 1000.0);
    }
    let (p50, p99, _) = spread(&mut took);
    let beside = format!("p99 {p99:.0}; two bare round trips {:.0}", 2.0 * hop.0 * 1000.0);
    table.show("client to hub and back, p50", p50, "us", &beside);
    Ok(())
}

fn deaths(instance: &Instance, setup: &Setup, table: &mut Table) -> Check {
    let rounds = setup.pick(4, 60);
    let (bare, bare_p99, _) = limits::fork_exec(&setup.binary, &["--version"], rounds)?;
    for role in crate::instance::actors() {
        let mut took = Vec::new();
        for _ in 0..rounds {
            let before = instance.role(role)?;
            ensure!(procs::kick(before.pid, rustix::process::Signal::KILL), "{role} is gone already");
            let begun = now();
            eventually("ready again", s(10), || {
                let after = instance.role(role).ok()?;
                (after.generation > before.generation && after.actual == "ready").then_some(())
            })?;
            took.push(in_ms(begun.elapsed()));
        }
        let (p50, p99, _) = spread(&mut took);
        let goal = if role == "memory" { 300.0 } else { 50.0 };
        let beside = format!("p50 {p50:.2}; bare fork and exec {bare:.2}, p99 {bare_p99:.2}");
        table.below(&format!("kill -9 of {role} to ready, p99"), p99, goal, "ms", &beside);
    }
    Ok(())
}

/// Many turns, and what the tree weighs afterwards.
fn flat(instance: &Instance, turns: usize, idle: f64, table: &mut Table) -> Check {
    let mut talk = Talk::open(&instance.local_socket(), "flat")?;
    let warm = turns / 4;
    let mut first = idle;
    let begun = now();
    for turn in 0..turns {
        let text = match turn % 4 {
            0 => "tasks",
            1 => "find subject 13",
            2 => "agenda today",
            _ => "help",
        };
        talk.say(&format!("f{turn}"), text)?;
        loop {
            match talk.hear(s(10))? {
                Some(Server::Answer { turn, .. }) => {
                    talk.tell(&Client::Seen { turn })?;
                    break;
                }
                Some(_) => {}
                None => return Err("no answer in 10 s".into()),
            }
        }
        if turn == warm {
            first = tree_pss(instance)?;
        }
    }
    let rate = turns as f64 / begun.elapsed().as_secs_f64();
    let last = tree_pss(instance)?;
    table.show("turns per second, one conversation", rate, "/s", "");
    let beside = format!("{first:.1} MB after {warm}, {last:.1} MB after {turns} turns");
    table.below("growth of the tree over the turns", last - first, 2.0, "MB", &beside);
    Ok(())
}

/// The same start with the journal that the turns have left.
fn again(instance: &mut Instance, turns: usize, table: &mut Table) -> Check {
    let mut took = Vec::new();
    let mut bytes = 0;
    for _ in 0..5 {
        bytes = instance.status()?.counts.journal_bytes;
        instance.finish()?;
        let begun = now();
        instance.start()?;
        instance.ready()?;
        took.push(in_ms(begun.elapsed()));
    }
    let (p50, _, most) = spread(&mut took);
    let beside = format!("most {most:.1}; journal of {bytes} bytes");
    table.below(&format!("start after {turns} turns, p50"), p50, 150.0, "ms", &beside);
    Ok(())
}

/// Notes into an inbox that has grown for years: each write puts the whole file anew.
fn grown(setup: &Setup, table: &mut Table) -> Check {
    let rounds = setup.pick(20, 200);
    let mut instance = Instance::new(setup, "grown", Settings::default())?;
    let mut text = String::from("#+TITLE: Inbox\n");
    for n in 0..INBOX_ENTRIES {
        let created = ":PROPERTIES:\n:CREATED: [2026-11-30 Mon 22:16]\n:END:";
        writeln!(text, "* Entry {n} of an inbox that nobody empties\n{created}")
            .map_err(|e| e.to_string())?;
    }
    let inbox = instance.home.memex().join("inbox.org");
    std::fs::write(&inbox, &text)?;
    instance.start()?;
    instance.ready()?;
    let sync = limits::append_sync(&instance.home.state(), rounds)?;
    let replace = limits::replace_file(&instance.home.memex(), text.len(), rounds)?;
    let mut talk = Talk::open(&instance.local_socket(), "grown")?;
    let mut took = Vec::new();
    for round in 0..rounds {
        let begun = now();
        talk.say(&format!("g{round}"), &format!("note: number {round} of the bench"))?;
        let turn = loop {
            if let Some(Server::Answer { turn, .. }) = talk.hear(s(10))? {
                break turn;
            }
        };
        took.push(in_ms(begun.elapsed()));
        talk.tell(&Client::Seen { turn })?;
    }
    let (p50, p99, _) = spread(&mut took);
    let floor = 4.0 * sync.0 + replace.0;
    let beside = format!("p99 {p99:.1}; disk alone {floor:.2}; {} kB", text.len() / 1000);
    let what = format!("note into an inbox of {INBOX_ENTRIES} entries, p50");
    // DESIGN section 9 has no goal for a file of this size: it shows how a write grows with its file.
    table.show(&what, p50, "ms", &beside);
    instance.finish()
}

/// Proportional memory of supervisor and actors, in MB, once they have come to rest.
fn tree_pss(instance: &Instance) -> Check<f64> {
    let status = instance.status()?;
    let mut pids: Vec<u32> = status.roles.iter().map(|role| role.pid).collect();
    pids.push(status.pid);
    let mut total = 0;
    let mut last = u64::MAX;
    drop(eventually("memory at rest", ms(500), || {
        total = pids.iter().map(|pid| pss_kib(*pid)).sum();
        let rest = total == last;
        last = total;
        rest.then_some(())
    }));
    ensure!(total > 0, "smaps_rollup cannot be read");
    Ok(total as f64 / 1024.0)
}

/// Proportional memory of a process, in KiB.
pub fn pss_kib(pid: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"));
    line.and_then(|rest| rest.split_ascii_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Peak resident memory of one run, in MB, as `wait4` hands it over with the death; std has no form of that. The kernel
/// counts the forking interpreter in, so this is an upper bound.
fn peak_mib(program: &Path, args: &[&str]) -> Check<f64> {
    let text = std::process::Command::new("python3").args(["-ISc", PEAK]).arg(program).args(args).output()?;
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    let kib: f64 = text.trim().parse().map_err(|_| format!("no figure from wait4: `{text}`"))?;
    Ok(kib / 1024.0)
}

const PEAK: &str = "import os, sys
pid = os.fork()
if pid == 0:
    null = os.open('/dev/null', os.O_RDWR)
    for fd in (0, 1, 2): os.dup2(null, fd)
    os.execv(sys.argv[1], sys.argv[1:])
print(os.wait4(pid, 0)[2].ru_maxrss)";

/// How much has to be right.
fn trusted_base(table: &Table) {
    for (name, folder) in [
        ("protocol", "protocol/src"),
        ("link", "protocol/link/src"),
        ("kit", "actors/kit/src"),
        ("supervisor", "supervisor/src"),
    ] {
        let (code, tests) = lines(Path::new(folder));
        if code > 0 {
            table.show(
                &format!("lines of code of {name}"),
                code as f64,
                "",
                &format!("and {tests} of tests"),
            );
        }
    }
}

/// Counts lines of code and of tests below a folder of the checkout.
fn lines(folder: &Path) -> (usize, usize) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return (0, 0);
    };
    let (mut code, mut tests) = (0, 0);
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            let (c, t) = lines(&path);
            if path.ends_with("tests") {
                tests += c + t;
            } else {
                (code, tests) = (code + c, tests + t);
            }
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let end = text.lines().position(|line| line == "#[cfg(test)]").unwrap_or(usize::MAX);
            let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
            let all = text.lines().filter(is_code).count();
            let own = text.lines().take(end).filter(is_code).count();
            if path.ends_with("tests.rs") {
                tests += all;
            } else {
                (code, tests) = (code + own, tests + all - own);
            }
        }
    }
    (code, tests)
}
