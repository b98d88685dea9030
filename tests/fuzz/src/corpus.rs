//! The committed inputs: each was made by hand, generated once, or broke something once. Reads files of its own folder.

use crate::Target;
use std::{fs, path::PathBuf};

/// Returns every input of a target's corpus with its name, in the order of the names.
#[must_use]
pub fn corpus(target: &Target) -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut inputs: Vec<(String, Vec<u8>)> = files
        .filter_map(|file| {
            let bytes = fs::read(file.path()).ok()?;
            Some((file.file_name().to_string_lossy().into_owned(), bytes))
        })
        .collect();
    inputs.sort();
    inputs
}

/// Returns the inputs without their names.
#[must_use]
pub fn seeds(target: &Target) -> Vec<Vec<u8>> {
    corpus(target).into_iter().map(|(_, bytes)| bytes).collect()
}
