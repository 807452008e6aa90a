//! Carrying out planned actions: reads together, writes one after the other, all in the order of their dependencies.

use std::collections::BTreeMap;

use async_trait::async_trait;
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use graphloom_agents::{Repeats, Risk, ToolOutcome, ToolRegistry};
use graphloom_core_graph::NodeError;
use graphloom_llm::ToolCall;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::state::{ExecutedAction, ExecutionPlan, PlannedAction};

/// How far a plan has been carried out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Carried {
    /// The actions that were carried out, as they ended.
    pub done: Vec<ExecutedAction>,
    /// Which calls failed how often.
    pub repeats: Repeats,
    /// Actions that were not carried out, with the reason.
    pub skipped: Vec<String>,
}

/// Who is told while a plan is carried out.
#[async_trait]
pub trait Keeper: Send {
    /// An action has ended.
    fn ended(&mut self, carried: &Carried);

    /// Resolves when what was carried out so far is to be saved.
    async fn due(&self);

    /// Saves it.
    async fn save(&mut self, carried: &Carried) -> Result<(), NodeError>;
}

/// Carries out the actions of a plan that `carried` does not have yet. At most `reads` reading actions run at a time; an
/// action that changes something runs alone. An action runs when those it depends on have succeeded; where one failed, it
/// is skipped.
///
/// # Errors
/// Those of [`Keeper::save`]. A failed action is no error.
pub async fn carry_out(
    plan: &ExecutionPlan,
    tools: &ToolRegistry,
    mut carried: Carried,
    iteration: u32,
    reads: usize,
    keeper: &mut dyn Keeper,
) -> Result<Carried, NodeError> {
    let mut waiting: Vec<&PlannedAction> =
        plan.actions.iter().filter(|action| !carried.done.iter().any(|done| done.id == action.id)).collect();
    let known: Vec<&str> = plan.actions.iter().map(|action| action.id.as_str()).collect();
    let mut succeeded: BTreeMap<String, bool> =
        carried.done.iter().map(|action| (action.id.clone(), action.result.success)).collect();
    let mut running: FuturesUnordered<BoxFuture<'_, (&PlannedAction, ToolOutcome, Repeats)>> = FuturesUnordered::new();
    let mut writing = false;
    loop {
        // A dependency that is not in the plan is none.
        let state_of = |action: &PlannedAction| {
            let needed = action.depends_on.iter().filter(|id| known.contains(&id.as_str()) && **id != action.id);
            needed.fold(Some(true), |ready, id| match (ready, succeeded.get(id)) {
                (_, Some(false)) | (Some(false), _) => Some(false),
                (None, _) | (_, None) => None,
                (Some(true), Some(true)) => Some(true),
            })
        };
        let failed = |action: &&PlannedAction| state_of(action) == Some(false);
        if let Some(at) = waiting.iter().position(failed) {
            let action = waiting.remove(at);
            carried.skipped.push(format!("`{}` was not run, because an action that it needs failed", action.tool));
            succeeded.insert(action.id.clone(), false);
            continue;
        }
        while !writing && running.len() < reads.max(1) {
            let Some(at) = waiting.iter().position(|action| state_of(action) == Some(true)) else { break };
            let is_read = tools.risk(&waiting[at].tool) == Some(Risk::Read);
            // What changes something waits for its turn, and nothing overtakes it.
            if !is_read && !running.is_empty() {
                break;
            }
            writing = !is_read;
            let action = waiting.remove(at);
            let mut repeats = carried.repeats.clone();
            running.push(Box::pin(async move {
                let call =
                    ToolCall { id: action.id.clone(), name: action.tool.clone(), arguments: action.arguments.clone() };
                let outcome = tools.call(&call, &mut repeats).await;
                (action, outcome, repeats)
            }));
        }
        let ended = tokio::select! {
            biased;
            ended = running.next() => ended,
            () = keeper.due() => {
                keeper.save(&carried).await?;
                continue;
            }
        };
        let Some((action, outcome, repeats)) = ended else { break };
        writing = false;
        carried.repeats.absorb(&repeats, &outcome);
        let done = ExecutedAction::of(&action.id, &action.subtask, iteration, &outcome);
        succeeded.insert(done.id.clone(), done.result.success);
        carried.done.push(done);
        keeper.ended(&carried);
    }
    for action in waiting {
        carried.skipped.push(format!("`{}` was not run, because its dependencies are a circle", action.tool));
    }
    Ok(carried)
}
