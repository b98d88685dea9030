//! Values out of thin air, for every type that serde can read: a deserializer that throws dice instead of reading. So
//! a new message has its seeds on the day it is declared.

use crate::Chance;
use serde::{
    Deserializer,
    de::{
        self, DeserializeOwned, DeserializeSeed, EnumAccess, IntoDeserializer as _, MapAccess, SeqAccess,
        VariantAccess, Visitor, value::Error,
    },
    forward_to_deserialize_any,
};

/// Texts that types with rules accept, and some that they do not.
const TEXTS: [&str; 12] = [
    "local:default",
    "a",
    "gateway:local",
    "",
    "buy milk",
    "ünïcödé",
    "* TODO [#A] x :tag:",
    "\u{1f468}\u{200d}\u{1f467}",
    "2026-12-31",
    "00000000000000010707070707070707",
    "line\nline",
    "(:type :event)",
];

/// Numbers at the edges.
const NUMBERS: [u64; 10] = [0, 1, 2, 12, 31, 127, 250, 255, 65_535, u64::MAX];

/// Most elements of a list: with the depth of the types this keeps values below a kilobyte or so.
const LIST_MAX: usize = 3;

/// Tries before giving up on a type with rules.
const TRIES: usize = 16;

/// Throws a value. `None` when the type refused every throw.
pub(crate) fn throw<T: DeserializeOwned>(chance: &mut Chance) -> Option<T> {
    (0..TRIES).find_map(|_| T::deserialize(Dice(chance)).ok())
}

struct Dice<'a>(&'a mut Chance);

impl Dice<'_> {
    fn number(&mut self) -> u64 {
        let edge = self.0.pick(&NUMBERS).copied().unwrap_or(0);
        if self.0.once_in(3) { self.0.any() } else { edge }
    }

    fn text(&mut self) -> &'static str {
        self.0.pick(&TEXTS).copied().unwrap_or("")
    }
}

/// Numbers of every width go in as 64 bits and are refused by the type when they do not fit; then the dice roll again.
macro_rules! numbers {
    ($($method:ident $mask:literal),*) => {
        $(fn $method<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
            visitor.visit_u64(self.number() & $mask)
        })*
    };
}

impl<'de> Deserializer<'de> for Dice<'_> {
    type Error = Error;

    /// Only formats that describe themselves can answer this.
    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        Err(de::Error::custom("dice do not describe themselves"))
    }

    numbers!(
        deserialize_u8 0xff, deserialize_u16 0xffff, deserialize_u32 0xffff_ffff, deserialize_u64 0xffff_ffff_ffff_ffff,
        deserialize_i8 0x7f, deserialize_i16 0x7fff, deserialize_i32 0x7fff_ffff
    );

    fn deserialize_i64<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_i64(self.number().cast_signed())
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(self.0.once_in(2))
    }

    fn deserialize_char<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_char(self.text().chars().next().unwrap_or('x'))
    }

    fn deserialize_str<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_str(self.text())
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.once_in(2) { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let left = self.0.below(LIST_MAX + 1);
        visitor.visit_seq(Throws { dice: self, left })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let left = self.0.below(LIST_MAX + 1);
        visitor.visit_map(Throws { dice: self, left })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(Throws { dice: self, left: len })
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_tuple(fields.len(), visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let index = u32::try_from(self.0.below(variants.len())).unwrap_or(0);
        visitor.visit_enum(Choice { dice: self, index })
    }

    forward_to_deserialize_any! {
        i128 u128 f32 f64 bytes byte_buf identifier ignored_any
    }
}

/// So many values, each thrown anew.
struct Throws<'a> {
    dice: Dice<'a>,
    left: usize,
}

impl Throws<'_> {
    fn throw<'de, S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(Dice(self.dice.0))
    }
}

impl<'de> SeqAccess<'de> for Throws<'_> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                self.throw(seed).map(Some)
            }
            None => Ok(None),
        }
    }
}

impl<'de> MapAccess<'de> for Throws<'_> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        self.next_element_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        self.throw(seed)
    }
}

/// One variant of an enum, by its number.
struct Choice<'a> {
    dice: Dice<'a>,
    index: u32,
}

impl<'de, 'a> EnumAccess<'de> for Choice<'a> {
    type Error = Error;
    type Variant = Dice<'a>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Dice<'a>), Error> {
        let variant = seed.deserialize(self.index.into_deserializer())?;
        Ok((variant, self.dice))
    }
}

impl<'de> VariantAccess<'de> for Dice<'_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_tuple(fields.len(), visitor)
    }
}
