//! What a node needs of the process that drives its run.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dashmap::DashMap;
use futures::future::BoxFuture;
use graphloom_core_graph::remote::{ErrorRow, Execution, Superseded, TaskLink};
use graphloom_core_graph::store::Store;
use graphloom_core_graph::{Clock, NodeError, Payload, SystemClock};
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, timeout};

use super::Shared;
use crate::member::{Member, Message, Sent};

/// How long an answer is waited for before it is asked again: letters are lost where a process is taken for dead.
const ANSWER: Duration = Duration::from_secs(5);
/// How often a sign of life of a node is passed on at most.
const ALIVE: Duration = Duration::from_secs(1);

/// The worker's end of the way between an execution and the process that drives its run.
pub(super) struct Link {
    member: Arc<Member>,
    store: Option<Arc<dyn Store>>,
    task: String,
    /// The member that drives the run.
    host: String,
    execution: Execution,
    questions: AtomicU64,
    answers: DashMap<u64, oneshot::Sender<Option<ErrorRow>>>,
    stopping: watch::Sender<bool>,
    alive: Mutex<Option<Instant>>,
}

impl Link {
    pub(super) fn new(shared: &Shared, task: &str, host: &str, execution: Execution) -> Self {
        Self {
            member: Arc::clone(&shared.member),
            store: shared.store.clone(),
            task: task.to_owned(),
            host: host.to_owned(),
            execution,
            questions: AtomicU64::new(0),
            answers: DashMap::new(),
            stopping: watch::Sender::new(false),
            alive: Mutex::new(None),
        }
    }

    /// The run is asked to stop.
    pub(super) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// An answer has come.
    pub(super) fn answered(&self, question: u64, refused: Option<ErrorRow>) {
        if let Some((_, waits)) = self.answers.remove(&question) {
            drop(waits.send(refused));
        }
    }
}

impl TaskLink for Link {
    fn record<'l>(&'l self, key: &'l str, value: &'l [u8]) -> BoxFuture<'l, Result<(), NodeError>> {
        Box::pin(async move {
            let question = self.questions.fetch_add(1, Ordering::Relaxed);
            loop {
                let (answer, answered) = oneshot::channel();
                self.answers.insert(question, answer);
                let (key, value) = (key.to_owned(), value.to_vec().into());
                let message = Message::Record { execution: self.execution, key, value, question };
                match self.member.tell(&self.host, &self.task, message).await {
                    Ok(Sent::Delivered) => {}
                    Ok(Sent::Gone) => return Err(Superseded.into_error()),
                    Err(error) => return Err(NodeError::retryable(error.to_string())),
                }
                if let Ok(Ok(refused)) = timeout(ANSWER, answered).await {
                    return refused.map_or(Ok(()), |error| Err(error.into_error()));
                }
            }
        })
    }

    fn emit<'l>(&'l self, name: &'l str, payload: Payload) -> BoxFuture<'l, ()> {
        let message = Message::Event { execution: self.execution, name: name.to_owned(), payload: payload.json() };
        Box::pin(async move {
            if let Err(error) = self.member.tell(&self.host, &self.task, message).await {
                tracing::warn!(%error, task = self.task, "an event is lost");
            }
        })
    }

    fn heartbeat(&self) {
        let mut alive = self.alive.lock().unwrap_or_else(PoisonError::into_inner);
        if alive.is_some_and(|last| last.elapsed() < ALIVE) {
            return;
        }
        *alive = Some(Instant::now());
        let (member, host, task) = (Arc::clone(&self.member), self.host.clone(), self.task.clone());
        let message = Message::Alive { execution: self.execution };
        tokio::spawn(async move { drop(member.tell(&host, &task, message).await) });
    }

    fn stopping(&self) -> BoxFuture<'_, ()> {
        let mut stopping = self.stopping.subscribe();
        Box::pin(async move {
            if stopping.wait_for(|stops| *stops).await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }

    fn store(&self) -> Option<&Arc<dyn Store>> {
        self.store.as_ref()
    }

    fn now(&self) -> u64 {
        SystemClock.now()
    }
}
