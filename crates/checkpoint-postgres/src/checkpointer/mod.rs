//! The checkpointer on a database.

mod checksum;
mod commit;
mod order;
mod read;
mod upkeep;

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::{
    Capabilities, CheckpointError, CheckpointRow, Checkpointer, Checksum, Commit, FieldOutline, FieldRecord,
    HistoryFilter, JournalRow, Lease, Leases, Pruning, Stats, TaskRecord, ThreadFilter, ThreadRow,
};
use tokio::runtime::Handle;

use self::order::{Order, Turn};

use crate::database::{Database, Heartbeat, instance_name};
use crate::failure::Failure;
use crate::options::PostgresOptions;
use crate::store::PostgresStore;

/// Between two looks at a thread that another program holds.
const SHORTEST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// A [`Checkpointer`] in a PostgreSQL database.
///
/// Any number of programs on any number of machines may use one database; a thread has one writer among all of them.
/// When a writer dies, its threads are taken over after [`PostgresOptions::expiry`]; one that goes on after that,
/// because it was only cut off, is refused by its epoch. A clone is another handle to the same checkpointer, and so to
/// the same leases.
///
/// It is used on the tokio runtime on which it was connected.
#[derive(Clone, Debug)]
pub struct PostgresCheckpointer {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    database: Database,
    heartbeat: Heartbeat,
    leases: Leases,
    order: Order,
    patience: Duration,
    runtime: Handle,
}

impl PostgresCheckpointer {
    /// Connects with the default options to `postgres://user:password@host/database`, and makes the tables where there
    /// are none.
    ///
    /// # Errors
    /// [`CheckpointError::Store`] when the server does not answer or the user may not make tables,
    /// [`CheckpointError::NewerFormat`] for tables of a newer version.
    pub async fn connect(url: &str) -> Result<Self, CheckpointError> {
        Self::connect_with(url, &PostgresOptions::default()).await
    }

    /// Connects, and makes the tables where there are none. Errors as for [`PostgresCheckpointer::connect`], and for
    /// options that cannot be.
    pub async fn connect_with(url: &str, options: &PostgresOptions) -> Result<Self, CheckpointError> {
        let open = async {
            if options.heartbeat.is_zero() || options.heartbeat >= options.expiry {
                let message =
                    "`heartbeat` must be longer than nothing and shorter than `expiry`, a third of it or less";
                return Err(Failure::Setting(message.to_owned()));
            }
            let database = Database::open(url, options).await?;
            let heartbeat =
                Heartbeat::start(&database.pool, instance_name(), options.heartbeat, options.expiry).await?;
            let leases = Leases::new(&heartbeat.instance);
            Ok(Self {
                inner: Arc::new(Inner {
                    database,
                    heartbeat,
                    leases,
                    order: Order::default(),
                    patience: options.patience,
                    runtime: Handle::current(),
                }),
            })
        };
        // The address may hold a password, so it is no part of the message.
        open.await.map_err(|failure: Failure| failure.checkpoint("PostgreSQL", "connecting"))
    }

    /// Whether a schema has tables, which are made by the first who connects. Nothing is made by asking.
    ///
    /// # Errors
    /// [`CheckpointError::Store`] when the server does not answer, or the options cannot be.
    pub async fn is_there(url: &str, options: &PostgresOptions) -> Result<bool, CheckpointError> {
        let found = Database::is_there(url, options).await;
        found.map_err(|failure| failure.checkpoint("PostgreSQL", "connecting"))
    }

    /// The long-term store in the same schema.
    pub fn store(&self) -> PostgresStore {
        PostgresStore::on(self.inner.database.clone())
    }

    /// Gives all leases back and closes the connections, so that others take over at once. Without it that happens in
    /// the background when the last handle is dropped, or after the expiry.
    ///
    /// # Errors
    /// [`CheckpointError::Store`] when the database does not answer any more.
    pub async fn close(&self) -> Result<(), CheckpointError> {
        let stopped = self.inner.heartbeat.stop().await;
        self.inner.database.pool.close().await;
        self.inner.database.upkeep.close().await;
        stopped.map_err(|failure| self.error(failure, "closing"))
    }

    fn error(&self, failure: Failure, action: &str) -> CheckpointError {
        failure.checkpoint(&self.inner.database.place, action)
    }

    /// What work on the database comes to, if it answers in time.
    async fn answered<T>(
        &self,
        action: &str,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, CheckpointError> {
        self.inner.database.answered(work).await.map_err(|failure| self.error(failure, action))
    }

    async fn acquire_thread(&self, thread: &str) -> Result<Lease, Failure> {
        let thread: Arc<str> = thread.into();
        let busy = |owner: String| CheckpointError::ThreadBusy { thread: thread.to_string(), owner };
        let reserved = self.inner.leases.reserve(&thread).map_err(|owner| busy(owner.to_string()))?;
        // What names this checkpointer is a lease of ours that was given back.
        let own = |owner: &str| owner.split('/').next() == Some(self.inner.heartbeat.instance.as_str());
        let (asked, mut pause) = (Instant::now(), SHORTEST_PAUSE);
        loop {
            let database = &self.inner.database;
            let stored = database.answered(commit::owner(&database.pool, &thread, false)).await?;
            let Some(stored) = stored else { return Ok(reserved.into_lease(1)) };
            if stored.owner.is_empty() || own(&stored.owner) {
                return Ok(reserved.into_lease(stored.epoch + 1));
            }
            if !stored.lives && database.answered(commit::dispossess(&database.pool, &thread, &stored)).await? {
                return Ok(reserved.into_lease(stored.epoch + 1));
            }
            if asked.elapsed() >= self.inner.patience {
                return Err(busy(stored.owner).into());
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

impl Inner {
    fn claim(&self, lease: &Lease, ns: &str) -> Result<(), Failure> {
        self.leases.claim(lease).map_err(|detail| commit::stale(lease, ns, detail))
    }

    /// Writes commits in one transaction.
    async fn commit(&self, lease: &Lease, commits: &[Commit]) -> Result<(), Failure> {
        self.claim(lease, commits.first().map_or("", |commit| &*commit.ns))?;
        match commits {
            // One statement is a transaction by itself.
            [commit] => commit::apply(&self.database.pool, lease, commit).await?,
            _ => {
                let mut transaction = self.database.pool.begin().await?;
                for commit in commits {
                    commit::apply(&mut *transaction, lease, commit).await?;
                }
                transaction.commit().await?;
            }
        }
        if commits.iter().any(|commit| commit.release) {
            self.leases.remove(lease);
            self.order.forget(&lease.thread);
        }
        Ok(())
    }

    /// Clears the owner that is stored for a lease which was given back.
    async fn disown(&self, turn: Turn, lease: &Lease) {
        let turn = turn.lock().await;
        // Another may have claimed the thread since. What fails here ends with the expiry.
        let query = "UPDATE threads SET holder = '', holder_sum = $3 WHERE thread = $1 AND holder = $2";
        let sum = Checksum::of_holder(&lease.thread, lease.epoch, "").stored();
        let disown = sqlx::query(query).bind(&*lease.thread).bind(&*lease.owner).bind(sum);
        if let Err(error) = disown.execute(&self.database.pool).await {
            tracing::warn!(%error, thread = &*lease.thread, "a lease was not given back in the database");
        }
        drop(turn);
        self.order.forget(&lease.thread);
    }
}

#[async_trait]
impl Checkpointer for PostgresCheckpointer {
    fn capabilities(&self) -> Capabilities {
        let mut capabilities = Capabilities::default();
        capabilities.delete_thread = true;
        capabilities.copy_thread = true;
        capabilities.prune = true;
        capabilities.shares_values = true;
        capabilities.stats = true;
        capabilities.compact = true;
        capabilities.compact_steps = true;
        capabilities
    }

    async fn acquire(&self, thread: &str) -> Result<Lease, CheckpointError> {
        self.acquire_thread(thread).await.map_err(|failure| self.error(failure, "asking for a thread"))
    }

    fn release(&self, lease: &Lease) {
        if self.inner.leases.remove(lease) {
            // After a commit that is under way, which would store its owner again.
            let turn = self.inner.order.turn(&lease.thread);
            let (inner, lease) = (Arc::clone(&self.inner), lease.clone());
            self.inner.runtime.spawn(async move { inner.disown(turn, &lease).await });
        } else {
            self.inner.order.forget(&lease.thread);
        }
    }

    async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError> {
        self.commit_all(lease, vec![commit]).await
    }

    async fn commit_all(&self, lease: &Lease, commits: Vec<Commit>) -> Result<(), CheckpointError> {
        // Connections do not know of each other: what is asked for first must be written first. A commit that has begun
        // ends, also when nobody waits for it any more.
        let turn = self.inner.order.turn(&lease.thread).lock_owned().await;
        let (inner, lease) = (Arc::clone(&self.inner), lease.clone());
        let written = self.inner.runtime.spawn(async move {
            let _turn = turn;
            inner.database.answered(inner.commit(&lease, &commits)).await
        });
        written.await.map_err(Failure::Ended).flatten().map_err(|failure| self.error(failure, "committing"))
    }

    async fn thread(&self, thread: &str) -> Result<Option<ThreadRow>, CheckpointError> {
        self.answered("reading a thread", read::thread(&self.inner.database.pool, thread)).await
    }

    async fn threads(&self, filter: &ThreadFilter) -> Result<Vec<ThreadRow>, CheckpointError> {
        self.answered("listing threads", read::threads(&self.inner.database.pool, filter)).await
    }

    async fn namespaces(&self, thread: &str) -> Result<Vec<String>, CheckpointError> {
        self.answered("listing namespaces", read::namespaces(&self.inner.database.pool, thread)).await
    }

    async fn checkpoint(
        &self,
        thread: &str,
        ns: &str,
        number: Option<u64>,
    ) -> Result<Option<CheckpointRow>, CheckpointError> {
        self.answered("reading a checkpoint", read::checkpoint(&self.inner.database.pool, thread, ns, number)).await
    }

    async fn checkpoints(
        &self,
        thread: &str,
        ns: &str,
        filter: &HistoryFilter,
    ) -> Result<Vec<CheckpointRow>, CheckpointError> {
        self.answered("listing checkpoints", read::checkpoints(&self.inner.database.pool, thread, ns, filter)).await
    }

    async fn field(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        self.answered("reading a field", read::field(&self.inner.database.pool, thread, ns, field, version, None)).await
    }

    async fn field_after(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
        known: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        self.answered(
            "reading a field",
            read::field(&self.inner.database.pool, thread, ns, field, version, Some(known)),
        )
        .await
    }

    async fn task_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError> {
        self.answered("reading task records", read::task_records(&self.inner.database.pool, thread, ns)).await
    }

    async fn open_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError> {
        self.answered("reading task records", read::open_records(&self.inner.database.pool, thread, ns)).await
    }

    async fn once_records(
        &self,
        thread: &str,
        ns: &str,
        tasks: &[Arc<str>],
    ) -> Result<Vec<TaskRecord>, CheckpointError> {
        self.answered("reading task records", read::once_records(&self.inner.database.pool, thread, ns, tasks)).await
    }

    async fn journal(&self, thread: &str, after: u64, limit: usize) -> Result<Vec<JournalRow>, CheckpointError> {
        self.answered("reading the journal", read::journal(&self.inner.database.pool, thread, after, limit)).await
    }

    async fn last_seq(&self, thread: &str) -> Result<u64, CheckpointError> {
        self.answered("reading the journal", read::last_seq(&self.inner.database.pool, thread)).await
    }

    async fn delete_thread(&self, thread: &str) -> Result<(), CheckpointError> {
        // Under a lease of our own, so that nobody writes the thread meanwhile.
        let held = HeldLease { store: self, lease: self.acquire(thread).await? };
        let result = upkeep::delete_thread(&self.inner.database.upkeep, &held.lease).await;
        result.map_err(|failure| self.error(failure, "deleting a thread"))
    }

    async fn copy_thread(&self, from: &str, to: &str) -> Result<(), CheckpointError> {
        let from = HeldLease { store: self, lease: self.acquire(from).await? };
        if from.lease.thread.as_ref() == to {
            return Err(CheckpointError::ThreadExists { thread: to.to_owned() });
        }
        let to = HeldLease { store: self, lease: self.acquire(to).await? };
        let result = upkeep::copy_thread(&self.inner.database.upkeep, &from.lease, &to.lease.thread).await;
        result.map_err(|failure| self.error(failure, "copying a thread"))
    }

    async fn outline(&self, thread: &str, ns: &str) -> Result<Vec<FieldOutline>, CheckpointError> {
        self.answered("reading an outline", read::outline(&self.inner.database.pool, thread, ns)).await
    }

    async fn prune(&self, lease: &Lease, pruning: Pruning) -> Result<(), CheckpointError> {
        let prune = async {
            self.inner.claim(lease, "")?;
            upkeep::prune(&self.inner.database.upkeep, lease, &pruning).await
        };
        prune.await.map_err(|failure| self.error(failure, "pruning a thread"))
    }

    async fn stats(&self) -> Result<Stats, CheckpointError> {
        upkeep::stats(&self.inner.database.upkeep).await.map_err(|failure| self.error(failure, "measuring the store"))
    }

    async fn compact(&self) -> Result<(), CheckpointError> {
        upkeep::compact(&self.inner.database.upkeep)
            .await
            .map_err(|failure| self.error(failure, "compacting the store"))
    }
}

/// A lease that is given back at the end, also when the future that holds it is dropped.
struct HeldLease<'s> {
    store: &'s PostgresCheckpointer,
    lease: Lease,
}

impl Drop for HeldLease<'_> {
    fn drop(&mut self) {
        self.store.release(&self.lease);
    }
}
