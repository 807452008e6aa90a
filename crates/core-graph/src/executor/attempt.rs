//! One attempt of one task: panic guard and time limits.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context as PollContext, Poll};
use std::time::Duration;

use tokio::time::Instant;

use crate::error::NodeError;
use crate::executor::task_context::TaskContext;
use crate::handler::{Called, NodeFuture};
use crate::limits::Control;
use crate::machine::TaskOutcome;
use crate::state::State;
use crate::step::Step;
use crate::tasks::Stop;
use crate::timeout::Timeout;

/// One attempt of a task. A panic of the node, of its future or of what that drops is the task's error.
pub(crate) struct Attempt<S: State, F> {
    /// Calls the node, at the first poll.
    start: Option<F>,
    future: Option<NodeFuture<S>>,
    timeout: Timeout,
    services: Option<Arc<TaskContext>>,
}

/// What calls a node.
pub(crate) trait Start<S: State> {
    fn start(self, waker: &mut PollContext<'_>) -> Called<S>;
}

impl<S: State, F: FnOnce(&mut PollContext<'_>) -> Called<S>> Start<S> for F {
    fn start(self, waker: &mut PollContext<'_>) -> Called<S> {
        self(waker)
    }
}

impl<S: State, F: Start<S> + Send> Attempt<S, F> {
    pub(crate) fn new(start: F, timeout: Timeout, services: Option<Arc<TaskContext>>) -> Self {
        Self { start: Some(start), future: None, timeout, services }
    }

    /// One without time limits that was polled before, and waits.
    pub(crate) fn begun(future: Option<NodeFuture<S>>, services: Option<Arc<TaskContext>>) -> Self {
        Self { start: None, future, timeout: Timeout::default(), services }
    }

    /// Runs to the end.
    pub(crate) async fn finish(mut self) -> TaskOutcome {
        let result = if !self.timeout.is_set() {
            poll_fn(|context| self.poll_node(context)).await
        } else {
            // On the heap, as all that is rare: what waits is large.
            Box::pin(self.finish_in_time()).await
        };
        judge(result, self.services.as_deref())
    }

    /// Runs in place, until the end, until the run is cancelled or until the time of the super-step is over. A node that is
    /// ready at once costs no registration.
    pub(crate) async fn finish_unless_stopped(mut self, control: &Control, end: Option<Instant>) -> TaskOutcome {
        if self.start.is_some()
            && let Some(outcome) = poll_fn(|context| Poll::Ready(self.poll_first(context))).await
        {
            return outcome;
        }
        tokio::select! {
            biased;
            outcome = self.finish() => outcome,
            reason = stopped(control, end) => TaskOutcome::Abandoned(reason),
        }
    }

    /// Polls once, if the node has no time limits: how it ended, if it did. To be finished elsewhere otherwise.
    pub(crate) fn poll_first(&mut self, context: &mut PollContext<'_>) -> Option<TaskOutcome> {
        if self.timeout.is_set() {
            return None;
        }
        match self.poll_node(context) {
            Poll::Ready(result) => Some(judge(result, self.services.as_deref())),
            Poll::Pending => None,
        }
    }

    fn poll_node(&mut self, context: &mut PollContext<'_>) -> Poll<Result<Step<S>, NodeError>> {
        poll_node(self.start.take(), &mut self.future, context)
    }

    /// Runs until the end or a time limit.
    async fn finish_in_time(&mut self) -> Result<Step<S>, NodeError> {
        let (timeout, services) = (self.timeout, self.services.clone());
        let mut ended = None;
        let mut poll = |context: &mut PollContext<'_>| self.poll_node(context).map(|result| ended = Some(result));
        match limited(timeout, services.as_deref(), &mut poll).await {
            Some((kind, limit)) => {
                give_up(&mut self.future)?;
                Err(NodeError::timeout(kind, limit))
            }
            None => ended.unwrap_or_else(|| Err(NodeError::terminal("a node ended without a result"))),
        }
    }
}

/// What polls a node. It keeps the result.
type PollNode<'a> = &'a mut (dyn FnMut(&mut PollContext<'_>) -> Poll<()> + Send);

/// Polls a node until it ends or a time limit does. Returns which limit that was, and how long it is.
async fn limited(
    timeout: Timeout,
    services: Option<&TaskContext>,
    poll: PollNode<'_>,
) -> Option<(&'static str, Duration)> {
    let started = Instant::now();
    loop {
        let Timeout { attempt, idle } = timeout;
        let whole = attempt.map(|limit| (started + limit, "attempt", limit));
        let idle = idle.map(|limit| {
            let idle = services.map_or_else(|| started.elapsed(), TaskContext::idle);
            (Instant::now() + limit.saturating_sub(idle), "idle", limit)
        });
        let Some((until, kind, limit)) = whole.into_iter().chain(idle).min_by_key(|(until, ..)| *until) else {
            poll_fn(|context| poll(context)).await;
            return None;
        };
        tokio::select! {
            biased;
            () = poll_fn(|context| poll(context)) => return None,
            () = tokio::time::sleep_until(until) => {}
        }
        let alive = kind == "idle" && services.is_some_and(|services| services.idle() < limit);
        if !alive {
            return Some((kind, limit));
        }
    }
}

/// Resolves when the run is cancelled or the time of the super-step is over.
async fn stopped(control: &Control, end: Option<Instant>) -> Stop {
    let Some(end) = end else {
        control.cancelled().await;
        return Stop::Cancelled;
    };
    // On the heap, as all that is rare: what waits is large.
    match Box::pin(tokio::time::timeout_at(end, control.cancelled())).await {
        Ok(()) => Stop::Cancelled,
        Err(_) => Stop::StepTimeout,
    }
}

/// Starts a node or goes on with what runs of it. A panic of the node, of its future or of what that drops is its error.
#[inline]
pub(crate) fn poll_node<S: State>(
    start: Option<impl Start<S>>,
    running: &mut Option<NodeFuture<S>>,
    context: &mut PollContext<'_>,
) -> Poll<Result<Step<S>, NodeError>> {
    let guarded = catch_unwind(AssertUnwindSafe(|| {
        if let Some(start) = start {
            match start.start(context) {
                Called::Ended(result) => return Poll::Ready(result),
                Called::Runs(future) => *running = Some(future),
            }
        }
        let Some(future) = running else { return Poll::Pending };
        let polled = future.as_mut().poll(context);
        if polled.is_ready() {
            *running = None;
        }
        polled
    }));
    guarded.unwrap_or_else(|payload| {
        let _ = give_up(running);
        Poll::Ready(Err(NodeError::panic(payload.as_ref())))
    })
}

/// Drops what runs.
fn give_up<S: State>(running: &mut Option<NodeFuture<S>>) -> Result<(), NodeError> {
    let future = running.take();
    catch_unwind(AssertUnwindSafe(|| drop(future))).map_err(|payload| NodeError::panic(payload.as_ref()))
}

/// How an attempt ended, seen together with what the node said to its context.
pub(crate) fn judge<S: State>(result: Result<Step<S>, NodeError>, services: Option<&TaskContext>) -> TaskOutcome {
    match (result, services) {
        (result, Some(services)) => services.judge(result),
        (Ok(step), None) => TaskOutcome::done(step, 0),
        (Err(error), None) => TaskOutcome::Error(error),
    }
}
