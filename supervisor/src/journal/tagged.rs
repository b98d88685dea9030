//! A record as one flat JSON object with its type first: `{"t":"done","key":..}`. The derived form of such a tag reads
//! every object twice, which would make a start half as fast; this reads it once. Never accepts a type elsewhere than
//! first, because nobody writes it there.

use super::Record;
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, EnumAccess, Error as _, IntoDeserializer as _, MapAccess, VariantAccess, Visitor},
    forward_to_deserialize_any,
};
use std::fmt;

/// Appends the record. On an error the buffer holds rubbish behind its old end.
pub(super) fn encode(record: &Record, to: &mut Vec<u8>) -> Result<(), serde_json::Error> {
    // Serde writes `{"done":{..}}`. The wanted head is three bytes longer, and one brace less closes it.
    let start = to.len();
    to.extend_from_slice(b"   ");
    serde_json::to_writer(&mut *to, record)?;
    let head = format!("{{\"t\":\"{}\",", record.kind());
    if let Some(place) = to.get_mut(start..start + head.len()) {
        place.copy_from_slice(head.as_bytes());
    }
    to.pop();
    Ok(())
}

/// Reads a record back.
pub(super) fn decode(body: &[u8]) -> Result<Record, serde_json::Error> {
    serde_json::from_slice::<Tagged>(body).map(|tagged| tagged.0)
}

struct Tagged(Record);

impl<'de> Deserialize<'de> for Tagged {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Object)
    }
}

struct Object;

impl<'de> Visitor<'de> for Object {
    type Value = Tagged;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object whose first key is \"t\"")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tagged, A::Error> {
        let key: Option<&str> = map.next_key()?;
        if key != Some("t") {
            return Err(A::Error::custom("the first key is not \"t\""));
        }
        let tag: &str = map.next_value()?;
        Record::deserialize(Fields { tag, map }).map(Tagged)
    }
}

/// The rest of the object, as the enum that its tag makes it.
struct Fields<'de, A> {
    tag: &'de str,
    map: A,
}

impl<'de, A: MapAccess<'de>> Deserializer<'de> for Fields<'de, A> {
    type Error = A::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, A::Error> {
        visitor.visit_enum(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, A: MapAccess<'de>> EnumAccess<'de> for Fields<'de, A> {
    type Error = A::Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), A::Error> {
        let variant = seed.deserialize(self.tag.into_deserializer())?;
        Ok((variant, self))
    }
}

/// Every record is a struct variant; the other shapes cannot be met.
impl<'de, A: MapAccess<'de>> VariantAccess<'de> for Fields<'de, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        Err(A::Error::custom("a record has fields"))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, A::Error> {
        Err(A::Error::custom("a record has named fields"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, A::Error> {
        Err(A::Error::custom("a record has named fields"))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        visitor.visit_map(self.map)
    }
}
