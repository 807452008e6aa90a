//! The steps of a plan: a collector for each, one after the other or as soon as those that it needs are done.
//!
//! ```text
//! begin ─► collector (each step that can begin) ─► collector (each step that can begin now) ─► …
//! ```
//! The graph runs eagerly: a step begins when the last of its parents ends, not when a wave of steps does.

mod runnable;

pub use runnable::{StepOrder, runnable, unsatisfiable};

use graphloom_core_graph::{
    ChildOutcome, CompileErrors, Compiled, Context, GraphOptions, Log, Mode, Node, NodeError, Packet, START, Shared,
    Snapshot, State, StateGraph, Table, Task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::collector::{self, CollectRequest, CollectorState};
use crate::evidence::Document;
use crate::resources::Resources;
use crate::state::StepNote;
use crate::state::{Plan, Step};
use crate::status::{Notice, StatusCode};

/// Names the steps that cannot begin.
pub const STEPS_BEGIN: Node = Node::named("begin");
/// Carries out one step.
pub const COLLECTOR: Task<String> = Task::named("collector");

/// The state of the steps of a plan.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct StepsState {
    /// The plan.
    pub plan: Shared<Plan>,
    /// In which order its steps are carried out.
    pub order: StepOrder,
    /// What every step is asked with; the step itself is left empty.
    pub request: Shared<CollectRequest>,
    /// What steps found before this plan, also those of other sections.
    pub background: Vec<StepNote>,
    /// The steps that were carried out, by their ids.
    #[state(merge)]
    pub done: Table<String, Step>,
    /// The documents that they found, by their ids.
    #[state(merge)]
    pub evidence: Table<String, Document>,
    /// What went wrong.
    #[state(append)]
    pub notices: Log<Notice>,
    /// What a user should know.
    #[state(append)]
    pub notes: Log<String>,
}

impl StepsState {
    /// The plan with what its steps found. Steps that could not begin have no result.
    pub fn finished_plan(&self) -> Plan {
        let mut plan = Plan::clone(&self.plan);
        for step in &mut plan.steps {
            if let Some(done) = self.done.get(&step.id) {
                step.clone_from(done);
            }
        }
        plan
    }

    fn known_ids(&self) -> impl Iterator<Item = &str> {
        self.background.iter().map(|note| note.id.as_str()).chain(self.done.keys().map(String::as_str))
    }

    /// What a step builds on: the notes of its parents, of this plan and before.
    fn notes_for(&self, step: &Step) -> Vec<StepNote> {
        let own = self.done.values().filter_map(StepNote::of);
        let all = self.background.iter().cloned().chain(own);
        all.filter(|note| step.parent_ids.contains(&note.id)).collect()
    }
}

/// The graph that carries out the steps of a plan.
pub fn graph() -> Compiled<StepsState, Resources> {
    graph_with(GraphOptions::new()).expect("the graph of steps compiles")
}

/// The same graph with another [`COLLECTOR`] or other limits.
///
/// # Errors
/// An option that names no node of the graph, or does not fit it.
pub fn graph_with(
    options: GraphOptions<StepsState, Resources>,
) -> Result<Compiled<StepsState, Resources>, CompileErrors> {
    let mut graph = StateGraph::<StepsState, Resources>::new("steps");
    graph.mode(Mode::Eager);
    graph.add_node(STEPS_BEGIN, begin);
    graph.add_subgraph_task(COLLECTOR, collector::graph(), |step: String, state| request_of(&step, state), finished);

    graph.add_edge(START, STEPS_BEGIN);
    graph.add_sends(STEPS_BEGIN, COLLECTOR, ready);
    graph.add_sends(COLLECTOR, COLLECTOR, ready);
    graph.options(options);
    graph.compile()
}

/// In: the plan. Out: a warning (211900) that names the steps whose parents nobody provides; the original drops them
/// in silence.
async fn begin(state: Snapshot<StepsState>, _cx: Context<Resources>) -> Result<StepsStateUpdate, NodeError> {
    let known: Vec<&str> = state.known_ids().collect();
    let lost = unsatisfiable(state.order, &state.plan.steps, &known);
    let section = &state.request.section_id;
    let notices = lost.into_iter().map(|(step, missing)| {
        let needs: Vec<String> = missing.iter().map(|parent| format!("`{parent}`")).collect();
        let message = format!(
            "step `{}` ({}) was left out: it needs {}, which no step provides",
            step.id,
            step.title,
            needs.join(", ")
        );
        let notice = Notice::warning(StatusCode::StepNoDocuments, message);
        if section.is_empty() { notice } else { notice.in_section(section) }
    });
    Ok(StepsState::update().notices(notices.collect::<Vec<_>>()))
}

fn ready(state: &StepsState) -> Vec<Packet> {
    let done: Vec<&str> = state.done.keys().map(String::as_str).collect();
    let background: Vec<&str> = state.background.iter().map(|note| note.id.as_str()).collect();
    let steps = runnable(state.order, &state.plan.steps, &background, &done);
    steps.into_iter().map(|step| COLLECTOR.send(&step.id, step.id.clone())).collect()
}

fn request_of(step: &str, state: &StepsState) -> <CollectorState as State>::Update {
    let mut request = CollectRequest::clone(&state.request);
    if let Some(found) = state.plan.steps.iter().find(|each| each.id == step) {
        request.step = found.clone();
        request.background = state.notes_for(found);
    }
    CollectorState::update().request(request)
}

/// A step that failed is carried out without a result, with a notice: the others go on.
fn finished(outcome: ChildOutcome<CollectorState>) -> Result<StepsStateUpdate, NodeError> {
    let (state, failure) = match outcome {
        ChildOutcome::Done(state) => (state, None),
        ChildOutcome::Failed { state, error } => (state, Some(error)),
        _ => return Err(NodeError::terminal("a step ended in an unknown way")),
    };
    let step = state.step();
    let section = &state.request.section_id;
    let place = |notice: Notice| if section.is_empty() { notice } else { notice.in_section(section) };
    let mut notices: Vec<Notice> = state.notices.iter().cloned().collect();
    if let Some(error) = failure {
        let message = format!("step `{}` ({}) failed: {error}", step.id, step.title);
        notices.push(place(Notice::warning(StatusCode::StepNoDocuments, message)));
    } else if state.doc_infos.is_empty() {
        let message = format!("step `{}` ({}) found no documents", step.id, step.title);
        notices.push(place(Notice::warning(StatusCode::StepNoDocuments, message)));
    }
    let evidence = state.doc_infos.iter().map(|found| (found.id.as_str().to_owned(), found.clone()));
    Ok(StepsState::update()
        .evidence(evidence.collect::<Vec<_>>())
        .done([(step.id.clone(), step)])
        .notices(notices)
        .notes(state.notes.iter().cloned().collect::<Vec<_>>()))
}
