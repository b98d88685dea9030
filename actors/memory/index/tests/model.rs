//! The index against a naive model: after any puts and removals the same entries are found, whichever way the index came
//! to be; and its bytes come back, or are refused.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test: a panic is its verdict")]

use index::{Asked, Bulk, Dates, Entry, Error, Index, Query, Sight, Taken, day};
use proptest::{collection::vec, prelude::*};
use std::{borrow::Cow, collections::BTreeMap, collections::BTreeSet};

/// Words of three letters have no other forms.
const WORDS: [&str; 8] = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu", "ant木"];
const FILES: [&str; 4] = ["hen.org", "ibis.org", "jay/hen.org", "kea.org"];
const TAGS: [&str; 3] = ["home", "work", "ant"];

#[derive(Debug, Clone)]
struct Note {
    parent: Option<u32>,
    title: String,
    body: String,
    tag: Option<&'static str>,
    todo: Option<&'static str>,
    created: Option<i32>,
    private: bool,
}

fn text(most: usize) -> impl Strategy<Value = String> {
    vec(0..WORDS.len(), 0..most).prop_map(|at| at.iter().map(|at| WORDS[*at]).collect::<Vec<_>>().join(" "))
}

fn note() -> impl Strategy<Value = Note> {
    let tag = prop_oneof![Just(None), (0..TAGS.len()).prop_map(|at| Some(TAGS[at]))];
    let todo = prop_oneof![Just(None), Just(Some("TODO")), Just(Some("DONE"))];
    let rest = (tag, todo, prop::option::of(20_000..20_010), any::<bool>());
    (prop::option::of(0..4u32), text(3), text(7), rest).prop_map(|(parent, title, body, rest)| Note {
        parent,
        title,
        body,
        tag: rest.0,
        todo: rest.1,
        created: rest.2,
        private: rest.3,
    })
}

/// A file with notes, or none: then it is removed.
type Change = (usize, Option<Vec<Note>>);

fn changes() -> impl Strategy<Value = Vec<Change>> {
    vec((0..FILES.len(), prop::option::weighted(0.8, vec(note(), 0..5))), 0..24)
}

fn entries(notes: &[Note]) -> Vec<Entry<'_>> {
    let entry = |note: &Note| Entry {
        parent: note.parent,
        level: 1,
        title: Cow::Owned(note.title.clone()),
        tags: note.tag.into_iter().map(Cow::Borrowed).collect(),
        todo: note.todo.map(Cow::Borrowed),
        done: note.todo == Some("DONE"),
        dates: Dates { created: note.created, ..Dates::default() },
        sight: if note.private { Sight::Private } else { Sight::Open },
        body: Cow::Owned(note.body.clone()),
    };
    notes.iter().map(entry).collect()
}

fn apply(changes: &[Change]) -> (Index, BTreeMap<&'static str, Vec<Note>>) {
    let (mut index, mut model) = (Index::default(), BTreeMap::new());
    for (file, notes) in changes {
        match notes {
            Some(notes) => {
                index.put(FILES[*file], 20_000, &entries(notes));
                model.insert(FILES[*file], notes.clone());
            }
            None => {
                index.remove(FILES[*file]);
                model.remove(FILES[*file]);
            }
        }
    }
    (index, model)
}

/// The three runs of words of an entry: around it, title, body.
fn runs(file: &str, notes: &[Note], at: usize) -> [Vec<String>; 3] {
    let split = |text: &str| -> Vec<String> {
        let apart = text.replace("木", " 木").replace(".org", "").replace('/', " ");
        apart.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let mut around = split(file);
    let parent = |at: usize| notes[at].parent.map(|parent| parent as usize).filter(|parent| *parent < at);
    let mut above = parent(at);
    while let Some(index) = above {
        around.extend(split(&notes[index].title));
        above = parent(index);
    }
    around.extend(notes[at].tag.map(str::to_owned));
    [around, split(&notes[at].title), split(&notes[at].body)]
}

/// A clause that the model understands.
#[derive(Debug, Clone)]
enum Part {
    Word(usize),
    Without(usize),
    Prefix(char),
    Phrase(usize, usize),
    Tag(usize),
    Todo(&'static str),
    File(&'static str),
    After(u32),
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        4 => (0..7usize).prop_map(Part::Word),
        1 => (0..7usize).prop_map(Part::Without),
        1 => (0..7u8).prop_map(|at| Part::Prefix(char::from(b'a' + at))),
        2 => (0..7usize, 0..7usize).prop_map(|(one, other)| Part::Phrase(one, other)),
        1 => (0..TAGS.len()).prop_map(Part::Tag),
        1 => prop_oneof![Just("open"), Just("done"), Just("any"), Just("DONE")].prop_map(Part::Todo),
        1 => prop_oneof![Just("hen"), Just("jay/"), Just("kea")].prop_map(Part::File),
        1 => (1..12u32).prop_map(Part::After),
    ]
}

fn written(part: &Part) -> String {
    match part {
        Part::Word(at) => WORDS[*at].to_uppercase(),
        Part::Without(at) => format!("-{}", WORDS[*at]),
        Part::Prefix(letter) => format!("{letter}*"),
        Part::Phrase(one, other) => format!("\"{} {}\"", WORDS[*one], WORDS[*other]),
        Part::Tag(at) => format!("tag:{}", TAGS[*at]),
        Part::Todo(state) => format!("todo:{state}"),
        Part::File(part) => format!("file:{part}"),
        Part::After(of_month) => format!("after:2024-10-{of_month:02}"),
    }
}

fn holds(part: &Part, file: &str, notes: &[Note], at: usize) -> bool {
    let runs = runs(file, notes, at);
    let any = |test: &dyn Fn(&str) -> bool| runs.iter().flatten().any(|word| test(word));
    match part {
        Part::Word(at) => any(&|word| word == WORDS[*at]),
        Part::Without(at) => !any(&|word| word == WORDS[*at]),
        Part::Prefix(letter) => any(&|word| word.starts_with(*letter)),
        Part::Phrase(one, other) => {
            let pair = [WORDS[*one].to_owned(), WORDS[*other].to_owned()];
            runs.iter().any(|run| run.windows(2).any(|window| window == pair))
        }
        Part::Tag(tag) => notes[at].tag == Some(TAGS[*tag]),
        Part::Todo(state) => match *state {
            "open" => notes[at].todo == Some("TODO"),
            "any" => notes[at].todo.is_some(),
            _ => notes[at].todo == Some("DONE"),
        },
        Part::File(part) => file.contains(part),
        Part::After(of_month) => notes[at].created.unwrap_or(20_000) >= day(2024, 10, *of_month).unwrap(),
    }
}

fn found(index: &Index, query: &str, sight: Sight) -> (BTreeSet<(String, u32)>, Taken) {
    let asked = Asked { limit: 1000, sight, ..Asked::default() };
    let found = index.search(&Query::parse(query), &asked);
    assert_eq!(found.total, found.hits.len());
    (found.hits.into_iter().map(|hit| (hit.file, hit.ordinal)).collect(), found.taken)
}

proptest! {
    #[test]
    fn same_entries_are_found_as_by_reading_everything(
        changes in changes(), parts in vec(part(), 1..4), open: bool, tidy: bool, stored: bool,
    ) {
        let (mut index, model) = apply(&changes);
        if tidy {
            index.tidy();
        }
        if stored {
            index = Index::from_bytes(&index.to_bytes()).expect("own bytes");
        }
        let query = parts.iter().map(written).collect::<Vec<_>>().join(" ");
        let sight = if open { Sight::Open } else { Sight::Private };
        let expected: BTreeSet<(String, u32)> = model
            .iter()
            .flat_map(|(file, notes)| (0..notes.len()).map(move |at| (*file, notes, at)))
            .filter(|(file, notes, at)| parts.iter().all(|part| holds(part, file, notes, *at)))
            .filter(|(_, notes, at)| !open || !notes[*at].private)
            .map(|(file, _, at)| (file.to_owned(), u32::try_from(at).unwrap()))
            .collect();
        let (got, taken) = found(&index, &query, sight);
        if taken == Taken::Exactly {
            prop_assert_eq!(got, expected, "{}", query);
        } else {
            prop_assert!(expected.is_empty(), "{}", query);
        }
    }

    #[test]
    fn way_to_the_same_files_does_not_matter(changes in changes(), query in "[a-g*\" ]{1,8}") {
        let (index, model) = apply(&changes);
        let mut bulk = Bulk::default();
        for (file, notes) in model.iter().rev() {
            bulk.add(file, 20_000, &entries(notes));
        }
        let query = Query::parse(&query);
        let asked = Asked { limit: 9, today: Some(20_011), ..Asked::default() };
        prop_assert_eq!(index.search(&query, &asked), bulk.finish().search(&query, &asked));
    }

    #[test]
    fn damaged_bytes_are_an_error(changes in changes(), at: prop::sample::Index, bit in 0..8u8, cut: bool) {
        let mut bytes = apply(&changes).0.to_bytes();
        let at = at.index(bytes.len());
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] ^= 1 << bit;
        }
        prop_assert!(Index::from_bytes(&bytes).is_err());
    }

    #[test]
    fn forged_bytes_with_right_checksum_do_no_harm(changes in changes(), at: prop::sample::Index, byte: u8) {
        let mut bytes = apply(&changes).0.to_bytes();
        let at = 16 + at.index(bytes.len() - 16);
        bytes[at] = byte;
        let sum = crc32c::crc32c(&bytes[16..]).to_le_bytes();
        bytes[12..16].copy_from_slice(&sum);
        if let Ok(mut index) = Index::from_bytes(&bytes) {
            for query in ["ant", "a*", "\"bee cat\"", "tag:home todo:open", "antt", "after:2024 -bee"] {
                let hits = index.search(&Query::parse(query), &Asked::default()).hits;
                prop_assert!(hits.len() <= 20);
            }
            index.put("hen.org", 1, &[]);
            index.tidy();
        }
    }
}

#[test]
fn bytes_of_another_version_say_so() {
    let mut bytes = Index::default().to_bytes();
    bytes[8] = 99;
    assert_eq!(Index::from_bytes(&bytes).err(), Some(Error::Version { found: 99, known: 1 }));
}

#[test]
fn misspelt_word_finds_the_nearest() {
    let mut index = Index::default();
    let entry = Entry { title: "The boiler".into(), body: "stands in the cellar".into(), ..Entry::default() };
    index.put("a.org", 0, &[entry]);
    let found = index.search(&Query::parse("bioler cellar"), &Asked::default());
    assert_eq!((found.taken, found.hits.len()), (Taken::Respelt, 1));
    let found = index.search(&Query::parse("boilers"), &Asked::default());
    assert_eq!((found.taken, found.hits.len()), (Taken::Exactly, 1));
}

#[test]
fn newer_of_two_alike_comes_first() {
    let mut index = Index::default();
    let entry = |created| Entry {
        body: "the boiler goes down at night".into(),
        dates: Dates { created: Some(created), ..Dates::default() },
        ..Entry::default()
    };
    index.put("a.org", 0, &[entry(20_000), entry(20_400)]);
    let asked = Asked { today: Some(20_500), ..Asked::default() };
    let hits = index.search(&Query::parse("boiler night"), &asked).hits;
    assert_eq!(hits.iter().map(|hit| hit.ordinal).collect::<Vec<_>>(), [1, 0]);
}
