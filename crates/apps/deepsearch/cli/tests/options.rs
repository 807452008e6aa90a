//! Every option changes something. The model is scripted.

use std::path::Path;

use graphloom_cli::OptionGroup;
use graphloom_test_support::options::{Case, MODEL, OptionEffect, Program, check, copy, offers};

use crate::support::{QUESTION, SMALL, TestDir, text};

#[test]
fn every_option_changes_something() {
    let dir = TestDir::new();
    // One run is done, one waits with a question.
    let done = dir.run(&dir.ask(&["--yes", "--out", "out", "--thread", "done"]));
    assert!(done.status.success(), "{}", text(&done.stderr));
    let waits = dir.run(&dir.ask(&["--no-input", "--out", "out", "--thread", "waits"]));
    assert_eq!(waits.status.code(), Some(3), "{}", text(&waits.stderr));
    std::fs::write(dir.path("mine.toml"), "outliner_max_section_num = 3\n").unwrap();

    let begin = [&[QUESTION, "--model", "scripted:script.jsonl"][..], &SMALL].concat();
    let ask = |more: &[&'static str]| [&begin[..], more].concat();
    let print = |more: &[&'static str]| [&[QUESTION, "--print-config"], more].concat();
    let resume = |more: &[&'static str]| [&["resume", "waits"], more].concat();
    let again = |more: &[&'static str]| [&["resume", "done"], more].concat();
    let rows: Vec<(&str, Vec<&str>, Vec<&str>, OptionEffect<'_>)> = vec![
        (
            "--model",
            vec![QUESTION, "--offline"],
            ask(&["--offline"]),
            OptionEffect::Shows("model: `scripted:script.jsonl`"),
        ),
        ("--record", ask(&[]), ask(&["--record", "tape.jsonl"]), OptionEffect::Writes("tape.jsonl", "scripted")),
        (
            "--budget",
            ask(&["--yes", "--corpus", "corpus"]),
            ask(&["--yes", "--corpus", "corpus", "--budget", "calls=9"]),
            OptionEffect::Shows("budget_spent: "),
        ),
        ("--cache", ask(&[]), ask(&["--cache"]), OptionEffect::Shows("answers of earlier runs are taken from")),
        ("--hedge", ask(&[]), ask(&["--hedge", "5s"]), OptionEffect::Shows("`--hedge` asks nobody twice here")),
        ("--rate", ask(&[]), ask(&["--rate", "requests=60"]), OptionEffect::Shows("`--rate` limits nothing here")),
        (
            "--prices",
            ask(&[]),
            ask(&["--prices", "absent.toml"]),
            OptionEffect::Shows("the prices in `absent.toml` cannot be read"),
        ),
        ("--yes", print(&[]), print(&["--yes"]), OptionEffect::Shows("from --yes")),
        ("--studio", ask(&["--no-input"]), ask(&["--no-input", "--studio"]), OptionEffect::Shows("/studio/#/threads/")),
        ("--no-input", resume(&[]), resume(&["--no-input"]), OptionEffect::Hides("reading answers from stdin")),
        ("--corpus", ask(&[]), ask(&["--corpus", "corpus"]), OptionEffect::Hides("nothing is searched")),
        (
            "--search",
            ask(&["--corpus", "corpus"]),
            ask(&["--corpus", "corpus", "--search", "none"]),
            OptionEffect::Shows("leaves `local` out"),
        ),
        (
            "--mcp-config",
            ask(&["--corpus", "corpus"]),
            ask(&["--corpus", "corpus", "--mcp-config", "servers.json"]),
            OptionEffect::Shows("is for `--search mcp`"),
        ),
        (
            "--full-text",
            ask(&["--corpus", "corpus"]),
            ask(&["--corpus", "corpus", "--full-text"]),
            OptionEffect::Shows("needs a source of literature"),
        ),
        (
            "--embeddings",
            ask(&["--corpus", "corpus"]),
            ask(&["--corpus", "corpus", "--embeddings", "compatible:m@http://127.0.0.1:9/v1"]),
            OptionEffect::Shows("what is searched for, are sent to `http://127.0.0.1:9/v1`"),
        ),
        ("--thread", ask(&[]), ask(&["--thread", "mine"]), OptionEffect::Shows("run `mine`")),
        ("--out", again(&[]), again(&["--out", "mine"]), OptionEffect::Writes("mine/report.md", "The log")),
        (
            "--config",
            print(&[]),
            print(&["--config", "mine.toml"]),
            OptionEffect::Shows("outliner_max_section_num = 3"),
        ),
        (
            "--set",
            print(&[]),
            print(&["--set", "outliner_max_section_num=4"]),
            OptionEffect::Shows("outliner_max_section_num = 4"),
        ),
        ("--print-config", ask(&[]), ask(&["--print-config"]), OptionEffect::Shows("execution_method = ")),
        ("--report-template", ask(&[]), ask(&["--report-template", "absent.md"]), OptionEffect::Shows("absent.md")),
        ("--search-mode", ask(&[]), ask(&["--search-mode", "chat"]), OptionEffect::Shows("`chat`")),
        ("--recheck", again(&[]), again(&["--recheck"]), OptionEffect::Hides("the run is done already")),
        ("--rewrite", again(&[]), again(&["--rewrite"]), OptionEffect::Shows("every section was written")),
        ("--answer", again(&[]), again(&["--answer", "topic=1"]), OptionEffect::Shows("the run waits for no answer")),
        (
            "--at",
            vec!["fork", "done"],
            vec!["fork", "done", "--at", "1"],
            OptionEffect::Shows("checkpoint 1 is the head"),
        ),
        (
            "--graph",
            vec!["graph"],
            vec!["graph", "--graph", "absent"],
            OptionEffect::Shows("there is no graph `absent`"),
        ),
        ("--format", vec!["graph"], vec!["graph", "--format", "dot"], OptionEffect::Shows("digraph")),
    ];
    let program = Program {
        path: Path::new(env!("CARGO_BIN_EXE_deepsearch")),
        list: &["runs"],
        ask: &[QUESTION, "--model", MODEL, "--yes", "--out", "out"],
    };
    let cases: Vec<Case<'_>> = rows.iter().map(Case::of).collect();
    check(program, |place| copy(dir.root(), place), &cases);
}

#[test]
fn groups_name_the_programs_that_serve_them() {
    let groups = OptionGroup::all();
    let said = groups.iter().flat_map(|group| {
        let is_served = group.programs.contains(&"deepsearch");
        group.options.iter().map(move |option| (option.as_str(), is_served))
    });
    offers(Path::new(env!("CARGO_BIN_EXE_deepsearch")), said);
}
