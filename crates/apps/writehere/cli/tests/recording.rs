//! A recorded run plays back byte for byte.

use crate::support::{TestDir, assert_report, text};

#[test]
fn a_recorded_run_replays_byte_for_byte() {
    let dir = TestDir::new();
    let output = dir.run(&dir.report(&["--out", "first", "--record", "run.jsonl"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_report(&dir.path("first"));

    let mut args = dir.report(&["--out", "second"]);
    let at = args.iter().position(|arg| *arg == "embedded").unwrap();
    args[at] = "replay:run.jsonl";
    let output = dir.run(&args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for name in ["report.md", "tree.json", "tree.mmd"] {
        assert_eq!(dir.read(&format!("first/{name}")), dir.read(&format!("second/{name}")), "{name}");
    }
}

#[test]
fn a_recording_without_an_answer_says_what_differs() {
    let dir = TestDir::new();
    let output = dir.run(&dir.report(&["--out", "first", "--record", "run.jsonl"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = dir.run(&[
        "report",
        "Another question about logs",
        "--corpus",
        "corpus",
        "--model",
        "replay:run.jsonl",
        "--out",
        "x",
    ]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("holds no answer for this call"), "{}", text(&output.stderr));
}
