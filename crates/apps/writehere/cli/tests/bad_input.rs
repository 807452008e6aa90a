//! Bad input gets a clear error, never a panic and never an empty success.

use crate::support::{TestDir, text};

#[test]
fn bad_input_is_named_with_its_remedy() {
    let dir = TestDir::new();
    std::fs::create_dir(dir.path("empty")).unwrap();
    std::fs::write(dir.path("broken.gguf"), b"GGUF but not really").unwrap();
    std::fs::create_dir_all(dir.path("home")).unwrap();
    for (args, status, part) in [
        (vec!["report", "Logs", "--model", "oracle"], 2, "embedded"),
        (vec!["report", "  ", "--model", "embedded"], 2, "the request is empty"),
        (vec!["report", "Logs", "--model", "gguf:broken.gguf"], 1, "broken.gguf"),
        (vec!["report", "Logs", "--corpus", "empty", "--model", "embedded"], 1, "empty"),
        (vec!["report", "Logs", "--corpus", "absent", "--model", "embedded"], 1, "absent"),
        (vec!["report", "Logs", "--model", "replay:absent.jsonl"], 1, "absent.jsonl"),
        (vec!["report", "Logs", "--length", "0"], 2, "length"),
        (vec!["report", "Logs", "--budget", "calls=many"], 2, "calls"),
        (vec!["report", "Logs", "--set", "lenght=3"], 2, "length"),
        (vec!["report", "Logs", "--break-at", "stage=never"], 2, "no such stage"),
        (vec!["report", "Logs", "--break-at", "status=FAILED"], 2, "`next=FAILED` is where one gets there"),
        (vec!["report", "Logs", "--break-at", "plan>10,stage=prompt"], 2, "it never fits"),
        (vec!["report", "Logs", "--search", "tavily"], 2, "TAVILY_API_KEY"),
        (vec!["report", "Logs", "--search", "local"], 2, "needs `--corpus DIR`"),
        (vec!["resume", "nothing"], 2, "there is no run `nothing`"),
        (vec!["why", "nothing", "1"], 2, "there is no run `nothing`"),
    ] {
        let output = dir.run(&args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {said}");
        assert!(said.contains(part), "{args:?} does not name `{part}`: {said}");
        assert!(!said.contains("panicked"), "{args:?}: {said}");
    }
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let dir = TestDir::new();
    let nobody = graphloom_test_support::ports::Deserted::new();
    let model = format!("compatible:any@http://{}/v1", nobody.address);
    let output = dir.run(&["report", "Logs", "--corpus", "corpus", "--model", &model, "--out", "out"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("no connection to"), "{said}");
}

#[test]
fn a_database_that_is_none_is_named() {
    let dir = TestDir::new();
    std::fs::create_dir_all(dir.path("home")).unwrap();
    std::fs::write(dir.path("home/threads.db"), "this is no database, it is a letter to a friend".repeat(50)).unwrap();
    let output = dir.run(&["runs"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("threads.db"), "{}", text(&output.stderr));
}
