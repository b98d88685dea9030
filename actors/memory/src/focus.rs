//! What each conversation has in focus: a stack of entries, kept over restarts. It says what is looked at first, never
//! what may be seen.

use crate::{
    ledger::Key,
    replace::{self, Durable},
};
use protocol::{
    change::Changed,
    id::{Name, TurnKey},
    recall::EntryRef,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// Deepest stack (FEATURES M6); the outermost entry goes when another one comes.
const DEPTH_MAX: usize = 10;

/// Most conversations with a focus; the one that comes first by name goes.
const CONVERSATIONS_MAX: usize = 1_000;

/// The focus of all conversations.
#[derive(Debug)]
pub(crate) struct Focus {
    path: PathBuf,
    stacks: BTreeMap<Name, Stack>,
}

#[derive(Debug, Default, Clone, Serialize, Deserialize)]
struct Stack {
    entries: Vec<EntryRef>,
    last: Option<Last>,
}

/// The last change of a stack, so that a repetition does nothing and a rollback takes it back.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Last {
    key: Key,
    before: Vec<EntryRef>,
    reply: Changed,
}

impl Focus {
    /// Reads what was kept; what cannot be read is no focus at all.
    pub(crate) fn open(state: &Path) -> Self {
        let path = state.join("focus.json");
        replace::remove_quietly(&path.with_extension("new"));
        let stacks = fs::read(&path).ok().and_then(|text| serde_json::from_slice(&text).ok());
        Self { path, stacks: stacks.unwrap_or_default() }
    }

    /// Returns the entries of a conversation, outermost first.
    pub(crate) fn of(&self, conversation: &Name) -> &[EntryRef] {
        self.stacks.get(conversation).map_or(&[], |stack| &stack.entries)
    }

    /// Returns the answer that this very change got before.
    pub(crate) fn reply(&self, conversation: &Name, key: Key) -> Option<Changed> {
        let last = self.stacks.get(conversation)?.last.as_ref()?;
        (last.key == key).then(|| last.reply.clone())
    }

    /// Takes an entry into focus.
    pub(crate) fn push(&mut self, conversation: &Name, key: Key, entry: EntryRef) -> io::Result<Changed> {
        self.change(conversation, key, |entries| {
            entries.retain(|known| *known != entry);
            entries.push(entry.clone());
            if entries.len() > DEPTH_MAX {
                entries.remove(0);
            }
            Changed::Written { entry, what: "focus".to_owned() }
        })
    }

    /// Leaves what came last.
    pub(crate) fn pop(&mut self, conversation: &Name, key: Key) -> io::Result<Changed> {
        self.change(conversation, key, |entries| match entries.pop() {
            Some(entry) => Changed::Written { entry, what: "unfocus".to_owned() },
            None => Changed::Refused("Nothing is in focus.".to_owned()),
        })
    }

    /// Takes back what a turn did.
    pub(crate) fn roll_back(&mut self, turn: TurnKey) -> io::Result<()> {
        let mut touched = false;
        for stack in self.stacks.values_mut() {
            if let Some(last) = stack.last.take_if(|last| last.key.turn == turn) {
                stack.entries = last.before;
                touched = true;
            }
        }
        if touched { self.write() } else { Ok(()) }
    }

    fn change(
        &mut self,
        conversation: &Name,
        key: Key,
        change: impl FnOnce(&mut Vec<EntryRef>) -> Changed,
    ) -> io::Result<Changed> {
        let known = self.stacks.get(conversation).cloned().unwrap_or_default();
        let before = known.entries.clone();
        let mut entries = known.entries.clone();
        let reply = change(&mut entries);
        let stack = Stack { entries, last: Some(Last { key, before, reply: reply.clone() }) };
        self.stacks.insert(conversation.clone(), stack);
        while self.stacks.len() > CONVERSATIONS_MAX {
            let first = self.stacks.keys().find(|name| *name != conversation).cloned();
            let Some(first) = first else { break };
            self.stacks.remove(&first);
        }
        if let Err(err) = self.write() {
            self.stacks.insert(conversation.clone(), known);
            return Err(err);
        }
        Ok(reply)
    }

    fn write(&self) -> io::Result<()> {
        replace::put_away(&self.path, &[&serde_json::to_vec(&self.stacks)?], Durable::Yes)
    }
}
