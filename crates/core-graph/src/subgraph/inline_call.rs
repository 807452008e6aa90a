//! Inline calls of subgraphs that nobody stores or reads, without a machine.
//!
//! Most subgraphs in fan-outs are nodes that follow each other. Such a call is no more than its state, the number of its
//! commits and the node that is next: its nodes run in place, without a future of the call's own, for as long as they are
//! ready. Whatever else comes up (a failure, a question, a fan-out, a join, a request to stop) is for a driver, whose
//! machine takes over where the inline call ended.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context as PollContext, Poll};

use crate::error::RunError;
use crate::executor::attempt::{Attempt, judge};
use crate::executor::run_loop::Driver;
use crate::executor::single_tasks::STEPS_PER_POLL;
use crate::executor::spans::{SpanName, TaskSpans};
use crate::executor::task_context::{NamespaceContext, TaskContext, TaskIdentity};
use crate::executor::task_start::{Call, TaskStart};
use crate::limits::FastPath;
use crate::machine::{CallState, Following, RouteFault, SingleTask, TaskOutcome, Triggered};
use crate::state::State;
use crate::step::Next;
use crate::subgraph::call::{Child, ChildEnd, EndedChild, LeftChild, Site};
use crate::tasks::Stop;
use crate::topology::Persistence;

/// A call that runs inline.
pub(crate) struct InlineCall<'c, S: State, Cx> {
    site: Site<'c, S, Cx>,
    state: CallState<S>,
    /// Made for the first task that takes a context.
    namespace: Option<Arc<NamespaceContext>>,
    spans: TaskSpans,
}

/// An inline call that is to go on later.
pub(crate) struct PausedCall<S: State, Cx> {
    state: CallState<S>,
    namespace: Option<Arc<NamespaceContext>>,
    spans: TaskSpans,
    pause: InlineCallPause<S, Cx>,
}

/// Why an inline call stops, for a while or for good.
enum InlineCallPause<S: State, Cx> {
    /// Nothing is left to do.
    Done,
    /// A step was refused.
    Refused(Box<RunError>),
    /// Others have their turn before the node.
    Turn(u32),
    /// A task is not ready. On the heap, as all that is rare: what an attempt holds is large.
    Waiting(Box<WaitingTask<S, Cx>>),
    /// The rest is for a driver.
    Rest(Box<Rest>),
}

/// A task that runs.
struct WaitingTask<S: State, Cx> {
    node: u32,
    began: u64,
    attempt: Attempt<S, Call<S, Cx>>,
}

/// What an inline call leaves to a driver.
enum Rest {
    /// What is to be made tasks of.
    Fork(Box<Triggered>),
    /// A task that has not begun.
    Ahead(SingleTask),
    /// A task that has ended out of the ordinary, and when it began.
    Ended { single: SingleTask, began: u64, outcome: TaskOutcome },
}

impl<'c, S: State, Cx: Send + Sync + 'static> InlineCall<'c, S, Cx> {
    /// Whether the call may run inline.
    pub(crate) fn suits(site: &Site<'_, S, Cx>) -> bool {
        let session = site.task.session();
        let is_unlimited = session.policy.budget.is_none() && session.policy.max_steps.is_none();
        session.is_silent()
            && is_unlimited
            && !session.calls.is_used()
            && site.graph.topology.runs_inline()
            && site.task.persistence() == Persistence::PerCall
            && session.policy.takes(FastPath::InlineCalls)
    }

    /// Begins the call: how it ended and how many tasks it has executed, or where it pauses.
    pub(crate) fn begin(
        site: Site<'c, S, Cx>,
        input: S::Update,
        waker: &mut PollContext<'_>,
    ) -> Result<(EndedChild<S>, u64), Box<LeftChild<S, Cx>>> {
        let (state, following) = match CallState::enter(&site.graph.topology, input) {
            Ok(entered) => entered,
            Err((state, error)) => return Ok((Err((state, *error)), 0)),
        };
        let mut call = Self { site, state, namespace: None, spans: TaskSpans::here() };
        let pause = match call.following(following) {
            Ok(node) if call.is_simulated() => InlineCallPause::Turn(node),
            Ok(node) => call.run_ready(node, waker),
            Err(pause) => pause,
        };
        match pause {
            InlineCallPause::Done => Ok((Ok(call.state.state), call.state.executed)),
            pause => {
                let paused = PausedCall { state: call.state, namespace: call.namespace, spans: call.spans, pause };
                Err(Box::new(LeftChild::InlineCall(paused)))
            }
        }
    }

    /// Goes on to the end.
    pub(crate) async fn go_on(site: Site<'c, S, Cx>, paused: PausedCall<S, Cx>) -> Result<Child<S>, RunError> {
        let PausedCall { state, namespace, spans, mut pause } = paused;
        let mut call = Self { site, state, namespace, spans };
        loop {
            pause = match pause {
                InlineCallPause::Done => return Ok(Child::of(ChildEnd::Done(call.state.state), call.state.executed)),
                InlineCallPause::Refused(error) => {
                    let CallState { state, executed, .. } = call.state;
                    return Ok(Child::of(ChildEnd::Failed { state, error: *error }, executed));
                }
                InlineCallPause::Turn(node) => {
                    call.give_way(node).await;
                    poll_fn(|waker| Poll::Ready(call.run_ready(node, waker))).await
                }
                InlineCallPause::Waiting(waiting) => {
                    let WaitingTask { node, began, attempt } = *waiting;
                    let outcome = Box::pin(attempt.finish_unless_stopped(&site.task.session().control, None)).await;
                    call.settle(node, began, outcome).map_or_else(|pause| pause, InlineCallPause::Turn)
                }
                // On the heap: a driver is large, and most inline calls do without.
                InlineCallPause::Rest(rest) => return Box::pin(call.drive(*rest)).await,
            };
        }
    }

    fn is_simulated(&self) -> bool {
        self.site.task.session().schedule.is_some()
    }

    /// Runs the node and those that follow it, as far as they are ready.
    fn run_ready(&mut self, node: u32, waker: &mut PollContext<'_>) -> InlineCallPause<S, Cx> {
        let mut node = node;
        for _ in 0..if self.is_simulated() { 1 } else { STEPS_PER_POLL } {
            match self.step(node, waker) {
                Ok(next) => node = next,
                Err(pause) => return pause,
            }
        }
        InlineCallPause::Turn(node)
    }

    /// Runs a task of the node, and commits its step if the node is ready. Returns the node that follows.
    #[inline]
    fn step(&mut self, node: u32, waker: &mut PollContext<'_>) -> Result<u32, InlineCallPause<S, Cx>> {
        let Site { graph, resources, task } = self.site;
        let session = task.session();
        if session.control.reason().is_some() {
            return Err(Rest::Ahead(self.state.task(node)).into());
        }
        let info = graph.topology.node(node);
        let began = if info.retry.is_empty() { 0 } else { session.clock.now() };
        let function = (graph.handlers[node as usize].function(false), resources);
        let (name, steps) = (&graph.topology.outline.name, self.state.steps());
        let span = self.spans.open(|| SpanName { graph: name, node: info.name.as_str(), attempt: 1, step: steps });
        let state = Arc::clone(&self.state.state);
        let mut task = TaskStart::new(function, info, state, span, || self.services(node, began));
        let Poll::Ready(result) = task.start_node(waker) else {
            let attempt = task.attempt();
            return Err(InlineCallPause::Waiting(Box::new(WaitingTask { node, began, attempt })));
        };
        let services = task.services;
        match result {
            Ok(step) if services.as_deref().is_none_or(TaskContext::is_silent) && self.is_plain(&step.next) => {
                self.take(node, step.update, 0)
            }
            result => self.settle(node, began, judge(result, services.as_deref())),
        }
    }

    /// Commits what a task left, if that is a plain step.
    fn settle(&mut self, node: u32, began: u64, outcome: TaskOutcome) -> Result<u32, InlineCallPause<S, Cx>> {
        match outcome {
            TaskOutcome::Step(mut done) if done.heads.is_empty() && self.is_plain(&done.next) => {
                self.take(node, done.take_update::<S>(), done.cost)
            }
            outcome => Err(Rest::Ended { single: self.state.task(node), began, outcome }.into()),
        }
    }

    /// Whether a step follows the edges of its node, and its commit does nothing else: that of a task with durable steps
    /// forgets their results.
    fn is_plain(&self, next: &Next) -> bool {
        matches!(next, Next::Edges)
            && self.namespace.as_ref().is_none_or(|namespace| !namespace.durable_steps.is_used())
    }

    /// Commits a plain step.
    #[inline]
    fn take(&mut self, node: u32, update: Option<S::Update>, cost: u64) -> Result<u32, InlineCallPause<S, Cx>> {
        match self.state.commit(&self.site.graph.topology, node, update, cost) {
            Ok(following) => self.following(following),
            Err(fault) => Err(self.refused(node, *fault)),
        }
    }

    fn refused(&self, node: u32, fault: RouteFault) -> InlineCallPause<S, Cx> {
        InlineCallPause::Refused(Box::new(match fault {
            RouteFault::Run(error) => error,
            RouteFault::Node(error) => {
                let (task, message) = (self.path(node).to_string(), error.to_string());
                let node = self.site.graph.topology.node(node).name.to_string();
                RunError::TaskFailed { node, task, attempts: 1, message }
            }
        }))
    }

    /// Returns the node that follows, if it may run inline.
    #[inline]
    fn following(&self, following: Following) -> Result<u32, InlineCallPause<S, Cx>> {
        match following {
            Following::To(node) if self.site.graph.topology.runs_alone(node) => Ok(node),
            Following::To(node) => Err(Rest::Ahead(self.state.task(node)).into()),
            Following::End => Err(InlineCallPause::Done),
            Following::Fork(triggered) => Err(Rest::Fork(triggered).into()),
        }
    }

    /// The id of the task of the node that is next, or that has just run.
    fn path(&self, node: u32) -> Arc<str> {
        let Site { graph, task, .. } = self.site;
        self.state.task(node).id.path(task.path(), graph.topology.node(node).name.as_str())
    }

    /// Lets others have their turn; in a simulation, until it is the node's, unless the run is cancelled.
    async fn give_way(&self, node: u32) {
        let session = self.site.task.session();
        match &session.schedule {
            Some(schedule) => tokio::select! {
                biased;
                () = schedule.turn(self.path(node), 1) => {}
                () = session.control.cancelled() => {}
            },
            None => tokio::task::yield_now().await,
        }
    }

    /// Returns the services of a task.
    fn services(&mut self, node: u32, began: u64) -> Arc<TaskContext> {
        let Site { graph, task, .. } = self.site;
        let namespace = self.namespace.get_or_insert_with(|| {
            Arc::new(NamespaceContext::for_call(task.session(), task.path(), &graph.topology.outline))
        });
        let (info, id, step) = (graph.topology.node(node), self.state.task(node).id, self.state.steps());
        let identity = TaskIdentity { id, key: None, attempt: 1, is_of_run: false, step, began };
        Arc::new(TaskContext::new(namespace, info, identity, info.timeout))
    }

    /// Goes on with a driver.
    async fn drive(self, rest: Rest) -> Result<Child<S>, RunError> {
        let Self { site, state, namespace, .. } = self;
        let (session, call) = (Arc::clone(site.task.session()), Arc::clone(site.task.path()));
        let mut driver = Driver::new(site.runtime(), session, call, None, None)?;
        driver.machine.take_over(state);
        if let Some(namespace) = namespace {
            driver.adopt_namespace(namespace);
        }
        let stop = driver.go_on(rest).await;
        driver.end_of_child(stop)
    }
}

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    /// Takes over what an inline call left.
    async fn go_on(&mut self, rest: Rest) -> Result<Stop, RunError> {
        match rest {
            Rest::Fork(triggered) => self.machine.take_over_triggers(triggered),
            Rest::Ahead(single) => self.machine.await_single(single),
            Rest::Ended { single, began, outcome } => {
                self.machine.start_single(single, began);
                self.settle_one(single.id, outcome).await?;
            }
        }
        self.drive().await
    }
}

impl<S: State, Cx> From<Rest> for InlineCallPause<S, Cx> {
    fn from(rest: Rest) -> Self {
        Self::Rest(Box::new(rest))
    }
}
