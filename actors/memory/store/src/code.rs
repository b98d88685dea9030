//! The bytes of our objects: numbers and byte strings, one way to write each. No length is believed before it is
//! compared with what is there.

use crate::{
    error::{Error, Result},
    hash::{Hash, Identity},
};

/// Appends values.
#[derive(Default, Debug)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    /// Seven bits a byte, lowest first.
    pub(crate) fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.0.push((value & 0x7f) as u8);
    }

    pub(crate) fn bytes(&mut self, value: &[u8]) {
        self.number(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    pub(crate) fn hash(&mut self, value: Hash) {
        self.0.extend_from_slice(value.as_bytes());
    }

    pub(crate) fn maybe(&mut self, value: Option<&[u8]>) {
        match value {
            None => self.byte(0),
            Some(value) => {
                self.byte(1);
                self.bytes(value);
            }
        }
    }

    pub(crate) fn all(&mut self, values: &std::collections::BTreeSet<String>) {
        self.number(values.len() as u64);
        values.iter().for_each(|value| self.bytes(value.as_bytes()));
    }
}

/// Takes values off the front.
#[derive(Debug)]
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn byte(&mut self) -> Result<u8> {
        let (first, rest) = self.0.split_first().ok_or(Error::Malformed("it ends too early"))?;
        self.0 = rest;
        Ok(*first)
    }

    pub(crate) fn number(&mut self) -> Result<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if (bits << shift) >> shift != bits {
                break;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Error::Malformed("a number is too large"))
    }

    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(len).ok_or(Error::Malformed("it ends too early"))?;
        self.0 = rest;
        Ok(head)
    }

    pub(crate) fn count(&mut self) -> Result<usize> {
        let count = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        // Every item takes a byte at least.
        if count > self.0.len() { Err(Error::Malformed("a count is too large")) } else { Ok(count) }
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8]> {
        let len = self.count()?;
        self.take(len)
    }

    pub(crate) fn text(&mut self) -> Result<String> {
        let text = std::str::from_utf8(self.bytes()?);
        text.map(str::to_owned).or(Err(Error::Malformed("a text is not UTF-8")))
    }

    pub(crate) fn hash(&mut self) -> Result<Hash> {
        Hash::from_slice(self.take(32)?).ok_or(Error::Malformed("a hash is short"))
    }

    pub(crate) fn identity(&mut self) -> Result<Identity> {
        let bytes = self.take(16)?.try_into();
        bytes.map(Identity::from_bytes).or(Err(Error::Malformed("an identity is short")))
    }

    pub(crate) fn maybe(&mut self) -> Result<Option<&'a [u8]>> {
        match self.byte()? {
            0 => Ok(None),
            1 => Ok(Some(self.bytes()?)),
            _ => Err(Error::Malformed("a mark is neither 0 nor 1")),
        }
    }

    pub(crate) fn end(&self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(Error::Malformed("bytes follow its end")) }
    }
}
