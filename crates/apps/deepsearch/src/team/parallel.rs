//! The editor team: sections at the same time. Source: openJiuwen DeepSearch, `EditorTeamNode`.

use graphloom_core_graph::{
    ChildOutcome, CompileErrors, Compiled, END, GraphOptions, Mode, NodeError, Packet, START, State, StateGraph, Task,
};

use super::nodes::{TEAM_BEGIN, TEAM_MERGE, begin, brief, ended, has_failed, merge, researched};
use super::{SectionResult, TeamState, TeamStateUpdate};
use crate::config::ExecutionMethod;
use crate::resources::Resources;
use crate::section::{self, SectionState};
use crate::state::SectionBrief;

/// Works on one section.
pub const SECTION: Task<String> = Task::named("section");

/// The graph of the editor team.
pub fn parallel() -> Compiled<TeamState, Resources> {
    parallel_with(GraphOptions::new()).expect("the graph of the editor team compiles")
}

/// The same team with another graph of a [`SECTION`] or other limits.
///
/// # Errors
/// An option that names no node of the graph, or does not fit it.
pub fn parallel_with(
    options: GraphOptions<TeamState, Resources>,
) -> Result<Compiled<TeamState, Resources>, CompileErrors> {
    let mut graph = StateGraph::<TeamState, Resources>::new("editor_team");
    graph.mode(Mode::Eager);
    graph.add_node(TEAM_BEGIN, begin);
    graph.add_subgraph_task(SECTION, section::graph(), |section: String, state| input(&section, state), output);
    graph.add_node(TEAM_MERGE, merge).deferred();

    graph.add_edge(START, TEAM_BEGIN);
    graph.add_sends(TEAM_BEGIN, SECTION, due);
    graph.add_sends(SECTION, SECTION, due);
    graph.add_edge(TEAM_BEGIN, TEAM_MERGE);
    graph.add_edge(TEAM_MERGE, END);
    graph.options(options);
    graph.compile()
}

/// The first sections without a result, as many as may run: those that run are among them until they end.
fn due(state: &TeamState) -> Vec<Packet> {
    if has_failed(state) {
        return Vec::new();
    }
    let most = state.config.editor_team_max_concurrency_num.max(1) as usize;
    let left = state.outline.sections.iter().filter(|section| !state.sections.contains_key(&section.id));
    left.take(most).map(|section| SECTION.send(&section.id, section.id.clone())).collect()
}

fn input(section: &str, state: &TeamState) -> <SectionState as State>::Update {
    let brief = brief(state, section, ExecutionMethod::Parallel);
    match state.research.get(section) {
        Some(research) => researched(research, SectionBrief { researched: true, ..brief }),
        None => SectionState::update().brief(brief),
    }
}

fn output(outcome: ChildOutcome<SectionState>) -> Result<TeamStateUpdate, NodeError> {
    let (state, notices) = ended(outcome)?;
    let result = SectionResult {
        plans: state.plan_list(),
        sub_report: state.sub_report.clone(),
        unwritten: state.unwritten.clone(),
    };
    Ok(TeamState::update()
        .sections([(state.brief.section.id.clone(), result)])
        .notices(notices)
        .notes(state.notes.iter().cloned().collect::<Vec<_>>()))
}
