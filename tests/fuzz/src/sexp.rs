//! Frames of Emacs and scripts. Promises: any bytes are read or refused; whatever can be read as an expression reads
//! back from its own print.

use gateway::Sexp;

/// Length digits and the words of the ancestor's messages.
pub(crate) const WORDS: &[&str] = &[
    "000002()",
    "00001c",
    "ffffff",
    "(:type :event ",
    ":payload (:sensor :user-input :text \"hi\")",
    ":meta (:session \"s\" :id 7)",
    "(:TYPE :REQUEST",
    "nil",
    "\"\\\\\\\"\"",
    "((((((((",
    "))))))))",
    "#.(quit)",
    "; note\n",
    "99999999999999999999",
    "-0",
    "\u{1f600}",
    " ",
];

/// Takes bytes for what a client sent, and for one expression.
///
/// # Panics
/// When a promise of the dialect is broken.
pub fn sexp(bytes: &[u8]) {
    drop(gateway::read_frames(bytes));
    if let Ok(text) = std::str::from_utf8(bytes) {
        // Once more with the right length, or hardly any input would come past it.
        let framed = format!("{:06x}{text}", text.chars().count());
        drop(gateway::read_frames(framed.as_bytes()));
        if let Ok(value) = Sexp::read(text) {
            let printed = value.to_string();
            let again = Sexp::read(&printed);
            assert!(again.is_ok_and(|again| again == value), "{printed:?} does not read back");
        }
    }
}
