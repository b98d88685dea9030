//! A memex of 100,000 entries in 5,000 files: start, search, one changed file, memory. Each through the whole tree, as a
//! person meets it; the same walk by bare hands stands beside.

use super::bench::{Table, pss_kib};
use crate::{
    Check, Instance, Outcome, Setup, ensure,
    home::Settings,
    proof::Proof,
    random::Random,
    report::{percentile, spread},
    wait::{eventually, in_ms, now, s},
    wire::Talk,
};
use protocol::control::{Client, Server};
use std::{fmt::Write as _, fs, path::Path};

/// The entry of the list.
pub const PROOF: Proof = Proof {
    name: "scale",
    arguments: "--entries N --seed S",
    summary: "start, search, a changed file and memory at size",
    run,
};

/// Entries of a file.
const PER_FILE: usize = 20;

/// Words of a text.
const WORDS: usize = 45;

/// Different words of the language that is made up.
const VOCABULARY: u64 = 30_000;

fn run(setup: &Setup) -> Check<Outcome> {
    setup.only(&["--entries", "--seed"])?;
    let entries = usize::try_from(setup.number("--entries")?.unwrap_or(setup.pick(4_000, 100_000)));
    let entries = entries.map_err(|error| error.to_string())?;
    let seed = setup.number("--seed")?.unwrap_or(1);
    let mut table = Table::default();
    // As the product has it: the index of a large memex takes a moment to put away.
    let settings = Settings { start_ms: 120_000, term_ms: 5_000, ..Settings::default() };
    let mut instance = Instance::new(setup, "scale", settings)?;
    let bytes = fill(&instance.home.memex(), entries, seed)?;
    let size = format!("{} files, {:.1} MB", entries.div_ceil(PER_FILE), bytes as f64 / 1e6);
    println!("  {entries} entries in {size}");
    let share = entries as f64 / 100_000.0;
    let begun = now();
    let read = read_all(&instance.home.memex())?;
    let bare = in_ms(begun.elapsed());
    ensure!(read == bytes, "read {read} bytes of {bytes}");
    let begun = now();
    instance.start()?;
    instance.ready_within(s(120))?;
    let cold = in_ms(begun.elapsed());
    let beside = format!("every file read by bare hands {bare:.0} ms");
    table.below("start, nothing known yet", cold / 1000.0, 10.0 * share.max(0.1), "s", &beside);
    resident(&instance, "memory, after the cold start", share, &mut table)?;
    search(&instance, setup, seed, share, &mut table)?;
    changed(&instance, &mut table)?;
    let mut took = Vec::new();
    for _ in 0..setup.pick(2, 5) {
        instance.finish()?;
        let begun = now();
        instance.start()?;
        instance.ready_within(s(120))?;
        took.push(in_ms(begun.elapsed()));
    }
    let (p50, _, most) = spread(&mut took);
    let goal = (500.0 * share).max(150.0) + bare;
    table.below("start, index and store at hand, p50", p50, goal, "ms", &format!("most {most:.0}; {beside}"));
    resident(&instance, "memory, after the warm start", share, &mut table)?;
    let kept = tree_bytes(&instance.home.state())?;
    table.show("state folder", kept as f64 / 1e6, "MB", "store, index, journal");
    instance.finish()?;
    table.verdict(&format!("{entries} entries, seed {seed}"))
}

/// Makes the words of a question.
type Make<'a> = &'a dyn Fn(&mut Random) -> String;

/// A made-up word; low numbers are common.
fn word(random: &mut Random) -> String {
    let unit = random.below(1 << 20) as f64 / f64::from(1 << 20);
    named((unit.powi(3) * VOCABULARY as f64) as u64)
}

fn named(number: u64) -> String {
    let (mut rest, mut text) = (number + 7, String::new());
    while rest > 0 {
        text.push(char::from(b"bdfgklmnprstvz"[(rest % 14) as usize]));
        text.push(char::from(b"aeiou"[(rest / 14 % 5) as usize]));
        rest /= 70;
    }
    text
}

/// Writes the memex; returns its bytes.
fn fill(memex: &Path, entries: usize, seed: u64) -> Check<u64> {
    let mut random = Random::new(seed);
    let mut bytes = 0;
    for file in 0..entries.div_ceil(PER_FILE) {
        let folder = memex.join(format!("folder{}", file % 50));
        fs::create_dir_all(&folder)?;
        let mut text = format!("#+TITLE: File {file}\n");
        for place in 0..PER_FILE.min(entries - file * PER_FILE) {
            let n = file * PER_FILE + place;
            let stars = if place.is_multiple_of(4) { "*" } else { "**" };
            let todo = if n.is_multiple_of(7) { "TODO " } else { "" };
            let tag = if n.is_multiple_of(5) { format!(" :tag{}:", n % 40) } else { String::new() };
            let (a, b) = (word(&mut random), word(&mut random));
            writeln!(text, "{stars} {todo}{a} {b} number{n}{tag}").map_err(|e| e.to_string())?;
            if n.is_multiple_of(7) {
                writeln!(text, "SCHEDULED: <2027-{:02}-{:02}>", n % 12 + 1, n % 28 + 1)
                    .map_err(|e| e.to_string())?;
            }
            let words: Vec<String> = (0..WORDS).map(|_| word(&mut random)).collect();
            for line in words.chunks(12) {
                writeln!(text, "{}", line.join(" ")).map_err(|e| e.to_string())?;
            }
        }
        bytes += text.len() as u64;
        fs::write(folder.join(format!("file{file}.org")), text)?;
    }
    Ok(bytes)
}

fn read_all(folder: &Path) -> Check<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        bytes += if path.is_dir() { read_all(&path)? } else { fs::read(&path)?.len() as u64 };
    }
    Ok(bytes)
}

fn tree_bytes(folder: &Path) -> Check<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let meta = entry.metadata()?;
        bytes += if meta.is_dir() { tree_bytes(&entry.path())? } else { meta.len() };
    }
    Ok(bytes)
}

fn resident(instance: &Instance, what: &str, share: f64, table: &mut Table) -> Check {
    let pid = instance.role("memory")?.pid;
    let goal = (150.0 * share).max(25.0);
    table.below(what, pss_kib(pid) as f64 / 1024.0, goal, "MB", "proportional, as the kernel counts");
    Ok(())
}

/// Asks once, and returns how long it took in ms and what was answered.
fn ask(talk: &mut Talk, message: &str, text: &str) -> Check<(f64, String)> {
    let begun = now();
    talk.say(message, text)?;
    loop {
        if let Some(Server::Answer { turn, text, .. }) = talk.hear(s(20))? {
            let took = in_ms(begun.elapsed());
            talk.tell(&Client::Seen { turn })?;
            return Ok((took, text));
        }
    }
}

/// Searches through the whole tree; `help` beside it is the same way without a search.
fn search(instance: &Instance, setup: &Setup, seed: u64, share: f64, table: &mut Table) -> Check {
    let mut talk = Talk::open(&instance.local_socket(), "scale")?;
    let mut random = Random::new(seed ^ 0x5eed);
    let rounds = setup.pick(20, 200);
    let mut bare = Vec::new();
    for round in 0..rounds {
        bare.push(ask(&mut talk, &format!("h{round}"), "help")?.0);
    }
    bare.sort_by(f64::total_cmp);
    let (way, way_99) = (percentile(&bare, 50.0), percentile(&bare, 99.0));
    let kinds: [(&str, Make<'_>); 5] = [
        ("a common word", &|random| named(random.below(40))),
        ("a rare word", &|random| format!("number{}", random.below(4_000))),
        ("two words", &|random| format!("{} {}", named(random.below(300)), named(random.below(300)))),
        ("a word under a tag", &|random| format!("{} tag:tag{}", word(random), random.below(8) * 5)),
        ("the beginning of a word", &|random| format!("{}*", named(random.below(3_000)))),
    ];
    for (name, make) in kinds {
        let mut took = Vec::new();
        for round in 0..rounds {
            let text = format!("find {}", make(&mut random));
            took.push(ask(&mut talk, &format!("{name}{round}"), &text)?.0);
        }
        let (p50, p99, most) = spread(&mut took);
        let beside = format!("p50 {p50:.1}, most {most:.1}; `help` takes {way:.1}/{way_99:.1}");
        let goal = (10.0 * share).max(5.0) + way_99;
        table.below(&format!("search for {name}, p99"), p99, goal, "ms", &beside);
    }
    Ok(())
}

/// A file of 100 kB that somebody else writes, until it is found.
fn changed(instance: &Instance, table: &mut Table) -> Check {
    let mut talk = Talk::open(&instance.local_socket(), "scale")?;
    let mut took = Vec::new();
    for round in 0..10 {
        let mut text = String::new();
        while text.len() < 100_000 {
            text.push_str("* An entry of a file that somebody edits\nwith a line of text below it, or two\n");
        }
        text.push_str(&format!("* the needle{round}\n"));
        let path = instance.home.memex().join("edited.org");
        fs::write(&path, text)?;
        let begun = now();
        let mut asked = 0;
        eventually("the new text is found", s(5), || {
            asked += 1;
            let found = ask(&mut talk, &format!("n{round}-{asked}"), &format!("find needle{round}")).ok()?;
            found.1.contains(&format!("the needle{round}")).then_some(())
        })?;
        took.push(in_ms(begun.elapsed()));
    }
    let (way, _) = ask(&mut talk, "again", "find needle0")?;
    let (p50, _, most) = spread(&mut took);
    let beside = format!("most {most:.1}; the same question again {way:.1}");
    table.below("changed file of 100 kB to found, p50", p50, 20.0 + way, "ms", &beside);
    Ok(())
}
