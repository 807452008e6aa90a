//! Files that are not read are told, and notes of any other name are notes. The models are scripted.

use serde_json::json;

use crate::support::{TestDir, result, text};

#[test]
fn what_is_skipped_is_told() {
    let dir = TestDir::new();
    std::fs::write(dir.vault().join("Latin.md"), b"caf\xe9").unwrap();
    std::fs::write(dir.vault().join("two\nlines.md"), "x").unwrap();
    std::fs::write(dir.vault().join("What is C#?.MD"), "About quetzals.\n").unwrap();
    let found = dir.run(&["search", "quetzals", "--vault", "vault", "--json"]);
    assert!(found.status.success(), "{}", text(&found.stderr));
    let (value, said) = (result(&found), text(&found.stderr));
    assert_eq!(value["found"][0]["path"], "What is C#?.MD");
    let skipped: Vec<&str> =
        value["skipped"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(skipped, ["Latin.md", "two\nlines.md"]);
    assert!(said.contains("`Latin.md` is not read and not changed: it is not UTF-8 text"), "{said}");
    assert!(said.contains("lines.md` is not read and not changed: it holds the control character"), "{said}");

    let model = dir.script(
        "move.jsonl",
        &[
            json!({"when": "[result", "reply": "It is done."}),
            json!({"when": "user:", "tool_calls": [{"id": "1", "name": "move_note",
                "arguments": {"path": "What is C#?", "to": "Quetzals"}}]}),
        ],
    );
    let args = ["run", "Rename What is C#? to Quetzals", "--vault", "vault", "--model", &model, "--yes", "--json"];
    let run = dir.run(&args);
    assert!(run.status.success(), "{}", text(&run.stderr));
    assert_eq!(result(&run)["skipped"].as_array().unwrap().len(), 2);
    assert!(dir.vault().join("Quetzals.MD").exists());
}
