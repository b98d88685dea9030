//! The configuration file. Promises: any text is read or refused; a refusal names at least one fault, each in one line
//! that points into the file; what is read differs from itself in nothing.

use supervisor::settings::{Reload, Settings};

/// What the example file is made of.
pub(crate) const WORDS: &[&str] = &[
    "[health]\n",
    "[roles.act]\n",
    "[roles.\"gateway:local\"]\n",
    "[[faults.inject]]\n",
    "ping_ms = ",
    "= ",
    "memex = \"~\"\n",
    "ladder_ms = [0, 1]\n",
    "true",
    "\"\"\"",
    "'''",
    "{ a = 1 }",
    "1e9",
    "-0",
    "0x7f",
    "1979-05-27",
    "\\u0000",
    "[a.b.c]\n",
    "[[",
    "# \n",
    "\u{feff}",
];

/// Takes bytes for a configuration file.
///
/// # Panics
/// When a promise of the settings is broken.
pub fn config(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match Settings::parse(&text, "config.toml") {
        Ok(settings) => {
            let reload = Reload::compare(&settings, &settings);
            assert!(reload.changes.is_empty(), "{settings:?} differs from itself");
        }
        Err(faults) => {
            assert!(!faults.is_empty(), "refused without a fault");
            let lines = text.split('\n').count();
            for fault in faults {
                let shown = fault.to_string();
                assert!(!shown.contains('\n'), "more than one line: {shown:?}");
                assert!((1..=lines).contains(&fault.line), "line {} of {lines}: {shown}", fault.line);
            }
        }
    }
}
