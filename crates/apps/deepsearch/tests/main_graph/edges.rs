//! The edges of the main graphs are those of the specification's sketches, read as state B.

use std::collections::BTreeMap;

use graphloom_core_graph::Diagram;
use graphloom_deepsearch::Kind;
use graphloom_deepsearch::graph::graph;

/// The sketch, with every route to the end. The parallel sketch has a stray end before the inference node, which is left
/// out; charts stand between the report and its check, as the description of their node says.
const SKETCH: &str = "
    START -> start
    start -> entry
    entry -> generate_questions | outline | end
    generate_questions -> feedback_handler | end
    feedback_handler -> outline | end
    outline -> outline_interaction | TEAM | end
    outline_interaction -> outline | TEAM | end
    TEAM -> reporter | end
    reporter -> vlm_chart_generator | end
    vlm_chart_generator -> source_tracer
    source_tracer -> source_tracer_infer
    source_tracer_infer -> user_feedback_processor
    user_feedback_processor -> user_feedback_processor | end
    end -> END
";

fn edges(diagram: &Diagram) -> BTreeMap<String, Vec<String>> {
    let shown = |name: &str| match name {
        "__start__" => "START".to_owned(),
        "__end__" => "END".to_owned(),
        other => other.to_owned(),
    };
    let mut edges = BTreeMap::<String, Vec<String>>::new();
    for edge in &diagram.edges {
        edges.entry(shown(&edge.from)).or_default().push(shown(&edge.to));
    }
    for targets in edges.values_mut() {
        targets.sort();
        targets.dedup();
    }
    edges
}

fn sketched(sketch: &str, team: &str) -> BTreeMap<String, Vec<String>> {
    let lines = sketch.lines().filter_map(|line| line.trim().split_once(" -> "));
    lines
        .map(|(from, to)| {
            let mut targets: Vec<String> = to.split(" | ").map(|name| name.replace("TEAM", team)).collect();
            targets.sort();
            (from.replace("TEAM", team), targets)
        })
        .collect()
}

#[test]
fn both_main_graphs_are_the_sketch() {
    for (kind, team) in [(Kind::Parallel, "editor_team"), (Kind::Dependency, "dependency_editor_team")] {
        let graph = graph(kind).unwrap();
        assert_eq!(edges(graph.diagram()), sketched(SKETCH, team), "{kind:?}");
    }
}
