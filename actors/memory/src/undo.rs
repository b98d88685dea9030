//! Takes back what turns wrote: undo, revert and rollback are the same act for different reasons.
//!
//! Each write is taken back by a write of its own, so a stop in between loses nothing and a repetition goes on where
//! it ended. What somebody else changed since stays as it is; our text then lies beside it in a conflict file.

use crate::{
    hash::Hash,
    hunk::{self, Edit, Hunk},
    ledger::{Intent, Key, Kind, Record},
    memory::{Memory, Old, Plan, TRIES, Who},
    replace::{Fault, io_sentence, sentence},
};
use org::Splice;
use protocol::{
    change::Changed,
    id::{TurnKey, WallMs},
    snapshot::{Reply, Request},
};
use std::{collections::BTreeSet, io};

/// Any attempt of a turn.
const ALL_ATTEMPTS: u8 = u8::MAX;

/// How one write can be taken back.
enum Back {
    /// By these edits; no bytes means that the file goes.
    Edits(Option<Vec<u8>>, Vec<Edit>),
    /// Nothing of it is left.
    Gone,
    /// Somebody changed it.
    Conflict,
}

impl Memory {
    /// Carries out what the supervisor asks about turns.
    pub fn snapshot(&mut self, request: &Request) -> Reply {
        self.settle();
        match request {
            Request::Rollback { turn, attempt } => self.roll_back(*turn, *attempt),
            Request::Revert { turn, by, at } => self.revert(turn, *by, *at),
            Request::Look(look) => self.look(look),
            Request::Keep { snapshot, name } => self.keep(snapshot, name),
            Request::Restore { snapshot, scope, by, at } => self.restore(snapshot, scope, *by, *at),
        }
    }

    /// Takes back the named turn, or the last one of the conversation.
    pub(crate) fn undo(&mut self, who: &Who, turn: Option<&str>) -> Changed {
        let of = match (self.ledger.began(who.key), turn) {
            (Some(of), _) => of,
            (None, Some(prefix)) => match self.turn_named(prefix, who.key.turn) {
                Ok(of) => of,
                Err(sentence) => return Changed::Refused(sentence),
            },
            (None, None) => {
                let last = who.conversation.as_ref();
                match last.and_then(|name| self.ledger.last_of(name, who.key.turn)) {
                    Some(of) => of,
                    None => {
                        return Changed::Refused("There is nothing to undo in this conversation.".to_owned());
                    }
                }
            }
        };
        let who = Who { kind: Kind::Undo, ..who.clone() };
        match self.undo_turn(&who, of) {
            Ok(reply) => reply,
            Err(sentence) => Changed::Refused(sentence),
        }
    }

    fn undo_turn(&mut self, who: &Who, of: TurnKey) -> Result<Changed, String> {
        let log = |err: io::Error| io_sentence(&err, "the transaction log");
        if self.ledger.began(who.key).is_none() {
            self.ledger.append(Record::Began { key: who.key, of }).map_err(log)?;
        }
        self.take_back_all(who, &self.ledger.live_of(of, ALL_ATTEMPTS))?;
        let done = self.ledger.undone_by(who.key);
        let (what, conflicts) = self.summary(&done);
        let reply = Changed::Undone { turn: of, what, conflicts };
        self.ledger.append(Record::Answer { key: who.key, reply: reply.clone() }).map_err(log)?;
        Ok(reply)
    }

    fn revert(&mut self, turn: &str, by: TurnKey, at: WallMs) -> Reply {
        let key = Key { turn: by, attempt: 0, step: 0 };
        let who = Who { key, conversation: None, at, kind: Kind::Undo };
        let changed = match self.ledger.reply(key) {
            Some(reply) => reply,
            None => self.undo(&who, Some(turn)),
        };
        self.keep_up(Some(by));
        self.tidy();
        match changed {
            Changed::Undone { turn, what, conflicts } => Reply::Reverted { turn, what, conflicts },
            Changed::Refused(sentence) => Reply::Refused(sentence),
            Changed::Written { .. } | Changed::Ambiguous(_) | Changed::NotFound { .. } => {
                Reply::Refused("This turn has written something else already.".to_owned())
            }
        }
    }

    fn roll_back(&mut self, turn: TurnKey, attempt: u8) -> Reply {
        let stale = Record::Stale { turn, attempt };
        if !self.ledger.is_stale(turn, attempt)
            && let Err(err) = self.ledger.append(stale)
        {
            return Reply::Refused(io_sentence(&err, "the transaction log"));
        }
        for intent in self.ledger.live_of(turn, attempt) {
            let who = Who {
                key: intent.key,
                conversation: intent.conversation.clone(),
                at: intent.at,
                kind: Kind::Rollback,
            };
            if let Err(sentence) = self.take_back_all(&who, std::slice::from_ref(&intent)) {
                return Reply::Refused(sentence);
            }
        }
        if let Err(err) = self.focus.roll_back(turn) {
            return Reply::Refused(io_sentence(&err, "the focus"));
        }
        self.keep_up(Some(turn));
        let done = self.ledger.rolled_back(turn, attempt);
        let steps: BTreeSet<Key> = done.iter().map(|intent| intent.key).collect();
        let (_, conflicts) = self.summary(&done);
        self.tidy();
        Reply::RolledBack { steps: u8::try_from(steps.len()).unwrap_or(u8::MAX), conflicts }
    }

    /// Finds the turn whose key begins with some digits.
    fn turn_named(&self, prefix: &str, except: TurnKey) -> Result<TurnKey, String> {
        let prefix = prefix.trim().to_lowercase();
        let turns = self.ledger.turns();
        let mut fits =
            turns.iter().filter(|turn| turn.turn != except && turn.turn.to_string().starts_with(&prefix));
        match (fits.next(), fits.next()) {
            (Some(one), None) if one.live => Ok(one.turn),
            (Some(_), None) => Err(format!("The turn {prefix} is taken back already.")),
            (Some(_), Some(_)) => {
                Err(format!("Several turns begin with \"{prefix}\"; nothing was written. Give more digits."))
            }
            (None, _) => Err(format!(
                "No turn that begins with \"{prefix}\" has written anything that is still known."
            )),
        }
    }

    /// Returns what was taken back, in the order in which it had been written, and the conflict files.
    fn summary(&self, done: &[&Intent]) -> (Vec<String>, Vec<String>) {
        let mut originals: Vec<&Intent> =
            done.iter().filter_map(|intent| self.ledger.intent(intent.undoes?)).collect();
        originals.sort_by_key(|intent| intent.number);
        let (mut what, mut conflicts) = (Vec::new(), Vec::new());
        for original in originals {
            if !what.contains(&original.what) {
                what.push(original.what.clone());
            }
        }
        for intent in done.iter().filter(|intent| intent.conflict) {
            if !conflicts.contains(&intent.file) {
                conflicts.push(intent.file.clone());
            }
        }
        (what, conflicts)
    }

    fn take_back_all(&mut self, who: &Who, intents: &[Intent]) -> Result<(), String> {
        for intent in intents {
            let mut tries = 1;
            loop {
                match self.take_back(who, intent) {
                    Ok(_) => break,
                    Err(Fault::Changed) if tries < TRIES => tries += 1,
                    Err(fault) => return Err(sentence(&fault, &intent.file)),
                }
            }
        }
        Ok(())
    }

    /// Takes back single writes of a change that could not be finished, last first.
    pub(crate) fn take_back_numbers(&mut self, who: &Who, numbers: &[u64]) -> Result<(), String> {
        let who = Who { kind: Kind::Rollback, ..who.clone() };
        let intents: Vec<Intent> =
            numbers.iter().rev().filter_map(|number| self.ledger.intent(*number)).cloned().collect();
        self.take_back_all(&who, &intents)
    }

    fn take_back(&mut self, who: &Who, intent: &Intent) -> Result<u64, Fault> {
        let current = self.read_now(&intent.file)?;
        let old = current.as_deref().map(hashed);
        let mut plan = match self.way_back(intent, old) {
            Back::Edits(new, edits) => Plan::new(&intent.file, old, new, &edits),
            Back::Gone => Plan::new(&intent.file, old, current.clone(), &[]),
            Back::Conflict => self.conflict(intent)?,
        };
        plan.undoes = Some(intent.number);
        plan.what = reverse_what(&intent.what);
        self.carry_out(who, plan)
    }

    fn way_back(&self, intent: &Intent, old: Option<Old<'_>>) -> Back {
        let current = old.map(|(bytes, _)| bytes);
        let bytes = current.unwrap_or_default();
        if old.map(|(_, hash)| hash) == intent.after {
            let edits = hunk::reverse(&intent.hunks);
            match (applied(bytes, &edits), intent.before) {
                (Some(old), Some(before)) if Hash::of(&old) == before => {
                    return Back::Edits(Some(old), edits);
                }
                (Some(_), None) => return Back::Edits(None, edits),
                (Some(_) | None, _) => {}
            }
        }
        if current.is_none()
            && let Some(header) = self.ledger.made_with(&intent.file)
            && let Some(back) = made_again(header, &intent.hunks)
        {
            return back;
        }
        if current.is_none() && intent.hunks.iter().any(|hunk| !hunk.removed.0.is_empty()) {
            return Back::Conflict;
        }
        let found = current.and_then(|bytes| hunk::find_back(&intent.hunks, bytes));
        match found.and_then(|edits| Some((applied(bytes, &edits)?, edits))) {
            Some((new, _)) if new == bytes => Back::Gone,
            Some((new, edits)) => self.without_scaffold(&intent.file, bytes, new, edits),
            None if hunk::is_gone(&intent.hunks, bytes) => Back::Gone,
            None => Back::Conflict,
        }
    }

    /// When the last of our pieces goes, so does what only our pieces needed: a line end, a title line, the file.
    /// Hashes of earlier states tell that nothing of anybody else's goes with it.
    fn without_scaffold(&self, file: &str, old: &[u8], new: Vec<u8>, mut edits: Vec<Edit>) -> Back {
        let known = self.ledger.known_states(file);
        if let Some(header) = self.ledger.made_with(file) {
            let untouched = edits.first().is_none_or(|edit| edit.splice.at >= header.len());
            if new.is_empty() {
                return Back::Edits(None, edits);
            }
            if new == header && untouched && old.starts_with(&header) {
                let splice = Splice { at: 0, remove: header.len(), insert: Vec::new() };
                edits.insert(0, Edit { splice, scaffold: true });
                return Back::Edits(None, edits);
            }
        }
        if known.contains(&Hash::of(&new)) {
            return Back::Edits(Some(new), edits);
        }
        for end in [b"\r\n".as_slice(), b"\n"] {
            let Some(bare) = new.strip_suffix(end) else {
                continue;
            };
            if known.contains(&Hash::of(bare))
                && let Some(edits) = and_last(old, &edits, end)
                && applied(old, &edits).as_deref() == Some(bare)
            {
                return Back::Edits(Some(bare.to_vec()), edits);
            }
        }
        Back::Edits(Some(new), edits)
    }

    /// Writes beside the file what could not be taken back.
    fn conflict(&self, intent: &Intent) -> Result<Plan, Fault> {
        let name = conflict_name(&intent.file, intent.key.turn);
        let current = self.read_now(&name)?;
        let bytes = current.as_deref().unwrap_or_default();
        let mut text = Vec::new();
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            text.push(b'\n');
        }
        text.extend_from_slice(&conflict_text(intent));
        let edits = [Edit::of(Splice::insert(bytes.len(), text))];
        let new = applied(bytes, &edits);
        let mut plan = Plan::new(&name, current.as_deref().map(hashed), new, &edits);
        plan.conflict = true;
        Ok(plan)
    }
}

/// Puts text back into a file that was ours and is gone: the file is made again as it was made first.
fn made_again(header: Vec<u8>, hunks: &[Hunk]) -> Option<Back> {
    let own = || hunks.iter().filter(|hunk| !hunk.scaffold);
    let only_removed = own().all(|hunk| hunk.inserted.0.is_empty() && !hunk.removed.0.is_empty());
    if !only_removed || own().next().is_none() {
        return None;
    }
    let mut edits = vec![Edit { splice: Splice::insert(0, header), scaffold: true }];
    edits.extend(own().map(|hunk| Edit::of(Splice::insert(0, hunk.removed.0.clone()))));
    Some(Back::Edits(Some(applied(&[], &edits)?), edits))
}

fn hashed(bytes: &[u8]) -> Old<'_> {
    (bytes, Hash::of(bytes))
}

fn applied(bytes: &[u8], edits: &[Edit]) -> Option<Vec<u8>> {
    let splices: Vec<Splice> = edits.iter().map(|edit| edit.splice.clone()).collect();
    org::apply(bytes, &splices).ok()
}

/// Adds an edit that removes the line end which is last after the others.
fn and_last(old: &[u8], edits: &[Edit], end: &[u8]) -> Option<Vec<Edit>> {
    let mut edits = edits.to_vec();
    let last = edits.last().map(|edit| edit.splice.clone());
    let at_end = last.filter(|s| s.at + s.remove == old.len() && s.insert.is_empty());
    let cut = at_end.as_ref().map_or(old.len(), |splice| splice.at);
    let edit = Edit {
        splice: Splice { at: cut.checked_sub(end.len())?, remove: end.len(), insert: Vec::new() },
        scaffold: true,
    };
    let place = if at_end.is_some() { edits.len() - 1 } else { edits.len() };
    edits.insert(place, edit);
    Some(edits)
}

/// `x/inbox.org` gives `x/inbox.conflict-0a1b2c3d.org`.
fn conflict_name(file: &str, turn: TurnKey) -> String {
    let stem = file.strip_suffix(".org").unwrap_or(file);
    if stem.contains(".conflict-") {
        return file.to_owned();
    }
    format!("{stem}.conflict-{}.org", turn.short())
}

fn conflict_text(intent: &Intent) -> Vec<u8> {
    let mut text = format!(
        "# Turn {} could not be taken back in {}: somebody changed this piece since.\n",
        intent.key.turn.short(),
        intent.file
    )
    .into_bytes();
    let mut part = |title: &str, pieces: Vec<&Vec<u8>>| {
        if pieces.iter().all(|piece| piece.is_empty()) {
            return;
        }
        text.extend_from_slice(format!("# {title}:\n").as_bytes());
        for piece in pieces.into_iter().filter(|piece| !piece.is_empty()) {
            text.extend_from_slice(piece);
            if !piece.ends_with(b"\n") {
                text.push(b'\n');
            }
        }
    };
    let hunks = || intent.hunks.iter().filter(|hunk| !hunk.scaffold);
    part("It had written", hunks().map(|hunk| &hunk.inserted.0).collect());
    part("In the place of", hunks().map(|hunk| &hunk.removed.0).collect());
    text
}

fn reverse_what(what: &str) -> String {
    match (what.strip_prefix("took back "), what.strip_prefix("put back ")) {
        (Some(rest), _) => format!("put back {rest}"),
        (None, Some(rest)) => format!("took back {rest}"),
        (None, None) => format!("took back {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflict_file_lies_beside_the_file() {
        let turn = TurnKey::from_bytes([0xab; 16]);
        assert_eq!(conflict_name("x/a.org", turn), "x/a.conflict-abababab.org");
    }

    #[test]
    fn undo_of_an_undo_puts_back() {
        assert_eq!(reverse_what("note \"a\""), "took back note \"a\"");
        assert_eq!(reverse_what("took back note \"a\""), "put back note \"a\"");
        assert_eq!(reverse_what("put back note \"a\""), "took back note \"a\"");
    }
}
