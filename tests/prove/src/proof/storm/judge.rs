//! What must be true when peace has come. Pure: records and remains in, faults out.

use super::person::{Message, Wish};
use crate::org::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// What is left when all is over.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    pub(super) entries: Vec<Entry>,
    /// Key and text of each effect on the outside.
    pub(super) outside: Vec<(String, String)>,
    /// Short keys of turns with an uncertain effect, as the owner is shown them.
    pub(super) uncertain: BTreeSet<String>,
    /// Short keys of turns that were set aside.
    pub(super) parked: BTreeSet<String>,
    /// Turns that are still open, as the daemon counts.
    pub(super) open: u64,
}

/// What it comes to.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    pub(super) faults: Vec<String>,
    pub(super) words: String,
}

/// How a turn that may write has ended, by its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Written,
    Nothing,
    Unknown,
}

/// In a thousand: more parked turns than this are too many, since no message here is poisonous.
const PARKED_MAX: usize = 5;

pub(super) fn judge(messages: &[Message], evidence: &Evidence) -> Verdict {
    let mut faults = Vec::new();
    let mut counts = Counts::default();
    for message in messages {
        answers(message, evidence, &mut counts, &mut faults);
    }
    if evidence.open > 0 {
        faults.push(format!("{} turns are still open", evidence.open));
    }
    if evidence.parked.len() * 1_000 > messages.len() * PARKED_MAX {
        faults.push(format!(
            "{} of {} turns parked: more than {PARKED_MAX} in a thousand",
            evidence.parked.len(),
            messages.len()
        ));
    }
    memex(messages, evidence, &mut counts, &mut faults);
    outside(messages, evidence, &mut counts, &mut faults);
    let Counts { answered, again, stopped, failed, noted, undone, effects } = counts;
    let words = format!(
        "{answered} answered (0 twice), {again} answers came again unchanged, {stopped} stopped, {failed} failed, {} parked; {noted} entries, {undone} undone; {effects} effects, {} uncertain",
        evidence.parked.len(),
        evidence.uncertain.len()
    );
    Verdict { faults, words }
}

#[derive(Debug, Default)]
struct Counts {
    answered: usize,
    again: usize,
    stopped: usize,
    failed: usize,
    noted: usize,
    undone: usize,
    effects: usize,
}

fn short(key: &str) -> &str {
    &key[..8]
}

fn name(message: &Message) -> String {
    format!("{}/{} (turn {}, {:?})", message.conversation, message.id, short(&message.key), message.wish)
}

/// Each message has one answer, however often it came.
fn answers(message: &Message, evidence: &Evidence, counts: &mut Counts, faults: &mut Vec<String>) {
    let is_parked = evidence.parked.contains(short(&message.key));
    match message.answers.split_first() {
        None if is_parked => {}
        None => faults.push(format!(
            "LOST: {} accepted {}, said {} times, notices {:?}",
            name(message),
            message.accepted,
            message.said,
            message.notices
        )),
        Some((first, rest)) => {
            counts.answered += 1;
            counts.again += rest.len();
            if let Some(other) = rest.iter().find(|other| *other != first) {
                faults.push(format!("TWO ANSWERS: {}: `{first}` and `{other}`", name(message)));
            }
            if is_parked {
                faults.push(format!("answered and parked: {}: `{first}`", name(message)));
            }
            counts.stopped += usize::from(first.starts_with("Stopped") && message.wish != Wish::Stop);
        }
    }
}

fn end(message: &Message) -> End {
    let Some(answer) = message.answers.first() else {
        return End::Nothing;
    };
    let starts = |words: &[&str]| words.iter().any(|word| answer.starts_with(word));
    match message.wish {
        Wish::Note(_) if starts(&["Noted in"]) => End::Written,
        Wish::Task(_) if starts(&["Task added"]) => End::Written,
        Wish::Done(_) if starts(&["Done:"]) => End::Written,
        Wish::Undo if starts(&["Taken back from turn"]) => End::Written,
        Wish::Undo | Wish::Done(_) => End::Nothing,
        _ if starts(&["Stopped"]) => End::Nothing,
        Wish::Note(_) | Wish::Task(_) => End::Unknown,
        Wish::Outside(_) | Wish::Stop | Wish::Read => End::Nothing,
    }
}

/// The short key in "Taken back from turn 1a2b3c4d:".
fn target(answer: &str) -> Option<&str> {
    answer.strip_prefix("Taken back from turn ")?.get(..8)
}

fn memex(messages: &[Message], evidence: &Evidence, counts: &mut Counts, faults: &mut Vec<String>) {
    // Who was taken back by whom; taking back a taking back makes it live again.
    let mut taken: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for message in
        messages.iter().filter(|message| message.wish == Wish::Undo && end(message) == End::Written)
    {
        let answer = &message.answers[0];
        if answer.contains("lies beside") {
            faults.push(format!("FALSE CONFLICT: {}: `{answer}`", name(message)));
        }
        if let Some(target) = target(answer) {
            taken.entry(target).or_default().push(short(&message.key));
        }
    }
    let is_live = |key: &str| is_live(key, &taken, 0);
    let mut expected: BTreeMap<String, (&Message, usize)> = BTreeMap::new();
    let mut done: BTreeSet<&str> = BTreeSet::new();
    for message in messages {
        let live = end(message) == End::Written && is_live(short(&message.key));
        match &message.wish {
            Wish::Note(token) | Wish::Task(token) => {
                // Everything here can be done: a person who is told otherwise pays for a death that is none of theirs.
                if end(message) == End::Unknown {
                    counts.failed += 1;
                    faults.push(format!("NOT DONE: {}: `{}`", name(message), message.answers[0]));
                }
                counts.undone += usize::from(end(message) == End::Written && !live);
                counts.noted += usize::from(live);
                expected.insert(token.clone(), (message, usize::from(live)));
            }
            Wish::Done(token) if live => {
                done.insert(token);
            }
            Wish::Done(_) | Wish::Outside(_) | Wish::Undo | Wish::Stop | Wish::Read => {}
        }
    }
    let mut found: BTreeMap<String, Vec<&Entry>> = BTreeMap::new();
    for entry in &evidence.entries {
        match entry.title.split_ascii_whitespace().find(|word| word.starts_with("zq") && word.ends_with("qz"))
        {
            Some(token) => found.entry(token.to_owned()).or_default().push(entry),
            None => faults.push(format!("FOREIGN ENTRY: `{}`", entry.title)),
        }
    }
    for (token, (message, wanted)) in &expected {
        let there = found.remove(token).unwrap_or_default();
        if there.len() != *wanted {
            let word = if there.len() > *wanted { "DOUBLED OR LEFT BEHIND" } else { "LOST ENTRY" };
            faults.push(format!(
                "{word}: {} stands {} times, expected {wanted}; answers {:?}",
                name(message),
                there.len(),
                message.answers
            ));
        }
        if let (Wish::Task(_), [entry]) = (&message.wish, there.as_slice()) {
            let is_done = entry.title.starts_with("DONE ");
            if is_done != done.contains(token.as_str()) {
                faults.push(format!(
                    "WRONG STATE: `{}`, marked done {}",
                    entry.title,
                    done.contains(token.as_str())
                ));
            }
        }
    }
    for (token, there) in found {
        faults.push(format!("UNKNOWN ENTRY: {token}, {} times", there.len()));
    }
}

fn is_live(key: &str, taken: &BTreeMap<&str, Vec<&str>>, depth: usize) -> bool {
    depth > 100 || !taken.get(key).is_some_and(|by| by.iter().any(|undo| is_live(undo, taken, depth + 1)))
}

fn outside(messages: &[Message], evidence: &Evidence, counts: &mut Counts, faults: &mut Vec<String>) {
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for (key, _) in &evidence.outside {
        *lines.entry(key).or_default() += 1;
    }
    counts.effects = evidence.outside.len();
    for message in messages {
        let Wish::Outside(_) = &message.wish else { continue };
        let there = lines.remove(message.key.as_str()).unwrap_or(0);
        let listed = evidence.uncertain.contains(short(&message.key));
        let answer = message.answers.first().map_or("", String::as_str);
        let confirmed = answer == "Told the outside." || answer == "That was done already.";
        let unsure = answer.contains("cannot tell whether it happened");
        let line = || {
            format!("{}: {there} effects, answer `{answer}`, listed as uncertain: {listed}", name(message))
        };
        if there > 1 {
            faults.push(format!("EFFECT DOUBLED: {}", line()));
        } else if confirmed && there == 0 {
            faults.push(format!("EFFECT LOST: {}", line()));
        } else if !confirmed && there == 1 && !listed {
            faults.push(format!("EFFECT NOT SHOWN: {}", line()));
        } else if unsure && !listed {
            faults.push(format!("UNCERTAIN BUT NOT LISTED: {}", line()));
        }
    }
    for (key, there) in lines {
        faults.push(format!("EFFECT OF NOBODY: {key}, {there} times"));
    }
}
