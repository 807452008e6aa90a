//! A task that another process drives is executed here.

use std::collections::{BTreeMap, BTreeSet};
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Context as PollContext;

use futures::future::BoxFuture;
use serde_json::Value;

use crate::context::{Context, Scope, StopReason, TaskInfo, TaskServices};
use crate::error::NodeError;
use crate::error_row::ErrorRow;
use crate::event::Payload;
use crate::executor::attempt::poll_node;
use crate::lock::lock;
use crate::machine::retry::accepting;
use crate::machine::triggers::{guarded, guarded_encoding};
use crate::remote::reply::ReplyEnd;
use crate::remote::{TaskLink, TaskReply, TaskRequest};
use crate::state::{Snapshot, State, StateError};
use crate::step::Step;
use crate::step_row::StepRow;
use crate::store::Store;
use crate::tasks::{Question, Standing};
use crate::timeout::Timeout;
use crate::topology::{ExecutableGraph, NodeIndex, Outline};

/// Executes a task of a node of this graph. Time limits are kept by the process that drives the run.
pub(crate) async fn perform<S: State, Cx: Send + Sync + 'static>(
    graph: ExecutableGraph<S, Cx>,
    node: NodeIndex,
    request: Arc<TaskRequest>,
    resources: Arc<Cx>,
    link: Arc<dyn TaskLink>,
) -> TaskReply {
    let services = Arc::new(LinkedTask::new(&request, &graph.topology.outline, link));
    let called = call(&graph, node, &request, (&services, resources)).await;
    let end = match called.and_then(|step| encoded(&graph, &step)) {
        Ok(row) => ReplyEnd::Step(row),
        Err(error) => ReplyEnd::Error(judged(&graph.topology.outline, node, &error)),
    };
    let questions = std::mem::take(&mut services.notes().questions);
    TaskReply { execution: request.execution, end, questions }
}

/// Calls the node, to its end. A panic is its error.
async fn call<S: State, Cx: Send + Sync + 'static>(
    graph: &ExecutableGraph<S, Cx>,
    node: NodeIndex,
    request: &TaskRequest,
    (services, resources): (&Arc<LinkedTask>, Arc<Cx>),
) -> Result<Step<S>, NodeError> {
    let state = guarded("state", || state(graph, request))?.map_err(NodeError::terminal)?;
    let input = request.input.as_ref().map(|input| input.as_slice().into());
    // What is around it, as what keeps its results, is where the run is driven.
    let function = Arc::clone(graph.handlers[node as usize].function(request.handles_failure).innermost());
    let services: Arc<dyn TaskServices> = Arc::clone(services) as Arc<dyn TaskServices>;
    let context = function.wants_context().then(|| Context::new(services, resources));
    let mut start =
        Some(|waker: &mut PollContext<'_>| function.start_call(input, Snapshot::new(Arc::new(state)), context, waker));
    let mut running = None;
    poll_fn(|waker| poll_node(start.take(), &mut running, waker)).await
}

/// The state of a request. Fields that this graph has not are left out, and those that are not in it stand at their beginning.
fn state<S: State, Cx>(graph: &ExecutableGraph<S, Cx>, request: &TaskRequest) -> Result<S, StateError> {
    let layout = &graph.topology.layout;
    let mut state = S::initial(layout);
    let fields = S::fields(layout);
    for (name, bytes) in &request.fields {
        if let Some(at) = fields.iter().position(|field| field.name == *name) {
            state.load(layout, at, bytes)?;
        }
    }
    Ok(state)
}

fn encoded<S: State, Cx>(graph: &ExecutableGraph<S, Cx>, step: &Step<S>) -> Result<StepRow, NodeError> {
    guarded_encoding(|| StepRow::of(step, &graph.topology.layout, &graph.topology.field_names))
}

/// An error, and which retry policy of the node accepts it: its cause has its type only here.
fn judged(outline: &Outline, node: NodeIndex, error: &NodeError) -> ErrorRow {
    if !error.is_retryable() {
        return ErrorRow::of(error);
    }
    match accepting(&outline.node(node).retry, error) {
        Ok(policy) => ErrorRow::of(error).judged(policy.and_then(|at| u32::try_from(at).ok())),
        Err(panicked) => ErrorRow::of(&panicked),
    }
}

/// The services of a task that another process drives.
struct LinkedTask {
    info: TaskInfo,
    outline: Arc<Outline>,
    link: Arc<dyn TaskLink>,
    answers: BTreeMap<Arc<str>, Arc<[u8]>>,
    notes: Mutex<TaskNotes>,
    first_attempt: Option<u64>,
    remaining_steps: Option<u64>,
    remaining_tasks: Option<u64>,
    timeout: Timeout,
}

/// What the node has said through its context.
#[derive(Default)]
struct TaskNotes {
    /// Keys of durable steps that were begun.
    begun: BTreeSet<String>,
    /// Results of durable steps.
    steps: BTreeMap<Arc<str>, Arc<[u8]>>,
    questions: Vec<(String, Value)>,
}

impl LinkedTask {
    fn new(request: &TaskRequest, outline: &Arc<Outline>, link: Arc<dyn TaskLink>) -> Self {
        let known = |rows: &[(String, serde_bytes::ByteBuf)]| -> BTreeMap<Arc<str>, Arc<[u8]>> {
            rows.iter().map(|(key, value)| (key.as_str().into(), value.as_slice().into())).collect()
        };
        let timeout = match request.deadline {
            Some(end) => Timeout::attempt(std::time::Duration::from_millis(end.saturating_sub(link.now()))),
            None => Timeout::default(),
        };
        Self {
            info: request.info(),
            outline: Arc::clone(outline),
            link,
            answers: known(&request.answers),
            notes: Mutex::new(TaskNotes { steps: known(&request.steps), ..TaskNotes::default() }),
            first_attempt: request.first_attempt,
            remaining_steps: request.remaining_steps,
            remaining_tasks: request.remaining_tasks,
            timeout,
        }
    }

    fn notes(&self) -> MutexGuard<'_, TaskNotes> {
        lock(&self.notes)
    }
}

/// All of a map, for a list of what is known.
fn listed(known: &BTreeMap<Arc<str>, Arc<[u8]>>) -> Vec<(Arc<str>, Arc<[u8]>)> {
    known.iter().map(|(key, value)| (Arc::clone(key), Arc::clone(value))).collect()
}

impl TaskServices for LinkedTask {
    fn task(&self) -> &TaskInfo {
        &self.info
    }

    fn recorded(&self, key: &str) -> Option<Arc<[u8]>> {
        self.notes().steps.get(key).map(Arc::clone)
    }

    fn answered(&self, key: &str) -> Option<Arc<[u8]>> {
        self.answers.get(key).map(Arc::clone)
    }

    fn answers(&self) -> Vec<(Arc<str>, Arc<[u8]>)> {
        listed(&self.answers)
    }

    fn durable_steps(&self) -> Vec<(Arc<str>, Arc<[u8]>)> {
        listed(&self.notes().steps)
    }

    fn timeout(&self) -> Timeout {
        self.timeout
    }

    fn begin(&self, key: &str) -> bool {
        self.notes().begun.insert(key.to_owned())
    }

    fn record<'a>(&'a self, key: &'a str, value: Vec<u8>) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async move {
            self.link.record(key, &value).await?;
            self.notes().steps.insert(key.into(), value.into());
            Ok(())
        })
    }

    fn question(&self, key: &str, payload: Value) -> Result<(), NodeError> {
        // Whether it is declared the graph says here, too; all else is for the process that drives the run.
        let Some(_) = self.outline.check(std::slice::from_ref(&self.info.node), key) else {
            return Err(NodeError::undeclared_question(&self.info.node, key));
        };
        let questions = &mut self.notes().questions;
        if questions.iter().all(|(other, _)| other != key) {
            questions.push((key.to_owned(), payload));
        }
        Ok(())
    }

    fn emit<'a>(&'a self, name: &'a str, payload: Payload) -> BoxFuture<'a, ()> {
        self.link.emit(name, payload)
    }

    /// Results are kept where the run is driven.
    fn found_cached(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }

    fn heartbeat(&self) {
        self.link.heartbeat();
    }

    fn stopping(&self) -> BoxFuture<'_, ()> {
        self.link.stopping()
    }

    fn store(&self) -> Option<&Arc<dyn Store>> {
        self.link.store()
    }

    fn now(&self) -> u64 {
        self.link.now()
    }

    fn remaining_steps(&self) -> Option<u64> {
        self.remaining_steps
    }

    fn remaining_tasks(&self) -> Option<u64> {
        self.remaining_tasks
    }

    fn first_attempt(&self) -> Option<u64> {
        self.first_attempt
    }

    /// Graphs inside run where the run is driven.
    fn scope(&self) -> Option<Scope<'_>> {
        None
    }

    fn adopt_questions(&self, _: Vec<Question>) {}

    fn adopt_stop(&self, _: StopReason) {}

    fn adopt_cost(&self, _: u64) {}

    fn adopt_standing(&self, _: Standing) {}
}
