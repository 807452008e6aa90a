//! A recorded run plays back without a model and without engines, to the same bytes.

use crate::support::{QUESTION, SMALL, TestDir, text};

#[test]
fn a_recording_plays_back() {
    for method in ["parallel", "dependency_driving"] {
        let dir = TestDir::new();
        let method = format!("execution_method={method}");
        let output = dir.run(&dir.ask(&["--yes", "--out", "out", "--record", "run.jsonl", "--set", &method]));
        assert!(output.status.success(), "{}", text(&output.stderr));
        let mut args = vec![QUESTION, "--model", "replay:run.jsonl", "--yes", "--out", "again", "--set", &method];
        args.extend(SMALL);
        std::fs::remove_dir_all(dir.path("corpus")).unwrap();
        std::fs::remove_file(dir.path("script.jsonl")).unwrap();
        let output = dir.run(&args);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(dir.read("again/report.md"), dir.read("out/report.md"));
        assert_eq!(dir.read("again/final_result.json"), dir.read("out/final_result.json"));
    }
}
