//! A model that thinks aloud: what is printed and what is written are its answers. The models are scripted.

use graphloom_test_support::thinking::{DECOY, FORMS, aloud, thinking};
use serde_json::json;

use crate::support::{TestDir, result, text};

#[test]
fn no_thoughts_are_in_an_answer() {
    for form in FORMS {
        let dir = TestDir::new();
        let model =
            dir.script("says.jsonl", &thinking(&[json!({"when": "user:", "reply": "The moon moves them."})], form));
        let args = ["run", "What moves the tides?", "--vault", "vault", "--thread", "it", "--model", &model];
        let output = dir.run(&args);
        let (said, told) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{form:?}: {told}");
        assert!(said.contains("The moon moves them.") && !said.contains(DECOY), "{form:?}: {said}");
        let shown = result(&dir.run(&["show", "it", "--json"]));
        assert_eq!(shown["state"]["answer"], "The moon moves them.", "{form:?}");
    }
}

#[test]
fn thoughts_alone_are_no_answer_and_told_after_three_calls() {
    let dir = TestDir::new();
    let before = dir.bytes();
    let thoughts = aloud(("<think>", ""), "");
    let model = dir.script("thinks.jsonl", &[json!({"when": "user:", "reply": thoughts})]);
    let args = ["run", "What moves the tides?", "--vault", "vault", "--record", "run.jsonl", "--model", &model];
    let output = dir.run(&args);
    let (said, told) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{said}\n{told}");
    assert!(told.contains("it said nothing") && !said.contains(DECOY), "{said}\n{told}");
    let calls = dir.read("run.jsonl").lines().filter(|line| line.contains("\"method\":\"chat\"")).count();
    assert_eq!(calls, 3, "{told}");
    assert_eq!(dir.bytes(), before);
}
