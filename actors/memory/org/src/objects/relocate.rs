//! Places in a text without CRs, moved back to the file it came from.

use super::Objects;
use crate::span::Span;

/// Returns the text with LF line ends, and where the newlines are in it.
pub(super) fn without_cr(bytes: &[u8]) -> (Vec<u8>, Vec<usize>) {
    let mut text = Vec::with_capacity(bytes.len());
    let mut lines = Vec::new();
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(b'\n', rest) {
        let (line, tail) = rest.split_at_checked(at + 1).unwrap_or((rest, &[]));
        text.extend_from_slice(line.strip_suffix(b"\r\n").unwrap_or(line));
        lines.push(text.len());
        text.push(b'\n');
        rest = tail;
    }
    text.extend_from_slice(rest);
    (text, lines)
}

impl Objects {
    /// Moves every place by the number of newlines before it.
    pub(super) fn relocate(&mut self, lines: &[usize]) {
        let place = |at: usize| at + lines.partition_point(|line| *line < at);
        let spot = |span: Span| Span::new(place(span.begin), place(span.end));
        let stamp = |stamp: &mut super::Timestamp| {
            stamp.span = spot(stamp.span);
            for cookie in stamp.repeater.iter_mut().chain(stamp.warning.iter_mut()) {
                cookie.sign = spot(cookie.sign);
                cookie.value = spot(cookie.value);
            }
        };
        for link in &mut self.links {
            link.span = spot(link.span);
            link.inner = spot(link.inner);
            link.description = link.description.map(spot);
        }
        for source in &mut self.sources {
            source.relocate(&spot);
        }
        for block in &mut self.blocks {
            block.span = spot(block.span);
            block.body = spot(block.body);
        }
        for drawer in &mut self.drawers {
            drawer.name = spot(drawer.name);
            drawer.span = spot(drawer.span);
        }
        for clock in &mut self.clocks {
            clock.begin = place(clock.begin);
            clock.value.iter_mut().for_each(stamp);
            clock.duration = clock.duration.map(spot);
        }
        for (found, _) in &mut self.timestamps {
            stamp(found);
        }
        for cookie in &mut self.cookies {
            cookie.span = spot(cookie.span);
        }
        for item in self.items.iter_mut().chain(&mut self.captions) {
            *item = spot(*item);
        }
        for ticked in &mut self.checkboxes {
            ticked.begin = place(ticked.begin);
            ticked.mark = spot(ticked.mark);
        }
        for target in &mut self.targets {
            target.span = spot(target.span);
            target.value = spot(target.value);
        }
        for note in &mut self.footnotes {
            note.span = spot(note.span);
            note.label = note.label.map(spot);
        }
        for keyword in &mut self.keywords {
            keyword.begin = place(keyword.begin);
            keyword.key = spot(keyword.key);
            keyword.value = spot(keyword.value);
            keyword.line = spot(keyword.line);
        }
    }
}
