//! The memory itself: the folder, the ledger, and the one way by which a file is written.

use crate::{
    agenda,
    crash::Steps,
    entry::{All, At, cut},
    error::Error,
    finder::Finder,
    focus::Focus,
    folder::{File, Folder},
    hash::Hash,
    hunk::{Edit, Hunk, describe},
    ledger::{Key, Kind, Ledger, Record},
    links,
    past::Past,
    recover,
    replace::{self, Fault, Target},
    target::{self, Found, Way},
};
use protocol::{
    change::{self, Changed},
    id::{Name, TurnKey, WallMs},
    label::{Confidentiality, Integrity, Label, Labeled},
    recall::{Entry, EntryRef, Query, Recall, Recalled},
};
use std::{
    fs::{self, DirBuilder},
    io,
    os::{
        fd::{AsFd, BorrowedFd},
        unix::fs::DirBuilderExt as _,
    },
    path::Path,
};

/// Longest text of a shown entry, as the protocol has it.
const SHOWN_MAX: usize = 16 * 1024;

/// How often a write is planned anew when somebody else writes at the same time.
pub(crate) const TRIES: u8 = 3;

/// The memex, and what was written to it.
#[derive(Debug)]
pub struct Memory {
    pub(crate) folder: Folder,
    pub(crate) ledger: Ledger,
    pub(crate) steps: Steps,
    pub(crate) past: Past,
    pub(crate) focus: Focus,
    finder: Finder,
    /// A turn that wrote and of which the store does not know yet.
    owed: Option<TurnKey>,
    /// The time of the last message, for snapshots of what others changed.
    now: WallMs,
    notes: Vec<String>,
}

/// What a memory is told when it opens, and cannot find out itself.
#[derive(Debug, Clone, Copy)]
pub struct Fresh {
    /// The time.
    pub now: WallMs,
    /// Random bytes.
    pub seed: [u8; 16],
}

/// On whose behalf a file is written.
#[derive(Debug, Clone)]
pub(crate) struct Who {
    pub(crate) key: Key,
    pub(crate) conversation: Option<Name>,
    pub(crate) at: WallMs,
    pub(crate) kind: Kind,
}

/// Bytes of a file with their hash, so that it is counted once.
pub(crate) type Old<'a> = (&'a [u8], Hash);

/// A write that was worked out but not begun.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) file: String,
    old: Option<Vec<u8>>,
    before: Option<Hash>,
    /// The new bytes; `None` removes the file.
    new: Option<Vec<u8>>,
    /// The same with their scan and hash, where a scan was made.
    scanned: Option<File>,
    pub(crate) hunks: Vec<Hunk>,
    pub(crate) undoes: Option<u64>,
    pub(crate) conflict: bool,
    pub(crate) what: String,
    pub(crate) reply: Option<Changed>,
}

impl Plan {
    /// Plans to turn `old`, given with its hash, into `new` by edits.
    pub(crate) fn new(file: &str, old: Option<Old<'_>>, new: Option<Vec<u8>>, edits: &[Edit]) -> Self {
        let after = new.as_deref().unwrap_or_default();
        let bytes = old.map(|(bytes, _)| bytes);
        Self {
            file: file.to_owned(),
            old: bytes.map(<[u8]>::to_vec),
            before: old.map(|(_, hash)| hash),
            hunks: describe(bytes.unwrap_or_default(), after, edits),
            new,
            scanned: None,
            undoes: None,
            conflict: false,
            what: String::new(),
            reply: None,
        }
    }
}

impl Plan {
    /// Keeps the scan of the new bytes, so that it is made once.
    pub(crate) fn keep(&mut self, scanned: File) {
        self.scanned = Some(scanned);
    }
}

impl Memory {
    /// Opens the memex: makes the state folder if it is missing, settles what a crash left open, reads all Org files.
    /// `progress` is told how many files of how many are read.
    ///
    /// # Errors
    /// [`Error`] when the state folder or the log cannot be used. A memex that cannot be read is no error: it opens
    /// degraded and is tried again at every question.
    pub fn open(
        memex: &Path,
        state: &Path,
        fresh: Fresh,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Self, Error> {
        Self::open_with(memex, state, fresh, progress, Steps::default())
    }

    pub(crate) fn open_with(
        memex: &Path,
        state: &Path,
        fresh: Fresh,
        progress: &mut dyn FnMut(u64, u64),
        steps: Steps,
    ) -> Result<Self, Error> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(state)
            .map_err(|source| Error::State { path: state.to_owned(), source })?;
        let path = state.join("txn.log");
        let log = |source| Error::Log { path: path.clone(), source };
        let (ledger, notes) = Ledger::open(&path, steps.clone()).map_err(log)?;
        // The folder itself may be a link; what it holds may not.
        let root = fs::canonicalize(memex).unwrap_or_else(|_| memex.to_owned());
        let (past, told) = Past::open(state, fresh.seed);
        let mut memory = Self {
            folder: Folder::new(&root),
            ledger,
            steps,
            past,
            focus: Focus::open(state),
            finder: Finder::open(state),
            owed: None,
            now: fresh.now,
            notes,
        };
        memory.notes.extend(told);
        let found = recover::recover(&memory.folder, &mut memory.ledger).map_err(log)?;
        memory.notes.extend(found);
        memory.ledger.compact().map_err(log)?;
        memory.folder.refresh(progress);
        if memory.folder.trouble.is_none() {
            let mut dirty = memory.folder.take_dirty();
            dirty.extend(memory.past.missing(&memory.folder));
            dirty.extend(memory.finder.missing(&memory.folder));
            let turn = memory.writer_of(&memory.past.news(&memory.folder, &dirty));
            memory.past.keep_up(&memory.folder, &dirty, turn, fresh.now, progress);
            memory.finder.note(&dirty);
            memory.finder.keep_up(&memory.folder, progress);
            // After much work, so that a kill does not mean all of it again.
            memory.past.remember();
            memory.finder.rest();
        }
        Ok(memory)
    }

    /// The turn that wrote all of these files last, if one did and nobody has changed them since: then a kill came
    /// between its write and the store.
    fn writer_of(&self, names: &[String]) -> Option<TurnKey> {
        let turn_of = |name: &String| {
            let intent = self.ledger.last_of_file(name)?;
            let now = self.folder.files.get(name).map(File::hash);
            (now == intent.after).then_some(intent.key.turn)
        };
        let mut turns = names.iter().map(turn_of);
        let first = turns.next()??;
        turns.all(|turn| turn == Some(first)).then_some(first)
    }

    /// Says that the store has to hear of what a turn wrote, but not before the turn has its answer.
    pub(crate) const fn owe(&mut self, turn: TurnKey) {
        self.owed = Some(turn);
    }

    /// Says whether the store has to hear of something.
    #[must_use]
    pub const fn is_behind(&self) -> bool {
        self.owed.is_some()
    }

    /// Lets the store hear of it.
    pub fn settle(&mut self) {
        if let Some(turn) = self.owed.take() {
            self.keep_up(Some(turn));
        }
    }

    /// Says what time it is, before each message.
    pub const fn tell_time(&mut self, now: WallMs) {
        self.now = now;
    }

    pub(crate) const fn now(&self) -> WallMs {
        self.now
    }

    /// Takes what a turn wrote into the store.
    pub(crate) fn keep_up(&mut self, turn: Option<TurnKey>) {
        if self.folder.trouble.is_none() && !self.steps.stopped() {
            let dirty = self.folder.take_dirty();
            self.past.keep_up(&self.folder, &dirty, turn, self.now, &mut |_, _| {});
            self.finder.note(&dirty);
        }
    }

    /// Does what can wait, when nobody does.
    pub fn rest(&mut self) {
        self.settle();
        self.past.rest();
        self.finder.keep_up(&self.folder, &mut |_, _| {});
        self.finder.rest();
    }

    /// Puts away what saves the next start work, in the last moment of the process.
    pub fn close(&mut self) {
        self.settle();
        self.past.remember();
    }

    /// Answers a question.
    pub fn recall(&mut self, recall: &Recall) -> Recalled {
        self.refresh();
        if let Some(trouble) = &self.folder.trouble {
            return Recalled::Unreadable(trouble.clone());
        }
        match &recall.query {
            Query::Agenda { from, days } => agenda::agenda(&self.folder, *from, *days, recall.today),
            Query::Search { words, limit } => {
                self.finder.keep_up(&self.folder, &mut |_, _| {});
                self.finder.search(&self.folder, words, *limit, recall.today)
            }
            Query::Show { target: change::Target::Words(words) } => self.show(words, &recall.conversation),
            Query::Tasks { limit } => agenda::tasks(&self.folder, *limit),
            Query::Links { target: change::Target::Words(words), limit } => {
                match self.resolve(words, &recall.conversation) {
                    Found::One(at, _) => links::backlinks(&self.folder, at, *limit),
                    Found::Several(several) => Recalled::Ambiguous(Found::refs(&several)),
                    Found::None => Recalled::NotFound { near: target::near(&self.folder, words, &|_| true) },
                }
            }
            Query::Focus => {
                let held = self.focus.of(&recall.conversation);
                Recalled::Focus(held.iter().filter_map(|held| self.again(held)).map(At::entry_ref).collect())
            }
            Query::Report => Recalled::Report(Labeled {
                text: self.report(),
                label: Label { confidentiality: Confidentiality::Normal, integrity: Integrity::Memex },
            }),
        }
    }

    /// Finds the entry that is meant. Of several, the one that stands in focus is.
    pub(crate) fn resolve(&self, words: &str, conversation: &Name) -> Found<'_> {
        match target::resolve(&self.folder, words, &|_| true) {
            Found::Several(several) => {
                let focus = self.focus.of(conversation).iter().rev().filter_map(|held| self.again(held));
                for held in focus {
                    let mut inside = several.iter().filter(|at| at.is_below(held));
                    if let (Some(at), None) = (inside.next(), inside.next()) {
                        return Found::One(*at, Way::Words);
                    }
                }
                Found::Several(several)
            }
            found @ (Found::One(..) | Found::None) => found,
        }
    }

    /// Finds an entry that was noted down: by its ID, else by file and titles.
    fn again(&self, held: &EntryRef) -> Option<At<'_>> {
        let same = |at: &At<'_>| match &held.id {
            Some(id) => at.id().as_ref() == Some(id),
            None => at.file.name == held.file && at.entry_ref().path == held.path,
        };
        self.folder.entries().chain(self.folder.tops()).find(same)
    }

    fn show(&self, words: &str, conversation: &Name) -> Recalled {
        match self.resolve(words, conversation) {
            Found::One(at, _) => {
                let span = at.node().map_or(at.own(), org::Node::subtree);
                let text = span.text(&at.file.bytes);
                let (shown, more) = cut(&text, SHOWN_MAX);
                let mark = if more { "\n… (cut here; the file holds the rest)\n" } else { "" };
                Recalled::Entry(Entry {
                    entry: at.entry_ref(),
                    text: Labeled { text: format!("{shown}{mark}"), label: at.subtree_label() },
                })
            }
            Found::Several(several) => Recalled::Ambiguous(Found::refs(&several)),
            Found::None => Recalled::NotFound { near: target::near(&self.folder, words, &|_| true) },
        }
    }

    /// Says how much there is, such as `1000 entries in 12 files`.
    #[must_use]
    pub fn note(&self) -> String {
        self.folder.note()
    }

    /// Says what is wrong, empty if nothing is.
    #[must_use]
    pub fn degraded(&self) -> String {
        let parts = self.folder.trouble.iter().chain(self.past.trouble()).chain(self.folder.left_out());
        let parts: Vec<&str> = parts.chain(&self.notes).map(String::as_str).collect();
        parts.join("; ")
    }

    /// Returns what becomes readable when somebody else changes the memex; `None` where the kernel cannot tell.
    #[must_use]
    pub fn watched(&self) -> Option<BorrowedFd<'_>> {
        self.folder.watch().map(AsFd::as_fd)
    }

    /// Takes in what others changed.
    pub fn notice(&mut self) {
        self.refresh();
        self.finder.keep_up(&self.folder, &mut |_, _| {});
    }

    /// Looks at every file, whatever the kernel said.
    pub fn rescan(&mut self) {
        self.folder.distrust();
        self.refresh();
    }

    /// Sees what others changed, as a snapshot of its own.
    pub(crate) fn refresh(&mut self) {
        self.settle();
        self.folder.refresh(&mut |_, _| {});
        self.keep_up(None);
    }

    /// Writes a plan: intent to the log, file, outcome to the log. Returns the number of the write.
    pub(crate) fn carry_out(&mut self, who: &Who, plan: Plan) -> Result<u64, Fault> {
        let path = self.folder.path(&plan.file);
        if replace::is_locked(&path) {
            return Err(Fault::Locked);
        }
        let number = self.ledger.next_number();
        let after = match &plan.scanned {
            Some(file) => Some(file.hash()),
            None => plan.new.as_deref().map(Hash::of),
        };
        let nothing = plan.before == after;
        let (file, before) = (plan.file.clone(), plan.before);
        self.ledger.append(Record::Intent(crate::ledger::Intent {
            number,
            key: who.key,
            conversation: who.conversation.clone(),
            at: who.at,
            kind: who.kind,
            file: plan.file,
            before,
            after,
            hunks: plan.hunks,
            undoes: plan.undoes,
            conflict: plan.conflict,
            what: plan.what,
            reply: plan.reply,
        }))?;
        self.steps.reach()?;
        let result = if nothing {
            Ok(())
        } else {
            let target = Target { path: &path, number, old: plan.old.as_deref() };
            replace::replace(&target, plan.new.as_deref(), &self.steps)
        };
        if self.steps.stopped() {
            return result.map(|()| number);
        }
        let applied = result.is_ok() || replace::hash_at(&path).ok() == Some(after);
        if let Err(err) = self.ledger.append(Record::Settled { number, applied }) {
            // The next start finds out by the file itself.
            tracing::warn!(err = %err.kind(), "outcome of a write not logged");
        }
        self.folder.reload(&file, plan.scanned);
        if applied { Ok(number) } else { result.map(|()| number) }
    }

    /// Keeps the log bounded; a failure only means that it stays longer.
    pub(crate) fn tidy(&mut self) {
        if let Err(err) = self.ledger.compact()
            && !self.steps.stopped()
        {
            tracing::warn!(err = %err.kind(), "log not compacted");
        }
    }

    /// Reads a file as it is now, `None` if there is none.
    pub(crate) fn read_now(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        replace::bytes_at(&self.folder.path(name))
    }

    pub(crate) fn file(&self, name: &str) -> Option<&File> {
        self.folder.files.get(name)
    }
}
