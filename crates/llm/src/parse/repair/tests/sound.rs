//! Texts that look like what the rules look for, and that stay whole.

use serde_json::json;

use super::super::*;

/// Reads sound JSON with the tolerant reader, which text behind the value calls up.
fn read_tolerantly(json: &str) -> Repaired {
    let mut repaired = repair_json(&format!("{json} .")).unwrap();
    assert_eq!(repaired.repairs.pop().map(|repair| repair.kind), Some(RepairKind::TrailingText), "{json}");
    repaired
}

#[test]
fn sound_strings_are_never_cut() {
    let strings = [
        r#"one, "x": 1"#,
        r#"one, "x": "y", and {"z": [1]}"#,
        "one,\n\"x\": 1",
        "one }, { \"x\": 1",
        "a set {x} and a list [1]",
        "an open { bracket",
        "closed }]",
        "]}",
        "tea // milk",
        "tea # milk /* sugar",
        "```json\n{\"x\": 1}\n```",
        "```",
        "",
        "\"",
        "\"\"",
        "\"quoted\"",
        "'",
        "''it''",
        "key: value",
        ": ",
        ", ",
        ",",
        "1e",
        "-",
        "...",
        "REMARK \"x\": 1",
        "a\\",
        "“curly”, \"x\": 1",
        "line\n\"x\": 1\nline",
    ];
    for string in strings {
        let value = json!({
            "first": string,
            string: [string, string, {"x": string}],
            "list": [[string], [string, 1], ["", string, ""]],
            "last": string
        });
        for json in [value.to_string(), format!("{value:#}"), format!("{value:#}").replace('\n', "\r\n")] {
            let repaired = read_tolerantly(&json);
            assert_eq!(repaired.value, value, "{json}");
            assert_eq!(repaired.repairs, [], "{json}");
        }
    }
}

#[test]
fn long_sound_values_are_whole() {
    let long = "word, ".repeat(400);
    let value = json!({
        &long: long,
        "\"a\": 1, ".repeat(100): ["\"a\": 1, ".repeat(100), 1.5e300, -7],
        "digits": [123_456_789_012_345_678_u64],
        "deep": [[[[{"a": [[]]}]]]]
    });
    assert_eq!(read_tolerantly(&value.to_string()), Repaired { value, repairs: Vec::new() });
    let spaces = " ".repeat(1000);
    let text = format!("{{{spaces}\"a\"{spaces}:{spaces}[{spaces}\"b\"{spaces},{spaces}1{spaces}]{spaces}}}");
    assert_eq!(read_tolerantly(&text).value, json!({"a": ["b", 1]}));
}

#[test]
fn quotes_in_strings_that_are_not_escaped_cut_nothing() {
    let cases = [
        (r#"{"a": "both "x", and "y" too", "b": 1}"#, json!({"a": "both \"x\", and \"y\" too", "b": 1})),
        (r#"{"a": "the "x", y", "b": 1}"#, json!({"a": "the \"x\", y", "b": 1})),
        (r#"{"a": "like {"x": 1, "y": 2} so", "b": 1}"#, json!({"a": "like {\"x\": 1, \"y\": 2} so", "b": 1})),
        (r#"{"a": "a "{" sign", "b": 1}"#, json!({"a": "a \"{\" sign", "b": 1})),
        (r#"{"a": "so "x" it is"}"#, json!({"a": "so \"x\" it is"})),
        (r#"{"a": "set "x" y} z", "b": 1}"#, json!({"a": "set \"x\" y} z", "b": 1})),
        (r#"{"a": "2" by 4" board", "b": 1}"#, json!({"a": "2\" by 4\" board", "b": 1})),
        (r#"["6" pipe", "b"]"#, json!(["6\" pipe", "b"])),
        (r#"["say "x", friend", "b"]"#, json!(["say \"x\", friend", "b"])),
        (r#"{"a": "use ```x``` here",}"#, json!({"a": "use ```x``` here"})),
        (r#"{"a": "see http://x.y/z # 1",}"#, json!({"a": "see http://x.y/z # 1"})),
        (r#"{"a:b": 1, "c:d" : 2,}"#, json!({"a:b": 1, "c:d": 2})),
        (r#"{"a": "one, "so": he said", "b": 1}"#, json!({"a": "one, \"so\": he said", "b": 1})),
        (r#"{"a": "he said "x", "y" and z", "b": 1}"#, json!({"a": "he said \"x\", \"y\" and z", "b": 1})),
        (r#"["one, "two", three", "b"]"#, json!(["one, \"two\", three", "b"])),
        (r#"["one "two", "b"]"#, json!(["one \"two", "b"])),
        (r#"["Note": see below", "b"]"#, json!(["Note\": see below", "b"])),
    ];
    for (text, value) in cases {
        assert_eq!(repair_json(text).unwrap().value, value, "{text}");
    }
}
