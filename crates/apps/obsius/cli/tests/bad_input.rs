//! Bad input gets a clear error, never a panic, and leaves the vault as it is.

use serde_json::json;

use crate::support::{TestDir, text};

#[test]
fn bad_input_is_named_with_its_remedy() {
    let dir = TestDir::new();
    let before = dir.bytes();
    let model = dir.script("says.jsonl", &[json!({"when": "user:", "reply": "Nothing."})]);
    for (args, status, part) in [
        (vec!["run", "  ", "--vault", "vault", "--model", &model], 2, "the request is empty"),
        (vec!["run", "x", "--vault", "absent", "--model", &model], 1, "absent"),
        (vec!["run", "x", "--vault", "vault/Soup.md", "--model", &model], 1, "Soup.md"),
        (vec!["run", "x", "--vault", "vault", "--model", "oracle"], 2, "embedded"),
        (vec!["run", "x", "--vault", "vault", "--model", &model, "--set", "MAX_ITERATION=3"], 2, "MAX_ITERATIONS"),
        (vec!["run", "x", "--vault", "vault", "--model", &model, "--set", "MAX_ITERATIONS=0"], 2, "1 or more"),
        (vec!["run", "x", "--vault", "vault", "--model", &model, "--thread", "a b"], 2, "no id of a run"),
        (
            vec!["run", "x", "--vault", "vault", "--out", "vault"],
            2,
            "`--out` is an option of `writehere`, `pocketflow` and `deepsearch`, not of `obsius`",
        ),
        (vec!["--search", "bing", "run", "x"], 2, "possible values: local, openalex"),
        (vec!["run", "x", "--vault", "vault", "--search", "tavily"], 2, "TAVILY_API_KEY"),
        (vec!["run", "x", "--vault", "vault", "--search", "local"], 2, "needs `--corpus DIR`"),
        (vec!["run", "x", "--vault", "vault", "--search", "none,arxiv"], 2, "`--search none` stands alone"),
        (vec!["run", "x", "--out", "out"], 2, "`--out` is an option of `writehere`"),
        (vec!["chat", "--thread", "t"], 2, "`--thread` is an option of `obsius run`"),
        (vec!["show", "nothing"], 2, "there is no run `nothing`"),
        (vec!["resume", "nothing"], 2, "there is no run `nothing`"),
        (vec!["apply", "nothing"], 2, "there is no run `nothing`"),
        (vec!["undo", "nothing"], 2, "there is no run `nothing`"),
        (vec!["diff", "nothing"], 2, "there is no run `nothing`"),
    ] {
        let output = dir.run(&args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {said}");
        assert!(said.contains(part), "{args:?} does not name `{part}`: {said}");
        assert!(!said.contains("panicked"), "{args:?}: {said}");
    }
    assert_eq!(dir.bytes(), before);
}

#[test]
fn a_request_that_would_leave_the_vault_is_refused() {
    let dir = TestDir::new();
    let before = dir.bytes();
    for title in ["../outside.md", "/etc/passwd.md", "a/../../b.md", ".obsidian/app.md"] {
        let model = dir.script(
            "escape.jsonl",
            &[
                json!({"when": "[result", "reply": "It was refused."}),
                json!({"when": "user:", "tool_calls": [{"id": "1", "name": "create_note",
                    "arguments": {"title": title, "content": "x"}}]}),
            ],
        );
        let output = dir.run(&["run", "Create a note", "--vault", "vault", "--model", &model, "--yes"]);
        assert_eq!(output.status.code(), Some(1), "{title}: {}", text(&output.stderr));
        assert_eq!(dir.bytes(), before, "{title}");
        assert!(!dir.path("outside.md").exists());
    }
}

#[test]
fn notes_that_cannot_be_read_are_told_and_left_alone() {
    let dir = TestDir::new();
    std::fs::write(dir.vault().join("Latin.md"), b"caf\xe9\n").unwrap();
    std::fs::write(dir.vault().join("Broken.md"), "---\ntags: [a\n---\ntext\n").unwrap();
    let before = dir.bytes();
    let model = dir.script(
        "broken.jsonl",
        &[
            json!({"when": "[result", "reply": "It cannot be changed."}),
            json!({"when": "user:", "tool_calls": [{"id": "1", "name": "update_note",
                "arguments": {"path": "Broken.md", "frontmatter": {"tags": ["b"]}}}]}),
        ],
    );
    let output = dir.run(&["run", "Tag Broken", "--vault", "vault", "--model", &model, "--yes"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("`Latin.md`") && said.contains("frontmatter of `Broken.md` is broken"), "{said}");
    assert_eq!(dir.bytes(), before);
}

#[test]
fn parameters_are_printed_with_their_source() {
    let dir = TestDir::new();
    std::fs::write(dir.path("mine.toml"), "MAX_ITERATIONS = 3\n").unwrap();
    let output =
        dir.run(&["run", "x", "--config", "mine.toml", "--set", "PERSISTENCE_INTERVAL_MS=100", "--print-config"]);
    let printed = text(&output.stdout);
    for part in [
        "MAX_ITERATIONS = 3",
        "from mine.toml; default 24",
        "PERSISTENCE_INTERVAL_MS = 100",
        "from --set; default 5000",
        "ITERATION_TIMEOUT_MS = 30000",
        "MAX_WORKING_MEMORY_ENTRIES = 50",
        "MAX_STATE_SIZE = 1048576",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
}
