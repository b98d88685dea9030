//! Numbers for words, while a segment is built. A hash table of our own, because the order of the standard one changes
//! from run to run and must never reach anything that is stored; here the order is that of first sight.

use crate::codec::count;

/// Words with their numbers.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    text: String,
    /// End of each word in the text.
    ends: Vec<u32>,
    /// Hash and number plus one of a word, zeros where nothing is; a power of two long.
    table: Vec<(u32, u32)>,
}

impl Interner {
    pub(crate) const fn len(&self) -> usize {
        self.ends.len()
    }

    fn word(&self, id: u32) -> &str {
        let id = id as usize;
        let begin = id.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(id).copied().unwrap_or(begin);
        self.text.get(begin as usize..end as usize).unwrap_or_default()
    }

    /// Returns the number of a word; a new word gets the next one.
    pub(crate) fn id(&mut self, word: &str) -> u32 {
        if self.ends.len() * 2 >= self.table.len() {
            self.grow();
        }
        let hash = hash(word);
        let slot = self.slot(hash, word);
        match self.table.get(slot).copied() {
            Some((_, known)) if known > 0 => known - 1,
            _ => {
                let id = count(self.ends.len());
                self.text.push_str(word);
                self.ends.push(count(self.text.len()));
                if let Some(slot) = self.table.get_mut(slot) {
                    *slot = (hash, id + 1);
                }
                id
            }
        }
    }

    /// The place of a word in the table, or the free one where it belongs.
    fn slot(&self, hash: u32, word: &str) -> usize {
        let mask = self.table.len().saturating_sub(1);
        let mut slot = hash as usize & mask;
        loop {
            match self.table.get(slot) {
                Some((other, known)) if *known > 0 && (*other != hash || self.word(known - 1) != word) => {
                    slot = (slot + 1) & mask;
                }
                _ => return slot,
            }
        }
    }

    fn grow(&mut self) {
        let len = (self.table.len() * 2).max(256);
        self.table = vec![(0, 0); len];
        for id in 0..count(self.ends.len()) {
            let hash = hash(self.word(id));
            let slot = self.slot(hash, self.word(id));
            if let Some(slot) = self.table.get_mut(slot) {
                *slot = (hash, id + 1);
            }
        }
    }

    /// All words in their order, with numbers.
    pub(crate) fn sorted(&self) -> Vec<(&str, u32)> {
        let mut all: Vec<(&str, u32)> = (0..count(self.ends.len())).map(|id| (self.word(id), id)).collect();
        all.sort_unstable();
        all
    }
}

/// FNV-1a, then mixed, because only the low bits are used. Nobody gains by collisions: the words are the owner's.
fn hash(word: &str) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in word.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    u32::try_from((hash ^ (hash >> 32)) & 0xffff_ffff).unwrap_or(0)
}
