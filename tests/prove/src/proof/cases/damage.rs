//! P6: damaged state. The Org files are the truth and must not change by a byte.

use crate::{
    Check, Fault, Instance, Outcome, Row, Setup, ensure, home::Settings, org, report::pass, wait::s,
};
use protocol::control::{Reply, Verb};
use std::{
    collections::BTreeMap,
    io::{Seek as _, Write as _},
    path::Path,
    process::Command,
};

/// Each file of memory's store.
pub const P6_MEMORY: Row = Row {
    name: "P6-memory",
    about: "each file of memory's store zeroed, cut, deleted: rebuilt",
    run: memory,
};

const HARM: [&str; 5] = ["zeroed", "length", "cut", "emptied", "deleted"];

fn harm(path: &Path, how: &str) -> Check {
    match how {
        "zeroed" => {
            let len = std::fs::metadata(path)?.len().min(4_096);
            let mut file = std::fs::OpenOptions::new().write(true).open(path)?;
            file.rewind()?;
            file.write_all(&vec![0; len as usize])?;
        }
        // The third byte of a length: whatever the order of bytes, it says too much.
        "length" => {
            let mut file = std::fs::OpenOptions::new().write(true).open(path)?;
            file.seek(std::io::SeekFrom::Start(1))?;
            file.write_all(&[0x7f, 0x7f])?;
        }
        "cut" => {
            let len = std::fs::metadata(path)?.len();
            std::fs::OpenOptions::new().write(true).open(path)?.set_len(len / 2)?;
        }
        "emptied" => std::fs::OpenOptions::new().write(true).open(path)?.set_len(0)?,
        _ => std::fs::remove_file(path)?,
    }
    Ok(())
}

/// A daemon with some history, stopped.
fn lived(setup: &Setup, tag: &str, more: &str) -> Check<Instance> {
    let mut instance = Instance::new(setup, tag, Settings { more: more.into(), ..Settings::default() })?;
    std::fs::write(
        instance.home.memex().join("old.org"),
        "#+title: Old\n\n* Heat pump\nThe boiler hums.\n* TODO Call the plumber\n",
    )?;
    instance.start()?;
    instance.ready()?;
    for n in 0..40 {
        let text = match n % 4 {
            0 => format!("todo buy thing {n}"),
            3 => "undo".into(),
            _ => format!("note: thought {n}"),
        };
        instance.ask("p6", &format!("m{n}"), &text)?;
    }
    instance.ask("p6", "o1", "outside: once")?;
    instance.finish()?;
    Ok(instance)
}

/// Starts on damaged state and looks: same Org files, chat answers, at most one restart.
fn revived(instance: &mut Instance, before: &BTreeMap<String, Vec<u8>>, n: usize) -> Check<String> {
    drop(std::fs::remove_file(instance.home.log()));
    instance.start()?;
    let status = instance.ready()?;
    let now = org::files(&instance.home.memex())?;
    ensure!(&now == before, "the Org files changed: {:?}", changed(before, &now));
    let restarts: u32 = status.roles.iter().map(|r| r.restarts).sum();
    ensure!(restarts <= 1, "{restarts} restarts");
    let found = instance.ask("p6-after", &format!("find{n}"), "find boiler")?;
    ensure!(found.text.contains("Heat pump"), "search does not find what is in the files: `{}`", found.text);
    let noted = instance.ask("p6-after", &format!("note{n}"), &format!("note: alive {n}"))?;
    ensure!(noted.text.starts_with("Noted"), "answered `{}`", noted.text);
    let memory = status.roles.iter().find(|r| r.role == "memory");
    let said = std::fs::read_to_string(instance.home.log()).unwrap_or_default();
    let line = said.lines().filter(|l| l.contains("WARN") || l.contains("ERROR")).count();
    let note = memory.map_or_else(String::new, |r| format!("{} {}", r.note, r.degraded));
    // Said in the log, in the state that the operator reads, or to the owner.
    let told = line + usize::from(memory.is_some_and(|r| !r.degraded.is_empty()));
    instance.finish()?;
    Ok(format!("{told} lines; {}", note.trim()))
}

fn changed(before: &BTreeMap<String, Vec<u8>>, now: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let names = before.keys().chain(now.keys());
    names.filter(|name| before.get(*name) != now.get(*name)).cloned().collect()
}

fn copy_tree(from: &Path, to: &Path) -> Check {
    drop(std::fs::remove_dir_all(to));
    let done = Command::new("cp").arg("-a").arg(from).arg(to).output()?;
    ensure!(done.status.success(), "cp: {}", String::from_utf8_lossy(&done.stderr).trim());
    Ok(())
}

/// The last bytes of a file, if it is longer than what is zeroed.
fn tail(path: &Path) -> Check<Vec<u8>> {
    let bytes = std::fs::read(path)?;
    Ok(if bytes.len() > 4_096 + 200 { bytes[bytes.len() - 100..].to_vec() } else { Vec::new() })
}

fn holds(bytes: &[u8], piece: &[u8]) -> bool {
    bytes.windows(piece.len()).any(|window| window == piece)
}

fn memory(setup: &Setup) -> Check<Outcome> {
    let mut instance = lived(setup, "p6m", "")?;
    let state = instance.home.state().join("memory");
    let (kept, kept_memex) = (instance.home.dir().join("kept"), instance.home.dir().join("kept-memex"));
    copy_tree(&state, &kept)?;
    copy_tree(&instance.home.memex(), &kept_memex)?;
    let before = org::files(&instance.home.memex())?;
    // A lock holds no bytes, so there is nothing of it to damage.
    let files: Vec<String> = org::files(&state)?
        .into_iter()
        .filter(|(_, bytes)| !bytes.is_empty())
        .map(|(name, _)| name)
        .collect();
    ensure!(!files.is_empty(), "memory keeps no files: nothing to damage");
    let (mut cases, mut silent, mut faults) = (0, Vec::new(), Vec::new());
    for file in &files {
        for how in HARM {
            copy_tree(&kept, &state)?;
            copy_tree(&kept_memex, &instance.home.memex())?;
            let tail = tail(&state.join(file))?;
            harm(&state.join(file), how)?;
            cases += 1;
            match revived(&mut instance, &before, cases) {
                Ok(words) => {
                    // Behind the zeros lies history that can no longer be joined on: it is kept, under another name.
                    let kept =
                        org::files(&state)?.values().any(|bytes| tail.is_empty() || holds(bytes, &tail));
                    let must = how == "zeroed" || how == "length";
                    if must && !kept {
                        faults.push(format!(
                            "{file} {how}: what lay behind the damage was overwritten, not set aside"
                        ));
                    } else if must && words.starts_with("0 lines") {
                        faults.push(format!("{file} {how}: nobody was told"));
                    } else if words.starts_with("0 lines") {
                        silent.push(format!("{file} {how}"));
                    }
                }
                Err(fault) => {
                    faults.push(format!("{file} {how}: {fault}"));
                    drop(instance.finish());
                }
            }
        }
    }
    ensure!(faults.is_empty(), "{} of {cases}: {}", faults.len(), faults.join("; "));
    let words = if silent.is_empty() {
        "each with a clear line".to_owned()
    } else {
        format!("without a line: {}", silent.join(", "))
    };
    pass(format!(
        "{cases} damages to {} files ({}): Org files unchanged, chat answers; {words}",
        files.len(),
        files.join(", ")
    ))
}

/// The journal's newest end.
pub const P6_JOURNAL: Row =
    Row { name: "P6-journal-end", about: "torn end and missing sidecars of the journal", run: journal };

fn journal(setup: &Setup) -> Check<Outcome> {
    let mut instance = lived(setup, "p6j", "")?;
    let state = instance.home.state().join("journal");
    let (kept, kept_memex) = (instance.home.dir().join("kept"), instance.home.dir().join("kept-memex"));
    copy_tree(&state, &kept)?;
    copy_tree(&instance.home.memex(), &kept_memex)?;
    let before = org::files(&instance.home.memex())?;
    let files: Vec<String> = org::files(&state)?.into_keys().collect();
    let mut faults = Vec::new();
    let mut cases = 0;
    for file in &files {
        let is_segment = file.ends_with(".journal");
        // A torn end is a normal event; what lies in the middle is not, see the next case.
        let ways: &[&str] = if is_segment { &["torn"] } else { &HARM };
        for how in ways {
            copy_tree(&kept, &state)?;
            copy_tree(&kept_memex, &instance.home.memex())?;
            let path = state.join(file);
            if *how == "torn" {
                let len = std::fs::metadata(&path)?.len();
                std::fs::OpenOptions::new().write(true).open(&path)?.set_len(len - 3)?;
                let mut file = std::fs::OpenOptions::new().append(true).open(&path)?;
                file.write_all(&[0x55; 40])?;
            } else {
                harm(&path, how)?;
            }
            cases += 1;
            if let Err(fault) = revived(&mut instance, &before, cases) {
                faults.push(format!("{file} {how}: {fault}"));
                drop(instance.finish());
            }
            let lines = instance.home.outside_lines().len();
            ensure!(lines == 1, "{file} {how}: {lines} effects");
        }
    }
    ensure!(faults.is_empty(), "{} of {cases}: {}", faults.len(), faults.join("; "));
    pass(format!(
        "{cases} damages to {}: starts, Org files unchanged, chat answers, no effect repeated",
        files.join(", ")
    ))
}

/// What was durable and cannot be read any more.
pub const P6_OLDER: Row = Row {
    name: "P6-journal-older",
    about: "damage in an older segment stops with the repair command, which works",
    run: older,
};

fn older(setup: &Setup) -> Check<Outcome> {
    let mut instance = lived(setup, "p6o", "[journal]\nsegment_bytes = 65536\n")?;
    let state = instance.home.state().join("journal");
    instance.start()?;
    instance.ready()?;
    // Until there is an older one.
    let segments = || -> Check<Vec<String>> {
        Ok(org::files(&state)?.into_keys().filter(|name| name.ends_with(".journal")).collect())
    };
    let mut n = 0;
    while segments()?.len() < 2 {
        instance.ask("fill", &format!("f{n}"), &format!("note: filler {n} {}", "y".repeat(3_000)))?;
        n += 1;
        ensure!(n < 500, "500 notes of 3 kB and still one segment of 64 KiB");
    }
    instance.ask("fill", "last", "note: the last one")?;
    instance.finish()?;
    let before = org::files(&instance.home.memex())?;
    let names = segments()?;
    let Some(first) = names.first() else { return Err("no segment".into()) };
    let path = state.join(first);
    let len = std::fs::metadata(&path)?.len();
    let mut file = std::fs::OpenOptions::new().write(true).open(&path)?;
    file.seek(std::io::SeekFrom::Start(len / 2))?;
    file.write_all(&[0; 300])?;
    drop(file);
    drop(std::fs::remove_file(instance.home.log()));
    instance.start()?;
    let status = instance.wait(s(10))?;
    ensure!(status.code() == Some(78), "started over a damaged segment: {status}");
    let said = std::fs::read_to_string(instance.home.log())?;
    ensure!(
        said.contains("journal repair") && said.contains(first.as_str()),
        "the line names neither segment nor command: `{}`",
        said.trim()
    );
    ensure!(org::files(&instance.home.memex())? == before, "the Org files changed");
    // The command that it names.
    let repaired = Command::new(&setup.binary)
        .args(["ctl", "journal", "repair"])
        .arg("--memex")
        .arg(instance.home.memex())
        .arg("--state-dir")
        .arg(instance.home.state())
        .arg("--runtime-dir")
        .arg(instance.home.run())
        .arg("--config")
        .arg(instance.home.config())
        .env("HOME", instance.home.dir())
        .output()?;
    ensure!(
        repaired.status.success(),
        "`ctl journal repair` ended with {}: {}",
        repaired.status,
        String::from_utf8_lossy(&repaired.stderr).trim()
    );
    let aside =
        org::files(&state)?.keys().filter(|name| name.contains(first.as_str()) && *name != first).count();
    ensure!(aside >= 1, "the damaged segment was not kept aside");
    instance.start()?;
    instance.ready().map_err(|fault| Fault(format!("after the repair: {fault}")))?;
    ensure!(org::files(&instance.home.memex())? == before, "the Org files changed after the repair");
    let reply = instance.ctl(Verb::JournalVerify)?;
    ensure!(matches!(reply, Reply::Lines(_)), "verify after the repair: {reply:?}");
    let answer = instance.ask("fill", "new", "note: after the repair")?;
    ensure!(answer.text.starts_with("Noted"), "answered `{}`", answer.text);
    // What was done is still known to be done.
    let notes = org::entries(&instance.home.memex())?.len();
    drop(instance.ask("fill", "again", "agenda")?);
    ensure!(org::entries(&instance.home.memex())?.len() == notes, "entries changed");
    instance.finish()?;
    pass(format!(
        "code 78 with segment and command; `{}`; damaged file kept aside, chat answers",
        String::from_utf8_lossy(&repaired.stdout).trim()
    ))
}
