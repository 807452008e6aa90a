//! How the tasks of a dispatch begin.

use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use crate::context::Context;
use crate::driver::attempt::{Attempt, judge, poll_node};
use crate::driver::cell::{Home, TaskCell};
use crate::driver::flight::Call;
use crate::driver::runtime::Runtime;
use crate::graph::Timeout;
use crate::handler::NodeFn;
use crate::machine::{Dispatch, TaskOutcome};
use crate::state::{Snapshot, State, codec};

/// What all tasks of a dispatch begin with. What each needs of its own is made when its turn comes, in the place of what
/// the task before needed.
pub(super) struct Crew<'d, S: State, Cx> {
    pub(super) runtime: &'d Runtime<S, Cx>,
    pub(super) home: &'d Arc<Home>,
    /// Super-steps committed.
    pub(super) step: u64,
}

/// A task that has had its first turn.
pub(super) enum Begun<S: State, Cx> {
    Ended(TaskOutcome<S>),
    /// It waits, or it has time limits and is to begin where it is watched.
    Runs(Attempt<S, Call<S, Cx>>),
}

/// A task's own part in its call.
struct Own<'d, S: State, Cx> {
    handler: &'d Arc<dyn NodeFn<S, Cx>>,
    context: Option<Context<Cx>>,
    cell: Option<Arc<TaskCell>>,
    timeout: Timeout,
}

impl<S: State, Cx: Send + Sync + 'static> Crew<'_, S, Cx> {
    /// Polls a task for the first time, unless it has time limits. Its services take the place of those in `spare`, and are
    /// left there when it ends.
    pub(super) fn begin(
        &self,
        mut dispatch: Dispatch<S>,
        spare: &mut Option<Arc<TaskCell>>,
        waker: &mut TaskContext<'_>,
    ) -> Begun<S, Cx> {
        let Own { handler, context, cell, timeout } = self.own(&mut dispatch, spare);
        let (input, state) = (dispatch.input, Snapshot::new(dispatch.state));
        if timeout.is_set() {
            let call = Call { handler: Arc::clone(handler), input, state, context };
            return Begun::Runs(Attempt::new(call, timeout, cell));
        }
        let mut running = None;
        let call = |waker: &mut TaskContext<'_>| handler.set_out(input, state, context, waker);
        match poll_node(Some(call), &mut running, waker) {
            Poll::Ready(result) => {
                let outcome = judge(result, cell.as_deref());
                *spare = cell;
                Begun::Ended(outcome)
            }
            Poll::Pending => Begun::Runs(Attempt::begun(running, cell)),
        }
    }

    /// A task that has not begun.
    pub(super) fn attempt(&self, mut dispatch: Dispatch<S>) -> Attempt<S, Call<S, Cx>> {
        let Own { handler, context, cell, timeout } = self.own(&mut dispatch, &mut None);
        let (handler, state) = (Arc::clone(handler), Snapshot::new(dispatch.state));
        Attempt::new(Call { handler, input: dispatch.input, state, context }, timeout, cell)
    }

    fn own(&self, dispatch: &mut Dispatch<S>, spare: &mut Option<Arc<TaskCell>>) -> Own<'_, S, Cx> {
        let Dispatch { id, node, attempt, began, is_of_run, .. } = *dispatch;
        let failure = dispatch.failure.take();
        let handler = self.runtime.function(node, failure.is_some());
        if let Some(failure) = failure {
            dispatch.input = codec::encode_in_place("failure", &*failure).ok();
        }
        let info = self.runtime.topology.node(node);
        let timeout = dispatch.timeout.as_deref().copied().unwrap_or(info.timeout);
        let cell = handler.wants_context().then(|| {
            let cell =
                TaskCell::new(self.home, id, info, dispatch.key.take(), attempt, self.step, began).of_run(is_of_run);
            let cell = if timeout.idle.is_some() { cell.watch_idle() } else { cell };
            cell.shared(spare.take())
        });
        let context = cell.as_ref().map(|cell| self.runtime.context(cell));
        Own { handler, context, cell, timeout }
    }
}
