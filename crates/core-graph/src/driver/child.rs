//! Running a subgraph inside a task.

use std::fmt;
use std::sync::Arc;

use crate::checkpoint::CheckpointError;
use crate::context::TaskServices;
use crate::driver::calls::Standing;
use crate::driver::cell::TaskCell;
use crate::driver::drive::{Driver, Entry};
use crate::driver::ground::Ground;
use crate::driver::runtime::Runtime;
use crate::driver::session::Session;
use crate::driver::stock::kept_namespace;
use crate::driver::walk::Walk;
use crate::error::{NodeError, RunError};
use crate::graph::Persistence;
use crate::machine::{Question, Stop};
use crate::state::State;

/// The place where a subgraph runs: the session of its parent, and the call that it is. Opaque; made by drivers.
#[derive(Clone, Copy)]
pub struct Scope<'t> {
    cell: &'t TaskCell,
}

impl<'t> Scope<'t> {
    pub(super) fn of(cell: &'t TaskCell) -> Self {
        Self { cell }
    }

    pub(super) fn session(&self) -> &'t Arc<Session> {
        self.cell.session()
    }

    /// The id of the parent's task.
    pub(super) fn call(&self) -> &'t Arc<str> {
        self.cell.path()
    }

    /// What is kept of the subgraph.
    pub(super) fn persistence(&self) -> Persistence {
        self.cell.persistence()
    }
}

/// How a subgraph ended.
pub(super) enum ChildEnd<S: State> {
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

/// A subgraph that has ended.
pub(super) struct Child<S: State> {
    end: ChildEnd<S>,
    /// How many tasks it has executed.
    executed: u64,
    /// Where what is kept per thread stands.
    standing: Standing,
}

impl<S: State> Child<S> {
    /// One in which nothing is kept per thread.
    pub(super) fn of(end: ChildEnd<S>, executed: u64) -> Self {
        Self { end, executed, standing: Standing::default() }
    }
}

/// Runs a subgraph, or goes on with it where it stopped.
async fn run_child<S: State, Cx: Send + Sync + 'static>(
    runtime: &Runtime<S, Cx>,
    scope: &Scope<'_>,
    input: S::Update,
) -> Result<Child<S>, RunError> {
    let persistence = scope.persistence();
    // What failed in the child is tried anew with the parent's task.
    let again = scope.cell.is_retried();
    let (mut session, call) = (Arc::clone(scope.session()), Arc::clone(scope.call()));
    if persistence == Persistence::Stateless {
        session = Arc::new(session.detached());
    }
    let topology = &*runtime.topology;
    let (ns, serves, ground) = if persistence == Persistence::PerThread {
        let ns = kept_namespace(&call);
        let ground = Ground::of_thread(topology, &session, &ns, &call, again).await;
        (ns, Some(call), ground)
    } else {
        let ground = match scope.cell.may_have_begun() {
            true => Ground::of_call(topology, &session, &call, again).await,
            false => Ok(Ground::initial()),
        };
        (call, None, ground)
    };
    let Ground { restored, after, is_open, dropped } = ground.map_err(|error| unread(&session, error))?;
    let entry = if is_open { Entry::Resume("continue") } else { Entry::Input(Some(input)) };
    let mut driver = Driver::new(runtime.clone(), session, Arc::clone(&ns), serves, restored)?;
    if let Some((newest, head)) = after {
        driver.machine.begin_after(newest, head);
    }
    driver.abandoned = dropped;
    let stop = driver.run(entry).await;
    let mut child = driver.end_of_child(stop)?;
    if let (Persistence::PerThread, ChildEnd::Done(_) | ChildEnd::Failed { .. }) = (persistence, &child.end) {
        let machine = driver.machine();
        child.standing.heads.push((Arc::clone(&ns), machine.number));
        child.standing.own = Some((ns, Arc::new(machine.keep()?)));
    }
    Ok(child)
}

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    /// What became of the subgraph that the driver ran. A store that fails ends the run of the parent, too.
    pub(super) fn end_of_child(&self, stop: Result<Stop, RunError>) -> Result<Child<S>, RunError> {
        let machine = self.machine();
        let state = Arc::clone(&machine.state);
        let end = match stop {
            Ok(Stop::Done) => ChildEnd::Done(state),
            Ok(Stop::Waiting) => ChildEnd::Waiting(machine.questions()),
            Ok(Stop::Failed) => ChildEnd::Failed { state, error: machine.failure_of_run() },
            Ok(stop @ (Stop::Budget | Stop::Drained | Stop::Cancelled)) => ChildEnd::Stopped(stop),
            Ok(Stop::StepLimit) => {
                let limit = self.session.policy.max_steps.unwrap_or_default();
                let error = RunError::StepLimit { limit, next: machine.next_nodes().join(", ") };
                ChildEnd::Failed { state, error }
            }
            Err(error @ RunError::Checkpoint(_)) => return Err(error),
            Err(error) => ChildEnd::Failed { state, error },
        };
        let mut child = Child::of(end, machine.executed);
        if let ChildEnd::Done(_) | ChildEnd::Failed { .. } = child.end {
            let heads = &machine.heads().children;
            child.standing.heads = heads.iter().map(|(ns, head)| (Arc::clone(ns), *head)).collect();
        }
        Ok(child)
    }
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
    runtime: &Runtime<S, Cx>,
    services: &dyn TaskServices,
    input: S::Update,
) -> Result<Result<Arc<S>, (Arc<S>, RunError)>, NodeError> {
    let scope = services.scope().ok_or_else(|| NodeError::terminal("this driver runs no subgraphs"))?;
    let child = if Walk::suits(runtime, &scope) {
        Walk::run(runtime, &scope, input).await
    } else {
        // On the heap: it is large, and most calls without a store do without.
        Box::pin(run_child(runtime, &scope, input)).await
    };
    let Child { end, executed, standing } = child.map_err(|error| match error {
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

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("call", self.call()).finish_non_exhaustive()
    }
}
