//! `--studio`: the changes of a run are reviewed there. The model is scripted.

use graphloom_test_support::studio::Shown;
use serde_json::{Value, json};

use crate::support::TestDir;

#[test]
fn changes_are_reviewed_in_the_studio() {
    let dir = TestDir::new();
    let note = json!({"title": "Tea", "content": "Text."});
    let rules = [
        json!({"when": "[result", "reply": "It is done."}),
        json!({"when": "user:", "tool_calls": [{"id": "1", "name": "create_note", "arguments": note}]}),
    ];
    let model = dir.script("tea.jsonl", &rules);
    let line = ["run", "Create a note about tea", "--vault", "vault", "--model", &model];
    let begin = |thread: &str| {
        let mut shown = Shown::start(dir.command(&[&line[..], &["--thread", thread, "--studio", "--json"]].concat()));
        assert_eq!(shown.until("question")["key"], "review");
        shown.after_run();
        shown
    };
    let answer = |shown: &Shown, verdict: &Value| {
        shown.start_run(&json!({ "assistant_id": "obsius", "command": { "resume": verdict } }));
    };
    let refused = begin("refused");
    answer(&refused, &json!({ "reject": { "reason": "" } }));
    let refused = refused.end();
    assert!(!dir.vault().join("Tea.md").exists(), "{}", refused.stderr);

    // With a reason the changes are made again, and reviewed again.
    let mut approved = begin("approved");
    answer(&approved, &json!({ "reject": { "reason": "say more" } }));
    assert_eq!(approved.until("question")["key"], "review");
    approved.after_run();
    answer(&approved, &json!("approve"));
    let approved = approved.end();
    assert_eq!(approved.status.code(), Some(0), "{}", approved.stderr);
    assert!(dir.read("vault/Tea.md").contains("Text."));
}
