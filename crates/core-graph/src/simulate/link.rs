//! The way between a worker and the process that drives a run, in a simulation: messages take their time, are lost and come twice.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::store::FaultPlan;
use crate::clock::Clock;
use crate::error::NodeError;
use crate::error_row::ErrorRow;
use crate::event::Payload;
use crate::lock::lock;
use crate::remote::{Execution, Superseded, TaskHost, TaskLink};
use crate::store::Store;

/// How long a worker waits for an answer before it asks again.
const ANSWER: Duration = Duration::from_secs(2);
/// How long a worker is cut off: longer than it is waited for.
const CUT: Duration = Duration::from_secs(12);

/// How many executions of an attempt are troubled before its workers and their messages behave.
const TROUBLED_EXECUTIONS: u64 = 8;

/// What a worker says to the process that drives the run.
pub(super) struct Message {
    pub(super) execution: Execution,
    said: Said,
}

pub(super) enum Said {
    Record {
        key: String,
        value: Vec<u8>,
        answer: oneshot::Sender<Result<(), ErrorRow>>,
    },
    Event {
        name: String,
        payload: Value,
        answer: oneshot::Sender<()>,
    },
    /// The node gives a sign of life.
    Alive,
    /// The worker does.
    Here,
}

/// Does what a worker asks for.
pub(super) async fn answer(host: &TaskHost<'_>, message: Message) {
    let Message { execution, said } = message;
    match said {
        Said::Record { key, value, answer } => {
            let recorded = host.record(execution, &key, value).await;
            // The worker may be gone.
            drop(answer.send(recorded.map_err(|error| ErrorRow::of(&error))));
        }
        Said::Event { name, payload, answer } => {
            host.emit(execution, &name, payload).await;
            answer.send(()).ok();
        }
        Said::Alive => host.heartbeat(execution),
        Said::Here => {}
    }
}

/// The worker's end of the way.
pub(super) struct Link {
    pub(super) execution: Execution,
    pub(super) sender: UnboundedSender<Message>,
    pub(super) stopping: watch::Receiver<bool>,
    pub(super) plan: Arc<FaultPlan>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) store: Option<Arc<dyn Store>>,
    /// Until when all messages are lost.
    pub(super) cut: Mutex<Option<Instant>>,
}

impl Link {
    pub(super) fn is_troubled(&self) -> bool {
        self.execution.number() <= TROUBLED_EXECUTIONS
    }

    /// Takes the time that a message takes.
    pub(super) async fn travel(&self) {
        if let Some(delay) = self.plan.delay() {
            sleep(delay).await;
        }
    }

    /// Whether a message is lost.
    pub(super) fn loses(&self) -> bool {
        if !self.is_troubled() {
            return false;
        }
        let (mut cut, now) = (lock(&self.cut), Instant::now());
        if cut.is_some_and(|until| now < until) {
            return true;
        }
        let (lost, and_more) = self.plan.loses_message();
        *cut = and_more.then(|| now + CUT);
        lost
    }

    /// Sends a message, unless it is lost; whether anybody is there to hear it.
    pub(super) fn send(&self, said: Said) -> bool {
        let message = Message { execution: self.execution, said };
        if self.loses() { !self.sender.is_closed() } else { self.sender.send(message).is_ok() }
    }
}

impl TaskLink for Link {
    fn record<'l>(&'l self, key: &'l str, value: &'l [u8]) -> BoxFuture<'l, Result<(), NodeError>> {
        Box::pin(async move {
            loop {
                self.travel().await;
                let (answer, answered) = oneshot::channel();
                let record = |answer| Said::Record { key: key.to_owned(), value: value.to_owned(), answer };
                if self.plan.repeats() {
                    self.send(record(oneshot::channel().0));
                }
                if !self.send(record(answer)) {
                    return Err(Superseded.into_error());
                }
                let again = Instant::now() + ANSWER;
                match timeout(ANSWER, answered).await {
                    Ok(Ok(recorded)) if !self.loses() => return recorded.map_err(ErrorRow::into_error),
                    _ => sleep_until(again).await,
                }
            }
        })
    }

    fn emit<'l>(&'l self, name: &'l str, payload: Payload) -> BoxFuture<'l, ()> {
        let (name, payload) = (name.to_owned(), payload.json());
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            self.send(Said::Event { name, payload, answer });
            // Of an event that is lost there is no answer.
            drop(answered.await);
        })
    }

    fn heartbeat(&self) {
        self.send(Said::Alive);
    }

    fn stopping(&self) -> BoxFuture<'_, ()> {
        let mut stopping = self.stopping.clone();
        Box::pin(async move {
            if stopping.wait_for(|stops| *stops).await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }

    fn now(&self) -> u64 {
        self.clock.now()
    }

    fn store(&self) -> Option<&Arc<dyn Store>> {
        self.store.as_ref()
    }
}
