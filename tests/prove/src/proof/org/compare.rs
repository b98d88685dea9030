//! The table: per field how many values were compared and how many are equal, and each difference with its place.

use serde_json::Value;
use std::collections::BTreeMap;

/// How many differences of one field are shown in full.
const SHOWN: usize = 40;

/// Longest value that is shown.
const VALUE_MAX: usize = 160;

#[derive(Default)]
struct Row {
    compared: usize,
    equal: usize,
    newer: usize,
    open: usize,
    differences: Vec<String>,
}

/// Counts per field.
pub struct Table {
    rows: BTreeMap<String, Row>,
    newer: Value,
    open: Vec<String>,
}

/// What the oracle tells about the run and not about the file.
const NOT_COMPARED: [&str; 5] = ["bytes", "sha256", "emacs", "org", "undecodable"];

impl Table {
    /// Makes an empty table; `newer` lists where Org 9.8.9 reads otherwise.
    pub fn new(newer: Value) -> Self {
        Self { rows: BTreeMap::new(), newer, open: Vec::new() }
    }

    /// Compares one file.
    pub fn file(&mut self, name: &str, theirs: &Value, ours: &Value) {
        let undecodable = theirs["undecodable"].as_u64().unwrap_or(0) > 0;
        for (field, theirs) in theirs.as_object().into_iter().flatten() {
            if NOT_COMPARED.contains(&field.as_str()) {
                continue;
            }
            if field == "todo_keywords" {
                for part in ["active", "done"] {
                    let field = format!("todo_keywords.{part}");
                    self.value(name, &field, None, &theirs[part], &ours[&field], undecodable);
                }
                continue;
            }
            let ours = &ours[field];
            match (theirs.as_array(), ours.as_array()) {
                (Some(list), Some(own))
                    if list.iter().any(Value::is_object) || own.iter().any(Value::is_object) =>
                {
                    self.list(name, field, list, own, undecodable);
                }
                _ => self.value(name, field, None, theirs, ours, undecodable),
            }
        }
    }

    /// Compares things of one kind: first how many there are, then each field of each.
    fn list(&mut self, name: &str, field: &str, theirs: &[Value], ours: &[Value], undecodable: bool) {
        let count = format!("{field}.count");
        let (theirs_len, ours_len) = (theirs.len().into(), ours.len().into());
        self.value(name, &count, None, &theirs_len, &ours_len, undecodable);
        if theirs.len() != ours.len() {
            let at = theirs.iter().zip(ours).position(|(theirs, ours)| place(theirs) != place(ours));
            let at = at.unwrap_or(theirs.len().min(ours.len()));
            let row = self.rows.entry(count).or_default();
            if row.differences.last().is_some_and(|last| last.starts_with(name)) {
                let near = format!(
                    "    first at {at}: {} is {}",
                    short(ours.get(at).unwrap_or(&Value::Null)),
                    short(theirs.get(at).unwrap_or(&Value::Null))
                );
                row.differences.push(near);
            }
            return;
        }
        for (index, (theirs, ours)) in theirs.iter().zip(ours).enumerate() {
            for (part, value) in theirs.as_object().into_iter().flatten() {
                let full = format!("{field}.{part}");
                self.value(name, &full, Some(index), value, &ours[part], undecodable);
            }
        }
    }

    fn value(
        &mut self,
        name: &str,
        field: &str,
        index: Option<usize>,
        theirs: &Value,
        ours: &Value,
        raw: bool,
    ) {
        let row = self.rows.entry(field.to_owned()).or_default();
        row.compared += 1;
        if same(field, theirs, ours, raw) {
            row.equal += 1;
            return;
        }
        let known = newer(&self.newer, name, field, index, ours);
        if known == Newer::Equal {
            row.equal += 1;
            row.newer += 1;
            return;
        }
        let at = index.map_or_else(String::new, |index| format!(" #{index}"));
        let difference = format!("{name}{at}: {} is {}", short(ours), short(theirs));
        if known == Newer::Open {
            row.open += 1;
            self.open.push(format!("{field} {difference}"));
        } else {
            row.differences.push(difference);
        }
    }

    /// Prints the table and the differences.
    pub fn print(&self) {
        println!("  {:<32} {:>8} {:>8} {:>8}", "field", "compared", "equal", "as 9.8.9");
        for (field, row) in &self.rows {
            println!("  {field:<32} {:>8} {:>8} {:>8}", row.compared, row.equal, row.newer);
        }
        if !self.open.is_empty() {
            println!(
                "  read unlike Org 9.5.5 where Org 9.8.9 differs from it, too, without a record of how:"
            );
        }
        for open in &self.open {
            println!("    {open}");
        }
        for (field, row) in self.rows.iter().filter(|(_, row)| !row.differences.is_empty()) {
            println!("  {field}: {} differences", row.compared - row.equal - row.open);
            for difference in row.differences.iter().take(SHOWN) {
                println!("    {difference}");
            }
        }
    }

    /// Returns how many values were compared, how many are equal, and how many differ from Org 9.5.5 where 9.8.9 is
    /// known to differ, too, but not how.
    pub fn sums(&self) -> (usize, usize, usize) {
        self.rows
            .values()
            .fold((0, 0, 0), |sum, row| (sum.0 + row.compared, sum.1 + row.equal, sum.2 + row.open))
    }

    /// Returns the number of fields.
    pub fn fields(&self) -> usize {
        self.rows.len()
    }
}

fn place(value: &Value) -> Value {
    value.get("span").or_else(|| value.get("begin")).cloned().unwrap_or(Value::Null)
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(VALUE_MAX) {
        Some((at, _)) => format!("{}..", &text[..at]),
        None => text,
    }
}

/// Equality, but for two things that are the oracle's and not Org's: an empty tag of `::`, and how many U+FFFD stand
/// for one broken character.
fn same(field: &str, theirs: &Value, ours: &Value, undecodable: bool) -> bool {
    if theirs == ours {
        return true;
    }
    if field == "headlines.tags" {
        let list = theirs.as_array().into_iter().flatten().filter(|tag| *tag != "");
        return list.eq(ours.as_array().into_iter().flatten());
    }
    undecodable && ours.to_string().contains('\u{FFFD}') && squeezed(theirs) == squeezed(ours)
}

fn squeezed(value: &Value) -> String {
    let mut text = value.to_string();
    while text.contains("\u{FFFD}\u{FFFD}") {
        text = text.replace("\u{FFFD}\u{FFFD}", "\u{FFFD}");
    }
    text
}

/// What is known of the newer version.
#[derive(PartialEq)]
enum Newer {
    /// Nothing that differs.
    No,
    /// It reads this as we do.
    Equal,
    /// It differs from the older version here; how is not recorded.
    Open,
}

fn newer(newer: &Value, name: &str, field: &str, index: Option<usize>, ours: &Value) -> Newer {
    let (kind, part) = field.split_once('.').unwrap_or((field, ""));
    let kind = if kind == "file_property_drawer" { "file_properties" } else { kind };
    let Some(known) = newer.get(name).and_then(|file| file.get(kind)) else {
        return Newer::No;
    };
    let Some(list) = known.as_array() else {
        return Newer::Open;
    };
    let equal = list.iter().any(|entry| {
        entry["field"] == part
            && index.is_some_and(|index| entry["index"] == index)
            && same(field, &entry["org_9_8_9"], ours, false)
    });
    if equal { Newer::Equal } else { Newer::No }
}
