//! The one binary: argv says which role this process has. The only file that names every crate.

use kit::Exit;
use protocol::role::Role;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    // The hidden form that the supervisor starts its actors with: actor ROLE GENERATION LEVEL.
    if args.next().as_deref() == Some("actor") {
        return actor(args).into();
    }
    // Until the command line of `ctl` lands: `up` with its options.
    let mut w = supervisor::paths::Wishes {
        home: std::env::home_dir(),
        ..Default::default()
    };
    let mut args = std::env::args().skip(2);
    while let (Some(k), Some(v)) = (args.next(), args.next()) {
        match k.as_str() {
            "--memex" => w.memex = Some(v.into()),
            "--config" => w.config = Some(v.into()),
            "--state-dir" => w.state = Some(v.into()),
            "--runtime-dir" => w.runtime = Some(v.into()),
            _ => return ExitCode::from(64),
        }
    }
    let ended = supervisor::paths::Paths::find(&w, None)
        .map_err(Into::into)
        .and_then(|paths| supervisor::tree::run(&paths));
    match ended {
        Ok(exit) => exit.into(),
        Err(error) => error.exit().into(),
    }
}

fn actor(mut args: impl Iterator<Item = String>) -> Exit {
    let role = args.next().and_then(|name| name.parse::<Role>().ok());
    let generation = args.next().and_then(|number| number.parse::<u32>().ok());
    let (Some(role), Some(generation)) = (role, generation) else {
        return Exit::Usage;
    };
    let level = args.next().unwrap_or_default();
    match role {
        Role::Supervisor => Exit::Usage,
        Role::Memory => memory::run(generation, &level),
        Role::Perceive => perceive::run(generation, &level),
        Role::Reason => reason::run(generation, &level),
        Role::Act => act::run(generation, &level),
        Role::GatewayLocal => gateway::run(generation, &level),
    }
}
