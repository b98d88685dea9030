//! The Merkle store at size, and under kill -9. Figures stand beside what the disk itself needs for the same bytes.
//!
//! The parts that are measured or killed run as processes of their own: `prove store --part NAME DIR N`.

use crate::{
    Check, Fault, Outcome, Setup, ensure,
    proof::Proof,
    random::Random,
    report::{pass, spread},
    wait::{in_ms, now, pass_time},
};
use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};
use store::{Cause, Options, Store};

/// The entry of the list.
pub const PROOF: Proof = Proof {
    name: "store",
    arguments: "[--entries N --kills N --seed S]",
    summary: "objects, snapshots and history at size, and after kill -9",
    run,
};

/// Entries of a file of the invented memex.
const ENTRIES_A_FILE: u64 = 20;
/// How many bytes of files go into one transaction of the first fill.
const BATCH: usize = 8 << 20;
/// Turns that are timed.
const TURNS: u64 = 1_000;

fn run(setup: &Setup) -> Check<Outcome> {
    if let Some(at) = setup.args.iter().position(|arg| arg == "--part") {
        return part(&setup.args[at + 1..]);
    }
    setup.only(&["--entries", "--kills", "--seed"])?;
    let entries = setup.number("--entries")?.unwrap_or(setup.pick(2_000, 100_000));
    let kills = setup.number("--kills")?.unwrap_or(setup.pick(5, 200));
    let seed = setup.number("--seed")?.unwrap_or(1);
    let dir = std::env::temp_dir().join(format!("prove-store-{}", std::process::id()));
    let outcome = measured(&dir.join("size"), entries).and_then(|figures| {
        killed(&dir.join("kill"), kills, seed)?;
        pass(format!("{figures}; {kills} kills, nothing acknowledged was lost"))
    });
    fs::remove_dir_all(&dir)?;
    outcome
}

fn measured(dir: &Path, entries: u64) -> Check<String> {
    let mut missed = Vec::new();
    let mut figures = Vec::new();
    for name in ["fill", "open", "turns", "whole"] {
        let line = child(name, dir, entries)?.wait_with_output()?.stdout;
        for line in String::from_utf8_lossy(&line).lines() {
            println!("  {line}");
            if line.contains("MISSED") {
                missed.push(line.to_owned());
            } else if line.contains("goal") {
                figures.push(line.split("goal").next().unwrap_or_default().trim().to_owned());
            }
        }
    }
    ensure!(missed.is_empty() && !figures.is_empty(), "{}", missed.join("; "));
    Ok(figures.join(", "))
}

fn child(part: &str, dir: &Path, number: u64) -> Check<std::process::Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["store", "--part", part]).arg(dir).arg(number.to_string()).stdout(Stdio::piped());
    Ok(command.spawn()?)
}

fn part(args: &[String]) -> Check<Outcome> {
    let [name, dir, number] = args else { return Err(Fault("a part wants a name, DIR and N".to_owned())) };
    let number: u64 = number.parse().or(Err(Fault("N is a number".to_owned())))?;
    let dir = PathBuf::from(dir);
    match name.as_str() {
        "fill" => fill(&dir, number),
        "open" => open_only(&dir),
        "turns" => turns(&dir, number),
        "whole" => whole(&dir, number),
        "write" => write(&dir, number),
        other => Err(Fault(format!("there is no part `{other}`"))),
    }?;
    pass(String::new())
}

fn open(dir: &Path) -> Check<Store> {
    Ok(Store::open(dir, Options::new([5; 16]))?.0)
}

impl From<store::Error> for Fault {
    fn from(error: store::Error) -> Self {
        let mut text = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(error) = cause {
            text.push_str(&format!(": {error}"));
            cause = error.source();
        }
        Self(text)
    }
}

fn goal(what: &str, figure: f64, most: f64, unit: &str, beside: &str) {
    let word = if figure <= most { "ok" } else { "MISSED" };
    println!("{what} {figure:.2} {unit} goal {most:.2} {word} {beside}");
}

fn file_name(number: u64) -> String {
    format!("notes/{number:05}.org")
}

/// About 500 bytes an entry.
fn file_text(number: u64, round: u64) -> Vec<u8> {
    let mut text = format!("#+TITLE: File {number}\n");
    let mut random = Random::new(number);
    for entry in 0..ENTRIES_A_FILE {
        let stars = "*".repeat(1 + random.below(3) as usize);
        text.push_str(&format!("{stars} TODO Entry {entry} of {number} :work:\nround {round}\n"));
        for _ in 0..40 {
            text.push_str(&format!("word{:05} ", random.below(50_000)));
        }
        text.push('\n');
    }
    text.into_bytes()
}

fn fill(dir: &Path, entries: u64) -> Check {
    let begun = now();
    let mut store = open(dir)?;
    let (mut bytes, mut file) = (0, 0);
    let mut made = 0.0;
    let files = entries / ENTRIES_A_FILE;
    while file < files {
        let mut turn = store.begin(1);
        let mut batch = 0;
        while file < files && batch < BATCH {
            let making = now();
            let text = file_text(file, 0);
            made += in_ms(making.elapsed());
            turn.put_file(&file_name(file), &text, &::org::scan(&text))?;
            batch += text.len();
            file += 1;
        }
        turn.commit(None)?;
        bytes += batch;
    }
    let took = (in_ms(begun.elapsed()) - made) / 1000.0;
    let stats = store.stats();
    goal("fill", took, 3.0, "s", &format!("{} MB in {files} files", bytes >> 20));
    println!("size on disk {} MB, {} objects", stats.bytes >> 20, stats.objects);
    println!("memory at the end of the fill {:.1} MB", resident()?);
    Ok(())
}

fn open_only(dir: &Path) -> Check {
    let before = resident()?;
    let begun = now();
    let store = open(dir)?;
    goal("open", in_ms(begun.elapsed()), 100.0, "ms", &format!("{} objects", store.stats().objects));
    println!("memory of the handle after open {:.1} MB", resident()? - before);
    Ok(())
}

fn turns(dir: &Path, entries: u64) -> Check {
    let mut store = open(dir)?;
    let files = entries / ENTRIES_A_FILE;
    let mut random = Random::new(3);
    let (mut whole, mut commits) = (Vec::new(), Vec::new());
    let before = store.stats().bytes;
    for round in 0..TURNS {
        let number = random.below(files);
        let mut text = file_text(number, 0);
        let old = format!("Entry {} of", random.below(ENTRIES_A_FILE));
        let at = text.windows(old.len()).position(|window| window == old.as_bytes()).unwrap_or(0);
        text.splice(at..at, format!("edited {round} ").into_bytes());
        let doc = ::org::scan(&text);
        let begun = now();
        let mut turn = store.begin(1_000 + round * 60_000);
        turn.put_file(&file_name(number), &text, &doc)?;
        let put = in_ms(begun.elapsed());
        turn.commit(Some(Cause { turn: Some(format!("turn-{round}")), name: None }))?;
        whole.push(in_ms(begun.elapsed()));
        commits.push(in_ms(begun.elapsed()) - put);
    }
    let each = (store.stats().bytes - before) / TURNS;
    let (limit, limit_99, _) = append_sync(dir, each as usize)?;
    let (p50, p99, _) = spread(&mut commits);
    let beside =
        format!("p99 {p99:.2}; the disk alone for the same {each} bytes: p50 {limit:.2} p99 {limit_99:.2}");
    goal("commit p50", p50 - limit, 0.8, "ms over the disk", &beside);
    println!("commit p50 {p50:.2} ms with the disk");
    let (p50, p99, _) = spread(&mut whole);
    println!("put one file and commit p50 {p50:.2} ms p99 {p99:.2} ms");
    goal("memory", resident()?, 30.0, "MB", "resident, anonymous, after the turns");
    Ok(())
}

fn append_sync(dir: &Path, bytes: usize) -> Check<(f64, f64, f64)> {
    let path = dir.join("limit");
    let mut file = fs::File::create(&path)?;
    let block = vec![7; bytes];
    let mut took = Vec::new();
    for _ in 0..TURNS {
        let begun = now();
        file.write_all(&block)?;
        file.sync_data()?;
        took.push(in_ms(begun.elapsed()));
    }
    fs::remove_file(path)?;
    Ok(spread(&mut took))
}

/// Everything is read, collected, and compared with a store that never saw the past.
fn whole(dir: &Path, entries: u64) -> Check {
    let mut store = open(dir)?;
    let begun = now();
    let report = store.verify();
    println!("verify {} objects {:.0} ms", report.objects, in_ms(begun.elapsed()));
    ensure!(report.damage.is_empty(), "damage: {:?}", report.damage.first());
    let bytes = store.stats().bytes;
    let mut calls = Vec::new();
    loop {
        let begun = now();
        let done = store.collect(1_000)?.done;
        calls.push(in_ms(begun.elapsed()));
        if done {
            break;
        }
    }
    let total: f64 = calls.iter().sum();
    let (p50, _, most) = spread(&mut calls);
    println!("collect {} calls, {total:.0} ms, one p50 {p50:.1} most {most:.1} ms", calls.len());
    println!("size on disk {} MB before, {} MB after", bytes >> 20, store.stats().bytes >> 20);
    ensure!(store.verify().damage.is_empty(), "damage after collecting");
    let again = dir.with_extension("again");
    let mut anew = open(&again)?;
    let mut turn = anew.begin(9);
    for number in (0..entries / ENTRIES_A_FILE).rev() {
        let text = store.file(&file_name(number))?.unwrap_or_default();
        turn.put_file(&file_name(number), &text, &::org::scan(&text))?;
    }
    let root = turn.commit(None)?.root;
    ensure!(root == store.root(), "a rebuild has another root");
    println!("a rebuild in another order has the same root");
    Ok(())
}

/// Writes for ever and says what is durable.
fn write(dir: &Path, from: u64) -> Check {
    let mut store = open(dir)?;
    for round in from.. {
        let mut turn = store.begin(round);
        for number in 0..2 {
            let text = file_text(number, round);
            turn.put_file(&file_name(number), &text, &::org::scan(&text))?;
        }
        turn.commit(Some(Cause::default()))?;
        println!("{round}");
        if round % 3 == 0 {
            store.collect(400)?;
        }
    }
    Ok(())
}

fn killed(dir: &Path, kills: u64, seed: u64) -> Check {
    let mut random = Random::new(seed);
    let mut next = 1;
    for kill in 0..kills {
        let mut writer = child("write", dir, next)?;
        pass_time(Duration::from_micros(random.between(3_000, 60_000)));
        writer.kill()?;
        let said = BufReader::new(writer.stdout.take().ok_or(Fault("no output".to_owned()))?);
        let last = said.lines().map_while(Result::ok).filter_map(|line| line.parse::<u64>().ok()).last();
        writer.wait()?;
        let store = open(dir)?;
        let least = last.unwrap_or(next - 1);
        let there = store.file(&file_name(0))?;
        let round = (least..least + 2).find(|round| there.as_deref() == Some(&file_text(0, *round)));
        if least == 0 && there.is_none() {
            continue;
        }
        let Some(round) = round else {
            return Err(Fault(format!("kill {kill}: {least} was said and is gone")));
        };
        let other = store.file(&file_name(1))?;
        ensure!(other == Some(file_text(1, round)), "kill {kill}: half a transaction");
        let damage = store.verify().damage;
        ensure!(damage.is_empty(), "kill {kill}: {:?}", damage.first());
        next = round + 1;
    }
    println!("  {kills} kills, {next} turns");
    Ok(())
}

/// Memory of this process that is not a mapped file, in MB.
fn resident() -> Check<f64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.map(|kib| kib / 1024.0).ok_or(Fault("no RssAnon".to_owned()))
}
