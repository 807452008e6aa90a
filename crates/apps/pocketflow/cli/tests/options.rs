//! Every option changes something. The model is scripted.

use std::path::Path;

use graphloom_cli::OptionGroup;
use graphloom_test_support::options::{Case, MODEL, OptionEffect, Program, check, copy, offers};

use crate::support::{DONE, TestDir, WAITING, said};

#[test]
fn every_option_changes_something() {
    let dir = TestDir::new();
    // One conversation has its proposal, one waits.
    dir.say("tides", WAITING);
    dir.say("approve", WAITING);
    dir.say("yes", DONE);
    said(&dir.talk(&["say", "c2", "tides"]), WAITING);
    std::fs::write(dir.path("mine.toml"), "[limits]\nrecords = 3\n").unwrap();
    std::fs::create_dir(dir.path("prompts")).unwrap();
    std::fs::write(dir.path("prompts/broken.j2"), "{% if %}").unwrap();

    let say = |more: &[&'static str]| [&["say", "c2", "approve", "--model", "scripted:model.jsonl"], more].concat();
    let print = |more: &[&'static str]| [&["say", "c2", "approve", "--print-config"], more].concat();
    let resume = |more: &[&'static str]| [&["resume", "c2"], more].concat();
    let chat = |more: &[&'static str]| [&["chat", "--model", "scripted:model.jsonl"], more].concat();
    let rows: Vec<(&str, Vec<&str>, Vec<&str>, OptionEffect<'_>)> = vec![
        (
            "--model",
            vec!["say", "c2", "approve", "--offline"],
            say(&["--offline"]),
            OptionEffect::Shows("model: `scripted:model.jsonl`"),
        ),
        ("--record", say(&[]), say(&["--record", "tape.jsonl"]), OptionEffect::Writes("tape.jsonl", "scripted")),
        (
            "--budget",
            say(&["--corpus", "papers"]),
            say(&["--corpus", "papers", "--budget", "calls=1"]),
            OptionEffect::Shows("the budget is spent after 1 calls"),
        ),
        ("--cache", say(&[]), say(&["--cache"]), OptionEffect::Shows("answers of earlier runs are taken from")),
        ("--hedge", say(&[]), say(&["--hedge", "5s"]), OptionEffect::Shows("`--hedge` asks nobody twice here")),
        ("--rate", say(&[]), say(&["--rate", "requests=60"]), OptionEffect::Shows("`--rate` limits nothing here")),
        (
            "--prices",
            say(&[]),
            say(&["--prices", "absent.toml"]),
            OptionEffect::Shows("the prices in `absent.toml` cannot be read"),
        ),
        ("--yes", resume(&[]), resume(&["--yes"]), OptionEffect::Hides("reading answers from stdin")),
        ("--no-input", resume(&[]), resume(&["--no-input"]), OptionEffect::Hides("reading answers from stdin")),
        ("--corpus", say(&[]), say(&["--corpus", "papers"]), OptionEffect::Hides("nothing is searched")),
        (
            "--search",
            say(&["--corpus", "papers"]),
            say(&["--corpus", "papers", "--search", "none"]),
            OptionEffect::Shows("leaves `local` out"),
        ),
        (
            "--mcp-config",
            say(&["--corpus", "papers"]),
            say(&["--corpus", "papers", "--mcp-config", "servers.json"]),
            OptionEffect::Shows("is for `--search mcp`"),
        ),
        (
            "--full-text",
            say(&["--corpus", "papers"]),
            say(&["--corpus", "papers", "--full-text"]),
            OptionEffect::Shows("needs a source of literature"),
        ),
        (
            "--embeddings",
            say(&["--corpus", "papers"]),
            say(&["--corpus", "papers", "--embeddings", "compatible:m@http://127.0.0.1:9/v1"]),
            OptionEffect::Shows("what is searched for, are sent to `http://127.0.0.1:9/v1`"),
        ),
        (
            "--studio",
            chat(&["--no-input"]),
            chat(&["--no-input", "--studio"]),
            OptionEffect::Shows("/studio/#/threads/"),
        ),
        ("--thread", chat(&[]), chat(&["--thread", "mine"]), OptionEffect::Shows("conversation `mine`")),
        (
            "--out",
            vec!["export", "c1"],
            vec!["export", "c1", "--out", "out"],
            OptionEffect::Writes("out/proposal.md", "Tides"),
        ),
        ("--config", print(&[]), print(&["--config", "mine.toml"]), OptionEffect::Shows("limits.records = 3")),
        ("--set", print(&[]), print(&["--set", "limits.records=4"]), OptionEffect::Shows("limits.records = 4")),
        ("--print-config", say(&[]), say(&["--print-config"]), OptionEffect::Shows("limits.records = 12")),
        ("--prompts", say(&[]), say(&["--prompts", "prompts"]), OptionEffect::Shows("broken")),
        (
            "--answer",
            resume(&["--no-input"]),
            resume(&["--no-input", "--answer", "topic=1"]),
            OptionEffect::Shows("no open question `topic`"),
        ),
        (
            "--from",
            vec!["replay", "c1", "--model", "scripted:model.jsonl"],
            vec!["replay", "c1", "--model", "scripted:model.jsonl", "--from", "9999"],
            OptionEffect::Shows("no checkpoint 9999"),
        ),
        ("--at", vec!["fork", "c1"], vec!["fork", "c1", "--at", "9999"], OptionEffect::Shows("no checkpoint 9999")),
        ("--format", vec!["graph"], vec!["graph", "--format", "dot"], OptionEffect::Shows("digraph")),
    ];
    let program = Program {
        path: Path::new(env!("CARGO_BIN_EXE_pocketflow")),
        list: &["runs"],
        ask: &["say", "c1", "tides", "--model", MODEL],
    };
    let cases: Vec<Case<'_>> = rows.iter().map(Case::of).collect();
    check(program, |place| copy(&dir.path(""), place), &cases);
}

#[test]
fn groups_name_the_programs_that_serve_them() {
    let groups = OptionGroup::all();
    let said = groups.iter().flat_map(|group| {
        let is_served = group.programs.contains(&"pocketflow");
        group.options.iter().map(move |option| (option.as_str(), is_served))
    });
    offers(Path::new(env!("CARGO_BIN_EXE_pocketflow")), said);
}
