//! From the text of the file to settings, with every fault on the way. Goes on after a fault, so that a person sees all
//! of them at once; returns settings only when there was none.

use super::{
    Fault, Problem, Settings,
    example::assigned,
    fault::Instead,
    roles::{FAULT_KEYS, ROLE_KEYS, ROLE_WORDS, blank_fault},
    schema::{Key, Renamed, sections},
};
use protocol::role::Role;
use std::{collections::BTreeMap, ops::Range};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// Tables that are not in the schema's list, because they have a shape of their own.
const ROLES: &str = "roles";
const INJECT: &str = "inject";

pub(super) fn parse(
    text: &str,
    file: &str,
    zone_exists: &dyn Fn(&str) -> bool,
    renamed: &[Renamed],
) -> Result<Settings, Vec<Fault>> {
    let mut parser = Parser { text, file, renamed, faults: Vec::new(), lines: BTreeMap::new() };
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut settings = Settings::default();
    parser.top(table.get_ref(), &mut settings);
    parser.rules(&settings, zone_exists);
    for error in errors {
        parser.syntax(&error);
    }
    let mut faults = parser.faults;
    faults.sort_by_key(|fault| fault.line);
    if faults.is_empty() { Ok(settings) } else { Err(faults) }
}

struct Parser<'a> {
    text: &'a str,
    file: &'a str,
    renamed: &'a [Renamed],
    faults: Vec<Fault>,
    /// Where each key was set, for rules that look at two of them.
    lines: BTreeMap<(&'static str, &'static str), usize>,
}

impl Parser<'_> {
    fn line(&self, span: &Range<usize>) -> usize {
        let before = self.text.as_bytes().get(..span.start);
        let before = before.unwrap_or(self.text.as_bytes());
        before.iter().filter(|byte| **byte == b'\n').count() + 1
    }

    fn fault(&mut self, line: usize, problem: Problem) {
        self.faults.push(Fault { file: self.file.to_owned(), line, problem });
    }

    /// What was recovered around a syntax error is guesswork, so other faults of its line go.
    fn syntax(&mut self, error: &toml::de::Error) {
        let line = self.line(&error.span().unwrap_or(0..0));
        let is_guess = |fault: &Fault| fault.line == line && !matches!(fault.problem, Problem::Syntax(_));
        self.faults.retain(|fault| !is_guess(fault));
        let why = error.message().trim().replace('\n', ", ");
        self.fault(line, Problem::Syntax(why));
    }

    fn top(&mut self, table: &DeTable<'_>, settings: &mut Settings) {
        for (name, value) in table {
            let line = self.line(&name.span());
            let name = name.get_ref().as_ref();
            let section = sections().find(|section| section.name == name && !name.is_empty());
            match (section, value.get_ref()) {
                (Some(section), DeValue::Table(inner)) => {
                    let shown = format!("[{name}]");
                    for (key, value) in inner {
                        if name == "faults" && key.get_ref() == INJECT {
                            self.inject(value, settings);
                        } else {
                            let at = (key, value);
                            self.key(section.name, &shown, section.keys, at, settings);
                        }
                    }
                }
                (None, DeValue::Table(inner)) if name == ROLES => self.roles(inner, settings),
                (None, DeValue::Table(_)) => self.unknown_section(line, name),
                (Some(_), _) => self.shape(line, name, &format!("a table: [{name}]")),
                (None, _) if name == ROLES => {
                    self.shape(line, name, "a table per actor: [roles.act]");
                }
                (None, _) => {
                    let top = sections().filter(|section| section.name.is_empty());
                    for section in top {
                        let at = table.get_key_value(name);
                        if let Some(at) = at {
                            self.key("", "", section.keys, at, settings);
                        }
                    }
                }
            }
        }
    }

    /// One key of a table whose values live in a `T`.
    fn key<T>(
        &mut self,
        section: &'static str,
        shown: &str,
        keys: &'static [Key<T>],
        (name, value): (&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>),
        to: &mut T,
    ) {
        let line = self.line(&name.span());
        let name = name.get_ref().as_ref();
        let Some(key) = keys.iter().find(|key| key.name == name) else {
            let known: Vec<_> = keys.iter().map(|key| key.name).collect();
            self.unknown_key(line, name, section, shown, &known);
            return;
        };
        self.lines.insert((section, key.name), line);
        match key.kind.check(value.get_ref()) {
            Ok(value) => key.set(to, &value),
            Err(found) => {
                let line = self.line(&value.span());
                self.fault(
                    line,
                    Problem::Value {
                        key: name.to_owned(),
                        section: shown.to_owned(),
                        expected: key.kind.allowed(),
                        found,
                        example: assigned(key),
                    },
                );
            }
        }
    }

    fn unknown_key(&mut self, line: usize, name: &str, section: &str, shown: &str, known: &[&str]) {
        let renamed = self.renamed.iter();
        let mut renamed = renamed.filter(|old| old.section == section && old.old == name);
        let problem = match renamed.next() {
            Some(renamed) => Problem::Renamed {
                key: name.to_owned(),
                section: shown.to_owned(),
                now: renamed.now.to_owned(),
            },
            None => Problem::UnknownKey {
                key: name.to_owned(),
                section: shown.to_owned(),
                instead: Instead::of(name, known, elsewhere(name)),
            },
        };
        self.fault(line, problem);
    }

    fn unknown_section(&mut self, line: usize, name: &str) {
        let known = sections().map(|section| section.name);
        let known: Vec<_> = known.filter(|known| !known.is_empty()).chain([ROLES]).collect();
        let instead = Instead::of(name, &known, None);
        let name = name.to_owned();
        self.fault(line, Problem::UnknownSection { name, instead });
    }

    fn shape(&mut self, line: usize, name: &str, expected: &str) {
        let (name, expected) = (name.to_owned(), expected.to_owned());
        self.fault(line, Problem::Shape { name, expected });
    }

    fn roles(&mut self, table: &DeTable<'_>, settings: &mut Settings) {
        for (name, value) in table {
            let line = self.line(&name.span());
            let name = name.get_ref().as_ref();
            let role = name.parse::<Role>().ok();
            let Some(of_role) = role.and_then(|role| settings.roles.get_mut(&role)) else {
                let instead = Instead::of(name, &ROLE_WORDS, None);
                let name = format!("roles.{name}");
                self.fault(line, Problem::UnknownSection { name, instead });
                continue;
            };
            let DeValue::Table(inner) = value.get_ref() else {
                self.shape(line, &format!("roles.{name}"), "a table");
                continue;
            };
            let shown = format!("[roles.{name}]");
            for at in inner {
                self.key(ROLES, &shown, ROLE_KEYS, at, of_role);
            }
        }
    }

    fn inject(&mut self, value: &Spanned<DeValue<'_>>, settings: &mut Settings) {
        let shown = "[[faults.inject]]";
        let Some(items) = value.get_ref().as_array() else {
            let line = self.line(&value.span());
            self.shape(line, "faults.inject", "a list of tables: [[faults.inject]]");
            return;
        };
        for item in items {
            let line = self.line(&item.span());
            let DeValue::Table(inner) = item.get_ref() else {
                self.shape(line, "faults.inject", "a list of tables: [[faults.inject]]");
                continue;
            };
            let mut fault = blank_fault();
            for at in inner {
                self.key(INJECT, shown, FAULT_KEYS, at, &mut fault);
            }
            let required = FAULT_KEYS.iter().filter(|key| key.default.is_none());
            for key in required.filter(|key| !inner.contains_key(key.name)) {
                let missing = Problem::Missing {
                    key: key.name.to_owned(),
                    section: shown.to_owned(),
                    example: assigned(key),
                };
                self.fault(line, missing);
            }
            settings.faults.inject.push(fault);
        }
    }

    /// What no single key can tell.
    fn rules(&mut self, settings: &Settings, zone_exists: &dyn Fn(&str) -> bool) {
        if !settings.zone.is_empty() && !zone_exists(&settings.zone) {
            let line = self.lines.get(&("", "zone")).copied().unwrap_or(1);
            let zone = Problem::Value {
                key: "zone".to_owned(),
                section: String::new(),
                expected: "a time zone that this system knows".to_owned(),
                found: format!("{:?}", settings.zone),
                example: "zone = \"Europe/Berlin\"".to_owned(),
            };
            self.fault(line, zone);
        }
        let health = &settings.health;
        let drain = &settings.drain;
        let ordered = [
            ("health", ("start_ms", health.start), ("start_max_ms", health.start_max)),
            ("drain", ("step_ms", drain.step), ("total_ms", drain.total)),
            ("drain", ("quick_ms", drain.quick), ("total_ms", drain.total)),
        ];
        for (section, (low_name, low), (high_name, high)) in ordered {
            let low_line = self.lines.get(&(section, low_name));
            let line = self.lines.get(&(section, high_name)).max(low_line).copied();
            if let (true, Some(line)) = (low > high, line) {
                let rule = format!("\"{low_name}\" in [{section}] must not be above \"{high_name}\"");
                let found = format!("{} above {}", low.as_millis(), high.as_millis());
                self.fault(line, Problem::Conflict { rule, found });
            }
        }
    }
}

/// Returns the table in which a key of this name exists.
fn elsewhere(name: &str) -> Option<String> {
    let mut sections = sections();
    let section = sections.find(|section| section.keys.iter().any(|key| key.name == name));
    let section = section.map(|section| match section.name {
        "" => "no section, at the top of the file".to_owned(),
        section => format!("[{section}]"),
    });
    let of_role = || ROLE_KEYS.iter().any(|key| key.name == name);
    section.or_else(|| of_role().then(|| "[roles.NAME]".to_owned()))
}
