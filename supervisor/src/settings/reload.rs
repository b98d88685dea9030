//! What a change of the settings needs before it is in force. Carries nothing out.

use super::{
    Settings,
    roles::ROLE_KEYS,
    schema::{Key, sections},
};
use protocol::role::Role;
use std::collections::BTreeSet;

/// What a change of a key needs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Needs {
    /// Nothing: it is in force at once.
    Nothing,
    /// The actor whose table it stands in must start again.
    ThisRole,
    /// All actors must start again.
    Actors,
    /// The whole must start again.
    Supervisor,
}

/// A key whose value differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The key with its table, as `health.ping_ms`.
    pub key: String,
    /// What it needs.
    pub needs: Needs,
    /// Whose table it stands in, for [`Needs::ThisRole`].
    pub role: Option<Role>,
}

/// All differences between two settings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reload {
    /// In the order of the example file.
    pub changes: Vec<Change>,
}

impl Reload {
    /// Compares what is in force with what the file says now.
    #[must_use]
    pub fn compare(old: &Settings, new: &Settings) -> Self {
        let mut changes = Vec::new();
        for section in sections() {
            let differs = section.keys.iter().filter(|key| key.get(old) != key.get(new));
            changes.extend(differs.map(|key| change(section.name, key, None)));
        }
        if old.faults.inject != new.faults.inject {
            changes.push(Change { key: "faults.inject".to_owned(), needs: Needs::Actors, role: None });
        }
        for role in Role::ACTORS {
            let (Some(old), Some(new)) = (old.roles.get(&role), new.roles.get(&role)) else {
                continue;
            };
            let section = format!("roles.{}", super::example::quoted(role));
            let differs = ROLE_KEYS.iter().filter(|key| key.get(old) != key.get(new));
            changes.extend(differs.map(|key| change(&section, key, Some(role))));
        }
        Self { changes }
    }

    /// Returns the actors that must start again.
    #[must_use]
    pub fn roles(&self) -> BTreeSet<Role> {
        let all = self.changes.iter().any(|change| change.needs == Needs::Actors);
        let single = self.changes.iter().filter_map(|change| change.role);
        let every = Role::ACTORS.into_iter().filter(|_| all);
        single.chain(every).collect()
    }

    /// Returns the keys that keep their old value until the whole starts again.
    pub fn deferred(&self) -> impl Iterator<Item = &str> {
        let deferred = self.changes.iter();
        let deferred = deferred.filter(|change| change.needs == Needs::Supervisor);
        deferred.map(|change| change.key.as_str())
    }
}

fn change<T>(section: &str, key: &Key<T>, role: Option<Role>) -> Change {
    let key_name = match section {
        "" => key.name.to_owned(),
        section => format!("{section}.{}", key.name),
    };
    Change { key: key_name, needs: key.needs, role }
}
