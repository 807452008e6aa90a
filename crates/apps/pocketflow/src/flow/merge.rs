//! Brings together what several runs changed in copies of one store.

use serde_json::{Map, Value};

/// Changes `now` as `after` changed `before`. What was changed in `now` already, and differently, stays; its places are
/// answered.
pub(super) fn merge(
    now: &mut Map<String, Value>,
    before: &Map<String, Value>,
    after: Map<String, Value>,
) -> Vec<String> {
    let mut conflicts = Vec::new();
    merge_at(now, before, after, "", &mut conflicts);
    conflicts
}

fn merge_at(
    now: &mut Map<String, Value>,
    before: &Map<String, Value>,
    after: Map<String, Value>,
    path: &str,
    conflicts: &mut Vec<String>,
) {
    let place = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        match now.get(key) {
            None => {}
            current if current == before.get(key) => {
                now.shift_remove(key);
            }
            Some(_) => conflicts.push(place(key)),
        }
    }
    for (key, value) in after {
        let was = before.get(&key);
        if was == Some(&value) {
            continue;
        }
        match now.get_mut(&key) {
            None if was.is_some() => conflicts.push(place(&key)),
            None => {
                now.insert(key, value);
            }
            Some(current) if Some(&*current) == was => *current = value,
            Some(current) if *current == value => {}
            Some(current) => both(current, was, value, &place(&key), conflicts),
        }
    }
}

/// A value that was changed on both sides.
fn both(current: &mut Value, was: Option<&Value>, value: Value, path: &str, conflicts: &mut Vec<String>) {
    match (current, value) {
        (Value::Object(current), Value::Object(value)) => {
            let nothing = Map::new();
            let was = was.and_then(Value::as_object).unwrap_or(&nothing);
            merge_at(current, was, value, path, conflicts);
        }
        (Value::Array(current), Value::Array(value)) => {
            let was = was.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            if current.starts_with(was) && value.starts_with(was) {
                current.extend(value.into_iter().skip(was.len()));
            } else {
                conflicts.push(path.to_owned());
            }
        }
        _ => conflicts.push(path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }

    #[test]
    fn changes_come_together_or_their_place_is_named() {
        let before = json!({ "a": 1, "list": [0], "deep": { "x": 1, "y": 1 }, "gone": 1 });
        for (one, other, expected) in [
            // Different keys, lists that grow, deep keys.
            (
                json!({ "a": 2, "list": [0, 1], "deep": { "x": 2, "y": 1 }, "gone": 1 }),
                json!({ "a": 1, "list": [0, 2], "deep": { "x": 1, "y": 2 }, "gone": 1, "new": 1 }),
                Ok(json!({ "a": 2, "list": [0, 1, 2], "deep": { "x": 2, "y": 2 }, "gone": 1, "new": 1 })),
            ),
            // Nothing changed; the same change twice; a key taken out.
            (before.clone(), before.clone(), Ok(before.clone())),
            (json!({ "a": 5 }), json!({ "a": 5 }), Ok(json!({ "a": 5 }))),
            // Conflicts.
            (json!({ "a": 2 }), json!({ "a": 3 }), Err("a")),
            (json!({ "deep": { "x": 2, "y": 1 } }), json!({ "deep": { "x": 3, "y": 1 } }), Err("deep.x")),
            (json!({ "list": [1] }), json!({ "list": [2] }), Err("list")),
            (json!({ "new": 1 }), json!({ "new": [1] }), Err("new")),
        ] {
            let whole = |value: &Value| {
                let mut whole = fields(before.clone());
                whole.extend(fields(value.clone()));
                whole
            };
            let (before, one, other) = (fields(before.clone()), whole(&one), whole(&other));
            let mut now = before.clone();
            assert!(merge(&mut now, &before, one).is_empty());
            let first = now.clone();
            let conflicts = merge(&mut now, &before, other);
            match expected {
                Ok(expected) => {
                    let mut all = before;
                    all.extend(fields(expected));
                    assert_eq!((now, conflicts.len()), (all, 0));
                }
                Err(place) => assert_eq!((now, conflicts), (first, vec![place.to_owned()]), "the first stays"),
            }
        }
    }

    #[test]
    fn what_is_taken_out_stays_out() {
        let before = fields(json!({ "a": 1, "b": 1 }));
        let mut now = before.clone();
        assert!(merge(&mut now, &before, fields(json!({ "b": 1 }))).is_empty());
        assert_eq!(now, fields(json!({ "b": 1 })));
        assert_eq!(merge(&mut now, &before, fields(json!({ "a": 2, "b": 1, "c": 3 }))), ["a"]);
        assert_eq!(now, fields(json!({ "b": 1, "c": 3 })), "what does not conflict is taken over");
    }
}
