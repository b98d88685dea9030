//! House rules as ordinary tests: each rule of the style guide that is cheap to check, with a message that explains
//! it. It reads files and never changes one; what needs a compiler is clippy's business (see `clippy.toml`).

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test: a panic is its verdict"
)]

mod tidy {
    mod book;
    mod crates;
    mod lex;
    mod shape;
    mod tree;
    mod wire;
    mod words;

    /// Fails with the rule and everything that breaks it.
    fn verdict(rule: &str, broken: &[String]) {
        if !broken.is_empty() {
            panic!("\n{rule}\n  {}\n", broken.join("\n  "));
        }
    }
}
