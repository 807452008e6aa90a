//! Every option changes something.

use std::path::Path;

use graphloom_cli::OptionGroup;
use graphloom_test_support::options::{Case, MODEL, OptionEffect, Program, check, offers};

use crate::agent::write_agent;
use crate::runs::write_runs;

/// The root of this repository.
const CHECKOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn every_option_changes_something() {
    let agent = |more: &[&'static str]| [&["agent", "Go.", "--model", "scripted:script.jsonl"], more].concat();
    let resume = |more: &[&'static str]| [&["resume", "asked"], more].concat();
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
        ("--skills", agent(&[]), agent(&["--skills", "absent"]), OptionEffect::Shows("absent` is no folder of skills")),
        ("--max-turns", agent(&[]), agent(&["--max-turns", "0"]), OptionEffect::Shows("0 is not in 1..=1000")),
        ("--thread", agent(&[]), agent(&["--thread", "mine"]), OptionEffect::Shows("run `mine`")),
        ("--record", agent(&[]), agent(&["--record", "tape.jsonl"]), OptionEffect::Writes("tape.jsonl", "It is done.")),
        ("--budget", agent(&[]), agent(&["--budget", "calls=0"]), OptionEffect::Hides("It is done.")),
        ("--cache", agent(&[]), agent(&["--cache"]), OptionEffect::Shows("answers of earlier runs are taken from")),
        ("--hedge", agent(&[]), agent(&["--hedge", "5s"]), OptionEffect::Shows("`--hedge` asks nobody twice here")),
        ("--rate", agent(&[]), agent(&["--rate", "requests=60"]), OptionEffect::Shows("`--rate` limits nothing here")),
        (
            "--prices",
            agent(&[]),
            agent(&["--prices", "absent.toml"]),
            OptionEffect::Shows("the prices in `absent.toml` cannot be read"),
        ),
        (
            "--mcp-config",
            agent(&[]),
            agent(&["--mcp-config", "absent.json"]),
            OptionEffect::Shows("`absent.json` cannot be read"),
        ),
        ("--yes", resume(&[]), resume(&["--yes"]), OptionEffect::Shows("It is done.")),
        ("--no-input", resume(&[]), resume(&["--no-input"]), OptionEffect::Hides("reading answers from stdin")),
        ("--answer", resume(&[]), resume(&["--answer", "approval=\"allow\""]), OptionEffect::Shows("It is done.")),
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
    let prepare = |place: &Path| {
        write_runs(&place.join("home/threads.db"));
        write_agent(place);
    };
    check(program, prepare, &cases);
}

#[test]
fn groups_name_the_programs_that_serve_them() {
    let groups = OptionGroup::all();
    // `--model`, `--search` and `--config` of this program are options of commands of its own, too.
    let own = ["--search", "--config"];
    let said = groups.iter().flat_map(|group| {
        let is_served = group.programs.contains(&"graphloom");
        let options = group.options.iter().filter(|option| !own.contains(&option.as_str()));
        options.map(move |option| (option.as_str(), is_served))
    });
    offers(Path::new(env!("CARGO_BIN_EXE_graphloom")), said);
}
