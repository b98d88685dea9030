//! What is wrong with a configuration file, each as one line that says where and what to do.

use std::fmt;

/// One thing that is wrong, with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The file, as the caller named it.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// It is not TOML.
    Syntax(String),
    /// A table that does not exist.
    UnknownSection {
        /// As it stands there.
        name: String,
        /// The nearest that exists, or all when none is near.
        instead: Instead,
    },
    /// A key that does not exist in its table.
    UnknownKey {
        /// As it stands there.
        key: String,
        /// Its table, as `[turn]`; empty for the top of the file.
        section: String,
        /// The nearest that exists, or all when none is near.
        instead: Instead,
    },
    /// A key of an older version.
    Renamed {
        /// As it stands there.
        key: String,
        /// Its table, as `[turn]`; empty for the top of the file.
        section: String,
        /// What it is now.
        now: String,
    },
    /// A key that must be given.
    Missing {
        /// Which.
        key: String,
        /// Its table.
        section: String,
        /// Such as `role = "act"`.
        example: String,
    },
    /// A value of the wrong type or out of range.
    Value {
        /// Whose.
        key: String,
        /// Its table, as `[turn]`; empty for the top of the file.
        section: String,
        /// What is allowed.
        expected: String,
        /// What stands there.
        found: String,
        /// Such as `ping_ms = 5000`.
        example: String,
    },
    /// A value where a table belongs, or the other way round.
    Shape {
        /// Whose.
        name: String,
        /// What belongs there, such as `[health]`.
        expected: String,
    },
    /// Two values that do not go together.
    Conflict {
        /// The rule.
        rule: String,
        /// What stands there instead.
        found: String,
    },
}

/// What could have been meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Instead {
    /// This one.
    Near(String),
    /// It exists, but elsewhere: in this table.
    Elsewhere(String),
    /// Any of these; none is near.
    Any(Vec<String>),
}

impl Instead {
    /// Looks for the nearest name. `elsewhere` tells in which other table the very same name exists.
    pub(super) fn of(name: &str, known: &[&str], elsewhere: Option<String>) -> Self {
        let near = known
            .iter()
            .map(|known| (strsim::damerau_levenshtein(name, known), known))
            // A third of the letters wrong is still a slip; one and two letter names are no evidence.
            .filter(|(distance, known)| distance * 3 <= known.len().max(3))
            .min();
        match (elsewhere, near) {
            (Some(section), _) => Self::Elsewhere(section),
            (None, Some((_, near))) => Self::Near((*near).to_owned()),
            (None, None) => Self::Any(known.iter().map(|name| (*name).to_owned()).collect()),
        }
    }
}

impl fmt::Display for Instead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Near(name) => write!(f, "did you mean {name:?}?"),
            Self::Elsewhere(section) => write!(f, "it belongs under {section}"),
            Self::Any(names) => write!(f, "known are {}", names.join(", ")),
        }
    }
}

fn within(section: &str) -> String {
    if section.is_empty() { String::new() } else { format!(" in {section}") }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(why) => write!(f, "not valid TOML: {why}"),
            Self::UnknownSection { name, instead } => {
                write!(f, "unknown section {name:?}; {instead}")
            }
            Self::UnknownKey { key, section, instead } => {
                write!(f, "unknown key {key:?}{}; {instead}", within(section))
            }
            Self::Renamed { key, section, now } => {
                write!(f, "`{key}`{} is now {now}", within(section))
            }
            Self::Missing { key, section, example } => {
                write!(f, "{key:?} is missing{}; example: {example}", within(section))
            }
            Self::Value { key, section, expected, found, example } => {
                write!(f, "{key:?}{} must be {expected}, not {found}; example: {example}", within(section))
            }
            Self::Shape { name, expected } => write!(f, "{name:?} must be {expected}"),
            Self::Conflict { rule, found } => write!(f, "{rule}, not {found}"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.problem)
    }
}

impl std::error::Error for Fault {}
