//! A run of the embedded model that was recorded plays back, and changes the same bytes.

use crate::support::{TestDir, result, text};

#[test]
fn a_recorded_run_replays_to_the_same_vault() {
    let request = "Organize all my notes about the moon and create a comprehensive index";
    let run = |dir: &TestDir, model: &str, more: &[&str]| {
        let mut args =
            vec!["run", request, "--vault", "vault", "--model", model, "--yes", "--json", "--thread", "moon"];
        args.extend(more);
        let output = dir.run(&args);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let told = result(&output);
        (dir.bytes_by_name(), told["outcome"]["answer"].clone(), told["applied"]["paths"].clone())
    };
    let recorded = TestDir::new();
    let before = recorded.bytes_by_name();
    let first = run(&recorded, "embedded", &["--record", "moon.jsonl"]);
    assert_ne!(first.0, before, "the run wrote its index");

    let replayed = TestDir::new();
    std::fs::copy(recorded.path("moon.jsonl"), replayed.path("moon.jsonl")).unwrap();
    assert_eq!(run(&replayed, "replay:moon.jsonl", &[]), first);
}
