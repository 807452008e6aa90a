//! The dependency-driven editor team: research and writing of sections that build on one another.
//! Source: openJiuwen DeepSearch, `DependencyEditorTeamNode`.
//!
//! One eager graph serves both orders, which the configuration chooses: `layered` holds writing of a layer and research
//! for the next together until both are done, `dataflow` starts everything as soon as what it needs is done.

use graphloom_core_graph::{
    ChildOutcome, CompileErrors, Compiled, END, GraphOptions, Mode, NodeError, Packet, START, State, StateGraph, Task,
};

use super::nodes::{TEAM_BEGIN, TEAM_MERGE, begin_dependent, brief, ended, has_failed, merge, researched};
use super::order::{Job, Work, running};
use super::{Research, SectionResult, TeamState, TeamStateUpdate};
use crate::config::ExecutionMethod;
use crate::dependency::{reasoning, writing};
use crate::resources::Resources;
use crate::section::SectionState;
use crate::state::{ParentSummary, StepNote};

/// Researches one section.
pub const REASON: Task<String> = Task::named("reason");
/// Writes one section.
pub const WRITE: Task<String> = Task::named("write");

/// The graph of the dependency-driven team.
pub fn dependency() -> Compiled<TeamState, Resources> {
    dependency_with(GraphOptions::new()).expect("the graph of the dependency-driven team compiles")
}

/// The same team with other graphs to [`REASON`] and [`WRITE`] or other limits.
///
/// # Errors
/// An option that names no node of the graph, or does not fit it.
pub fn dependency_with(
    options: GraphOptions<TeamState, Resources>,
) -> Result<Compiled<TeamState, Resources>, CompileErrors> {
    let mut graph = StateGraph::<TeamState, Resources>::new("dependency_editor_team");
    graph.mode(Mode::Eager);
    graph.add_node(TEAM_BEGIN, begin_dependent);
    graph.add_subgraph_task(REASON, reasoning(), |section: String, state| reason_input(&section, state), reason_output);
    graph.add_subgraph_task(WRITE, writing(), |section: String, state| write_input(&section, state), write_output);
    graph.add_node(TEAM_MERGE, merge).deferred();

    graph.add_edge(START, TEAM_BEGIN);
    graph.add_sends(TEAM_BEGIN, (REASON, WRITE), due);
    graph.add_sends(REASON, (REASON, WRITE), due);
    graph.add_sends(WRITE, (REASON, WRITE), due);
    graph.add_edge(TEAM_BEGIN, TEAM_MERGE);
    graph.add_edge(TEAM_MERGE, END);
    graph.options(options);
    graph.compile()
}

fn due(state: &TeamState) -> Vec<Packet> {
    if has_failed(state) {
        return Vec::new();
    }
    let config = &state.config;
    let finished: Vec<Job> = state.finished.iter().cloned().collect();
    let most = config.editor_team_max_concurrency_num.max(1) as usize;
    let jobs = running(config.dependency_editor_team_order, &state.outline.sections, &finished, most);
    let send = |Job { work, section }: Job| match work {
        Work::Reason => REASON.send(&section, section.clone()),
        Work::Write => WRITE.send(&section, section.clone()),
    };
    jobs.into_iter().map(send).collect()
}

fn reason_input(section: &str, state: &TeamState) -> <SectionState as State>::Update {
    let mut brief = brief(state, section, ExecutionMethod::DependencyDriving);
    let parents = brief.section.parent_ids.iter().filter_map(|parent| state.research.get(parent));
    let steps = parents.flat_map(|research| &research.plans).flat_map(|plan| &plan.steps);
    brief.step_background = steps.filter_map(StepNote::of).collect();
    SectionState::update().brief(brief)
}

fn reason_output(outcome: ChildOutcome<SectionState>) -> Result<TeamStateUpdate, NodeError> {
    let (state, notices) = ended(outcome)?;
    let section = state.brief.section.id.clone();
    let research = Research { plans: state.plan_list(), evidence: state.documents() };
    Ok(TeamState::update()
        .research([(section.clone(), research)])
        .finished([Job::reason(section)])
        .notices(notices)
        .notes(state.notes.iter().cloned().collect::<Vec<_>>()))
}

fn write_input(section: &str, state: &TeamState) -> <SectionState as State>::Update {
    let mut brief = brief(state, section, ExecutionMethod::DependencyDriving);
    let summary = |parent: &String| {
        let report = state.sections.get(parent)?.sub_report.as_ref()?;
        let title = report.section_task.clone();
        Some(ParentSummary { section_id: parent.clone(), title, content_summary: report.content.summary.clone() })
    };
    brief.parents = brief.section.parent_ids.iter().filter_map(summary).collect();
    match state.research.get(section) {
        Some(research) => researched(research, brief),
        None => SectionState::update().brief(brief),
    }
}

fn write_output(outcome: ChildOutcome<SectionState>) -> Result<TeamStateUpdate, NodeError> {
    let (state, notices) = ended(outcome)?;
    let section = state.brief.section.id.clone();
    let result = SectionResult {
        plans: state.plan_list(),
        sub_report: state.sub_report.clone(),
        unwritten: state.unwritten.clone(),
    };
    Ok(TeamState::update()
        .sections([(section.clone(), result)])
        .finished([Job::write(section)])
        .notices(notices)
        .notes(state.notes.iter().cloned().collect::<Vec<_>>()))
}
