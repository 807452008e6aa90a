//! One table a rule: the broken text, the value, and the repairs with their places.

use serde_json::json;

use super::super::RepairKind::{self, *};
use super::super::*;

type Case = (&'static str, Value, &'static [(RepairKind, usize)]);

#[track_caller]
fn assert_repaired(cases: &[Case]) {
    for (text, value, repairs) in cases {
        let repaired = repair_json(text).unwrap();
        assert_eq!(repaired.value, *value, "{text}");
        let listed: Vec<_> = repaired.repairs.iter().map(|repair| (repair.kind, repair.at)).collect();
        assert_eq!(listed, *repairs, "{text}");
    }
}

#[test]
fn what_the_end_of_the_text_cuts_off_is_dropped() {
    assert_repaired(&[
        (r#"{"port": 1, "host": "x", "po"#, json!({"port": 1, "host": "x"}), &[(CutOff, 25), (ClosedBracket, 28)]),
        // The cut key is the name of an earlier member, which keeps its value.
        (r#"{"port": 1, "port"#, json!({"port": 1}), &[(CutOff, 12), (ClosedBracket, 17)]),
        (r#"{"port": 1, "port""#, json!({"port": 1}), &[(MissingValue, 18), (ClosedBracket, 18)]),
        ("{port: 1, po", json!({"port": 1}), &[(UnquotedKey, 1), (CutOff, 10), (ClosedBracket, 12)]),
        (r#"["red", ""#, json!(["red"]), &[(CutOff, 8), (ClosedBracket, 9)]),
        (r#"["caf\u00"#, json!(["caf"]), &[(CutOff, 5), (ClosedString, 9), (ClosedBracket, 9)]),
        (r#"["so \ud83d\ud"#, json!(["so"]), &[(CutOff, 5), (ClosedString, 14), (ClosedBracket, 14)]),
        (r#"{"ok": fal"#, json!({"ok": false}), &[(Literal, 7), (ClosedBracket, 10)]),
        ("[4, -", json!([4]), &[(CutOff, 4), (ClosedBracket, 5)]),
        (r#"{"n": -"#, json!({"n": null}), &[(CutOff, 6), (MissingValue, 7), (ClosedBracket, 7)]),
        ("[4e, 2.5E-, 3-]", json!([4, 2.5, "3-"]), &[(Number, 1), (Number, 5), (UnquotedText, 12)]),
    ]);
}

#[test]
fn a_string_without_closing_quote_ends_before_the_next_key() {
    assert_repaired(&[
        (r#"{"town": "Old Mill, "size": 12}"#, json!({"town": "Old Mill", "size": 12}), &[(ClosedString, 18)]),
        (r#"{"town": "Old Mill,"size": 12}"#, json!({"town": "Old Mill", "size": 12}), &[(ClosedString, 18)]),
        (
            "{\"town\": \"Old Mill\n\"size\": x}",
            json!({"town": "Old Mill", "size": "x"}),
            &[(ClosedString, 18), (MissingComma, 19), (UnquotedText, 27)],
        ),
        (
            r#"{"at": {"town": "Old Mill}, "size": 12}"#,
            json!({"at": {"town": "Old Mill"}, "size": 12}),
            &[(ClosedString, 25)],
        ),
        (
            r#"[{"town": "Old Mill}, {"town": "New"}]"#,
            json!([{"town": "Old Mill"}, {"town": "New"}]),
            &[(ClosedString, 19)],
        ),
        (
            r#"{"towns": ["Old Mill, or so], "size": 12}"#,
            json!({"towns": ["Old Mill, or so"], "size": 12}),
            &[(ClosedString, 27)],
        ),
        (
            "{\"tea\": warm \"milk\": cold}",
            json!({"tea": "warm", "milk": "cold"}),
            &[(UnquotedText, 8), (MissingComma, 13), (UnquotedText, 21)],
        ),
    ]);
}

#[test]
fn a_string_that_never_closes_ends_before_the_closing_brackets() {
    assert_repaired(&[
        (r#"{"list": ["x", "y z]}"#, json!({"list": ["x", "y z"]}), &[(ClosedString, 19)]),
        ("{\"note\": \"some words\n}", json!({"note": "some words"}), &[(ClosedString, 20)]),
        ("{\"note\": \"some words}\n```", json!({"note": "some words"}), &[(ClosedString, 20), (TrailingText, 22)]),
        (r#"{"note": "a set {x}}"#, json!({"note": "a set {x}"}), &[(ClosedString, 19)]),
        // The bracket is of the string.
        (r#"{"note": "a set {x}"#, json!({"note": "a set {x}"}), &[(ClosedString, 19), (ClosedBracket, 19)]),
        // One of two brackets is there, so the text is cut, and nobody knows where the string ends.
        (
            r#"{"in": {"note": "words}"#,
            json!({"in": {"note": "words}"}}),
            &[(ClosedString, 23), (ClosedBracket, 23), (ClosedBracket, 23)],
        ),
    ]);
}

#[test]
fn nothing_is_lost_behind_a_bracket_of_the_wrong_kind() {
    assert_repaired(&[
        (r#"{"a": [1, 2}, "b": 3}"#, json!({"a": [1, 2], "b": 3}), &[(StrayBracket, 11)]),
        (r#"[{"a": {"b": 1], "c": 2}]"#, json!([{"a": {"b": 1}, "c": 2}]), &[(StrayBracket, 14)]),
        (r#"[{"a": 1], {"b": 2}]"#, json!([{"a": 1}, {"b": 2}]), &[(StrayBracket, 8)]),
        (r#"{"x": [[1, 2}, "b": 3}"#, json!({"x": [[1, 2]], "b": 3}), &[(ClosedBracket, 12), (StrayBracket, 12)]),
        // Here a bracket is missing, and the bracket that is there is right.
        (r#"[{"a": [1, 2}, {"a": 3}]"#, json!([{"a": [1, 2]}, {"a": 3}]), &[(ClosedBracket, 12)]),
        (r#"{"x": {"a": [1, 2}, "b": 3}"#, json!({"x": {"a": [1, 2]}, "b": 3}), &[(ClosedBracket, 17)]),
        (r#"[{"a": [1}}, {"a": [2]}]"#, json!([{"a": [1]}, {"a": [2]}]), &[(StrayBracket, 9)]),
        (r#"{"x": [{"a": 1]}, {"a": 2}]}"#, json!({"x": [{"a": 1}, {"a": 2}]}), &[(StrayBracket, 14)]),
        (r#"{"x": {"a": 1, "b": 2]}, "c": 3}"#, json!({"x": {"a": 1, "b": 2}, "c": 3}), &[(StrayBracket, 21)]),
    ]);
}

#[test]
fn brackets_are_missing_between_values() {
    assert_repaired(&[
        // At the beginning of an object.
        (r#"["a": 1}, {"a": 2}]"#, json!([{"a": 1}, {"a": 2}]), &[(OpenedBracket, 1)]),
        (
            r#"{"l": [{"a": 1}, "a": 2}, {"a": 3}]}"#,
            json!({"l": [{"a": 1}, {"a": 2}, {"a": 3}]}),
            &[(OpenedBracket, 17)],
        ),
        (r#"{"a": "b": 1}, "c": 2}"#, json!({"a": {"b": 1}, "c": 2}), &[(OpenedBracket, 6)]),
        // At the end of an array or object.
        (r#"{"a": [1, 2, "b": 3}"#, json!({"a": [1, 2], "b": 3}), &[(ClosedBracket, 11)]),
        (r#"[{"a": 1, {"a": 2}]"#, json!([{"a": 1}, {"a": 2}]), &[(ClosedBracket, 8)]),
        // The array goes on behind its closing bracket.
        (r#"{"a": ["x"], ["y"], "b": 1}"#, json!({"a": ["x", "y"], "b": 1}), &[(StrayBracket, 13)]),
        (r#"{"a": [{"b": 1}], {"b": 2}, "c": 3}"#, json!({"a": [{"b": 1}, {"b": 2}], "c": 3}), &[(StrayBracket, 18)]),
        // At the beginning of an array.
        (
            r#"{"a": {"b": 1}, {"b": 2}], "c": 3}"#,
            json!({"a": [{"b": 1}, {"b": 2}], "c": 3}),
            &[(OpenedBracket, 16), (StrayBracket, 24)],
        ),
        // The objects are not alike, so the bracket is one too many.
        (r#"{"a": {"b": 1}, {"c": 2}"#, json!({"a": {"b": 1}, "c": 2}), &[(StrayBracket, 16)]),
    ]);
}

#[test]
fn a_comment_in_a_text_of_one_line_ends() {
    assert_repaired(&[
        (r#"{"a": {"b": 1 // one }, "c": 2}"#, json!({"a": {"b": 1}, "c": 2}), &[(Comment, 14)]),
        (r#"{"a": {"b": 1 # see [1] }, "c": 2}"#, json!({"a": {"b": 1}, "c": 2}), &[(Comment, 14)]),
        (r#"{"a": 1, // one, "c": 2}"#, json!({"a": 1, "c": 2}), &[(Comment, 9), (ExtraComma, 15)]),
        (r#"{"a": 1 /* one, "c": 2}"#, json!({"a": 1, "c": 2}), &[(Comment, 8)]),
        ("{\"a\": 1 // one }\n, \"c\": 2}", json!({"a": 1, "c": 2}), &[(Comment, 8)]),
        ("{\"a\": 1} // one ] more", json!({"a": 1}), &[(Comment, 9)]),
    ]);
}

#[test]
fn doubled_quotes_are_one() {
    assert_repaired(&[
        (
            r#"{""a"": ""b""}"#,
            json!({"a": "b"}),
            &[(DoubledQuote, 2), (DoubledQuote, 5), (DoubledQuote, 9), (DoubledQuote, 12)],
        ),
        (r#"{"a": "b"", "c": ""d"}"#, json!({"a": "b", "c": "d"}), &[(DoubledQuote, 9), (DoubledQuote, 18)]),
        (r#"["""", ""]"#, json!(["", ""]), &[(DoubledQuote, 2)]),
        (
            r#"{"a": """so "it" is"""}"#,
            json!({"a": "so \"it\" is"}),
            &[(DoubledQuote, 7), (InnerQuote, 12), (InnerQuote, 15), (DoubledQuote, 20)],
        ),
        // These are quotes of the text.
        (
            r#"{"a": ""Hi" she said", "b": 1}"#,
            json!({"a": "\"Hi\" she said", "b": 1}),
            &[(InnerQuote, 7), (InnerQuote, 10)],
        ),
        (r#"{"a": "she said "Hi""}"#, json!({"a": "she said \"Hi\""}), &[(InnerQuote, 16), (InnerQuote, 19)]),
    ]);
}

#[test]
fn quotes_are_missing_at_one_end() {
    assert_repaired(&[
        (r#"{"a:"b", "c": 1}"#, json!({"a": "b", "c": 1}), &[(ClosedString, 3)]),
        (r#"{"a: 1, "c": 2}"#, json!({"a": 1, "c": 2}), &[(ClosedString, 3)]),
        (r#"{"a:b}"#, json!({"a": "b"}), &[(ClosedString, 3), (UnquotedText, 4)]),
        ("{\"a\n\": 1}", json!({"a": 1}), &[(ControlCharacter, 3)]),
        (
            r#"{"a": "x", "b: "y", "c: [1], "d": 2}"#,
            json!({"a": "x", "b": "y", "c": [1], "d": 2}),
            &[(ClosedString, 13), (ClosedString, 22)],
        ),
        (r#"{"a": "x", "b" {"c" 1}}"#, json!({"a": "x", "b": {"c": 1}}), &[(MissingColon, 15), (MissingColon, 20)]),
        (r#"["red, "green", "blue"]"#, json!(["red", "green", "blue"]), &[(ClosedString, 5)]),
        (
            r#"{"a": say: \"so, so\", it is", "b": 2}"#,
            json!({"a": "say: \"so, so\", it is", "b": 2}),
            &[(OpenedString, 6)],
        ),
        (r#"["red", green", "blue"]"#, json!(["red", "green", "blue"]), &[(OpenedString, 8)]),
        (r#"{"a": tea, milk", "n": 3"}"#, json!({"a": "tea, milk", "n": 3}), &[(OpenedString, 6), (StrayText, 23)]),
        (r#"{"a": "x", b": 2, c": 3}"#, json!({"a": "x", "b": 2, "c": 3}), &[(OpenedString, 11), (OpenedString, 18)]),
    ]);
}

#[test]
fn words_of_no_key_and_no_value_are_dropped() {
    assert_repaired(&[
        (r#"{"a": 1, REMARK "b": 2}"#, json!({"a": 1, "b": 2}), &[(StrayText, 9)]),
        (r#"{"a": "x", REMARK "b": "y"}"#, json!({"a": "x", "b": "y"}), &[(StrayText, 11)]),
        (r#"{"a": "x" todo, "b": 1}"#, json!({"a": "x", "b": 1}), &[(StrayText, 10)]),
        (r#"{"a": "x" todo}"#, json!({"a": "x"}), &[(StrayText, 10)]),
        (r#"{"a": ["x" y], "b": 1}"#, json!({"a": ["x", "y"], "b": 1}), &[(MissingComma, 11), (UnquotedText, 11)]),
        (r#"["x" 1, "y" 2"#, json!(["x", 1, "y", 2]), &[(MissingComma, 5), (MissingComma, 12), (ClosedBracket, 13)]),
    ]);
}

#[test]
fn fences_are_no_text() {
    assert_repaired(&[
        ("{\"a\": \"b\"```", json!({"a": "b"}), &[(ClosedBracket, 9), (TrailingText, 9)]),
        (
            "{\"a\": [\"b\"\n```\nAll done.",
            json!({"a": ["b"]}),
            &[(ClosedBracket, 11), (ClosedBracket, 11), (TrailingText, 11)],
        ),
        ("[1, 2```", json!([1, 2]), &[(ClosedBracket, 5), (TrailingText, 5)]),
    ]);
}

#[test]
fn text_without_quotes_is_whole() {
    assert_repaired(&[
        (
            "{t: f(x[1]) and {y}, b: 2}",
            json!({"t": "f(x[1]) and {y}", "b": 2}),
            &[(UnquotedKey, 1), (UnquotedText, 4), (UnquotedKey, 21)],
        ),
        (
            "{t: New York, NY, b: 2}",
            json!({"t": "New York, NY", "b": 2}),
            &[(UnquotedKey, 1), (UnquotedText, 4), (UnquotedKey, 18)],
        ),
        ("{\"t\": http://x.y/z, \"b\": 2}", json!({"t": "http://x.y/z", "b": 2}), &[(UnquotedText, 6)]),
        ("{\"t\": say \"x\", \"b\": 2}", json!({"t": "say \"x\"", "b": 2}), &[(UnquotedText, 6)]),
    ]);
}

#[test]
fn an_object_inside_a_string_keeps_its_quotes() {
    let value = json!({"a": r#"{"b": "c", "d": [1, "e"]}"#, "f": 1});
    let repaired = repair_json(r#"{"a": "{"b": "c", "d": [1, "e"]}", "f": 1}"#).unwrap();
    assert_eq!(repaired.value, value);
    assert!(repaired.repairs.iter().all(|repair| repair.kind == InnerQuote), "{:?}", repaired.repairs);
}
