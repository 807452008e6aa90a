//! `graphloom agent` with a model that thinks aloud: its answer is printed without thoughts. The models are scripted.

use graphloom_test_support::thinking::{DECOY, FORMS, aloud, thinking};
use serde_json::{Value, json};

use crate::{result, run};

fn script(place: &std::path::Path, rules: &[Value]) {
    let lines: Vec<String> = rules.iter().map(Value::to_string).collect();
    std::fs::write(place.join("script.jsonl"), lines.join("\n")).unwrap();
}

#[test]
fn an_agent_s_answer_has_no_thoughts() {
    for form in FORMS {
        let place = tempfile::tempdir().unwrap();
        let place = place.path();
        script(place, &thinking(&[json!({"when": "user:", "reply": "It is `</think>` that closes."})], form));
        let line = ["agent", "What closes?", "--model", "scripted:script.jsonl", "--thread", "it"];
        let (status, text, notes) = run(place, &line);
        assert_eq!((status, text.trim()), (0, "It is `</think>` that closes."), "{form:?}: {notes}");
        let (_, text, _) = run(place, &["resume", "it", "--json"]);
        assert!(!result(&text).to_string().contains(DECOY), "{form:?}: {text}");
    }
}

#[test]
fn thoughts_alone_are_told_after_three_calls() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    script(place, &[json!({"when": "user:", "reply": aloud(("<think>", ""), "")})]);
    let (status, text, notes) = run(place, &["agent", "What closes?", "--model", "scripted:script.jsonl", "--json"]);
    let value = &result(&text)["result"];
    assert_eq!((status, &value["stop"], &value["turns"]), (1, &json!("silent"), &json!(3)), "{text}\n{notes}");
    assert!(notes.contains("the model said nothing three times in a row"), "{notes}");
    assert!(!text.contains(DECOY), "{text}");
}
