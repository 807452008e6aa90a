//! Signals by `NOTIFY` and `LISTEN`, on connections of their own.
//!
//! What is published waits while a statement is under way, and then goes with the next one, the newest of each topic: however
//! much is published, one statement is under way. It writes no row, so that nobody waits for it to be durable.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::StreamExt;
use futures::stream::{BoxStream, once, unfold};
use graphloom_core_graph::store::{Signal, Signals};
use sqlx::PgPool;
use sqlx::postgres::{PgListener, PgPoolOptions};
use tokio::sync::{Notify, broadcast};
use tokio::task::AbortHandle;

use crate::database::Database;

/// Topics that may wait to be sent; more are lost.
const WAITING: usize = 10_000;

/// Messages that a slow subscriber may be behind; more are lost to it.
const BEHIND: usize = 10_000;

/// After so long a lost connection is made anew.
const RETRY: Duration = Duration::from_secs(1);

/// [`Signals`] between all that use the same schema of a database. A clone is another handle to the same.
///
/// It takes two connections of its own, beside those of the store. They are made on the tokio runtime on which it was made, and
/// made anew when they are lost.
#[derive(Clone)]
pub struct PostgresSignals {
    inner: Arc<Inner>,
}

struct Inner {
    outbox: Arc<Outbox>,
    heard: broadcast::Sender<Signal>,
    tasks: [AbortHandle; 2],
}

/// What was published and not sent yet.
#[derive(Default)]
struct Outbox {
    waiting: Mutex<BTreeMap<String, String>>,
    filled: Notify,
}

impl PostgresSignals {
    pub(crate) fn on(database: &Database) -> Self {
        let options = database.pool.connect_options().as_ref().clone();
        let pool = PgPoolOptions::new().max_connections(2).connect_lazy_with(options);
        // Names of channels are shorter than those of schemas may be.
        let hash = blake3::hash(database.schema.as_bytes()).to_hex();
        let channel = format!("graphloom_{}", &hash[..32]);
        let (heard, outbox) = (broadcast::Sender::new(BEHIND), Arc::new(Outbox::default()));
        let listen = tokio::spawn(listen(pool.clone(), channel.clone(), heard.clone()));
        let send = tokio::spawn(send(pool, channel, Arc::clone(&outbox)));
        Self { inner: Arc::new(Inner { outbox, heard, tasks: [listen.abort_handle(), send.abort_handle()] }) }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

impl fmt::Debug for PostgresSignals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresSignals").finish_non_exhaustive()
    }
}

impl Signals for PostgresSignals {
    fn publish(&self, topic: &str, payload: &str) {
        let mut waiting = self.inner.outbox.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < WAITING || waiting.contains_key(topic) {
            waiting.insert(topic.to_owned(), payload.to_owned());
        }
        drop(waiting);
        self.inner.outbox.filled.notify_one();
    }

    fn subscribe(&self) -> BoxStream<'static, Signal> {
        let heard = unfold(self.inner.heard.subscribe(), |mut heard| async move {
            match heard.recv().await {
                Ok(signal) => Some((signal, heard)),
                Err(broadcast::error::RecvError::Lagged(_)) => Some((Signal::Missed, heard)),
                Err(broadcast::error::RecvError::Closed) => None,
            }
        });
        once(async { Signal::Missed }).chain(heard).boxed()
    }
}

/// Sends what is published, until it is aborted.
async fn send(pool: PgPool, channel: String, outbox: Arc<Outbox>) {
    loop {
        let waiting = std::mem::take(&mut *outbox.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        if waiting.is_empty() {
            outbox.filled.notified().await;
            continue;
        }
        let messages: Vec<String> = waiting.into_iter().map(|(topic, payload)| format!("{topic}\n{payload}")).collect();
        let notify = "SELECT pg_notify($1, message) FROM unnest($2::text[]) AS message";
        if let Err(error) = sqlx::query(notify).bind(&channel).bind(&messages).execute(&pool).await {
            tracing::warn!(%error, "signals to other processes are lost");
        }
    }
}

/// Hears what is sent, until it is aborted.
async fn listen(pool: PgPool, channel: String, heard: broadcast::Sender<Signal>) {
    loop {
        if let Err(error) = listen_once(&pool, &channel, &heard).await {
            tracing::warn!(%error, "signals of other processes are not heard; the connection is made anew");
        }
        tokio::time::sleep(RETRY).await;
    }
}

async fn listen_once(pool: &PgPool, channel: &str, heard: &broadcast::Sender<Signal>) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(channel).await?;
    // Nobody subscribes is no failure.
    drop(heard.send(Signal::Missed));
    loop {
        let signal = match listener.try_recv().await? {
            Some(message) => {
                let (topic, payload) = message.payload().split_once('\n').unwrap_or((message.payload(), ""));
                Signal::Heard { topic: topic.to_owned(), payload: payload.to_owned() }
            }
            // The connection was lost, and is made anew with the next call; what is sent before that is lost.
            None => {
                listener.listen(channel).await?;
                Signal::Missed
            }
        };
        drop(heard.send(signal));
    }
}
