//! `prove NAME [ARGS]`: runs one proof; `prove --list` names them. `tests/show` builds everything first.

use prove::{
    Outcome, Scale, Setup,
    proof::{PROOFS, Proof},
};
use std::{path::PathBuf, process::ExitCode};

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_default();
    if name.is_empty() || name == "--list" {
        list();
        return ExitCode::SUCCESS;
    }
    let Some(proof) = PROOFS.iter().find(|proof| proof.name == name) else {
        eprintln!("there is no proof `{name}`; there are:");
        list();
        return ExitCode::from(64);
    };
    let mut args: Vec<String> = args.collect();
    let mut binary = beside();
    if let Some(at) = args.iter().position(|arg| arg == "--binary") {
        args.remove(at);
        if at < args.len() {
            binary = PathBuf::from(args.remove(at));
        }
    }
    let scale = match args.iter().position(|arg| arg == "--short") {
        Some(at) => {
            args.remove(at);
            Scale::Short
        }
        None => Scale::Full,
    };
    let setup = Setup { binary, scale, args };
    end(proof, &setup)
}

fn end(proof: &Proof, setup: &Setup) -> ExitCode {
    match (proof.run)(setup) {
        Ok(Outcome::Pass(figures)) => {
            println!("{}: PASS {figures}", proof.name);
            ExitCode::SUCCESS
        }
        Ok(Outcome::Skip(why)) => {
            println!("{}: SKIPPED {why}", proof.name);
            ExitCode::from(77)
        }
        Err(fault) => {
            println!("{}: FAIL {fault}", proof.name);
            ExitCode::FAILURE
        }
    }
}

fn list() {
    for proof in PROOFS {
        println!("{:<12} {:<34} {}", proof.name, proof.arguments, proof.summary);
    }
}

/// The product's binary lies beside this one.
fn beside() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    own.with_file_name("passepartout")
}
