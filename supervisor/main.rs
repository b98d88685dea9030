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
    match ctl::main(std::env::args_os(), ctl::environment()) {
        ctl::Run::Done(code) => code,
        ctl::Run::Up(paths) => ctl::ended(supervisor::tree::run(&paths)),
    }
}

fn actor(mut args: impl Iterator<Item = String>) -> Exit {
    let role = args.next().and_then(|name| name.parse::<Role>().ok());
    let generation = args.next().and_then(|number| number.parse::<u32>().ok());
    let (Some(role), Some(generation)) = (role, generation) else { return Exit::Usage };
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
