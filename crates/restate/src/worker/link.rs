//! What a node needs of the process that drives its run.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use graphloom_core_graph::remote::{Execution, Superseded, TaskLink};
use graphloom_core_graph::store::Store;
use graphloom_core_graph::{Clock, NodeError, Payload, SystemClock};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::Worker;
use super::driver::{Driver, Lost};
use crate::wire::{Answer, Message};

/// How often a sign of life of a node is passed on at most.
const ALIVE: Duration = Duration::from_secs(1);
/// How long a result waits that was not answered, before it is reported again.
const AGAIN: Duration = Duration::from_millis(100);

/// The worker's end of the way between an execution and the process that drives its run.
pub(super) struct Link {
    driver: Arc<Driver>,
    store: Option<Arc<dyn Store>>,
    execution: Execution,
    stopping: watch::Sender<bool>,
    alive: Mutex<Option<Instant>>,
}

impl Link {
    pub(super) fn new(worker: &Worker, driver: &Arc<Driver>, execution: Execution) -> Self {
        Self {
            driver: Arc::clone(driver),
            store: worker.store.clone(),
            execution,
            stopping: watch::Sender::new(false),
            alive: Mutex::new(None),
        }
    }

    pub(super) fn execution(&self) -> Execution {
        self.execution
    }

    /// The run is asked to stop.
    pub(super) fn stop(&self) {
        self.stopping.send_replace(true);
    }
}

impl TaskLink for Link {
    fn record<'l>(&'l self, key: &'l str, value: &'l [u8]) -> BoxFuture<'l, Result<(), NodeError>> {
        Box::pin(async move {
            let (key, value) = (key.to_owned(), value.to_vec().into());
            let message = Message::Record { execution: self.execution, key, value };
            loop {
                let mut heard = match self.driver.say(&message).await {
                    Ok(heard) => heard,
                    Err(Lost::Over) => return Err(Superseded.into_error()),
                    Err(Lost::Refused(reason)) => return Err(NodeError::terminal(reason)),
                    Err(Lost::Silent(reason)) => return Err(NodeError::retryable(reason)),
                };
                if let Ok(Some(Answer::Recorded { refused })) = heard.next().await {
                    return refused.map_or(Ok(()), |error| Err(error.into_error()));
                }
                // The connection was lost in between, or the task is over, which the next try tells.
                sleep(AGAIN).await;
            }
        })
    }

    fn emit<'l>(&'l self, name: &'l str, payload: Payload) -> BoxFuture<'l, ()> {
        let message = Message::Event { execution: self.execution, name: name.to_owned(), payload: payload.json() };
        Box::pin(async move {
            if let Err(Lost::Silent(reason) | Lost::Refused(reason)) = self.driver.mention(&message).await {
                tracing::warn!(reason, "an event is lost");
            }
        })
    }

    fn heartbeat(&self) {
        let mut alive = self.alive.lock().unwrap_or_else(PoisonError::into_inner);
        if alive.is_some_and(|last| last.elapsed() < ALIVE) {
            return;
        }
        *alive = Some(Instant::now());
        let (driver, message) = (Arc::clone(&self.driver), Message::Alive { execution: self.execution });
        tokio::spawn(async move { drop(driver.mention(&message).await) });
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
