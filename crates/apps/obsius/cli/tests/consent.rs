//! What `--yes` approves, and what it leaves to a person. The models are scripted.

use serde_json::{Value, json};

use crate::support::{TestDir, result, text};

/// A model that makes these calls at once and then says that it is done.
fn calls(dir: &TestDir, calls: &[(&str, Value)]) -> String {
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(at, (name, arguments))| json!({"id": at.to_string(), "name": name, "arguments": arguments}))
        .collect();
    let rules = [json!({"when": "[result", "reply": "It is done."}), json!({"when": "user:", "tool_calls": calls})];
    dir.script("calls.jsonl", &rules)
}

#[test]
fn yes_neither_deletes_nor_merges_nor_empties_without_its_own_option() {
    for (at, (request, name, arguments, lost)) in [
        ("Delete the note Soup", "delete_note", json!({"path": "Soup.md"}), "Soup.md"),
        ("Merge Soup into Moon", "merge_notes", json!({"path": "Soup.md", "into": "Moon.md"}), "Soup.md"),
        (
            "Change the note Soup",
            "update_note",
            json!({"path": "Soup.md", "operation": "replace", "old_text": "Soup is made of water.", "content": ""}),
            "Soup.md",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let dir = TestDir::new();
        let before = dir.bytes();
        let model = calls(&dir, &[(name, arguments)]);
        let run = format!("run-{at}");
        let arguments = ["run", request, "--vault", "vault", "--model", &model, "--thread", &run, "--yes"];
        let kept = dir.run(&arguments);
        let said = text(&kept.stderr);
        assert_eq!(kept.status.code(), Some(3), "{request}: {said}\n{}", text(&kept.stdout));
        assert!(said.contains(lost) && said.contains("which needs `--yes-delete`"), "{said}");
        assert!(text(&kept.stdout).contains(&format!("obsius apply {run}")), "{}", text(&kept.stdout));
        assert_eq!(dir.bytes(), before, "nothing is written");
        // Nor by going on with it.
        let resumed = dir.run(&["resume", &run, "--yes"]);
        assert_eq!(resumed.status.code(), Some(3), "{}", text(&resumed.stderr));
        assert!(text(&resumed.stdout).contains(&format!("obsius apply {run}")), "{}", text(&resumed.stdout));
        assert_eq!(dir.bytes(), before, "nothing is written");

        let resumed = dir.run(&["resume", &run, "--yes", "--yes-delete"]);
        assert!(resumed.status.success(), "{}", text(&resumed.stderr));
        assert_ne!(dir.bytes(), before);
    }
}

#[test]
fn yes_changes_no_more_than_twenty_notes_without_its_own_option() {
    for (count, waits) in [(20, false), (21, true)] {
        let dir = TestDir::new();
        // A rename that rewrites the links of all but one of the notes it changes.
        for at in 1..count {
            std::fs::write(dir.vault().join(format!("N{at}.md")), "See [[Soup]].\n").unwrap();
        }
        let model = calls(&dir, &[("move_note", json!({"path": "Soup.md", "to": "Broth"}))]);
        let mut arguments = vec!["run", "Rename Soup to Broth", "--vault", "vault", "--model", &model, "--yes"];
        let first = dir.run(&arguments);
        assert_eq!(first.status.code(), Some(if waits { 3 } else { 0 }), "{count}: {}", text(&first.stderr));
        assert_eq!(dir.vault().join("Broth.md").exists(), !waits);
        if waits {
            assert!(text(&first.stderr).contains("it changes 21 notes, more than 20"), "{}", text(&first.stderr));
            arguments.extend(["--yes-many", "--json"]);
            let second = dir.run(&arguments);
            assert!(second.status.success(), "{}", text(&second.stderr));
            assert_eq!(
                result(&second)["applied"]["paths"].as_array().unwrap().len(),
                22,
                "both places of the moved note"
            );
        }
    }
}

#[test]
fn an_option_that_widens_nothing_is_a_mistake() {
    let dir = TestDir::new();
    for option in ["--yes-delete", "--yes-many"] {
        let refused = dir.run(&["run", "Delete the note Soup", "--vault", "vault", option]);
        assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
        assert!(text(&refused.stderr).contains("give `--yes` too"), "{}", text(&refused.stderr));
    }
}
