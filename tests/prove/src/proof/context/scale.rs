//! The index at the size of DESIGN section 9: build, questions of each kind, bytes, load, one changed file; beside a plain
//! scan of the same text in the same run. All times are processor time of the one thread.

use crate::{
    Check, Outcome, Setup, ensure,
    random::Random,
    report::{pass, spread},
};
use index::{Asked, Bulk, Dates, Entry, Index, Query};
use std::borrow::Cow;

/// Words of an entry, as in the measurement of specs/retrieval.md.
const WORDS: u64 = 52;
/// Entries of a file.
const PER_FILE: u64 = 20;
/// Different words; frequencies fall as in Zipf's law.
const VOCABULARY: u64 = 60_000;

const BUILD_S: f64 = 3.0;
const QUERY_MS: f64 = 10.0;
const RESIDENT_MB: f64 = 60.0;
const PUT_MS: f64 = 5.0;
const LOAD_MS: f64 = 100.0;

struct Made {
    name: String,
    titles: Vec<String>,
    bodies: Vec<String>,
}

/// Runs the measurement.
pub(super) fn run(setup: &Setup) -> Check<Outcome> {
    let entries = setup.number("--entries")?.unwrap_or(setup.pick(5_000, 100_000));
    let mut random = Random::new(42);
    let files: Vec<Made> = (0..entries / PER_FILE).map(|at| made(&mut random, at)).collect();
    let text: usize = files.iter().flat_map(|file| &file.bodies).map(String::len).sum();
    println!("  {entries} entries in {} files, {:.1} MB of text", files.len(), text as f64 / 1e6);
    let mut missed = Vec::new();
    let mut goal = |what: &str, figure: f64, most: f64, unit: &str, beside: &str| {
        let word = if figure <= most { "ok" } else { "MISSED" };
        println!("  {what:<40} {figure:>9.2} {unit:<3} goal {most:>7.2}  {word:<6} {beside}");
        if figure > most {
            missed.push(format!("{what} {figure:.2} {unit} > {most:.2}"));
        }
    };
    let before = resident();
    let begun = spent();
    let mut bulk = Bulk::default();
    for file in &files {
        bulk.add(&file.name, 20_000, &file.entries());
    }
    let mut index = bulk.finish();
    let build = spent() - begun;
    goal("build", build, setup.bound(BUILD_S), "s", "");
    let grown = resident().saturating_sub(before) as f64 / 1e6;
    goal(
        "resident, by own count",
        index.resident() as f64 / 1e6,
        RESIDENT_MB,
        "MB",
        &format!("process grew by {grown:.1} MB"),
    );
    let begun = spent();
    let bytes = index.to_bytes();
    println!("  {:<40} {:>9.2} MB, written in {:.0} ms", "bytes", bytes.len() as f64 / 1e6, ms(begun));
    let begun = spent();
    let loaded = Index::from_bytes(&bytes).map_err(|error| error.to_string())?;
    goal("load", ms(begun), setup.bound(LOAD_MS), "ms", "");
    ensure!(loaded.len() == index.len(), "the loaded index has another size");
    drop(loaded);

    let mut puts: Vec<f64> = Vec::new();
    for _ in 0..setup.pick(50, 400) {
        let file = random.one(&files);
        let entries = file.entries();
        let begun = spent();
        index.put(&file.name, 20_001, &entries);
        puts.push(ms(begun));
    }
    let (p50, p99, max) = spread(&mut puts);
    goal("one file replaced, p99", p99, setup.bound(PUT_MS), "ms", &format!("p50 {p50:.2}, max {max:.2}"));

    let mut worst: f64 = 0.0;
    let many = setup.pick(20, 200);
    for (kind, ask) in KINDS {
        let queries: Vec<String> = (0..many).map(|_| ask(&mut random, &files)).collect();
        let mut times = Vec::new();
        let mut hits = 0;
        for query in &queries {
            let asked = Asked { today: Some(20_002), ..Asked::default() };
            let begun = spent();
            hits += index.search(&Query::parse(query), &asked).total;
            times.push(ms(begun));
        }
        let scan = scanned(&files, &queries[0]);
        let (p50, p99, max) = spread(&mut times);
        worst = worst.max(p99);
        let beside =
            format!("p50 {p50:.2}, max {max:.2}; {} hits each; a scan takes {scan:.1}", hits / queries.len());
        goal(&format!("query, {kind}, p99"), p99, setup.bound(QUERY_MS), "ms", &beside);
    }
    ensure!(missed.is_empty(), "{}", missed.join("; "));
    pass(format!(
        "{entries} entries: build {build:.2} s, slowest kind of query p99 {worst:.2} ms, {:.1} MB",
        bytes.len() as f64 / 1e6
    ))
}

type Ask = fn(&mut Random, &[Made]) -> String;

const KINDS: [(&str, Ask); 9] = [
    ("common word", |random, _| word(random.below(20))),
    ("rare word", |random, _| word(random.between(5_000, 50_000))),
    ("three words", |random, _| format!("{} {} {}", zipf(random), zipf(random), zipf(random))),
    ("phrase of common words", |random, _| {
        format!("\"{} {}\"", word(random.below(10)), word(random.below(10)))
    }),
    ("phrase out of a text", |random, files| {
        let words: Vec<&str> = random.one(&random.clone().one(files).bodies).split(' ').take(4).collect();
        format!("\"{}\"", words.join(" "))
    }),
    ("prefix", |random, _| format!("{}*", word(random.below(2_000)).get(..3).unwrap_or_default())),
    ("filters alone", |random, _| format!("tag:t{} after:2024-0{}", random.below(9), random.between(1, 9))),
    ("word and filters", |random, _| format!("{} todo:open file:f1 -tag:t3", word(random.below(50)))),
    ("misspelt", |random, _| {
        let mut word = word(random.between(100, 50_000));
        word.insert(2, 'x');
        word
    }),
];

/// Seconds of processor time that this thread has had: other work on a busy machine is not the index's.
fn spent() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn ms(begun: f64) -> f64 {
    (spent() - begun) * 1000.0
}

/// Looks for the first word in all text, as one would without an index.
fn scanned(files: &[Made], query: &str) -> f64 {
    let needle = query.split(' ').next().unwrap_or_default().trim_matches(['"', '*']);
    let finder = memchr::memmem::Finder::new(needle.as_bytes());
    let begun = spent();
    let hits =
        files.iter().flat_map(|file| &file.bodies).filter(|body| finder.find(body.as_bytes()).is_some());
    std::hint::black_box(hits.count());
    ms(begun)
}

/// Resident bytes of this process.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or(0) * rustix::param::page_size()
}

/// A word by its rank: syllables, so that prefixes and slips are like those of a language.
fn word(rank: u64) -> String {
    const SYLLABLES: [&str; 24] = [
        "ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "wu", "da", "fe", "gi", "ho", "ju", "pa", "qe",
        "xi", "zo", "tu", "ne", "ma", "lo", "ri",
    ];
    let mut word = String::new();
    let mut left = rank + 24;
    while left > 0 {
        word.push_str(SYLLABLES[(left % 24) as usize]);
        left /= 24;
    }
    word
}

/// A rank with a frequency that falls as one over it.
fn zipf(random: &mut Random) -> String {
    let share = random.below(1 << 30) as f64 / (1u64 << 30) as f64;
    word((VOCABULARY as f64).powf(share) as u64 - 1)
}

fn made(random: &mut Random, at: u64) -> Made {
    let mut line = |words: u64| (0..words).map(|_| zipf(random)).collect::<Vec<_>>().join(" ");
    let titles = (0..PER_FILE).map(|_| line(4)).collect();
    let bodies = (0..PER_FILE).map(|_| line(WORDS)).collect();
    Made { name: format!("f{}/n{at}.org", at % 50), titles, bodies }
}

impl Made {
    fn entries(&self) -> Vec<Entry<'_>> {
        let numbered = (0u32..).zip(self.titles.iter().zip(&self.bodies));
        numbered
            .map(|(at, (title, body))| Entry {
                parent: (at % 5 != 0).then_some(at - at % 5),
                level: if at % 5 == 0 { 1 } else { 2 },
                title: Cow::Borrowed(title),
                tags: vec![Cow::Owned(format!("t{}", at % 9))],
                todo: (at % 4 == 0).then_some(Cow::Borrowed("TODO")),
                dates: Dates { created: Some(19_500 + (at * 37 % 900) as i32), ..Dates::default() },
                body: Cow::Borrowed(body),
                ..Entry::default()
            })
            .collect()
    }
}
