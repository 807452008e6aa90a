//! The main graphs, with the node names of the specification.
//!
//! ```text
//! start ─► entry ─► [generate_questions ─► feedback_handler] ─► outline ─► [outline_interaction ─► outline]*
//!   ─► editor_team ─► reporter ─► vlm_chart_generator ─► source_tracer ─► source_tracer_infer
//!   ─► user_feedback_processor ↺ ─► end            every node up to the reporter may also go to end
//! ```
//! The dependency-driven graph has `dependency_editor_team` in place of `editor_team`.

use graphloom_core_graph::{
    CompileErrors, Compiled, Context, Diagram, END, Failure, Node, RunPolicy, START, Snapshot, StateGraph,
};
use serde_json::Value;

use crate::config::{Config, ExecutionMethod};
use crate::feedback;
use crate::nodes;
use crate::resources::Resources;
use crate::state::SearchContext;
use crate::status::StatusCode;
use crate::team::{self, TeamState};

/// Begins the run.
pub const BEGIN: Node = Node::named("start");
/// Finds the language.
pub const ENTRY: Node = Node::named("entry");
/// Makes clarifying questions.
pub const GENERATE_QUESTIONS: Node = Node::named("generate_questions");
/// Takes the answer to them.
pub const FEEDBACK_HANDLER: Node = Node::named("feedback_handler");
/// Makes the outline.
pub const OUTLINE: Node = Node::named("outline");
/// Shows it to a person.
pub const OUTLINE_INTERACTION: Node = Node::named("outline_interaction");
/// Works on all sections at the same time.
pub const EDITOR_TEAM: Node = Node::named("editor_team");
/// Works on sections that build on one another.
pub const DEPENDENCY_EDITOR_TEAM: Node = Node::named("dependency_editor_team");
/// Puts the report together.
pub const REPORTER: Node = Node::named("reporter");
/// Draws charts.
pub const VLM_CHART_GENERATOR: Node = Node::named("vlm_chart_generator");
/// Checks the citations.
pub const SOURCE_TRACER: Node = Node::named("source_tracer");
/// Shows what conclusions rest on.
pub const SOURCE_TRACER_INFER: Node = Node::named("source_tracer_infer");
/// Changes the report as a person says.
pub const USER_FEEDBACK_PROCESSOR: Node = Node::named("user_feedback_processor");
/// Ends the run.
pub const FINISH: Node = Node::named("end");

/// Which of the two main graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Sections at the same time.
    Parallel,
    /// Sections that build on one another.
    Dependency,
}

impl Kind {
    /// The graph's name, under which its threads are stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Parallel => "deepsearch",
            Self::Dependency => "deepsearch-dependency",
        }
    }

    /// The node of the team.
    pub fn team(self) -> Node {
        match self {
            Self::Parallel => EDITOR_TEAM,
            Self::Dependency => DEPENDENCY_EDITOR_TEAM,
        }
    }
}

impl Kind {
    fn team_graph(self) -> Result<Compiled<TeamState, Resources>, CompileErrors> {
        match self {
            Self::Parallel => team::parallel(),
            Self::Dependency => team::dependency(),
        }
    }
}

impl From<ExecutionMethod> for Kind {
    fn from(method: ExecutionMethod) -> Self {
        match method {
            ExecutionMethod::Parallel => Self::Parallel,
            ExecutionMethod::DependencyDriving => Self::Dependency,
        }
    }
}

/// Drawings of all graphs: the main graphs with everything inside them.
///
/// # Errors
/// As [`graph`].
pub fn diagrams() -> Result<Vec<Diagram>, CompileErrors> {
    [Kind::Parallel, Kind::Dependency].into_iter().map(|kind| Ok(graph(kind)?.diagram().clone())).collect()
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
///
/// # Errors
/// None: the graph does not depend on anything at run time.
pub fn graph(kind: Kind) -> Result<Compiled<SearchContext, Resources>, CompileErrors> {
    type State = Snapshot<SearchContext>;
    type Cx = Context<Resources>;
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
        .add_subgraph(kind.team(), kind.team_graph()?, nodes::team_input, nodes::team_result)
        .may_goto((REPORTER, FINISH));
    graph.add_node(REPORTER, nodes::reporter).may_goto(FINISH);
    graph.add_node(VLM_CHART_GENERATOR, nodes::vlm_chart_generator).may_goto(SOURCE_TRACER);
    graph.add_node(SOURCE_TRACER, nodes::source_tracer).may_goto(SOURCE_TRACER_INFER);
    graph.add_node(SOURCE_TRACER_INFER, nodes::source_tracer_infer).may_goto(USER_FEEDBACK_PROCESSOR);
    graph
        .add_subgraph(USER_FEEDBACK_PROCESSOR, feedback::graph()?, feedback::feedback_input, feedback::feedback_result)
        .may_goto((USER_FEEDBACK_PROCESSOR, FINISH));
    graph.add_node(FINISH, nodes::end);

    for (node, code, next) in [
        (VLM_CHART_GENERATOR, StatusCode::Chart, SOURCE_TRACER),
        (SOURCE_TRACER, StatusCode::SourceTrace, SOURCE_TRACER_INFER),
        (SOURCE_TRACER_INFER, StatusCode::Inference, USER_FEEDBACK_PROCESSOR),
    ] {
        graph.add_error_handler(node, move |failure: Failure, state: State, cx: Cx| {
            nodes::spared((code, next.clone()), failure, state, cx)
        });
    }

    graph.add_edge(START, BEGIN).add_edge(BEGIN, ENTRY);
    graph.add_edge(REPORTER, VLM_CHART_GENERATOR).add_edge(VLM_CHART_GENERATOR, SOURCE_TRACER);
    graph.add_edge(SOURCE_TRACER, SOURCE_TRACER_INFER);
    graph.add_edge(SOURCE_TRACER_INFER, USER_FEEDBACK_PROCESSOR);
    graph.add_edge(FINISH, END);
    graph.compile()
}
