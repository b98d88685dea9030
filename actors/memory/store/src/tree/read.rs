//! Reads trees: one key, everything, everything below a prefix. It reads the nodes on the way and no others.

use super::{Hash, Item, Node, Objects, Result, hash_in};

/// Returns the value of a key.
pub(crate) fn get(objects: &impl Objects, root: Hash, key: &[u8]) -> Result<Option<Vec<u8>>> {
    let node = node_for(objects, root, 0, key)?;
    Ok(node.items.into_iter().find(|(there, _)| there == key).map(|(_, value)| value))
}

/// Returns all items in order.
pub(crate) fn all(objects: &impl Objects, root: Hash) -> Result<Vec<Item>> {
    below(objects, root, &[])
}

/// Returns the items whose keys begin with a prefix.
pub(crate) fn below(objects: &impl Objects, root: Hash, prefix: &[u8]) -> Result<Vec<Item>> {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(hash) = open.pop() {
        let node = Node::load(objects, hash)?;
        if node.level == 0 {
            found.extend(node.items.into_iter().filter(|(key, _)| key.starts_with(prefix)));
            continue;
        }
        // A node holds keys behind the last one of the node before it.
        let mut before: &[u8] = &[];
        let mut hashes = Vec::new();
        for (last, value) in &node.items {
            let behind = before > prefix && !before.starts_with(prefix);
            if last.as_slice() >= prefix && !behind {
                hashes.push(hash_in(value)?);
            }
            before = last;
        }
        open.extend(hashes.into_iter().rev());
    }
    Ok(found)
}

/// Returns the node of a level in which a key is or would be.
pub(super) fn node_for(objects: &impl Objects, root: Hash, height: u8, key: &[u8]) -> Result<Node> {
    let mut node = Node::load(objects, root)?;
    while node.level > height {
        let items = node.items.as_slice();
        let at = items.partition_point(|(last, _)| last.as_slice() < key);
        let Some((_, below)) = items.get(at).or(items.last()) else { break };
        node = Node::load(objects, hash_in(below)?)?;
    }
    Ok(node)
}

/// Returns the node of a level behind the one that ends with a key.
pub(super) fn node_behind(
    objects: &impl Objects,
    root: Hash,
    height: u8,
    key: &[u8],
) -> Result<Option<Node>> {
    let mut node = Node::load(objects, root)?;
    if node.level <= height {
        return Ok(None);
    }
    while node.level > height {
        let at = node.items.partition_point(|(last, _)| last.as_slice() <= key);
        let Some((_, below)) = node.items.get(at) else { return Ok(None) };
        node = Node::load(objects, hash_in(below)?)?;
    }
    Ok(Some(node))
}

/// Says whether a tree holds nothing.
pub(crate) fn all_empty(objects: &impl Objects, root: Hash) -> Result<bool> {
    Ok(Node::load(objects, root)?.items.is_empty())
}
