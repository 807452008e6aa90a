//! Every example runs to its end, says what it should, and is short.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// Each example is under this many lines.
const LINES: usize = 120;

/// The examples, and what each of them prints, in this order.
const EXAMPLES: [(&str, &[&str]); 15] = [
    (
        "answers_with_memory",
        &["ada: What is a super-step?\n  WORK GOES ON", "ben: What is a super-step?\n  Work goes on"],
    ),
    ("ask_a_person", &["`verdict` is asked about \"Dear all,", "sent: Dear everybody, the release is ready."]),
    ("deepsearch_section", &["## What is kept\n", "[citation:1]", "1. ", "2. "]),
    (
        "first_graph",
        &["flowchart TD", "read docs/concepts.md", "shortened a text of ", " words: What the runtime is made of"],
    ),
    ("map_reduce", &[" pages\n", " times "]),
    ("obsius_review", &["\"1\": note `speed.md` (+3 -0)", "+status: draft", "\"2\": note `web.md`", "written: "]),
    (
        "own_action",
        &[
            "replaced: execute\n",
            "There is something new [1].",
            "[1] ",
            "CHANGELOG.md",
            "names `exekute`, which is no node",
        ],
    ),
    (
        "own_provider",
        &["program:wc -w says 6", "the budget of 2 calls is spent", "`program:no-such-program` cannot be run"],
    ),
    ("own_search", &["changelog: changelog#", "(CHANGELOG.md)", "local: "]),
    ("own_store", &[" cases passed", "checkpoint 2: price", "checkpoint 3: paid"]),
    (
        "plan_and_execute",
        &["What does the lease of a thread do?", "What is a checkpoint?", "reflection: who may", "reflection: both"],
    ),
    (
        "search_and_cite",
        &[" documents in the index", "supported: ", "not_found: All of it was written in 1987.", ".md, lines "],
    ),
    ("supervisor", &["Researcher: nothing is known yet", "Writer: ", "Done: the text is there\n", "thread"]),
    (
        "tools",
        &[
            "turn 1: headings",
            "there is no page `concept`",
            "turn 2: headings",
            "## Threads",
            "answer: The concepts are",
        ],
    ),
    (
        "writehere_node",
        &[
            "<title>What is left after a crash?</title>",
            "What was committed is not done again [1].",
            "## References",
            "[1] ",
        ],
    ),
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The program of an example. `cargo test` builds the examples of a package beside its tests.
fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let build = test.parent().and_then(Path::parent).unwrap();
    let program = build.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let changed =
        |path: &Path| path.metadata().and_then(|metadata| metadata.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    assert!(
        changed(&program) > changed(&folder().join(format!("{name}.rs"))),
        "`{}` is not built from its present source; run `cargo test -p graphloom-examples` without `--test`",
        program.display()
    );
    program
}

#[test]
fn every_example_runs_and_prints_its_result() {
    for (name, expected) in EXAMPLES {
        // Nothing of the caller's surroundings is needed, least of all a key.
        let output =
            Command::new(program(name)).env_clear().env("PATH", std::env::var("PATH").unwrap()).output().unwrap();
        let (said, complaint) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{name}: {}\n{said}\n{complaint}", output.status);
        let mut rest: &str = &said;
        for text in expected {
            let at = rest.find(text);
            let at = at.unwrap_or_else(|| panic!("{name} does not print `{text}` where it should:\n{said}"));
            rest = &rest[at + text.len()..];
        }
    }
}

#[test]
fn every_file_of_the_folder_is_run_listed_and_short() {
    let guide = std::fs::read_to_string(folder().join("../docs/compose.md")).unwrap();
    let mut files = BTreeSet::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines < LINES, "`{name}` has {lines} lines; an example has fewer than {LINES}");
        assert!(guide.contains(&format!("(../examples/{name}.rs)")), "docs/compose.md does not link `{name}`");
        files.insert(name);
    }
    let run: BTreeSet<String> = EXAMPLES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(files, run, "every file is run, and every example is a file");
}
