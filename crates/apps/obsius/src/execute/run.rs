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
            let ended: Vec<Option<bool>> = needed.map(|id| succeeded.get(id).copied()).collect();
            if ended.contains(&Some(false)) { Some(false) } else { ended.iter().all(Option::is_some).then_some(true) }
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use graphloom_agents::{ToolError, ToolOutput, TypedTool, typed};
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    /// What ran, and how many at a time.
    #[derive(Default)]
    struct Seen {
        log: Mutex<Vec<String>>,
        now: AtomicUsize,
        most: AtomicUsize,
    }

    #[derive(Deserialize, JsonSchema)]
    struct Named {
        name: String,
        seconds: u64,
    }

    impl Seen {
        async fn work(&self, named: Named) -> Result<ToolOutput, ToolError> {
            let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_secs(named.seconds)).await;
            self.now.fetch_sub(1, Ordering::SeqCst);
            self.log.lock().unwrap().push(named.name.clone());
            if named.name.starts_with("bad") { Err(ToolError::failed("bad")) } else { Ok(ToolOutput::new("good")) }
        }
    }

    struct Look(Arc<Seen>);
    struct Change(Arc<Seen>);

    impl TypedTool for Look {
        type Arguments = Named;
        const NAME: &'static str = "look";
        const DESCRIPTION: &'static str = "looks";
        const RISK: Risk = Risk::Read;

        async fn run(&self, named: Named) -> Result<ToolOutput, ToolError> {
            self.0.work(named).await
        }
    }

    impl TypedTool for Change {
        type Arguments = Named;
        const NAME: &'static str = "change";
        const DESCRIPTION: &'static str = "changes";
        const RISK: Risk = Risk::Write;

        async fn run(&self, named: Named) -> Result<ToolOutput, ToolError> {
            self.0.work(named).await
        }
    }

    /// Saves every five seconds.
    struct Every {
        due: tokio::time::Instant,
        dirty: bool,
        saved: Vec<Carried>,
    }

    #[async_trait]
    impl Keeper for Every {
        fn ended(&mut self, _: &Carried) {
            self.dirty = true;
        }

        async fn due(&self) {
            if self.dirty {
                tokio::time::sleep_until(self.due).await;
            } else {
                std::future::pending::<()>().await;
            }
        }

        async fn save(&mut self, carried: &Carried) -> Result<(), NodeError> {
            self.saved.push(carried.clone());
            self.due = tokio::time::Instant::now() + Duration::from_secs(5);
            self.dirty = false;
            Ok(())
        }
    }

    fn tools(seen: &Arc<Seen>) -> ToolRegistry {
        let mut tools = ToolRegistry::new(Risk::Write).with_timeout(Duration::from_secs(60));
        tools.register(typed(Look(Arc::clone(seen)))).unwrap().register(typed(Change(Arc::clone(seen)))).unwrap();
        tools
    }

    fn action(tool: &str, id: &str, seconds: u64, depends_on: &[&str]) -> PlannedAction {
        PlannedAction {
            id: id.to_owned(),
            tool: tool.to_owned(),
            arguments: json!({ "name": id, "seconds": seconds }),
            depends_on: depends_on.iter().map(|id| (*id).to_owned()).collect(),
            subtask: String::new(),
        }
    }

    async fn carry(actions: Vec<PlannedAction>, before: Carried) -> (Arc<Seen>, Carried, Vec<Carried>) {
        let seen = Arc::new(Seen::default());
        let mut keeper =
            Every { due: tokio::time::Instant::now() + Duration::from_secs(5), dirty: false, saved: Vec::new() };
        let plan = ExecutionPlan { actions, ..ExecutionPlan::default() };
        let carried = carry_out(&plan, &tools(&seen), before, 1, 3, &mut keeper).await.unwrap();
        (seen, carried, keeper.saved)
    }

    #[tokio::test(start_paused = true)]
    async fn reads_run_three_at_a_time_and_writes_alone_and_in_order() {
        let reads = (1..=5).map(|n| action("look", &format!("r{n}"), 10 - n, &[]));
        let actions: Vec<PlannedAction> = reads
            .chain([
                action("change", "w1", 3, &["r1"]),
                action("change", "w2", 1, &["r1"]),
                action("look", "r6", 1, &["w2"]),
            ])
            .collect();
        let (seen, carried, _) = carry(actions, Carried::default()).await;
        assert_eq!(seen.most.load(Ordering::SeqCst), 3);
        let log = seen.log.lock().unwrap().clone();
        assert_eq!(&log[..3], ["r3", "r2", "r1"]);
        assert_eq!(&log[5..], ["w1", "w2", "r6"]);
        assert_eq!((carried.done.len(), carried.skipped.len()), (8, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn what_depends_on_a_failure_or_a_circle_is_skipped_and_told() {
        let actions = vec![
            action("look", "bad", 1, &[]),
            action("change", "after", 1, &["bad"]),
            action("look", "later", 1, &["after"]),
            action("look", "one", 1, &["two"]),
            action("look", "two", 1, &["one"]),
            action("look", "free", 1, &["unknown"]),
        ];
        let (seen, carried, _) = carry(actions, Carried::default()).await;
        assert_eq!(*seen.log.lock().unwrap(), ["bad", "free"]);
        assert_eq!(carried.skipped.len(), 4, "{:?}", carried.skipped);
    }

    #[tokio::test(start_paused = true)]
    async fn progress_is_saved_by_the_interval_and_taken_up_again() {
        let actions = || (1..=4).map(|n| action("change", &format!("w{n}"), 4, &[])).collect::<Vec<_>>();
        let (_, whole, saved) = carry(actions(), Carried::default()).await;
        // At 5 s one has ended, at 10 s two, at 15 s three.
        assert_eq!(saved.iter().map(|carried| carried.done.len()).collect::<Vec<_>>(), [1, 2, 3]);
        let (seen, again, _) = carry(actions(), saved[1].clone()).await;
        assert_eq!(*seen.log.lock().unwrap(), ["w3", "w4"]);
        assert_eq!(again.done, whole.done);
    }
}
