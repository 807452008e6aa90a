//! Runs of a session: new ones are new, unfinished ones are offered, recovered and inspected. The models are scripted.

use std::io::Write as _;

use serde_json::json;

use crate::support::{TestDir, result, text};

fn creates(dir: &TestDir, title: &str) -> String {
    dir.script(
        &format!("{title}.jsonl"),
        &[
            json!({"when": "[result", "reply": "It is done."}),
            json!({"when": "user:", "tool_calls": [{"id": "1", "name": "create_note",
                "arguments": {"title": title, "content": "Text."}}]}),
        ],
    )
}

#[test]
fn a_new_request_never_goes_on_with_an_old_run_which_is_offered_instead() {
    let dir = TestDir::new();
    let tea = creates(&dir, "Tea");
    let first = dir.run(&["run", "Create a note about tea", "--vault", "vault", "--model", &tea, "--thread", "first"]);
    assert_eq!(first.status.code(), Some(3), "{}", text(&first.stderr));
    let salt = creates(&dir, "Salt");
    let second = dir.run(&["run", "Create a note about salt", "--vault", "vault", "--model", &salt, "--yes", "--json"]);
    assert!(second.status.success(), "{}", text(&second.stderr));
    assert!(text(&second.stderr).contains("run `first` of this session is waiting"), "{}", text(&second.stderr));
    assert!(dir.vault().join("Salt.md").exists() && !dir.vault().join("Tea.md").exists());

    // Another session is not told of it.
    let pepper = creates(&dir, "Pepper");
    let args =
        ["run", "Create a note about pepper", "--vault", "vault", "--session", "other", "--model", &pepper, "--yes"];
    let third = dir.run(&args);
    assert!(!text(&third.stderr).contains("run `first`"), "{}", text(&third.stderr));

    let resumed = dir.run(&["resume", "first", "--answer", r#"review="approve""#]);
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    assert!(dir.vault().join("Tea.md").exists());
    let listed = result(&dir.run(&["runs", "--session", "other", "--json"]));
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed:#}");
}

#[test]
fn answers_are_checked_and_can_come_from_stdin() {
    let dir = TestDir::new();
    let model = creates(&dir, "Tea");
    let waiting =
        dir.run(&["run", "Create a note about tea", "--vault", "vault", "--model", &model, "--thread", "tea"]);
    assert_eq!(waiting.status.code(), Some(3), "{}", text(&waiting.stderr));
    for (answer, part) in [
        ("review", "has no `=`; write `--answer KEY=JSON`"),
        ("review=approve", "the answer `approve` to `review` is not JSON"),
        (r#"review="maybe""#, "the answer to `review` does not fit"),
        (r#"verdict="approve""#, "no open question `verdict`; open: `review`"),
    ] {
        let refused = dir.run(&["resume", "tea", "--answer", answer]);
        assert_eq!(refused.status.code(), Some(2), "{answer}: {}", text(&refused.stderr));
        assert!(text(&refused.stderr).contains(part), "{answer}: {}", text(&refused.stderr));
    }
    let mut child = dir.command(&["resume", "tea"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(br#"{"review": "approve"}"#).unwrap();
    let resumed = child.wait_with_output().unwrap();
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    assert!(dir.vault().join("Tea.md").exists());
}

#[test]
fn a_run_is_shown_whole_diffed_and_refused() {
    let dir = TestDir::new();
    let before = dir.bytes();
    let model = creates(&dir, "Tea");
    dir.run(&["run", "Create a note about tea", "--vault", "vault", "--model", &model, "--thread", "tea"]);
    let shown = result(&dir.run(&["show", "tea", "--json"]));
    for field in ["session", "phases", "working_memory", "executed_actions", "execution_metrics", "changes", "findings"]
    {
        assert!(!shown["state"][field].is_null(), "{field}: {shown:#}");
    }
    assert_eq!(shown["state"]["session"]["config"]["MAX_ITERATIONS"], 24);
    assert!(text(&dir.run(&["diff", "tea"]).stdout).contains("+Text."));
    assert_eq!(dir.run(&["undo", "tea"]).status.code(), Some(2), "nothing is written that could be undone");
    let refused = dir.run(&["resume", "tea", "--answer", r#"review={"reject":{}}"#]);
    assert_eq!(refused.status.code(), Some(1), "{}", text(&refused.stdout));
    assert!(text(&refused.stdout).contains("not approved"), "{}", text(&refused.stdout));
    assert_eq!(dir.bytes(), before);
}

#[test]
fn a_run_that_failed_for_a_while_goes_on_from_before_the_failure() {
    let dir = TestDir::new();
    let slow = dir.script(
        "slow.jsonl",
        &[json!({"when": "user:", "error": {"error": "rate_limited", "model": "m", "message": "slow down",
            "retry_after": {"secs": 7, "nanos": 0}}})],
    );
    let failed =
        dir.run(&["run", "Create a note about tea", "--vault", "vault", "--model", &slow, "--thread", "tea", "--yes"]);
    let said = text(&failed.stderr);
    assert_eq!(failed.status.code(), Some(1), "{said}");
    assert!(said.contains("rate_limited") && said.contains("try again in 7 s"), "{said}");
    let model = creates(&dir, "Tea");
    let resumed = dir.run(&["resume", "tea", "--model", &model, "--yes"]);
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    assert!(dir.vault().join("Tea.md").exists());
}

#[test]
fn a_chat_is_one_session_of_several_runs() {
    let dir = TestDir::new();
    let model = dir.script(
        "chat.jsonl",
        &[
            json!({"when": ["Earlier in this session", "What did you say?"], "reply": "I said moon."}),
            json!({"when": "What moves the tides?", "reply": "The moon, says [[Tides]] and [[Nowhere]]."}),
        ],
    );
    let mut child = dir.command(&["chat", "--vault", "vault", "--session", "talk", "--model", &model]);
    let mut child = child.stdin(std::process::Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"What moves the tides?\n\nWhat did you say?\n/quit\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.contains("The moon") && said.contains("I said moon."), "{said}");
    assert!(text(&output.stderr).contains("the answer names `Nowhere`"), "{}", text(&output.stderr));
    let listed = result(&dir.run(&["runs", "--session", "talk", "--json"]));
    assert_eq!(listed.as_array().unwrap().len(), 2);
}

#[test]
fn a_session_remembers_over_processes_and_others_do_not_know_it() {
    let dir = TestDir::new();
    let tides = "What moves the tides?";
    let model = dir.script(
        "talk.jsonl",
        &[
            json!({"when": ["Earlier in this session", tides, "The moon, says", "What did you say?"],
                "reply": "I said moon."}),
            json!({"when": "What did you say?", "reply": "I said nothing before."}),
            json!({"when": tides, "reply": "The moon, says [[Tides]]."}),
        ],
    );
    let ask = |request: &str, more: &[&str]| {
        let mut args = vec!["run", request, "--vault", "vault", "--model", &model];
        args.extend(more);
        let output = dir.run(&args);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let chat = |session: &str, line: &str| {
        let mut child = dir.command(&["chat", "--vault", "vault", "--session", session, "--model", &model]);
        let mut child = child.stdin(std::process::Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
        text(&child.wait_with_output().unwrap().stdout)
    };
    chat("talk", tides);
    let question = "What did you say?";
    assert!(ask(question, &["--session", "talk", "--record", "talk.tape"]).contains("I said moon."));
    assert!(chat("talk", question).contains("I said moon."));
    assert!(ask(question, &["--session", "other"]).contains("I said nothing before."));
    assert!(ask(question, &[]).contains("I said nothing before."), "nor does a run without a session");

    // Played back where the store knows nothing of it.
    let elsewhere = TestDir::new();
    std::fs::copy(dir.path("talk.tape"), elsewhere.path("talk.tape")).unwrap();
    let args = ["run", question, "--vault", "vault", "--session", "talk", "--model", "replay:talk.tape"];
    let replayed = elsewhere.run(&args);
    assert!(text(&replayed.stdout).contains("I said moon."), "{}", text(&replayed.stderr));
}

#[test]
fn a_session_knows_what_waits_and_what_was_undone() {
    let dir = TestDir::new();
    let tea = creates(&dir, "Tea");
    let args =
        ["run", "Create a note about tea", "--vault", "vault", "--session", "s", "--model", &tea, "--thread", "tea"];
    assert_eq!(dir.run(&args).status.code(), Some(3));
    let model = dir.script(
        "asks.jsonl",
        &[
            json!({"when": ["are not written", "Tea.md", "Well?"], "reply": "It waits."}),
            json!({"when": ["created `Tea.md`", "Its changes were undone since.", "Well?"], "reply": "It was undone."}),
            json!({"when": "Well?", "reply": "I do not know."}),
        ],
    );
    let well = || {
        let output = dir.run(&["run", "Well?", "--vault", "vault", "--session", "s", "--model", &model]);
        text(&output.stdout)
    };
    assert!(well().contains("It waits."));
    assert!(dir.run(&["apply", "tea"]).status.success());
    assert!(dir.run(&["undo", "tea"]).status.success());
    assert!(well().contains("It was undone."));
}
