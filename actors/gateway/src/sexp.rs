//! S-expressions as the ancestor wrote them: lists, strings, symbols, integers. No reader macros, no quoting, nothing
//! that could make reading do anything. Bounded in depth, never recursive while it reads.

use crate::Error;
use std::{fmt, iter::Peekable, str::Chars};

/// Deepest nesting that is read.
pub const DEPTH_MAX: usize = 64;

/// An expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sexp {
    /// `(a b c)`
    List(Vec<Self>),
    /// `"text"`
    Text(String),
    /// `symbol` or `:keyword`, as it was written; compared without regard to case.
    Symbol(String),
    /// `42`; what does not fit is a symbol.
    Integer(i64),
}

impl Sexp {
    /// Reads the one expression that a text holds.
    ///
    /// # Errors
    /// [`Error::Depth`], [`Error::Unfinished`], [`Error::Trailing`], [`Error::Unexpected`].
    pub fn read(text: &str) -> Result<Self, Error> {
        let mut chars = text.chars().peekable();
        let mut open: Vec<Vec<Self>> = Vec::new();
        loop {
            let Some(first) = chars.find(|c| !c.is_ascii_whitespace()) else {
                return Err(Error::Unfinished);
            };
            let value = match first {
                '(' if open.len() == DEPTH_MAX => return Err(Error::Depth { max: DEPTH_MAX }),
                '(' => {
                    open.push(Vec::new());
                    continue;
                }
                ')' => Self::List(open.pop().ok_or(Error::Unexpected(')'))?),
                '"' => Self::Text(string(&mut chars)?),
                first if is_of_symbol(first) => atom(first, &mut chars),
                first => return Err(Error::Unexpected(first)),
            };
            match open.last_mut() {
                Some(list) => list.push(value),
                None if chars.all(|c| c.is_ascii_whitespace()) => return Ok(value),
                None => return Err(Error::Trailing),
            }
        }
    }

    /// Returns a keyword.
    #[must_use]
    pub fn keyword(name: &str) -> Self {
        Self::Symbol(format!(":{name}"))
    }

    /// Says whether this is a keyword of that name, in whatever case.
    #[must_use]
    pub fn is_keyword(&self, name: &str) -> bool {
        match self {
            Self::Symbol(symbol) => {
                let bare = symbol.strip_prefix(':');
                bare.is_some_and(|bare| bare.eq_ignore_ascii_case(name))
            }
            Self::List(_) | Self::Text(_) | Self::Integer(_) => false,
        }
    }

    /// Looks a keyword up in a property list; the first one counts, and `NIL` is as good as absent.
    ///
    /// # Errors
    /// [`Error::NotAPlist`] when this is no list of pairs of keyword and value.
    pub fn property(&self, name: &str) -> Result<Option<&Self>, Error> {
        let items = match self {
            Self::List(items) => items,
            Self::Text(_) | Self::Symbol(_) | Self::Integer(_) => return Err(Error::NotAPlist),
        };
        let mut found = None;
        for pair in items.chunks(2) {
            match pair {
                [key @ Self::Symbol(symbol), value] if symbol.starts_with(':') => {
                    if key.is_keyword(name) && found.is_none() {
                        found = Some(value);
                    }
                }
                _ => return Err(Error::NotAPlist),
            }
        }
        Ok(found.filter(|value| !value.is_nil()))
    }

    fn is_nil(&self) -> bool {
        match self {
            Self::List(items) => items.is_empty(),
            Self::Symbol(symbol) => symbol.eq_ignore_ascii_case("nil"),
            Self::Text(_) | Self::Integer(_) => false,
        }
    }
}

/// Reads on behind the opening quote.
fn string(chars: &mut Peekable<Chars<'_>>) -> Result<String, Error> {
    let mut text = String::new();
    loop {
        match chars.next().ok_or(Error::Unfinished)? {
            '"' => return Ok(text),
            '\\' => text.push(chars.next().ok_or(Error::Unfinished)?),
            c => text.push(c),
        }
    }
}

fn atom(first: char, chars: &mut Peekable<Chars<'_>>) -> Sexp {
    let mut text = String::from(first);
    while let Some(c) = chars.next_if(|c| is_of_symbol(*c)) {
        text.push(c);
    }
    match text.parse() {
        // `007` and `+7` would not be printed as they were read; they stay what they were.
        Ok(number) if format!("{number}") == text => Sexp::Integer(number),
        Ok(_) | Err(_) => Sexp::Symbol(text),
    }
}

/// Characters of symbols. Without those that make a Lisp reader do things: `#.`, quotes, escapes, comments.
fn is_of_symbol(c: char) -> bool {
    !c.is_whitespace() && !c.is_control() && !"()\"\\|#'`,;".contains(c)
}

impl fmt::Display for Sexp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(items) => {
                f.write_str("(")?;
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        f.write_str(" ")?;
                    }
                    write!(f, "{item}")?;
                }
                f.write_str(")")
            }
            Self::Text(text) => {
                let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
                write!(f, "\"{escaped}\"")
            }
            Self::Symbol(symbol) => f.write_str(symbol),
            Self::Integer(number) => write!(f, "{number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(items: Vec<Sexp>) -> Sexp {
        Sexp::List(items)
    }

    #[test]
    fn strings_symbols_and_numbers_are_told_apart() {
        let read = Sexp::read(r#" (:a "x\"y\\" -12 +12 nil 99999999999999999999) "#).unwrap();
        let symbol = |text: &str| Sexp::Symbol(text.into());
        let expected = list(vec![
            symbol(":a"),
            Sexp::Text("x\"y\\".into()),
            Sexp::Integer(-12),
            symbol("+12"),
            symbol("nil"),
            symbol("99999999999999999999"),
        ]);
        assert_eq!(read, expected);
    }

    #[test]
    fn what_makes_a_lisp_reader_act_is_refused() {
        for bad in ["#.(quit)", "'a", "`(a)", "(a ,b)", "; note", "|a b|", "(a\\b)"] {
            assert!(matches!(Sexp::read(bad), Err(Error::Unexpected(_) | Error::Trailing)), "{bad}");
        }
    }

    #[test]
    fn nesting_beyond_the_bound_is_refused_and_the_bound_itself_is_not() {
        let nested = |n: usize| format!("{}{}", "(".repeat(n), ")".repeat(n));
        assert!(Sexp::read(&nested(DEPTH_MAX)).is_ok());
        assert_eq!(Sexp::read(&nested(DEPTH_MAX + 1)), Err(Error::Depth { max: DEPTH_MAX }));
        assert!(Sexp::read(&"(".repeat(300_000)).is_err());
    }

    #[test]
    fn property_is_found_in_any_case_and_odd_lists_are_refused() {
        let plist = Sexp::read("(:Type :EVENT :meta nil :type 7)").unwrap();
        assert!(plist.property("TYPE").unwrap().unwrap().is_keyword("event"));
        assert_eq!(plist.property("META").unwrap(), None);
        assert_eq!(Sexp::read("(:a 1 :b)").unwrap().property("A"), Err(Error::NotAPlist));
        assert_eq!(Sexp::read("(a 1)").unwrap().property("A"), Err(Error::NotAPlist));
    }

    fn any_sexp() -> impl Strategy<Value = Sexp> {
        let leaf = prop_oneof![
            any::<String>().prop_map(Sexp::Text),
            any::<i64>().prop_map(Sexp::Integer),
            ":?[a-zA-Z*+?<>=/.][a-zA-Z0-9*+?<>=/.-]{0,8}".prop_map(Sexp::Symbol),
        ];
        leaf.prop_recursive(6, 64, 8, |inner| proptest::collection::vec(inner, 0..8).prop_map(Sexp::List))
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(value in any_sexp()) {
            prop_assert_eq!(Sexp::read(&value.to_string()), Ok(value));
        }

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            drop(Sexp::read(&text));
        }

        #[test]
        fn any_text_of_brackets_and_quotes_is_read_or_refused(text in r#"[()"\\a: 1]{0,200}"#) {
            if let Ok(value) = Sexp::read(&text) {
                prop_assert_eq!(Sexp::read(&value.to_string()), Ok(value));
            }
        }
    }
}
