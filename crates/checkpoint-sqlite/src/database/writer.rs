//! The one connection that writes, and the queue before it.
//!
//! Whoever has the connection takes all that is queued into one transaction. When a piece of work is refused, what shared
//! the transaction is done again without it, so it is undone alone and every caller gets its own answer. With
//! [`Normal`](crate::Synchronous::Normal) a caller that finds the connection free works itself, and then does what others have queued
//! meanwhile; nobody's thread waits for the connection. Before that a caller now and then lets the other tasks of its thread
//! queue theirs, and as long as some do, every caller does ([`Gathering`]): so many share a transaction on few threads. With [`Full`](crate::Synchronous::Full), where a commit waits for the disk, and
//! with `SqliteOptions::own_thread` a thread does it all.
//!
//! Invariants:
//!
//! 1. Jobs leave the queue only under the connection's lock, all at once and in their order: each is done once, and after
//!    those that were queued before it.
//! 2. Whoever queued a job looks whether the connection is free, and whoever had the connection looks at the queue once more
//!    after the lock is released. A job that came while the lock was held is done by one of the two.
//! 3. With a thread that does it all, a job is queued before the thread is woken, and the thread looks at the queue under
//!    the queue's lock before it waits: no wake-up is lost.
//! 4. A caller is answered when the transaction of its job is over, and before the job is dropped; one whose job panicked
//!    learns of it by the drop.
//! 5. The writer closes the queue before it waits for the thread, which ends when a closed queue is empty: what was left for
//!    later is done before the connection is closed.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, PoisonError, TryLockError};
use std::task::Poll;

use futures::channel::oneshot;
use rusqlite::Connection;

use super::gathering::Gathering;
use super::wal::WalMover;
use crate::failure::Failure;
use crate::sync::{Condvar, Mutex, MutexGuard, lock, thread};

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
    /// Taken when the answer is given.
    reply: Option<Reply>,
}

type Reply = oneshot::Sender<Result<(), Failure>>;

impl Write {
    fn new(work: Work) -> (Self, oneshot::Receiver<Result<(), Failure>>) {
        let (reply, answer) = oneshot::channel();
        (Self { work, reply: Some(reply) }, answer)
    }

    /// Does it in a transaction of its own.
    fn run(&mut self, connection: &Connection) {
        let answer = by_itself(connection, &mut self.work);
        self.answer(answer);
    }

    fn answer(&mut self, answer: Result<(), Failure>) {
        // A caller that is gone needs no answer.
        let _ = self.reply.take().map(|reply| reply.send(answer));
    }
}

#[derive(Debug)]
pub(crate) struct Writer {
    shared: Arc<Shared>,
    /// Whether all is left to the thread.
    apart: bool,
    /// There from the beginning when all is left to it.
    thread: Mutex<Option<thread::JoinHandle<()>>>,
}

/// So often a caller does what others have queued, before a thread goes on with it and the caller with its own.
const ROUNDS: usize = 8;

struct Shared {
    connection: Mutex<Connection>,
    queue: Mutex<Queue>,
    gathering: Gathering,
    /// There where the connection is of a file.
    mover: Option<WalMover>,
    arrived: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: Vec<Job>,
    closed: bool,
}

impl Writer {
    /// The writer of a connection; `apart` tells that all is left to a thread of its own.
    pub(super) fn new(connection: Connection, apart: bool, mover: Option<WalMover>) -> Result<Self, Failure> {
        let shared = Arc::new(Shared {
            connection: Mutex::new(connection),
            queue: Mutex::default(),
            gathering: Gathering::default(),
            mover,
            arrived: Condvar::new(),
        });
        let writer = Self { shared, apart, thread: Mutex::default() };
        if writer.apart {
            writer.start_thread()?;
        }
        Ok(writer)
    }

    /// Does a piece of work in a transaction and returns when it is durable.
    pub(crate) async fn write(&self, mut work: Work) -> Result<(), Failure> {
        if let Some(written) = self.write_now(&mut work) {
            return written;
        }
        let (write, answer) = Write::new(work);
        self.shared.push(Job::Write(write));
        let serving = ServeOnDrop(self);
        if !self.apart {
            yield_now().await;
        }
        drop(serving);
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }

    /// Does a piece of work in a transaction, and returns what it answered when that is durable.
    pub(crate) async fn answer<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&Connection) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        // Work that is done again answers again: the last answer counts.
        let answered = Arc::new(std::sync::Mutex::new(None));
        let kept = Arc::clone(&answered);
        let work = move |connection: &Connection| {
            *super::lock(&kept) = Some(work(connection)?);
            Ok(())
        };
        self.write(Box::new(work)).await?;
        let answer = super::lock(&answered).take();
        answer.ok_or_else(stopped)
    }

    /// Runs something on the writing connection, by itself, outside of a transaction.
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

    /// The writing connection for something short that only reads, when nobody has it or waits for it.
    pub(super) fn spare(&self) -> Option<Spare<'_>> {
        if self.apart || !self.shared.is_idle() {
            return None;
        }
        self.shared.free().map(|connection| Spare { connection: Some(connection), writer: self })
    }

    /// Does a piece of work on another thread, whatever comes of it.
    pub(crate) fn write_later(&self, work: Work) {
        self.shared.push(Job::Write(Write::new(work).0));
        // Without a thread to spare, the next who commits takes it along.
        let _ = self.hand_over();
    }

    fn submit(&self, job: Job) {
        self.shared.push(job);
        self.serve();
    }

    /// Sees to it that what is queued is done.
    fn serve(&self) {
        if self.apart {
            self.shared.arrived.notify_one();
        } else {
            self.serve_waiting();
        }
    }

    /// Does a piece of work here and now, when nobody has the connection or waits for it.
    fn write_now(&self, work: &mut Work) -> Option<Result<(), Failure>> {
        if self.apart || self.shared.gathering.is_due() {
            return None;
        }
        let connection = self.shared.free()?;
        if !self.shared.is_idle() {
            return None;
        }
        let _guard = HandOverOnPanic(self);
        let written = by_itself(&connection, work);
        self.shared.after_commits(&connection);
        drop(connection);
        self.serve_waiting();
        Some(written)
    }

    /// Does what is queued, unless somebody has the connection, who does it then.
    fn serve_waiting(&self) {
        let _guard = HandOverOnPanic(self);
        for _ in 0..ROUNDS {
            if self.shared.is_idle() {
                return;
            }
            let Some(mut connection) = self.shared.free() else { return };
            self.shared.serve(&mut connection);
        }
        while !self.shared.is_idle() && self.hand_over().is_err() {
            let Some(mut connection) = self.shared.free() else { return };
            self.shared.serve(&mut connection);
        }
    }

    /// Has the thread do what is queued.
    fn hand_over(&self) -> Result<(), Failure> {
        self.start_thread()?;
        self.shared.arrived.notify_one();
        Ok(())
    }

    fn start_thread(&self) -> Result<(), Failure> {
        let mut thread = lock(&self.thread);
        if thread.is_none() {
            let shared = Arc::clone(&self.shared);
            let named = thread::Builder::new().name("graphloom-sqlite".to_owned());
            *thread = Some(named.spawn(move || shared.serve_until_closed())?);
        }
        Ok(())
    }

    #[cfg(test)]
    fn queue_only(&self, work: Work) -> oneshot::Receiver<Result<(), Failure>> {
        let (write, answer) = Write::new(work);
        self.shared.push(Job::Write(write));
        answer
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        lock(&self.shared.queue).closed = true;
        self.shared.arrived.notify_one();
        if let Some(thread) = lock(&self.thread).take() {
            // It ends when the queue is empty. It has caught its panics.
            let _ = thread.join();
        }
    }
}

/// The writing connection, lent to a reader. What was queued meanwhile is done when it is given back.
pub(super) struct Spare<'w> {
    /// There until it is given back.
    connection: Option<MutexGuard<'w, Connection>>,
    writer: &'w Writer,
}

impl Spare<'_> {
    pub(super) fn read<T>(self, read: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T, Failure> {
        let connection = self.connection.as_ref().ok_or_else(stopped)?;
        read(connection)
    }
}

impl Drop for Spare<'_> {
    fn drop(&mut self) {
        drop(self.connection.take());
        self.writer.serve_waiting();
    }
}

/// Sees to it that what is queued is done, also when the caller goes away before.
struct ServeOnDrop<'w>(&'w Writer);

impl Drop for ServeOnDrop<'_> {
    fn drop(&mut self) {
        self.0.serve();
    }
}

/// Lets the other tasks of the thread go on once.
async fn yield_now() {
    let mut has_yielded = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut has_yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Hands the queue over to the thread when a piece of work panics.
struct HandOverOnPanic<'w>(&'w Writer);

impl Drop for HandOverOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() && !self.0.shared.is_idle() {
            // Without a thread to spare, the next who commits takes it along.
            let _ = self.0.hand_over();
        }
    }
}

impl Shared {
    fn push(&self, job: Job) {
        lock(&self.queue).jobs.push(job);
    }

    fn is_idle(&self) -> bool {
        lock(&self.queue).jobs.is_empty()
    }

    /// The connection, when nobody has it.
    fn free(&self) -> Option<MutexGuard<'_, Connection>> {
        match self.connection.try_lock() {
            Ok(connection) => Some(connection),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Does all that is queued by now.
    fn serve(&self, connection: &mut Connection) {
        let jobs = std::mem::take(&mut lock(&self.queue).jobs);
        self.gathering.found(jobs.len());
        run(connection, jobs);
        self.after_commits(connection);
    }

    fn after_commits(&self, connection: &Connection) {
        if let Some(mover) = &self.mover {
            mover.after_commits(connection);
        }
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
            let _ = std::panic::catch_unwind(AssertUnwindSafe(|| self.serve(&mut lock(&self.connection))));
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
                write_group(connection, &mut group);
                group.clear();
                task(connection);
            }
        }
    }
    write_group(connection, &mut group);
}

fn by_itself(connection: &Connection, work: &mut Work) -> Result<(), Failure> {
    let transaction = Transaction::begin(connection)?;
    work(connection)?;
    transaction.commit()
}

/// Does pieces of work in as few transactions as they let it, in their order.
fn write_group(connection: &Connection, mut group: &mut [Write]) {
    while let [first, others @ ..] = &mut *group {
        if others.is_empty() {
            return first.run(connection);
        }
        match write_together(connection, group) {
            GroupOutcome::Done => return group.iter_mut().for_each(|write| write.answer(Ok(()))),
            GroupOutcome::NotBegun(failure) => {
                return group.iter_mut().for_each(|write| write.answer(Err(failure.clone())));
            }
            GroupOutcome::Failed(at) => {
                let (before, rest) = std::mem::take(&mut group).split_at_mut(at);
                write_group(connection, before);
                let (failed, after) = rest.split_at_mut(1);
                failed.iter_mut().for_each(|write| write.run(connection));
                group = after;
            }
            // What was too much for all, or for the largest, need not be too much for each.
            GroupOutcome::Lost => {
                return group.iter_mut().for_each(|write| write.run(connection));
            }
        }
    }
}

/// The outcome of a group's transaction.
enum GroupOutcome {
    /// It is durable.
    Done,
    /// It could not begin.
    NotBegun(Failure),
    /// It was undone, because this piece was refused.
    Failed(usize),
    /// It was undone, because it could not be committed.
    Lost,
}

fn write_together(connection: &Connection, group: &mut [Write]) -> GroupOutcome {
    let transaction = match Transaction::begin(connection) {
        Ok(transaction) => transaction,
        Err(failure) => return GroupOutcome::NotBegun(failure),
    };
    if let Some(at) = group.iter_mut().position(|write| (write.work)(connection).is_err()) {
        return GroupOutcome::Failed(at);
    }
    match transaction.commit() {
        Ok(()) => GroupOutcome::Done,
        Err(_) => GroupOutcome::Lost,
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
#[cfg(shuttle)]
mod races;

#[cfg(test)]
mod tests;
