//! What a write changed, kept so that it can be found and taken back later, also when others have edited since.
//!
//! Pure. Taking back never touches a byte that the write did not make: a hunk that cannot be found is a conflict.

use crate::hash::{from_hex, to_hex};
use org::Splice;
use serde::{Deserialize, Serialize};

/// Bytes of context kept on each side of a hunk. Enough to hold the headline and drawer of a neighbour.
const CONTEXT: usize = 200;

/// Shortest text that is recognised by itself, wherever it stands: longer than a drawer with a date.
const UNMISTAKABLE: usize = 40;

/// Context bytes that must agree for a shorter text.
const CONTEXT_MIN: usize = 24;

/// Context bytes that must agree before a hunk whose place a neighbour tells.
const BESIDE_MIN: usize = 2;

/// Places looked at when a text occurs very often.
const PLACES_MAX: usize = 10_000;

/// Bytes in JSON: as text when they are text, as hex digits otherwise.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Form", into = "Form")]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

#[derive(Serialize, Deserialize)]
enum Form {
    Text(String),
    Hex(String),
}

impl From<Form> for Bytes {
    fn from(form: Form) -> Self {
        match form {
            Form::Text(text) => Self(text.into_bytes()),
            Form::Hex(hex) => Self(from_hex(&hex).unwrap_or_default()),
        }
    }
}

impl From<Bytes> for Form {
    fn from(bytes: Bytes) -> Self {
        match String::from_utf8(bytes.0) {
            Ok(text) => Self::Text(text),
            Err(err) => Self::Hex(to_hex(err.as_bytes())),
        }
    }
}

/// One replaced piece.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Hunk {
    /// Where it begins in the file as written.
    pub(crate) at: usize,
    /// What stood there.
    pub(crate) removed: Bytes,
    /// What was put there.
    pub(crate) inserted: Bytes,
    /// What stands before it in the file as written.
    pub(crate) before: Bytes,
    /// What stands behind it.
    pub(crate) after: Bytes,
    /// A line end or title line that the piece behind it needed. It goes with the last piece, not with its own.
    pub(crate) scaffold: bool,
}

/// A splice and whether it is scaffold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Edit {
    pub(crate) splice: Splice,
    pub(crate) scaffold: bool,
}

impl Edit {
    pub(crate) const fn of(splice: Splice) -> Self {
        Self { splice, scaffold: false }
    }
}

/// Describes edits of `old` that gave `new`.
pub(crate) fn describe(old: &[u8], new: &[u8], edits: &[Edit]) -> Vec<Hunk> {
    let mut hunks = Vec::with_capacity(edits.len());
    let (mut grown, mut shrunk) = (0, 0);
    for Edit { splice, scaffold } in edits {
        let at = splice.at + grown - shrunk;
        let end = at + splice.insert.len();
        let removed = old.get(splice.at..splice.at + splice.remove);
        hunks.push(Hunk {
            at,
            removed: Bytes(removed.unwrap_or_default().to_vec()),
            inserted: Bytes(splice.insert.clone()),
            before: Bytes(tail(new.get(..at).unwrap_or_default(), CONTEXT).to_vec()),
            after: Bytes(head(new.get(end..).unwrap_or_default(), CONTEXT).to_vec()),
            scaffold: *scaffold,
        });
        grown += splice.insert.len();
        shrunk += splice.remove;
    }
    hunks
}

/// Returns the edits that take hunks back from the very bytes that they gave.
pub(crate) fn reverse(hunks: &[Hunk]) -> Vec<Edit> {
    let edit = |hunk: &Hunk| Edit {
        splice: Splice { at: hunk.at, remove: hunk.inserted.0.len(), insert: hunk.removed.0.clone() },
        scaffold: hunk.scaffold,
    };
    hunks.iter().map(edit).collect()
}

/// Returns the edits that take hunks back from bytes that others have changed; `None` if a piece is not found.
pub(crate) fn find_back(hunks: &[Hunk], current: &[u8]) -> Option<Vec<Edit>> {
    let mut edits: Vec<Edit> = Vec::new();
    let places = places(hunks, current);
    for (index, (hunk, place)) in hunks.iter().zip(places).enumerate() {
        if hunk.scaffold {
            continue;
        }
        let at = place?;
        let scaffold = index.checked_sub(1).and_then(|above| hunks.get(above)).filter(|above| above.scaffold);
        if hunk.inserted.0.is_empty() {
            edits.extend(put_back(hunk, scaffold.is_some(), current, at));
        } else {
            if let Some(above) = scaffold.and_then(|s| loose_scaffold(s, hunk, current, at)) {
                edits.push(above);
            }
            edits.push(Edit::of(take_out(hunk, current, at)));
        }
    }
    edits.sort_by_key(|edit| edit.splice.at);
    let crossing = edits.windows(2).any(|pair| match pair {
        [one, two] => one.splice.at + one.splice.remove > two.splice.at,
        _ => false,
    });
    (!crossing).then_some(edits)
}

/// Finds each hunk by itself; one that cannot be told from others stands where its neighbour says.
fn places(hunks: &[Hunk], current: &[u8]) -> Vec<Option<usize>> {
    let own: Vec<Option<usize>> = hunks
        .iter()
        .map(|hunk| {
            if hunk.scaffold {
                None
            } else if hunk.inserted.0.is_empty() {
                place_for(hunk, current)
            } else {
                locate(hunk, current)
            }
        })
        .collect();
    let beside = |index: usize, hunk: &Hunk| {
        let found = hunks.iter().zip(&own).enumerate();
        let found = found.filter_map(|(other, (h, place))| Some((other, h.at, (*place)?)));
        let (_, then, now) = found.min_by_key(|(other, _, _)| other.abs_diff(index))?;
        let at = (hunk.at + now).checked_sub(then)?;
        let (before, behind) = current.split_at_checked(at)?;
        let close = hunk.before.0.len().min(BESIDE_MIN);
        let fits = common_tail(before, &hunk.before.0) >= close;
        (fits && behind.starts_with(&hunk.inserted.0)).then_some(at)
    };
    let all = hunks.iter().zip(&own).enumerate();
    all.map(|(index, (hunk, place))| place.or_else(|| beside(index, hunk))).collect()
}

/// A scaffold line end directly before the last piece of a file goes with it.
fn loose_scaffold(scaffold: &Hunk, hunk: &Hunk, current: &[u8], at: usize) -> Option<Edit> {
    let is_last = at + hunk.inserted.0.len() == current.len() && hunk.removed.0.is_empty();
    let text = &scaffold.inserted.0;
    let fits = is_last && at > text.len() && current.get(..at)?.ends_with(text);
    fits.then(|| Edit {
        splice: Splice { at: at - text.len(), remove: text.len(), insert: scaffold.removed.0.clone() },
        scaffold: true,
    })
}

/// Replaces what was inserted; lines that others put around it do not run together.
fn take_out(hunk: &Hunk, current: &[u8], at: usize) -> Splice {
    let len = hunk.inserted.0.len();
    let mut insert = hunk.removed.0.clone();
    let before = current.get(..at).unwrap_or_default();
    let behind = current.get(at + len..).unwrap_or_default();
    let glued = !before.is_empty() && !before.ends_with(b"\n") && !behind.is_empty();
    if insert.is_empty() && hunk.inserted.0.ends_with(b"\n") && glued && !behind.starts_with(b"\n") {
        insert.push(b'\n');
    }
    Splice { at, remove: len, insert }
}

/// Puts a removed text back. If it began a line, it begins one again, with a line end of its own if need be.
fn put_back(hunk: &Hunk, scaffolded: bool, current: &[u8], at: usize) -> Vec<Edit> {
    let whole_lines = scaffolded || hunk.before.0.is_empty() || hunk.before.0.ends_with(b"\n");
    // The line before got its end from somebody else meanwhile: behind that, not between the two.
    let ended =
        |at: usize| current.get(..at).is_none_or(|before| before.is_empty() || before.ends_with(b"\n"));
    let next = current.get(at..).and_then(|behind| behind.iter().position(|byte| *byte == b'\n'));
    let at = match next {
        Some(gap @ 0..=1) if whole_lines && !ended(at) && hunk.removed.0.ends_with(b"\n") => {
            let is_end = gap == 0 || current.get(at) == Some(&b'\r');
            if is_end { at + gap + 1 } else { at }
        }
        Some(_) | None => at,
    };
    let before = current.get(..at).unwrap_or_default();
    let mut edits = Vec::new();
    if whole_lines && !before.is_empty() && !before.ends_with(b"\n") {
        let splice = Splice::insert(at, "\n");
        edits.push(Edit { splice, scaffold: true });
    }
    edits.push(Edit::of(Splice::insert(at, hunk.removed.0.clone())));
    edits
}

/// Finds what a hunk inserted: by itself if it is long, else by what stands around it.
pub(crate) fn locate(hunk: &Hunk, current: &[u8]) -> Option<usize> {
    let text = &hunk.inserted.0;
    let places: Vec<usize> = memchr::memmem::find_iter(current, text)
        .take(PLACES_MAX)
        .filter(|at| !is_entry(text) || stands_alone(current, *at, text.len()))
        .collect();
    let score = |at: usize| {
        let before = current.get(..at).unwrap_or_default();
        let behind = current.get(at + text.len()..).unwrap_or_default();
        let front = common_tail(before, &hunk.before.0);
        let back = common_head(behind, &hunk.after.0);
        front + back
    };
    let best = places.iter().map(|at| (score(*at), *at));
    let (score, at) = best.max_by_key(|(score, at)| (*score, std::cmp::Reverse(at.abs_diff(hunk.at))))?;
    // Of equal entries any one may go: the others are the same, byte for byte.
    let long = text.len() >= UNMISTAKABLE && (places.len() == 1 || is_entry(text));
    let all = hunk.before.0.len() + hunk.after.0.len();
    (long || score >= all.min(CONTEXT_MIN)).then_some(at)
}

/// Says whether a text is whole entries, headline first.
fn is_entry(text: &[u8]) -> bool {
    text.starts_with(b"* ") && text.ends_with(b"\n")
}

/// An entry is only ours while nobody wrote below it: what follows must be another headline or the end.
fn stands_alone(current: &[u8], at: usize, len: usize) -> bool {
    let front = at == 0 || current.get(at - 1) == Some(&b'\n');
    let behind = current.get(at + len..).unwrap_or_default();
    front && (behind.is_empty() || behind.starts_with(b"*"))
}

/// Says whether the headline of a text that is an entry stands in a file, whatever became of the rest.
pub(crate) fn headline_stands(hunk: &Hunk, current: &[u8]) -> bool {
    let text = &hunk.inserted.0;
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    is_entry(text) && current.split(|byte| *byte == b'\n').any(|other| other == line)
}

/// Finds the place that a removed text came from.
fn place_for(hunk: &Hunk, current: &[u8]) -> Option<usize> {
    let (before, after) = (&hunk.before.0, &hunk.after.0);
    for size in [CONTEXT, 100, 50, CONTEXT_MIN] {
        let (front, back) = (tail(before, size), head(after, size));
        if front.len() + back.len() < CONTEXT_MIN && size != CONTEXT {
            break;
        }
        if let Some(at) = only(current, &[front, back].concat()) {
            return Some(at + front.len());
        }
        if let Some(at) = only(current, front) {
            return Some(at + front.len());
        }
        if let Some(at) = only(current, back) {
            return Some(at);
        }
    }
    if after.is_empty() {
        return Some(current.len());
    }
    before.is_empty().then_some(0)
}

/// Returns the place of a text that occurs exactly once.
fn only(current: &[u8], text: &[u8]) -> Option<usize> {
    if text.is_empty() {
        return None;
    }
    let mut places = memchr::memmem::find_iter(current, text);
    let first = places.next()?;
    places.next().is_none().then_some(first)
}

/// Says whether nothing of a write is left, so that there is nothing to take back either.
pub(crate) fn is_gone(hunks: &[Hunk], current: &[u8]) -> bool {
    let telling = |line: &&[u8]| {
        let line = line.trim_ascii();
        line.len() >= 8 && line != b":PROPERTIES:" && !line.eq_ignore_ascii_case(b":LOGBOOK:")
    };
    hunks.iter().all(|hunk| {
        let lines = hunk.inserted.0.split(|byte| *byte == b'\n');
        hunk.removed.0.is_empty()
            && lines.filter(telling).all(|line| memchr::memmem::find(current, line).is_none())
    })
}

fn tail(bytes: &[u8], max: usize) -> &[u8] {
    bytes.get(bytes.len().saturating_sub(max)..).unwrap_or_default()
}

fn head(bytes: &[u8], max: usize) -> &[u8] {
    bytes.get(..max.min(bytes.len())).unwrap_or_default()
}

fn common_tail(one: &[u8], two: &[u8]) -> usize {
    let pairs = one.iter().rev().zip(two.iter().rev());
    pairs.take_while(|(a, b)| a == b).count()
}

fn common_head(one: &[u8], two: &[u8]) -> usize {
    one.iter().zip(two).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunks(old: &str, splices: &[Splice]) -> (Vec<u8>, Vec<Hunk>) {
        let new = org::apply(old.as_bytes(), splices).unwrap();
        let edits: Vec<Edit> = splices.iter().cloned().map(Edit::of).collect();
        let hunks = describe(old.as_bytes(), &new, &edits);
        (new, hunks)
    }

    fn back(hunks: &[Hunk], current: &str) -> Option<String> {
        let edits = find_back(hunks, current.as_bytes())?;
        let splices: Vec<Splice> = edits.into_iter().map(|edit| edit.splice).collect();
        let bytes = org::apply(current.as_bytes(), &splices).unwrap();
        Some(String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn exact_reverse_gives_the_old_bytes() {
        let old = "* TODO a\ntext\n";
        let splices =
            [Splice { at: 2, remove: 4, insert: b"DONE".to_vec() }, Splice::insert(9, "CLOSED: [x]\n")];
        let (new, hunks) = hunks(old, &splices);
        let splices: Vec<Splice> = reverse(&hunks).into_iter().map(|e| e.splice).collect();
        assert_eq!(org::apply(&new, &splices).unwrap(), old.as_bytes());
    }

    #[test]
    fn appended_entry_is_found_wherever_it_went() {
        let entry = "* the boiler hums\n:PROPERTIES:\n:CREATED: [2026-03-09 Mon 10:00]\n:END:\n";
        let (_, hunks) = hunks("* a\n", &[Splice::insert(4, entry)]);
        let current = format!("* moved up\n{entry}* a changed\n");
        assert_eq!(back(&hunks, &current).unwrap(), "* moved up\n* a changed\n");
    }

    #[test]
    fn short_text_without_its_surroundings_is_a_conflict() {
        let (_, hunks) = hunks("* TODO a\n", &[Splice { at: 2, remove: 4, insert: b"DONE".to_vec() }]);
        assert_eq!(back(&hunks, "intro\n* DONE b\n"), None);
        assert_eq!(back(&hunks, "intro\n* DONE a\n").unwrap(), "intro\n* TODO a\n");
    }

    #[test]
    fn text_that_was_taken_out_goes_back_to_its_place() {
        let (_, hunks) = hunks(
            "* one entry here\n* b\n* two entry there\n",
            &[Splice { at: 17, remove: 4, insert: vec![] }],
        );
        let current = "new\n* one entry here\n* two entry there\nmore\n";
        assert_eq!(back(&hunks, current).unwrap(), "new\n* one entry here\n* b\n* two entry there\nmore\n");
    }

    #[test]
    fn line_goes_back_behind_the_end_that_others_gave_the_one_before() {
        let (_, hunks) = hunks("* old\n* two\n", &[Splice { at: 6, remove: 6, insert: vec![] }]);
        assert_eq!(back(&hunks, "* old\n* mine\n").unwrap(), "* old\n* two\n* mine\n");
        let edits =
            [Splice { at: 5, remove: 1, insert: vec![] }, Splice { at: 6, remove: 6, insert: vec![] }];
        let described = describe(
            b"* old\n* two\n",
            b"* old",
            &[Edit { splice: edits[0].clone(), scaffold: true }, Edit::of(edits[1].clone())],
        );
        assert_eq!(back(&described, "* old\n* mine\n").unwrap(), "* old\n* two\n* mine\n");
    }

    #[test]
    fn bytes_that_are_no_text_survive_json() {
        let bytes = Bytes(vec![0xff, 0, b'a']);
        let json = serde_json::to_string(&bytes).unwrap();
        assert_eq!(serde_json::from_str::<Bytes>(&json).unwrap(), bytes);
    }
}
