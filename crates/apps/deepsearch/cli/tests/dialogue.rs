//! Questions, on the command line and as payloads of web mode.

use serde_json::{Value, json};

use crate::support::{TestDir, assert_report, text};

#[test]
fn questions_wait_and_are_answered_by_options() {
    let dir = TestDir::new();
    let output = dir.run(&dir.ask(&["--no-input", "--out", "out", "--thread", "t"]));
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    assert!(told.contains("1. Which log?") && told.contains("deepsearch resume t"), "{told}");

    let wrong = dir.run(&["resume", "t", "--no-input", "--answer", "feedbak=1"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", text(&wrong.stderr));

    let output = dir.run(&["resume", "t", "--no-input", "--answer", r#"feedback={"feedback": "SQLite's log"}"#]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("Round 1: waiting for user feedback."), "{}", text(&output.stdout));
    let comment = r#"outline_interaction={"interrupt_feedback": "revise_comment", "feedback": "shorter"}"#;
    let output = dir.run(&["resume", "t", "--no-input", "--answer", comment]);
    assert!(text(&output.stdout).contains("Round 2"), "{}", text(&output.stdout));
    let output = dir
        .run_with(&["resume", "t", "--answer", "-"], r#"{"outline_interaction": {"interrupt_feedback": "accepted"}}"#);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_report(&dir, "out");
}

/// The script with rules of its own before all others.
fn with_rules(dir: &TestDir, rules: &[Value]) {
    let rules: String = rules.iter().map(|rule| format!("{rule}\n")).collect();
    std::fs::write(dir.path("script.jsonl"), rules + &dir.read("script.jsonl")).unwrap();
}

/// A payload for the first place of a text in the report.
fn select(action: &str, report: &str, text: &str) -> Value {
    let start = report[..report.find(text).unwrap()].chars().count();
    json!({ "action": action, "selected_text": text, "start_offset": start, "end_offset": start + text.chars().count() })
}

#[test]
fn a_report_is_changed_by_one_process_after_the_other() {
    let dir = TestDir::new();
    with_rules(&dir, &[json!({ "when": "You expand a passage", "reply": "In short, all of it is safe." })]);
    let quiet = ["workflow_human_in_the_loop=false", "outline_interaction_enabled=false"];
    let mut args = dir.ask(&["--no-input", "--out", "out", "--thread", "t", "--json"]);
    let on = "user_feedback_processor_enable=true";
    args.extend(quiet.iter().chain([&on]).flat_map(|key| ["--set", *key]));
    let waiting = |output: &std::process::Output| -> String {
        assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
        let told = text(&output.stdout);
        let last: Value = serde_json::from_str(told.lines().last().unwrap()).unwrap();
        let question = &last["result"]["questions"][0];
        assert_eq!(question["key"], "user_feedback_processor");
        question["question"]["response_content"].as_str().unwrap().to_owned()
    };
    let before = waiting(&dir.run(&args));
    let resume = |answer: &Value| {
        let answer = format!("user_feedback_processor={answer}");
        dir.run(&["resume", "t", "--no-input", "--json", "--answer", &answer])
    };
    let expanded = waiting(&resume(&select("expand", &before, "In short, it is safe.")));
    assert_eq!(expanded, before.replace("In short, it is safe.", "In short, all of it is safe."));
    let refused = waiting(&resume(&select("dance", &expanded, "all of it")));
    assert_eq!(refused, expanded);
    let mine = expanded.replace("So it is safe.", "So be it.");
    assert_eq!(waiting(&resume(&json!({ "action": "sync", "selected_text": mine }))), mine);
    let output = resume(&json!({ "action": "finish" }));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_report(&dir, "out");
    let result = dir.json("out/final_result.json");
    assert_eq!(result["response_content"], mine.as_str());
    assert!(result["exception_info"].as_str().unwrap().starts_with("[212404]"), "{result:#}");
    assert!(dir.read("out/report.md").contains("So be it."));
}

#[test]
fn web_mode_takes_and_prints_payloads() {
    let dir = TestDir::new();
    let web = [
        "--out",
        "out",
        "--thread",
        "t",
        "--set",
        "workflow_feedback_mode=web",
        "--set",
        "user_feedback_processor_enable=true",
    ];
    let payloads = [
        r#"{"feedback": "SQLite's log"}"#,
        r#"{"interrupt_feedback": "accepted", "feedback": ""}"#,
        r#"{"action": "finish"}"#,
    ];
    let output = dir.run_with(&dir.ask(&web), &payloads.join("\n"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let messages: Vec<Value> = text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for message in &messages {
        for key in [
            "conversation_id",
            "section_idx",
            "plan_idx",
            "step_idx",
            "message_id",
            "agent",
            "role",
            "content",
            "message_type",
            "event",
            "created_time",
        ] {
            assert!(message.get(key).is_some(), "{key}: {message}");
        }
        assert_eq!(message["conversation_id"], "t");
    }
    let waiting = messages.iter().filter(|message| message["event"] == "waiting_user_input").count();
    assert_eq!(waiting, 3, "questions, outline, changes");
    let result = messages.iter().rfind(|message| message["agent"] == "end" && message["content"] != "ALL END").unwrap();
    let result: Value = serde_json::from_str(result["content"].as_str().unwrap()).unwrap();
    assert_eq!(result, dir.json("out/final_result.json"));
    assert_eq!(messages.last().unwrap()["content"], "ALL END");
}
