//! A value of the file, checked against what its key allows, and carried into a typed field. Never guesses: a text is
//! no number and a float no integer.

use std::{fmt, time::Duration};
use toml::de::DeValue;

/// A checked value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Value {
    Int(u64),
    Bool(bool),
    Text(String),
    Ints(Vec<u64>),
}

/// A value in a table of constants.
#[derive(Clone, Copy, Debug)]
pub(super) enum Const {
    Int(u64),
    Bool(bool),
    Text(&'static str),
    Ints(&'static [u64]),
}

impl From<Const> for Value {
    fn from(value: Const) -> Self {
        match value {
            Const::Int(int) => Self::Int(int),
            Const::Bool(flag) => Self::Bool(flag),
            Const::Text(text) => Self::Text(text.to_owned()),
            Const::Ints(ints) => Self::Ints(ints.to_vec()),
        }
    }
}

/// As it would stand in the file.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(int) => write!(f, "{int}"),
            Self::Bool(flag) => write!(f, "{flag}"),
            // The debug form of a plain text is its TOML form; defaults hold nothing else.
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Ints(ints) => write!(f, "{ints:?}"),
        }
    }
}

/// What a key allows.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// An integer from..=to of a unit.
    Int(u64, u64, &'static str),
    /// `true` or `false`.
    Bool,
    /// Any text without control characters.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// One to so many integers from..=to of a unit, never falling.
    Rising(usize, u64, u64, &'static str),
}

impl Kind {
    /// Says what is allowed, for faults and for the example file.
    pub(super) fn allowed(self) -> String {
        match self {
            Self::Int(from, to, "") => format!("an integer from {from} to {to}"),
            Self::Int(from, to, unit) => format!("an integer from {from} to {to} ({unit})"),
            Self::Bool => "true or false".to_owned(),
            Self::Text => "a text in quotes".to_owned(),
            Self::Word(words) => {
                let words: Vec<_> = words.iter().map(|word| format!("\"{word}\"")).collect();
                format!("one of {}", words.join(", "))
            }
            Self::Rising(count, from, to, unit) => {
                format!("1 to {count} integers from {from} to {to} ({unit}), none below the one before")
            }
        }
    }

    /// Returns the first value that is allowed.
    pub(super) fn sample(self) -> Value {
        match self {
            Self::Int(from, ..) => Value::Int(from),
            Self::Bool => Value::Bool(true),
            Self::Text => Value::Text(String::new()),
            Self::Word(words) => Value::Text(words.first().copied().unwrap_or_default().to_owned()),
            Self::Rising(_, from, ..) => Value::Ints(vec![from]),
        }
    }

    /// Takes a value of the file, if it is allowed; otherwise says what was found instead.
    pub(super) fn check(self, found: &DeValue<'_>) -> Result<Value, String> {
        let wrong_type = || Err(format!("{} {}", article(found), found.type_str()));
        match self {
            Self::Int(from, to, _) => match found.is_integer() {
                true => int(found, from, to).map(Value::Int),
                false => wrong_type(),
            },
            Self::Bool => found.as_bool().map_or_else(wrong_type, |b| Ok(Value::Bool(b))),
            Self::Text => match found.as_str() {
                Some(text) if text.chars().any(char::is_control) => {
                    Err("a text with a control character".to_owned())
                }
                Some(text) => Ok(Value::Text(text.to_owned())),
                None => wrong_type(),
            },
            Self::Word(words) => match found.as_str() {
                Some(text) if words.contains(&text) => Ok(Value::Text(text.to_owned())),
                Some(text) => Err(format!("{text:?}")),
                None => wrong_type(),
            },
            Self::Rising(count, from, to, _) => {
                let Some(items) = found.as_array() else {
                    return wrong_type();
                };
                let mut ints = Vec::new();
                for item in items {
                    ints.push(int(item.get_ref(), from, to)?);
                }
                if ints.is_empty() || ints.len() > count {
                    return Err(format!("{} integers", ints.len()));
                }
                match ints.windows(2).find(|pair| !pair.is_sorted()) {
                    Some(pair) => Err(format!("{pair:?} in a row")),
                    None => Ok(Value::Ints(ints)),
                }
            }
        }
    }
}

fn article(found: &DeValue<'_>) -> &'static str {
    match found {
        DeValue::Integer(_) | DeValue::Array(_) => "an",
        DeValue::String(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_)
        | DeValue::Table(_) => "a",
    }
}

fn int(found: &DeValue<'_>, from: u64, to: u64) -> Result<u64, String> {
    let Some(digits) = found.as_integer() else {
        return Err(format!("{} {}", article(found), found.type_str()));
    };
    let int = u64::from_str_radix(digits.as_str(), digits.radix());
    int.ok().filter(|int| (from..=to).contains(int)).ok_or_else(|| digits.as_str().to_owned())
}

/// A field that a value can be carried into and read back from. Values are checked before, so what does not fit is left
/// as it was.
pub(super) trait Field {
    fn store(&mut self, value: &Value);
    fn load(&self) -> Value;
}

/// For integers: the schema's ranges fit the field, which a test proves by reading the limits back.
macro_rules! int_field {
    ($($type:ty),*) => {$(
        impl Field for $type {
            fn store(&mut self, value: &Value) {
                if let Value::Int(int) = value {
                    *self = Self::try_from(*int).unwrap_or(Self::MAX);
                }
            }

            fn load(&self) -> Value {
                Value::Int(u64::try_from(*self).unwrap_or(u64::MAX))
            }
        }
    )*};
}

int_field!(u8, u32, u64, usize);

impl Field for Duration {
    fn store(&mut self, value: &Value) {
        if let Value::Int(ms) = value {
            *self = Self::from_millis(*ms);
        }
    }

    fn load(&self) -> Value {
        Value::Int(u64::try_from(self.as_millis()).unwrap_or(u64::MAX))
    }
}

impl Field for Vec<Duration> {
    fn store(&mut self, value: &Value) {
        if let Value::Ints(all) = value {
            *self = all.iter().copied().map(Duration::from_millis).collect();
        }
    }

    fn load(&self) -> Value {
        let ms = self.iter().map(Duration::as_millis);
        Value::Ints(ms.map(|ms| u64::try_from(ms).unwrap_or(u64::MAX)).collect())
    }
}

impl Field for bool {
    fn store(&mut self, value: &Value) {
        if let Value::Bool(flag) = value {
            *self = *flag;
        }
    }

    fn load(&self) -> Value {
        Value::Bool(*self)
    }
}

impl Field for String {
    fn store(&mut self, value: &Value) {
        if let Value::Text(text) = value {
            self.clone_from(text);
        }
    }

    fn load(&self) -> Value {
        Value::Text(self.clone())
    }
}
