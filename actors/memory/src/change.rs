//! Changes that were asked for: notes, tasks, done.
//!
//! A change is planned on the bytes as read, verified by a rescan, and written only over those very bytes. Texts
//! are foreign: they reach the file through `org`'s escaping only.

use crate::{
    agenda::date,
    entry::At,
    focus::Focus,
    folder::{FILE_MAX, File},
    hunk::Edit,
    ledger::{Key, Kind},
    memory::{Memory, Plan, TRIES, Who},
    replace::{Fault, io_sentence, sentence},
    target::{self, Found, Way},
};
use jiff::civil::{Date, DateTime};
use org::{NewEntry, Newline, Splice};
use protocol::{
    change::{Change, ChangeRequest, Changed, RepeatKind, Target, Unit, When},
    id::{Name, WallMs},
    recall::{Clock, EntryRef},
};
use std::io;

/// Where new entries go.
const INBOX: &str = "inbox.org";

/// A line longer than this does not become a title as a whole.
const TITLE_MAX: usize = 80;

/// Where such a line is cut.
const TITLE_CUT: usize = 70;

impl Memory {
    /// Makes a change. The same turn, attempt and step is written once and answered the same for ever.
    pub fn change(&mut self, request: &ChangeRequest) -> Changed {
        let who = Who {
            key: Key { turn: request.turn, attempt: request.attempt, step: request.step },
            conversation: Some(request.conversation.clone()),
            at: request.at,
            kind: Kind::Write,
        };
        if self.ledger.is_stale(request.turn, request.attempt) {
            return Changed::Refused(
                "This is a stale try of a turn that was taken back; nothing was written. Ask again."
                    .to_owned(),
            );
        }
        if let Some(reply) = self.ledger.reply(who.key) {
            return reply;
        }
        self.refresh();
        if let Some(trouble) = &self.folder.trouble {
            return Changed::Refused(trouble.clone());
        }
        let changed = match &request.change {
            Change::Undo { turn } => self.undo(&who, turn.as_deref()),
            Change::Focus { target: Target::Words(words) } => self.take_into_focus(&who, words),
            Change::Unfocus => self.focused(&who, |focus, name, key| focus.pop(name, key)),
            Change::Note { .. } | Change::Task { .. } | Change::Done { .. } | Change::Edit { .. } => {
                self.write(&who, request)
            }
        };
        self.owe(request.turn);
        self.tidy();
        changed
    }

    fn take_into_focus(&mut self, who: &Who, words: &str) -> Changed {
        let Some(conversation) = &who.conversation else {
            return Changed::Refused("There is no conversation whose focus this could be.".to_owned());
        };
        let entry = match self.meant(words, conversation) {
            Ok(at) => at.entry_ref(),
            Err(answer) => return *answer,
        };
        self.focused(who, |focus, name, key| focus.push(name, key, entry))
    }

    fn focused(
        &mut self,
        who: &Who,
        change: impl FnOnce(&mut Focus, &Name, Key) -> io::Result<Changed>,
    ) -> Changed {
        let Some(conversation) = &who.conversation else {
            return Changed::Refused("There is no conversation whose focus this could be.".to_owned());
        };
        if let Some(reply) = self.focus.reply(conversation, who.key) {
            return reply;
        }
        let changed = change(&mut self.focus, conversation, who.key);
        changed.unwrap_or_else(|err| Changed::Refused(io_sentence(&err, "the focus")))
    }

    fn write(&mut self, who: &Who, request: &ChangeRequest) -> Changed {
        let mut tries = 1;
        loop {
            let plans = match self.plan(request) {
                Ok(plans) => plans,
                Err(answer) => return *answer,
            };
            match self.carry_out_all(who, plans) {
                Ok(reply) => return reply,
                Err((Fault::Changed, _)) if tries < TRIES => {
                    tries += 1;
                    self.refresh();
                }
                Err((fault, file)) => return Changed::Refused(sentence(&fault, &file)),
            }
        }
    }

    /// Writes the files of one change, in order. When one of them cannot be written those before it are taken back.
    fn carry_out_all(&mut self, who: &Who, plans: Vec<Plan>) -> Result<Changed, (Fault, String)> {
        let mut reply = None;
        let mut done = Vec::new();
        for plan in plans {
            let file = plan.file.clone();
            reply = plan.reply.clone();
            match self.carry_out(who, plan) {
                Ok(number) => done.push(number),
                Err(fault) => {
                    if let Err(sentence) = self.take_back_numbers(who, &done) {
                        tracing::error!(sentence, "half a change could not be taken back");
                    }
                    return Err((fault, file));
                }
            }
        }
        Ok(reply.unwrap_or_else(|| Changed::Refused("The answer was lost; ask again.".to_owned())))
    }

    fn plan(&self, request: &ChangeRequest) -> Result<Vec<Plan>, Box<Changed>> {
        if let Change::Edit { target: Target::Words(words), edit } = &request.change {
            return self.plan_edit(request, words, edit);
        }
        Ok(vec![self.plan_one(request)?])
    }

    fn plan_one(&self, request: &ChangeRequest) -> Result<Plan, Box<Changed>> {
        let now = now(request)?;
        match &request.change {
            Change::Note { text, tags } => {
                let (title, body) = split_note(text);
                if title.is_empty() {
                    return refuse("There is nothing to write down. Say what the note should hold.");
                }
                let entry = NewEntry { title, body, tags: tags.clone(), created: now, ..NewEntry::default() };
                self.plan_entry(&entry, "note")
            }
            Change::Task { title, scheduled, deadline, priority, tags } => {
                if title.trim().is_empty() {
                    return refuse("The task has no title. Say what is to be done.");
                }
                let entry = NewEntry {
                    task: true,
                    priority: *priority,
                    title: title.clone(),
                    tags: tags.clone(),
                    scheduled: scheduled.map(stamp).transpose()?,
                    deadline: deadline.map(stamp).transpose()?,
                    created: now,
                    body: String::new(),
                };
                let mut plan = self.plan_entry(&entry, "task")?;
                // The person sees which date was understood.
                if let Some(Changed::Written { what, .. }) = &mut plan.reply {
                    for (word, stamp) in [("scheduled", &entry.scheduled), ("due", &entry.deadline)] {
                        if let Some(stamp) = stamp {
                            let date = stamp.trim_matches(['<', '>']);
                            what.push_str(&format!(" {word} {date}"));
                        }
                    }
                }
                Ok(plan)
            }
            Change::Done { target: Target::Words(words) } => self.plan_done(words, now),
            Change::Undo { .. } | Change::Focus { .. } | Change::Unfocus | Change::Edit { .. } => {
                refuse("This writes nothing of its own.")
            }
        }
    }

    /// Plans an entry at the end of the inbox, which is made if there is none.
    fn plan_entry(&self, entry: &NewEntry, what: &str) -> Result<Plan, Box<Changed>> {
        let header = Newline::Lf.title_line("Inbox").into_bytes();
        let scanned;
        let (old, base, doc) = match self.file(INBOX) {
            Some(file) => (Some((file.bytes.as_slice(), file.hash())), file.bytes.as_slice(), &file.doc),
            None if self.folder.path(INBOX).symlink_metadata().is_ok() => {
                return refuse(&format!(
                    "{INBOX} is a link, too large or cannot be read; nothing was written. Put an ordinary file there and \
                     try again."
                ));
            }
            None => {
                scanned = org::scan(&header);
                (None, header.as_slice(), &scanned)
            }
        };
        let splices = org::append(base, doc, entry).map_err(|err| refused(&err, INBOX))?;
        let new = org::apply(base, &splices).map_err(|err| refused(&err, INBOX))?;
        let found = org::verify(base, doc, &new, None).map_err(|err| refused(&err, INBOX))?;
        if new.len() as u64 > FILE_MAX {
            return refuse(&format!(
                "{INBOX} would grow beyond 16 MiB; nothing was written. Move some of its entries into other files."
            ));
        }
        let mut edits: Vec<Edit> = Vec::new();
        if old.is_none() {
            edits.push(Edit { splice: Splice::insert(0, header.clone()), scaffold: true });
        }
        let last = splices.len().saturating_sub(1);
        for (index, mut splice) in splices.into_iter().enumerate() {
            splice.at = old.map_or(0, |_| splice.at);
            let scaffold = index < last;
            edits.push(Edit { splice, scaffold });
        }
        let mut plan = Plan::new(INBOX, old, Some(new.clone()), &edits);
        let index = found.nodes.len().checked_sub(1);
        let file = File::planned(INBOX, new, found, self.file(INBOX));
        let entry = At { file: &file, index }.entry_ref();
        plan.keep(file);
        plan.what = line(what, &entry);
        plan.reply = Some(Changed::Written { entry, what: what.to_owned() });
        Ok(plan)
    }

    fn plan_done(&self, words: &str, now: DateTime) -> Result<Plan, Box<Changed>> {
        let at = self.open_task(words)?;
        let file = at.file;
        let name = &file.name;
        let index = at.index.unwrap_or_default();
        let done = org::complete(&file.bytes, &file.doc, index, now).map_err(|err| refused(&err, name))?;
        let new = org::apply(&file.bytes, &done.splices).map_err(|err| refused(&err, name))?;
        let found =
            org::verify(&file.bytes, &file.doc, &new, Some(index)).map_err(|err| refused(&err, name))?;
        let edits: Vec<Edit> = done.splices.into_iter().map(Edit::of).collect();
        let mut plan = Plan::new(name, Some((&file.bytes, file.hash())), Some(new.clone()), &edits);
        let file = File::planned(name, new, found, Some(at.file));
        let entry = At { file: &file, index: Some(index) }.entry_ref();
        plan.keep(file);
        let next = done.next.map(|at| {
            let form = if done.timed { "next %Y-%m-%d %a %H:%M" } else { "next %Y-%m-%d %a" };
            at.strftime(form).to_string()
        });
        plan.what = match &next {
            Some(next) => format!("{}, {next}", line("done", &entry)),
            None => line("done", &entry),
        };
        plan.reply = Some(Changed::Written { entry, what: next.unwrap_or_else(|| "done".to_owned()) });
        Ok(plan)
    }

    /// Finds the open task that is meant. A finished task of exactly that title stops the search: the nearest open
    /// one is surely not meant.
    fn open_task(&self, words: &str) -> Result<At<'_>, Box<Changed>> {
        let writable = |at: At<'_>| !at.file.copy && at.is_open();
        let open = target::resolve(&self.folder, words, &writable);
        if let Found::One(at, Way::Exact) = open {
            return Ok(at);
        }
        let any = target::resolve(&self.folder, words, &|at| !at.file.copy && !at.is_open());
        match (open, any) {
            (Found::One(_, Way::Words) | Found::Several(_) | Found::None, Found::One(at, Way::Exact))
            | (Found::None, Found::One(at, Way::Words)) => {
                let title = at.title();
                if at.is_done() {
                    refuse(&format!("\"{title}\" is done already."))
                } else {
                    refuse(&format!(
                        "\"{title}\" in {} is no task. Give it a TODO keyword first.",
                        at.file.name
                    ))
                }
            }
            (Found::One(at, _), _) => Ok(at),
            (Found::Several(several), _) | (Found::None, Found::Several(several)) => {
                Err(Box::new(Changed::Ambiguous(Found::refs(&several))))
            }
            (Found::None, Found::None) => {
                Err(Box::new(Changed::NotFound { near: target::near(&self.folder, words, &writable) }))
            }
        }
    }
}

pub(crate) fn refuse<T>(sentence: &str) -> Result<T, Box<Changed>> {
    Err(Box::new(Changed::Refused(sentence.to_owned())))
}

pub(crate) fn refused(err: &org::Error, name: &str) -> Box<Changed> {
    Box::new(Changed::Refused(format!(
        "{name} was left as it is: {err}. Open it in an editor and put it right, then try again."
    )))
}

/// Says what was written, for lists: `note "the boiler hums" in inbox.org`.
fn line(what: &str, entry: &EntryRef) -> String {
    let title = entry.path.last().map_or("", String::as_str);
    format!("{what} \"{}\" in {}", title.replace('\u{200B}', ""), entry.file)
}

/// The first line is the title, the rest the body. Of a long line only the begin is, and the body holds all.
fn split_note(text: &str) -> (String, String) {
    let text = text.trim();
    let (first, rest) = text.split_once(['\n', '\r']).unwrap_or((text, ""));
    let first = first.trim();
    if first.chars().count() <= TITLE_MAX {
        return (first.to_owned(), rest.trim_start_matches(['\n', '\r']).to_owned());
    }
    let end = first.char_indices().nth(TITLE_CUT).map_or(first.len(), |(at, _)| at);
    let head = first.get(..end).unwrap_or(first);
    let at_word = head.rfind(char::is_whitespace).filter(|at| *at > head.len() / 2);
    let head = head.get(..at_word.unwrap_or(head.len())).unwrap_or(head);
    let head = head.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':'));
    (format!("{head}…"), text.to_owned())
}

pub(crate) fn now(request: &ChangeRequest) -> Result<DateTime, Box<Changed>> {
    let Clock { hour, minute } = request.time;
    let wrong = || Box::new(Changed::Refused("The date of the request is no date.".to_owned()));
    let today = date(request.today).ok_or_else(wrong)?;
    let WallMs(_) = request.at;
    today_at(today, hour, minute).ok_or_else(wrong)
}

fn today_at(day: Date, hour: i8, minute: i8) -> Option<DateTime> {
    let time = jiff::civil::Time::new(hour, minute, 0, 0).ok()?;
    Some(day.to_datetime(time))
}

/// Writes a date as Emacs does: `<2026-03-09 Mon 10:00 +1w>`.
pub(crate) fn stamp(when: When) -> Result<String, Box<Changed>> {
    let wrong = || Box::new(Changed::Refused("That date does not exist. Say another one.".to_owned()));
    let day = date(when.moment.day).ok_or_else(wrong)?;
    let mut text = format!("<{}", day.strftime("%Y-%m-%d %a"));
    if let Some(Clock { hour, minute }) = when.moment.time {
        today_at(day, hour, minute).ok_or_else(wrong)?;
        text.push_str(&format!(" {hour:02}:{minute:02}"));
    }
    if let Some(repeat) = when.repeat {
        let kind = match repeat.kind {
            RepeatKind::Cumulate => "+",
            RepeatKind::CatchUp => "++",
            RepeatKind::Restart => ".+",
        };
        let unit = match repeat.unit {
            Unit::Hour => 'h',
            Unit::Day => 'd',
            Unit::Week => 'w',
            Unit::Month => 'm',
            Unit::Year => 'y',
        };
        text.push_str(&format!(" {kind}{}{unit}", repeat.count));
    }
    text.push('>');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_line_is_cut_at_a_word_and_kept_whole_below() {
        let text =
            "The plumber said that the boiler needs a new valve before winter and that it costs 120 euros";
        let (title, body) = split_note(text);
        assert_eq!(title, "The plumber said that the boiler needs a new valve before winter and…");
        assert_eq!(body, text);
        let (title, _) = split_note(&"é".repeat(100));
        assert_eq!(title.chars().count(), TITLE_CUT + 1);
    }

    #[test]
    fn rest_of_a_note_is_its_body() {
        assert_eq!(split_note(" a \r\n\r\n b\n"), ("a".to_owned(), " b".to_owned()));
    }
}
