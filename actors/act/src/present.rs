//! Results as short plain text for a terminal or a messenger. Pure: the time is an argument. It must never change,
//! leave out or invent what memory said, but by a visible mark.

mod agenda;
mod changed;
mod cut;
mod day;
mod recalled;

pub use changed::changed;
pub use cut::cut;
pub use recalled::recalled;

use protocol::recall::EntryRef;

/// Where the text of an entry's lines begins: behind "  09:00 ".
const INDENT: &str = "        ";

/// Returns the title of an entry, or its file for the text before the first headline.
fn title(entry: &EntryRef) -> &str {
    match entry.path.last().map(String::as_str) {
        None | Some("") => &entry.file,
        Some(title) => title,
    }
}
