//! The example conversation through `say`, `resume` and `chat`.

use serde_json::{Value, json};

use crate::support::{DONE, FAILED, TestDir, WAITING, result, said, text};

#[test]
fn the_example_conversation_line_by_line() {
    let dir = TestDir::new();
    let queries = dir.say("tides", WAITING);
    assert!(queries.contains("1. spring tides (it is asked)\n2. tides measured"), "{queries}");
    assert!(dir.say("reject: only neap tides", WAITING).contains("1. neap tides"));
    assert!(dir.say("banana", WAITING).contains("I am not sure what that means"));
    let report = dir.say("approve", WAITING);
    assert!(report.contains("# Tides in the long run") && report.contains("papers/neaps.md"), "{report}");
    assert!(report.contains("## Sources searched\n\n- local gave"), "{report}");
    assert!(dir.say("why?", WAITING).contains("Because of the moon."));
    assert!(dir.say("reject: say more about cost", WAITING).contains("# What tides cost"));
    let delivered = dir.say("yes", DONE);
    assert!(delivered.contains("The proposal is done.") && delivered.contains("## References"), "{delivered}");
    let session = dir.session();
    assert_eq!((&session["status"], &session["last_action"]), (&json!("complete"), &Value::Null));
    assert_eq!(session["feedback"], json!(["say more about cost"]));
}

#[test]
fn who_rejects_without_a_reason_is_told_that_one_helps() {
    let dir = TestDir::new();
    dir.say("tides", WAITING);
    let again = dir.say("no", WAITING);
    assert!(again.contains("1. neap tides") && again.contains("You gave no reason"), "{again}");
    assert!(!dir.say("approve", WAITING).contains("You gave no reason"));
    let again = dir.say("/reject", WAITING);
    assert!(
        again.contains("# Tides in the long run") && again.contains("`reject: why` says what to change"),
        "{again}"
    );
    assert_eq!(dir.session()["feedback"], json!([]));
}

#[test]
fn a_question_is_answered_without_a_terminal() {
    let dir = TestDir::new();
    dir.say("tides", WAITING);

    // Without an answer the question is shown again, and nothing happens.
    let waiting = dir.talk(&["resume", "c1"]);
    assert!(said(&waiting, WAITING).contains("1. spring tides"), "{}", text(&waiting.stdout));
    // The command that goes on names the question, and everything it is gone on with.
    let question = dir.question();
    let line = format!("pocketflow resume c1 --model scripted:model.jsonl --corpus papers --answer '{question}=\"…\"'");
    assert!(text(&waiting.stderr).contains(&line), "{}", text(&waiting.stderr));

    let approve = format!("{question}=\"approve\"");
    let answered = dir.talk(&["resume", "c1", "--answer", &approve]);
    assert!(said(&answered, WAITING).contains("# Tides in the long run"));
    // An answer to what was asked before is no verdict on what is asked now.
    let late = said(&dir.talk(&["resume", "c1", "--answer", &approve]), WAITING);
    assert!(late.contains("Your approval of version 1 of the queries was counted already"), "{late}");
    let late = said(&dir.talk(&["resume", "c1", "--answer", &format!("{question}=\"remove 1\"")]), WAITING);
    assert!(late.contains("does not count for this") && late.contains("## 1. Background"), "{late}");
    let piped = dir.piped(&["resume", "c1"], r#"{"message": "reject: say more about cost"}"#);
    assert!(said(&piped, WAITING).contains("# What tides cost"));
    assert!(text(&piped.stderr).contains("reading answers from stdin"));
    let dashed = dir.piped(&["resume", "c1", "--answer", "-"], r#"{"message": "approve"}"#);
    assert!(said(&dashed, DONE).contains("The proposal is done."));
    assert!(said(&dir.talk(&["resume", "c1"]), DONE).contains("nothing to go on with"));
}

#[test]
fn a_chat_reads_stdin_and_can_be_gone_on_with() {
    let dir = TestDir::new();
    let mut talk = dir.chat(&["chat", "c1"]);
    talk.says("hello", "Which topic shall I look into?");
    talk.says("tides", "1. spring tides");
    talk.says("", "I am not sure");
    talk.says("approve", "new queries` for other literature");
    let chat = talk.ends("/quit\nnever read\n");
    let (out, err) = (said(&chat.0, WAITING), chat.1);
    assert!(out.contains("# Tides in the long run") && !out.contains("spring tides (it is asked)"), "the last alone");
    for part in ["Which topic shall I look into?", "1. spring tides", "I am not sure", "`c1` waits for you"] {
        assert!(err.contains(part), "{part}: {err}");
    }
    let ended = dir.piped(&["chat", "--thread", "c1"], "approve\n");
    assert!(said(&ended, DONE).contains("The proposal is done."));
    let fresh = dir.piped(&["chat"], "cancel\n");
    assert!(text(&fresh.stderr).contains("conversation `pocketflow-"), "{}", text(&fresh.stderr));
}

#[test]
fn with_json_every_line_is_an_event_and_the_last_is_the_result() {
    let dir = TestDir::new();
    let output = dir.talk(&["say", "c1", "tides", "--json"]);
    let printed = said(&output, WAITING);
    let lines: Vec<Value> = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().all(|line| line["v"] == 1 && line["event"].is_string()), "{printed}");
    let events: Vec<&str> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!((events.first(), events.last()), (Some(&"thought"), Some(&"result")));
    // Thoughts and chat are two streams; which of their last ones is printed first is open.
    let chat = lines.iter().find(|line| line["event"] == "chat").unwrap();
    assert_eq!(lines.last().unwrap()["status"], "waiting");
    let told = result(&output);
    assert_eq!((&told["thread"], &told["waiting_for"]["for"]), (&json!("c1"), &json!("queries")));
    assert_eq!(told["spent"]["calls"], 1);
    assert_eq!(told["chat"][0], chat["text"]);

    let output = dir.piped(&["chat", "c1", "--json"], "approve\nno\n");
    assert_eq!(result(&output)["said"].as_array().unwrap().len(), 2);
}

#[test]
fn a_turn_that_fails_says_so_and_the_conversation_goes_on() {
    let dir = TestDir::new();
    dir.say("tides", WAITING);
    // A model that knows nothing about reading.
    std::fs::write(dir.path("poor.jsonl"), r#"{"when": "never", "reply": "x"}"#).unwrap();
    let poor = dir.run(&["say", "c1", "approve", "--model", "scripted:poor.jsonl", "--corpus", "papers"]);
    assert!(said(&poor, WAITING).contains("I could not make the literature review"));
    assert!(dir.say("retry", WAITING).contains("# Tides in the long run"));

    let absent = dir.run(&["say", "c1", "approve", "--model", "scripted:absent.jsonl"]);
    said(&absent, FAILED);
    assert!(text(&absent.stderr).contains("absent.jsonl"), "{}", text(&absent.stderr));
}

#[test]
fn prompts_can_be_replaced() {
    let dir = TestDir::new();
    std::fs::create_dir(dir.path("mine")).unwrap();
    std::fs::write(dir.path("mine/queries.j2"), "{# user #}\nMy own words about {{ topic }}\n").unwrap();
    let rule = json!({ "when": "My own words about tides", "json": { "queries": [{ "text": "own" }] } });
    std::fs::write(dir.path("own.jsonl"), rule.to_string()).unwrap();
    let args = ["say", "c1", "tides", "--model", "scripted:own.jsonl", "--corpus", "papers", "--prompts", "mine"];
    assert!(said(&dir.run(&args), WAITING).contains("1. own"));
    said(&dir.talk(&["say", "c1", "no", "--prompts", "nowhere"]), FAILED);
}
