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
    // Nobody has this address, so that no server stays.
    let nowhere = ["--host", "192.0.2.1", "--api-key-file", "keys", "--in-memory"];
    let serve = |more: &[&'static str]| [&["serve", "--apps", "none"], more].concat();
    let app = |name: &'static str, more: &[&'static str]| {
        [&["serve", "--model", MODEL, "--apps", name], &nowhere[..], more].concat()
    };
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
        (
            "--concurrency",
            vec!["worker", "--demo", "--apps", "none"],
            vec!["worker", "--demo", "--apps", "none", "--concurrency", "0"],
            OptionEffect::Shows("0 is not in 1..="),
        ),
        (
            "--workers",
            serve(&["--demo", "--host", "192.0.2.1", "--api-key-file", "keys"]),
            serve(&["--demo", "--host", "192.0.2.1", "--api-key-file", "keys", "--workers"]),
            OptionEffect::Shows("`--workers` needs a database"),
        ),
        (
            "--limit",
            serve(&["--demo", "--workers"]),
            serve(&["--demo", "--workers", "--limit", "ticker=0"]),
            OptionEffect::Shows("`0` is no number of tasks"),
        ),
        (
            "--priority",
            serve(&["--demo", "--workers"]),
            serve(&["--demo", "--workers", "--priority", "ticker=high"]),
            OptionEffect::Shows("`high` is no whole number"),
        ),
        (
            "--engine",
            serve(&["--demo", "--workers"]),
            serve(&["--demo", "--engine", "http://h.example"]),
            OptionEffect::Shows("`http://h.example` is no address of an engine"),
        ),
        (
            "--engine-listen",
            serve(&["--demo"]),
            serve(&["--demo", "--engine", "restate://127.0.0.1:1", "--engine-listen", "here"]),
            OptionEffect::Shows("invalid value 'here' for '--engine-listen <IP:PORT>'"),
        ),
        (
            "--engine-advertise",
            serve(&["--demo", "--engine", "restate://127.0.0.1:1"]),
            serve(&["--demo", "--engine", "restate://127.0.0.1:1", "--engine-advertise", "here"]),
            OptionEffect::Shows("`here` is no address of a process"),
        ),
        (
            "--callbacks",
            serve(&["--demo"]),
            serve(&["--demo", "--engine", "restate://127.0.0.1:1", "--callbacks", "here"]),
            OptionEffect::Shows("invalid value 'here' for '--callbacks <IP:PORT>'"),
        ),
        (
            "--callbacks-advertise",
            serve(&["--demo", "--engine", "restate://127.0.0.1:1"]),
            serve(&["--demo", "--engine", "restate://127.0.0.1:1", "--callbacks-advertise", "here"]),
            OptionEffect::Shows("`here` is no address of a process"),
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
        (
            "--host",
            serve(&[]),
            serve(&["--host", "192.0.2.1"]),
            OptionEffect::Shows("others can reach `192.0.2.1:2024`"),
        ),
        (
            "--port",
            serve(&["--host", "192.0.2.1"]),
            serve(&["--host", "192.0.2.1", "--port", "7"]),
            OptionEffect::Shows("`192.0.2.1:7`"),
        ),
        (
            "--demo",
            serve(&nowhere),
            serve(&[&nowhere[..], &["--demo"]].concat()),
            OptionEffect::Hides("there is no graph to serve"),
        ),
        (
            "--in-memory",
            serve(&["--demo", "--store", "postgres"]),
            serve(&[&nowhere[..], &["--demo", "--store", "postgres"]].concat()),
            OptionEffect::Hides("the store `postgres` needs an address"),
        ),
        (
            "--api-key-file",
            serve(&[]),
            serve(&["--api-key-file", "absent"]),
            OptionEffect::Shows("the file of keys `absent` cannot be used"),
        ),
        (
            "--stdio",
            serve(&["--demo", "--store", "postgres", "--port", "1"]),
            serve(&["--demo", "--store", "postgres", "--port", "1", "--stdio"]),
            OptionEffect::Shows("cannot be used with"),
        ),
        (
            "--no-studio",
            serve(&["--demo", "--store", "postgres", "--stdio"]),
            serve(&["--demo", "--store", "postgres", "--stdio", "--no-studio"]),
            OptionEffect::Shows("cannot be used with"),
        ),
        ("--cors", serve(&[]), serve(&["--cors", "pages"]), OptionEffect::Shows("`pages` is no origin")),
        ("--private-network", serve(&[]), serve(&["--private-network"]), OptionEffect::Shows("--cors <ORIGIN>")),
        (
            "--allow-host",
            serve(&[]),
            serve(&["--allow-host", "http://graphs"]),
            OptionEffect::Shows("write the name of a host alone"),
        ),
        (
            "--allow-private-webhooks",
            serve(&["--demo", "--store", "postgres"]),
            serve(&["--demo", "--store", "postgres", "--allow-private-webhooks"]),
            OptionEffect::Shows("webhooks go to any host"),
        ),
        (
            "--apps",
            vec!["serve", "--store", "postgres"],
            vec!["serve", "--store", "postgres", "--apps", "none"],
            OptionEffect::Shows("there is no graph to serve"),
        ),
        (
            "--vault",
            app("obsius", &[]),
            app("obsius", &["--vault", "notes"]),
            OptionEffect::Hides("has no vault to work on"),
        ),
        (
            "--corpus",
            app("deepsearch", &[]),
            app("deepsearch", &["--corpus", "notes"]),
            OptionEffect::Hides("nothing is searched"),
        ),
        (
            "--search",
            app("deepsearch", &["--corpus", "notes"]),
            app("deepsearch", &["--corpus", "notes", "--search", "none"]),
            OptionEffect::Shows("leaves `local` out"),
        ),
        (
            "--full-text",
            app("deepsearch", &["--corpus", "notes"]),
            app("deepsearch", &["--corpus", "notes", "--full-text"]),
            OptionEffect::Shows("needs a source of literature"),
        ),
        (
            "--embeddings",
            app("deepsearch", &["--corpus", "notes"]),
            app("deepsearch", &["--corpus", "notes", "--embeddings", "compatible:m@http://127.0.0.1:9/v1"]),
            OptionEffect::Shows("what is searched for, are sent to `http://127.0.0.1:9/v1`"),
        ),
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
        std::fs::write(place.join("keys"), "studio read,run v4ZbmJ1kQ0yT7uXc\n").unwrap();
        std::fs::create_dir_all(place.join("notes")).unwrap();
        std::fs::write(place.join("notes/tides.md"), "# Tides\n\nThey come and go twice a day.\n").unwrap();
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
