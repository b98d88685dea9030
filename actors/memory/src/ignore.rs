//! Files that the owner wants left out: `.passepartoutignore` at the top of the memex, lines as in a `.gitignore`.
//!
//! Blank lines and lines that begin with `#` say nothing; `!` takes a name in again; a slash in front or in the middle
//! ties a pattern to the top, otherwise it fits at any depth; a slash at the end fits folders only (gitignore(5)). The
//! last line that fits decides, and what lies in a folder that is left out cannot be taken in again.

use std::{fs, path::Path};

/// Its name.
pub(crate) const FILE: &str = ".passepartoutignore";

/// Longest file that is read; a longer one is a mistake.
const LENGTH_MAX: u64 = 64 * 1024;

/// Whether a name is that of a folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Is {
    Folder,
    File,
}

#[derive(Debug, PartialEq, Eq)]
struct Line {
    pattern: String,
    takes_in: bool,
    folders_only: bool,
}

/// What is left out.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Ignore(Vec<Line>);

impl Ignore {
    /// Reads the file of a memex. What cannot be read leaves nothing out and is told in a sentence.
    pub(crate) fn read(root: &Path) -> (Self, Option<String>) {
        let path = root.join(FILE);
        let Ok(meta) = fs::symlink_metadata(&path) else {
            return (Self::default(), None);
        };
        let read =
            if meta.is_file() && meta.len() <= LENGTH_MAX { fs::read_to_string(&path).ok() } else { None };
        match read {
            Some(text) => (Self::parse(&text), None),
            None => (
                Self::default(),
                Some(format!("{FILE} cannot be read as text of at most 64 KiB: nothing is left out by it")),
            ),
        }
    }

    fn parse(text: &str) -> Self {
        let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#'));
        Self(lines.filter_map(line).collect())
    }

    /// Says whether a name is left out by itself; the folders above were asked before.
    pub(crate) fn leaves_out(&self, name: &str, is: Is) -> bool {
        let fits = |line: &&Line| {
            (is == Is::Folder || !line.folders_only) && fast_glob::glob_match(&line.pattern, name)
        };
        self.0.iter().rev().find(fits).is_some_and(|line| !line.takes_in)
    }

    /// Says whether a file is left out by its own name or by a folder above it.
    pub(crate) fn leaves_out_file(&self, name: &str) -> bool {
        let folders = name.match_indices('/').filter_map(|(at, _)| name.get(..at));
        let mut folders = folders.map(|folder| self.leaves_out(folder, Is::Folder));
        folders.any(|out| out) || self.leaves_out(name, Is::File)
    }
}

fn line(line: &str) -> Option<Line> {
    let (takes_in, rest) = match line.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let (folders_only, rest) = match rest.strip_suffix('/') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let bare = rest.trim_start_matches('/');
    if bare.is_empty() {
        return None;
    }
    // Braces are alternatives to the matcher and letters to git.
    let bare = bare.replace('{', "\\{").replace('}', "\\}");
    let pattern = if rest.contains('/') { bare } else { format!("**/{bare}") };
    Some(Line { pattern, takes_in, folders_only })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_mean_what_they_mean_to_git() {
        let ignore =
            Ignore::parse("# old things\n\narchive/\n*.tmp.org\n/top.org\nx/*.org\n!x/keep.org\n{a}.org\n");
        let file = |name: &str| ignore.leaves_out_file(name);
        assert!(file("archive/a.org") && file("deep/archive/b/a.org") && !file("archive.org"));
        assert!(file("a.tmp.org") && file("x/y/a.tmp.org") && !file("a.org"));
        assert!(file("top.org") && !file("x/y/top.org"));
        assert!(file("x/a.org") && !file("x/keep.org") && !file("x/y/a.org"));
        assert!(file("{a}.org") && file("y/{a}.org"));
        assert!(ignore.leaves_out("archive", Is::Folder) && !ignore.leaves_out("archive", Is::File));
    }

    #[test]
    fn pattern_of_many_stars_ends() {
        let ignore = Ignore::parse(&"*a".repeat(2_000));
        assert!(!ignore.leaves_out_file(&format!("{}b", "a".repeat(4_000))));
        let ignore = Ignore::parse(&format!("{}c", "**/a/".repeat(60)));
        assert!(!ignore.leaves_out_file(&format!("{}b", "a/".repeat(300))));
    }
}
