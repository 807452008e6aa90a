//! Canonical JSON: equal values have equal texts.

use serde_json::Value;

/// `value` as JSON with sorted keys and without spaces.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

/// The key of a request: the hash of its canonical form.
pub fn key_of(request: &Value) -> String {
    blake3::hash(canonical(request).as_bytes()).to_hex().to_string()
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => {
            let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
            sorted.sort_unstable_by_key(|(name, _)| *name);
            out.push('{');
            for (index, (name, member)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Value::String(name.clone()).to_string());
                out.push(':');
                write(member, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_of_members_does_not_matter() {
        let one: Value = serde_json::from_str(r#"{"b": [1, {"y": 0.5, "x": null}], "a": "é\n"}"#).unwrap();
        assert_eq!(canonical(&one), r#"{"a":"é\n","b":[1,{"x":null,"y":0.5}]}"#);
        assert_eq!(key_of(&one), key_of(&json!({"a": "é\n", "b": [1, {"x": null, "y": 0.5}]})));
        assert_ne!(key_of(&one), key_of(&json!({"a": "é\n", "b": [{"x": null, "y": 0.5}, 1]})));
    }
}
