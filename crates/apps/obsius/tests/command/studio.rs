//! `--studio`: the changes of a run are reviewed there. The model is scripted.

use graphloom_test_support::studio::Shown;
use serde_json::json;

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
    let refused = begin("refused");
    let verdict = json!({ "reject": { "reason": "no tea" } });
    refused.start_run(&json!({ "assistant_id": "obsius", "command": { "resume": verdict } }));
    let refused = refused.end();
    assert!(!dir.vault().join("Tea.md").exists(), "{}", refused.stderr);
    let approved = begin("approved");
    approved.start_run(&json!({ "assistant_id": "obsius", "command": { "resume": "approve" } }));
    let approved = approved.end();
    assert_eq!(approved.status.code(), Some(0), "{}", approved.stderr);
    assert!(dir.read("vault/Tea.md").contains("Text."));
}
