//! Every rule of a payload has its code, in the order of the original.

use graphloom_deepsearch::feedback::{Action, Payload, Scope, Unit, read};
use serde_json::{Value, json};

const REPORT: &str = "a🙂é汉 text";

fn edit(fields: Value) -> Value {
    let mut whole = json!({ "action": "polish", "selected_text": "é汉", "start_offset": 2, "end_offset": 4 });
    for (key, value) in fields.as_object().unwrap() {
        whole[key] = value.clone();
    }
    whole
}

#[test]
fn every_rule_has_its_code() {
    for (answer, code) in [
        (json!("no json"), 212_406),
        (json!("[1]"), 212_406),
        (json!([1]), 212_406),
        (json!(null), 212_406),
        (json!({}), 212_404),
        (json!({ "action": "" }), 212_404),
        (json!({ "action": 3 }), 212_404),
        // The order: a wrong type is found before wrong offsets and unknown actions.
        (json!({ "action": "dance", "user_instruction": 1 }), 212_407),
        (json!({ "action": "dance", "rewrite_scope": [] }), 212_407),
        (json!({ "action": "sync" }), 212_407),
        (json!({ "action": "sync", "selected_text": "  " }), 212_407),
        (edit(json!({ "start_offset": "2" })), 212_407),
        (edit(json!({ "end_offset": 2.5 })), 212_407),
        (edit(json!({ "end_offset": true })), 212_407),
        (edit(json!({ "selected_text": 1 })), 212_407),
        (edit(json!({ "offset_unit": "words" })), 212_407),
        (edit(json!({ "start_offset": -1 })), 212_408),
        (edit(json!({ "start_offset": 4 })), 212_408),
        (edit(json!({ "end_offset": 10 })), 212_408),
        (edit(json!({ "end_offset": u64::MAX })), 212_408),
        // Inside of the emoji.
        (edit(json!({ "offset_unit": "bytes", "start_offset": 2, "end_offset": 7 })), 212_408),
        (edit(json!({ "offset_unit": "utf16", "start_offset": 2, "end_offset": 5 })), 212_408),
        (edit(json!({ "selected_text": "e\u{301}汉" })), 212_403),
        (edit(json!({ "action": "dance", "selected_text": "x" })), 212_403),
        (edit(json!({ "action": "dance" })), 212_404),
        (edit(json!({ "action": "truth_verification" })), 212_404),
        (edit(json!({ "action": "supplementary_search", "rewrite_scope": "everything" })), 212_410),
    ] {
        let rejection = read(&answer, REPORT).expect_err(&answer.to_string());
        assert_eq!(rejection.code.code(), code, "{answer}: {rejection}");
    }
}

#[test]
fn the_same_selection_in_three_units() {
    for (unit, start, end) in [("code_points", 2, 4), ("bytes", 5, 10), ("utf16", 3, 5)] {
        let answer = edit(json!({ "offset_unit": unit, "start_offset": start, "end_offset": end })).to_string();
        let Payload::Edit { action, selection, scope, .. } = read(&json!(answer), REPORT).unwrap() else { panic!() };
        assert_eq!((action, selection.range, scope), (Action::Polish, 5..10, Scope::SelectedOnly));
        assert_eq!(Unit::of_name(unit), Some(selection.unit));
    }
    // A scope counts for searches only.
    assert!(read(&edit(json!({ "rewrite_scope": "everything" })), REPORT).is_ok());
    let related = edit(json!({ "action": "supplementary_search", "rewrite_scope": "selected_and_related" }));
    assert!(matches!(read(&related, REPORT), Ok(Payload::Edit { scope: Scope::SelectedAndRelated, .. })));
    assert_eq!(read(&json!({ "action": "finish" }), REPORT), Ok(Payload::Finish));
    assert_eq!(read(&json!({ "action": "sync", "selected_text": "new" }), REPORT), Ok(Payload::Sync("new".into())));
}
