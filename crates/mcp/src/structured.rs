//! Whether the texts of an answer say what its data says.

use serde_json::Value;

/// Whether one of the texts, or all of them, are the data in another form, so that a model needs to read one of both.
///
/// They are where a text is the same JSON, or holds it, and where the data is one value under a name and the texts are that
/// value: servers that make data of a text wrap it so.
pub(crate) fn say_the_same(texts: &[String], data: &Value) -> bool {
    let written = [data.to_string(), serde_json::to_string_pretty(data).unwrap_or_default()];
    let holds = |text: &String| written.iter().any(|written| text.contains(written.as_str()));
    if texts.iter().any(|text| is(text, data) || holds(text)) {
        return true;
    }
    let Value::Object(members) = data else { return false };
    let mut values = members.values();
    let (Some(value), None) = (values.next(), values.next()) else { return false };
    match value {
        Value::Array(items) if texts.len() > 1 => {
            items.len() == texts.len() && items.iter().zip(texts).all(|(item, text)| is(text, item))
        }
        value => is(&texts.join("\n"), value),
    }
}

/// Whether a text is a value: the same text, or the JSON of it.
fn is(text: &str, value: &Value) -> bool {
    let text = text.trim();
    let same = value.as_str().is_some_and(|value| value.trim() == text);
    same || serde_json::from_str::<Value>(text).is_ok_and(|read| read == *value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_that_is_the_data_is_told_from_one_beside_it() {
        for (texts, data, same) in [
            (&["{\"b\": 2, \"a\": 1}"][..], json!({"a": 1, "b": 2}), true),
            (&["Found:\n{\"a\":1,\"b\":2}"], json!({"a": 1, "b": 2}), true),
            (&["It is warm."], json!({"celsius": 31}), false),
            (&["31"], json!({"result": 31}), true),
            (&["Tides follow the moon.\n"], json!({"content": "Tides follow the moon."}), true),
            (&["one", "two"], json!({"result": ["one", "two"]}), true),
            (&["one", "three"], json!({"result": ["one", "two"]}), false),
            (&["one", "two"], json!({"result": "one\ntwo"}), true),
            (&[], json!({"a": 1}), false),
            (&["1"], json!({"a": 1, "b": 1}), false),
            (&["null"], json!(null), true),
            (&["x"], json!({}), false),
        ] {
            let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
            assert_eq!(say_the_same(&texts, &data), same, "{texts:?} {data}");
        }
    }
}
