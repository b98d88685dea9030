//! The least that one has to know of an Org file to count what is in it. Shares no code with the product.

use crate::Check;
use std::{collections::BTreeMap, path::Path};

/// A headline with its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The headline without stars.
    pub title: String,
    /// What follows.
    pub body: String,
}

/// Reads all entries of all Org files of a folder.
///
/// # Errors
/// When a file cannot be read, is no UTF-8, or has a drawer that is not closed: a torn write.
pub fn entries(folder: &Path) -> Check<Vec<Entry>> {
    let mut found = Vec::new();
    for (name, bytes) in files(folder)? {
        if !name.ends_with(".org") {
            continue;
        }
        let text = String::from_utf8(bytes).map_err(|_| format!("{name} is no UTF-8"))?;
        crate::ensure!(text.is_empty() || text.ends_with('\n'), "{name} does not end in a line end");
        let mut open = false;
        let mut entry: Option<Entry> = None;
        for line in text.lines() {
            if let Some(title) = heading(line) {
                crate::ensure!(!open, "{name}: a drawer is open at `{line}`");
                found.extend(entry.take());
                entry = Some(Entry { title: title.into(), body: String::new() });
            } else {
                match line.trim() {
                    ":PROPERTIES:" | ":LOGBOOK:" => open = true,
                    ":END:" => open = false,
                    _ => {}
                }
                if let Some(entry) = &mut entry {
                    entry.body.push_str(line);
                    entry.body.push('\n');
                }
            }
        }
        crate::ensure!(!open, "{name}: a drawer is open at its end");
        found.extend(entry);
    }
    Ok(found)
}

fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('*');
    (rest.len() < line.len()).then(|| rest.strip_prefix(' ')).flatten()
}

/// Returns every file below a folder, by its path within, with its bytes.
///
/// # Errors
/// When the folder cannot be read.
pub fn files(folder: &Path) -> Check<BTreeMap<String, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut todo = vec![folder.to_path_buf()];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(&dir)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                todo.push(entry.path());
            } else {
                let path = entry.path();
                let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
                found.insert(name, std::fs::read(&path)?);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headline_needs_stars_and_a_blank() {
        assert_eq!(heading("* a"), Some("a"));
        assert_eq!(heading("** a"), Some("a"));
        assert_eq!(heading("*a"), None);
        assert_eq!(heading("a * b"), None);
        assert_eq!(heading(" * a"), None);
    }
}
