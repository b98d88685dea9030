//! Objects that were needed last, in memory. It holds only bytes whose hash was checked, and never more than its room.

use crate::hash::Hash;
use std::collections::BTreeMap;

/// Most bytes of one generation; there are two.
const ROOM: usize = 1 << 20;

/// Two generations: what is not asked for while the young one fills is forgotten.
#[derive(Default, Debug)]
pub(crate) struct Cache {
    young: BTreeMap<Hash, Vec<u8>>,
    old: BTreeMap<Hash, Vec<u8>>,
    weight: usize,
}

impl Cache {
    pub(crate) fn get(&mut self, hash: Hash) -> Option<Vec<u8>> {
        if let Some(known) = self.young.get(&hash) {
            return Some(known.clone());
        }
        let known = self.old.remove(&hash)?;
        self.put(hash, &known);
        Some(known)
    }

    pub(crate) fn put(&mut self, hash: Hash, bytes: &[u8]) {
        if self.weight > ROOM {
            self.old = std::mem::take(&mut self.young);
            self.weight = 0;
        }
        self.weight += bytes.len() + 100;
        self.young.insert(hash, bytes.to_vec());
    }
}
