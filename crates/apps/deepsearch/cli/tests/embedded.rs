//! Whole runs on the embedded model, over a few documents.

use crate::support::{QUESTION, SMALL, TestDir, assert_report, text};

#[test]
fn both_graphs_get_through_with_the_embedded_model() {
    for method in ["parallel", "dependency_driving"] {
        let dir = TestDir::new();
        let method = format!("execution_method={method}");
        let mut args =
            vec![QUESTION, "--corpus", "corpus", "--model", "embedded", "--yes", "--out", "out", "--set", &method];
        args.extend(SMALL);
        let output = dir.run(&args);
        assert!(output.status.success(), "{method}: {}", text(&output.stderr));
        assert_report(&dir, "out");
    }
}
