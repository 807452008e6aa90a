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
use crate::task::{Task, Tree};

/// Attempts of an action, after the retries of each model call: then the task fails.
pub(crate) const ATTEMPTS: u32 = 2;

/// What a turn is about: a task whose status asks for an action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Turn {
    /// The task.
    pub(crate) node: NodeKey,
}

/// Takes `action` on the task of a turn: model calls and searches are durable steps, the tree's change is the update.
/// An action that is out of attempts fails its task in the tree, not the run; one that the budget refuses waits.
pub(crate) async fn take(
    action: TaskAction,
    turn: Turn,
    state: Snapshot<Writing>,
    cx: Context<Resources>,
) -> Result<WritingUpdate, NodeError> {
    let resources = Arc::clone(cx.shared_resources());
    let Some(sight) = TaskView::of(&state.tree, &turn.node, action) else {
        return Err(NodeError::terminal(format!("task `{}` is not in the tree", turn.node)));
    };
    resources.breaks.pause_before(&cx, &sight, &state.tree, || shown(&state.tree, &turn.node)).await?;
    let calls = calls(&cx, &sight);
    let setup = setup(&calls, &resources.setup, &state.request);
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
        Err(error) if error.is_retryable() && cx.task().attempt < ATTEMPTS => Err(NodeError::from(error)),
        Err(error) => {
            pause_failed(&resources, &cx, &sight, &state.tree, &error).await?;
            Ok(fail(&resources, turn.node, action, &error))
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
    resources.breaks.pause(cx, &sight, Stage::After, || shown(&after, &sight.node)).await
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
    resources.breaks.pause_failed(cx, sight, tree, &after, || shown(&after, &sight.node)).await
}

fn shown(tree: &Tree, key: &NodeKey) -> serde_json::Value {
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

fn fail(resources: &Resources, node: NodeKey, action: TaskAction, error: &StageError) -> WritingUpdate {
    let call = error.exchange().cloned().map(|exchange| Call { node: node.clone(), action, exchange });
    let why = error_chain(error).join(": ");
    let note = format!("task `{node}`: `{}` failed: {why}", action.name());
    Writing::update()
        .tree(TreeChange::<Task>::failed(node, action, why))
        .calls(call)
        .notes([note])
        .spent(resources.ledger.spent())
}
