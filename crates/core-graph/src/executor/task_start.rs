//! How a task starts: the one place where a node is called, for all callers.
//!
//! [`dispatch`](crate::executor::dispatch) and the workers start the tasks of a dispatch, the fast path of single tasks
//! and inline calls of subgraphs start one task after the other. Each says what it knows of the task, as a
//! [`TaskStart`]; all else is here: which function runs, which services it gets, and whether it may be polled in place.

use std::sync::Arc;
use std::task::{Context as PollContext, Poll};

use crate::checkpoint::RecordBytes;
use crate::context::Context;
use crate::error::NodeError;
use crate::executor::attempt::{Attempt, Start, poll_node};
use crate::executor::runtime::{Runtime, context};
use crate::executor::spans::{SpanName, TaskSpan};
use crate::executor::task_context::{NamespaceContext, TaskContext, TaskIdentity};
use crate::handler::{Called, NodeFn, NodeFuture};
use crate::machine::Dispatch;
use crate::state::{Snapshot, State, codec};
use crate::step::Step;
use crate::timeout::Timeout;
use crate::topology::NodeInfo;

/// A node and what it is called with.
pub(crate) struct Call<S: State, Cx> {
    handler: Arc<dyn NodeFn<S, Cx>>,
    input: Option<RecordBytes>,
    state: Snapshot<S>,
    context: Option<Context<Cx>>,
    span: TaskSpan,
}

impl<S: State, Cx: 'static> Start<S> for Call<S, Cx> {
    fn start(self, waker: &mut PollContext<'_>) -> Called<S> {
        let Self { handler, input, state, context, span } = self;
        span.call(|| handler.start_call(input, state, context, waker))
    }
}

/// A task that is about to start.
pub(crate) struct TaskStart<'t, S: State, Cx> {
    handler: &'t Arc<dyn NodeFn<S, Cx>>,
    resources: &'t Arc<Cx>,
    /// The services of the attempt, for a node that takes a context.
    pub(crate) services: Option<Arc<TaskContext>>,
    timeout: Timeout,
    input: Option<RecordBytes>,
    /// Taken by the first poll.
    state: Option<Arc<S>>,
    /// Taken by the first poll, too.
    span: TaskSpan,
    /// The node, after a first poll that it waits at.
    running: Option<NodeFuture<S>>,
}

impl<'t, S: State, Cx: Send + Sync + 'static> TaskStart<'t, S, Cx> {
    /// Starts a task on a state and in a span, without an input and with the time limits of its node. `serve` makes the
    /// services for a node that takes a context.
    #[inline]
    pub(crate) fn new(
        (handler, resources): (&'t Arc<dyn NodeFn<S, Cx>>, &'t Arc<Cx>),
        node: &NodeInfo,
        state: Arc<S>,
        span: TaskSpan,
        serve: impl FnOnce() -> Arc<TaskContext>,
    ) -> Self {
        let services = handler.wants_context().then(serve);
        let (timeout, state) = (node.timeout, Some(state));
        Self { handler, resources, services, timeout, input: None, state, span, running: None }
    }

    /// Polls the task for the first time. A task that is not ready then goes on as an [`attempt`](Self::attempt), and one
    /// that has time limits begins as one: it is to be watched from the start.
    #[inline]
    pub(crate) fn start_node(&mut self, waker: &mut PollContext<'_>) -> Poll<Result<Step<S>, NodeError>> {
        let Some(state) = self.state.take_if(|_| !self.timeout.is_set()) else { return Poll::Pending };
        let (handler, input, span) = (self.handler, self.input.take(), std::mem::take(&mut self.span));
        let context = self.services.as_ref().map(|services| context(services, self.resources));
        let call =
            |waker: &mut PollContext<'_>| span.call(|| handler.start_call(input, Snapshot::new(state), context, waker));
        poll_node(Some(call), &mut self.running, waker)
    }

    /// Returns the attempt that goes on from the first poll, or one that has not begun.
    pub(crate) fn attempt(self) -> Attempt<S, Call<S, Cx>> {
        let Self { handler, resources, services, timeout, input, state, span, running } = self;
        let Some(state) = state else { return Attempt::begun(running, services) };
        let context = services.as_ref().map(|services| context(services, resources));
        let call = Call { handler: Arc::clone(handler), input, state: Snapshot::new(state), context, span };
        Attempt::new(call, timeout, services)
    }
}

/// What all tasks of a dispatch start with. What each needs of its own is made when its turn comes.
pub(crate) struct DispatchStart<'d, S: State, Cx> {
    pub(crate) runtime: &'d Runtime<S, Cx>,
    pub(crate) namespace: &'d Arc<NamespaceContext>,
    /// Super-steps committed.
    pub(crate) step: u64,
}

impl<S: State, Cx: Send + Sync + 'static> DispatchStart<'_, S, Cx> {
    /// Starts a task of the dispatch. Its services take the place of those in `spare`.
    pub(crate) fn start(&self, dispatch: Dispatch<S>, spare: &mut Option<Arc<TaskContext>>) -> TaskStart<'_, S, Cx> {
        let Dispatch { id, node, attempt, key, input, failure, timeout, state, began, is_of_run } = dispatch;
        let info = self.runtime.topology.node(node);
        let function = self.runtime.function(node, failure.is_some());
        let timeout = timeout.map_or(info.timeout, |timeout| *timeout);
        let graph = &self.namespace.outline.name;
        let name = || SpanName { graph, node: info.name.as_str(), attempt, step: self.step };
        let span = self.namespace.spans.open(name);
        let task = TaskIdentity { id, key, attempt, is_of_run, step: self.step, began };
        let start = TaskStart::new(function, info, state, span, || {
            TaskContext::new(self.namespace, info, task, timeout).shared(spare.take())
        });
        let input = match failure {
            Some(failure) => codec::encode_in_place("failure", &*failure).ok(),
            None => input,
        };
        TaskStart { timeout, input, ..start }
    }
}
