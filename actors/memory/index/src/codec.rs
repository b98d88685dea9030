//! Numbers as bytes: little, unsigned, seven bits at a time. Reading never goes beyond its slice and never allocates
//! by a length that the slice could not hold.

/// Appends a number, seven bits a byte, the lowest first.
pub(crate) fn put(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push((number.to_le_bytes()[0] & 0x7f) | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

/// Appends a signed number so that small ones stay short.
pub(crate) fn put_signed(out: &mut Vec<u8>, number: i64) {
    out.extend_from_slice(&number.to_le_bytes());
}

/// Appends a length and the bytes.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, count(bytes.len()));
    out.extend_from_slice(bytes);
}

/// Returns a length as the number that is stored. Nothing here comes near four thousand million.
pub(crate) fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// Reads numbers off the front of a slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) const fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) const fn left(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    #[inline]
    pub(crate) fn number(&mut self) -> Option<u32> {
        let (first, rest) = self.rest.split_first()?;
        if *first < 0x80 {
            self.rest = rest;
            return Some(u32::from(*first));
        }
        self.long()
    }

    fn long(&mut self) -> Option<u32> {
        let mut number = 0u32;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            let bits = u32::from(byte & 0x7f);
            if shift == 28 && bits > 0x0f {
                return None;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// Passes over so many numbers without looking at them.
    pub(crate) fn skip(&mut self, numbers: u32) -> Option<()> {
        let mut left = numbers;
        if left == 0 {
            return Some(());
        }
        let at = self.rest.iter().position(|byte| {
            left -= u32::from(*byte < 0x80);
            left == 0
        })?;
        self.rest = self.rest.get(at + 1..)?;
        Some(())
    }

    pub(crate) fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(taken)
    }

    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = self.number()?;
        self.take(usize::try_from(len).ok()?)
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    pub(crate) fn signed(&mut self) -> Option<i64> {
        Some(i64::from_le_bytes(*self.take(8)?.first_chunk::<8>()?))
    }

    /// Reads how many things follow that take at least `least` bytes each.
    pub(crate) fn many(&mut self, least: usize) -> Option<usize> {
        let many = usize::try_from(self.number()?).ok()?;
        (many.checked_mul(least)? <= self.left()).then_some(many)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(numbers: Vec<u32>) {
            let mut bytes = Vec::new();
            for number in &numbers {
                put(&mut bytes, *number);
            }
            let mut reader = Reader::new(&bytes);
            for number in &numbers {
                prop_assert_eq!(reader.number(), Some(*number));
            }
            prop_assert!(reader.is_empty());
            let mut reader = Reader::new(&bytes);
            prop_assert_eq!(reader.skip(count(numbers.len())), Some(()));
            prop_assert!(reader.is_empty());
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes: Vec<u8>) {
            let mut reader = Reader::new(&bytes);
            while reader.text().is_some() {}
            let _ = reader.signed();
            let _ = reader.many(1).map(|many| assert!(many <= bytes.len()));
            let _ = reader.skip(3);
        }
    }
}
