//! Rules about crates: which way the arrows point, where versions stand, how many strangers come along.

use super::{
    tree::{SOURCES, read},
    verdict,
};
use std::collections::BTreeMap;

/// Most packages in `Cargo.lock`. The whole product, terminal included, was measured at 355; the rest is for one
/// wrong turn, not for two.
const PACKAGES_MAX: usize = 420;

/// Where packages may come from: the registry that every cargo knows.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Lints that hold the rules about panics, locks, tasks and clocks; without them the style guide promises too much.
const LINTS_DENIED: [&str; 14] = [
    "unwrap_used",
    "expect_used",
    "panic",
    "todo",
    "unimplemented",
    "get_unwrap",
    "exit",
    "mem_forget",
    "dbg_macro",
    "print_stdout",
    "await_holding_lock",
    "disallowed_methods",
    "disallowed_types",
    "undocumented_unsafe_blocks",
];

/// A crate of ours.
struct Member {
    folder: String,
    name: String,
    manifest: toml::Table,
}

impl Member {
    /// Names of what it depends on, in every kind of dependency table.
    fn dependencies(&self) -> Vec<(String, toml::Value)> {
        ["dependencies", "dev-dependencies", "build-dependencies"]
            .iter()
            .filter_map(|kind| self.manifest.get(*kind)?.as_table())
            .flat_map(toml::Table::clone)
            .collect()
    }

    /// The role that this crate or the crate around it is, if it is one.
    fn actor(&self) -> Option<&str> {
        let behind = self.folder.strip_prefix("actors/")?;
        let name = behind.split('/').next()?;
        (!["kit", "guard", "skills"].contains(&name)).then_some(name)
    }

    fn is_proof(&self) -> bool {
        self.folder.starts_with("tests/")
    }
}

fn manifest(path: &str) -> toml::Table {
    let text = read(path).unwrap_or_else(|| panic!("{path} cannot be read"));
    text.parse().unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn members() -> Vec<Member> {
    let root = manifest("Cargo.toml");
    let listed = root["workspace"]["members"].as_array().unwrap().iter();
    listed
        .map(|folder| {
            let folder = folder.as_str().unwrap().to_owned();
            let manifest = manifest(&format!("{folder}/Cargo.toml"));
            let name = manifest["package"]["name"].as_str().unwrap().to_owned();
            Member { folder, name, manifest }
        })
        .collect()
}

#[test]
fn arrows_between_crates_point_one_way() {
    let members = members();
    let by_name: BTreeMap<&str, &Member> = members.iter().map(|m| (m.name.as_str(), m)).collect();
    let mut broken = Vec::new();
    for member in members.iter().filter(|member| !member.is_proof()) {
        for (name, _) in member.dependencies() {
            let Some(needed) = by_name.get(name.as_str()) else {
                continue;
            };
            if !may_need(member, needed) {
                broken.push(format!("{} -> {}", member.name, needed.name));
            }
        }
    }
    verdict(
        "Arrows point one way: protocol <- link <- kit <- actors. Actors never depend on each other, the supervisor \
         on no actor, nothing on a proof.",
        &broken,
    );
}

/// The rule itself: who may depend on whom.
fn may_need(who: &Member, needed: &Member) -> bool {
    if needed.is_proof() {
        return false;
    }
    let is_own_part = needed.folder.starts_with(&format!("{}/", who.folder))
        || (who.actor().is_some() && who.actor() == needed.actor() && needed.name != actor_name(needed));
    match who.name.as_str() {
        "protocol" => false,
        "link" | "guard" | "skills" => needed.name == "protocol",
        "kit" => ["protocol", "link"].contains(&needed.name.as_str()),
        "supervisor" => ["protocol", "link", "kit"].contains(&needed.name.as_str()),
        "ctl" => ["protocol", "link", "kit", "supervisor"].contains(&needed.name.as_str()),
        _ if is_own_part => true,
        // A part of an actor, such as `org`, knows neither frames nor processes.
        name if name != actor_name(who) => needed.name == "protocol",
        _ => ["protocol", "link", "kit", "guard", "skills"].contains(&needed.name.as_str()),
    }
}

/// The name of the actor that a crate belongs to.
fn actor_name(member: &Member) -> &str {
    member.actor().unwrap_or("")
}

#[test]
fn versions_stand_in_the_root_only() {
    let mut broken = Vec::new();
    for member in members() {
        for (name, wanted) in member.dependencies() {
            if wanted.get("workspace") != Some(&toml::Value::Boolean(true)) {
                broken.push(format!("{}/Cargo.toml: {name}", member.folder));
            }
        }
    }
    let root = manifest("Cargo.toml");
    for (name, wanted) in root["workspace"]["dependencies"].as_table().unwrap() {
        let version = wanted.get("version").unwrap_or(wanted).as_str();
        let is_open = version.is_none_or(|version| version.contains('*'));
        if wanted.get("git").is_some() || (wanted.get("path").is_none() && is_open) {
            broken.push(format!("Cargo.toml: {name}"));
        }
    }
    verdict(
        "Versions stand in [workspace.dependencies] and nowhere else, without `*` and without git; crates say \
         `name.workspace = true`.",
        &broken,
    );
}

#[test]
fn every_crate_is_linted_alike() {
    let mut broken = Vec::new();
    // Proofs are tools: they print and give up loudly, so they say themselves what they obey.
    for member in members().iter().filter(|member| !member.is_proof()) {
        let lints = member.manifest.get("lints").and_then(|l| l.get("workspace"));
        if lints != Some(&toml::Value::Boolean(true)) {
            broken.push(format!("{}/Cargo.toml: [lints] workspace = true", member.folder));
        }
    }
    let root = manifest("Cargo.toml");
    for lint in LINTS_DENIED {
        let level = root["workspace"]["lints"]["clippy"].get(lint);
        if level.and_then(toml::Value::as_str) != Some("deny") {
            broken.push(format!("Cargo.toml: {lint} = \"deny\""));
        }
    }
    for documented in ["protocol/src/lib.rs", "protocol/link/src/lib.rs", "actors/guard/src/lib.rs"] {
        let source = SOURCES.iter().find(|source| source.path == documented);
        if source.is_some_and(|s| !s.parts.code.contains("#![warn(missing_docs)]")) {
            broken.push(format!("{documented}: #![warn(missing_docs)]"));
        }
    }
    verdict("Each crate obeys the lints of the workspace:", &broken);
}

#[test]
fn strangers_are_few_and_come_from_one_place() {
    let lock = manifest("Cargo.lock");
    let packages = lock["package"].as_array().unwrap();
    let mut broken = Vec::new();
    if packages.len() > PACKAGES_MAX {
        let count = packages.len();
        broken.push(format!("{count} packages in Cargo.lock, at most {PACKAGES_MAX} are allowed"));
    }
    for package in packages {
        let source = package.get("source").and_then(toml::Value::as_str);
        if source.is_some_and(|source| source != REGISTRY) {
            broken.push(format!("{:?}: {:?}", package["name"], package["source"]));
        }
    }
    let book = read("ops/docs/dependencies.md").unwrap_or_default();
    let root = manifest("Cargo.toml");
    for (name, wanted) in root["workspace"]["dependencies"].as_table().unwrap() {
        if wanted.get("path").is_none() && !book.contains(&format!("`{name}`")) {
            broken.push(format!("{name} is not in ops/docs/dependencies.md"));
        }
    }
    verdict(
        "Each dependency is paid for for ever: why it is there, how many crates it brings and what was rejected \
         stands in ops/docs/dependencies.md.",
        &broken,
    );
}
