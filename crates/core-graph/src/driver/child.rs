//! Running a subgraph inside a task.

use std::fmt;
use std::sync::Arc;

use crate::checkpoint::CheckpointError;
use crate::context::TaskServices;
use crate::driver::drive::{Driver, Entry, Runtime};
use crate::driver::load;
use crate::driver::session::Session;
use crate::error::{NodeError, RunError};
use crate::machine::{Question, Stop};
use crate::state::State;

/// The place where a subgraph runs: the session of its parent, and its namespace. Opaque; made by drivers.
#[derive(Clone)]
pub struct Scope {
    pub(crate) session: Arc<Session>,
    /// The id of the parent's task.
    pub(crate) ns: Arc<str>,
    /// Whether the parent's task is tried again: what failed in the child is then tried anew.
    pub(crate) again: bool,
}

/// How a subgraph ended.
enum ChildEnd<S: State> {
    Done(Arc<S>),
    Failed {
        state: Arc<S>,
        error: RunError,
    },
    /// It waits for these answers.
    Waiting(Vec<Question>),
    /// It stopped with the run.
    Stopped(Stop),
}

/// Runs a subgraph, or goes on with it where it stopped. Also tells how many tasks it has executed.
async fn run_child<S: State, Cx: Send + Sync + 'static>(
    runtime: Runtime<S, Cx>,
    scope: Scope,
    input: S::Update,
) -> Result<(ChildEnd<S>, u64), RunError> {
    let Scope { session, ns, again } = scope;
    let forget = again || session.forget_attempts;
    let restored = match &session.attached {
        Some(attached) => {
            let restored = load::restore(&*attached.store, &runtime.topology, &session.thread, &ns, None, forget).await;
            match restored {
                // The run ends with it, as with a commit that fails: it is no failure of the node.
                Err(RunError::Checkpoint(error)) => {
                    let (action, source) = ("reading a subgraph".to_owned(), error.to_string().into());
                    attached.fail(error);
                    return Err(RunError::Checkpoint(CheckpointError::Store { action, source }));
                }
                restored => restored?,
            }
        }
        None => None,
    };
    let max_steps = session.policy.max_steps;
    let entry = if restored.is_some() { Entry::Resume("continue") } else { Entry::Input(Some(input)) };
    let mut driver = Driver::new(runtime, session, ns, restored)?;
    let stop = driver.run(entry).await;
    let machine = driver.machine();
    let state = Arc::clone(&machine.state);
    let end = match stop {
        Ok(Stop::Done) => ChildEnd::Done(state),
        Ok(Stop::Waiting) => ChildEnd::Waiting(machine.questions()),
        Ok(Stop::Failed) => match machine.failure() {
            Some((id, node, attempts, error)) => {
                let (node, task, message) = (node.to_owned(), machine.task_path(id).to_string(), error.to_string());
                ChildEnd::Failed { state, error: RunError::TaskFailed { node, task, attempts, message } }
            }
            None => return Err(RunError::Internal("a subgraph failed without a failed task".to_owned())),
        },
        Ok(stop @ (Stop::Budget | Stop::Drained | Stop::Cancelled)) => ChildEnd::Stopped(stop),
        Ok(Stop::StepLimit) => {
            let limit = max_steps.unwrap_or_default();
            let error = RunError::StepLimit { limit, next: machine.next_nodes().join(", ") };
            ChildEnd::Failed { state, error }
        }
        Err(error @ RunError::Checkpoint(_)) => return Err(error),
        Err(error) => ChildEnd::Failed { state, error },
    };
    Ok((end, machine.executed))
}

/// Runs a subgraph for the task behind `services`: `None` when the task waits or stops with it.
pub(crate) async fn run_in_task<S: State, Cx: Send + Sync + 'static>(
    runtime: Runtime<S, Cx>,
    services: &Arc<dyn TaskServices>,
    input: S::Update,
) -> Result<Result<Arc<S>, (Arc<S>, RunError)>, NodeError> {
    let scope = services.scope().ok_or_else(|| NodeError::terminal("this driver runs no subgraphs"))?;
    let (end, executed) = run_child(runtime, scope, input).await.map_err(NodeError::terminal)?;
    services.adopt_cost(executed);
    match end {
        ChildEnd::Done(state) => Ok(Ok(state)),
        ChildEnd::Failed { state, error } => Ok(Err((state, error))),
        ChildEnd::Waiting(questions) => {
            services.adopt_questions(questions);
            Err(NodeError::suspended())
        }
        ChildEnd::Stopped(reason) => {
            services.adopt_stop(reason.into());
            Err(NodeError::abandoned())
        }
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("ns", &self.ns).finish_non_exhaustive()
    }
}
