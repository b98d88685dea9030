//! The index as bytes and back. Whatever comes back is checked: a checksum over all, lengths before memory is taken, and
//! every number that points somewhere. What is not right is an error, and the index is built anew.

use crate::{
    codec::{Reader, count, put, put_bytes, put_signed},
    error::Error,
    index::Index,
    segment::{self, FileRow, Row, Segment, Term, Terms},
};

/// First bytes of a stored index.
const MAGIC: &[u8; 8] = b"ppindex\n";
/// Changes with anything that changes which words a text gives, or how they are stored.
const FORMAT: u32 = 1;
/// Magic, format, checksum.
const HEAD: usize = 16;
/// Least bytes of a file, an entry, a term.
const FILE_LEAST: usize = 11;
const ROW_LEAST: usize = 7;
const TERM_LEAST: usize = 3;

impl Index {
    /// Returns the index as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = Vec::with_capacity(self.resident());
        put(&mut body, count(self.segments().count()));
        for (_, segment) in self.segments() {
            write(segment, &mut body);
        }
        let mut bytes = Vec::with_capacity(body.len() + HEAD);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        bytes.extend_from_slice(&crc32c::crc32c(&body).to_le_bytes());
        bytes.append(&mut body);
        bytes
    }

    /// Reads what [`Index::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`Error::Version`] for the bytes of another version, [`Error::Damaged`] for anything else that was not written
    /// so.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (head, body) = bytes.split_at_checked(HEAD).ok_or(damaged("too short"))?;
        let rest = head.strip_prefix(MAGIC).ok_or(damaged("no index"))?;
        let (format, sum) = rest.split_first_chunk::<4>().ok_or(damaged("head"))?;
        let found = u32::from_le_bytes(*format);
        if found != FORMAT {
            return Err(Error::Version { found, known: FORMAT });
        }
        let sum = sum.first_chunk::<4>().ok_or(damaged("head"))?;
        if u32::from_le_bytes(*sum) != crc32c::crc32c(body) {
            return Err(damaged("checksum"));
        }
        let mut reader = Reader::new(body);
        let segments = reader.many(1).ok_or(damaged("segments"))?;
        let mut index = Self::default();
        for _ in 0..segments {
            let segment = read(&mut reader)?;
            if segment.files.iter().any(|file| file.alive && index.place(&file.name).is_some()) {
                return Err(damaged("a file twice"));
            }
            index.take(segment);
        }
        if reader.is_empty() { Ok(index) } else { Err(damaged("more than an index")) }
    }
}

const fn damaged(what: &'static str) -> Error {
    Error::Damaged { what }
}

fn write(segment: &Segment, out: &mut Vec<u8>) {
    put(out, count(segment.files.len()));
    for file in &segment.files {
        put_bytes(out, file.name.as_bytes());
        put_signed(out, file.changed);
        put(out, file.entries);
        out.push(u8::from(file.alive));
    }
    // Entries stand in the order of their files, so their file and first number need no bytes.
    put(out, count(segment.rows.len()));
    for row in &segment.rows {
        put(out, row.body);
        put(out, u32::from(row.title));
        put(out, u32::from(row.path));
        put(out, row.parent.wrapping_add(1));
        out.push(row.level);
        out.push(row.flags);
        let dated = (0u8..).zip(row.dates).filter(|(_, day)| *day != i32::MIN);
        out.push(dated.clone().fold(0, |bits, (at, _)| bits | 1 << at));
        for (_, day) in dated {
            out.extend_from_slice(&day.to_le_bytes());
        }
    }
    put(out, count(segment.terms.len()));
    put_bytes(out, segment.terms.text.as_bytes());
    let mut last = Term::default();
    for term in &segment.terms.rows {
        put(out, term.word - last.word);
        put(out, term.docs - last.docs);
        put(out, term.places - last.places);
        last = *term;
    }
    put_bytes(out, &segment.docs);
    put_bytes(out, &segment.places);
}

fn read(reader: &mut Reader<'_>) -> Result<Segment, Error> {
    let (files, entries, alive) = files(reader).ok_or(damaged("files"))?;
    let rows = rows(reader, &files).ok_or(damaged("entries"))?;
    if rows.len() != entries {
        return Err(damaged("number of entries"));
    }
    let mut gone = Vec::new();
    if files.iter().any(|file| !file.alive && file.entries > 0) {
        let is_gone = |row: &Row| files.get(row.file as usize).is_some_and(|file| !file.alive);
        gone = rows.iter().map(is_gone).collect();
    }
    let terms = terms(reader).ok_or(damaged("words"))?;
    let docs = reader.bytes().ok_or(damaged("postings"))?.to_vec();
    let places = reader.bytes().ok_or(damaged("places"))?.to_vec();
    let end = terms.rows.last().copied().unwrap_or_default();
    if end.docs as usize != docs.len() || end.places as usize != places.len() {
        return Err(damaged("ends of postings"));
    }
    Ok(Segment { files, rows, terms, docs, places, alive, gone })
}

/// Files, entries of all, entries of those that are there.
fn files(reader: &mut Reader<'_>) -> Option<(Vec<FileRow>, usize, u32)> {
    let many = reader.many(FILE_LEAST)?;
    let mut files = Vec::with_capacity(many);
    let (mut first, mut alive) = (0u32, 0u32);
    for _ in 0..many {
        let name = reader.text()?.to_owned();
        let changed = reader.signed()?;
        let entries = reader.number()?;
        let is_alive = match reader.byte()? {
            0 => false,
            1 => true,
            _ => return None,
        };
        files.push(FileRow { name, changed, first, entries, alive: is_alive });
        first = first.checked_add(entries)?;
        alive = alive.checked_add(if is_alive { entries } else { 0 })?;
    }
    Some((files, first as usize, alive))
}

fn rows(reader: &mut Reader<'_>, files: &[FileRow]) -> Option<Vec<Row>> {
    let many = reader.many(ROW_LEAST)?;
    let mut rows = Vec::with_capacity(many);
    for (number, file) in (0u32..).zip(files) {
        if file.entries as usize > many - rows.len() {
            return None;
        }
        for at in 0..file.entries {
            let row = row(reader, number)?;
            // Parents come first, so that walking up ends.
            if row.parent != u32::MAX && row.parent >= at {
                return None;
            }
            rows.push(row);
        }
    }
    (rows.len() == many).then_some(rows)
}

fn row(reader: &mut Reader<'_>, file: u32) -> Option<Row> {
    let body = reader.number()?;
    let title = u16::try_from(reader.number()?).ok()?;
    let path = u16::try_from(reader.number()?).ok()?;
    let parent = reader.number()?.wrapping_sub(1);
    let (level, flags, dated) = (reader.byte()?, reader.byte()?, reader.byte()?);
    let mut dates = [i32::MIN; 4];
    for (at, day) in dates.iter_mut().enumerate() {
        if dated >> at & 1 == 1 {
            *day = i32::from_le_bytes(*reader.take(4)?.first_chunk::<4>()?);
        }
    }
    Some(Row { file, body, title, path, parent, level, flags, dates })
}

fn terms(reader: &mut Reader<'_>) -> Option<Terms> {
    let many = reader.many(TERM_LEAST)?;
    let text = reader.text()?.to_owned();
    let mut rows = Vec::with_capacity(many.min(reader.left() / TERM_LEAST + 1));
    let mut letters = Vec::with_capacity(rows.capacity());
    let mut last = Term::default();
    let mut before = "";
    for _ in 0..many {
        let term = Term {
            word: last.word.checked_add(reader.number()?)?,
            docs: last.docs.checked_add(reader.number()?)?,
            places: last.places.checked_add(reader.number()?)?,
        };
        let word = text.get(last.word as usize..term.word as usize)?;
        // Binary search needs order.
        if word <= before {
            return None;
        }
        before = word;
        rows.push(term);
        letters.push(segment::letters(word));
        last = term;
    }
    (last.word as usize == text.len()).then_some(Terms { text, rows, letters })
}
