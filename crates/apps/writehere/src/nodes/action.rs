//! The node of every action: one turn of one task.

use std::sync::Arc;

use graphloom_core_graph::{Context, NodeError, Snapshot, error_chain};
use graphloom_state_machine::{NodeKey, Symbol, TaskAction, TreeChange};
use serde::{Deserialize, Serialize};

use super::durable::{calls, setup};
use crate::breakpoint::{Stage, TaskView};
use crate::resources::Resources;
use crate::stage::{Outcome, StageError, TaskContext, act};
use crate::state::{Call, Writing, WritingUpdate};
use crate::task::{ActionResult, Task, TaskChange, Tree};

/// Attempts of an action, after the retries of each model call: then the task fails.
pub const ATTEMPTS: u32 = 2;

/// What a turn is about: a task whose status asks for an action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Turn {
    /// The task.
    pub node: NodeKey,
}

impl Turn {
    /// A turn of a task.
    pub fn of(node: NodeKey) -> Self {
        Self { node }
    }

    /// The update of an action that gave a result, for nodes of one's own.
    pub fn done(self, action: TaskAction, result: ActionResult) -> WritingUpdate {
        let change = TreeChange::changed(self.node.clone(), TaskChange::Result { action, result });
        Writing::update().tree(change.and(TreeChange::acted(self.node, action)))
    }

    /// The update of an action that failed for good: the task fails in the tree, the run goes on without it.
    pub fn failed(self, action: TaskAction, why: impl Into<String>) -> WritingUpdate {
        let why = why.into();
        let note = format!("task `{}`: `{}` failed: {why}", self.node, action.name());
        Writing::update().tree(TreeChange::<Task>::failed(self.node, action, why)).notes([note])
    }
}

/// Takes `action` on the task of a turn: model calls and searches are durable steps, the tree's change is the update.
/// In the last of its `attempts` an action that fails fails its task in the tree, not the run; one that the budget refuses
/// waits.
///
/// # Errors
/// What fails before the last attempt, and what the graph runtime itself reports.
pub async fn take(
    action: TaskAction,
    attempts: u32,
    turn: Turn,
    state: Snapshot<Writing>,
    cx: Context<Resources>,
) -> Result<WritingUpdate, NodeError> {
    let resources = Arc::clone(cx.shared_resources());
    let Some(sight) = TaskView::of(&state.tree, &turn.node, action) else {
        return Err(NodeError::terminal(format!("task `{}` is not in the tree", turn.node)));
    };
    resources.breaks.pause_before(&cx, &sight, &state.tree, || task_json(&state.tree, &turn.node)).await?;
    let calls = calls(&cx, &sight);
    let setup = setup(&cx, &calls, &resources.setup, &state.request, &turn.node);
    let time = resources.time_text(&cx, &turn.node, action).await?;
    let scene = TaskContext { tree: &state.tree, key: &turn.node, evidence: &state.evidence, time: Some(&time) };
    let outcome = act(&setup, scene, action).await;
    if let Some(fault) = calls.take_fault() {
        return Err(fault);
    }
    match outcome {
        Ok(outcome) => {
            pause_after(&resources, &cx, &sight, &state.tree, &outcome).await?;
            Ok(report(&resources, &turn.node, action, outcome))
        }
        Err(error) if error.is_retryable() && cx.task().attempt < attempts => Err(NodeError::from(error)),
        Err(error) => {
            pause_failed(&resources, &cx, &sight, &state.tree, &error).await?;
            Ok(fail(&resources, turn, action, &error))
        }
    }
}

async fn pause_after(
    resources: &Resources,
    cx: &Context<Resources>,
    sight: &TaskView,
    tree: &Tree,
    outcome: &Outcome,
) -> Result<(), NodeError> {
    if resources.breaks.is_empty() {
        return Ok(());
    }
    let mut after = tree.clone();
    after.apply(outcome.change.clone());
    let sight = sight.after(&after);
    let planning = || after.node(&sight.node).and_then(|node| node.payload.planning.clone());
    resources.breaks.pause(cx, &sight, Stage::Parsed, || serde_json::to_value(planning()).unwrap_or_default()).await?;
    resources.breaks.pause(cx, &sight, Stage::After, || task_json(&after, &sight.node)).await
}

async fn pause_failed(
    resources: &Resources,
    cx: &Context<Resources>,
    sight: &TaskView,
    tree: &Tree,
    error: &StageError,
) -> Result<(), NodeError> {
    if resources.breaks.is_empty() {
        return Ok(());
    }
    let mut after = tree.clone();
    after.apply(TreeChange::failed(sight.node.clone(), sight.action(), error_chain(error).join(": ")));
    resources.breaks.pause_failed(cx, sight, tree, &after, || task_json(&after, &sight.node)).await
}

fn task_json(tree: &Tree, key: &NodeKey) -> serde_json::Value {
    tree.node(key).map(|node| tree.node_json(node)).unwrap_or_default()
}

fn report(resources: &Resources, node: &NodeKey, action: TaskAction, outcome: Outcome) -> WritingUpdate {
    let call = |exchange| Call { node: node.clone(), action, exchange };
    Writing::update()
        .tree(outcome.change)
        .evidence(outcome.evidence.into_iter().map(|found| (found.id.clone(), found)))
        .calls(outcome.exchanges.into_iter().map(call))
        .notes(outcome.notes)
        .spent(resources.ledger.spent())
}

fn fail(resources: &Resources, turn: Turn, action: TaskAction, error: &StageError) -> WritingUpdate {
    let call = error.exchange().cloned().map(|exchange| Call { node: turn.node.clone(), action, exchange });
    turn.failed(action, error_chain(error).join(": ")).calls(call).spent(resources.ledger.spent())
}
