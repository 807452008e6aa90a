//! The edges of the graphs are those of the six sketches.

use std::collections::BTreeMap;

use graphloom_core_graph::diagram::Diagram;
use graphloom_deepsearch::graph::graph;
use graphloom_deepsearch::{GraphKind, collector, dependency, section};

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

/// The editor team's graph of a section, with the routes past an empty plan and a text that cannot be written.
const SECTION: &str = "
    START -> start
    start -> plan_reasoning
    plan_reasoning -> info_collector | sub_reporter | end
    info_collector -> plan_reasoning
    sub_reporter -> sub_source_tracer | end
    sub_source_tracer -> end
    end -> END
";

/// The collector. Its programmer, a stub, is left out.
const COLLECTOR: &str = "
    START -> start
    start -> collector_query_generation
    collector_query_generation -> collector_info_retrieval
    collector_info_retrieval -> collector_supervisor
    collector_supervisor -> collector_info_retrieval | collector_summary
    collector_summary -> collector_end
    collector_end -> END
";

/// Research for a section that others build on.
const REASONING: &str = "
    START -> start
    start -> plan_reasoning
    plan_reasoning -> dependency_info_collector | end
    dependency_info_collector -> plan_reasoning
    end -> END
";

/// Its writing.
const WRITING: &str = "
    START -> start
    start -> sub_reporter
    sub_reporter -> sub_source_tracer | end
    sub_source_tracer -> end
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
    for (kind, team) in [(GraphKind::Parallel, "editor_team"), (GraphKind::Dependency, "dependency_editor_team")] {
        let graph = graph(kind);
        assert_eq!(edges(graph.diagram()), sketched(SKETCH, team), "{kind:?}");
    }
}

#[test]
fn the_subgraphs_are_the_sketches() {
    for (name, diagram, sketch) in [
        ("section", section::graph().diagram().clone(), SECTION),
        ("collector", collector::graph().diagram().clone(), COLLECTOR),
        ("reasoning", dependency::reasoning().diagram().clone(), REASONING),
        ("writing", dependency::writing().diagram().clone(), WRITING),
    ] {
        assert_eq!(edges(&diagram), sketched(sketch, ""), "{name}");
    }
}
