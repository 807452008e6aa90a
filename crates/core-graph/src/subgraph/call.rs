//! Running a subgraph inside a task.

use std::sync::Arc;
use std::task::Context as PollContext;

use crate::checkpoint::CheckpointError;
use crate::context::TaskServices;
use crate::error::{NodeError, RunError};
use crate::executor::run_loop::{Driver, Entry};
use crate::executor::runtime::Runtime;
use crate::executor::task_context::TaskContext;
use crate::recorder::open_calls::kept_namespace;
use crate::recorder::session::Session;
use crate::state::{AnyState, State};
use crate::subgraph::inline_call::{InlineCall, PausedCall};
use crate::subgraph::resume_point::ResumePoint;
use crate::subgraph::stacks;
use crate::tasks::{Question, Standing, Stop};
use crate::topology::{ExecutableGraph, Persistence};

/// Returns the parent's task, if this driver runs it.
fn task_of(services: &dyn TaskServices) -> Option<&TaskContext> {
    services.scope()?.0.downcast_ref()
}

/// A call of a subgraph: what runs, and where.
pub(crate) struct Site<'c, S: State, Cx> {
    pub(crate) graph: &'c ExecutableGraph<S, Cx>,
    pub(crate) resources: &'c Arc<Cx>,
    /// The parent's task.
    pub(crate) task: &'c TaskContext,
}

impl<'c, S: State, Cx> Site<'c, S, Cx> {
    fn of(
        graph: &'c ExecutableGraph<S, Cx>,
        resources: &'c Arc<Cx>,
        services: &'c dyn TaskServices,
    ) -> Result<Self, NodeError> {
        let task = task_of(services).ok_or_else(|| NodeError::terminal("this driver runs no subgraphs"))?;
        Ok(Self { graph, resources, task })
    }

    pub(crate) fn runtime(&self) -> Runtime<S, Cx> {
        Runtime::of(self.graph, Arc::clone(self.resources))
    }
}

impl<S: State, Cx> Clone for Site<'_, S, Cx> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: State, Cx> Copy for Site<'_, S, Cx> {}

/// How a subgraph ended.
pub(crate) enum ChildEnd<S: State> {
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
pub(crate) struct Child<S: State> {
    end: ChildEnd<S>,
    /// How many tasks it has executed.
    executed: u64,
    /// The positions of the subgraphs inside that are kept per thread.
    standing: Standing,
}

impl<S: State> Child<S> {
    /// One in which nothing is kept per thread.
    pub(crate) fn of(end: ChildEnd<S>, executed: u64) -> Self {
        Self { end, executed, standing: Standing::default() }
    }
}

/// Runs a subgraph, or goes on with it where it stopped.
async fn run_child<S: State, Cx: Send + Sync + 'static>(
    site: &Site<'_, S, Cx>,
    input: S::Update,
) -> Result<Child<S>, RunError> {
    let Site { graph, task, .. } = site;
    let persistence = task.persistence();
    // What failed in the child is tried anew with the parent's task.
    let again = task.is_retried();
    let (mut session, call) = (Arc::clone(task.session()), Arc::clone(task.path()));
    if persistence == Persistence::Stateless {
        session = Arc::new(session.detached());
    }
    let topology = &*graph.topology;
    let (ns, serves, ground) = if persistence == Persistence::PerThread {
        let ns = kept_namespace(&call);
        let ground = Box::pin(ResumePoint::of_thread(topology, &session, &ns, &call, again)).await;
        (ns, Some(call), ground)
    } else {
        let ground = match task.may_have_begun() || session.replays.is_used() {
            true => ResumePoint::of_call(topology, &session, &call, again).await,
            false => Ok(ResumePoint::initial()),
        };
        (call, None, ground)
    };
    let ResumePoint { restored, after, is_open, dropped, replay, once } =
        ground.map_err(|error| unread(&session, error))?;
    let is_apart = replay.as_ref().is_some_and(|point| point.ns != ns);
    let entry = match replay {
        Some(point) => Entry::Replayed { point, once },
        None if is_open => Entry::Resume("continue"),
        None => Entry::Input(Some(input)),
    };
    let mut driver = Driver::new(site.runtime(), session, Arc::clone(&ns), serves, restored)?;
    if let Some((newest, head)) = after {
        driver.machine.begin_after(newest, head);
    }
    if is_apart {
        driver.machine.begin_apart();
    }
    driver.recorder.abandoned = dropped;
    let stop = driver.run(entry).await;
    let mut child = driver.end_of_child(stop)?;
    if let (Persistence::PerThread, ChildEnd::Done(_) | ChildEnd::Failed { .. }) = (persistence, &child.end) {
        let machine = driver.machine();
        child.standing.heads.push((Arc::clone(&ns), machine.number));
        child.standing.own = Some((ns, Arc::new(machine.keep(Arc::clone(&machine.state) as AnyState)?)));
    }
    Ok(child)
}

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    /// What became of the subgraph that the driver ran. A store that fails ends the run of the parent, too.
    pub(crate) fn end_of_child(&self, stop: Result<Stop, RunError>) -> Result<Child<S>, RunError> {
        let machine = self.machine();
        let state = Arc::clone(&machine.state);
        let end = match stop {
            Ok(Stop::Done) => ChildEnd::Done(state),
            Ok(Stop::Waiting) => ChildEnd::Waiting(machine.questions()),
            Ok(Stop::Failed) => ChildEnd::Failed { state, error: machine.failure_of_run() },
            Ok(stop @ (Stop::Budget | Stop::Drained | Stop::Cancelled)) => ChildEnd::Stopped(stop),
            Ok(Stop::StepLimit) => {
                let limit = self.recorder.session.policy.max_steps.unwrap_or_default();
                let error = RunError::StepLimit { limit, next: machine.next_nodes().join(", ") };
                ChildEnd::Failed { state, error }
            }
            Ok(Stop::StepTimeout) => ChildEnd::Failed { state, error: self.step_timeout() },
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

/// A subgraph as its task sees it: its state, and the error of one that failed.
pub(crate) type EndedChild<S> = Result<Arc<S>, (Arc<S>, RunError)>;

/// What is left of a call that did not end where it began.
pub(crate) enum LeftChild<S: State, Cx> {
    /// All of it, with its input.
    Call(S::Update),
    /// An inline call that was not ready.
    InlineCall(PausedCall<S, Cx>),
}

/// Whether the subgraph of the task behind `services` begins on a stack of its own.
pub(crate) fn begins_a_stack(services: &dyn TaskServices) -> bool {
    task_of(services).is_some_and(|task| task.is_deep() && stacks::is_boundary(task.path()))
}

/// Begins a subgraph for the task behind `services`, and runs it in place as far as it gets: how it ended, or what is
/// left of it.
pub(crate) fn begin_in_task<S: State, Cx: Send + Sync + 'static>(
    graph: &ExecutableGraph<S, Cx>,
    resources: &Arc<Cx>,
    services: &dyn TaskServices,
    input: S::Update,
    waker: &mut PollContext<'_>,
) -> Result<Result<EndedChild<S>, NodeError>, Box<LeftChild<S, Cx>>> {
    let site = match Site::of(graph, resources, services) {
        Ok(site) => site,
        Err(error) => return Ok(Err(error)),
    };
    if !InlineCall::suits(&site) {
        return Err(Box::new(LeftChild::Call(input)));
    }
    let (ended, executed) = InlineCall::begin(site, input, waker)?;
    services.adopt_cost(executed);
    Ok(Ok(ended))
}

/// Runs what is left of a subgraph.
pub(crate) async fn finish_in_task<S: State, Cx: Send + Sync + 'static>(
    graph: &ExecutableGraph<S, Cx>,
    resources: &Arc<Cx>,
    services: &dyn TaskServices,
    left: LeftChild<S, Cx>,
) -> Result<EndedChild<S>, NodeError> {
    let site = Site::of(graph, resources, services)?;
    let child = match left {
        LeftChild::Call(input) => run_child(&site, input).await,
        LeftChild::InlineCall(paused) => InlineCall::go_on(site, paused).await,
    };
    let child = child.map_err(|error| match error {
        // The other call may have ended when this one is tried again.
        busy @ RunError::SubgraphBusy { .. } => NodeError::from(busy),
        error => NodeError::terminal(error),
    })?;
    adopt(child, services)
}

/// Tells the task behind `services` what its subgraph did. An error when the task waits or stops with it.
fn adopt<S: State>(child: Child<S>, services: &dyn TaskServices) -> Result<EndedChild<S>, NodeError> {
    let Child { end, executed, standing } = child;
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
