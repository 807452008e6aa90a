//! The main graphs, with the node names of the original.
//!
//! ```text
//! start ─► entry ─► [generate_questions ─► feedback_handler] ─► outline ─► [outline_interaction ─► outline]*
//!   ─► editor_team ─► reporter ─► vlm_chart_generator ─► source_tracer ─► source_tracer_infer
//!   ─► user_feedback_processor ↺ ─► end            every node up to the reporter may also go to end
//! ```
//! The dependency-driven graph has `dependency_editor_team` in place of `editor_team`.

use graphloom_core_graph::diagram::Diagram;
use graphloom_core_graph::{
    CompileErrors, Compiled, Context, END, Failure, GraphOptions, Handler, Node, RunPolicy, START, Snapshot, StateGraph,
};
use serde_json::Value;

use crate::config::Config;
use crate::feedback;
use crate::nodes;
use crate::resources::Resources;
use crate::state::SearchContext;
use crate::status::StatusCode;
use crate::team::{self, TeamState};

pub use crate::names::{
    BEGIN, DEPENDENCY_EDITOR_TEAM, EDITOR_TEAM, ENTRY, FEEDBACK_HANDLER, FINISH, GENERATE_QUESTIONS, GraphKind,
    OUTLINE, OUTLINE_INTERACTION, REPORTER, SOURCE_TRACER, SOURCE_TRACER_INFER, USER_FEEDBACK_PROCESSOR,
    VLM_CHART_GENERATOR,
};

type State = Snapshot<SearchContext>;
type Cx = Context<Resources>;

/// Drawings of all graphs: the main graphs with everything inside them.
pub fn diagrams() -> Vec<Diagram> {
    [GraphKind::Parallel, GraphKind::Dependency].map(|kind| graph(kind).diagram().clone()).into()
}

/// The limits of a run under a configuration: no graph of it takes more than `workflow_recursion_limit` steps in one go, from
/// its input or an answer on. One that would is stopped (212415): the main graph can be continued, a section's ends.
///
/// ```
/// use graphloom_deepsearch::Config;
/// use graphloom_deepsearch::graph::policy;
///
/// assert_eq!(policy(&Config::default()).max_steps, Some(30));
/// ```
pub fn policy(config: &Config) -> RunPolicy {
    RunPolicy::default().max_steps(u64::from(config.workflow_recursion_limit))
}

/// A main graph.
pub fn graph(kind: GraphKind) -> Compiled<SearchContext, Resources> {
    graph_with(kind, GraphOptions::new()).expect("the main graphs of DeepSearch compile")
}

/// A main graph with other functions in its nodes, other graphs in [`GraphKind::team`] and [`USER_FEEDBACK_PROCESSOR`], or other
/// limits. The graphs inside take options of their own: [`team::parallel_with`], [`team::dependency_with`] and those below
/// them. Prompts, models and engines are in [`Resources`], limits of a run in its [`Config`].
///
/// # Errors
/// An option that names no node of the graph, or does not fit it.
pub fn graph_with(
    kind: GraphKind,
    options: GraphOptions<SearchContext, Resources>,
) -> Result<Compiled<SearchContext, Resources>, CompileErrors> {
    let mut graph = StateGraph::<SearchContext, Resources>::new(kind.name());

    graph.add_node(BEGIN, nodes::start);
    graph.add_node(ENTRY, nodes::entry).may_goto((GENERATE_QUESTIONS, OUTLINE, FINISH));
    graph.add_node(GENERATE_QUESTIONS, nodes::generate_questions).may_goto((FEEDBACK_HANDLER, FINISH));
    graph
        .add_node(FEEDBACK_HANDLER, nodes::feedback_handler)
        .asks::<Value>(nodes::FEEDBACK)
        .may_goto((OUTLINE, FINISH));
    graph.add_node(OUTLINE, move |state: State, cx: Cx| nodes::outline(kind, state, cx)).may_goto((
        OUTLINE_INTERACTION,
        kind.team(),
        FINISH,
    ));
    graph
        .add_node(OUTLINE_INTERACTION, move |state: State, cx: Cx| nodes::outline_interaction(kind, state, cx))
        .asks::<Value>(nodes::OUTLINE_FEEDBACK)
        .may_goto((OUTLINE, kind.team(), FINISH));
    graph
        .add_subgraph(kind.team(), team_graph(kind), nodes::team_input, nodes::team_result)
        .may_goto((REPORTER, FINISH));
    graph.add_node(REPORTER, nodes::reporter).may_goto(FINISH);
    graph
        .add_subgraph(USER_FEEDBACK_PROCESSOR, feedback::graph(), feedback::feedback_input, feedback::feedback_result)
        .may_goto((USER_FEEDBACK_PROCESSOR, FINISH));
    graph.add_node(FINISH, nodes::end);

    graph.add_edge(START, BEGIN).add_edge(BEGIN, ENTRY);
    graph.add_edge(REPORTER, VLM_CHART_GENERATOR);
    let (chart, trace, infer) = (StatusCode::Chart, StatusCode::SourceTrace, StatusCode::Inference);
    add_skippable(&mut graph, VLM_CHART_GENERATOR, nodes::vlm_chart_generator, chart, SOURCE_TRACER);
    add_skippable(&mut graph, SOURCE_TRACER, nodes::source_tracer, trace, SOURCE_TRACER_INFER);
    add_skippable(&mut graph, SOURCE_TRACER_INFER, nodes::source_tracer_infer, infer, USER_FEEDBACK_PROCESSOR);
    graph.add_edge(FINISH, END);
    graph.options(options);
    graph.compile()
}

/// Adds a node that works on the finished report. When the node fails, `next` follows all the same, with a notice of this
/// code.
fn add_skippable<M>(
    graph: &mut StateGraph<SearchContext, Resources>,
    node: Node,
    run: impl Handler<M, SearchContext, Resources, Future: Send>,
    code: StatusCode,
    next: Node,
) {
    graph.add_node(node.clone(), run).may_goto(next.clone());
    graph.add_edge(node.clone(), next.clone());
    // A handler leads on by itself: the edges of a node that failed do not fire.
    graph.add_error_handler(node, move |failure: Failure, state: State, cx: Cx| {
        nodes::continue_after_failure((code, next.clone()), failure, state, cx)
    });
}

fn team_graph(kind: GraphKind) -> Compiled<TeamState, Resources> {
    match kind {
        GraphKind::Parallel => team::parallel(),
        GraphKind::Dependency => team::dependency(),
    }
}
