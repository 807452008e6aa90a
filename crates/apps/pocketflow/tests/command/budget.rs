//! A spent budget ends with its own status; the conversation is saved and goes on with a larger one.

use serde_json::json;

use crate::support::{BUDGET, TestDir, WAITING, said, text};

#[test]
fn a_spent_budget_keeps_the_conversation() {
    let dir = TestDir::new();
    dir.say("tides", WAITING);
    let spent = dir.talk(&["say", "c1", "approve", "--budget", "calls=1"]);
    let told = said(&spent, BUDGET);
    assert!(told.contains("I could not make the literature review") && told.contains("calls"), "{told}");
    assert!(text(&spent.stderr).contains("pocketflow say c1 retry --budget LIMITS"), "{}", text(&spent.stderr));
    let session = dir.session();
    assert_eq!(session["waiting_for"], json!({ "for": "slot", "action": "do-literature-review", "missing": [] }));
    assert!(dir.say("retry", WAITING).contains("# Tides in the long run"));
    // A budget that suffices is no news.
    said(&dir.talk(&["say", "c1", "reject: say more about cost", "--budget", "calls=1"]), WAITING);
}
