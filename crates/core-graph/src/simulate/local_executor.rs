//! Workers that execute tasks in this process, as if it were another: in a simulation messages to and from them take their time, are
//! lost and come twice, and workers end, or go on after they were replaced.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::{BoxFuture, FusedFuture, OptionFuture};
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use super::faults::Faults;
use super::link::{Link, Message, Said, answer};
use super::store::FaultPlan;
use super::up_to_doom;
use crate::clock::{Clock, SystemClock};
use crate::error::NodeError;
use crate::remote::{Executor, Performer, TaskHost, TaskLink, TaskReply, TaskRequest};
use crate::state::State;
use crate::store::Store;
use crate::thread::App;

/// After how long a silence a worker is taken for lost.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a worker gives a sign of life.
const BEAT: Duration = Duration::from_secs(1);
/// An [`Executor`] for tests: workers in this process that get each task as bytes and give back bytes. A graph that runs so can be
/// executed elsewhere. It needs a runtime with timers. In a [simulation](super::Simulator::elsewhere) its messages are lost and come twice, too.
///
/// ```
/// use graphloom_core_graph::simulate::LocalExecutor;
/// use graphloom_core_graph::{Node, NodeError, START, Snapshot, State, StateGraph};
/// # use schemars::JsonSchema;
/// # use serde::{Deserialize, Serialize};
///
/// #[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
/// struct Count {
///     #[state(add)]
///     n: u64,
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// const ONE: Node = Node::named("one");
///
/// async fn add(_: Snapshot<Count>) -> Result<CountUpdate, NodeError> {
///     Ok(Count::update().n(1))
/// }
///
/// let mut graph = StateGraph::<Count>::new("count");
/// graph.add_node(ONE, add);
/// graph.add_edge(START, ONE);
/// let graph = graph.compile()?;
///
/// let elsewhere = graph.executed_by(LocalExecutor::of(&graph))?;
/// let count = elsewhere.run_once(Count::update()).await?.done().map_err(|other| format!("{other:?}"))?;
/// assert_eq!(count.n, 1);
/// # Ok(())
/// # }
/// ```
pub struct LocalExecutor {
    workers: Arc<dyn Performer>,
    plan: Arc<FaultPlan>,
    clock: Arc<dyn Clock>,
    /// Whether workers may be lost, so that they give signs of life, and are replaced where they give none.
    loses_workers: bool,
}

impl LocalExecutor {
    /// An executor whose workers have a graph and its resources.
    pub fn of<S: State, Cx: Send + Sync + 'static>(app: impl Into<App<S, Cx>>) -> Self {
        Self::performed_by(app.into())
    }

    /// An executor whose workers execute tasks with this performer, as where resources differ from run to run.
    pub fn performed_by(workers: impl Performer) -> Self {
        Self::with(workers, Arc::new(FaultPlan::new(Faults::default(), None, 0)), Arc::new(SystemClock))
    }

    /// One to whose workers and messages so much happens.
    pub(super) fn with(workers: impl Performer, plan: Arc<FaultPlan>, clock: Arc<dyn Clock>) -> Self {
        let loses_workers = plan.troubles_workers();
        Self { workers: Arc::new(workers), plan, clock, loses_workers }
    }
}

impl Executor for LocalExecutor {
    fn execute<'e>(&'e self, host: &'e TaskHost<'_>) -> BoxFuture<'e, Result<TaskReply, NodeError>> {
        Box::pin(self.deliver(host))
    }
}

impl LocalExecutor {
    /// Has a task executed, by as many workers as it takes.
    async fn deliver(&self, host: &TaskHost<'_>) -> Result<TaskReply, NodeError> {
        let (sender, mut messages) = unbounded_channel::<Message>();
        let (stop, stopping) = watch::channel(false);
        let (mut beginning, mut working) = (FuturesUnordered::new(), FuturesUnordered::new());
        let (mut waiting, mut answering) = (VecDeque::new(), OptionFuture::default());
        let mut deliveries = Vec::new();
        for _ in 0..1 + u32::from(self.plan.repeats()) {
            match self.plan.delay() {
                Some(delay) => deliveries.push(Instant::now() + delay),
                None => beginning.push(host.begin()),
            }
        }
        let (mut heard, mut ended) = (Instant::now(), None::<TaskReply>);
        loop {
            // Messages are taken one after the other: events stay in their order, and come before the end.
            if answering.is_terminated() {
                answering = waiting.pop_front().map(|message| Box::pin(answer(host, message)).fuse()).into();
            }
            if answering.is_terminated() && messages.is_empty() {
                match ended.take() {
                    Some(reply) if host.is_current(reply.execution) => return Ok(reply),
                    _ => {}
                }
            }
            let lost = self.loses_workers.then(|| heard + PATIENCE);
            let next = deliveries.iter().copied().chain(lost).min();
            tokio::select! {
                biased;
                () = host.stopping(), if !*stop.borrow() => drop(stop.send(true)),
                Some(message) = messages.recv() => {
                    if host.is_current(message.execution) {
                        heard = Instant::now();
                    }
                    waiting.push_back(message);
                }
                _ = &mut answering, if !answering.is_terminated() => {}
                Some(request) = beginning.next() => {
                    heard = Instant::now();
                    working.push(self.work(request, host.store(), sender.clone(), stopping.clone()));
                }
                Some(reply) = working.next() => {
                    ended = reply.filter(|reply| host.is_current(reply.execution)).or(ended);
                }
                () = due(next), if ended.is_none() => {
                    let now = Instant::now();
                    deliveries.retain(|at| *at > now);
                    heard = now;
                    beginning.push(host.begin());
                }
            }
        }
    }

    /// What a worker does about a task; none where it ends before, or its reply is lost.
    async fn work(
        &self,
        request: TaskRequest,
        store: Option<&Arc<dyn Store>>,
        sender: UnboundedSender<Message>,
        stopping: watch::Receiver<bool>,
    ) -> Option<TaskReply> {
        let execution = request.execution;
        let (plan, clock) = (Arc::clone(&self.plan), Arc::clone(&self.clock));
        let store = store.map(Arc::clone);
        let link = Arc::new(Link { execution, sender, stopping, plan, clock, store, cut: Mutex::new(None) });
        let carried = request.to_bytes().and_then(|bytes| TaskRequest::from_bytes(&bytes));
        let performing = carried.map_err(NodeError::terminal).and_then(|request| {
            let link = Arc::clone(&link) as Arc<dyn TaskLink>;
            self.workers.perform(Arc::new(request), link).map_err(NodeError::terminal)
        });
        let work = async {
            let beating = async {
                if !self.loses_workers {
                    return std::future::pending().await;
                }
                loop {
                    sleep(BEAT).await;
                    link.send(Said::Here);
                }
            };
            match performing {
                Ok(performing) => tokio::select! {
                    biased;
                    reply = performing => reply,
                    reply = beating => reply,
                },
                Err(error) => TaskReply::failed(execution, &error),
            }
        };
        let end = self.plan.end_of_worker().filter(|_| link.is_troubled());
        let reply = up_to_doom(end, Box::pin(work)).await?;
        link.travel().await;
        let carried = reply.to_bytes().and_then(|bytes| TaskReply::from_bytes(&bytes));
        let reply = carried.unwrap_or_else(|error| TaskReply::failed(execution, &NodeError::terminal(error)));
        (!link.loses()).then_some(reply)
    }
}

/// Resolves at a time, and never at none.
async fn due(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

impl fmt::Debug for LocalExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalExecutor").field("graphs", &self.workers.versions()).finish_non_exhaustive()
    }
}
