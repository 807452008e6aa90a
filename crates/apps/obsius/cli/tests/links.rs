//! Links and properties of notes that are moved and merged. The models are scripted.

use serde_json::{Value, json};

use crate::support::{TestDir, result, text};

/// A vault of these notes alone, and a model that makes one call.
fn vault(notes: &[(&str, &str)], (tool, arguments): (&str, &Value)) -> (TestDir, String) {
    let dir = TestDir::new();
    for (path, text) in notes {
        dir.write(&format!("vault/{path}"), text);
    }
    let call = json!([{"id": "1", "name": tool, "arguments": arguments}]);
    let rules = [json!({"when": "[result", "reply": "It is done."}), json!({"when": "user:", "tool_calls": call})];
    let model = dir.script("call.jsonl", &rules);
    (dir, model)
}

fn read(dir: &TestDir, path: &str) -> String {
    std::fs::read_to_string(dir.vault().join(path)).unwrap()
}

/// Links of every kind with marks inside and around their brackets, and what only looks like links.
const NOTE: &str = "---\nup: \"[[Old|`x`]]\"\n---\nCode [[Old|`old()`]], [[Old#The `x` part]], ![[Old#The `x` part]] and `[[Old]]`.\n\n\
    | a | b |\n|---|---|\n| $3 | ![[Old]] 4$ |\n| [[Old\\|`x`]] | `[[Old\\|x]]` |\n\n\
    > [!note] See [[Old|$x$]] and $\\text{[[Old]]}$\n\n[[Old#Cost $5 or $6]] from US$10 for [[Old]] to US$20, A$5-[[Old]]-A$6, $10/[[Old]]/$20\n\n\
    [[Old|50%% of it]], [[Old|20%% more]] and %% [[Old]] %%[^1]\n\n[^1]: See [a `x` b](Old.md) and $[[Old]]$.\n";

#[test]
fn links_with_marks_in_their_brackets_and_between_amounts_follow_a_note_that_is_renamed_or_merged() {
    let expected = |name: &str| {
        let keeps = ["`[[Old]]`", "`[[Old\\|x]]`", "$\\text{[[Old]]}$", "%% [[Old]] %%", "$[[Old]]$"];
        let mut text = NOTE.to_owned();
        for (at, keep) in keeps.iter().enumerate() {
            text = text.replace(keep, &format!("\u{1}{at}\u{1}"));
        }
        text = text.replace("[[Old", &format!("[[{name}")).replace("(Old.md", &format!("({name}.md"));
        for (at, keep) in keeps.iter().enumerate() {
            text = text.replace(&format!("\u{1}{at}\u{1}"), keep);
        }
        text
    };
    for (request, tool, arguments, name) in [
        ("Rename Old to New", "move_note", json!({"path": "Old.md", "to": "New"}), "New"),
        ("Merge Old into Soup", "merge_notes", json!({"path": "Old.md", "into": "Soup.md"}), "Soup"),
    ] {
        let (dir, model) = vault(&[("Old.md", "# Old\n"), ("From.md", NOTE)], (tool, &arguments));
        let args = ["run", request, "--vault", "vault", "--model", &model, "--yes", "--yes-delete", "--json"];
        let output = dir.run(&args);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(read(&dir, "From.md"), expected(name));
        assert!(!dir.vault().join("Old.md").exists());
    }
}

#[test]
fn a_merge_keeps_values_as_they_are_written_and_tells_what_it_leaves_out() {
    let old = "---\n# of the book\nisbn: 0012345678\nver: 1.10 # second\nzip: 00501\nplus: +49\nhex: 0x1F\nexp: 1e3\nday: 2024-01-02\n\
        quote: 'it''s'\ntext: |\n  one\n   two\ntags:\n  - 007 # agent\nstatus: old\n---\nOld.\n";
    let home = "---\ntags: [sea] # mine\nstatus: new\n---\nHome.\n";
    let call = json!({"path": "Old.md", "into": "Home.md"});
    let (dir, model) = vault(&[("Old.md", old), ("Home.md", home)], ("merge_notes", &call));
    let args = [
        "run",
        "Merge Old into Home",
        "--vault",
        "vault",
        "--model",
        &model,
        "--thread",
        "one",
        "--yes",
        "--yes-delete",
        "--json",
    ];
    let output = dir.run(&args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(
        read(&dir, "Home.md"),
        "---\ntags: [sea, 007] # mine\nstatus: new\n# of the book\nisbn: 0012345678\nver: 1.10 # second\nzip: 00501\nplus: +49\n\
         hex: 0x1F\nexp: 1e3\nday: 2024-01-02\nquote: 'it''s'\ntext: |\n  one\n   two\n# agent\n---\nHome.\nOld.\n"
    );
    let notes = result(&output)["notes"].to_string();
    assert!(
        notes.contains("both notes have the key `status`") && notes.contains("is left out: `status: old`"),
        "{notes}"
    );
    let undone = dir.run(&["undo", "one"]);
    assert!(undone.status.success(), "{}", text(&undone.stderr));
    assert_eq!((read(&dir, "Old.md"), read(&dir, "Home.md")), (old.to_owned(), home.to_owned()));
}
