//! Whole runs on the embedded model, over a few documents.

use crate::support::{Desk, QUESTION, SMALL, assert_report, text};

#[test]
fn both_graphs_get_through_with_the_embedded_model() {
    for method in ["parallel", "dependency_driving"] {
        let desk = Desk::new();
        let method = format!("execution_method={method}");
        let mut args =
            vec![QUESTION, "--corpus", "corpus", "--model", "embedded", "--yes", "--out", "out", "--set", &method];
        args.extend(SMALL);
        let output = desk.run(&args);
        assert!(output.status.success(), "{method}: {}", text(&output.stderr));
        assert_report(&desk, "out");
    }
}
