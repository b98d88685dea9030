//! Commands that need no daemon: the configuration, completions, manual pages, a damaged journal.

use crate::{Cli, Error, Failure, Kind, args, show};
use clap::CommandFactory as _;
use clap_complete::Shell;
use std::{
    io::{self, Write},
    path::Path,
};
use supervisor::{
    journal,
    lock::{self, Lock},
    paths::{Paths, Wishes},
    settings::{self, Settings},
};

/// The name that people type.
const NAME: &str = "passepartout";

/// Checks the configuration, or shows what can be set.
pub(crate) fn config(wishes: &Wishes, what: &args::Config, out: &mut impl Write) -> Result<(), Failure> {
    match what {
        args::Config::Example => Ok(out.write_all(settings::example().as_bytes())?),
        args::Config::Check { file: Some(file) } => check(file, Missing::Fault, out),
        args::Config::Check { file: None } => {
            let nowhere = supervisor::paths::Error::Nowhere("config");
            let file = Paths::config_file(wishes).ok_or(nowhere)?;
            check(&file, Missing::Fine, out)
        }
    }
}

/// What a file means that is not there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Fine,
    Fault,
}

fn check(file: &Path, missing: Missing, out: &mut impl Write) -> Result<(), Failure> {
    let name = file.display().to_string();
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound && missing == Missing::Fine => {
            return Ok(writeln!(out, "{name} is not there: everything has its default")?);
        }
        Err(source) => {
            let source = Error::System { what: name, source };
            return Err(Failure::new(Kind::Config, source, "passepartout config example"));
        }
    };
    match Settings::parse(&text, &name) {
        Ok(_) => Ok(writeln!(out, "{name}: no faults")?),
        Err(faults) => {
            let faults = faults.iter().map(ToString::to_string).collect();
            let source = Error::Config(faults);
            Err(Failure::new(Kind::Config, source, "passepartout config example"))
        }
    }
}

/// Prints completions.
pub(crate) fn completions(shell: Shell, out: &mut impl Write) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), NAME, &mut script);
    Ok(out.write_all(&script)?)
}

/// Prints the manual page, or writes one for each command.
pub(crate) fn man(dir: Option<&Path>, out: &mut impl Write) -> Result<(), Failure> {
    let Some(dir) = dir else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page)?;
        return Ok(out.write_all(&page)?);
    };
    let fault = |error| Failure::system(dir.display().to_string(), error);
    std::fs::create_dir_all(dir).map_err(fault)?;
    clap_mangen::generate_to(Cli::command(), dir).map_err(fault)
}

/// Prints the version of this program.
pub(crate) fn version(out: &mut impl Write) -> Result<(), Failure> {
    let (major, minor) = (protocol::version::MAJOR, protocol::version::MINOR);
    let build = env!("CARGO_PKG_VERSION");
    Ok(writeln!(out, "{NAME} {build}, protocol {major}.{minor}")?)
}

/// Keeps what can be read of a damaged journal. Holds the daemon's lock meanwhile, so none can run or start.
pub(crate) fn repair(paths: &Paths, out: &mut impl Write) -> Result<(), Failure> {
    let journal = paths.journal();
    if !journal.is_dir() {
        let why = format!("there is no journal at {}", journal.display());
        return Err(Failure::new(Kind::Refused, Error::Refused(why), "passepartout up"));
    }
    let lock = lock::take(&paths.state.join("supervisor.lock"))
        .map_err(|error| Failure::system("the lock of the state folder", error))?;
    let _held = match lock {
        Lock::Taken(file) => file,
        Lock::Held(pid) => {
            let why = format!("passepartout runs, as process {pid}: a journal in use stays as it is");
            return Err(Failure::new(Kind::Refused, Error::Refused(why), "passepartout ctl drain"));
        }
    };
    let repaired = journal::repair(&journal)
        .map_err(|error| Failure::new(Kind::Refused, error, "passepartout ctl journal verify"))?;
    if repaired.is_empty() {
        return Ok(writeln!(out, "nothing to repair")?);
    }
    for segment in repaired {
        let journal::Repaired { file, aside, kept, gaps, skipped } = segment;
        writeln!(
            out,
            "{file}: {kept} records kept, {skipped} bytes in {gaps} places could not be read; as it was: {aside}"
        )?;
    }
    Ok(())
}

/// Checks the journal of a daemon that does not run.
pub(crate) fn verify(paths: &Paths, out: &mut impl Write) -> Result<(), Failure> {
    let report = journal::verify(&paths.journal())
        .map_err(|error| Failure::new(Kind::Refused, error, "passepartout up"))?;
    let lines = report.segments.iter().map(|segment| match segment.bad {
        None => format!("{}: {} records, {} bytes, sound", segment.file, segment.records, segment.bytes),
        Some(at) => format!(
            "{}: {} records, then damaged at byte {at} of {}, {} records behind it",
            segment.file, segment.records, segment.bytes, segment.records_behind
        ),
    });
    let bad = report.bad_sidecars.iter().map(|file| format!("{file}: cannot be read"));
    write!(out, "{}", show::lines(&lines.chain(bad).collect::<Vec<_>>()))?;
    if report.is_sound() {
        return Ok(());
    }
    let why = Error::Refused("the journal is damaged".into());
    Err(Failure::new(Kind::Refused, why, "passepartout ctl journal repair"))
}
