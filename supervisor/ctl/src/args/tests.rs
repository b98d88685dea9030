//! Words in, command out, as a table.

use super::*;
use clap::CommandFactory as _;

fn parsed(line: &str) -> Result<String, i32> {
    let words = std::iter::once("passepartout").chain(line.split_whitespace());
    match Cli::try_parse_from(words) {
        Ok(cli) => Ok(format!("{:?}", cli.command)),
        Err(error) => Err(error.exit_code()),
    }
}

#[test]
fn the_whole_definition_is_consistent() {
    Cli::command().debug_assert();
}

#[test]
fn commands_are_read_as_they_are_meant() {
    let table = [
        ("chat", r#"Chat(Talk { conversation: "local", no_spawn: false })"#),
        ("chat --conversation c --no-spawn", r#"Chat(Talk { conversation: "c", no_spawn: true })"#),
        (
            "ask --json --timeout 5 what now",
            r#"Ask(Ask { talk: Talk { conversation: "local", no_spawn: false }, json: true, timeout: 5, text: ["what", "now"] })"#,
        ),
        (
            "ask -",
            r#"Ask(Ask { talk: Talk { conversation: "local", no_spawn: false }, json: false, timeout: 60, text: ["-"] })"#,
        ),
        ("up", "Up"),
        ("ctl status", "Ctl { verb: Status { json: false, watch: false } }"),
        ("ctl status --json --watch", "Ctl { verb: Status { json: true, watch: true } }"),
        ("ctl top", "Ctl { verb: Top }"),
        ("ctl tail", "Ctl { verb: Tail { lines: 50, follow: false } }"),
        ("ctl tail -n 3 -f", "Ctl { verb: Tail { lines: 3, follow: true } }"),
        ("ctl trace ab12", r#"Ctl { verb: Trace { turn: "ab12" } }"#),
        ("ctl routes", "Ctl { verb: Routes }"),
        ("ctl start act", r#"Ctl { verb: Start { role: "act" } }"#),
        ("ctl stop gateway:local", r#"Ctl { verb: Stop { role: "gateway:local" } }"#),
        ("ctl restart act", r#"Ctl { verb: Restart { role: "act" } }"#),
        ("ctl drain", "Ctl { verb: Drain }"),
        ("ctl reload", "Ctl { verb: Reload }"),
        ("ctl parked list", "Ctl { verb: Parked { what: List } }"),
        ("ctl parked retry a", r#"Ctl { verb: Parked { what: Retry { turn: "a" } } }"#),
        ("ctl parked drop a", r#"Ctl { verb: Parked { what: Drop { turn: "a" } } }"#),
        ("ctl uncertain list", "Ctl { verb: Uncertain { what: List } }"),
        ("ctl uncertain happened a", r#"Ctl { verb: Uncertain { what: Happened { turn: "a" } } }"#),
        ("ctl uncertain did-not a", r#"Ctl { verb: Uncertain { what: DidNot { turn: "a" } } }"#),
        ("ctl journal verify", "Ctl { verb: Journal { what: Verify } }"),
        ("ctl journal repair", "Ctl { verb: Journal { what: Repair } }"),
        ("ctl snapshots -n 5", "Ctl { verb: Snapshots { limit: 5, what: None } }"),
        ("ctl snapshots verify", "Ctl { verb: Snapshots { limit: 20, what: Some(Verify) } }"),
        (
            "ctl snapshots keep 7 before-move",
            r#"Ctl { verb: Snapshots { limit: 20, what: Some(Keep { snapshot: "7", name: "before-move" }) } }"#,
        ),
        ("ctl diff 3", r#"Ctl { verb: Diff { from: "3", to: None } }"#),
        ("ctl diff 3 4", r#"Ctl { verb: Diff { from: "3", to: Some("4") } }"#),
        ("ctl history the boiler", r#"Ctl { verb: History { entry: ["the", "boiler"] } }"#),
        ("ctl memory", "Ctl { verb: Memory }"),
        (
            "ctl rollback a",
            r#"Ctl { verb: Rollback { turn: Some("a"), to: None, file: None, entry: None } }"#,
        ),
        (
            "ctl rollback --to 3 --file a.org",
            r#"Ctl { verb: Rollback { turn: None, to: Some("3"), file: Some("a.org"), entry: None } }"#,
        ),
        ("ctl inject note: milk", r#"Ctl { verb: Inject { text: ["note:", "milk"] } }"#),
        ("ctl doctor", "Ctl { verb: Doctor }"),
        ("ctl version", "Ctl { verb: Version }"),
        ("config check", "Config { what: Check { file: None } }"),
        ("config check f", r#"Config { what: Check { file: Some("f") } }"#),
        ("config example", "Config { what: Example }"),
        ("completions bash", "Completions { shell: Bash }"),
        ("man", "Man { dir: None }"),
        ("version", "Version"),
    ];
    for (line, command) in table {
        assert_eq!(parsed(line).as_deref(), Ok(command), "{line}");
    }
}

#[test]
fn what_is_no_command_is_refused_and_help_is_not_an_error() {
    for line in ["frobnicate", "ctl", "ctl parked retry", "ask --timeout 0 x", "ctl inject", ""] {
        assert_eq!(parsed(line), Err(2), "{line}");
    }
    for line in ["--help", "--version", "ctl --help", "help ctl"] {
        assert_eq!(parsed(line), Err(0), "{line}");
    }
}

#[test]
fn options_of_places_are_taken_before_and_after_the_command() {
    for line in ["--state-dir /s ctl status", "ctl status --state-dir /s", "ctl --state-dir /s status"] {
        let words = std::iter::once("passepartout").chain(line.split(' '));
        let cli = Cli::try_parse_from(words).unwrap();
        assert_eq!(cli.places.state_dir, Some("/s".into()), "{line}");
    }
}

#[test]
fn exit_codes_stand_in_the_help() {
    let help = Cli::command().render_help().to_string();
    for code in ["1   refused", "3   the daemon does not run", "64  the command line"] {
        assert!(help.contains(code), "{help}");
    }
}
