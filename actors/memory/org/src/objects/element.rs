//! Elements: what each line of a section is. A stack of open containers takes the place of recursion.
//!
//! The order of the questions is that of org-element in Org 9.5.5, and so is each answer for text that is only almost
//! structure.

use super::{
    Block, BlockKind, Clock, DrawerKind, DrawerSpan, KeywordLine, Note, Objects, Source, Tick,
    lexer::{CAPTION, CELL, Lexer, STANDARD},
    line::{
        NAMES, affiliated_key, block_name, drawer_name, dual_key, environment_name, is_bullet, is_comment,
        is_dual, is_formula, is_grid_rule, is_rule, key_len, label_len,
    },
    list::{self, Row},
    section::{Section, starts_fold, trim_end, word_len},
    timestamp,
};
use crate::span::{Span, trim};
use std::rc::Rc;

/// A container that is being read.
#[derive(Clone, Debug)]
struct Frame {
    line: usize,
    limit: usize,
    /// Where the text of the first line begins, if not at its begin.
    from: Option<usize>,
    /// Whether it is a list, whose lines are items.
    items: bool,
    rows: Option<Rc<Vec<Row>>>,
}

impl Frame {
    const fn new(line: usize, limit: usize) -> Self {
        Self { line, limit, from: None, items: false, rows: None }
    }
}

/// Keyword lines that belong to the element below them.
#[derive(Default)]
struct Affiliated {
    captions: Vec<Span>,
    name: Option<Span>,
}

/// Reads the elements of sections into [`Objects`].
pub(super) struct Walker<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) section: Section,
    pub(super) lexer: Lexer<'a>,
    pub(super) out: Objects,
    pub(super) node: Option<usize>,
    stack: Vec<Frame>,
    /// Whether the section is the last of the file.
    at_end: bool,
    /// Affiliated keywords before this line belong to no element.
    orphans: usize,
    /// Affiliated keywords before this line end their container.
    outside: usize,
}

impl<'a> Walker<'a> {
    pub(super) fn new(bytes: &'a [u8], lexer: Lexer<'a>) -> Self {
        Self {
            bytes,
            section: Section::default(),
            lexer,
            out: Objects::default(),
            node: None,
            stack: Vec::new(),
            at_end: false,
            orphans: 0,
            outside: 0,
        }
    }

    /// Reads the text of one section.
    pub(super) fn section(&mut self, range: Span, drawer: Option<Span>) {
        self.section.fill(self.bytes, range);
        self.orphans = 0;
        self.outside = 0;
        self.at_end = range.end == self.bytes.len();
        let limit = self.section.trim_white(self.bytes, 0, self.section.lines.len());
        self.stack.push(Frame::new(self.section.skip_white(self.bytes, 0, limit), limit));
        while let Some(mut frame) = self.stack.pop() {
            if frame.line >= frame.limit {
                continue;
            }
            let place = self.stack.len();
            let begin = self.section.begin_of(frame.line);
            if let Some(drawer) = drawer.filter(|drawer| drawer.begin == begin) {
                let behind = self.section.lines.partition_point(|line| line.begin < drawer.end);
                frame.line = self.section.skip_white(self.bytes, behind, frame.limit);
            } else if frame.items {
                frame = self.item(frame);
            } else {
                frame = self.element(frame);
            }
            frame.from = None;
            if frame.line < frame.limit {
                // Below what it has just opened.
                self.stack.insert(place, frame);
            }
        }
    }

    /// Notes the property drawer of a headline or of the file.
    pub(super) fn property_drawer(&mut self, span: Span, node: Option<usize>) {
        let text = span.of(self.bytes);
        let colon = memchr::memchr(b':', text).map_or(0, |at| at + 1);
        let name = Span::new(span.begin + colon, span.begin + colon + "PROPERTIES".len());
        self.out.drawers.push(DrawerSpan { kind: DrawerKind::Properties, name, span, node });
    }

    pub(super) fn objects(&mut self, range: Span, set: u16) {
        self.lexer.run(range, set, self.node, &mut self.out);
    }

    fn text(&self, line: usize) -> &'a [u8] {
        self.section.text(self.bytes, line)
    }

    fn next(&self, line: usize, limit: usize) -> usize {
        self.section.skip_white(self.bytes, line, limit)
    }

    /// Span from a line to before line `behind`, without blank lines at its end.
    fn span(&self, line: usize, mut behind: usize) -> Span {
        while behind > line + 1 && self.section.is_blank(behind - 1) {
            behind -= 1;
        }
        Span::new(self.section.begin_of(line), self.section.begin_of(behind))
    }

    fn item(&mut self, mut frame: Frame) -> Frame {
        let (line, bytes) = (frame.line, self.bytes);
        let rows = frame.rows.clone().unwrap_or_default();
        let row = rows.binary_search_by_key(&line, |row| row.line).ok().and_then(|at| rows.get(at));
        let end = row.map_or(line + 1, |row| row.end.min(frame.limit).max(line + 1));
        let begin = self.section.begin_of(line);
        let body = match list::head(&self.section, bytes, line) {
            Some(head) => {
                if let Some((state, mark)) = head.checkbox {
                    self.out.checkboxes.push(Tick { state, begin, mark, node: self.node });
                }
                self.out.items.push(Span::new(begin, self.section.begin_of(end)));
                if let Some(tag) = head.tag {
                    self.objects(tag, STANDARD);
                }
                head.body
            }
            None => begin,
        };
        self.open_at(line, body, end, Some(rows));
        frame.line = end;
        frame
    }

    /// Opens the contents of an item or footnote, which may begin within its first line.
    fn open_at(&mut self, line: usize, body: usize, end: usize, rows: Option<Rc<Vec<Row>>>) {
        let rest = Span::new(body, self.section.lines.get(line).map_or(body, |line| line.end));
        let white = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
        let skipped = rest.of(self.bytes).iter().take_while(|byte| white(byte)).count();
        let mut inner = Frame::new(line, self.section.trim_white(self.bytes, line, end));
        if skipped < rest.len() {
            inner.from = Some(body + skipped);
        } else {
            inner.line = self.next(line + 1, end);
        }
        inner.rows = rows;
        if inner.line < inner.limit {
            self.stack.push(inner);
        }
    }

    fn element(&mut self, mut frame: Frame) -> Frame {
        let (line, limit, bytes) = (frame.line, frame.limit, self.bytes);
        let text = self.text(line);
        if let Some(from) = frame.from {
            // A comment is only one at the begin of a line.
            return self.paragraph(frame, Some(from), line);
        }
        if is_comment(text) {
            let mut behind = line + 1;
            while behind < limit && is_comment(self.text(behind)) {
                behind += 1;
            }
            frame.line = self.next(behind, limit);
            return frame;
        }
        if starts_fold(text, b"CLOCK:") {
            self.clock(line);
            frame.line = self.next(line + 1, limit);
            return frame;
        }
        let (at, affiliated) =
            if line < self.outside { (limit, Affiliated::default()) } else { self.affiliated(line, limit) };
        if at >= limit {
            // All of them stand before the end of the container, and each is a keyword line then.
            self.outside = limit;
            return self.keyword(frame, line, line, &Affiliated::default());
        }
        let (first, text) = (line, self.text(at));
        match text {
            [b'\\', ..] if environment_name(text).is_some() => {
                let name = environment_name(text).unwrap_or_default();
                match self.section.environment_end(name, at, limit) {
                    Some(end) => {
                        self.captions(&affiliated);
                        frame.line = self.next(end + 1, limit);
                        frame
                    }
                    None => self.affiliated_paragraph(frame, at, &affiliated),
                }
            }
            [b':', ..] if drawer_name(text).is_some() => self.drawer(frame, first, at, &affiliated),
            [b':'] | [b':', b' ', ..] => {
                self.captions(&affiliated);
                let mut behind = at + 1;
                while behind < limit && matches!(self.text(behind), [b':'] | [b':', b' ', ..]) {
                    behind += 1;
                }
                frame.line = self.next(behind, limit);
                frame
            }
            [b'#', b'+', ..] => self.directive(frame, first, at, &affiliated),
            [b'[', ..] if self.footnote_label(at).is_some() => self.footnote(frame, at, &affiliated),
            [b'-', ..] if is_rule(text) => {
                self.captions(&affiliated);
                frame.line = self.next(at + 1, limit);
                frame
            }
            [b'%', b'%', b'(', ..] if self.section.whole(bytes, at).starts_with(b"%%(") => {
                self.captions(&affiliated);
                frame.line = self.next(at + 1, limit);
                frame
            }
            [b'|', ..] => self.table(frame, at, &affiliated),
            [b'+', ..] if self.is_grid(at, limit) => {
                self.captions(&affiliated);
                let behind = self.section.grid_end(bytes, at, limit);
                frame.line = self.next(behind, limit);
                frame
            }
            _ if list::bullet(&self.section, bytes, at).is_some() => self.list(frame, at, &affiliated),
            _ => self.affiliated_paragraph(frame, at, &affiliated),
        }
    }

    fn captions(&mut self, affiliated: &Affiliated) {
        for caption in &affiliated.captions {
            self.out.captions.push(*caption);
            self.objects(*caption, CAPTION);
        }
    }

    fn affiliated_paragraph(&mut self, frame: Frame, at: usize, affiliated: &Affiliated) -> Frame {
        self.captions(affiliated);
        self.paragraph(frame, None, at)
    }

    fn paragraph(&mut self, mut frame: Frame, from: Option<usize>, at: usize) -> Frame {
        let limit = frame.limit;
        let mut behind = at + 1;
        while behind < limit && !self.separates(behind, limit) {
            behind += 1;
        }
        let begin = from.unwrap_or_else(|| self.section.begin_of(at));
        let end = self.section.begin_of(self.section.trim_white(self.bytes, at + 1, behind));
        self.objects(Span::new(begin, end), STANDARD);
        frame.line = self.next(behind, limit);
        frame
    }

    /// Says whether a line ends the paragraph above it.
    fn separates(&self, line: usize, limit: usize) -> bool {
        let text = self.text(line);
        match text {
            [] | [b'|', ..] | [b':'] | [b':', b' ', ..] => true,
            [b':', ..] => drawer_name(text).is_some() && self.section.drawer_end(line, limit).is_some(),
            [b'#', ..] if is_comment(text) => true,
            [b'#', b'+', rest @ ..] => {
                if let Some(name) = block_name(rest) {
                    return self.section.block_end(name, line, limit).is_some();
                }
                match dual_key(rest) {
                    Some(key) => is_dual(key),
                    None => key_len(rest).is_some_and(|len| len > 0),
                }
            }
            [b'[', ..] => self.footnote_label(line).is_some(),
            [b'%', ..] => self.section.whole(self.bytes, line).starts_with(b"%%("),
            [b'+', ..] if is_grid_rule(text) => true,
            [b'-', ..] if is_rule(text) => true,
            [b'\\', ..] => environment_name(text)
                .is_some_and(|name| self.section.environment_end(name, line, limit).is_some()),
            [b'-' | b'+' | b'*' | b'0'..=b'9', ..] => is_bullet(text),
            _ => starts_fold(text, b"CLOCK:"),
        }
    }

    fn clock(&mut self, line: usize) {
        let bytes = self.bytes;
        let Some(place) = self.section.lines.get(line).copied() else {
            return;
        };
        let text = Span::new(place.begin, place.end);
        // Only in capitals does anything behind it count.
        let at =
            memchr::memmem::find(text.of(bytes), b"CLOCK:").map_or(place.begin, |at| place.begin + at + 6);
        let rest = crate::span::skip_blanks(bytes, Span::new(at, place.end));
        let value = timestamp::read(bytes, rest.begin, place.end);
        let arrow = memchr::memmem::find(rest.of(bytes), b" => ");
        let duration = arrow.and_then(|arrow| {
            let tail = trim_end(Span::new(rest.begin + arrow + 4, rest.end).of(bytes));
            let tail = Span::new(rest.begin + arrow + 4, rest.begin + arrow + 4 + tail.len());
            let tail = crate::span::skip_blanks(bytes, tail);
            (!tail.is_empty() && word_len(tail.of(bytes)) == tail.len()).then_some(tail)
        });
        self.out.clocks.push(Clock { begin: place.begin, value, duration, node: self.node });
    }

    /// Skips affiliated keywords; before a blank line they stand alone and are none.
    fn affiliated(&mut self, line: usize, limit: usize) -> (usize, Affiliated) {
        if line < self.orphans {
            return (line, Affiliated::default());
        }
        let (mut at, mut found) = (line, Affiliated::default());
        while at < limit
            && let Some((key, dual, value)) = affiliated_key(self.bytes, &self.section, at)
        {
            if key.eq_ignore_ascii_case(b"CAPTION") {
                found.captions.extend(dual);
                found.captions.push(value);
            } else if NAMES.iter().any(|name| key.eq_ignore_ascii_case(name)) {
                found.name = Some(trim(self.bytes, value));
            }
            at += 1;
        }
        let alone = if at < self.section.lines.len() { self.section.is_blank(at) } else { self.at_end };
        if at > line && alone {
            // The lines below it need not ask again.
            self.orphans = at;
            return (line, Affiliated::default());
        }
        (at, found)
    }

    fn keyword(&mut self, mut frame: Frame, first: usize, at: usize, affiliated: &Affiliated) -> Frame {
        let bytes = self.bytes;
        let Some(place) = self.section.lines.get(at).copied() else {
            return Frame { line: at + 1, ..frame };
        };
        let key = place.text + 2;
        let plain = key_len(self.text(at).get(2..).unwrap_or_default())
            .map(|len| (len, Span::new(key + len + 1, place.end)));
        // `#+CAPTION[a b]: x` that stands alone at the end of a section (measured).
        let dual = || affiliated_key(bytes, &self.section, at).map(|(key, _, value)| (key.len(), value));
        let (len, value) = plain.or_else(dual).unwrap_or((0, Span::new(key, key)));
        let value = trim(bytes, value);
        self.captions(affiliated);
        let begin = self.section.begin_of(first);
        let line = Span::new(place.begin, self.section.next_of(at));
        let key = Span::new(key, key + len);
        self.out.keywords.push(KeywordLine { key, value, begin, line, node: self.node });
        frame.line = self.next(at + 1, frame.limit);
        frame
    }

    fn drawer(&mut self, mut frame: Frame, first: usize, at: usize, affiliated: &Affiliated) -> Frame {
        let Some(end) = self.section.drawer_end(at + 1, frame.limit) else {
            return self.affiliated_paragraph(frame, at, affiliated);
        };
        self.captions(affiliated);
        let len = drawer_name(self.text(at)).map_or(0, <[u8]>::len);
        let name = self.section.lines.get(at).map_or(0, |line| line.text + 1);
        frame.line = self.next(end + 1, frame.limit);
        let span = self.span(first, frame.line);
        let name = Span::new(name, name + len);
        self.out.drawers.push(DrawerSpan { kind: DrawerKind::Plain, name, span, node: self.node });
        self.stack.push(Frame::new(at + 1, end));
        frame
    }

    fn directive(&mut self, frame: Frame, first: usize, at: usize, affiliated: &Affiliated) -> Frame {
        let rest = self.text(at).get(2..).unwrap_or_default();
        if let Some(name) = block_name(rest) {
            return match self.section.block_end(name, at, frame.limit) {
                Some(end) => self.block(frame, (first, at, end), name, affiliated),
                None => self.affiliated_paragraph(frame, at, affiliated),
            };
        }
        if starts_fold(rest, b"CALL:") {
            self.captions(affiliated);
            let line = self.next(at + 1, frame.limit);
            return Frame { line, ..frame };
        }
        if starts_fold(rest, b"BEGIN: ") || starts_fold(rest, b"BEGIN ") {
            return match self.section.dynamic_end(at, frame.limit) {
                Some(end) => self.container(frame, (first, at, end), BlockKind::Dynamic, affiliated),
                None => self.affiliated_paragraph(frame, at, affiliated),
            };
        }
        if key_len(rest).is_some_and(|len| len > 0) {
            return self.keyword(frame, first, at, affiliated);
        }
        self.affiliated_paragraph(frame, at, affiliated)
    }

    fn block(
        &mut self,
        mut frame: Frame,
        lines: (usize, usize, usize),
        name: &[u8],
        affiliated: &Affiliated,
    ) -> Frame {
        let (first, at, end) = lines;
        let kind = match name.to_ascii_lowercase().as_slice() {
            b"center" => BlockKind::Center,
            b"quote" => BlockKind::Quote,
            b"comment" => BlockKind::Comment,
            b"example" => BlockKind::Example,
            b"export" => BlockKind::Export,
            b"verse" => BlockKind::Verse,
            b"src" => {
                self.captions(affiliated);
                frame.line = self.next(end + 1, frame.limit);
                let span = self.span(first, frame.line);
                let body = Span::new(self.section.next_of(at), self.section.begin_of(end));
                let head = self.section.lines.get(at).map_or(Span::default(), |l| Span::new(l.begin, l.end));
                let source = Source::read(self.bytes, head, span, body, affiliated.name, self.node);
                self.out.sources.push(source);
                return frame;
            }
            _ => BlockKind::Special,
        };
        self.container(frame, lines, kind, affiliated)
    }

    fn container(
        &mut self,
        mut frame: Frame,
        (first, at, end): (usize, usize, usize),
        kind: BlockKind,
        affiliated: &Affiliated,
    ) -> Frame {
        self.captions(affiliated);
        frame.line = self.next(end + 1, frame.limit);
        let span = self.span(first, frame.line);
        let body = Span::new(self.section.next_of(at), self.section.begin_of(end));
        self.out.blocks.push(Block { kind, span, body, node: self.node });
        match kind {
            BlockKind::Center | BlockKind::Quote | BlockKind::Special | BlockKind::Dynamic => {
                self.stack.push(Frame::new(at + 1, end));
            }
            BlockKind::Verse => self.objects(body, STANDARD),
            BlockKind::Comment | BlockKind::Example | BlockKind::Export => {}
        }
        frame
    }

    /// Returns the length of the label when a line begins a footnote definition.
    fn footnote_label(&self, line: usize) -> Option<usize> {
        let rest = self.section.whole(self.bytes, line).strip_prefix(b"[fn:")?;
        let len = label_len(rest);
        (len > 0 && rest.get(len) == Some(&b']')).then_some(len)
    }

    fn footnote(&mut self, mut frame: Frame, at: usize, affiliated: &Affiliated) -> Frame {
        self.captions(affiliated);
        let len = self.footnote_label(at).unwrap_or_default();
        let mut end = at + 1;
        let gap = self.section.gap(at + 1, frame.limit).unwrap_or(frame.limit);
        while end < gap && self.footnote_label(end).is_none() {
            end += 1;
        }
        if end == gap {
            end = self.next(gap, frame.limit);
        } else {
            while end > at + 1 && affiliated_key(self.bytes, &self.section, end - 1).is_some() {
                end -= 1;
            }
        }
        let begin = self.section.begin_of(at);
        let label = Span::new(begin + 4, begin + 4 + len);
        let span = self.span(at, end);
        self.out.footnotes.push(Note { label: Some(label), span, definition: true, node: self.node });
        self.open_at(at, label.end + 1, end, None);
        frame.line = end;
        frame
    }

    fn table(&mut self, mut frame: Frame, at: usize, affiliated: &Affiliated) -> Frame {
        self.captions(affiliated);
        let mut end = at;
        while end < frame.limit && matches!(self.text(end), [b'|', ..]) {
            self.row(end);
            end += 1;
        }
        while end < frame.limit && is_formula(self.text(end)) {
            end += 1;
        }
        frame.line = self.next(end, frame.limit);
        frame
    }

    fn row(&mut self, line: usize) {
        let text = trim_end(self.text(line));
        if text.starts_with(b"|-") {
            return;
        }
        let Some(begin) = self.section.lines.get(line).map(|line| line.text + 1) else {
            return;
        };
        let cells = text.get(1..).unwrap_or_default();
        let mut at = begin;
        for cell in cells.split(|byte| *byte == b'|') {
            let span = Span::new(at, at + cell.len());
            at = span.end + 1;
            let front = crate::span::skip_blanks(self.bytes, span);
            let len = trim_end(front.of(self.bytes)).len();
            if len > 0 {
                self.objects(Span::new(front.begin, front.begin + len), CELL);
            }
        }
    }

    /// A table of table.el begins and ends with a rule and has more than one line.
    fn is_grid(&mut self, at: usize, limit: usize) -> bool {
        if !is_grid_rule(self.text(at)) || at + 1 >= limit {
            return false;
        }
        let end = self.section.grid_end(self.bytes, at, limit);
        end > at + 1 && is_grid_rule(self.text(end - 1))
    }

    fn list(&mut self, mut frame: Frame, at: usize, affiliated: &Affiliated) -> Frame {
        self.captions(affiliated);
        let known = frame.rows.clone().filter(|rows| rows.binary_search_by_key(&at, |r| r.line).is_ok());
        let rows =
            known.unwrap_or_else(|| Rc::new(list::structure(&self.section, self.bytes, at, frame.limit)));
        let mut end = at;
        let mut indent = None;
        while let Some(row) = rows.binary_search_by_key(&end, |r| r.line).ok().and_then(|i| rows.get(i))
            && indent.is_none_or(|indent| indent == row.indent)
            && row.end > end
        {
            indent = Some(row.indent);
            end = row.end;
        }
        let end = end.max(at + 1);
        let mut inner = Frame::new(at, end);
        inner.items = true;
        inner.rows = Some(rows);
        frame.line = self.next(end, frame.limit);
        self.stack.push(inner);
        frame
    }
}
