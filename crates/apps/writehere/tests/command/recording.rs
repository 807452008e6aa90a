//! A recorded run plays back byte for byte.

use crate::support::{Desk, assert_report, text};

#[test]
fn a_recorded_run_replays_byte_for_byte() {
    let desk = Desk::new();
    let output = desk.run(&desk.report(&["--out", "first", "--record", "run.jsonl"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_report(&desk.path("first"));

    let mut args = desk.report(&["--out", "second"]);
    let at = args.iter().position(|arg| *arg == "embedded").unwrap();
    args[at] = "replay:run.jsonl";
    let output = desk.run(&args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for name in ["report.md", "tree.json", "tree.mmd"] {
        assert_eq!(desk.read(&format!("first/{name}")), desk.read(&format!("second/{name}")), "{name}");
    }
}

#[test]
fn a_recording_without_an_answer_says_what_differs() {
    let desk = Desk::new();
    let output = desk.run(&desk.report(&["--out", "first", "--record", "run.jsonl"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = desk.run(&[
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
