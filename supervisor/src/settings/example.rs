//! The example file, written from the schema: each key with what it is for, what is allowed, and its default.

use super::{
    roles::{FAULT_KEYS, ROLE_KEYS},
    schema::{Key, sections},
    value::Value,
};
use protocol::role::Role;
use std::fmt::Write as _;

/// Returns a file in which everything stands that can be set, with its default, explained.
#[must_use]
pub fn example() -> String {
    let mut text = String::from(
        "# Settings of passepartout. Everything here is the default, so each line may be left out.\n\
         # Durations are in milliseconds. After a change: passepartout ctl reload\n",
    );
    for section in sections() {
        if !section.name.is_empty() {
            push(&mut text, format_args!("\n# {}\n[{}]", section.about, section.name));
        }
        for key in section.keys {
            explained(&mut text, key, "");
        }
    }
    push(&mut text, format_args!("\n# Each fault to act out has a table of its own:\n# [[faults.inject]]"));
    for key in FAULT_KEYS {
        explained(&mut text, key, "# ");
    }
    push(&mut text, format_args!("\n# The actors, one table each."));
    let mut is_first = true;
    for role in Role::ACTORS {
        push(&mut text, format_args!("[roles.{}]", quoted(role)));
        for key in ROLE_KEYS {
            match is_first {
                true => explained(&mut text, key, ""),
                false => push(&mut text, format_args!("{}", assigned(key))),
            }
        }
        is_first = false;
    }
    text
}

/// Appends a line. Writing to a text cannot fail.
fn push(text: &mut String, line: std::fmt::Arguments<'_>) {
    let written = writeln!(text, "{line}");
    debug_assert!(written.is_ok());
}

/// A name as TOML wants it: quoted when it is more than letters.
pub(super) fn quoted(role: Role) -> String {
    let name = role.as_str();
    if name.bytes().all(|byte| byte.is_ascii_lowercase()) { name.to_owned() } else { format!("{name:?}") }
}

fn explained<T>(text: &mut String, key: &Key<T>, mark: &str) {
    let allowed = key.kind.allowed();
    push(text, format_args!("# {} Allowed: {allowed}.", key.about));
    push(text, format_args!("{mark}{}", assigned(key)));
}

/// A line that sets a key: to its default, or to the first word that is allowed.
pub(super) fn assigned<T>(key: &Key<T>) -> String {
    let value = key.default.map_or_else(|| key.kind.sample(), Value::from);
    format!("{} = {value}", key.name)
}
