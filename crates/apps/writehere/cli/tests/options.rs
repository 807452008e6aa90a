//! Every option changes something. The model is scripted.

use std::path::Path;

use graphloom_cli::OptionGroup;
use graphloom_test_support::options::{Case, MODEL, OptionEffect, Program, check, copy, offers};

use crate::compatible::report;
use crate::planner::Scripted;
use crate::support::{QUESTION, TestDir, text};

#[test]
fn every_option_changes_something() {
    let server = Scripted::start();
    let (dir, model) = (TestDir::new(), server.model());
    // One run is done, one waits at a breakpoint.
    let done = dir.run(&report(&model, &["--out", "out", "--thread", "done"]));
    assert!(done.status.success(), "{}", text(&done.stderr));
    let stopped = dir.run(&report(&model, &["--out", "out", "--thread", "stopped", "--break-at", "node=3"]));
    assert_eq!(stopped.status.code(), Some(3), "{}", text(&stopped.stderr));
    std::fs::write(dir.path("mine.toml"), "length = 77\n").unwrap();
    std::fs::create_dir(dir.path("prompts")).unwrap();
    std::fs::write(dir.path("prompts/broken.j2"), "{% if %}").unwrap();

    let report =
        |more: &[&'static str]| [&["report", QUESTION, "--length", "120", "--model", model.as_str()], more].concat();
    let print = |more: &[&'static str]| [&["report", QUESTION, "--print-config"], more].concat();
    let refused = &["--model", "scripted:absent"];
    let rows: Vec<(&str, Vec<&str>, Vec<&str>, OptionEffect<'_>)> = vec![
        (
            "--model",
            vec!["report", QUESTION, "--offline"],
            report(&["--offline"]),
            OptionEffect::Shows("compatible:planner"),
        ),
        ("--record", report(&[]), report(&["--record", "tape.jsonl"]), OptionEffect::Writes("tape.jsonl", "planner")),
        (
            "--budget",
            report(&["--thread", "a"]),
            report(&["--thread", "a", "--budget", "calls=3"]),
            OptionEffect::Shows("--budget LIMITS"),
        ),
        ("--cache", report(&[]), report(&["--cache"]), OptionEffect::Shows("answers of earlier runs are taken from")),
        (
            "--hedge",
            vec!["report", QUESTION, "--model", "scripted:absent"],
            vec!["report", QUESTION, "--model", "scripted:absent", "--hedge", "5s"],
            OptionEffect::Shows("`--hedge` asks nobody twice here"),
        ),
        (
            "--rate",
            vec!["report", QUESTION, "--model", "scripted:absent"],
            vec!["report", QUESTION, "--model", "scripted:absent", "--rate", "requests=60"],
            OptionEffect::Shows("`--rate` limits nothing here"),
        ),
        (
            "--prices",
            report(&[]),
            report(&["--prices", "absent.toml"]),
            OptionEffect::Shows("the prices in `absent.toml` cannot be read"),
        ),
        (
            "--yes",
            vec!["resume", "stopped"],
            vec!["resume", "stopped", "--yes"],
            OptionEffect::Hides("reading answers from stdin"),
        ),
        (
            "--no-input",
            vec!["resume", "stopped"],
            vec!["resume", "stopped", "--no-input"],
            OptionEffect::Hides("reading answers from stdin"),
        ),
        ("--corpus", report(&[]), report(&["--corpus", "corpus"]), OptionEffect::Hides("nothing is searched")),
        (
            "--search",
            report(&["--corpus", "corpus"]),
            report(&["--corpus", "corpus", "--search", "none"]),
            OptionEffect::Shows("leaves `local` out"),
        ),
        (
            "--mcp-config",
            report(&["--corpus", "corpus"]),
            report(&["--corpus", "corpus", "--mcp-config", "servers.json"]),
            OptionEffect::Shows("is for `--search mcp`"),
        ),
        (
            "--full-text",
            report(&["--corpus", "corpus"]),
            report(&["--corpus", "corpus", "--full-text"]),
            OptionEffect::Shows("needs a source of literature"),
        ),
        (
            "--embeddings",
            report(&["--corpus", "corpus"]),
            report(&["--corpus", "corpus", "--embeddings", "compatible:m@http://127.0.0.1:9/v1"]),
            OptionEffect::Shows("what is searched for, are sent to `http://127.0.0.1:9/v1`"),
        ),
        ("--thread", report(&[]), report(&["--thread", "mine"]), OptionEffect::Shows("run `mine`")),
        ("--studio", report(&[]), report(&["--studio"]), OptionEffect::Shows("/studio/#/threads/")),
        ("--out", report(&[]), report(&["--out", "mine"]), OptionEffect::Writes("mine/report.md", "Part one")),
        ("--config", print(&[]), print(&["--config", "mine.toml"]), OptionEffect::Shows("length = 77")),
        ("--set", print(&[]), print(&["--set", "length=78"]), OptionEffect::Shows("length = 78")),
        (
            "--print-config",
            [&["report", QUESTION], &refused[..]].concat(),
            [&["report", QUESTION, "--print-config"], &refused[..]].concat(),
            OptionEffect::Shows("schedule = "),
        ),
        ("--prompts", report(&[]), report(&["--prompts", "prompts"]), OptionEffect::Shows("broken")),
        ("--break-at", report(&[]), report(&["--break-at", "node=root"]), OptionEffect::Shows("waiting; go on with")),
        ("--review-plan", report(&[]), report(&["--review-plan", "whole"]), OptionEffect::Shows("plan/root/1")),
        ("--length", print(&[]), print(&["--length", "79"]), OptionEffect::Shows("length = 79")),
        ("--max-depth", print(&[]), print(&["--max-depth", "1"]), OptionEffect::Shows("max_depth = 1")),
        ("--max-nodes", print(&[]), print(&["--max-nodes", "9"]), OptionEffect::Shows("max_nodes = 9")),
        (
            "--schedule",
            print(&[]),
            print(&["--schedule", "sequential"]),
            OptionEffect::Shows("schedule = \"sequential\""),
        ),
        ("--seed", print(&[]), print(&["--seed", "5"]), OptionEffect::Shows("seed = 5")),
        (
            "--answer",
            vec!["resume", "stopped", "--no-input"],
            vec!["resume", "stopped", "--no-input", "--answer", "here=1"],
            OptionEffect::Shows("no open question `here`"),
        ),
        ("--at", vec!["tree", "done"], vec!["tree", "done", "--at", "1"], OptionEffect::Hides("Say how recovery goes")),
        (
            "--node",
            vec!["tree", "done"],
            vec!["tree", "done", "--node", "1"],
            OptionEffect::Hides("Say how recovery goes"),
        ),
        (
            "--depth",
            vec!["tree", "done"],
            vec!["tree", "done", "--depth", "0"],
            OptionEffect::Hides("Say how recovery goes"),
        ),
        ("--format", vec!["graph"], vec!["graph", "--format", "dot"], OptionEffect::Shows("digraph")),
        (
            "--file",
            vec!["tree", "done"],
            vec!["tree", "done", "--file", "tree.txt"],
            OptionEffect::Writes("tree.txt", "recovery"),
        ),
    ];
    let program = Program {
        path: Path::new(env!("CARGO_BIN_EXE_writehere")),
        list: &["runs"],
        ask: &["report", QUESTION, "--model", MODEL, "--budget", "calls=1", "--out", "out"],
    };
    let cases: Vec<Case<'_>> = rows.iter().map(Case::of).collect();
    check(program, |place| copy(dir.root(), place), &cases);
}

#[test]
fn groups_name_the_programs_that_serve_them() {
    let groups = OptionGroup::all();
    let said = groups.iter().flat_map(|group| {
        let is_served = group.programs.contains(&"writehere");
        group.options.iter().map(move |option| (option.as_str(), is_served))
    });
    offers(Path::new(env!("CARGO_BIN_EXE_writehere")), said);
}
