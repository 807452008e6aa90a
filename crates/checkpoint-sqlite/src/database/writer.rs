//! The one connection that writes, and the queue before it.
//!
//! Whoever gets the connection takes all that is queued into one transaction, each piece of work in a savepoint of its
//! own: a refused piece is undone alone, and every caller gets its own answer. With [`Synchronous::Normal`] the callers
//! themselves take turns; with [`Synchronous::Full`], where a commit waits for the disk, a thread does it and the
//! callers' threads stay free.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::JoinHandle;

use futures::channel::oneshot;
use rusqlite::Connection;

use super::lock;
use crate::failure::Failure;
use crate::options::Synchronous;

/// A piece of work in a transaction. It is done again, when the transaction that it shared with others failed.
pub(crate) type Work = Box<dyn FnMut(&Connection) -> Result<(), Failure> + Send>;

enum Job {
    /// Shares a transaction with its neighbours in the queue.
    Write(Write),
    /// Runs after all that was queued before it, outside of a transaction.
    Alone(Box<dyn FnOnce(&mut Connection) + Send>),
}

struct Write {
    work: Work,
    reply: oneshot::Sender<Result<(), Failure>>,
}

#[derive(Debug)]
pub(crate) struct Writer {
    shared: Arc<Shared>,
    /// With [`Synchronous::Full`].
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    connection: Mutex<Connection>,
    /// Jobs leave the queue only under the connection's lock, so whoever has had the lock since it queued a job knows
    /// that the job is done.
    queue: Mutex<Queue>,
    arrived: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: Vec<Job>,
    closed: bool,
}

impl Writer {
    pub(super) fn new(connection: Connection, synchronous: Synchronous) -> Result<Self, Failure> {
        let shared =
            Arc::new(Shared { connection: Mutex::new(connection), queue: Mutex::default(), arrived: Condvar::new() });
        let thread = match synchronous {
            Synchronous::Normal => None,
            Synchronous::Full => {
                let shared = Arc::clone(&shared);
                let thread = std::thread::Builder::new().name("graphloom-sqlite".to_owned());
                Some(thread.spawn(move || shared.serve_until_closed())?)
            }
        };
        Ok(Self { shared, thread })
    }

    /// Does a piece of work in a transaction and returns when it is durable.
    pub(crate) async fn write(&self, mut work: Work) -> Result<(), Failure> {
        if self.thread.is_none()
            && let Some(connection) = self.shared.unwanted()
        {
            return by_itself(&connection, &mut work);
        }
        let (reply, answer) = oneshot::channel();
        self.submit(Job::Write(Write { work, reply }));
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }

    /// Runs something on the writing connection, by itself.
    pub(crate) async fn alone<T: Send + 'static>(
        &self,
        task: impl FnOnce(&mut Connection) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let (reply, answer) = oneshot::channel();
        self.submit(Job::Alone(Box::new(move |connection| {
            // A caller that is gone needs no answer.
            let _ = reply.send(task(connection));
        })));
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }

    /// Does a piece of work on another thread, whatever comes of it.
    pub(crate) fn write_later(&self, work: Work) {
        let (reply, _) = oneshot::channel();
        lock(&self.shared.queue).jobs.push(Job::Write(Write { work, reply }));
        if self.thread.is_some() {
            self.shared.arrived.notify_one();
        } else {
            let shared = Arc::clone(&self.shared);
            // Without a thread to spare, the next who commits takes it along.
            let _ = std::thread::Builder::new().spawn(move || shared.serve());
        }
    }

    fn submit(&self, job: Job) {
        lock(&self.shared.queue).jobs.push(job);
        if self.thread.is_some() {
            self.shared.arrived.notify_one();
        } else {
            self.shared.serve();
        }
    }

    #[cfg(test)]
    fn queue_only(&self, work: Work) -> oneshot::Receiver<Result<(), Failure>> {
        let (reply, answer) = oneshot::channel();
        lock(&self.shared.queue).jobs.push(Job::Write(Write { work, reply }));
        answer
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        lock(&self.shared.queue).closed = true;
        self.shared.arrived.notify_one();
        if let Some(thread) = self.thread.take() {
            // It ends when the queue is empty. It has caught its panics.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// The connection, when nobody has it or waits for it.
    fn unwanted(&self) -> Option<MutexGuard<'_, Connection>> {
        let connection = match self.connection.try_lock() {
            Ok(connection) => connection,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        lock(&self.queue).jobs.is_empty().then_some(connection)
    }

    /// Waits for the connection and does all that is queued by then.
    fn serve(&self) {
        let mut connection = lock(&self.connection);
        let jobs = std::mem::take(&mut lock(&self.queue).jobs);
        run(&mut connection, jobs);
    }

    fn serve_until_closed(&self) {
        loop {
            let queue = lock(&self.queue);
            let waiting = |queue: &mut Queue| queue.jobs.is_empty() && !queue.closed;
            let queue = self.arrived.wait_while(queue, waiting).unwrap_or_else(PoisonError::into_inner);
            if queue.jobs.is_empty() {
                return;
            }
            drop(queue);
            // After a panic the callers concerned see that their answer is not coming; the others go on.
            let _ = std::panic::catch_unwind(AssertUnwindSafe(|| self.serve()));
        }
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

fn stopped() -> Failure {
    std::io::Error::other("the writer stopped before the work was done").into()
}

fn run(connection: &mut Connection, jobs: Vec<Job>) {
    let mut group = Vec::new();
    for job in jobs {
        match job {
            Job::Write(write) => group.push(write),
            Job::Alone(task) => {
                write_group(connection, std::mem::take(&mut group));
                task(connection);
            }
        }
    }
    write_group(connection, group);
}

fn write_group(connection: &Connection, mut group: Vec<Write>) {
    let answers = match group.as_mut_slice() {
        [] => return,
        [write] => vec![by_itself(connection, &mut write.work)],
        several => match together(connection, several) {
            Together::Done(answers) => answers,
            Together::NotBegun(failure) => several.iter().map(|_| Err(failure.clone())).collect(),
            // What was too much for all, or for the largest, need not be too much for each.
            Together::Lost => several.iter_mut().map(|write| by_itself(connection, &mut write.work)).collect(),
        },
    };
    for (write, answer) in group.into_iter().zip(answers) {
        // A caller that is gone needs no answer.
        let _ = write.reply.send(answer);
    }
}

fn by_itself(connection: &Connection, work: &mut Work) -> Result<(), Failure> {
    let transaction = Transaction::begin(connection)?;
    work(connection)?;
    transaction.commit()
}

/// What became of a group's transaction.
enum Together {
    /// It is durable; each has its own answer.
    Done(Vec<Result<(), Failure>>),
    /// It could not begin.
    NotBegun(Failure),
    /// It was undone as a whole.
    Lost,
}

fn together(connection: &Connection, group: &mut [Write]) -> Together {
    let transaction = match Transaction::begin(connection) {
        Ok(transaction) => transaction,
        Err(failure) => return Together::NotBegun(failure),
    };
    let mut answers = Vec::with_capacity(group.len());
    for write in group {
        if execute(connection, "SAVEPOINT piece").is_err() {
            return Together::Lost;
        }
        let answer = (write.work)(connection);
        // Some errors make SQLite undo the whole transaction by itself.
        let undone = connection.is_autocommit()
            || (answer.is_err() && execute(connection, "ROLLBACK TO piece").is_err())
            || execute(connection, "RELEASE piece").is_err();
        if undone {
            return Together::Lost;
        }
        answers.push(answer);
    }
    match transaction.commit() {
        Ok(()) => Together::Done(answers),
        Err(_) => Together::Lost,
    }
}

/// A transaction that is undone unless committed. Its statements are prepared once.
struct Transaction<'c> {
    connection: &'c Connection,
}

impl<'c> Transaction<'c> {
    fn begin(connection: &'c Connection) -> Result<Self, Failure> {
        execute(connection, "BEGIN IMMEDIATE")?;
        Ok(Self { connection })
    }

    fn commit(self) -> Result<(), Failure> {
        execute(self.connection, "COMMIT")
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if !self.connection.is_autocommit() {
            // On failure the next `BEGIN` fails too, and its caller learns why.
            let _ = execute(self.connection, "ROLLBACK");
        }
    }
}

fn execute(connection: &Connection, statement: &str) -> Result<(), Failure> {
    connection.prepare_cached(statement)?.execute([])?;
    Ok(())
}

#[cfg(test)]
mod tests;
