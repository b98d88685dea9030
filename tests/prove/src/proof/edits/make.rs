//! Makes random documents with the traits of real ones, and an edit that makes sense for each.

use crate::random::Random;

/// One headline of a document, so that an edit can be chosen that fits.
#[derive(Clone, Default)]
struct Entry {
    level: usize,
    keyword: Option<&'static str>,
    priority: bool,
    counted: bool,
    planned: [bool; 3],
    keys: Vec<&'static str>,
    more: bool,
    passage: bool,
    clock: bool,
    running: bool,
    repeats: bool,
    /// Lines with boxes, from 1 in the whole file.
    boxes: Vec<usize>,
    end: usize,
}

const KINDS: [&str; 24] = [
    "keyword",
    "priority",
    "tags",
    "title",
    "property",
    "unset",
    "schedule",
    "deadline",
    "new",
    "body",
    "append",
    "text",
    "link",
    "refile",
    "clock-in",
    "clock-out",
    "box",
    "move",
    "archive",
    "keyword",
    "keyword",
    "schedule",
    "box",
    "new",
];
const TITLES: [&str; 8] = [
    "water",
    "call Bob",
    "the *boiler* hums",
    "Käse kaufen",
    "a [[https://e.org][b]]",
    "x",
    "two  blanks",
    "a: b",
];
const DATES: [&str; 6] = [
    "<2026-03-02 Mon>",
    "<2026-03-10 Tue 14:30>",
    "<2026-02-27 Fri +1w>",
    "<2026-03-02 Mon .+2d/4d>",
    "<2026-03-09 Mon ++1m -2d>",
    "<2026-03-08 Sun 09:00 ++1d>",
];

/// Returns the edit's line, the document and the other file of a move, else empty.
pub(super) fn case(random: &mut Random, number: u64) -> (String, String, String) {
    loop {
        let kind = KINDS[number as usize % KINDS.len()];
        let own = random.percent(30);
        let (text, entries) = document(random, own);
        let other = match kind {
            "move" => document(random, own).0,
            "archive" => "\nArchived entries from file notes\n\n* old\n".to_owned(),
            _ => String::new(),
        };
        if let Some(line) = edit(random, kind, &entries, own, &other) {
            let crlf = |text: String| text.replace('\n', "\r\n");
            let (mut text, mut other) = (text, other);
            if random.percent(25) && text.ends_with('\n') && kind != "text" && kind != "archive" {
                text.pop();
            }
            if random.percent(20) && text.contains('\n') {
                (text, other) = (crlf(text), crlf(other));
            }
            return (line, text, other);
        }
    }
}

fn edit(random: &mut Random, kind: &str, entries: &[Entry], own: bool, other: &str) -> Option<String> {
    let index = random.below(entries.len() as u64) as usize;
    let entry = &entries[index];
    let flag = |on: bool| if on { "t" } else { "" };
    let stamp = |random: &mut Random| {
        *random.one(&["<2026-03-12 Thu>", "<2026-04-01 Wed 08:15>", "<2026-03-20 Fri +2w>"])
    };
    let words = match kind {
        "keyword" => {
            let words: &[&str] =
                if own { &["NEXT", "WAIT", "FIN", "CANC", ""] } else { &["TODO", "DONE", "DONE", ""] };
            let to = *random.one(words);
            let done = ["DONE", "FIN", "CANC"].contains(&to);
            if to == entry.keyword.unwrap_or("") || (done && entry.keyword.is_none() && entry.repeats) {
                return None;
            }
            format!("{to}\t{}\t{}", flag(random.percent(60)), flag(random.percent(50)))
        }
        "priority" if entry.priority && random.percent(40) => String::new(),
        "priority" => (*random.one(&["A", "B", "C"])).to_owned(),
        "tags" => (*random.one(&["home", "a:b:c", "", "work:@x"])).to_owned(),
        "title" => (*random.one(&["new words", "ünï [1/2]", "hum: the :x: thing"])).to_owned(),
        "property" => {
            let key = *random.one(&["EFFORT", "ID", "colour", "NEW"]);
            format!("{key}\t{}", random.one(&["1:00", "a b: c", "x"]))
        }
        "unset" => {
            let key = *entry.keys.first()?;
            if key == "OPT" && entry.more {
                // Emacs takes `OPT+` along; we leave it.
                return None;
            }
            key.to_owned()
        }
        "schedule" if entry.planned[0] && random.percent(35) => String::new(),
        "deadline" if entry.planned[1] && random.percent(35) => String::new(),
        "schedule" | "deadline" => stamp(random).to_owned(),
        "new" => {
            let place = *random.one(&["before", "after", "first", "last", "top", "end"]);
            let body = *random.one(&["", "words", "two\\nlines"]);
            format!("{place}\t{}\t{body}", random.one(&TITLES[..4]))
        }
        "body" => (*random.one(&["", "other words", "a\\n\\nb"])).to_owned(),
        "append" => (*random.one(&["one more", "- item\\n- item"])).to_owned(),
        "link" => format!("https://e.org/{}\tsite", random.below(9)),
        "text" if entry.passage => "needle\tpin".to_owned(),
        "refile" => {
            let target = random.below(entries.len() as u64 + 1) as usize;
            match entries.get(target) {
                Some(_) if (index..entry.end).contains(&target) => return None,
                Some(_) => target.to_string(),
                None => String::new(),
            }
        }
        "move" => {
            let count = other
                .lines()
                .filter(|line| line.trim_start_matches('*').starts_with(' ') && line.starts_with('*'));
            let count = count.count() as u64;
            let target = random.below(count + 1);
            if target == count { String::new() } else { target.to_string() }
        }
        // Emacs counts the cookies of a neighbour anew when an entry without parent leaves; that is not copied.
        "archive"
            if entry.level == 1 && entries.iter().any(|entry| entry.counted || !entry.boxes.is_empty()) =>
        {
            return None;
        }
        "archive" => "FILE\tnotes".to_owned(),
        "clock-in" if !entry.running && !entry.clock => String::new(),
        "clock-out" if entry.running => String::new(),
        "box" if !entry.boxes.is_empty() => random.one(&entry.boxes).to_string(),
        _ => return None,
    };
    Some(format!("{kind}\t{index}\t{words}"))
}

fn document(random: &mut Random, own: bool) -> (String, Vec<Entry>) {
    let mut text = String::new();
    if random.percent(40) {
        text.push_str("#+TITLE: notes\n\nsome words\n");
    }
    if own {
        text.push_str("#+TODO: NEXT WAIT | FIN CANC\n");
    }
    let mut entries: Vec<Entry> = Vec::new();
    let count = random.between(1, 6);
    let mut level = 1;
    for _ in 0..count {
        let entry = entry(random, &mut text, level, own);
        entries.push(entry);
        let next = random.between(1, level as u64 + 1) as usize;
        level = if random.percent(10) { next + 1 } else { next };
    }
    for index in 0..entries.len() {
        let below =
            entries[index + 1..].iter().take_while(|entry| entry.level > entries[index].level).count();
        entries[index].end = index + 1 + below;
    }
    (text, entries)
}

fn entry(random: &mut Random, text: &mut String, level: usize, own: bool) -> Entry {
    let mut entry = Entry { level, ..Entry::default() };
    text.push_str(&"*".repeat(level));
    text.push_str(if random.percent(10) { "  " } else { " " });
    if random.percent(60) {
        let word = *random.one(if own {
            &["NEXT", "WAIT", "FIN", "NEXT"]
        } else {
            &["TODO", "DONE", "TODO", "TODO"]
        });
        entry.keyword = Some(word);
        text.push_str(word);
        text.push_str(if random.percent(10) { "  " } else { " " });
    }
    if random.percent(30) {
        entry.priority = true;
        text.push_str("[#B] ");
    }
    text.push_str(pick(random, &TITLES));
    if random.percent(25) {
        entry.counted = true;
        text.push_str(pick(random, &[" [0/2]", " [33%]", " [/]"]));
    }
    if random.percent(40) {
        text.push_str(pick(random, &[" :home:", "      :a:b:", " :work:  "]));
    }
    text.push('\n');
    planning(random, text, &mut entry);
    drawer(random, text, &mut entry);
    logbook(random, text, &mut entry);
    body(random, text, &mut entry);
    entry
}

fn planning(random: &mut Random, text: &mut String, entry: &mut Entry) {
    if !random.percent(45) {
        return;
    }
    let mut words = Vec::new();
    for (at, word) in ["SCHEDULED:", "DEADLINE:", "CLOSED:"].into_iter().enumerate() {
        if random.percent(45) {
            entry.planned[at] = true;
            let date = if at == 2 { "[2026-01-02 Fri 10:00]" } else { *random.one(&DATES) };
            entry.repeats |= date.contains('+');
            words.push(format!("{word} {date}"));
        }
    }
    if random.percent(50) {
        words.reverse();
    }
    if !words.is_empty() {
        let indent = *random.one(&["", "", "  "]);
        text.push_str(&format!("{indent}{}\n", words.join(" ")));
    }
}

fn drawer(random: &mut Random, text: &mut String, entry: &mut Entry) {
    if !random.percent(40) {
        return;
    }
    let indent = *random.one(&["", "", "  "]);
    text.push_str(&format!("{indent}:PROPERTIES:\n"));
    for (key, value) in [("EFFORT", "0:30"), ("OPT", "base"), ("colour", ""), ("ID", "1f0c")] {
        if random.percent(50) {
            entry.keys.push(key);
            let gap = if value.is_empty() { "" } else { *random.one(&[" ", " ", "    "]) };
            text.push_str(&format!("{indent}:{key}:{gap}{value}\n"));
            if key == "OPT" && random.percent(50) {
                entry.more = true;
                text.push_str(&format!("{indent}:OPT+: more\n"));
            }
        }
    }
    text.push_str(&format!("{indent}:END:\n"));
}

fn logbook(random: &mut Random, text: &mut String, entry: &mut Entry) {
    if !random.percent(30) {
        return;
    }
    text.push_str(":LOGBOOK:\n");
    if random.percent(50) {
        entry.running = true;
        text.push_str("CLOCK: [2026-03-09 Mon 08:41]\n");
    }
    if random.percent(50) {
        text.push_str("CLOCK: [2026-03-01 Sun 08:00]--[2026-03-01 Sun 09:30] =>  1:30\n");
    }
    if random.percent(40) {
        text.push_str("- State \"DONE\"       from \"TODO\"       [2026-03-02 Mon 10:00]\n");
    }
    text.push_str(":END:\n");
}

fn body(random: &mut Random, text: &mut String, entry: &mut Entry) {
    if random.percent(15) {
        text.push('\n');
    }
    if random.percent(50) {
        text.push_str(pick(
            random,
            &["plain text\n", "  indented text\nand more\n", "| a | b |\n|---+---|\n| 1 | 2 |\n"],
        ));
    }
    if random.percent(30) {
        entry.passage = true;
        text.push_str("the needle is here\n");
    }
    if random.percent(15) {
        text.push_str("#+begin_src sh\n- [ ] no item\n  :LOGBOOK:\n#+end_src\n");
    }
    if random.percent(50) {
        list(random, text, entry);
    }
    if random.percent(20) {
        text.push_str(pick(random, &["\n", "\n\n"]));
    }
}

/// Chooses one of some texts.
fn pick<'a>(random: &mut Random, of: &[&'a str]) -> &'a str {
    random.one::<&str>(of)
}

fn list(random: &mut Random, text: &mut String, entry: &mut Entry) {
    let mut depth = 0;
    for number in 0..random.between(1, 6) {
        let mark = *random.one(&["[ ] ", "[X] ", "[ ] ", "[-] ", ""]);
        if !mark.is_empty() {
            entry.boxes.push(text.lines().count() + 1);
        }
        let cookie = if random.percent(30) { *random.one(&[" [0/0]", " [%]"]) } else { "" };
        text.push_str(&format!("{}- {mark}item {number}{cookie}\n", "  ".repeat(depth)));
        depth = random.below(depth as u64 + 2) as usize;
    }
}
