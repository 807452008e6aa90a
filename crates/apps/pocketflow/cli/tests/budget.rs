//! A spent budget ends with its own status; the conversation is saved and goes on with a larger one.

use serde_json::json;
use tokio::runtime::Runtime;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::support::{BUDGET, TestDir, WAITING, result, said, text};

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

#[test]
fn a_spent_budget_reports_the_calls_that_were_made() {
    let runtime = Runtime::new().unwrap();
    // What the model says fits nothing, so it is asked again and again.
    let reply = json!({
        "id": "answer", "object": "chat.completion", "created": 1, "model": "m",
        "usage": { "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 },
        "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": "no" } }],
    });
    let server = runtime.block_on(async {
        let server = MockServer::start().await;
        let answers = ResponseTemplate::new(200).set_body_json(reply);
        Mock::given(method("POST")).and(path("/v1/chat/completions")).respond_with(answers).mount(&server).await;
        server
    });
    let model = format!("compatible:m@{}/v1", server.uri());
    let dir = TestDir::new();
    let output = dir.run(&["say", "c1", "tides", "--model", &model, "--budget", "calls=1", "--json"]);
    said(&output, BUDGET);
    let served = runtime.block_on(server.received_requests()).unwrap().len();
    assert_eq!(served, 1);
    assert!(text(&output.stderr).contains("the budget is spent after 1 calls"), "{}", text(&output.stderr));
    let spent = &result(&output)["spent"];
    assert_eq!((spent["calls"].as_u64(), spent["tokens"].as_u64()), (Some(1), Some(120)), "{spent}");
}
