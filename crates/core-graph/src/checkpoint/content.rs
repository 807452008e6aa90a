//! What records hold, read without the types of the graph.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::{CheckpointError, FieldRecord, RecordKind};
use crate::record::delta;
use crate::state::codec;

/// What a field record holds, as JSON.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FieldContent {
    /// A whole value.
    Value(Value),
    /// Updates to fold into the version before, in their order; only the field's reducer knows what they make of it.
    Updates(Vec<Value>),
}

impl FieldRecord {
    /// What the record holds, for showing it: bytes become arrays of numbers, and keys of maps become texts.
    ///
    /// # Errors
    /// [`CheckpointError::Corrupt`] when the bytes are not what a runtime writes.
    pub fn content(&self) -> Result<FieldContent, CheckpointError> {
        let read = || match self.kind {
            RecordKind::Whole => Ok(FieldContent::Value(json(&self.field, self.payload.bytes())?)),
            RecordKind::Delta => {
                let updates = delta::decode(&self.field, self.payload.bytes())?;
                let updates = updates.iter().map(|update| json(&self.field, update));
                Ok(FieldContent::Updates(updates.collect::<Result<_, _>>()?))
            }
        };
        read().map_err(|error: crate::state::StateError| CheckpointError::Corrupt {
            place: format!("field `{}`, version {}", self.field, self.version),
            message: error.to_string(),
        })
    }
}

fn json(field: &str, bytes: &[u8]) -> Result<Value, crate::state::StateError> {
    codec::decode::<AnyJson>(field, bytes).map(|any| any.0)
}

/// Any value that MessagePack can hold.
struct AnyJson(Value);

impl<'de> Deserialize<'de> for AnyJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor).map(Self)
    }
}

struct AnyVisitor;

impl<'de> Visitor<'de> for AnyVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(Self)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(Self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or_else(|| value.to_string().into(), Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_bytes<E>(self, value: &[u8]) -> Result<Value, E> {
        Ok(value.to_vec().into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(AnyJson(element)) = elements.next_element()? {
            array.push(element);
        }
        Ok(array.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((AnyJson(key), AnyJson(value))) = entries.next_entry()? {
            let key = match key {
                Value::String(key) => key,
                other => other.to_string(),
            };
            object.insert(key, value);
        }
        Ok(object.into())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Serialize;
    use serde_json::json;

    use super::*;
    use crate::checkpoint::FieldPayload;
    use crate::state::{FieldChange, Op};

    #[derive(Serialize)]
    struct Every {
        table: BTreeMap<u64, Option<&'static str>>,
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
        number: f64,
        negative: i8,
        tuple: (bool, ()),
    }

    fn record(kind: RecordKind, bytes: Vec<u8>) -> FieldRecord {
        FieldRecord { field: "x".into(), version: 3, previous: None, kind, payload: FieldPayload::new(bytes) }
    }

    #[test]
    fn values_of_any_type_are_shown() {
        let every = Every {
            table: BTreeMap::from([(7, Some("seven")), (8, None)]),
            bytes: vec![1, 2],
            number: f64::NAN,
            negative: -3,
            tuple: (true, ()),
        };
        let shown = json!({
            "table": {"7": "seven", "8": null}, "bytes": [1, 2], "number": "NaN", "negative": -3, "tuple": [true, null]
        });
        let bytes = codec::encode("x", &every).unwrap();
        assert_eq!(record(RecordKind::Whole, bytes.clone()).content().unwrap(), FieldContent::Value(shown.clone()));
        let changes = [1, 2].map(|field| FieldChange { field, op: Op::Fold, bytes: bytes.clone().into() });
        let delta = record(RecordKind::Delta, delta::encode("x", &changes.each_ref()).unwrap());
        assert_eq!(delta.content().unwrap(), FieldContent::Updates(vec![shown.clone(), shown]));
        for kind in [RecordKind::Whole, RecordKind::Delta] {
            let error = record(kind, vec![0xc1]).content().unwrap_err();
            assert!(error.to_string().contains("field `x`, version 3"), "{error}");
        }
    }
}
