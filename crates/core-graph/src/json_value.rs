//! JSON of stored values, places in JSON values, and how values compare.

use std::cmp::Ordering;
use std::error::Error;

use serde_json::Value;

/// The JSON of a value in its stored form, which is MessagePack. Bytes are an array of numbers, and keys of maps are texts,
/// as they are where the value itself is written as JSON.
pub(crate) fn of_stored(bytes: &[u8]) -> Value {
    let mut stored = rmp_serde::Deserializer::from_read_ref(bytes);
    serde_transcode::transcode(&mut stored, serde_json::value::Serializer).unwrap_or_else(|error| unwritable(&error))
}

/// Stands for a value that cannot be written as JSON.
pub(crate) fn unwritable(error: &dyn Error) -> Value {
    Value::String(format!("not representable as JSON: {error}"))
}

/// The value at a path.
pub(crate) fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    if path.is_empty() {
        return Some(value);
    }
    path.split('.').try_fold(value, |value, step| match value {
        Value::Object(fields) => fields.get(step),
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        _ => None,
    })
}

/// Whether two values are equal; numbers compare by value.
pub(crate) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(_), Value::Number(_)) => order(left, right) == Some(Ordering::Equal),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            let same = |(key, value): (&String, &Value)| right.get(key).is_some_and(|other| equal(value, other));
            left.len() == right.len() && left.iter().all(same)
        }
        _ => left == right,
    }
}

/// The order of two numbers or two strings.
pub(crate) fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        (Value::Number(left), Value::Number(right)) => {
            let whole = |number: &serde_json::Number| {
                number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
            };
            match (whole(left), whole(right)) {
                (Some(left), Some(right)) => Some(left.cmp(&right)),
                _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Serialize;

    use super::*;

    #[derive(Serialize)]
    enum Shape {
        Point,
        Circle { radius: f64 },
        Both(Box<(Shape, Shape)>),
    }

    #[derive(Serialize)]
    struct Packet {
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
        by_number: BTreeMap<u64, Option<i64>>,
        shape: Shape,
        nothing: (),
        large: u64,
    }

    #[test]
    fn a_stored_value_is_the_json_that_the_value_is() {
        let shape = Shape::Both(Box::new((Shape::Point, Shape::Circle { radius: 0.5 })));
        let by_number = [(1, Some(-3)), (300, None)].into();
        let packet = Packet { bytes: vec![0, 255], by_number, shape, nothing: (), large: u64::MAX };
        let stored = crate::state::codec::encode("packet", &packet).unwrap();
        assert_eq!(of_stored(&stored), serde_json::to_value(&packet).unwrap());
    }

    #[test]
    fn what_cannot_be_read_says_so() {
        assert!(of_stored(&[0x92, 0x01]).as_str().unwrap().starts_with("not representable as JSON: "));
    }
}
