//! Makes inputs of inputs: the blind half of a fuzzer, for compilers that cannot measure coverage.

use crate::{Chance, Target, seeds};

/// Longest input in bytes: what is longer than one text is tried by the tests of limits.
const LEN_MAX: usize = 80 * 1024;

/// Most changes to one input.
const CHANGES_MAX: usize = 6;

/// Longest piece that is moved, doubled or removed.
const PIECE_MAX: usize = 64;

/// Bytes on which parsers trip.
const SHARP: [u8; 14] = [0, 1, 0x7f, 0x80, 0xff, b'\n', b'\r', b'"', b'\\', b'(', b')', b'[', b'{', 0xc3];

/// Makes inputs for one target, always the same ones for the same seed.
#[derive(Debug)]
pub struct Mutator {
    target: &'static Target,
    seeds: Vec<Vec<u8>>,
    chance: Chance,
}

impl Mutator {
    /// Begins with the corpus of a target.
    #[must_use]
    pub fn new(target: &'static Target, seed: u64) -> Self {
        Self { target, seeds: seeds(target), chance: Chance::new(seed) }
    }

    /// Returns the next input.
    pub fn input(&mut self) -> Vec<u8> {
        let mut input = match self.target.fresh {
            Some(fresh) if self.chance.once_in(2) => fresh(&mut self.chance),
            Some(_) | None => self.chance.pick(&self.seeds).cloned().unwrap_or_default(),
        };
        for _ in 0..self.chance.below(CHANGES_MAX + 1) {
            self.change(&mut input);
        }
        input.truncate(LEN_MAX);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let at = self.chance.below(input.len() + 1);
        match self.chance.below(9) {
            0 => self.overwrite(input, at),
            1 => {
                let bit = 1 << self.chance.below(8);
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= bit;
                }
            }
            2 => drop(input.drain(at..self.end(input, at))),
            3 => {
                let piece = input.get(at..self.end(input, at)).unwrap_or(&[]).to_vec();
                let to = self.chance.below(input.len() + 1);
                insert(input, to, &piece);
            }
            4 | 5 => {
                let word = self.chance.pick(self.target.words).copied().unwrap_or("");
                insert(input, at, word.as_bytes());
            }
            6 => {
                let other = self.chance.pick(&self.seeds).cloned().unwrap_or_default();
                let from = self.chance.below(other.len() + 1);
                input.truncate(at);
                input.extend_from_slice(other.get(from..).unwrap_or(&[]));
            }
            7 => self.number(input),
            _ => {
                let byte = self.chance.byte();
                insert(input, at, &[byte]);
            }
        }
    }

    fn end(&mut self, input: &[u8], at: usize) -> usize {
        (at + self.chance.below(PIECE_MAX)).min(input.len())
    }

    fn overwrite(&mut self, input: &mut [u8], at: usize) {
        let sharp = self.chance.pick(&SHARP).copied().unwrap_or(0);
        if let Some(byte) = input.get_mut(at) {
            *byte = sharp;
        }
    }

    /// Replaces the digits of a number with those of another.
    fn number(&mut self, input: &mut Vec<u8>) {
        const NUMBERS: [&str; 8] =
            ["0", "-1", "31", "255", "256", "65536", "4294967296", "18446744073709551616"];
        let from = self.chance.below(input.len() + 1);
        let digit = |byte: &u8| byte.is_ascii_digit();
        let Some(start) = input.iter().skip(from).position(digit) else {
            return;
        };
        let start = from + start;
        let len = input.iter().skip(start).take_while(|b| digit(b)).count();
        let number = self.chance.pick(&NUMBERS).copied().unwrap_or("0");
        drop(input.splice(start..start + len, number.bytes()));
    }
}

fn insert(input: &mut Vec<u8>, at: usize, piece: &[u8]) {
    let at = at.min(input.len());
    drop(input.splice(at..at, piece.iter().copied()));
}
