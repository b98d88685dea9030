//! Random edits of random documents, carried out by us and by Emacs' own commands, byte for byte.
//!
//! Where we keep bytes that Emacs aligns or indents again, its reading of both files must be the same. Every other
//! difference fails the proof. It must not choose cases by what passes: a refusal by one side only is a difference.

mod act;
mod coded;
mod make;

use crate::{Check, Fault, Outcome, Setup, ensure, proof::Proof, random::Random, report::pass};
use std::{fmt::Write as _, fs, path::Path, process::Command};

/// The entry of the list.
pub const PROOF: Proof = Proof {
    name: "org-edits",
    arguments: "[--cases N] [--seed S]",
    summary: "edits of Org files equal those of Emacs",
    run,
};

const DRIVER: &str = include_str!("edits/driver.el");

/// A document, an edit, and what came of it.
#[derive(Debug)]
struct Case {
    line: String,
    text: String,
    other: String,
    ours: Result<Vec<Vec<u8>>, String>,
}

/// What Emacs says to a case.
struct Answer {
    verdict: String,
    text: String,
    other: String,
}

fn run(setup: &Setup) -> Check<Outcome> {
    let cases: u64 = argument(setup, "--cases")?.unwrap_or_else(|| setup.pick(120, 240));
    let seed: u64 = argument(setup, "--seed")?.unwrap_or(1);
    let Ok(version) = Command::new("emacs").arg("--version").output() else {
        return Ok(Outcome::Skip("there is no Emacs here to compare with".into()));
    };
    let version = String::from_utf8_lossy(&version.stdout).lines().next().unwrap_or_default().to_owned();
    let mut random = Random::new(seed);
    let mut all: Vec<Case> = Vec::new();
    for number in 0..cases {
        let (line, text, other) = make::case(&mut random, number);
        let ours = act::act(&line, text.as_bytes(), other.as_bytes());
        all.push(Case { line, text, other, ours });
    }
    let dir = std::env::temp_dir().join(format!("org-edits-{}", std::process::id()));
    fs::create_dir_all(&dir)?;
    let answers = ask(&dir, &all);
    fs::remove_dir_all(&dir)?;
    let answers = answers?;
    let (mut equal, mut alike, mut meant, mut differing) = (0, 0, 0, 0);
    for (number, (case, answer)) in all.iter().zip(&answers).enumerate() {
        match answer.verdict.as_str() {
            "equal" => equal += 1,
            "alike" => alike += 1,
            _ if note_in_block(case, answer)
                || counted_elsewhere(case, answer)
                || not_refiled(case, answer) =>
            {
                meant += 1;
            }
            _ => {
                differing += 1;
                show(number, case, answer);
            }
        }
    }
    if let Some(path) = argument::<String>(setup, "--write")? {
        fs::write(path, frozen(&all, &answers))?;
    }
    let figures = format!(
        "{} cases, seed {seed}: {equal} equal in bytes, {alike} equal in Emacs' reading, {meant} deviate on purpose; {version}",
        all.len()
    );
    println!("  {figures}, {differing} differ");
    ensure!(differing == 0, "{differing} of {figures}");
    pass(figures)
}

fn argument<T: std::str::FromStr>(setup: &Setup, name: &str) -> Check<Option<T>> {
    let Some(at) = setup.args.iter().position(|arg| arg == name) else { return Ok(None) };
    let value = setup.args.get(at + 1).and_then(|value| value.parse().ok());
    value.map(Some).ok_or_else(|| Fault(format!("{name} needs a value")))
}

/// A deliberate deviation: Emacs takes `:LOGBOOK:` inside a source block for the drawer and changes the block.
fn note_in_block(case: &Case, answer: &Answer) -> bool {
    let noted = |text: &str| {
        let mut blocks = text.split("#+begin_src").skip(1).filter_map(|rest| rest.split("#+end_src").next());
        blocks.any(|block| block.contains("- State \"") || block.contains("CLOCK: "))
    };
    let kind = case.line.split('\t').next().unwrap_or_default();
    let ours = case.ours.as_ref().ok().and_then(|files| files.first());
    ["keyword", "clock-in"].contains(&kind)
        && noted(&answer.text)
        && ours.is_some_and(|ours| !noted(&String::from_utf8_lossy(ours)))
}

/// Another one: the last entry of a file without a final newline is not moved by Emacs 28.2 when it shall go under the
/// entry right before it; everything stays as it was. We move it.
fn not_refiled(case: &Case, answer: &Answer) -> bool {
    case.line.starts_with("refile\t")
        && !case.text.ends_with('\n')
        && answer.text.trim_end() == case.text.trim_end()
        && case.ours.is_ok()
}

/// The third deliberate deviation: where no sibling follows an archived entry, Emacs' cursor lies on another entry after
/// the cut, and it counts the cookies of that one anew. We count those of the parent. Only cookies may differ.
fn counted_elsewhere(case: &Case, answer: &Answer) -> bool {
    let mut words = case.line.split('\t');
    let (Some("archive"), Some(index)) = (words.next(), words.next().and_then(|word| word.parse().ok()))
    else {
        return false;
    };
    let doc = org::scan(case.text.as_bytes());
    let Some(node): Option<&org::Node> = doc.nodes.get::<usize>(index) else { return false };
    let next = doc.nodes.iter().find(|next| next.begin >= node.end);
    let Ok([ours, moved]) = case.ours.as_deref() else { return false };
    let bare = |text: &str| -> Vec<String> {
        let counted = |c: char| c.is_ascii_digit() || matches!(c, '/' | '%');
        let part = |part: &str| {
            part.split_once(']').map(|(head, tail)| (head.chars().all(counted), tail.to_owned()))
        };
        let line = |line: &str| {
            let mut parts = line.trim_end().split('[');
            let mut out = parts.next().unwrap_or_default().to_owned();
            for text in parts {
                match part(text) {
                    Some((true, tail)) => out.push_str(&tail),
                    Some((false, _)) | None => out.extend(["[", text]),
                }
            }
            out
        };
        text.lines().map(line).filter(|line| !line.is_empty()).collect()
    };
    let filled = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect()
    };
    next.is_none_or(|next| next.parent != node.parent)
        && bare(&String::from_utf8_lossy(ours)) == bare(&answer.text)
        && filled(&String::from_utf8_lossy(moved)) == filled(&answer.other)
}

/// Gives all cases to one Emacs.
fn ask(dir: &Path, cases: &[Case]) -> Check<Vec<Answer>> {
    let driver = dir.join("driver.el");
    fs::write(&driver, DRIVER)?;
    let mut text = String::from("(\n");
    for (number, case) in cases.iter().enumerate() {
        let words: Vec<String> =
            case.line.split('\t').map(|word| format!("\"{}\"", coded::write(word.as_bytes()))).collect();
        let refused = [b"refused".to_vec()];
        let ours = case.ours.as_ref().map_or(&refused[..], Vec::as_slice);
        let at = |at: usize| coded::write(ours.get(at).map_or(&[], Vec::as_slice));
        let _ = writeln!(
            text,
            "(\"{number}\" ({}) \"{}\" \"{}\" \"{}\" \"{}\")",
            words.join(" "),
            coded::write(case.text.as_bytes()),
            coded::write(case.other.as_bytes()),
            at(0),
            at(1)
        );
    }
    text.push(')');
    let (asked, answered) = (dir.join("cases"), dir.join("answers"));
    fs::write(&asked, text)?;
    let status = Command::new("timeout")
        // A deadline, so that a hanging Emacs fails the proof.
        .args(["--kill-after=5", "300", "emacs", "-Q", "--batch", "-l"])
        .arg(&driver)
        // A question of Emacs must end as an error of that case, not wait for a person.
        .stdin(std::process::Stdio::null())
        .env("CASES", &asked)
        .env("ANSWERS", &answered)
        .env("TZ", "UTC")
        .env("LC_ALL", "C.UTF-8")
        .output()?;
    ensure!(status.status.success(), "Emacs gave up: {}", String::from_utf8_lossy(&status.stderr));
    let answers: Vec<Answer> = fs::read_to_string(&answered)?.lines().filter_map(answer).collect();
    ensure!(answers.len() == cases.len(), "Emacs answered {} of {} cases", answers.len(), cases.len());
    Ok(answers)
}

fn answer(line: &str) -> Option<Answer> {
    let mut words = line.split(' ').skip(1);
    let verdict = words.next()?.to_owned();
    let text = |word: &str| String::from_utf8_lossy(&coded::read(word.trim_start_matches('.'))).into_owned();
    Some(Answer { verdict, text: text(words.next()?), other: text(words.next()?) })
}

fn show(number: usize, case: &Case, answer: &Answer) {
    println!("---- case {number}: {:?}\n{}", case.line, case.text.replace('\r', "^M"));
    if !case.other.is_empty() {
        println!("---- other file\n{}", case.other);
    }
    match &case.ours {
        Ok(files) => {
            for file in files {
                println!("---- ours\n{}", String::from_utf8_lossy(file).replace('\r', "^M"));
            }
        }
        Err(err) => println!("---- ours: refused, {err}"),
    }
    println!("---- Emacs\n{}", answer.text.replace('\r', "^M"));
    if !answer.other.is_empty() {
        println!("---- Emacs, other file\n{}", answer.other);
    }
}

/// The cases as the crate's own test reads them.
fn frozen(cases: &[Case], answers: &[Answer]) -> String {
    let mut out = String::new();
    let plain = |text: &str| {
        let open = if text.ends_with('\n') { "" } else { "~\n" };
        format!("{}{open}", text.replace('\r', "^M"))
    };
    for (case, answer) in cases.iter().zip(answers) {
        if answer.verdict == "differs" {
            continue;
        }
        let _ = write!(out, "#### {}\t{}\n{}", answer.verdict, case.line, plain(&case.text));
        let _ = write!(out, "#### other\n{}", plain(&case.other));
        let _ = write!(out, "#### emacs\n{}", plain(&answer.text));
        let _ = write!(out, "#### emacs other\n{}", plain(&answer.other));
    }
    out
}
