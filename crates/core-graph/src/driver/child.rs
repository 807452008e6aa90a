//! Running a subgraph inside a task.

use std::fmt;
use std::sync::Arc;

use crate::checkpoint::CheckpointError;
use crate::context::TaskServices;
use crate::driver::calls::Standing;
use crate::driver::drive::{Driver, Entry};
use crate::driver::ground::Ground;
use crate::driver::runtime::Runtime;
use crate::driver::session::Session;
use crate::driver::stock::kept_namespace;
use crate::error::{NodeError, RunError};
use crate::graph::Persistence;
use crate::machine::{Question, Stop};
use crate::state::State;

/// The place where a subgraph runs: the session of its parent, and the call that it is. Opaque; made by drivers.
#[derive(Clone)]
pub struct Scope {
    pub(crate) session: Arc<Session>,
    /// The id of the parent's task.
    pub(crate) call: Arc<str>,
    /// What is kept of the subgraph.
    pub(crate) persistence: Persistence,
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

/// Runs a subgraph, or goes on with it where it stopped. Also tells how many tasks it has executed, and where what is
/// kept per thread stands.
async fn run_child<S: State, Cx: Send + Sync + 'static>(
    runtime: Runtime<S, Cx>,
    scope: Scope,
    input: S::Update,
) -> Result<(ChildEnd<S>, u64, Standing), RunError> {
    let Scope { mut session, call, persistence, again } = scope;
    if persistence == Persistence::Stateless {
        session = Arc::new(session.detached());
    }
    let max_steps = session.policy.max_steps;
    let topology = &*runtime.topology;
    let (ns, serves, ground) = if persistence == Persistence::PerThread {
        let ns = kept_namespace(&call);
        let ground = Box::pin(Ground::of_thread(topology, &session, &ns, &call, again)).await;
        (ns, Some(call), ground)
    } else {
        let ground = Ground::of_call(topology, &session, &call, again).await;
        (call, None, ground)
    };
    let Ground { restored, after, is_open, dropped } = ground.map_err(|error| unread(&session, error))?;
    let entry = if is_open { Entry::Resume("continue") } else { Entry::Input(Some(input)) };
    let mut driver = Driver::new(runtime, session, Arc::clone(&ns), serves, restored)?;
    if let Some((newest, head)) = after {
        driver.machine.begin_after(newest, head);
    }
    driver.abandoned = dropped;
    let stop = driver.run(entry).await;
    let machine = driver.machine();
    let state = Arc::clone(&machine.state);
    let end = match stop {
        Ok(Stop::Done) => ChildEnd::Done(state),
        Ok(Stop::Waiting) => ChildEnd::Waiting(machine.questions()),
        Ok(Stop::Failed) => ChildEnd::Failed { state, error: machine.failure_of_run() },
        Ok(stop @ (Stop::Budget | Stop::Drained | Stop::Cancelled)) => ChildEnd::Stopped(stop),
        Ok(Stop::StepLimit) => {
            let limit = max_steps.unwrap_or_default();
            let error = RunError::StepLimit { limit, next: machine.next_nodes().join(", ") };
            ChildEnd::Failed { state, error }
        }
        Err(error @ RunError::Checkpoint(_)) => return Err(error),
        Err(error) => ChildEnd::Failed { state, error },
    };
    let mut standing = Standing::default();
    if let ChildEnd::Done(_) | ChildEnd::Failed { .. } = end {
        standing.heads = machine.heads().children.iter().map(|(ns, head)| (Arc::clone(ns), *head)).collect();
        if persistence == Persistence::PerThread {
            standing.heads.push((Arc::clone(&ns), machine.number));
            standing.own = Some((ns, Arc::new(machine.keep()?)));
        }
    }
    Ok((end, machine.executed, standing))
}

/// A store that fails to read a subgraph ends the run, as one that fails to commit does: it is no failure of the node.
fn unread(session: &Session, error: RunError) -> RunError {
    let Some(attached) = &session.attached else { return error };
    let cause = match error {
        RunError::Checkpoint(
            cause @ (CheckpointError::Store { .. } | CheckpointError::Locked { .. } | CheckpointError::Full { .. }),
        ) => cause,
        error => return error,
    };
    let (action, source) = ("reading a subgraph".to_owned(), cause.to_string().into());
    attached.fail(cause);
    RunError::Checkpoint(CheckpointError::Store { action, source })
}

/// Runs a subgraph for the task behind `services`: `None` when the task waits or stops with it.
pub(crate) async fn run_in_task<S: State, Cx: Send + Sync + 'static>(
    runtime: Runtime<S, Cx>,
    services: &Arc<dyn TaskServices>,
    input: S::Update,
) -> Result<Result<Arc<S>, (Arc<S>, RunError)>, NodeError> {
    let scope = services.scope().ok_or_else(|| NodeError::terminal("this driver runs no subgraphs"))?;
    let (end, executed, standing) = run_child(runtime, scope, input).await.map_err(|error| match error {
        // The other call may have ended when this one is tried again.
        busy @ RunError::SubgraphBusy { .. } => NodeError::from(busy),
        error => NodeError::terminal(error),
    })?;
    services.adopt_cost(executed);
    if !standing.heads.is_empty() {
        services.adopt_standing(standing);
    }
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
        f.debug_struct("Scope").field("call", &self.call).finish_non_exhaustive()
    }
}
