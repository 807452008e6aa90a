//! What a person has set in Obsidian is heeded, and never written. The models are scripted.

use serde_json::json;

use crate::support::{TestDir, result, text};

fn set(dir: &TestDir, app: &str) {
    std::fs::create_dir_all(dir.vault().join(".obsidian")).unwrap();
    std::fs::write(dir.vault().join(".obsidian/app.json"), app).unwrap();
}

/// A model that makes a note `Sea` with links in the form that models write.
fn creates(dir: &TestDir) -> String {
    let text = "See [[Tides]], [[Tides#Ebb|the ebb]], [[Moon]], [[Not yet]] and ![[Tides]]. [own](https://x.y)";
    dir.script(
        "sea.jsonl",
        &[
            json!({"when": "[result", "reply": "It is done."}),
            json!({"when": "user:", "tool_calls": [{"id": "1", "name": "create_note",
                "arguments": {"title": "Sea", "folder": "notes", "content": text}}]}),
        ],
    )
}

#[test]
fn links_that_a_run_writes_are_written_as_the_settings_have_them() {
    for (app, expected) in [
        (None, "See [[Tides]], [[Tides#Ebb|the ebb]], [[Moon]], [[Not yet]] and ![[Tides]]. [own](https://x.y)\n"),
        (
            Some(r#"{"useMarkdownLinks": true, "newLinkFormat": "relative"}"#),
            "See [Tides](../deep%20sea/Tides.md), [the ebb](../deep%20sea/Tides.md#Ebb), [Moon](../Moon.md), [[Not yet]] \
             and ![](../deep%20sea/Tides.md). [own](https://x.y)\n",
        ),
        (
            Some(r#"{"newLinkFormat": "absolute"}"#),
            "See [[deep sea/Tides|Tides]], [[deep sea/Tides#Ebb|the ebb]], [[Moon]], [[Not yet]] and \
             ![[deep sea/Tides]]. [own](https://x.y)\n",
        ),
        (
            Some(r#"{"useMarkdownLinks": true}"#),
            "See [Tides](Tides.md), [the ebb](Tides.md#Ebb), [Moon](Moon.md), [[Not yet]] and ![](Tides.md). \
             [own](https://x.y)\n",
        ),
    ] {
        let dir = TestDir::new();
        std::fs::create_dir_all(dir.vault().join("deep sea")).unwrap();
        std::fs::write(dir.vault().join("deep sea/Tides.md"), "# Ebb\n").unwrap();
        std::fs::remove_file(dir.vault().join("Tides.md")).unwrap();
        if let Some(app) = app {
            set(&dir, app);
        }
        let model = creates(&dir);
        let run = dir.run(&["run", "Create a note about Sea", "--vault", "vault", "--model", &model, "--yes"]);
        let said = text(&run.stderr) + &text(&run.stdout);
        assert!(run.status.success(), "{said}");
        assert_eq!(std::fs::read_to_string(dir.vault().join("notes/Sea.md")).unwrap(), expected, "{app:?}");
        let told = said.contains("written as the settings of the vault have new links");
        assert_eq!(told, app.is_some(), "{said}");
        // What the person wrote, and the settings, keep every byte.
        assert_eq!(std::fs::read_to_string(dir.vault().join("Moon.md")).unwrap(), "The moon moves the [[Tides]].\n");
        if let Some(app) = app {
            assert_eq!(std::fs::read_to_string(dir.vault().join(".obsidian/app.json")).unwrap(), app);
        }
    }
}

#[test]
fn excluded_files_are_neither_found_nor_changed_and_that_is_told() {
    let dir = TestDir::new();
    std::fs::create_dir_all(dir.vault().join("Templates")).unwrap();
    std::fs::write(dir.vault().join("Templates/Water.md"), "Water of the template.\n").unwrap();
    std::fs::write(dir.vault().join("Old water.md"), "Water of old. See [[Tides]].\n").unwrap();
    let search = ["search", "water", "--vault", "vault", "--json"];
    assert_eq!(result(&dir.run(&search))["found"].as_array().unwrap().len(), 3);
    set(&dir, r#"{"userIgnoreFilters": ["templates/", "/^old/"]}"#);
    let found = dir.run(&search);
    let paths: Vec<String> =
        result(&found)["found"].as_array().unwrap().iter().map(|hit| hit["path"].to_string()).collect();
    assert_eq!(paths, ["\"Soup.md\""]);
    assert!(
        text(&found.stderr).contains("2 notes are excluded by the settings of the vault"),
        "{}",
        text(&found.stderr)
    );

    // A model that tries is refused; a link in an excluded note still follows what moves.
    let model = dir.script(
        "change.jsonl",
        &[
            json!({"when": "is an excluded file", "reply": "It is excluded."}),
            json!({"when": "user:", "tool_calls": [{"id": "1", "name": "update_note",
                "arguments": {"path": "Templates/Water.md", "content": "More."}}]}),
        ],
    );
    let before = dir.bytes();
    let run = dir.run(&["run", "Add a line to Water", "--vault", "vault", "--model", &model, "--yes"]);
    assert_eq!(run.status.code(), Some(1), "{}", text(&run.stderr));
    assert_eq!(dir.bytes(), before);
    let model = dir.script(
        "move.jsonl",
        &[
            json!({"when": "[result", "reply": "It is moved."}),
            json!({"when": "user:", "tool_calls": [{"id": "1", "name": "move_note",
                "arguments": {"path": "Tides.md", "to": "Ebb"}}]}),
        ],
    );
    let run = dir.run(&["run", "Rename Tides to Ebb", "--vault", "vault", "--model", &model, "--yes"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let old = std::fs::read_to_string(dir.vault().join("Old water.md")).unwrap();
    assert_eq!(old, "Water of old. See [[Ebb]].\n");
}

#[test]
fn settings_that_cannot_be_read_are_told_in_a_line_and_the_defaults_hold() {
    for (app, about) in [
        ("{", "`.obsidian/app.json` cannot be read"),
        (r#"{"newLinkFormat": 7}"#, "`newLinkFormat` in `.obsidian/app.json` is not heeded"),
        (r#"{"userIgnoreFilters": ["/(?<!x)Soup/"]}"#, "is no regular expression known here"),
    ] {
        let dir = TestDir::new();
        set(&dir, app);
        let found = dir.run(&["search", "water", "--vault", "vault", "--json"]);
        assert!(found.status.success(), "{}", text(&found.stderr));
        assert_eq!(result(&found)["found"][0]["path"], "Soup.md");
        let said = text(&found.stderr);
        assert_eq!(said.lines().filter(|line| line.contains(about)).count(), 1, "{said}");
    }
    // Not even by a model: no path leads there.
    let dir = TestDir::new();
    set(&dir, "{}");
    let model = dir.script(
        "hidden.jsonl",
        &[json!({"when": "user:", "tool_calls": [{"id": "1", "name": "create_note",
            "arguments": {"title": ".obsidian/app.md", "content": "x"}}]})],
    );
    let run = dir.run(&["run", "Create a note about x", "--vault", "vault", "--model", &model, "--yes"]);
    assert!(!run.status.success());
    assert_eq!(std::fs::read_dir(dir.vault().join(".obsidian")).unwrap().count(), 1);
}
