//! `chat --studio`: a conversation is held there. The model is scripted.

use graphloom_test_support::studio::Shown;
use serde_json::{Value, json};

use crate::support::{SCRIPTED, TestDir, WAITING, said};

/// What is asked, by the newest state of the thread.
fn asked(thread: &Value) -> Value {
    let questions = thread["interrupts"].as_object().and_then(|asked| asked.values().next()).expect("a question");
    json!({ "id": questions[0]["id"], "about": questions[0]["value"]["question"] })
}

#[test]
fn a_conversation_is_held_in_the_studio_and_goes_on_at_the_terminal() {
    let dir = TestDir::new();
    let mut shown = Shown::start(dir.command(&[&["chat", "c1", "--studio", "--json"], &SCRIPTED[..]].concat()));
    shown.until("waiting");
    assert_eq!(shown.thread("")["metadata"]["run"], "c1", "the page knows by it that the conversation is of a program");
    // What the page begins a conversation with.
    let turn = json!({ "conversation_id": "c1", "query": "tides", "about": null });
    shown.start_run(&json!({ "assistant_id": "pocketflow", "input": { "turn": turn } }));
    let queries = shown.until("chat");
    assert!(queries["text"].as_str().unwrap().contains("1. spring tides (it is asked)"), "{queries}");
    shown.until("waiting");
    // And what it answers with.
    let thread = shown.after_run();
    let question = asked(&thread);
    let answer = json!({ question["id"].as_str().unwrap(): { "text": "approve", "about": question["about"] } });
    shown.start_run(&json!({ "assistant_id": "pocketflow", "command": { "resume": answer } }));
    let report = shown.until("chat");
    assert!(report["text"].as_str().unwrap().contains("# Tides in the long run"), "{report}");
    shown.until("waiting");
    // A verdict on what was asked before is none on the proposal.
    let now = asked(&shown.after_run());
    let late = json!({ now["id"].as_str().unwrap(): { "text": "approve", "about": question["about"] } });
    shown.start_run(&json!({ "assistant_id": "pocketflow", "command": { "resume": late } }));
    let late = shown.until("chat");
    assert!(late["text"].as_str().unwrap().contains("was counted already"), "{late}");
    shown.until("waiting");

    shown.interrupt();
    let ended = shown.end();
    assert_eq!(ended.status.code(), Some(WAITING), "{}", ended.stderr);
    assert_eq!(ended.result["result"]["said"].as_array().map(Vec::len), Some(3), "{}", ended.result);
    // The same conversation goes on without the studio, about what it showed last.
    assert!(said(&dir.talk(&["say", "c1", "reject: say more about cost"]), WAITING).contains("# What tides cost"));
}
