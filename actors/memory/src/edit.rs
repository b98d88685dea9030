//! Edits of one entry where it stands: the words of a request become one pure edit of `org`, one file or two.
//!
//! Moving to another file writes the target first and the source second, in one transaction: whoever is interrupted in
//! between has the entry twice and never not at all, and the turn is then taken back as a whole.

use crate::{
    change::{now, refuse, refused, stamp},
    entry::At,
    folder::File,
    hunk,
    memory::{Memory, Plan},
    replace::{Fault, sentence},
    target::{self, Found, plain},
};
use jiff::civil::DateTime;
use org::{
    Splice,
    edit::{self, Context, When},
};
use protocol::{
    change::{ChangeRequest, Changed, Edit, Target},
    id::Name,
    recall::EntryRef,
};

const COPY: &str =
    "That is a copy which a conflict left behind. Put together by hand what you want to keep of it.";

/// What the planned writes of an edit are; the last one carries the answer.
type Plans = Vec<Plan>;

/// The answer that ends an edit which cannot be made.
type Answer = Box<Changed>;

impl Memory {
    /// Plans an edit of the entry that is meant.
    pub(crate) fn plan_edit(
        &self,
        request: &ChangeRequest,
        words: &str,
        edit: &Edit,
    ) -> Result<Plans, Answer> {
        let at = self.one(request, words)?;
        let index = at.index.unwrap_or_default();
        let (file, now) = (at.file, now(request)?);
        if let Edit::Refile { to: Target::Words(to) } = edit {
            return self.plan_move(request, at, to);
        }
        if *edit == Edit::Archive {
            return self.plan_archive(at, now);
        }
        let (splices, what) = inside(file, index, edit, now)?;
        Ok(vec![planned(file, splices, index, &what)?])
    }

    /// Finds the entry that is meant, which must be one that may be written.
    fn one(&self, request: &ChangeRequest, words: &str) -> Result<At<'_>, Answer> {
        let at = self.meant(words, &request.conversation)?;
        if at.file.copy {
            return refuse(COPY);
        }
        if at.index.is_none() {
            return refuse("That is a whole file. Say which entry of it is meant.");
        }
        Ok(at)
    }

    /// Finds the one entry or file that is meant, or the answer that asks for more.
    pub(crate) fn meant(&self, words: &str, conversation: &Name) -> Result<At<'_>, Answer> {
        match self.resolve(words, conversation) {
            Found::One(at, _) => Ok(at),
            Found::Several(several) => Err(Box::new(Changed::Ambiguous(Found::refs(&several)))),
            Found::None => Err(Box::new(Changed::NotFound {
                near: target::near(&self.folder, words, &|at| !at.file.copy),
            })),
        }
    }

    fn plan_move(&self, request: &ChangeRequest, at: At<'_>, to: &str) -> Result<Plans, Answer> {
        let goal = self.meant(to, &request.conversation)?;
        if goal.file.copy {
            return refuse(COPY);
        }
        let index = at.index.unwrap_or_default();
        let under = goal.title();
        let what = if under.is_empty() {
            format!("moved to {}", goal.file.name)
        } else {
            format!("moved under {under}")
        };
        if goal.file.name == at.file.name {
            let file = at.file;
            let splices = edit::refile(&file.bytes, &file.doc, index, goal.index)
                .map_err(|error| refused(&error, &file.name))?;
            let (mut plan, _) = written(file, splices, None)?;
            let entry = EntryRef { path: below(goal, at), line: 0, ..at.entry_ref() };
            plan.what = told("moved", &entry);
            plan.reply = Some(Changed::Written { entry, what });
            return Ok(vec![plan]);
        }
        let (gone, come) = edit::refile_to(
            &at.file.bytes,
            &at.file.doc,
            index,
            &goal.file.bytes,
            &goal.file.doc,
            goal.index,
        )
        .map_err(|error| refused(&error, &at.file.name))?;
        let entry = EntryRef { file: goal.file.name.clone(), path: below(goal, at), line: 0, id: at.id() };
        Ok(vec![part(goal.file, come, &entry, "moved")?, last_part(at.file, gone, entry, "moved", &what)?])
    }

    fn plan_archive(&self, at: At<'_>, now: DateTime) -> Result<Plans, Answer> {
        let file = at.file;
        let index = at.index.unwrap_or_default();
        let category = file.name.rsplit('/').next().unwrap_or(&file.name).trim_end_matches(".org");
        let context = Context { file: &file.name, category, now };
        let archived = edit::archive(&file.bytes, &file.doc, index, context)
            .map_err(|error| refused(&error, &file.name))?;
        let name = format!("{}_archive", file.name);
        let old = self
            .read_now(&name)
            .map_err(|err| Box::new(Changed::Refused(sentence(&Fault::Io(err), &name))))?;
        let bytes = old.as_deref().unwrap_or_default();
        let mut text = archived.text;
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            text.insert(0, b'\n');
        }
        let splice = Splice::insert(bytes.len(), text);
        let new = org::apply(bytes, std::slice::from_ref(&splice)).map_err(|error| refused(&error, &name))?;
        let hashed = old.as_deref().map(|bytes| (bytes, crate::hash::Hash::of(bytes)));
        let mut first = Plan::new(&name, hashed, Some(new), &[hunk::Edit::of(splice)]);
        let entry = at.entry_ref();
        first.what = told("archived", &entry);
        let what = format!("archived in {name}");
        Ok(vec![first, last_part(file, archived.splices, entry, "archived", &what)?])
    }
}

/// Plans splices of one file; `index` is where the entry stands afterwards.
fn planned(file: &File, splices: Vec<Splice>, index: usize, what: &str) -> Result<Plan, Answer> {
    let (mut plan, entry) = written(file, splices, Some(index))?;
    let said = what.split_once(' ').map_or(what, |(word, _)| word);
    plan.what = told(said, &entry);
    plan.reply = Some(Changed::Written { entry, what: what.to_owned() });
    Ok(plan)
}

/// Plans one file of two.
fn part(file: &File, splices: Vec<Splice>, entry: &EntryRef, said: &str) -> Result<Plan, Answer> {
    let (mut plan, _) = written(file, splices, None)?;
    plan.what = told(said, entry);
    Ok(plan)
}

fn last_part(
    file: &File,
    splices: Vec<Splice>,
    entry: EntryRef,
    said: &str,
    what: &str,
) -> Result<Plan, Answer> {
    let mut plan = part(file, splices, &entry, said)?;
    plan.reply = Some(Changed::Written { entry, what: what.to_owned() });
    Ok(plan)
}

/// The splices of an edit within its file, and what it is called for people.
fn inside(file: &File, index: usize, edit: &Edit, now: DateTime) -> Result<(Vec<Splice>, String), Answer> {
    let (bytes, doc) = (file.bytes.as_slice(), &file.doc);
    let dated = |when: When, date: &Option<protocol::change::When>, word: &str| {
        let text = date.map(stamp).transpose()?;
        let shown = text.as_deref().map_or("none", |text| text.trim_matches(['<', '>'])).to_owned();
        let splices = edit::set_planning(bytes, doc, index, when, text.as_deref());
        Ok::<_, Answer>((splices, format!("{word} {shown}")))
    };
    let (splices, what) = match edit {
        Edit::State(word) => {
            let logging = org::Logging::default();
            let shown = word.as_deref().unwrap_or("none");
            (edit::set_keyword(bytes, doc, index, word.as_deref(), now, logging), format!("state {shown}"))
        }
        Edit::Priority(letter) => {
            let shown = letter.map_or_else(|| "none".to_owned(), String::from);
            (edit::set_priority(bytes, doc, index, *letter), format!("priority {shown}"))
        }
        Edit::AddTags(tags) | Edit::RemoveTags(tags) => {
            let own = doc.nodes.get(index).map(|node| node.own_tags(bytes));
            let own: Vec<&str> = own.into_iter().flatten().collect();
            let wanted: Vec<&str> = if let Edit::AddTags(_) = edit {
                let new = tags.iter().map(String::as_str).filter(|tag| !own.contains(tag));
                own.iter().copied().chain(new).collect()
            } else {
                own.iter().copied().filter(|tag| !tags.iter().any(|gone| gone == tag)).collect()
            };
            if wanted.len() == own.len() {
                return refuse("The tags are like that already; nothing was written.");
            }
            let shown = if wanted.is_empty() { "none".to_owned() } else { wanted.join(" ") };
            (edit::set_tags(bytes, doc, index, &wanted), format!("tags {shown}"))
        }
        Edit::Property { key, value: Some(value) } => {
            (edit::set_property(bytes, doc, index, key, value), format!("property {key} {value}"))
        }
        Edit::Property { key, value: None } => {
            (edit::delete_property(bytes, doc, index, key), format!("property {key} none"))
        }
        Edit::Schedule(date) => dated(When::Scheduled, date, "scheduled")?,
        Edit::Deadline(date) => dated(When::Deadline, date, "deadline")?,
        Edit::Title(title) => (edit::set_title(bytes, doc, index, title), "title changed".to_owned()),
        Edit::Append(text) => (edit::append_body(bytes, doc, index, text), "appended".to_owned()),
        Edit::ClockIn => (edit::clock_in(bytes, doc, index, now), "clock started".to_owned()),
        Edit::ClockOut => (edit::clock_out(bytes, doc, index, now), "clock stopped".to_owned()),
        Edit::Check(words) => {
            let (place, checked) = checkbox(file, index, words)?;
            let word = if checked { "unchecked" } else { "checked" };
            (edit::toggle_checkbox(bytes, doc, index, place), format!("{word} {words}"))
        }
        Edit::Refile { .. } | Edit::Archive => return refuse("This is no edit within a file."),
    };
    match splices {
        Ok(splices) if splices.is_empty() => refuse("It is like that already; nothing was written."),
        Ok(splices) => Ok((splices, what)),
        Err(
            error @ (org::Error::Missing { .. } | org::Error::Argument { .. } | org::Error::NoKeyword { .. }),
        ) => Err(Box::new(Changed::Refused(format!("Nothing was written: {error}.")))),
        Err(error) => Err(refused(&error, &file.name)),
    }
}

/// Finds the checkbox whose item holds the words, and whether it is ticked.
fn checkbox(file: &File, index: usize, words: &str) -> Result<(usize, bool), Answer> {
    let wanted = plain(words);
    let found = org::objects(&file.bytes, &file.doc);
    let own = found.checkboxes.iter().filter(|tick| tick.node == Some(index));
    let text = |tick: &org::Tick| {
        let rest = file.bytes.get(tick.mark.end..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        plain(&String::from_utf8_lossy(rest.get(..end).unwrap_or_default()))
    };
    let fits: Vec<(&org::Tick, String)> =
        own.map(|tick| (tick, text(tick))).filter(|(_, text)| text.contains(&wanted)).collect();
    let exact = fits.iter().find(|(_, text)| *text == wanted);
    match (exact, fits.as_slice()) {
        (Some((tick, _)), _) | (None, [(tick, _)]) => Ok((tick.begin, tick.state == org::Checkbox::On)),
        (None, []) => refuse("No item with a checkbox in that entry holds these words; nothing was written."),
        (None, _) => refuse("Several items hold these words; nothing was written. Say more of the item."),
    }
}

/// Plans splices of one file, with the entry that stands at `index` afterwards.
fn written(file: &File, splices: Vec<Splice>, index: Option<usize>) -> Result<(Plan, EntryRef), Answer> {
    let name = &file.name;
    let new = org::apply(&file.bytes, &splices).map_err(|error| refused(&error, name))?;
    let doc = org::scan(&new);
    let edits: Vec<hunk::Edit> = splices.into_iter().map(hunk::Edit::of).collect();
    let mut plan = Plan::new(name, Some((&file.bytes, file.hash())), Some(new.clone()), &edits);
    let planned = File::planned(name, new, doc, Some(file));
    let entry = At { file: &planned, index }.entry_ref();
    plan.keep(planned);
    Ok((plan, entry))
}

/// The titles down to an entry that was moved under another one.
fn below(goal: At<'_>, at: At<'_>) -> Vec<String> {
    let mut path = goal.entry_ref().path;
    path.push(at.title());
    path
}

fn told(what: &str, entry: &EntryRef) -> String {
    let title = entry.path.last().map_or("", String::as_str);
    format!("{what} \"{}\" in {}", title.replace('\u{200B}', ""), entry.file)
}
