//! Group commit: what is given while a statement is under way goes to the database together with the next one.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

/// How many items go into one statement.
const TOGETHER: usize = 500;
/// How long the database is given to answer before it is asked once more.
const ANSWER: Duration = Duration::from_secs(60);
/// The pauses after which a lost database is tried again.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// One statement for many items: what came of each, in their order.
pub(crate) type Statement<T, R> =
    Box<dyn Fn(Arc<[T]>) -> BoxFuture<'static, Result<Vec<R>, sqlx::Error>> + Send + Sync>;

/// Items on their way into the database. The task that brings them there ends when this is dropped.
pub(crate) struct Batches<T, R> {
    sender: mpsc::UnboundedSender<Given<T, R>>,
    task: AbortHandle,
}

struct Given<T, R> {
    item: T,
    told: oneshot::Sender<Result<R, Arc<sqlx::Error>>>,
}

impl<T: Clone + Send + Sync + 'static, R: Send + 'static> Batches<T, R> {
    pub(crate) fn new(statement: Statement<T, R>) -> Self {
        let (sender, given) = mpsc::unbounded_channel();
        let task = tokio::spawn(bring(given, statement)).abort_handle();
        Self { sender, task }
    }

    /// Gives an item to the database, and returns what came of it. A database that cannot be reached is waited for.
    ///
    /// # Errors
    /// The database refused the item.
    pub(crate) async fn give(&self, item: T) -> Result<R, Arc<sqlx::Error>> {
        let (told, came) = oneshot::channel();
        if self.sender.send(Given { item, told }).is_err() {
            return Err(Arc::new(sqlx::Error::PoolClosed));
        }
        came.await.unwrap_or_else(|_| Err(Arc::new(sqlx::Error::PoolClosed)))
    }
}

impl<T, R> Drop for Batches<T, R> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn bring<T: Clone + Send + Sync, R>(mut given: mpsc::UnboundedReceiver<Given<T, R>>, statement: Statement<T, R>) {
    let mut batch = Vec::new();
    while given.recv_many(&mut batch, TOGETHER).await > 0 {
        let (items, told): (Vec<T>, Vec<_>) = batch.drain(..).map(|given| (given.item, given.told)).unzip();
        match reached(&statement, items.clone().into()).await {
            Ok(results) => told.into_iter().zip(results).for_each(|(told, result)| drop(told.send(Ok(result)))),
            // One that is refused does not hold the others up.
            Err(_) if items.len() > 1 => {
                for (item, told) in items.into_iter().zip(told) {
                    let result = reached(&statement, Arc::new([item])).await;
                    drop(told.send(single(result)));
                }
            }
            Err(error) => told.into_iter().for_each(|told| drop(told.send(Err(Arc::clone(&error))))),
        }
    }
}

fn single<R>(results: Result<Vec<R>, Arc<sqlx::Error>>) -> Result<R, Arc<sqlx::Error>> {
    results.and_then(|results| results.into_iter().next().ok_or_else(|| Arc::new(sqlx::Error::RowNotFound)))
}

/// What came of a statement, after as many attempts as it takes to reach the database.
async fn reached<T, R>(statement: &Statement<T, R>, items: Arc<[T]>) -> Result<Vec<R>, Arc<sqlx::Error>> {
    until_reached(|| statement(Arc::clone(&items))).await.map_err(Arc::new)
}

/// Does a piece of work on the database until the database is reached.
///
/// # Errors
/// The database answered, and refused.
pub(crate) async fn until_reached<R, W>(work: impl Fn() -> W) -> Result<R, sqlx::Error>
where
    W: Future<Output = Result<R, sqlx::Error>>,
{
    let mut pause = FIRST_PAUSE;
    loop {
        match timeout(ANSWER, work()).await.unwrap_or(Err(sqlx::Error::PoolTimedOut)) {
            Err(error) if is_passing(&error) => {
                tracing::warn!(%error, "the queue of tasks cannot be reached; it is tried again");
                sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            result => return result,
        }
    }
}

/// Whether a failure says nothing about what was asked for.
fn is_passing(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed => true,
        sqlx::Error::Database(error) => {
            let code = error.code().unwrap_or_default();
            // A member that was removed meanwhile; connections; resources; an administrator; a statement that took too long; a
            // transaction that stood still; conflicts of transactions.
            ["23503", "08", "53", "57P", "57014", "25P03", "40"].iter().any(|class| code.starts_with(class))
        }
        _ => false,
    }
}
