//! Executing planned actions: reads run concurrently, writes one after the other, all in the order of their dependencies.

use std::collections::BTreeMap;

use async_trait::async_trait;
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use graphloom_agents::{FailedCalls, Risk, ToolOutcome, ToolRegistry};
use graphloom_core_graph::NodeError;
use graphloom_llm::ToolCall;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::state::{ExecutedAction, ExecutionPlan, PlannedAction};

/// How far a plan has been executed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct PlanProgress {
    /// The executed actions, in the order in which they ended.
    pub done: Vec<ExecutedAction>,
    /// Which calls failed how often.
    pub repeats: FailedCalls,
    /// Actions that were not executed, with the reason.
    pub skipped: Vec<String>,
}

/// Saves the progress of a plan while it is executed.
#[async_trait]
pub trait ProgressSaver: Send {
    /// Takes the progress after an action has ended.
    fn ended(&mut self, progress: &PlanProgress);

    /// Resolves when the progress is to be saved.
    async fn due(&self);

    /// Saves the progress.
    async fn save(&mut self, progress: &PlanProgress) -> Result<(), NodeError>;
}

/// Executes the actions of a plan that `progress` does not have yet. At most `reads` reading actions run at a time; an
/// action that changes something runs alone. An action runs when those it depends on have succeeded; where one failed, it
/// is skipped.
///
/// # Errors
/// Those of [`ProgressSaver::save`]. A failed action is no error.
pub async fn execute_plan(
    plan: &ExecutionPlan,
    tools: &ToolRegistry,
    mut progress: PlanProgress,
    iteration: u32,
    reads: usize,
    saver: &mut dyn ProgressSaver,
) -> Result<PlanProgress, NodeError> {
    let mut waiting: Vec<&PlannedAction> =
        plan.actions.iter().filter(|action| !progress.done.iter().any(|done| done.id == action.id)).collect();
    let known: Vec<&str> = plan.actions.iter().map(|action| action.id.as_str()).collect();
    let mut succeeded: BTreeMap<String, bool> =
        progress.done.iter().map(|action| (action.id.clone(), action.result.success)).collect();
    let mut running: FuturesUnordered<BoxFuture<'_, (&PlannedAction, ToolOutcome, FailedCalls)>> =
        FuturesUnordered::new();
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
            progress.skipped.push(format!("`{}` was not run, because an action that it needs failed", action.tool));
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
            let mut repeats = progress.repeats.clone();
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
            () = saver.due() => {
                saver.save(&progress).await?;
                continue;
            }
        };
        let Some((action, outcome, repeats)) = ended else { break };
        writing = false;
        progress.repeats.merge(&repeats, &outcome);
        let done = ExecutedAction::of(&action.id, &action.subtask, iteration, &outcome);
        succeeded.insert(done.id.clone(), done.result.success);
        progress.done.push(done);
        saver.ended(&progress);
    }
    for action in waiting {
        progress.skipped.push(format!("`{}` was not run, because its dependencies are a circle", action.tool));
    }
    Ok(progress)
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

    /// Which tools ran, and how many at a time.
    #[derive(Default)]
    struct ToolLog {
        log: Mutex<Vec<String>>,
        now: AtomicUsize,
        most: AtomicUsize,
    }

    #[derive(Deserialize, JsonSchema)]
    struct TestArguments {
        name: String,
        seconds: u64,
    }

    impl ToolLog {
        async fn work(&self, named: TestArguments) -> Result<ToolOutput, ToolError> {
            let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_secs(named.seconds)).await;
            self.now.fetch_sub(1, Ordering::SeqCst);
            self.log.lock().unwrap().push(named.name.clone());
            if named.name.starts_with("bad") { Err(ToolError::failed("bad")) } else { Ok(ToolOutput::new("good")) }
        }
    }

    struct TestRead(Arc<ToolLog>);
    struct TestWrite(Arc<ToolLog>);

    impl TypedTool for TestRead {
        type Arguments = TestArguments;
        const NAME: &'static str = "look";
        const DESCRIPTION: &'static str = "looks";
        const RISK: Risk = Risk::Read;

        async fn run(&self, named: TestArguments) -> Result<ToolOutput, ToolError> {
            self.0.work(named).await
        }
    }

    impl TypedTool for TestWrite {
        type Arguments = TestArguments;
        const NAME: &'static str = "change";
        const DESCRIPTION: &'static str = "changes";
        const RISK: Risk = Risk::Write;

        async fn run(&self, named: TestArguments) -> Result<ToolOutput, ToolError> {
            self.0.work(named).await
        }
    }

    /// Saves every five seconds.
    struct IntervalSaver {
        due: tokio::time::Instant,
        dirty: bool,
        saved: Vec<PlanProgress>,
    }

    #[async_trait]
    impl ProgressSaver for IntervalSaver {
        fn ended(&mut self, _: &PlanProgress) {
            self.dirty = true;
        }

        async fn due(&self) {
            if self.dirty {
                tokio::time::sleep_until(self.due).await;
            } else {
                std::future::pending::<()>().await;
            }
        }

        async fn save(&mut self, progress: &PlanProgress) -> Result<(), NodeError> {
            self.saved.push(progress.clone());
            self.due = tokio::time::Instant::now() + Duration::from_secs(5);
            self.dirty = false;
            Ok(())
        }
    }

    fn tools(seen: &Arc<ToolLog>) -> ToolRegistry {
        let mut tools = ToolRegistry::new(Risk::Write).with_timeout(Duration::from_secs(60));
        tools
            .register(typed(TestRead(Arc::clone(seen))))
            .unwrap()
            .register(typed(TestWrite(Arc::clone(seen))))
            .unwrap();
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

    async fn carry(
        actions: Vec<PlannedAction>,
        before: PlanProgress,
    ) -> (Arc<ToolLog>, PlanProgress, Vec<PlanProgress>) {
        let seen = Arc::new(ToolLog::default());
        let mut saver = IntervalSaver {
            due: tokio::time::Instant::now() + Duration::from_secs(5),
            dirty: false,
            saved: Vec::new(),
        };
        let plan = ExecutionPlan { actions, ..ExecutionPlan::default() };
        let progress = execute_plan(&plan, &tools(&seen), before, 1, 3, &mut saver).await.unwrap();
        (seen, progress, saver.saved)
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
        let (seen, progress, _) = carry(actions, PlanProgress::default()).await;
        assert_eq!(seen.most.load(Ordering::SeqCst), 3);
        let log = seen.log.lock().unwrap().clone();
        assert_eq!(&log[..3], ["r3", "r2", "r1"]);
        assert_eq!(&log[5..], ["w1", "w2", "r6"]);
        assert_eq!((progress.done.len(), progress.skipped.len()), (8, 0));
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
        let (seen, progress, _) = carry(actions, PlanProgress::default()).await;
        assert_eq!(*seen.log.lock().unwrap(), ["bad", "free"]);
        assert_eq!(progress.skipped.len(), 4, "{:?}", progress.skipped);
    }

    #[tokio::test(start_paused = true)]
    async fn progress_is_saved_by_the_interval_and_taken_up_again() {
        let actions = || (1..=4).map(|n| action("change", &format!("w{n}"), 4, &[])).collect::<Vec<_>>();
        let (_, whole, saved) = carry(actions(), PlanProgress::default()).await;
        // At 5 s one has ended, at 10 s two, at 15 s three.
        assert_eq!(saved.iter().map(|progress| progress.done.len()).collect::<Vec<_>>(), [1, 2, 3]);
        let (seen, again, _) = carry(actions(), saved[1].clone()).await;
        assert_eq!(*seen.log.lock().unwrap(), ["w3", "w4"]);
        assert_eq!(again.done, whole.done);
    }
}
