//! Each kind of fault with its exact words, the example file, and any text at all.

use super::{
    Needs, Reload, Settings, example, parse,
    roles::{FAULT_KEYS, ROLE_KEYS},
    schema::{Renamed, sections},
    value::{Kind, Value},
};
use proptest::prelude::*;
use protocol::{
    lifecycle::{FaultKind, FaultPoint},
    role::Role,
};
use std::time::Duration;

/// The faults of a text, one a line.
fn faults(text: &str) -> String {
    let faults = Settings::parse(text, "config.toml").unwrap_err();
    let lines: Vec<_> = faults.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

#[test]
fn empty_file_and_example_file_mean_the_defaults() {
    let defaults = Settings::default();
    assert_eq!(Settings::parse("", "x").unwrap(), defaults);
    assert_eq!(Settings::parse(&example(), "x").unwrap(), defaults);
    assert_eq!(defaults.health.ping, Duration::from_secs(5));
    assert_eq!(defaults.restart.ladder.len(), 6);
    assert_eq!(defaults.turn.waiting, 10_000);
    assert_eq!(defaults.roles[&Role::GatewayLocal].memory_mib, 256);
}

#[test]
fn example_file_explains_every_key() {
    let text = example();
    let keys = sections().flat_map(|section| section.keys);
    let fixed = keys.map(|key| (key.name, key.about, key.kind.allowed()));
    let roles = ROLE_KEYS.iter().map(|key| (key.name, key.about, key.kind.allowed()));
    let inject = FAULT_KEYS.iter().map(|key| (key.name, key.about, key.kind.allowed()));
    for (name, about, allowed) in fixed.chain(roles).chain(inject) {
        assert!(about.ends_with('.') && about.len() > 5, "{name}");
        assert!(text.contains(&format!("# {about} Allowed: {allowed}.\n")), "{name}");
    }
}

#[test]
fn limits_of_every_key_reach_their_field() {
    let mut settings = Settings::default();
    for key in sections().flat_map(|section| section.keys) {
        if let Kind::Int(from, to, _) = key.kind {
            for int in [to, from] {
                key.set(&mut settings, &Value::Int(int));
                assert_eq!(key.get(&settings), Value::Int(int), "{}", key.name);
            }
        }
    }
}

#[test]
fn defaults_of_the_journal_are_the_journals_own() {
    let of_settings = Settings::default().journal;
    let own = crate::journal::Options::default();
    assert_eq!((of_settings.segment_bytes, of_settings.segments), (own.segment_bytes, own.segments));
    assert_eq!(
        (of_settings.reserve_bytes, of_settings.done_keys, of_settings.done_days),
        (own.reserve_bytes, own.done_keys, own.done_days)
    );
}

#[test]
fn p11_a_misspelt_limit_is_refused_and_the_nearest_key_named() {
    assert_eq!(
        faults("[sandbox]\nreqiure = true\n"),
        r#"config.toml:2: unknown key "reqiure" in [sandbox]; did you mean "require"?"#
    );
}

#[test]
fn p11_b_unknown_keys_anywhere_are_all_named_at_once() {
    let text = "memx = \"~/m\"\ncolour = 1\n[health]\nping_m = 1\n[journal]\ndepth = 3\n\
                [helth]\nx = 1\n[turn]\nzzz = 1\nmemory_mib = 64\n";
    assert_eq!(
        faults(text),
        r#"config.toml:1: unknown key "memx"; did you mean "memex"?
config.toml:2: unknown key "colour"; known are memex, zone
config.toml:4: unknown key "ping_m" in [health]; did you mean "ping_ms"?
config.toml:6: unknown key "depth" in [journal]; it belongs under [turn]
config.toml:7: unknown section "helth"; did you mean "health"?
config.toml:10: unknown key "zzz" in [turn]; known are depth, running, waiting, retries, deadline_ms
config.toml:11: unknown key "memory_mib" in [turn]; it belongs under [roles.NAME]"#
    );
}

#[test]
fn p11_c_syntax_error_is_one_line_with_its_place() {
    assert_eq!(
        faults("[health]\nping_ms = 5000\nmisses = \n[turn]\ndepth = 3\n"),
        "config.toml:3: not valid TOML: string values must be quoted, expected literal string"
    );
    assert_eq!(
        faults("[health]\nping_ms = 5000\nping_ms = 6000\n"),
        "config.toml:3: not valid TOML: duplicate key"
    );
}

#[test]
fn p11_d_key_of_an_older_version_is_named_with_its_successor() {
    let renamed = [Renamed { section: "health", old: "ping_seconds", now: "`ping_ms`, in milliseconds" }];
    let text = "[health]\nping_seconds = 5\n";
    let faults = parse::parse(text, "config.toml", &|_| true, &renamed).unwrap_err();
    assert_eq!(
        faults[0].to_string(),
        "config.toml:2: `ping_seconds` in [health] is now `ping_ms`, in milliseconds"
    );
    assert_eq!(faults.len(), 1);
}

#[test]
fn values_of_wrong_type_or_range_are_told_what_is_allowed() {
    let text = "memex = 1\n[health]\nping_ms = \"5s\"\nmisses = 0\nstart_ms = 1.5\nterm_ms = -1\n\
                [restart]\nladder_ms = [0, 5, 1]\njitter_percent = 99999999999999999999999\n\
                [log]\nlevel = \"loud\"\n[sandbox]\nrequire = \"yes\"\n";
    assert_eq!(
        faults(text),
        r#"config.toml:1: "memex" must be a text in quotes, not an integer; example: memex = "~/memex"
config.toml:3: "ping_ms" in [health] must be an integer from 100 to 600000 (ms), not a string; example: ping_ms = 5000
config.toml:4: "misses" in [health] must be an integer from 1 to 100 (pings), not 0; example: misses = 3
config.toml:5: "start_ms" in [health] must be an integer from 100 to 600000 (ms), not a float; example: start_ms = 10000
config.toml:6: "term_ms" in [health] must be an integer from 100 to 600000 (ms), not -1; example: term_ms = 5000
config.toml:8: "ladder_ms" in [restart] must be 1 to 16 integers from 0 to 3600000 (ms), none below the one before, not [5, 1] in a row; example: ladder_ms = [0, 250, 1000, 4000, 15000, 60000]
config.toml:9: "jitter_percent" in [restart] must be an integer from 0 to 90 (percent), not 99999999999999999999999; example: jitter_percent = 20
config.toml:11: "level" in [log] must be one of "error", "warn", "info", "debug", "trace", not "loud"; example: level = "info"
config.toml:13: "require" in [sandbox] must be true or false, not a string; example: require = false"#
    );
}

#[test]
fn values_that_do_not_go_together_are_refused() {
    assert_eq!(
        faults("[health]\nstart_ms = 400000\n[drain]\ntotal_ms = 1000\nquick_ms = 500\n"),
        r#"config.toml:2: "start_ms" in [health] must not be above "start_max_ms", not 400000 above 300000
config.toml:4: "step_ms" in [drain] must not be above "total_ms", not 20000 above 1000"#
    );
}

#[test]
fn roles_are_known_by_name_only() {
    let text = "[roles.act]\nmemory_mib = 512\n[roles.\"gateway:local\"]\nenabled = false\n";
    let settings = Settings::parse(text, "x").unwrap();
    assert_eq!(settings.roles[&Role::Act].memory_mib, 512);
    assert!(!settings.roles[&Role::GatewayLocal].enabled);
    assert_eq!(
        faults("[roles.memroy]\n[roles.supervisor]\n[roles.act]\nmemory = 1\n[roles.reason]\nenabled = 1\n"),
        r#"config.toml:1: unknown section "roles.memroy"; did you mean "memory"?
config.toml:2: unknown section "roles.supervisor"; known are memory, perceive, reason, act, gateway:local
config.toml:4: unknown key "memory" in [roles.act]; known are enabled, memory_mib
config.toml:6: "enabled" in [roles.reason] must be true or false, not an integer; example: enabled = true"#
    );
}

#[test]
fn faults_to_act_out_are_read_and_checked() {
    let text = "[faults]\noutside = \"/tmp/o\"\n[[faults.inject]]\nrole = \"act\"\nat = \"effect\"\n\
                does = \"sleep\"\nms = 50\n[[faults.inject]]\nrole = \"reason\"\nat = \"boot\"\ndoes = \"exit0\"\n";
    let settings = Settings::parse(text, "x").unwrap();
    let first = &settings.faults.inject[0];
    assert_eq!((first.role, first.at), (Role::Act, FaultPoint::Effect));
    assert_eq!((first.does, first.ms), (FaultKind::Sleep, 50));
    assert_eq!(settings.faults.inject.len(), 2);
    assert_eq!(
        faults("[[faults.inject]]\nrole = \"acts\"\nat = \"boot\"\n"),
        r#"config.toml:1: "does" is missing in [[faults.inject]]; example: does = "abort"
config.toml:2: "role" in [[faults.inject]] must be one of "memory", "perceive", "reason", "act", "gateway:local", not "acts"; example: role = "memory""#
    );
}

#[test]
fn value_in_the_place_of_a_table_is_refused() {
    assert_eq!(
        faults("health = 1\nroles = 2\n[faults]\ninject = 3\n"),
        r#"config.toml:1: "health" must be a table: [health]
config.toml:2: "roles" must be a table per actor: [roles.act]
config.toml:4: "faults.inject" must be a list of tables: [[faults.inject]]"#
    );
}

#[test]
fn zone_that_the_caller_does_not_know_is_refused() {
    let text = "zone = \"Europe/Berln\"\n";
    let faults = Settings::parse_with(text, "c", &|zone| zone == "Europe/Berlin").unwrap_err();
    assert_eq!(
        faults[0].to_string(),
        r#"c:1: "zone" must be a time zone that this system knows, not "Europe/Berln"; example: zone = "Europe/Berlin""#
    );
    let system = Settings::parse_with("", "c", &|_| false);
    assert!(system.is_ok());
}

#[test]
fn reload_tells_what_each_change_needs() {
    let old = Settings::default();
    let text = "memex = \"/m\"\n[health]\nping_ms = 100\n[sandbox]\nrequire = true\n\
                [roles.\"gateway:local\"]\nmemory_mib = 64\n";
    let new = Settings::parse(text, "x").unwrap();
    let reload = Reload::compare(&old, &new);
    let told: Vec<_> = reload.changes.iter().map(|c| (c.key.as_str(), c.needs)).collect();
    assert_eq!(
        told,
        [
            ("memex", Needs::Supervisor),
            ("health.ping_ms", Needs::Nothing),
            ("sandbox.require", Needs::Actors),
            ("roles.\"gateway:local\".memory_mib", Needs::ThisRole),
        ]
    );
    assert_eq!(reload.roles().len(), Role::ACTORS.len());
    assert_eq!(reload.deferred().collect::<Vec<_>>(), ["memex"]);
    assert_eq!(Reload::compare(&new, &new), Reload::default());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused_without_panic(text: String) {
        let _outcome = Settings::parse(&text, "x");
    }

    #[test]
    fn harmed_example_is_read_or_refused_with_a_place(at: prop::sample::Index, put in "[\\[\\]=\"a.{}\n#,]{0,3}") {
        let mut text = example();
        let at = at.index(text.len());
        prop_assume!(text.is_char_boundary(at));
        text.insert_str(at, &put);
        if let Err(faults) = Settings::parse(&text, "x") {
            let lines = text.lines().count() + 1;
            prop_assert!(!faults.is_empty());
            prop_assert!(faults.iter().all(|fault| (1..=lines).contains(&fault.line)));
        }
    }
}
