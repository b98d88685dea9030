//! The operator's look at the past, and the way back to it: snapshots, differences, history, restoring.
//!
//! To restore is to write the old bytes as a new turn, over nothing that was not seen; so it can itself be taken back,
//! and a file that somebody edits meanwhile is refused and not overwritten.

use crate::{
    entry::At,
    hash::Hash,
    hunk::Edit,
    ledger::{Key, Kind, Record},
    memory::{Memory, Plan, TRIES, Who},
    past::unreadable,
    replace::{Fault, io_sentence, sentence},
    target::{self, Found, plain},
};
use org::{Span, Splice};
use protocol::{
    change::Changed,
    id::{TurnKey, WallMs},
    snapshot::{Look, Reply, Scope},
};
use std::{collections::BTreeSet, fs, io};
use store::{Difference, Fate, Identity};

/// Differences that are listed; a reply must fit into a frame of the control socket.
const LINES_MAX: usize = 500;

/// Versions of an entry that are listed, and damaged objects.
const VERSIONS_MAX: usize = 100;

/// Longest title in a line, in characters.
const TITLE_MAX: usize = 60;

/// Bytes that a file gets; none means that it goes.
type Wanted = Vec<(String, Option<Vec<u8>>)>;

impl Memory {
    /// Answers an operator who looks.
    pub(crate) fn look(&mut self, look: &Look) -> Reply {
        self.refresh();
        let lines = match look {
            Look::Snapshots { limit } => self.snapshots(usize::from(*limit)),
            Look::Diff { from, to } => self.diff(from, to),
            Look::History { entry } => self.history(entry),
            Look::Verify => self.verify(),
            Look::Report => Ok(self.report().lines().map(str::to_owned).collect()),
        };
        lines.map_or_else(Reply::Refused, Reply::Lines)
    }

    fn snapshots(&self, limit: usize) -> Result<Vec<String>, String> {
        let snapshots = self.past.store()?.snapshots().map_err(|error| unreadable(&error))?;
        let turns = self.ledger.turns();
        let mut lines: Vec<(i64, String)> = Vec::new();
        let mut told = BTreeSet::new();
        for snapshot in snapshots.iter().rev() {
            let turn = snapshot.cause.turn.as_deref().and_then(|key| key.parse::<TurnKey>().ok());
            let known = turns.iter().find(|known| Some(known.turn) == turn);
            let what = match (turn, known) {
                (Some(turn), Some(known)) => {
                    told.insert(turn);
                    wrote(turn, &known.what, known.live)
                }
                (Some(turn), None) => format!("turn {}", turn.short()),
                (None, _) => "changed by others".to_owned(),
            };
            let name = snapshot.cause.name.as_ref().map_or_else(String::new, |name| format!(" [{name}]"));
            let at = i64::try_from(snapshot.when).unwrap_or(i64::MAX);
            lines.push((at, format!("{} {at} {what}{name}", snapshot.number)));
        }
        // Turns whose snapshot was thinned out can be taken back all the same.
        for known in turns.iter().filter(|known| !told.contains(&known.turn)) {
            let what = wrote(known.turn, &known.what, known.live);
            lines.push((known.at.0, format!("- {} {what}", known.at.0)));
        }
        lines.sort_by_key(|line| std::cmp::Reverse(line.0));
        Ok(lines.into_iter().take(limit).map(|(_, line)| line).collect())
    }

    fn diff(&self, from: &str, to: &str) -> Result<Vec<String>, String> {
        let store = self.past.store()?;
        let older = self.past.find(from)?.number;
        let found = match to.trim() {
            "" => store.diff_to_now(older),
            to => store.diff(older, self.past.find(to)?.number),
        };
        let found = found.map_err(|error| unreadable(&error))?;
        if found.is_empty() {
            return Ok(vec!["no difference".to_owned()]);
        }
        let more = found.len().saturating_sub(LINES_MAX);
        let mut lines: Vec<String> = found.iter().take(LINES_MAX).map(difference).collect();
        if more > 0 {
            lines.push(format!("… and {more} more"));
        }
        Ok(lines)
    }

    fn history(&self, words: &str) -> Result<Vec<String>, String> {
        let store = self.past.store()?;
        let identity =
            self.identity(words)?.ok_or_else(|| format!("The history does not know \"{words}\"."))?;
        let versions = store.history(identity).map_err(|error| unreadable(&error))?;
        let mut lines = Vec::new();
        for version in versions.iter().rev().take(VERSIONS_MAX) {
            let bytes = store.content(version.content).map_err(|error| unreadable(&error))?;
            let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let title = short(&String::from_utf8_lossy(first));
            let size = bytes.len();
            lines.push(match version.until {
                Some(until) => format!("{} {until} until then: {title} ({size} bytes)", version.snapshot),
                None => format!("now: {title} ({size} bytes)"),
            });
        }
        Ok(lines)
    }

    fn verify(&self) -> Result<Vec<String>, String> {
        let report = self.past.store()?.verify();
        if report.damage.is_empty() {
            return Ok(vec![format!("{} objects, all of them what their hash says", report.objects)]);
        }
        let line = |damage: &store::Damage| format!("damaged: {} ({})", damage.belongs_to, damage.error);
        Ok(report.damage.iter().take(VERSIONS_MAX).map(line).collect())
    }

    /// Gives a snapshot a name.
    pub(crate) fn keep(&mut self, snapshot: &str, name: &str) -> Reply {
        match self.keep_named(snapshot, name) {
            Ok(number) => Reply::Done(format!("snapshot {number} is kept as {name}")),
            Err(sentence) => Reply::Refused(sentence),
        }
    }

    fn keep_named(&mut self, snapshot: &str, name: &str) -> Result<u64, String> {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.len() > 64 || !name.chars().all(plain) || name.parse::<u64>().is_ok() {
            return Err("A name is up to 64 letters, digits, -, _ and ., and no number.".to_owned());
        }
        let number = self.past.find(snapshot)?.number;
        let when = u64::try_from(self.now().0).unwrap_or_default();
        let store = self.past.store_mut()?;
        store.begin(when).name(number, name).map_err(|error| unreadable(&error))?;
        Ok(number)
    }

    /// Writes what a snapshot holds over what is there, as a new turn.
    pub(crate) fn restore(&mut self, snapshot: &str, scope: &Scope, by: TurnKey, at: WallMs) -> Reply {
        let key = Key { turn: by, attempt: 0, step: 0 };
        if let Some(Changed::Undone { what, .. }) = self.ledger.reply(key) {
            return Reply::Done(what.join("; "));
        }
        self.refresh();
        let who = Who { key, conversation: None, at, kind: Kind::Write };
        match self.restore_as(&who, snapshot, scope) {
            Ok(text) => Reply::Done(text),
            Err(sentence) => Reply::Refused(sentence),
        }
    }

    fn restore_as(&mut self, who: &Who, snapshot: &str, scope: &Scope) -> Result<String, String> {
        if let Some(trouble) = &self.folder.trouble {
            return Err(trouble.clone());
        }
        let number = self.past.find(snapshot)?.number;
        let mut written = Vec::new();
        let mut tries = 1;
        loop {
            // Planned anew when somebody wrote meanwhile: what was put back by then is equal and is left alone.
            let wanted = self.wanted(number, scope)?;
            match self.put_back(who, number, wanted, &mut written) {
                Ok(()) => break,
                Err((Fault::Changed, _)) if tries < TRIES => {
                    tries += 1;
                    self.refresh();
                }
                Err((fault, name)) => {
                    self.keep_up(Some(who.key.turn));
                    return Err(sentence(&fault, &name));
                }
            }
        }
        self.keep_up(Some(who.key.turn));
        let text = match written.as_slice() {
            [] => format!("nothing differs from snapshot {number}"),
            files => {
                let (short, files) = (who.key.turn.short(), files.join(", "));
                format!("put back {files} as of snapshot {number}; to take that back: rollback {short}")
            }
        };
        let reply = Changed::Undone { turn: who.key.turn, what: vec![text.clone()], conflicts: Vec::new() };
        let answer = Record::Answer { key: who.key, reply };
        self.ledger.append(answer).map_err(|err| io_sentence(&err, "the transaction log"))?;
        self.tidy();
        Ok(text)
    }

    fn put_back(
        &mut self,
        who: &Who,
        number: u64,
        wanted: Wanted,
        written: &mut Vec<String>,
    ) -> Result<(), (Fault, String)> {
        for (name, new) in wanted {
            let current = self.read_now(&name).map_err(|err| (err.into(), name.clone()))?;
            if current == new {
                continue;
            }
            if new.is_some() {
                self.make_room(&name).map_err(|fault| (fault, name.clone()))?;
            }
            let edit = middle(current.as_deref().unwrap_or_default(), new.as_deref().unwrap_or_default());
            let old = current.as_deref().map(|bytes| (bytes, Hash::of(bytes)));
            let mut plan = Plan::new(&name, old, new, &[edit]);
            plan.what = format!("{name} as of snapshot {number}");
            self.carry_out(who, plan).map_err(|fault| (fault, name.clone()))?;
            if !written.contains(&name) {
                written.push(name);
            }
        }
        Ok(())
    }

    /// Makes the folders that a file needs. One that has become a link since leads who knows where: refused.
    fn make_room(&self, name: &str) -> Result<(), Fault> {
        for (at, _) in name.match_indices('/') {
            let folder = self.folder.path(name.get(..at).unwrap_or_default());
            match fs::symlink_metadata(&folder) {
                Ok(meta) if meta.is_dir() => {}
                Ok(_) => return Err(Fault::NotAFile),
                Err(err) if err.kind() == io::ErrorKind::NotFound => fs::create_dir(&folder)?,
                Err(err) => return Err(err.into()),
            }
        }
        Ok(())
    }

    /// Works out which bytes which files should have.
    fn wanted(&self, number: u64, scope: &Scope) -> Result<Wanted, String> {
        let store = self.past.store()?;
        let read = |name: &str| store.file_at(number, name).map_err(|error| unreadable(&error));
        match scope {
            Scope::Everything => {
                let old = store.files_at(number).map_err(|error| unreadable(&error))?;
                let mut names: BTreeSet<String> = old.into_iter().map(|(name, _)| name).collect();
                names.extend(self.folder.files.keys().cloned());
                names.into_iter().map(|name| Ok((name.clone(), read(&name)?))).collect()
            }
            Scope::File(name) => {
                let known = read(name)?;
                if known.is_none() && !self.folder.files.contains_key(name) {
                    return Err(format!("Neither snapshot {number} nor the memex has a file {name}."));
                }
                Ok(vec![(name.clone(), known)])
            }
            Scope::Entry(words) => self.wanted_entry(number, words).map(|wanted| vec![wanted]),
        }
    }

    /// An entry that is there gets its own old text; one that is gone comes back at the end of its file.
    fn wanted_entry(&self, number: u64, words: &str) -> Result<(String, Option<Vec<u8>>), String> {
        let store = self.past.store()?;
        if let Found::One(at, _) = target::resolve(&self.folder, words, &|at| at.index.is_some())
            && let Some(identity) = self.identity_of(at)?
        {
            let old = store.entry_at(number, identity).map_err(|error| unreadable(&error))?;
            let old = old.ok_or_else(|| format!("Snapshot {number} does not have \"{words}\" yet."))?;
            let (file, own) = (at.file, at.own());
            let splice = Splice::replace(own, ending(old, own, &file.bytes));
            let new = org::apply(&file.bytes, &[splice]).map_err(|error| error.to_string())?;
            return Ok((file.name.clone(), Some(new)));
        }
        let wanted = plain(words);
        let names = store.files_at(number).map_err(|error| unreadable(&error))?;
        for (name, _) in names {
            let bytes = store.file_at(number, &name).map_err(|error| unreadable(&error))?.unwrap_or_default();
            let doc = org::scan(&bytes);
            let found = doc.nodes.iter().find(|node| plain(&node.title.text(&bytes)) == wanted);
            if let Some(node) = found {
                let now = self.folder.files.get(&name);
                let mut new = now.map_or_else(Vec::new, |file| file.bytes.clone());
                let newline = now.map_or(doc.newline, |file| file.doc.newline).as_str().as_bytes();
                if !new.is_empty() && !new.ends_with(b"\n") {
                    new.extend_from_slice(newline);
                }
                new.extend_from_slice(node.subtree().of(&bytes));
                return Ok((name, Some(new)));
            }
        }
        Err(format!("Neither the memex nor snapshot {number} has an entry \"{words}\"."))
    }

    fn identity(&self, words: &str) -> Result<Option<Identity>, String> {
        match target::resolve(&self.folder, words, &|at| at.index.is_some()) {
            Found::One(at, _) => self.identity_of(at),
            Found::Several(several) => {
                let links: Vec<String> = several.iter().take(5).map(|at| at.entry_ref().link()).collect();
                Err(format!("Several entries fit; give one of these links: {}", links.join("  ")))
            }
            Found::None => Err(format!("No entry fits \"{words}\".")),
        }
    }

    fn identity_of(&self, at: At<'_>) -> Result<Option<Identity>, String> {
        let ordinal = at.index.unwrap_or_default();
        self.past.store()?.identify(&at.file.name, ordinal).map_err(|error| unreadable(&error))
    }
}

/// What replaces an entry's own text must end as that did, or the next headline is none any more.
fn ending(mut old: Vec<u8>, own: Span, file: &[u8]) -> Vec<u8> {
    if own.end < file.len() && !old.ends_with(b"\n") {
        old.push(b'\n');
    }
    old
}

fn wrote(turn: TurnKey, what: &[String], live: bool) -> String {
    let undone = if live { "" } else { " (taken back)" };
    format!("turn {}: {}{undone}", turn.short(), what.join("; "))
}

/// The lines between what both begin and end with.
fn middle(old: &[u8], new: &[u8]) -> Edit {
    let front = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let front = old.get(..front).and_then(|same| memchr::memrchr(b'\n', same)).map_or(0, |at| at + 1);
    let (rest, other) = (old.get(front..).unwrap_or_default(), new.get(front..).unwrap_or_default());
    let back = rest.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    let tail = rest.get(rest.len() - back..).unwrap_or_default();
    let back = memchr::memchr(b'\n', tail).map_or(0, |at| back - at - 1);
    let insert = other.get(..other.len() - back).unwrap_or_default().to_vec();
    Edit::of(Splice { at: front, remove: rest.len() - back, insert })
}

fn difference(difference: &Difference) -> String {
    let place = |place: &Option<(String, String)>| match place {
        Some((file, title)) if title.is_empty() => file.clone(),
        Some((file, title)) => format!("{file}: {}", short(title)),
        None => String::new(),
    };
    let (before, after) = (place(&difference.before), place(&difference.after));
    let kind = if difference.entry.is_some() { "entry" } else { "file" };
    match difference.fate {
        Fate::Added => format!("+ {kind} {after}"),
        Fate::Removed => format!("- {kind} {before}"),
        Fate::Changed if before == after => format!("~ {kind} {after}"),
        Fate::Changed => format!("~ {kind} {before} -> {after}"),
        Fate::Moved => format!("> {kind} {before} -> {after}"),
        Fate::MovedAndChanged => format!("> {kind} {before} -> {after}, changed"),
    }
}

fn short(title: &str) -> String {
    match title.char_indices().nth(TITLE_MAX) {
        Some((at, _)) => format!("{}…", title.get(..at).unwrap_or_default()),
        None => title.trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn middle_covers_whole_lines_and_gives_the_new_text() {
        for (old, new) in [
            ("a\nb\nc\n", "a\nx\nc\n"),
            ("", "a\n"),
            ("a\n", ""),
            ("aa\n", "aaa\n"),
            ("a\nb", "a\nb\nc"),
            ("x\ny\nx\n", "x\n"),
            ("same\n", "same\n"),
        ] {
            let edit = middle(old.as_bytes(), new.as_bytes());
            let done = org::apply(old.as_bytes(), &[edit.splice]).unwrap();
            assert_eq!(String::from_utf8(done).unwrap(), new, "{old:?}");
        }
        let Splice { at, remove, insert } = middle(b"a\nb\nc\n", b"a\nx\nc\n").splice;
        assert_eq!((at, remove, insert.as_slice()), (2, 2, b"x\n".as_slice()));
    }
}
