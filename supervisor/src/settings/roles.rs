//! The two tables that may stand more than once: `[roles.NAME]` and `[[faults.inject]]`.

use super::{
    RoleSettings,
    reload::Needs,
    schema::{Key, key},
    value::{Const, Field, Kind, Value},
};
use protocol::{
    lifecycle::{Fault, FaultKind, FaultPoint},
    role::Role,
};

/// Keys of `[roles.NAME]`.
pub(super) const ROLE_KEYS: &[Key<RoleSettings>] = &[
    key!(enabled => "enabled", Kind::Bool, Some(Const::Bool(true)), Needs::ThisRole,
        "Whether this actor is started."),
    key!(memory_mib => "memory_mib", Kind::Int(16, 65_536, "MiB"), Some(Const::Int(256)), Needs::ThisRole,
        "How much memory it may take."),
];

/// Keys of `[[faults.inject]]`.
pub(super) const FAULT_KEYS: &[Key<Fault>] = &[
    key!(role => "role", Kind::Word(&ROLE_WORDS), None, Needs::Actors, "In which actor."),
    key!(at => "at", Kind::Word(&POINT_WORDS), None, Needs::Actors, "At which moment of its work."),
    key!(contains => "contains", Kind::Text, Some(Const::Text("")), Needs::Actors,
        "Only for a turn whose text, or whose key, holds this; empty means always."),
    key!(does => "does", Kind::Word(&KIND_WORDS), None, Needs::Actors, "What happens."),
    key!(ms => "ms", Kind::Int(0, 3_600_000, "ms"), Some(Const::Int(0)), Needs::Actors,
        "For how long, when it waits."),
];

/// Something that the file calls by a word.
trait Worded: Copy + PartialEq + 'static {
    const WORDS: &'static [(&'static str, Self)];
}

impl Worded for Role {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("memory", Self::Memory),
        ("perceive", Self::Perceive),
        ("reason", Self::Reason),
        ("act", Self::Act),
        ("gateway:local", Self::GatewayLocal),
    ];
}

impl Worded for FaultPoint {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("boot", Self::Boot),
        ("start", Self::Start),
        ("take", Self::Take),
        ("send", Self::Send),
        ("effect", Self::Effect),
        ("commit", Self::Commit),
    ];
}

impl Worded for FaultKind {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("abort", Self::Abort),
        ("panic", Self::Panic),
        ("exit0", Self::Exit0),
        ("kill", Self::Kill),
        ("freeze", Self::Freeze),
        ("spin", Self::Spin),
        ("sleep", Self::Sleep),
        ("devour", Self::Devour),
        ("orphan", Self::Orphan),
    ];
}

/// The names of the actors.
pub(super) const ROLE_WORDS: [&str; 5] = words(Role::WORDS);
const POINT_WORDS: [&str; 6] = words(FaultPoint::WORDS);
const KIND_WORDS: [&str; 9] = words(FaultKind::WORDS);

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler only; iterators are not const")]
const fn words<T: Copy, const N: usize>(pairs: &[(&'static str, T)]) -> [&'static str; N] {
    let mut words = [""; N];
    let mut index = 0;
    while index < N {
        words[index] = pairs[index].0;
        index += 1;
    }
    words
}

/// What a field of such a type holds is told by its word.
macro_rules! word_field {
    ($($type:ty),*) => {$(
        impl Field for $type {
            fn store(&mut self, value: &Value) {
                let Value::Text(text) = value else { return };
                if let Some((_, meant)) = Self::WORDS.iter().find(|(word, _)| word == text) {
                    *self = *meant;
                }
            }

            fn load(&self) -> Value {
                let word = Self::WORDS.iter().find(|(_, meant)| meant == self);
                Value::Text(word.map_or("", |(word, _)| word).to_owned())
            }
        }
    )*};
}

word_field!(Role, FaultPoint, FaultKind);

/// A fault before its keys are set; those without default must be given.
pub(super) fn blank_fault() -> Fault {
    let mut fault = Fault {
        role: Role::Memory,
        at: FaultPoint::Boot,
        contains: String::new(),
        does: FaultKind::Abort,
        ms: 0,
    };
    for key in FAULT_KEYS {
        key.set_default(&mut fault);
    }
    fault
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_actor_can_be_named() {
        let names = Role::ACTORS.map(Role::as_str);
        assert_eq!(ROLE_WORDS, names);
        assert!(Role::WORDS.iter().all(|(word, role)| role.as_str() == *word));
    }
}
