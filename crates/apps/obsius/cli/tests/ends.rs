//! How the command ends: exit statuses of limits, and going on with other ones. The models are scripted.

use serde_json::{Value, json};

use crate::support::{TestDir, result, text};

/// Calls a tool whenever it is asked and tools are offered, and else says this.
fn restless(dir: &TestDir, name: &str, tool: &str, arguments: &Value, said: &str) -> String {
    dir.script(
        name,
        &[
            json!({"when": "No more tools can be used", "reply": said}),
            json!({"when": "user:", "tool_calls": [{"id": "1", "name": tool, "arguments": arguments}]}),
        ],
    )
}

fn run<'a>(request: &'a str, model: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["run", request, "--vault", "vault", "--thread", "it", "--model", model];
    args.extend(more);
    args
}

#[test]
fn turns_that_are_used_up_exit_with_four_and_nothing_is_written() {
    let dir = TestDir::new();
    let before = dir.bytes();
    let model = restless(&dir, "search.jsonl", "search_notes", &json!({"query": "tea"}), "I could not finish.");
    let output = dir.run(&run("Create a note about tea", &model, &["--yes", "--json", "--set", "max_turns=3"]));
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    let told = result(&output);
    assert_eq!(
        (&told["outcome"]["is_complete"], &told["outcome"]["stop"]["reason"]),
        (&json!(false), &json!("turn_limit"))
    );
    assert!(text(&output.stderr).contains("--set max_turns=…` goes on with more"), "{}", text(&output.stderr));
    assert!(!text(&output.stderr).contains("iteration 0 of"), "{}", text(&output.stderr));
    assert_eq!(dir.bytes(), before);

    // Without other limits it stays at its end; with them it goes on.
    let again = dir.run(&["resume", "it"]);
    assert_eq!(again.status.code(), Some(4), "{}", text(&again.stderr));
    let makes = dir.script(
        "makes.jsonl",
        &[
            json!({"when": "[result", "reply": "It is done."}),
            json!({"when": "user:", "tool_calls": [{"id": "1", "name": "create_note",
                "arguments": {"title": "Tea", "content": "Text."}}]}),
        ],
    );
    let resumed = dir.run(&["resume", "it", "--model", &makes, "--set", "max_turns=6", "--yes"]);
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    assert!(dir.vault().join("Tea.md").exists());
    assert!(text(&resumed.stderr).contains("`max_turns` is 6 from here on, it was 3"), "{}", text(&resumed.stderr));
    let shown = result(&dir.run(&["show", "it", "--json"]));
    assert_eq!(shown["state"]["session"]["config"]["max_turns"], 6);
    let late = dir.run(&["resume", "it", "--set", "max_turns=9"]);
    assert_eq!(late.status.code(), Some(2), "{}", text(&late.stderr));
    assert!(text(&late.stderr).contains("its changes are written"), "{}", text(&late.stderr));
}

#[test]
fn part_of_the_work_is_shown_and_goes_on_with_other_limits_or_is_written() {
    let append = json!({"path": "Soup.md", "operation": "append", "content": "More."});
    for goes_on in [true, false] {
        let dir = TestDir::new();
        let model = restless(&dir, "append.jsonl", "update_note", &append, "There was more to do.");
        let output = dir.run(&run("Add many lines to Soup", &model, &["--set", "max_turns=2"]));
        assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
        assert!(
            text(&output.stdout).contains("not complete, the limit of 2 turns is reached"),
            "{}",
            text(&output.stdout)
        );
        assert!(text(&dir.run(&["show", "it"]).stdout).contains("not complete, the limit of 2 turns"));
        if goes_on {
            let ends = dir.script("ends.jsonl", &[json!({"when": "Do not make them again", "reply": "That was all."})]);
            let resumed = dir.run(&["resume", "it", "--set", "max_turns=5", "--model", &ends, "--yes"]);
            assert!(resumed.status.success(), "{}", text(&resumed.stderr));
        } else {
            let applied = dir.run(&["apply", "it"]);
            assert_eq!(applied.status.code(), Some(4), "{}", text(&applied.stderr));
            assert!(text(&applied.stdout).contains("Not complete: the limit of 2 turns"), "{}", text(&applied.stdout));
        }
        let soup = std::fs::read_to_string(dir.vault().join("Soup.md")).unwrap();
        assert_eq!(soup.matches("More.").count(), 1, "{soup}");
    }
}

#[test]
fn what_cannot_be_changed_in_a_run_that_goes_on_is_named() {
    let dir = TestDir::new();
    let append = json!({"path": "Soup.md", "operation": "append", "content": "More."});
    let model = restless(&dir, "append.jsonl", "update_note", &append, "There was more to do.");
    dir.run(&run("Add many lines to Soup", &model, &["--set", "max_turns=2"]));
    for (more, part) in [
        (vec!["--set", "confidence_threshold=0.1"], "`confidence_threshold` stays as it is"),
        (vec!["--set", "max_subtasks=2"], "the plan is made"),
        (vec!["--set", "max_turn=9"], "max_turns"),
        (vec!["--set", "max_turns=0"], "1 or more"),
        (vec!["--set", "max_turns"], "has no `=`"),
        (vec!["--set", "api_key=sk-1"], "would show a secret"),
        (vec!["--set", "max_turns=9", "--answer", r#"review="approve""#], "not both"),
    ] {
        let mut args = vec!["resume", "it"];
        args.extend(more);
        let refused = dir.run(&args);
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(part), "{args:?} does not say `{part}`: {said}");
    }
    let done = dir.script(
        "done.jsonl",
        &[
            json!({"when": "[result", "reply": "It is done."}),
            json!({"when": "user:", "tool_calls": [{"id": "1", "name": "create_note",
                "arguments": {"title": "Tea", "content": "Text."}}]}),
        ],
    );
    dir.run(&["run", "Create a note about tea", "--vault", "vault", "--thread", "done", "--model", &done]);
    let refused = dir.run(&["resume", "done", "--set", "max_turns=9"]);
    assert!(text(&refused.stderr).contains("it reached no limit"), "{}", text(&refused.stderr));
    assert_eq!(refused.status.code(), Some(2));
}
