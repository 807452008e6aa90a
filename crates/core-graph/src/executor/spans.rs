//! Spans of `tracing`: one of each run, and below it one of each attempt of a task.
//!
//! A namespace asks once, when it begins, whether anybody listens, and keeps the span that is current then
//! ([`TaskSpans::here`]): its tasks begin on whatever thread is free, where that span is not the current one. Where nobody
//! listens a task pays for a comparison with nothing.
//!
//! A span tells names and counts. It holds nothing of the state, of an input or of the text of an error.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as PollContext, Poll, ready};

use tracing::field::Empty;
use tracing::{Level, Span, info_span, span_enabled};

use crate::error::{ErrorKind, NodeError};
use crate::handler::{Called, NodeFuture};
use crate::state::State;
use crate::status::ThreadStatus;
use crate::step::Step;

/// Opens the span of a run, below the current one. [`name_run`] says of what, as soon as that is known.
pub(super) fn of_run() -> Span {
    info_span!(
        "graph",
        otel.name = Empty,
        otel.status_code = Empty,
        graphloom.graph.name = Empty,
        graphloom.thread.id = Empty,
        graphloom.graph.status = Empty,
    )
}

/// Names the run of the current span.
pub(super) fn name_run(graph: &str, thread: &str) {
    let span = Span::current();
    if !span.is_disabled() {
        span.record("otel.name", format!("graph {graph}"));
        span.record("graphloom.graph.name", graph);
        span.record("graphloom.thread.id", thread);
    }
}

/// Notes how the run of the current span ended.
pub(super) fn end_run(status: ThreadStatus, failed: bool) {
    let span = Span::current();
    let status = match status {
        ThreadStatus::New => "new",
        ThreadStatus::Running => "running",
        ThreadStatus::Done => "done",
        ThreadStatus::Waiting => "waiting",
        ThreadStatus::Failed => "failed",
        ThreadStatus::Cancelled => "cancelled",
        ThreadStatus::Drained => "drained",
        ThreadStatus::BudgetSpent => "budget_spent",
    };
    span.record("graphloom.graph.status", status);
    if failed {
        span.record("otel.status_code", "ERROR");
    }
}

/// Opens the spans of the tasks of a namespace; none where nobody listens.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskSpans(Option<Arc<Span>>);

/// Which attempt of which task a span is of.
pub(crate) struct SpanName<'t> {
    pub(crate) graph: &'t str,
    pub(crate) node: &'t str,
    /// Counts from 1.
    pub(crate) attempt: u32,
    /// Super-steps committed when the task was dispatched.
    pub(crate) step: u64,
}

impl TaskSpans {
    /// Spans below the current one.
    #[inline]
    pub(crate) fn here() -> Self {
        Self(span_enabled!(Level::INFO).then(|| Arc::new(Span::current())))
    }

    /// Opens the span of an attempt.
    #[inline]
    pub(crate) fn open<'t>(&self, name: impl FnOnce() -> SpanName<'t>) -> TaskSpan {
        TaskSpan(self.0.as_ref().map(|parent| open_attempt_span(parent, &name())))
    }
}

/// Numbers are signed: exporters of spans know no others.
#[cold]
fn open_attempt_span(parent: &Span, name: &SpanName<'_>) -> Box<Open> {
    let SpanName { graph, node, attempt, step } = *name;
    let span = info_span!(
        parent: parent,
        "node",
        otel.name = %format_args!("node {node}"),
        otel.status_code = Empty,
        graphloom.graph.name = graph,
        graphloom.node.name = node,
        graphloom.node.attempt = i64::from(attempt),
        graphloom.node.step = i64::try_from(step).unwrap_or(i64::MAX),
        graphloom.node.outcome = Empty,
        error.type = Empty,
    );
    Box::new(Open { span, is_inside: false, is_ended: false })
}

/// The span of an attempt; none where nobody listens.
#[derive(Default)]
pub(crate) struct TaskSpan(Option<Box<Open>>);

impl TaskSpan {
    /// Calls a node in the span, which goes on with the node until it ends.
    #[inline]
    pub(crate) fn call<S: State>(self, call: impl FnOnce() -> Called<S>) -> Called<S> {
        match self.0 {
            None => call(),
            Some(open) => open.call(call),
        }
    }
}

/// A span of which it is noted how its attempt ends.
struct Open {
    span: Span,
    /// Whether the node has been entered and not been left: it stays so where it panics.
    is_inside: bool,
    is_ended: bool,
}

impl Open {
    #[cold]
    fn call<S: State>(mut self: Box<Self>, call: impl FnOnce() -> Called<S>) -> Called<S> {
        match self.inside(call) {
            Called::Ended(result) => {
                self.end(&result);
                Called::Ended(result)
            }
            Called::Runs(node) => Called::Runs(Box::pin(Spanned { node, open: self })),
        }
    }

    fn inside<T>(&mut self, work: impl FnOnce() -> T) -> T {
        self.is_inside = true;
        let done = self.span.in_scope(work);
        self.is_inside = false;
        done
    }

    fn end<S: State>(&mut self, result: &Result<Step<S>, NodeError>) {
        match result {
            Ok(_) => self.note("done", None),
            Err(error) => match error.kind() {
                ErrorKind::Suspended => self.note("waiting", None),
                ErrorKind::Abandoned => self.note("stopped", None),
                ErrorKind::Retryable => self.note("failed", Some("retryable")),
                ErrorKind::Terminal => self.note("failed", Some("terminal")),
                ErrorKind::Panic => self.note("failed", Some("panic")),
                ErrorKind::Timeout => self.note("failed", Some("timeout")),
            },
        }
    }

    fn note(&mut self, outcome: &str, error: Option<&str>) {
        self.is_ended = true;
        self.span.record("graphloom.node.outcome", outcome);
        if let Some(error) = error {
            self.span.record("otel.status_code", "ERROR");
            self.span.record("error.type", error);
        }
    }
}

/// A node that gave no result has panicked, or is dropped: it was cancelled, or a time limit was over.
impl Drop for Open {
    fn drop(&mut self) {
        if !self.is_ended {
            match self.is_inside {
                true => self.note("failed", Some("panic")),
                false => self.note("stopped", None),
            }
        }
    }
}

/// A node that runs in its span.
struct Spanned<S: State> {
    node: NodeFuture<S>,
    open: Box<Open>,
}

impl<S: State> Future for Spanned<S> {
    type Output = Result<Step<S>, NodeError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut PollContext<'_>) -> Poll<Self::Output> {
        let Self { node, open } = &mut *self;
        let result = ready!(open.inside(|| node.as_mut().poll(context)));
        open.end(&result);
        Poll::Ready(result)
    }
}
