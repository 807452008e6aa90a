//! How deeply values may be nested.
//!
//! What a thread keeps must be read again, also as a part of something larger, as in an event or in the log of a server, and readers
//! of JSON go no deeper than 127 levels. So a value that is nested more deeply than [`MOST_LEVELS`] is refused when it is given.

use serde_json::Value;
use smallvec::SmallVec;

/// The most levels of arrays and objects within each other, in a value that a thread is to keep: a field of its state, the input of
/// a send, a question, an answer, the result of a durable step.
pub const MOST_LEVELS: usize = 100;

/// Whether no more than so many arrays and objects are within each other.
pub fn is_nested_within(value: &Value, levels: usize) -> bool {
    let below = |value: &Value| levels > 0 && is_nested_within(value, levels - 1);
    match value {
        Value::Array(items) => levels > 0 && items.iter().all(below),
        Value::Object(fields) => levels > 0 && fields.values().all(below),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

/// What is said of a value that is nested too deeply.
pub(crate) fn too_deep() -> String {
    format!("it is nested too deeply: at most {MOST_LEVELS} arrays and objects may be within each other")
}

/// Whether a value in its stored form, which is MessagePack, is nested no more deeply than it may be.
pub(crate) fn may_be_stored(mut bytes: &[u8]) -> bool {
    // A level takes a byte at least.
    if bytes.len() <= MOST_LEVELS {
        return true;
    }
    // How many values are left on each level that is open.
    let mut open = SmallVec::<[usize; 8]>::new();
    while let Some((marker, rest)) = bytes.split_first() {
        bytes = rest;
        let number = |width: usize| {
            let digits = rest.get(..width).unwrap_or_default();
            digits.iter().fold(0_usize, |number, digit| number.wrapping_shl(8) | usize::from(*digit))
        };
        // The bytes behind the marker that belong to the value, and the values within it.
        let (skipped, within) = match *marker {
            0x80..=0x8f => (0, Some(2 * usize::from(marker & 0x0f))),
            0x90..=0x9f => (0, Some(usize::from(marker & 0x0f))),
            0xa0..=0xbf => (usize::from(marker & 0x1f), None),
            0xc4 | 0xd9 => (1 + number(1), None),
            0xc5 | 0xda => (2 + number(2), None),
            0xc6 | 0xdb => (4 + number(4), None),
            0xc7 => (2 + number(1), None),
            0xc8 => (3 + number(2), None),
            0xc9 => (5 + number(4), None),
            0xcc | 0xd0 => (1, None),
            0xcd | 0xd1 | 0xd4 => (2, None),
            0xca | 0xce | 0xd2 => (4, None),
            0xcb | 0xcf | 0xd3 => (8, None),
            0xd5 => (3, None),
            0xd6 => (5, None),
            0xd7 => (9, None),
            0xd8 => (17, None),
            0xdc => (2, Some(number(2))),
            0xdd => (4, Some(number(4))),
            0xde => (2, Some(number(2).saturating_mul(2))),
            0xdf => (4, Some(number(4).saturating_mul(2))),
            // Numbers that are their own marker, nothing and switches.
            _ => (0, None),
        };
        bytes = bytes.get(skipped..).unwrap_or_default();
        if let Some(last) = open.last_mut() {
            *last -= 1;
        }
        if let Some(within) = within {
            if open.len() >= MOST_LEVELS {
                return false;
            }
            open.push(within);
        }
        while open.last() == Some(&0) {
            open.pop();
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// A value within so many arrays and objects.
    fn nested(value: Value, levels: usize) -> Value {
        (0..levels).fold(value, |value, level| if level % 3 == 0 { json!({ "k": value }) } else { json!([1, value]) })
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,40}".prop_map(Value::from),
            (200_usize..70_000).prop_map(|length| "x".repeat(length).into()),
        ];
        leaf.prop_recursive(5, 40, 20, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..20).prop_map(Value::from),
                prop::collection::vec(("[a-z]{0,40}", inner), 0..20)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    #[test]
    fn a_value_may_have_so_many_levels_and_no_more() {
        for levels in [0, 1, 99, 100, 101, 300] {
            let value = nested(json!({}), levels);
            let stored = rmp_serde::to_vec_named(&value).unwrap();
            assert_eq!(is_nested_within(&value, MOST_LEVELS), levels < MOST_LEVELS, "{levels}");
            assert_eq!(may_be_stored(&stored), levels < MOST_LEVELS, "{levels}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn levels_of_the_stored_form_are_those_of_the_value(value in any_value(), levels in 90_usize..105, wide in 0_usize..40) {
            // Whatever stands before the value that is nested.
            let value = nested(value, levels);
            let value = Value::Array((0..wide).map(|number| json!(number * 1000)).chain([value]).collect());
            let stored = rmp_serde::to_vec_named(&value).unwrap();
            prop_assert_eq!(may_be_stored(&stored), is_nested_within(&value, MOST_LEVELS));
        }
    }
}
