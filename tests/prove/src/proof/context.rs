//! What a question sends to a model, and whether the answer is in it, beside what simpler ways would send.
//! No model is asked; what counts is the text as it would leave. `--misses` lists what is not there, `--dump DIR` writes
//! what is sent, `--index` measures the index at size instead.

mod memex;
mod plain;
mod scale;
mod set;

use crate::{
    Check, Outcome, Setup, ensure,
    proof::Proof,
    random::Random,
    report::{pass, percentile},
    wait::now,
};
use index::{Context, How, Index, Question, Sight, Tuning, tokens};
use memex::Memex;
use plain::Plain;
use set::{Asked, is_present};
use std::{collections::BTreeMap, path::PathBuf};

/// The entry of the list.
pub const PROOF: Proof = Proof {
    name: "context",
    arguments: "--corpus DIR --set DIR | --index",
    summary: "what a question sends, and whether the answer is in it",
    run,
};

const OPTIONS: [&str; 7] = ["--corpus", "--set", "--budget", "--misses", "--dump", "--index", "--entries"];
/// Most tokens of a context (DESIGN section 9).
const BUDGET: u64 = 4000;
/// Share of plain and paraphrased questions whose answer must be there, without any model (DESIGN section 9).
const GOAL: f64 = 0.80;
/// Order of the table.
const KINDS: [&str; 7] = ["plain", "paraphrase", "two-nodes", "recent", "focus", "absent", "private"];

fn run(setup: &Setup) -> Check<Outcome> {
    setup.only(&OPTIONS)?;
    if setup.args.iter().any(|arg| arg == "--index") {
        return scale::run(setup);
    }
    let corpus = folder(setup, "--corpus", "../shared/corpus/org");
    let set = folder(setup, "--set", "../shared/corpus/context");
    let budget = setup.number("--budget")?.unwrap_or(BUDGET) as usize;
    for needed in [&corpus, &set] {
        if !needed.is_dir() {
            return Ok(Outcome::Skip(format!("there is no {}", needed.display())));
        }
    }
    let memex = Memex::read(&corpus, &set)?;
    let asked = set::read(&set, &memex)?;
    let begun = now();
    let index = memex.index(memex.files.keys());
    let built = begun.elapsed().as_secs_f64() * 1000.0;
    println!(
        "  {} files, {} entries, {} questions; index in {built:.0} ms",
        memex.files.len(),
        index.len(),
        asked.len()
    );

    let begun = now();
    let ours: Vec<Context> = asked.iter().map(|one| assemble(&index, &memex, one, budget)).collect();
    let each = begun.elapsed().as_secs_f64() * 1000.0 / asked.len().max(1) as f64;
    let mut table = Table::new(&asked, &memex);
    let texts: Vec<String> = ours.iter().map(|context| context.text.clone()).collect();
    let row = table.row("assembled", &texts);
    if setup.args.iter().any(|arg| arg == "--misses") {
        misses(&asked, &ours, &memex);
    }
    if setup.args.iter().any(|arg| arg == "--dump") {
        let dump = folder(setup, "--dump", "contexts");
        std::fs::create_dir_all(&dump)?;
        for (one, text) in asked.iter().zip(&texts) {
            std::fs::write(dump.join(&one.id), text)?;
        }
    }
    baselines(&mut table, &memex, &asked);

    let over =
        ours.iter().filter(|context| context.tokens > budget || tokens(&context.text) > budget).count();
    let private = set::private_lines(&memex);
    let leaks: usize =
        texts.iter().map(|text| private.iter().filter(|line| text.contains(*line)).count()).sum();
    let again: Vec<Context> = asked.iter().map(|one| assemble(&index, &memex, one, budget)).collect();
    let shuffled = shuffled(&memex);
    let other: Vec<Context> = asked.iter().map(|one| assemble(&shuffled, &memex, one, budget)).collect();
    let figures = format!(
        "plain+paraphrase {:.1} % of {}, tokens mean {:.0} max {}, {leaks} leaks, {over} over budget, {each:.2} ms a question",
        row.share * 100.0,
        row.many,
        row.mean,
        row.max
    );
    ensure!(leaks == 0, "{leaks} private lines were sent; {figures}");
    ensure!(over == 0, "{over} contexts are over {budget} tokens; {figures}");
    ensure!(again == ours, "two runs differ; {figures}");
    ensure!(other == ours, "a run with files in another order differs; {figures}");
    ensure!(row.share >= GOAL, "the goal is {:.0} %; {figures}", GOAL * 100.0);
    pass(figures)
}

fn folder(setup: &Setup, option: &str, default: &str) -> PathBuf {
    let at = setup.args.iter().position(|arg| arg == option);
    at.and_then(|at| setup.args.get(at + 1)).map_or_else(|| PathBuf::from(default), PathBuf::from)
}

fn assemble(index: &Index, memex: &Memex, asked: &Asked, budget: usize) -> Context {
    let question = Question {
        text: &asked.text,
        focus: asked.focus.as_ref().map(|(file, ordinal)| (file.as_str(), *ordinal)),
        sight: Sight::Open,
        today: memex.newest(),
        tuning: Tuning::default(),
    };
    index.assemble(&question, budget, memex)
}

fn shuffled(memex: &Memex) -> Index {
    let mut random = Random::new(42);
    let mut names: Vec<&String> = memex.files.keys().collect();
    for at in (1..names.len()).rev() {
        names.swap(at, random.below(at as u64 + 1) as usize);
    }
    // One by one, so that segments and merges are others too.
    let mut index = Index::default();
    for name in names {
        let entries: Vec<_> = memex.files[name].entries.iter().map(memex::Own::entry).collect();
        index.put(name, 0, &entries);
    }
    index
}

fn misses(asked: &[Asked], ours: &[Context], memex: &Memex) {
    for (one, context) in asked.iter().zip(ours) {
        for (file, ordinal) in &one.answer {
            let rank =
                context.shown.iter().position(|shown| shown.file == *file && shown.ordinal == *ordinal);
            let how = rank.map(|rank| context.shown[rank].how);
            if how != Some(How::Whole) {
                let path = memex.headings(file, *ordinal).join(" / ");
                println!(
                    "  missed {} {:<10} {} | {file}: {path} {rank:?} {how:?}",
                    one.id, one.kind, one.text
                );
            }
        }
    }
}

fn baselines(table: &mut Table<'_>, memex: &Memex, asked: &[Asked]) {
    let plain = Plain::new(memex);
    let section = |(file, ordinal): &(String, u32)| {
        let body = memex.get(file, *ordinal).map_or("", |own| own.body.as_str());
        format!("{file}: {}\n{body}\n", memex.headings(file, *ordinal).join(" / "))
    };
    let sections = |places: &[(String, u32)]| places.iter().map(section).collect::<String>();
    let each = |way: &dyn Fn(&Asked) -> String| asked.iter().map(way).collect::<Vec<_>>();
    for (name, many) in [("BM25 top 5", 5), ("BM25 top 10", 10), ("BM25 top 20", 20)] {
        table.row(name, &each(&|one| sections(&plain.best(&one.text, many))));
    }
    let files = |one: &Asked, many: usize| {
        let mut names: Vec<String> = Vec::new();
        for (file, _) in plain.best(&one.text, 50) {
            if !names.contains(&file) && names.len() < many {
                names.push(file);
            }
        }
        names
            .iter()
            .filter_map(|name| memex.files.get(name))
            .map(|file| file.text.as_str())
            .collect::<String>()
    };
    table.row("file of best 1", &each(&|one| files(one, 1)));
    table.row("files of best 3", &each(&|one| files(one, 3)));
    table.row("oracle section", &each(&|one| sections(&one.answer)));
    let outline: String = memex
        .files
        .iter()
        .flat_map(|(name, file)| {
            let titles = file.entries.iter().filter(|own| own.level == 1 && own.sight == Sight::Open);
            titles.map(|own| format!("* {}\n", own.title)).chain([format!("{name}\n")])
        })
        .collect();
    table.row(
        "outline + BM25 top 5",
        &each(&|one| format!("{outline}{}", sections(&plain.best(&one.text, 5)))),
    );
}

/// Presence by kind, and tokens.
struct Table<'a> {
    asked: &'a [Asked],
    memex: &'a Memex,
}

/// What the verdict needs of a line.
struct Line {
    share: f64,
    many: usize,
    mean: f64,
    max: usize,
}

impl<'a> Table<'a> {
    fn new(asked: &'a [Asked], memex: &'a Memex) -> Self {
        print!("  {:<22}", "");
        for kind in KINDS {
            print!(" {kind:>10}");
        }
        println!("   tokens mean    p50    p95    max   both");
        Self { asked, memex }
    }

    /// Prints how many answers of each kind are present. Of `absent` it counts the questions for which nothing is sent,
    /// of `private` those whose answer is not.
    fn row(&mut self, name: &str, texts: &[String]) -> Line {
        let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for (one, text) in self.asked.iter().zip(texts) {
            let body =
                |place: &(String, u32)| self.memex.get(&place.0, place.1).map_or("", |own| own.body.as_str());
            let holds = match one.kind.as_str() {
                "absent" => text.is_empty(),
                "private" => !one.answer.iter().any(|place| is_present(text, body(place))),
                _ => one.answer.iter().all(|place| is_present(text, body(place))),
            };
            let count = kinds.entry(&one.kind).or_default();
            count.0 += usize::from(holds);
            count.1 += 1;
        }
        let mut sizes: Vec<f64> = texts.iter().map(|text| tokens(text) as f64).collect();
        sizes.sort_by(f64::total_cmp);
        let mean = sizes.iter().sum::<f64>() / sizes.len().max(1) as f64;
        let of = |kind: &str| kinds.get(kind).copied().unwrap_or_default();
        let (present, many) = (of("plain").0 + of("paraphrase").0, of("plain").1 + of("paraphrase").1);
        let share = present as f64 / many.max(1) as f64;
        print!("  {name:<22}");
        for kind in KINDS {
            let (holds, all) = of(kind);
            print!(" {:>10}", format!("{holds}/{all}"));
        }
        let max = sizes.last().copied().unwrap_or(0.0);
        println!(
            "   {mean:>11.0} {:>6.0} {:>6.0} {max:>6.0} {:>5.1}%",
            percentile(&sizes, 50.0),
            percentile(&sizes, 95.0),
            share * 100.0
        );
        Line { share, many, mean, max: max as usize }
    }
}
