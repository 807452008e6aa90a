//! A recorded run plays back without a model and without engines, to the same bytes.

use crate::support::{Desk, QUESTION, SMALL, text};

#[test]
fn a_recording_plays_back() {
    for method in ["parallel", "dependency_driving"] {
        let desk = Desk::new();
        let method = format!("execution_method={method}");
        let output = desk.run(&desk.ask(&["--yes", "--out", "out", "--record", "run.jsonl", "--set", &method]));
        assert!(output.status.success(), "{}", text(&output.stderr));
        let mut args = vec![QUESTION, "--model", "replay:run.jsonl", "--yes", "--out", "again", "--set", &method];
        args.extend(SMALL);
        std::fs::remove_dir_all(desk.path("corpus")).unwrap();
        std::fs::remove_file(desk.path("script.jsonl")).unwrap();
        let output = desk.run(&args);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(desk.read("again/report.md"), desk.read("out/report.md"));
        assert_eq!(desk.read("again/final_result.json"), desk.read("out/final_result.json"));
    }
}
