//! Radio targets: text that is a link wherever it stands.

use super::chars;
use crate::span::Span;

/// How many targets are looked for; more are kept as targets but not linked, so that the work stays linear.
const TARGETS_MAX: usize = 256;

/// The targets of a file.
#[derive(Debug, Default)]
pub(super) struct Radio {
    targets: Vec<Vec<u8>>,
    /// Which bytes begin one of them.
    begins: Vec<bool>,
}

impl Radio {
    /// Takes the values of the targets in the order of the file; the last is tried first, as Emacs does.
    pub(super) fn new(values: impl Iterator<Item = Vec<u8>>) -> Self {
        let mut targets: Vec<Vec<u8>> = Vec::new();
        for value in values.take(TARGETS_MAX) {
            let value = value.to_ascii_lowercase();
            if !targets.contains(&value) {
                targets.push(value);
            }
        }
        targets.reverse();
        let begins = (0..=u8::MAX).map(|byte| targets.iter().any(|target| target.first() == Some(&byte)));
        let begins = begins.collect();
        Self { targets, begins }
    }

    /// Says whether a byte can begin a target.
    fn can_begin(&self, byte: u8) -> bool {
        self.begins.get(usize::from(byte.to_ascii_lowercase())).copied().unwrap_or(false)
    }

    /// Returns the first linked text at or behind `from`.
    pub(super) fn next(&self, text: &[u8], from: usize, region: Span) -> Option<Span> {
        if self.targets.is_empty() {
            return None;
        }
        let mut at = from;
        while at < region.end {
            let rest = text.get(at..region.end)?;
            at += rest.iter().position(|byte| self.can_begin(*byte))?;
            let (_, len) = chars::first(text.get(at..region.end)?)?;
            if apart(chars::last(text.get(region.begin..at)?)) {
                let rest = text.get(at..region.end)?;
                let found = self.targets.iter().find_map(|target| {
                    let len = matched(rest, target)?;
                    apart(chars::first(rest.get(len..)?).map(|(c, _)| c)).then_some(len)
                });
                if let Some(len) = found {
                    return Some(Span::new(at, at + len));
                }
            }
            at += len;
        }
        None
    }
}

/// Scripts without blanks need none around a target.
fn apart(c: Option<char>) -> bool {
    c.is_none_or(|c| !c.is_alphanumeric() || c >= '\u{2e80}')
}

/// Length of the text that a target stands for: case does not count, nor how many blanks there are.
fn matched(text: &[u8], target: &[u8]) -> Option<usize> {
    let (mut at, mut want) = (0, 0);
    while let Some(byte) = target.get(want) {
        if *byte == b' ' {
            let blanks = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_whitespace()).count();
            let have = blanks(text.get(at..)?);
            (have > 0).then_some(())?;
            at += have;
            want += target.iter().skip(want).take_while(|b| **b == b' ').count();
        } else {
            text.get(at).filter(|have| have.eq_ignore_ascii_case(byte))?;
            at += 1;
            want += 1;
        }
    }
    (at > 0).then_some(at)
}
