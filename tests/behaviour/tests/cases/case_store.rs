//! The store and the durability of a case, with threads that no other case uses.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, mpsc};
use std::time::Duration;

use graphloom_checkpoint_postgres::{PostgresCheckpointer, PostgresOptions};
use graphloom_checkpoint_sqlite::SqliteCheckpointer;
use graphloom_core_graph::checkpoint::{CheckpointError, Checkpointer, MemoryCheckpointer};
use graphloom_core_graph::store::{MemoryStore, Store};
use graphloom_core_graph::{Durability, RunPolicy, State, StateGraph, Thread, Threads};
use graphloom_postgres_server::Server;
use tempfile::TempDir;

/// Which store a case runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Memory,
    Sqlite,
    Postgres,
}

/// One server serves all cases of this program.
static SERVER: LazyLock<Server> = LazyLock::new(Server::start);

/// Threads of all cases are in one database.
static THREADS: AtomicU64 = AtomicU64::new(1);

/// The store and the durability of one case.
pub(crate) struct CaseStore {
    pub(crate) durability: Durability,
    kind: Kind,
    store: Arc<dyn Checkpointer>,
    memory: Arc<dyn Store>,
    directory: TempDir,
}

impl CaseStore {
    pub(crate) async fn new(kind: Kind, durability: Durability) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let (store, memory): (Arc<dyn Checkpointer>, Arc<dyn Store>) = match kind {
            Kind::Memory => (Arc::new(MemoryCheckpointer::new()), Arc::new(MemoryStore::new())),
            Kind::Sqlite => {
                let store = sqlite(&directory);
                let memory = Arc::new(store.store());
                (Arc::new(store), memory)
            }
            Kind::Postgres => {
                let store = postgres().await;
                let memory = Arc::new(store.store());
                (Arc::new(store), memory)
            }
        };
        Self { durability, kind, store, memory, directory }
    }

    /// The store.
    pub(crate) fn store(&self) -> Arc<dyn Checkpointer> {
        Arc::clone(&self.store)
    }

    /// The store as another process would open it.
    pub(crate) async fn opened_again(&self) -> Arc<dyn Checkpointer> {
        match self.kind {
            Kind::Memory => self.store(),
            Kind::Sqlite => Arc::new(sqlite(&self.directory)),
            Kind::Postgres => Arc::new(postgres().await),
        }
    }

    /// Whether a super-step leaves a checkpoint of its own.
    pub(crate) fn keeps_steps(&self) -> bool {
        self.durability != Durability::Exit
    }

    /// The policy of the case.
    pub(crate) fn policy(&self) -> RunPolicy {
        RunPolicy::default().durability(self.durability)
    }

    /// Threads of a graph, with the long-term store of the same kind.
    pub(crate) fn threads<S: State>(&self, graph: StateGraph<S>) -> Threads<S> {
        let graph = graph.compile().expect("the graph is right");
        graph.with_shared_checkpointer(self.store()).with_store(Arc::clone(&self.memory))
    }

    /// A new thread of a graph.
    pub(crate) fn thread<S: State>(&self, graph: StateGraph<S>) -> Thread<S> {
        self.threads(graph).thread(self.id()).policy(self.policy())
    }

    /// An id that no other case uses.
    pub(crate) fn id(&self) -> String {
        format!("thread-{}", THREADS.fetch_add(1, Ordering::Relaxed))
    }
}

/// Virtual time that moves only when the case says so, on every store: left alone it would run ahead of a server, which has a clock of
/// its own. Until this is dropped.
pub(crate) struct HeldClock {
    /// Time was real before.
    is_paused: bool,
    /// Whose end a thread waits for: meanwhile tokio does not move paused time by itself.
    _held: mpsc::Sender<()>,
}

impl HeldClock {
    pub(crate) fn new(case_store: &CaseStore) -> Self {
        let is_paused = case_store.kind == Kind::Postgres;
        if is_paused {
            tokio::time::pause();
        }
        let (held, ended) = mpsc::channel();
        tokio::task::spawn_blocking(move || ended.recv());
        Self { is_paused, _held: held }
    }

    /// Lets this much time pass, and the millisecond by which timers may be late. In all it is less than a store lets its server take.
    pub(crate) async fn advance(&self, time: Duration) {
        tokio::time::advance(time + Duration::from_millis(1)).await;
    }
}

impl Drop for HeldClock {
    fn drop(&mut self) {
        if self.is_paused {
            tokio::time::resume();
        }
    }
}

/// Waits until nobody holds a thread: a store that is asked to free one does so in its own time.
pub(crate) async fn until_free(store: &dyn Checkpointer, thread: &str) {
    loop {
        match store.acquire(thread).await {
            Ok(lease) => return store.release(&lease),
            Err(CheckpointError::ThreadBusy { .. }) => tokio::task::yield_now().await,
            Err(error) => panic!("{error}"),
        }
    }
}

fn sqlite(directory: &TempDir) -> SqliteCheckpointer {
    SqliteCheckpointer::open(directory.path().join("threads.db")).expect("the file opens")
}

async fn postgres() -> PostgresCheckpointer {
    let url = tokio::task::spawn_blocking(|| SERVER.url()).await.expect("the server starts");
    PostgresCheckpointer::connect_with(&url, &PostgresOptions::default().max_connections(4)).await.expect("it connects")
}

/// Makes a test of each function for each store and durability. Time is virtual where no server has its own.
macro_rules! on_every_store {
    ($($case:ident),+ $(,)?) => {$(
        mod $case {
            $crate::case_store::on_every_store!(@store $case, memory, Memory, true);
            $crate::case_store::on_every_store!(@store $case, sqlite, Sqlite, true);
            $crate::case_store::on_every_store!(@store $case, postgres, Postgres, false);
        }
    )+};
    (@store $case:ident, $store:ident, $kind:ident, $paused:literal) => {
        mod $store {
            $crate::case_store::on_every_store!(@test $case, $kind, $paused, sync, Sync);
            $crate::case_store::on_every_store!(@test $case, $kind, $paused, asynchronous, Async);
            $crate::case_store::on_every_store!(@test $case, $kind, $paused, exit, Exit);
        }
    };
    (@test $case:ident, $kind:ident, $paused:literal, $name:ident, $durability:ident) => {
        #[tokio::test(start_paused = $paused)]
        async fn $name() {
            use $crate::case_store::{CaseStore, Kind};
            let case_store = CaseStore::new(Kind::$kind, graphloom_core_graph::Durability::$durability).await;
            super::super::$case(&case_store).await;
        }
    };
}

pub(crate) use on_every_store;
