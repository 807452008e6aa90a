//! The names of nodes, which nodes and graphs share: those of the original.

use graphloom_core_graph::Node;

use crate::config::ExecutionMethod;

// The main graphs.

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

/// The two main graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphKind {
    /// Sections at the same time.
    Parallel,
    /// Sections that build on one another.
    Dependency,
}

impl GraphKind {
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

impl From<ExecutionMethod> for GraphKind {
    fn from(method: ExecutionMethod) -> Self {
        match method {
            ExecutionMethod::Parallel => Self::Parallel,
            ExecutionMethod::DependencyDriving => Self::Dependency,
        }
    }
}

// The graph of a section, and the two of the dependency-driven team.

/// Begins: `SectionStartNode`.
pub const SECTION_START: Node = Node::named("start");
/// Plans what has to be found next: `ResearchPlanReasoningNode`, `DependencyPlanReasoningNode`.
pub const PLAN_REASONING: Node = Node::named("plan_reasoning");
/// Carries out a plan: `InfoCollectorNode`.
pub const INFO_COLLECTOR: Node = Node::named("info_collector");
/// Writes: `SubReporterNode`.
pub const SUB_REPORTER: Node = Node::named("sub_reporter");
/// Traces citations: `SubSourceTracerNode`.
pub const SUB_SOURCE_TRACER: Node = Node::named("sub_source_tracer");
/// Ends: `SectionEndNode`, `SectionReasoningEndNode`.
pub const SECTION_END_NODE: Node = Node::named("end");
/// Carries out the steps of a plan, each as soon as those that it needs are done: `DependencyInfoCollectorNode`.
pub const DEPENDENCY_INFO_COLLECTOR: Node = Node::named("dependency_info_collector");

// The collector.

/// Begins: `StartNode`.
pub const COLLECTOR_START: Node = Node::named("start");
/// Makes queries: `GenerateQueryNode`.
pub const QUERY_GENERATION: Node = Node::named("collector_query_generation");
/// Searches and scores: `InfoRetrievalNode`.
pub const INFO_RETRIEVAL: Node = Node::named("collector_info_retrieval");
/// Judges whether enough was found: `SupervisorNode`.
pub const SUPERVISOR: Node = Node::named("collector_supervisor");
/// Sums up: `SummaryNode`.
pub const SUMMARY: Node = Node::named("collector_summary");
/// Ends: `GraphEndNode` and `End`.
pub const COLLECTOR_END: Node = Node::named("collector_end");

// Changes after the report.

/// Tells the result, once.
pub const FEEDBACK_START: Node = Node::named("start");
/// Asks the person.
pub const LISTEN: Node = Node::named("listen");
/// Expands, shortens, polishes.
pub const REWRITE: Node = Node::named("rewrite");
/// Says what has to be found.
pub const PREPARE: Node = Node::named("prepare");
/// Finds it: the collector of sections.
pub const FEEDBACK_COLLECTOR: Node = Node::named("collector");
/// Works in what was found.
pub const COMPOSE: Node = Node::named("compose");
/// Ends the change.
pub const FEEDBACK_END: Node = Node::named("end");
