//! A text that is cut anywhere gives a part of the value, and nothing else.

use serde_json::json;

use super::super::*;

/// Whether `found` is what is left of `whole`: strings, arrays and objects may end early, a number may lack digits, and null
/// stands for a value that is missing.
fn is_part(found: &Value, whole: &Value) -> bool {
    match (found, whole) {
        (Value::Null, _) | (Value::Number(_), Value::Number(_)) => true,
        (Value::String(found), Value::String(whole)) => whole.starts_with(found.as_str()),
        (Value::Array(found), Value::Array(whole)) => {
            found.len() <= whole.len() && found.iter().zip(whole).all(|(found, whole)| is_part(found, whole))
        }
        (Value::Object(found), Value::Object(whole)) => {
            found.iter().all(|(key, found)| whole.get(key).is_some_and(|whole| is_part(found, whole)))
        }
        _ => found == whole,
    }
}

#[test]
fn a_cut_text_gives_a_part_of_the_value() {
    let value = json!({
        "title": "Tea, and \"coffee\"",
        "claims": [
            {"text": "Tea {green} is mild, see [1]", "sources": [1, -2.5], "sure": true},
            {"text": "caf\u{e9} \u{1f600}, \"x\": 1}, {\"y\"", "sources": [], "sure": false}
        ],
        "code": "fn main() {\n    f(\"{}\", x[0]);\n}",
        "a:b": [[{"c": null}], "http://x.y/z # 1"],
        "": {"end": "}]"}
    });
    let ascii = value.to_string().replace('\u{e9}', "\\u00e9").replace('\u{1f600}', "\\ud83d\\ude00");
    for text in [value.to_string(), ascii, format!("{value:#}")] {
        for end in (1..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let found = repair_json(&text[..end]).unwrap().value;
            assert!(is_part(&found, &value), "{}\n{found}", &text[..end]);
        }
    }
}
