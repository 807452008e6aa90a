//! `--studio`: questions are answered there, one after the other, and the program follows. The model is scripted.

use graphloom_test_support::studio::Shown;
use serde_json::{Value, json};

use crate::support::{TestDir, assert_report, text};

fn answer(shown: &Shown, value: &Value) {
    shown.after_run();
    shown.start_run(&json!({ "assistant_id": "deepsearch", "command": { "resume": value } }));
}

#[test]
fn questions_are_answered_in_the_studio() {
    let dir = TestDir::new();
    let mut shown = Shown::start(dir.command(&dir.ask(&["--out", "out", "--thread", "t", "--studio", "--json"])));
    assert_eq!(shown.until("question")["key"], "feedback");
    answer(&shown, &json!({ "feedback": "SQLite's log" }));
    assert_eq!(shown.until("question")["key"], "outline_interaction");
    answer(&shown, &json!({ "interrupt_feedback": "revise_comment", "feedback": "shorter" }));
    assert_eq!(shown.until("question")["key"], "outline_interaction");
    answer(&shown, &json!({ "interrupt_feedback": "accepted" }));
    let ended = shown.end();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.stderr);
    assert_report(&dir, "out");
}

#[test]
fn a_run_that_waited_is_answered_in_the_studio_of_a_later_process() {
    let dir = TestDir::new();
    let output = dir.run(&dir.ask(&["--no-input", "--out", "out", "--thread", "t"]));
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let mut shown = Shown::start(dir.command(&["resume", "t", "--studio", "--json"]));
    let thread = shown.thread("");
    assert_eq!(thread["status"], "interrupted", "{thread:#}");
    assert_eq!(thread["interrupts"].as_object().map(serde_json::Map::len), Some(1), "{thread:#}");
    shown.start_run(&json!({ "assistant_id": "deepsearch", "command": { "resume": { "feedback": "SQLite's log" } } }));
    assert_eq!(shown.until("question")["key"], "outline_interaction");
    answer(&shown, &json!({ "interrupt_feedback": "accepted" }));
    let ended = shown.end();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.stderr);
    assert_report(&dir, "out");
}
