//! Notes that somebody edits between the plan and its writing. The models are scripted.

use serde_json::json;

use crate::support::{TestDir, result, text};

/// A vault whose note `Soup` is linked to, and a run that moves it, adds to one note and makes another, and waits.
fn planned() -> TestDir {
    let dir = TestDir::new();
    let write = |path: &str, text: &str| std::fs::write(dir.vault().join(path), text).unwrap();
    write("Menu.md", "# Menu\n\nFirst [[Soup]].\n\nThen bread.\n");
    write("Log.md", "# Log\n\n- monday\n- tuesday\n");
    let calls = [
        ("move_note", json!({"path": "Soup.md", "to": "kitchen/Broth"})),
        ("update_note", json!({"path": "Log.md", "old_text": "- monday", "content": "- monday: broth"})),
        ("create_note", json!({"title": "Tea", "content": "Text."})),
    ];
    let calls: Vec<_> = calls
        .iter()
        .enumerate()
        .map(|(at, (name, arguments))| json!({"id": at.to_string(), "name": name, "arguments": arguments}))
        .collect();
    let again = json!([{"id": "7", "name": "update_note",
        "arguments": {"path": "Log.md", "old_text": "- MONDAY", "content": "- MONDAY: broth"}}]);
    let model = dir.script(
        "moves.jsonl",
        &[
            json!({"when": ["[result", "not approved"], "reply": "It is done again."}),
            json!({"when": "not approved", "tool_calls": again}),
            json!({"when": "[result", "reply": "It is done."}),
            json!({"when": "user:", "tool_calls": calls}),
        ],
    );
    let waits = dir.run(&["run", "Rename Soup", "--vault", "vault", "--model", &model, "--thread", "soup"]);
    assert_eq!(waits.status.code(), Some(3), "{}", text(&waits.stderr));
    dir
}

fn read(dir: &TestDir, path: &str) -> String {
    std::fs::read_to_string(dir.vault().join(path)).unwrap()
}

#[test]
fn edits_made_meanwhile_stay_and_links_are_computed_anew() {
    let dir = planned();
    let write = |path: &str, text: &str| std::fs::write(dir.vault().join(path), text).unwrap();
    // The line of the link itself, a new link, another line of the edited note, and the moved note.
    write("Menu.md", "# Menu\n\nAt first [[Soup|the soup]], said [[Moon]].\n\nThen bread and [more](Soup.md).\n");
    write("Log.md", "# Log\n\n- monday\n- tuesday\n- wednesday\n");
    write("Soup.md", "Soup is made of water and [salt](Moon.md).\n");
    let edited = dir.bytes();
    let applied = dir.run(&["apply", "soup", "--json"]);
    assert!(applied.status.success(), "{}\n{}", text(&applied.stderr), text(&applied.stdout));
    assert_eq!(
        read(&dir, "Menu.md"),
        "# Menu\n\nAt first [[Broth|the soup]], said [[Moon]].\n\nThen bread and [more](kitchen/Broth.md).\n"
    );
    assert_eq!(read(&dir, "Log.md"), "# Log\n\n- monday: broth\n- tuesday\n- wednesday\n");
    assert_eq!(read(&dir, "kitchen/Broth.md"), "Soup is made of water and [salt](../Moon.md).\n");
    assert!(!dir.vault().join("Soup.md").exists());
    let notes = result(&applied)["notes"].to_string();
    for path in ["Menu.md", "Log.md", "Soup.md"] {
        assert!(notes.contains(&format!("`{path}` was edited since the changes were shown")), "{path}: {notes}");
    }
    let undone = dir.run(&["undo", "soup"]);
    assert!(undone.status.success(), "{}", text(&undone.stderr));
    assert_eq!(dir.bytes(), edited, "undoing keeps what somebody else wrote");
}

#[test]
fn a_conflict_names_its_lines_and_the_rest_can_be_written() {
    let dir = planned();
    std::fs::write(dir.vault().join("Log.md"), "# Log\n\n- MONDAY\n- tuesday\n").unwrap();
    let edited = dir.bytes();
    for _ in 0..2 {
        // As often as it is tried; and `--yes` does not decide it.
        let refused = dir.run(&["apply", "soup", "--yes"]);
        assert_eq!(refused.status.code(), Some(3), "{}", text(&refused.stderr));
        let said = text(&refused.stdout);
        assert!(said.contains("`Log.md` (line 3): the same lines were edited since"), "{said}");
        assert!(said.contains("obsius apply soup"), "{said}");
        assert_eq!(dir.bytes(), edited, "nothing is written");
    }
    let diff = result(&dir.run(&["diff", "soup", "--json"]));
    let items = diff["items"].as_array().unwrap();
    let mut args = vec!["apply", "soup"];
    let others = items.iter().filter(|item| !item["title"].as_str().unwrap().contains("conflict in `Log.md`"));
    let others: Vec<&str> = others.map(|item| item["id"].as_str().unwrap()).collect();
    assert_eq!((items.len(), others.len()), (3, 2), "{diff:#}");
    for id in &others {
        args.extend(["--only", id]);
    }
    let applied = dir.run(&args);
    assert!(applied.status.success(), "{}", text(&applied.stderr));
    assert_eq!(read(&dir, "Log.md"), "# Log\n\n- MONDAY\n- tuesday\n");
    assert_eq!(read(&dir, "Menu.md"), "# Menu\n\nFirst [[Broth]].\n\nThen bread.\n");
    assert!(dir.vault().join("Tea.md").exists());
}

#[test]
fn a_plan_that_conflicts_can_be_made_again() {
    let dir = planned();
    std::fs::write(dir.vault().join("Log.md"), "# Log\n\n- MONDAY\n- tuesday\n").unwrap();
    assert_eq!(dir.run(&["apply", "soup"]).status.code(), Some(3));
    let again = dir.run(&["resume", "soup", "--answer", r#"review={"reject":{"reason":"Log has changed"}}"#]);
    assert_eq!(again.status.code(), Some(3), "{}\n{}", text(&again.stderr), text(&again.stdout));
    assert!(text(&again.stdout).contains("+- MONDAY: broth"), "{}", text(&again.stdout));
    assert!(dir.run(&["apply", "soup"]).status.success());
    assert_eq!(read(&dir, "Log.md"), "# Log\n\n- MONDAY: broth\n- tuesday\n");
}
