use serde_json::{Map, json};

use super::*;

mod cut;
mod rules;
mod sound;

#[test]
fn broken_json_is_read() {
    let cases: &[(&str, Value)] = &[
        // Sound JSON stays as it is.
        (r#"{"a": [1, 2.5, "x", true, null]}"#, json!({"a": [1, 2.5, "x", true, null]})),
        // Brackets.
        (r#"{"a": [1, 2"#, json!({"a": [1, 2]})),
        (r#"{"a": {"b": 1}"#, json!({"a": {"b": 1}})),
        (r#"{"a": [1, 2}"#, json!({"a": [1, 2]})),
        (r#"[{"a": 1], {"b": 2}]"#, json!([{"a": 1}, {"b": 2}])),
        (r#"{"a": 1}}"#, json!({"a": 1})),
        ("{", json!({})),
        ("[", json!([])),
        ("[[[", json!([[[]]])),
        // Commas and colons.
        (r#"{"a": 1, "b": 2,}"#, json!({"a": 1, "b": 2})),
        ("[1, 2, 3,]", json!([1, 2, 3])),
        ("[1,,2]", json!([1, 2])),
        (r#"{"a": 1 "b": 2}"#, json!({"a": 1, "b": 2})),
        (r#"["a" "b"]"#, json!(["a", "b"])),
        ("[{\"a\": 1} {\"b\": 2}]", json!([{"a": 1}, {"b": 2}])),
        (r#"{"a" 1}"#, json!({"a": 1})),
        (r#"{"a" = 1, "b" => 2}"#, json!({"a": 1, "b": 2})),
        (r#"{"a": , "b": 2}"#, json!({"a": null, "b": 2})),
        (r#"{"a"}"#, json!({"a": null})),
        (r#"{"a":"#, json!({"a": null})),
        // Quotes.
        ("{'a': 'b'}", json!({"a": "b"})),
        ("{'it's': 1}", json!({"it's": 1})),
        ("[1 2 3]", json!([1, 2, 3])),
        ("[10 apples, 3]", json!(["10 apples", 3])),
        ("{“a”: “b”}", json!({"a": "b"})),
        ("{`a`: `b`}", json!({"a": "b"})),
        (r#"{"a": 'it is "so"'}"#, json!({"a": "it is \"so\""})),
        ("{a: 1, b_c: 'x'}", json!({"a": 1, "b_c": "x"})),
        ("{a: some words, b: 2}", json!({"a": "some words", "b": 2})),
        (r#"{"a": "the "ACID" words", "b": 1}"#, json!({"a": "the \"ACID\" words", "b": 1})),
        (r#"{"a": "say "x", then "y"", "b": 1}"#, json!({"a": "say \"x\", then \"y\"", "b": 1})),
        (r#"["the "first" one", "two"]"#, json!(["the \"first\" one", "two"])),
        (r#"{"a": "open"#, json!({"a": "open"})),
        ("{\"a\": \"open,\n \"b\": 1}", json!({"a": "open", "b": 1})),
        // Characters in strings.
        ("{\"a\": \"two\nlines\tand tab\"}", json!({"a": "two\nlines\tand tab"})),
        (r#"{"a": "C:\dir\file"}"#, json!({"a": "C:\\dir\u{c}ile"})),
        (r#"{"a": "\u00e9\ud83d\ude00", }"#, json!({"a": "é😀"})),
        (r#"{"a": "\ud83d", }"#, json!({"a": "\u{fffd}"})),
        (r#"{"a": "\uZZ", }"#, json!({"a": "\\uZZ"})),
        // Literals and numbers.
        (
            "{\"a\": True, \"b\": None, \"c\": NaN, \"d\": undefined}",
            json!({"a": true, "b": null, "c": null, "d": null}),
        ),
        ("[+1, .5, 1., 1_000]", json!([1, 0.5, 1.0, 1000])),
        ("[1-2, 10:30]", json!(["1-2", "10:30"])),
        // Comments and ellipses.
        ("{\"a\": 1, // first\n \"b\": 2 /* second */}", json!({"a": 1, "b": 2})),
        ("{\n# note\n\"a\": 1}", json!({"a": 1})),
        ("[1, 2, ...]", json!([1, 2])),
        ("{\"a\": 1, ...}", json!({"a": 1})),
        // Text around.
        ("answer: {\"a\": 1} thanks", json!({"a": 1})),
        ("{\"url\": \"http://x.y/z\"}", json!({"url": "http://x.y/z"})),
    ];
    let mut wrong = Vec::new();
    for (text, expected) in cases {
        match repair_json(text) {
            Ok(repaired) if repaired.value == *expected => {}
            other => wrong.push(format!("{text}: {other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn repairs_are_listed_with_their_place() {
    let repairs = repair_json("{'a': True,}").unwrap().repairs;
    assert_eq!(
        repairs,
        [
            Repair { kind: RepairKind::OtherQuotes, at: 1 },
            Repair { kind: RepairKind::Literal, at: 6 },
            Repair { kind: RepairKind::ExtraComma, at: 11 },
        ]
    );
    assert!(repair_json(r#"{"a": 1}"#).unwrap().repairs.is_empty());
}

#[test]
fn bounds_hold() {
    assert_eq!(repair_json("plain"), Err(RepairError::NoValue));
    assert!(matches!(repair_json(&"[".repeat(100_000)), Err(RepairError::TooDeep(_))));
    assert!(matches!(repair_json(&"{\"a\":".repeat(1000)), Err(RepairError::TooDeep(_))));
    assert_eq!(repair_json(&" ".repeat(MAX_BYTES + 1)), Err(RepairError::TooLong(MAX_BYTES + 1)));
    let quotes = format!("[{}", "\"a\" b ".repeat(MAX_BYTES / 8));
    assert!(repair_json(&quotes).is_ok());
    // What is looked for at every byte is looked for within a bounded distance.
    for part in ["\"", "\"\" ", "x{", "//}", "/*}", "#]", "a, b\" ", "{\"k\": \"{\"k\":", ", \"k\": x", "a ", "}, "] {
        for start in ["{", "[", "{\"a\": \"", "{\"a\": b "] {
            let text = format!("{start}{}", part.repeat((MAX_BYTES >> 5) / part.len()));
            assert!(!matches!(repair_json(&text), Err(RepairError::NoValue | RepairError::TooLong(_))));
        }
    }
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "[\\[\\]{}:,\"'a1 \\n\\\\u./#é“”-]{0,200}") {
        let _ = repair_json(&text);
    }

    #[test]
    fn places_are_in_order(text in "[{\\[](\"|\"\"|'|k|1|, |: |\\{|\\}|\\[|\\]|\n|//|#|/\\*|```|\\\\|é|“){0,60}") {
        if let Ok(repaired) = repair_json(&text) {
            let places: Vec<usize> = repaired.repairs.iter().map(|repair| repair.at).collect();
            proptest::prop_assert!(places.is_sorted() && places.iter().all(|at| *at <= text.len()), "{places:?}");
        }
    }

    #[test]
    fn sound_json_like_text_is_unchanged(
        words in proptest::collection::vec("(\"|'|k|1|, |: |\\{|\\}|\\[|\\]|\n|//|#|```|\\\\|“|”){0,12}", 0..6)
    ) {
        let members: Map<String, Value> = words.iter().map(|word| (word.clone(), json!([word, {"k": word}]))).collect();
        let value = json!({"words": words, "members": members});
        let again = repair_json(&format!("{value} .")).unwrap();
        proptest::prop_assert_eq!(&again.value, &value);
        proptest::prop_assert_eq!(again.repairs.len(), 1);
    }

    #[test]
    fn sound_json_is_unchanged(words in proptest::collection::vec("\\PC{0,12}", 0..6)) {
        let value = json!({"words": words, "n": [1, {"deep": null}]});
        let text = value.to_string();
        let repaired = repair_json(&text).unwrap();
        proptest::prop_assert_eq!(&repaired.value, &value);
        // The tolerant reader agrees with the strict one on sound JSON when it must read it itself.
        let again = repair_json(&format!("{text} .")).unwrap();
        proptest::prop_assert_eq!(&again.value, &value);
    }
}

/// The cases of the Python package json-repair, which `bench/json_repair.py` takes from its tests.
#[test]
#[ignore = "needs the file that JSON_REPAIR_CASES names"]
fn published_cases() {
    #[derive(Deserialize)]
    struct Case {
        text: String,
        expected: Value,
    }
    let file = std::env::var("JSON_REPAIR_CASES").expect("JSON_REPAIR_CASES names a file");
    let lines = std::fs::read_to_string(file).expect("the cases");
    let cases: Vec<Case> = lines.lines().map(|line| serde_json::from_str(line).expect("a case")).collect();
    let mut equal = 0;
    for Case { text, expected } in &cases {
        let schema = json!({ "type": if expected.is_array() { "array" } else { "object" } });
        match crate::parse::read_value(text, Some(&schema)) {
            Ok(found) if found.value == *expected => equal += 1,
            Ok(found) => println!("{text:?}\n  is to be {expected}\n  is {}", found.value),
            Err(failure) => println!("{text:?}\n  is to be {expected}\n  {failure}"),
        }
    }
    println!("{equal} of {} cases", cases.len());
    assert!(equal * 100 >= cases.len() * 85, "{equal} of {} cases", cases.len());
}
