//! Drawings of the graphs.

use crate::support::{TestDir, text};

#[test]
fn every_graph_is_drawn_in_every_form() {
    let dir = TestDir::new();
    for (format, marks) in [
        (
            "mermaid",
            &["flowchart TD", "editor_team", "dependency_editor_team", "collector_supervisor", "plan_reasoning"][..],
        ),
        ("dot", &["digraph", "vlm_chart_generator", "user_feedback_processor"]),
        ("json", &["\"source_tracer_infer\"", "\"sub_source_tracer\""]),
        ("svg", &["<svg", "reporter"]),
    ] {
        let output = dir.run(&["graph", "--format", format]);
        assert!(output.status.success(), "{format}: {}", text(&output.stderr));
        let drawn = text(&output.stdout);
        for mark in marks {
            assert!(drawn.contains(mark), "{format}: {mark}");
        }
    }
    let one = text(&dir.run(&["graph", "--graph", "deepsearch"]).stdout);
    assert!(!one.contains("dependency_editor_team"));
}
