//! Every option changes something. The models are scripted.

use std::path::Path;

use graphloom_cli::OptionGroup;
use graphloom_test_support::options::{Case, MODEL, OptionEffect, Program, check, copy, offers};
use serde_json::json;

use crate::support::{TestDir, text};

#[test]
fn every_option_changes_something() {
    let dir = TestDir::new();
    let [model, salt] = ["Tea", "Salt"].map(|title| {
        let note = json!({"title": title, "content": "Text."});
        let rules = [
            json!({"when": "[result", "reply": "It is done."}),
            json!({"when": "user:", "tool_calls": [{"id": "1", "name": "create_note", "arguments": note}]}),
        ];
        dir.script(&format!("{}.jsonl", title.to_lowercase()), &rules)
    });
    let begin = ["run", "Create a note about tea", "--vault", "vault", "--model", model.as_str()];
    let run = |more: &[&'static str]| [&begin[..], more].concat();
    // One run waits for its review, one is done, and its note was changed since.
    assert_eq!(dir.run(&run(&["--thread", "waits"])).status.code(), Some(3));
    let done = ["run", "Create a note about salt", "--vault", "vault", "--model", &salt, "--thread", "done", "--yes"];
    let done = dir.run(&done);
    assert!(done.status.success(), "{}", text(&done.stderr));
    std::fs::write(dir.vault().join("Salt.md"), "Somebody else wrote this.\n").unwrap();
    std::fs::write(dir.path("mine.toml"), "MAX_ITERATIONS = 3\n").unwrap();
    dir.write("papers/log.md", "# The log\n\nEvery change is written to the log first.\n");
    dir.write("servers.json", r#"{"mcpServers": {"absent": {"command": "/nothing/here"}}}"#);
    std::fs::create_dir(dir.path("prompts")).unwrap();
    std::fs::write(dir.path("prompts/broken.j2"), "{% if %}").unwrap();

    let print = |more: &[&'static str]| [&["run", "x", "--print-config"], more].concat();
    let resume = |more: &[&'static str]| [&["resume", "waits"], more].concat();
    let rows: Vec<(&str, Vec<&str>, Vec<&str>, OptionEffect<'_>)> = vec![
        (
            "--model",
            vec!["run", "x", "--vault", "vault", "--offline"],
            run(&["--offline"]),
            OptionEffect::Shows("model: `scripted:tea.jsonl`"),
        ),
        ("--record", run(&[]), run(&["--record", "tape.jsonl"]), OptionEffect::Writes("tape.jsonl", "tea")),
        ("--budget", run(&[]), run(&["--budget", "calls=1"]), OptionEffect::Shows("the budget of 1 calls")),
        ("--cache", run(&[]), run(&["--cache"]), OptionEffect::Shows("answers of earlier runs are taken from")),
        ("--hedge", run(&[]), run(&["--hedge", "5s"]), OptionEffect::Shows("`--hedge` asks nobody twice here")),
        ("--rate", run(&[]), run(&["--rate", "requests=60"]), OptionEffect::Shows("`--rate` limits nothing here")),
        (
            "--prices",
            run(&[]),
            run(&["--prices", "absent.toml"]),
            OptionEffect::Shows("the prices in `absent.toml` cannot be read"),
        ),
        ("--yes", run(&[]), run(&["--yes"]), OptionEffect::Hides("nothing is written yet")),
        ("--no-input", resume(&[]), resume(&["--no-input"]), OptionEffect::Hides("reading answers from stdin")),
        ("--studio", run(&["--no-input"]), run(&["--no-input", "--studio"]), OptionEffect::Shows("/studio/#/threads/")),
        ("--thread", run(&[]), run(&["--thread", "mine"]), OptionEffect::Shows("run `mine`")),
        ("--config", print(&[]), print(&["--config", "mine.toml"]), OptionEffect::Shows("MAX_ITERATIONS = 3")),
        ("--set", print(&[]), print(&["--set", "MAX_ITERATIONS=4"]), OptionEffect::Shows("MAX_ITERATIONS = 4")),
        (
            "--print-config",
            vec!["run", "x", "--vault", "absent"],
            vec!["run", "x", "--vault", "absent", "--print-config"],
            OptionEffect::Shows("MAX_ITERATIONS = "),
        ),
        (
            "--mcp-config",
            run(&[]),
            run(&["--mcp-config", "servers.json"]),
            OptionEffect::Shows("the MCP server `absent` did not start"),
        ),
        ("--corpus", run(&[]), run(&["--corpus", "papers"]), OptionEffect::Shows("corpus: ")),
        (
            "--search",
            run(&["--corpus", "papers"]),
            run(&["--corpus", "papers", "--search", "none"]),
            OptionEffect::Shows("leaves `local` out"),
        ),
        (
            "--full-text",
            run(&["--corpus", "papers"]),
            run(&["--corpus", "papers", "--full-text"]),
            OptionEffect::Shows("needs a source of literature"),
        ),
        (
            "--embeddings",
            run(&["--corpus", "papers"]),
            run(&["--corpus", "papers", "--embeddings", "compatible:m@http://127.0.0.1:9/v1"]),
            OptionEffect::Shows("what is searched for, are sent to `http://127.0.0.1:9/v1`"),
        ),
        ("--prompts", run(&[]), run(&["--prompts", "prompts"]), OptionEffect::Shows("broken")),
        (
            "--vault",
            vec!["search", "tides"],
            vec!["search", "tides", "--vault", "vault/absent"],
            OptionEffect::Shows("absent"),
        ),
        (
            "--session",
            run(&["--json"]),
            run(&["--json", "--session", "mine"]),
            OptionEffect::Shows("\"session_id\":\"mine\""),
        ),
        ("--seed", run(&["--json"]), run(&["--json", "--seed", "5"]), OptionEffect::Shows("\"seed\":5")),
        ("--yes-delete", run(&[]), run(&["--yes-delete"]), OptionEffect::Shows("give `--yes` too")),
        ("--yes-many", run(&[]), run(&["--yes-many"]), OptionEffect::Shows("give `--yes` too")),
        (
            "--answer",
            resume(&["--no-input"]),
            resume(&["--no-input", "--answer", "verdict=1"]),
            OptionEffect::Shows("no open question `verdict`"),
        ),
        ("--only", vec!["apply", "waits"], vec!["apply", "waits", "--only", "9"], OptionEffect::Shows("`9`")),
        ("--force", vec!["undo", "done"], vec!["undo", "done", "--force"], OptionEffect::Hides("left as they are")),
        (
            "--older-than",
            vec!["forget", "--vault", "vault"],
            vec!["forget", "--vault", "vault", "--older-than", "0s"],
            OptionEffect::Hides("name the runs"),
        ),
        (
            "--all",
            vec!["forget", "--vault", "vault"],
            vec!["forget", "--vault", "vault", "--all"],
            OptionEffect::Shows("the backups of"),
        ),
        (
            "--limit",
            vec!["search", "the", "--vault", "vault"],
            vec!["search", "the", "--vault", "vault", "--limit", "1"],
            OptionEffect::Shows("more notes fit"),
        ),
        ("--format", vec!["graph"], vec!["graph", "--format", "phases"], OptionEffect::Shows("stateDiagram")),
    ];
    let program = Program {
        path: Path::new(env!("CARGO_BIN_EXE_obsius")),
        list: &["runs"],
        ask: &["run", "Create a note", "--model", MODEL],
    };
    let cases: Vec<Case<'_>> = rows.iter().map(Case::of).collect();
    check(program, |place| copy(&dir.path(""), place), &cases);
}

#[test]
fn groups_name_the_programs_that_serve_them() {
    let groups = OptionGroup::all();
    let said = groups.iter().flat_map(|group| {
        let is_served = group.programs.contains(&"obsius");
        group.options.iter().map(move |option| (option.as_str(), is_served))
    });
    offers(Path::new(env!("CARGO_BIN_EXE_obsius")), said);
}
