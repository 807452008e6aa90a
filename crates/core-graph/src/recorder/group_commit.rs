//! Group commit: commits that wait are written together, in their order, by one task.
//!
//! Invariants:
//!
//! 1. A place in the queue is reserved and filled under the journal's lock, so that commits are written in the order of
//!    their sequence numbers.
//! 2. [`CommitStatus::waiting`] is raised before a request is enqueued and lowered after its events are sent: whoever finds
//!    it 0 under the journal's lock may write past the queue.
//! 3. The first failure of the store stays, nothing is written after it, and every ticket ends with it: the failure is
//!    noted before the requests are dropped, whose drop wakes those who wait.
//! 4. A ticket whose request nobody will take does not wait. The task that writes closes the queue before it drops what is
//!    in it; who enqueues looks whether the queue is closed when the request is in it. One of the two sees the other.
//! 5. A commit that has begun is carried to its end, whoever goes away: what it was begun in is the first of its batch, for
//!    it is begun only while nothing waits, under the journal's lock.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use smallvec::SmallVec;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

use crate::checkpoint::{CheckpointError, Checkpointer, Commit, Lease};
use crate::limits::TurnOrder;
use crate::recorder::events::{Events, tell};
use crate::recorder::subscriber::Queue;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{JoinHandle, Mutex, lock, spawn, yield_now};

/// At most so many requests wait in the queue; whoever comes then waits for a place.
const MOST_QUEUED: usize = 256;

/// Commits that belong together; mostly one.
pub(crate) type Commits = SmallVec<[Box<Commit>; 1]>;

/// A commit on its way to the store.
pub(crate) type BegunCommit = BoxFuture<'static, Result<(), CheckpointError>>;

/// What a request has written.
pub(crate) enum QueuedWrites {
    /// No commits when the sender only waits for the requests before this one.
    Commits(Commits),
    /// A commit that was begun where it was made, and waits for the store.
    Begun(BegunCommit),
}

/// A request to write commits.
pub(crate) struct WriteRequest {
    writes: QueuedWrites,
    /// Sent to the subscriber when the commits are written.
    pub(crate) events: Events,
    pub(crate) reader: Option<Arc<Queue>>,
    pub(crate) done: oneshot::Sender<()>,
}

/// The right to enqueue one request. Without a place the queue is gone, and has left its error.
pub(crate) struct Permit {
    permit: Option<mpsc::OwnedPermit<WriteRequest>>,
    status: Arc<CommitStatus>,
}

impl Permit {
    /// The last place of the queue. While there is room this does not wait, also when the task has used up its turn: a commit
    /// that has begun is not dropped on its way into the queue.
    pub(crate) async fn last(requests: mpsc::Sender<WriteRequest>, status: &Arc<CommitStatus>) -> Self {
        let permit = match requests.try_reserve_owned() {
            Ok(permit) => Some(permit),
            Err(TrySendError::Full(requests)) => requests.reserve_owned().await.ok(),
            Err(TrySendError::Closed(_)) => None,
        };
        Self { permit, status: Arc::clone(status) }
    }

    /// Enqueues commits in that place.
    pub(crate) fn enqueue(self, writes: QueuedWrites, events: Events, reader: Option<&Arc<Queue>>) -> CommitTicket {
        let (done, written) = oneshot::channel();
        let mut written = Some(written);
        if let Some(permit) = self.permit {
            self.status.waiting.fetch_add(1, Ordering::Release);
            let queue = permit.send(WriteRequest { writes, events, reader: reader.map(Arc::clone), done });
            // See invariant 4.
            written.take_if(|_| queue.is_closed());
        } else {
            written = None;
        }
        CommitTicket { written, status: self.status }
    }
}

/// The receipt of a request: waits until its commits are written.
#[must_use = "what nobody waits for may not be written"]
pub(crate) struct CommitTicket {
    /// None when the queue is gone, and has left its error.
    written: Option<oneshot::Receiver<()>>,
    status: Arc<CommitStatus>,
}

impl CommitTicket {
    /// Waits until all is written up to here.
    ///
    /// # Errors
    /// The store has failed, here or before.
    pub(crate) async fn written(self) -> Result<(), CheckpointError> {
        let done = match self.written {
            Some(written) => written.await.is_ok(),
            None => false,
        };
        if !done {
            self.status.fail(gone());
        }
        self.status.check()
    }
}

/// The queue, and the task that writes what is in it.
pub(crate) struct GroupCommit {
    requests: mpsc::Sender<WriteRequest>,
    task: JoinHandle<()>,
    status: Arc<CommitStatus>,
}

/// How far the commits of a run have come.
#[derive(Debug, Default)]
pub(crate) struct CommitStatus {
    /// Requests that are not carried out yet.
    pub(crate) waiting: AtomicUsize,
    has_failed: AtomicBool,
    /// The first failure of the store. After it nothing more is written under the lease.
    failure: Mutex<Option<CheckpointError>>,
}

impl CommitStatus {
    pub(crate) fn fail(&self, error: CheckpointError) {
        lock(&self.failure).get_or_insert(error);
        self.has_failed.store(true, Ordering::Release);
    }

    /// # Errors
    /// The store has failed, for everyone who asks.
    pub(crate) fn check(&self) -> Result<(), CheckpointError> {
        if !self.has_failed.load(Ordering::Acquire) {
            return Ok(());
        }
        match &*lock(&self.failure) {
            None => Ok(()),
            Some(error) => Err(repeated(error)),
        }
    }
}

/// The error of a writing task that has gone without leaving one.
fn gone() -> CheckpointError {
    let source =
        "the task that writes has ended before its time: the store panicked, or its tokio runtime was shut down";
    CheckpointError::Store { action: "committing".to_owned(), source: source.into() }
}

/// An error of a commit once more, for the next who asks.
fn repeated(error: &CheckpointError) -> CheckpointError {
    use CheckpointError::{Full, Locked, StaleHead, Store, UnknownThread};
    match error {
        StaleHead { thread, ns, epoch, detail } => {
            StaleHead { thread: thread.clone(), ns: ns.clone(), epoch: *epoch, detail: detail.clone() }
        }
        UnknownThread { thread } => UnknownThread { thread: thread.clone() },
        Locked { path, message } => Locked { path: path.clone(), message: message.clone() },
        Full { path, message } => Full { path: path.clone(), message: message.clone() },
        Store { action, source } => Store { action: action.clone(), source: source.to_string().into() },
        other => Store { action: "an earlier commit of the run".to_owned(), source: other.to_string().into() },
    }
}

impl GroupCommit {
    /// Starts the task that writes. In a simulation `schedule` decides what shares a transaction.
    pub(crate) fn start(
        store: Arc<dyn Checkpointer>,
        lease: Lease,
        status: Arc<CommitStatus>,
        schedule: Option<Arc<dyn TurnOrder>>,
    ) -> Self {
        let (requests, waiting) = mpsc::channel(MOST_QUEUED);
        let task = spawn({
            let status = Arc::clone(&status);
            async move { write(&*store, &lease, &status, schedule.as_deref(), waiting).await }
        });
        Self { requests, task, status }
    }

    pub(crate) fn requests(&self) -> mpsc::Sender<WriteRequest> {
        self.requests.clone()
    }

    /// Waits until the queue is written, or the store has failed.
    pub(crate) async fn close(self) {
        drop(self.requests);
        if self.task.await.is_err() {
            self.status.fail(gone());
        }
    }
}

/// Carries out requests until there are no more, or the store fails.
async fn write(
    store: &dyn Checkpointer,
    lease: &Lease,
    status: &CommitStatus,
    schedule: Option<&dyn TurnOrder>,
    mut waiting: mpsc::Receiver<WriteRequest>,
) {
    let mut requests = Vec::new();
    while !requests.is_empty() || waiting.recv_many(&mut requests, MOST_QUEUED).await > 0 {
        // See invariant 5. Who waits for it does not wait for what came meanwhile.
        let begun = match requests.first_mut().map(|request| &mut request.writes) {
            Some(QueuedWrites::Begun(begun)) => Some(begun.await),
            _ => None,
        };
        let mut batch = 1;
        if begun.is_none() {
            collect_batch(&mut requests, &mut waiting).await;
            batch = requests.len();
        }
        if let Some(schedule) = schedule {
            schedule.pause().await;
            batch = 1 + schedule.draw(batch);
        }
        let written = match begun {
            Some(written) => written,
            None => write_batch(store, lease, &mut requests[..batch]).await,
        };
        if let Err(error) = written {
            // See invariant 3.
            return status.fail(error);
        }
        for request in &mut requests[..batch] {
            tell(request.reader.as_deref(), &mut request.events).await;
        }
        // See invariant 2.
        status.waiting.fetch_sub(batch, Ordering::Release);
        for request in requests.drain(..batch) {
            if let Some(schedule) = schedule {
                schedule.pause().await;
            }
            // The one who waited may be gone.
            let _ = request.done.send(());
        }
    }
}

/// Writes the commits of requests together.
async fn write_batch(
    store: &dyn Checkpointer,
    lease: &Lease,
    requests: &mut [WriteRequest],
) -> Result<(), CheckpointError> {
    let mut commits: Vec<Commit> = Vec::new();
    for request in requests {
        if let QueuedWrites::Commits(more) = &mut request.writes {
            commits.extend(more.drain(..).map(|commit| *commit));
        }
    }
    match commits.len() {
        0 => Ok(()),
        1 => store.commit(lease, commits.remove(0)).await,
        _ => store.commit_all(lease, commits).await,
    }
}

/// Collects the requests that are about to come: yields until a round brings no more, since another transaction takes
/// longer than that. Requests that nobody waits for are not put off.
async fn collect_batch(requests: &mut Vec<WriteRequest>, waiting: &mut mpsc::Receiver<WriteRequest>) {
    let mut before = if requests.iter().all(|request| request.done.is_closed()) { requests.len() } else { 0 };
    while before < requests.len() && requests.len() < MOST_QUEUED {
        before = requests.len();
        yield_now().await;
        while let Ok(request) = waiting.try_recv() {
            requests.push(request);
        }
    }
}

impl fmt::Debug for GroupCommit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GroupCommit")
    }
}
