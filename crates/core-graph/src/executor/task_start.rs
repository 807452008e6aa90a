//! How the tasks of a dispatch begin.

use std::sync::Arc;
use std::task::{Context as PollContext, Poll};

use crate::context::Context;
use crate::executor::attempt::{Attempt, judge, poll_node};
use crate::executor::runtime::Runtime;
use crate::executor::task_context::{NamespaceContext, TaskContext};
use crate::executor::workers::Call;
use crate::graph::Timeout;
use crate::handler::NodeFn;
use crate::machine::{Dispatch, TaskOutcome};
use crate::state::{Snapshot, State, codec};

/// What all tasks of a dispatch begin with. What each needs of its own is made when its turn comes, in the place of what
/// the task before needed.
pub(crate) struct TaskStart<'d, S: State, Cx> {
    pub(crate) runtime: &'d Runtime<S, Cx>,
    pub(crate) namespace: &'d Arc<NamespaceContext>,
    /// Super-steps committed.
    pub(crate) step: u64,
}

/// A task that has had its first turn.
pub(crate) enum FirstPoll<S: State, Cx> {
    Ended(TaskOutcome<S>),
    /// It waits, or it has time limits and is to begin where it is watched.
    Runs(Attempt<S, Call<S, Cx>>),
}

/// A task's own part in its call.
struct TaskParts<'d, S: State, Cx> {
    handler: &'d Arc<dyn NodeFn<S, Cx>>,
    context: Option<Context<Cx>>,
    services: Option<Arc<TaskContext>>,
    timeout: Timeout,
}

impl<S: State, Cx: Send + Sync + 'static> TaskStart<'_, S, Cx> {
    /// Polls a task for the first time, unless it has time limits. Its services take the place of those in `spare`, and are
    /// left there when it ends.
    pub(crate) fn begin(
        &self,
        mut dispatch: Dispatch<S>,
        spare: &mut Option<Arc<TaskContext>>,
        waker: &mut PollContext<'_>,
    ) -> FirstPoll<S, Cx> {
        let TaskParts { handler, context, services, timeout } = self.parts(&mut dispatch, spare);
        let (input, state) = (dispatch.input, Snapshot::new(dispatch.state));
        if timeout.is_set() {
            let call = Call { handler: Arc::clone(handler), input, state, context };
            return FirstPoll::Runs(Attempt::new(call, timeout, services));
        }
        let mut running = None;
        let call = |waker: &mut PollContext<'_>| handler.start_call(input, state, context, waker);
        match poll_node(Some(call), &mut running, waker) {
            Poll::Ready(result) => {
                let outcome = judge(result, services.as_deref());
                *spare = services;
                FirstPoll::Ended(outcome)
            }
            Poll::Pending => FirstPoll::Runs(Attempt::begun(running, services)),
        }
    }

    /// A task that has not begun.
    pub(crate) fn attempt(&self, mut dispatch: Dispatch<S>) -> Attempt<S, Call<S, Cx>> {
        let TaskParts { handler, context, services, timeout } = self.parts(&mut dispatch, &mut None);
        let (handler, state) = (Arc::clone(handler), Snapshot::new(dispatch.state));
        Attempt::new(Call { handler, input: dispatch.input, state, context }, timeout, services)
    }

    fn parts(&self, dispatch: &mut Dispatch<S>, spare: &mut Option<Arc<TaskContext>>) -> TaskParts<'_, S, Cx> {
        let Dispatch { id, node, attempt, began, is_of_run, .. } = *dispatch;
        let failure = dispatch.failure.take();
        let handler = self.runtime.function(node, failure.is_some());
        if let Some(failure) = failure {
            dispatch.input = codec::encode_in_place("failure", &*failure).ok();
        }
        let info = self.runtime.topology.node(node);
        let timeout = dispatch.timeout.as_deref().copied().unwrap_or(info.timeout);
        let services = handler.wants_context().then(|| {
            let services = TaskContext::new(self.namespace, id, info, dispatch.key.take(), attempt, self.step, began)
                .of_run(is_of_run);
            let services = if timeout.idle.is_some() { services.watch_idle() } else { services };
            services.shared(spare.take())
        });
        let context = services.as_ref().map(|services| self.runtime.context(services));
        TaskParts { handler, context, services, timeout }
    }
}
