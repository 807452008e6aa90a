//! Whether one JSON value has another inside, as PostgreSQL's `@>` for `jsonb` has it (PostgreSQL 17, section 8.14.3).

use graphloom_core_graph::store::{Comparison, Condition};
use serde_json::{Map, Value};

/// Whether an object has every key of another with a value that contains that of the other.
pub(crate) fn contains_fields(container: &Map<String, Value>, part: &Map<String, Value>) -> bool {
    part.iter().all(|(key, part)| container.get(key).is_some_and(|value| contains(value, part)))
}

/// The conditions on the values below `path` that an object with these parts below it meets: those that a store can look for.
/// An object that meets them need not contain the parts.
pub(super) fn conditions<'p>(
    path: &'p str,
    part: Option<&'p Map<String, Value>>,
) -> impl Iterator<Item = (String, Value)> + 'p {
    let is_plain = |(key, value): &(&String, &Value)| {
        !key.is_empty() && !key.contains('.') && !matches!(value, Value::Array(_) | Value::Object(_))
    };
    part.into_iter().flatten().filter(is_plain).map(move |(key, value)| (format!("{path}.{key}"), value.clone()))
}

/// Whether a value contains another: objects by key, arrays as sets of elements, numbers by their value, other values
/// when they are equal.
pub(super) fn contains(container: &Value, part: &Value) -> bool {
    match (container, part) {
        (Value::Object(container), Value::Object(part)) => contains_fields(container, part),
        (Value::Array(container), Value::Array(part)) => {
            part.iter().all(|part| container.iter().any(|value| contains(value, part)))
        }
        (Value::Object(_) | Value::Array(_), _) | (_, Value::Object(_) | Value::Array(_)) => false,
        _ => Condition::new("", Comparison::Eq, part.clone()).holds(container),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn values_contain_what_postgresql_says_they_contain() {
        let cases = [
            (json!({"a": 1, "b": {"c": [1, 2, 3]}}), json!({"b": {"c": [3, 1]}}), true),
            (json!({"a": 1}), json!({}), true),
            (json!({"a": 1}), json!({"a": 1.0}), true),
            (json!({"a": 1}), json!({"a": "1"}), false),
            (json!({"a": null}), json!({"a": null}), true),
            (json!({}), json!({"a": null}), false),
            (json!([1, 2]), json!([1, 1, 1]), true),
            (json!([1, 2]), json!([1, 3]), false),
            (json!([1, [2, 3]]), json!([[3]]), true),
            (json!([1, [2, 3]]), json!([3]), false),
            (json!({"tags": ["a", "b"]}), json!({"tags": "a"}), false),
            (json!({"a": [{"b": 1, "c": 2}]}), json!({"a": [{"c": 2}]}), true),
            (json!({"a": {"b": 1}}), json!({"b": 1}), false),
            (json!({"a": []}), json!({"a": {}}), false),
            (json!({"a": [1]}), json!({"a": []}), true),
        ];
        for (container, part, expected) in cases {
            assert_eq!(contains(&container, &part), expected, "{container} @> {part}");
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(Value::from),
            (0..3).prop_map(Value::from),
            "[ab]".prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map("[ab]", inner, 0..3)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn containment_is_an_order(a in any_json(), b in any_json(), c in any_json()) {
            prop_assert!(contains(&a, &a));
            prop_assert!(!(contains(&a, &b) && contains(&b, &c)) || contains(&a, &c));
        }
    }
}
