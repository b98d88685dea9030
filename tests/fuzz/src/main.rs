//! `fuzzloop TARGET --seconds N --seed S`: throws inputs at a target. With cargo-fuzz and a nightly compiler it lets
//! libFuzzer do it, guided by coverage; else, or with `--stable`, its own seeded mutator. Ends with one line `fuzz TARGET: PASS ..`
//! or `fuzz TARGET: FAIL ..`, and with code 0 only after PASS.
//!
//! The work is done in a child, in rounds of about a second, because a stack overflow or an endless loop cannot be
//! caught. A round that dies is repeated with the same seed, every input written to a file before it is tried.

use kit::clock;
use prove_fuzz::{Mutator, TARGETS, Target, target};
use std::{
    fs,
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, ExitCode, Stdio},
    sync::mpsc,
    time::Duration,
};

/// How long a round lasts.
const ROUND: Duration = Duration::from_secs(1);

/// After this long a round hangs.
const HANG: Duration = Duration::from_secs(20);

/// Everything that the command line says.
struct Asked {
    target: &'static Target,
    seconds: u64,
    seed: u64,
    stable: bool,
    /// Whether this process is the child.
    is_round: bool,
    /// Where the child writes each input before it tries it.
    save: Option<PathBuf>,
}

fn main() -> ExitCode {
    let Some(asked) = asked(std::env::args().skip(1)) else {
        let _told = usage();
        return ExitCode::from(64);
    };
    let done = if asked.is_round {
        round(&asked)
    } else if !asked.stable && has_libfuzzer() {
        with_libfuzzer(&asked)
    } else {
        with_mutator(&asked)
    };
    done.unwrap_or_else(|error| {
        let _told = writeln!(io::stderr(), "fuzzloop: {error}");
        ExitCode::FAILURE
    })
}

fn usage() -> io::Result<()> {
    let mut err = io::stderr().lock();
    writeln!(err, "fuzzloop TARGET [--seconds N] [--seed S] [--stable]")?;
    for target in TARGETS {
        writeln!(err, "  {:<8} {}", target.name, target.about)?;
    }
    Ok(())
}

fn asked(mut args: impl Iterator<Item = String>) -> Option<Asked> {
    let mut asked = Asked {
        target: target(&args.next()?)?,
        seconds: 60,
        seed: 1,
        stable: false,
        is_round: false,
        save: None,
    };
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--seconds" => asked.seconds = args.next()?.parse().ok()?,
            "--seed" => asked.seed = args.next()?.parse().ok()?,
            "--stable" => asked.stable = true,
            "--round" => asked.is_round = true,
            "--save" => asked.save = Some(PathBuf::from(args.next()?)),
            _ => return None,
        }
    }
    Some(asked)
}

/// The child: tries inputs, and says at its end how many.
fn round(asked: &Asked) -> io::Result<ExitCode> {
    let start = clock::monotonic();
    let mut mutator = Mutator::new(asked.target, asked.seed);
    let mut runs: u64 = 0;
    while asked.save.is_some() || start.elapsed() < ROUND {
        let input = mutator.input();
        if let Some(file) = &asked.save {
            fs::write(file, &input)?;
        }
        (asked.target.run)(&input);
        runs += 1;
    }
    writeln!(io::stdout(), "{runs}")?;
    Ok(ExitCode::SUCCESS)
}

/// The parent: round after round, each with a seed of its own.
fn with_mutator(asked: &Asked) -> io::Result<ExitCode> {
    let name = asked.target.name;
    let start = clock::monotonic();
    let mut runs: u64 = 0;
    let mut seed = asked.seed;
    while start.elapsed() < Duration::from_secs(asked.seconds) {
        let Some(more) = attempt(asked, seed, None)? else {
            let file = std::env::temp_dir().join(format!("fuzz-{name}-{seed}"));
            let again = attempt(asked, seed, Some(&file))?;
            debug_assert!(again.is_none(), "a round with a file has no end");
            writeln!(
                io::stdout(),
                "fuzz {name}: FAIL after {runs} runs, seed {seed}; the input lies in {}",
                file.display()
            )?;
            return Ok(ExitCode::FAILURE);
        };
        runs += more;
        seed += 1;
    }
    let per_second = runs / start.elapsed().as_secs().max(1);
    let rounds = seed - asked.seed;
    writeln!(
        io::stdout(),
        "fuzz {name}: PASS {runs} runs, {per_second} a second, seeds {} to {}, without coverage",
        asked.seed,
        asked.seed + rounds.saturating_sub(1)
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Runs one round in a child. `None` when it died or hung.
fn attempt(asked: &Asked, seed: u64, save: Option<&Path>) -> io::Result<Option<u64>> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .arg(asked.target.name)
        .args(["--round", "--seed", &seed.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    if let Some(file) = save {
        command.arg("--save").arg(file);
    }
    let mut child = command.spawn()?;
    let said = said(&mut child)?;
    if said.is_none() {
        child.kill()?;
    }
    let status = child.wait()?;
    let runs = said.and_then(|said| said.trim().parse().ok());
    Ok(runs.filter(|_| status.success()))
}

/// Everything that a child says, or `None` when it does not come to an end.
fn said(child: &mut Child) -> io::Result<Option<String>> {
    let mut pipe = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let (end, ended) = mpsc::sync_channel(1);
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        let read = pipe.read_to_string(&mut text).map(|_| text);
        // Nobody listens any more when the child hung.
        drop(end.send(read));
    });
    match ended.recv_timeout(HANG) {
        Ok(text) => {
            drop(reader.join());
            text.map(Some)
        }
        Err(mpsc::RecvTimeoutError::Timeout | mpsc::RecvTimeoutError::Disconnected) => Ok(None),
    }
}

fn targets_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("targets")
}

fn has_libfuzzer() -> bool {
    let asked = Command::new("cargo")
        .args(["+nightly", "fuzz", "--version"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    asked.is_ok_and(|status| status.success())
}

/// Lets libFuzzer run. What it finds new stays in `targets/corpus` and is not committed; what breaks, in `targets/artifacts`.
fn with_libfuzzer(asked: &Asked) -> io::Result<ExitCode> {
    let name = asked.target.name;
    let folder = targets_folder();
    let found = folder.join("corpus").join(name);
    fs::create_dir_all(&found)?;
    let seeds = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let status = Command::new("cargo")
        .args(["+nightly", "fuzz", "run", "--fuzz-dir"])
        .arg(&folder)
        .arg(name)
        .args([&found, &seeds])
        .args(["--", "-timeout=20"])
        .arg(format!("-max_total_time={}", asked.seconds))
        .arg(format!("-seed={}", asked.seed))
        .status()?;
    let verdict = if status.success() { "PASS" } else { "FAIL" };
    writeln!(
        io::stdout(),
        "fuzz {name}: {verdict} after {} seconds of libFuzzer, seed {}",
        asked.seconds,
        asked.seed
    )?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
