//! Every option changes something.

use std::path::Path;

use graphloom_test_support::options::{Case, MODEL, OptionEffect, Program, check};

use crate::runs::write_runs;

/// The root of this repository.
const CHECKOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn every_option_changes_something() {
    let prune = |more: &[&'static str]| [&["runs", "prune", "abc", "--keep", "1"], more].concat();
    let rows: Vec<(&str, Vec<&str>, Vec<&str>, OptionEffect<'_>)> = vec![
        (
            "--template",
            vec!["new", "ideas"],
            vec!["new", "ideas", "--template", "ask"],
            OptionEffect::Shows("-- start Ada"),
        ),
        (
            "--path",
            vec!["new", "ideas"],
            vec!["new", "ideas", "--path", "away"],
            OptionEffect::Shows("away/crates/graphloom"),
        ),
        ("--list", vec!["new"], vec!["new", "--list"], OptionEffect::Shows("A question to a person")),
        (
            "--model",
            vec!["doctor", "--offline"],
            vec!["doctor", "--offline", "--model", "scripted:none"],
            OptionEffect::Shows("scripted:none"),
        ),
        (
            "--search",
            vec!["doctor", "--offline"],
            vec!["doctor", "--offline", "--search", "local"],
            OptionEffect::Shows("need no asking"),
        ),
        (
            "--no-word",
            vec!["doctor", "--offline", "--model", MODEL],
            vec!["doctor", "--offline", "--model", MODEL, "--no-word"],
            OptionEffect::Hides("`h.example` is not asked"),
        ),
        (
            "--from",
            vec!["model", "fetch", "--offline"],
            vec!["model", "fetch", "--offline", "--from", "absent.gguf"],
            OptionEffect::Shows("absent.gguf"),
        ),
        (
            "--provider",
            vec!["model", "list"],
            vec!["model", "list", "--provider", "azure"],
            OptionEffect::Shows("write `--provider azure@BASE_URL`"),
        ),
        (
            "--config",
            vec!["mcp", "list"],
            vec!["mcp", "list", "--config", "absent.json"],
            OptionEffect::Shows("`absent.json` cannot be read"),
        ),
        ("--graph", vec!["runs", "list"], vec!["runs", "list", "--graph", "other"], OptionEffect::Hides("abc")),
        ("--limit", vec!["runs", "list"], vec!["runs", "list", "--limit", "0"], OptionEffect::Hides("abc")),
        (
            "--format",
            vec!["runs", "graph", "abc"],
            vec!["runs", "graph", "abc", "--format", "svg"],
            OptionEffect::Shows("<svg"),
        ),
        (
            "--at",
            vec!["runs", "fork", "abc", "--to", "d"],
            vec!["runs", "fork", "abc", "--to", "d", "--at", "2"],
            OptionEffect::Shows("run `d` stands"),
        ),
        (
            "--to",
            vec!["runs", "fork", "abc", "--at", "2"],
            vec!["runs", "fork", "abc", "--at", "2", "--to", "d"],
            OptionEffect::Shows("run `d` stands"),
        ),
        (
            "--from",
            vec!["runs", "diff", "abc"],
            vec!["runs", "diff", "abc", "--from", "2"],
            OptionEffect::Shows("abc at checkpoint 2"),
        ),
        ("--keep", vec!["runs", "prune", "abc"], prune(&[]), OptionEffect::Hides("say what to remove")),
        (
            "--all",
            vec!["runs", "prune", "--keep", "1"],
            vec!["runs", "prune", "--keep", "1", "--all"],
            OptionEffect::Shows("abc lost"),
        ),
        (
            "--older-than",
            vec!["runs", "prune", "abc"],
            vec!["runs", "prune", "abc", "--older-than", "30d"],
            OptionEffect::Hides("say what to remove"),
        ),
        (
            "--max-size",
            vec!["runs", "prune", "abc"],
            vec!["runs", "prune", "abc", "--max-size", "1B"],
            OptionEffect::Hides("say what to remove"),
        ),
        (
            "--finished-parts",
            vec!["runs", "prune", "abc"],
            vec!["runs", "prune", "abc", "--finished-parts"],
            OptionEffect::Hides("say what to remove"),
        ),
        (
            "--journal",
            vec!["runs", "prune", "abc"],
            vec!["runs", "prune", "abc", "--journal"],
            OptionEffect::Hides("say what to remove"),
        ),
        (
            "--reuse-results",
            vec!["runs", "fork", "abc", "--at", "2", "--to", "d"],
            vec!["runs", "fork", "abc", "--at", "2", "--to", "d", "--reuse-results"],
            OptionEffect::Shows("3 results of finished calls are taken over"),
        ),
        (
            "--template",
            vec!["new", "lamp"],
            vec!["new", "lamp", "--template", "report"],
            OptionEffect::Writes("lamp/notes/crashes.md", "\n"),
        ),
        (
            "--path",
            vec!["new", "lamp"],
            vec!["new", "lamp", "--path", CHECKOUT],
            OptionEffect::Writes("lamp/Cargo.toml", "path = "),
        ),
        ("--list", vec!["new", "lamp"], vec!["new", "--list"], OptionEffect::Shows("report")),
        ("--dry-run", prune(&[]), prune(&["--dry-run"]), OptionEffect::Shows("would lose")),
    ];
    let program = Program {
        path: Path::new(env!("CARGO_BIN_EXE_graphloom")),
        list: &["runs", "list"],
        ask: &["doctor", "--model", MODEL],
    };
    let cases: Vec<Case<'_>> = rows.iter().map(Case::of).collect();
    check(program, |place| write_runs(&place.join("home/threads.db")), &cases);
}
