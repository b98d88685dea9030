//! The files of the repository, read once. Build output, data and version control are left out.

use super::lex::Parts;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

/// Folders that hold nothing a rule is about: build output, and data that others wrote.
const LEFT_OUT: [&str; 5] = ["target", ".git", "corpus", "artifacts", "coverage"];

/// Every text file, in order of its path.
pub(crate) static TREE: LazyLock<Vec<File>> = LazyLock::new(|| {
    let mut files = Vec::new();
    walk(&root(), &mut files);
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
});

/// A text file.
#[derive(Debug)]
pub(crate) struct File {
    /// Relative to the root, with slashes.
    pub(crate) path: String,
    /// Its text.
    pub(crate) text: String,
}

/// A Rust file, taken apart.
#[derive(Debug)]
pub(crate) struct Source {
    /// Relative to the root, with slashes.
    pub(crate) path: &'static str,
    /// Its text.
    pub(crate) text: &'static str,
    /// The same in parts.
    pub(crate) parts: Parts,
    /// For each line whether it belongs to tests.
    tests: Vec<bool>,
}

/// Every Rust file.
pub(crate) static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
    let rust = TREE.iter().filter(|file| file.path.ends_with(".rs"));
    let parts: Vec<(&File, Parts)> = rust.map(|file| (file, Parts::of(&file.text))).collect();
    let for_tests: Vec<String> =
        parts.iter().flat_map(|(file, parts)| modules_for_tests(&file.path, &parts.code)).collect();
    parts
        .into_iter()
        .map(|(file, parts)| {
            let is_test_file = file.path.starts_with("tests/")
                || file.path.contains("/tests/")
                || file.path.contains("/benches/")
                || for_tests.iter().any(|module| is_of_module(&file.path, module));
            Source { path: &file.path, text: &file.text, tests: test_lines(is_test_file, &parts.code), parts }
        })
        .collect()
});

impl Source {
    /// The lines of code, with their number and whether they belong to tests.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str, bool)> {
        let lines = self.parts.code.lines().zip(&self.tests);
        lines.enumerate().map(|(at, (line, is_test))| (at + 1, line, *is_test))
    }

    /// Names a line for people.
    pub(crate) fn place(&self, line: usize) -> String {
        let text = self.text.lines().nth(line - 1).unwrap_or("");
        let shown: String = text.trim().chars().take(80).collect();
        format!("{}:{line}: {shown}", self.path)
    }
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Reads a file of the repository, if there is one.
pub(crate) fn read(path: &str) -> Option<String> {
    fs::read_to_string(root().join(path)).ok()
}

fn walk(folder: &Path, files: &mut Vec<File>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if LEFT_OUT.contains(&name.as_str()) || path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            walk(&path, files);
        } else if let Ok(text) = fs::read_to_string(&path) {
            let relative = path.strip_prefix(root()).unwrap();
            let path = relative.to_string_lossy().into_owned();
            files.push(File { path, text });
        }
    }
}

/// Modules that a file declares for tests only, as paths without `.rs`.
fn modules_for_tests(path: &str, code: &str) -> Vec<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let home = match name {
        "lib.rs" | "main.rs" => folder.to_owned(),
        name => format!("{folder}/{}", name.trim_end_matches(".rs")),
    };
    let lines = code.lines().zip(code.lines().skip(1));
    let declared = lines
        .filter(|(above, _)| above.starts_with("#[cfg(test)]"))
        .filter_map(|(_, line)| line.trim_end().strip_suffix(';')?.split_once("mod "));
    declared.map(|(_, module)| format!("{home}/{module}")).collect()
}

fn is_of_module(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

/// A line belongs to tests when its file does, or when it stands in a module for tests only.
fn test_lines(is_test_file: bool, code: &str) -> Vec<bool> {
    let mut in_tests = false;
    let mut is_announced = false;
    let mut lines = Vec::new();
    for line in code.lines() {
        in_tests |= is_announced && line.contains("mod ") && line.ends_with('{');
        is_announced = line.starts_with("#[cfg(test)]") || (is_announced && line.starts_with('#'));
        lines.push(is_test_file || in_tests);
        in_tests &= line != "}";
    }
    lines
}
