//! Rules about what is written for people: headers of roles, the route table in ARCHITECTURE.md, the example file.

use super::{
    tree::{SOURCES, read},
    verdict,
};
use supervisor::settings::{Settings, example};

/// What the header of a role answers.
const SECTIONS: [&str; 4] = ["Receives", "Sends", "Trust", "On crash"];

#[test]
fn every_role_says_what_it_may_meet() {
    let mut broken = Vec::new();
    for source in SOURCES.iter() {
        let is_actor = source.path.starts_with("actors/")
            && source.path.ends_with("/src/lib.rs")
            && source.path.split('/').count() == 4
            && (source.parts.code.contains("pub fn run(")
                || source.parts.code.contains("pub use shell::run"));
        if !is_actor && source.path != "supervisor/src/lib.rs" {
            continue;
        }
        let header: Vec<&str> = source
            .text
            .lines()
            .take_while(|line| line.starts_with("//!"))
            .map(|line| line.trim_start_matches("//!").trim())
            .collect();
        for section in SECTIONS {
            let forms = [format!("# {section}"), format!("*{section}*")];
            let has = header.iter().any(|line| forms.iter().any(|f| line.starts_with(f)));
            if !has {
                broken.push(format!("{}: *{section}*", source.path));
            }
        }
    }
    verdict(
        "The header of a role has four sections: Receives, Sends, Trust (hostile input that reaches it, what it may \
         touch), On crash (lost, replayed).",
        &broken,
    );
}

#[test]
fn architecture_quotes_the_route_table() {
    let Some(text) = read("ARCHITECTURE.md") else {
        return;
    };
    let block =
        text.split_once("```routes\n").and_then(|(_, rest)| rest.split_once("\n```")).map(|(block, _)| block);
    let routes = supervisor::routes::routes().join("\n");
    if block != Some(routes.as_str()) {
        verdict(
            "ARCHITECTURE.md quotes the route table in a block that begins with ```routes. It has to read:",
            &[routes.replace('\n', "\n  ")],
        );
    }
}

#[test]
fn example_file_is_the_one_that_the_program_writes() {
    let written = read("ops/config/config.toml").unwrap_or_default();
    if written != example() {
        let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/config.toml");
        std::fs::write(path, example()).unwrap();
        verdict(
            "ops/config/config.toml is generated from the schema of the settings. What it should be lies in",
            &[path.to_owned()],
        );
    }
}

#[test]
fn example_file_says_what_holds_without_it() {
    let written = read("ops/config/config.toml").unwrap();
    let settings = Settings::parse(&written, "config.toml");
    assert_eq!(settings.unwrap(), Settings::default());
}
