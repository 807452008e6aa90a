//! The line before the store: commits that wait are written together, in their order, by one task.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use smallvec::SmallVec;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::checkpoint::{CheckpointError, Checkpointer, Commit, Lease};
use crate::driver::sink::Queue;
use crate::driver::told::{Events, tell};

/// As many wait in the line at most; who comes then waits before it.
const LONGEST: usize = 256;

/// Commits that belong together; mostly one.
pub(super) type Commits = SmallVec<[Box<Commit>; 1]>;

/// What stands in the line.
#[derive(Debug)]
pub(super) struct Order {
    /// None for who only waits for those before it.
    pub(super) commits: Commits,
    /// Told to the reader when the commits are written.
    pub(super) events: Events,
    pub(super) reader: Option<Arc<Queue>>,
    pub(super) done: oneshot::Sender<()>,
}

/// A place at the end of the line; none in a line that is gone, which has left its error.
pub(super) struct Place {
    place: Option<mpsc::OwnedPermit<Order>>,
    progress: Arc<Progress>,
}

impl Place {
    pub(super) async fn last(orders: mpsc::Sender<Order>, progress: &Arc<Progress>) -> Self {
        Self { place: orders.reserve_owned().await.ok(), progress: Arc::clone(progress) }
    }

    /// Stands there.
    pub(super) fn stand(self, commits: Commits, events: Events, reader: Option<&Arc<Queue>>) -> Standing {
        let (done, written) = oneshot::channel();
        if let Some(place) = self.place {
            self.progress.waiting.fetch_add(1, Ordering::Release);
            place.send(Order { commits, events, reader: reader.map(Arc::clone), done });
        } else {
            self.progress.fail(gone());
        }
        Standing { written, progress: self.progress }
    }
}

/// What stands in the line, for who put it there.
#[must_use = "what nobody waits for may not be written"]
pub(super) struct Standing {
    written: oneshot::Receiver<()>,
    progress: Arc<Progress>,
}

impl Standing {
    /// Waits until all is written up to here.
    ///
    /// # Errors
    /// The store has failed, here or before.
    pub(super) async fn written(self) -> Result<(), CheckpointError> {
        if self.written.await.is_err() {
            self.progress.fail(gone());
        }
        self.progress.check()
    }
}

/// The line, and the task that writes it.
pub(super) struct Line {
    orders: mpsc::Sender<Order>,
    task: JoinHandle<()>,
    progress: Arc<Progress>,
}

/// What has become of the commits of a run.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Orders that are not carried out yet.
    pub(super) waiting: AtomicUsize,
    has_failed: AtomicBool,
    /// The first failure of the store. After it nothing more is written under the lease.
    failure: Mutex<Option<CheckpointError>>,
}

impl Progress {
    pub(super) fn fail(&self, error: CheckpointError) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.has_failed.store(true, Ordering::Release);
    }

    /// # Errors
    /// The store has failed, for everyone who asks.
    pub(super) fn check(&self) -> Result<(), CheckpointError> {
        if !self.has_failed.load(Ordering::Acquire) {
            return Ok(());
        }
        match &*self.failure.lock().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(()),
            Some(error) => Err(repeated(error)),
        }
    }
}

/// The error of a line that has not left one.
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

impl Line {
    pub(super) fn start(store: Arc<dyn Checkpointer>, lease: Lease, progress: Arc<Progress>) -> Self {
        let (orders, waiting) = mpsc::channel(LONGEST);
        let task = tokio::spawn({
            let progress = Arc::clone(&progress);
            async move { write(&*store, &lease, &progress, waiting).await }
        });
        Self { orders, task, progress }
    }

    pub(super) fn orders(&self) -> mpsc::Sender<Order> {
        self.orders.clone()
    }

    /// Waits until all that stands in the line is written, or the store has failed.
    pub(super) async fn close(self) {
        drop(self.orders);
        if self.task.await.is_err() {
            self.progress.fail(gone());
        }
    }
}

/// Carries out orders until there are no more, or the store fails.
async fn write(store: &dyn Checkpointer, lease: &Lease, progress: &Progress, mut waiting: mpsc::Receiver<Order>) {
    let mut orders = Vec::new();
    while waiting.recv_many(&mut orders, LONGEST).await > 0 {
        gather(&mut orders, &mut waiting).await;
        let mut commits: Vec<Commit> =
            orders.iter_mut().flat_map(|order| std::mem::take(&mut order.commits)).map(|commit| *commit).collect();
        let written = match commits.len() {
            0 => Ok(()),
            1 => store.commit(lease, commits.remove(0)).await,
            _ => store.commit_all(lease, commits).await,
        };
        if let Err(error) = written {
            // Who waits is let go when the orders are dropped, and is to find the error.
            return progress.fail(error);
        }
        for order in &mut orders {
            tell(order.reader.as_deref(), &mut order.events).await;
        }
        // Not before all is told: who finds the line empty goes past it.
        progress.waiting.fetch_sub(orders.len(), Ordering::Release);
        for order in orders.drain(..) {
            // The one who waited may be gone.
            let _ = order.done.send(());
        }
    }
}

/// Lets those come who are about to: one transaction more takes longer than their way here. What nobody waits for is not
/// put off.
async fn gather(orders: &mut Vec<Order>, waiting: &mut mpsc::Receiver<Order>) {
    let mut before = if orders.iter().all(|order| order.done.is_closed()) { orders.len() } else { 0 };
    while before < orders.len() && orders.len() < LONGEST {
        before = orders.len();
        tokio::task::yield_now().await;
        while let Ok(order) = waiting.try_recv() {
            orders.push(order);
        }
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Line")
    }
}
