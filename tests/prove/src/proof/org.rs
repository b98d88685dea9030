//! `org`: what the crate reads in an Org file is what Emacs reads, field by field, over a corpus; and how fast.
//!
//! Shares the crate with the product, because it is the crate that is judged; the judge is the oracle's files.

mod compare;
mod shape;

use super::Proof;
use crate::{Check, Outcome, Setup, ensure, org::files, report::pass};
use compare::Table;
use org::{Span, objects, scan};
use std::{collections::BTreeMap, path::PathBuf, process::Command};

/// The proof.
pub const PROOF: Proof = Proof {
    name: "org",
    arguments: "[--corpus DIR] [--oracle DIR]",
    summary: "Org files are read as Emacs reads them, field by field, and fast",
    run,
};

/// How often the speed is taken; the best counts, because the machine is shared.
const ROUNDS: usize = 7;

struct Places {
    corpus: PathBuf,
    oracle: PathBuf,
    newer: PathBuf,
}

fn places(setup: &Setup) -> Check<Places> {
    let shared = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let mut found = Places {
        corpus: shared.join("corpus/org"),
        oracle: shared.join("oracle/org"),
        newer: shared.join("oracle/org-version-diff.json"),
    };
    let mut args = setup.args.iter();
    while let Some(arg) = args.next() {
        let value = args.next().ok_or_else(|| format!("{arg} takes a folder"))?;
        match arg.as_str() {
            "--corpus" => found.corpus = value.into(),
            "--oracle" => {
                found.oracle = value.into();
                let beside = found.oracle.with_file_name("org-version-diff.json");
                found.newer = if beside.exists() { beside } else { found.newer };
            }
            "--diff" => found.newer = value.into(),
            _ => return Err(format!("{arg} is no argument of this proof").into()),
        }
    }
    Ok(found)
}

fn run(setup: &Setup) -> Check<Outcome> {
    let places = places(setup)?;
    if !places.corpus.exists() || !places.oracle.exists() {
        return Ok(Outcome::Skip(format!("no corpus at {}", places.corpus.display())));
    }
    let newer = match std::fs::read(&places.newer) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|err| err.to_string())?,
        Err(_) => serde_json::Value::Null,
    };
    let corpus = files(&places.corpus)?;
    let mut table = Table::new(newer);
    let (mut judged, mut whole) = (0, Vec::new());
    for (name, bytes) in &corpus {
        partition(name, bytes)?;
        whole.extend_from_slice(bytes);
        let oracle = [format!("{name}.json.gz"), format!("{name}.json")];
        let Some(path) = oracle.iter().map(|name| places.oracle.join(name)).find(|path| path.exists()) else {
            continue;
        };
        let theirs = unpack(&path)?;
        judged += 1;
        table.file(name, &theirs, &shape::shape(bytes));
    }
    ensure!(judged > 0, "no file of the corpus has a result of the oracle");
    table.print();
    let speed = speed(&whole);
    println!("  {speed}");
    let (compared, equal, open) = table.sums();
    let figures = format!(
        "{equal} of {compared} values equal in {judged} files, {} fields, {open} where the versions differ and the newer \
         is not recorded; every byte in one span; {speed}",
        table.fields()
    );
    ensure!(equal + open == compared, "{figures}");
    pass(figures)
}

fn unpack(path: &std::path::Path) -> Check<serde_json::Value> {
    let bytes = if path.extension().is_some_and(|ext| ext == "gz") {
        Command::new("gzip").arg("-dc").arg(path).output()?.stdout
    } else {
        std::fs::read(path)?
    };
    serde_json::from_slice(&bytes).map_err(|err| format!("{}: {err}", path.display()).into())
}

/// Preamble and own texts of all headlines, one after the other, are the file.
fn partition(name: &str, bytes: &[u8]) -> Check {
    let doc = scan(bytes);
    let mut at = 0;
    for part in std::iter::once(doc.preamble).chain(doc.nodes.iter().map(org::Node::own)) {
        ensure!(part.begin == at, "{name}: byte {at} is in no span or in two");
        at = part.end;
    }
    ensure!(at == bytes.len(), "{name}: the spans end at {at}");
    let found = objects(bytes, &doc);
    let spans: Vec<Span> = found.links.iter().map(|link| link.span).collect();
    ensure!(spans.iter().all(|span| span.end <= bytes.len()), "{name}: a link reaches beyond the file");
    Ok(())
}

/// Megabytes a second over the whole corpus in one piece, beside the counting of its lines in the same run.
fn speed(bytes: &[u8]) -> String {
    let mut best: BTreeMap<&str, f64> = BTreeMap::new();
    let mut sum = 0_usize;
    for _ in 0..ROUNDS {
        let mut take = |name, work: &mut dyn FnMut() -> usize| {
            let begun = crate::wait::now();
            sum = sum.wrapping_add(std::hint::black_box(work()));
            let rate = bytes.len() as f64 / 1e6 / begun.elapsed().as_secs_f64();
            let known = best.entry(name).or_default();
            *known = known.max(rate);
        };
        take("scan", &mut || scan(bytes).nodes.len());
        let doc = scan(bytes);
        take("objects", &mut || objects(bytes, &doc).links.len());
        take("lines", &mut || memchr::memchr_iter(b'\n', bytes).count());
    }
    let rate = |name| best.get(name).copied().unwrap_or_default();
    format!(
        "{:.1} MB: scan {:.0} MB/s, objects {:.0} MB/s, counting lines {:.0} MB/s",
        bytes.len() as f64 / 1e6,
        rate("scan"),
        rate("objects"),
        rate("lines")
    )
}
