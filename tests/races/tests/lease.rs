//! Two processes that ask for a thread at the same time.

use std::sync::Arc;

use graphloom_checkpoint_sqlite::SqliteCheckpointer;
use graphloom_core_graph::checkpoint::{CheckpointError, Checkpointer, CheckpointerLayer, Lease};
use graphloom_core_graph::{Compiled, Node, NodeError, RunError, START, Snapshot, StateGraph};
use graphloom_races::work::Work;
use tokio::sync::{Mutex, Notify};

/// What happens between the moment when a process is given its lease and its first look at the thread.
type Meanwhile = Box<dyn FnOnce() -> tokio::task::JoinHandle<()> + Send>;

/// The store of a process that is slow.
struct Late {
    store: SqliteCheckpointer,
    meanwhile: Mutex<Option<Meanwhile>>,
}

#[async_trait::async_trait]
impl CheckpointerLayer for Late {
    fn inner(&self) -> &dyn Checkpointer {
        &self.store
    }

    async fn acquire(&self, thread: &str) -> Result<Lease, CheckpointError> {
        let lease = self.store.acquire(thread).await?;
        if let Some(meanwhile) = self.meanwhile.lock().await.take() {
            meanwhile().await.expect("it does not panic");
        }
        Ok(lease)
    }
}

/// Waits in its node until it may go on.
fn waits(begun: &Arc<Notify>, may_end: &Arc<Notify>) -> Compiled<Work> {
    const WAITS: Node = Node::named("waits");
    let (begun, may_end) = (Arc::clone(begun), Arc::clone(may_end));
    let mut graph = StateGraph::<Work>::new("waits");
    graph.add_node(WAITS, move |_: Snapshot<Work>| {
        let (begun, may_end) = (Arc::clone(&begun), Arc::clone(&may_end));
        async move {
            begun.notify_one();
            may_end.notified().await;
            Ok::<_, NodeError>(())
        }
    });
    graph.add_edge(START, WAITS);
    graph.compile().expect("the graph is the same at every call")
}

/// The error of a run whose lease another process was given, too, and used: `ends` tells whether that one has ended.
async fn error_of_the_second(ends: bool) -> RunError {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("d.db");
    let open = || SqliteCheckpointer::open(&file).expect("the file can be opened");
    let (begun, may_end) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let graph = waits(&begun, &may_end);
    let first = graph.with_checkpointer(open()).thread("t");
    if ends {
        may_end.notify_one();
    }
    let meanwhile: Meanwhile = Box::new(move || {
        tokio::spawn(async move {
            let run = first.run(Work::update()).start();
            begun.notified().await;
            if ends {
                run.await.expect("the first has the thread");
            } else {
                run.detach();
            }
        })
    });
    let late = Late { store: open(), meanwhile: Mutex::new(Some(meanwhile)) };
    let error = graph.with_checkpointer(late).thread("t").run(Work::update()).await.expect_err("one has the thread");
    may_end.notify_one();
    error
}

#[tokio::test]
async fn the_second_to_write_is_told_that_the_thread_is_busy() {
    let error = error_of_the_second(false).await;
    assert!(matches!(error, RunError::Checkpoint(CheckpointError::ThreadBusy { .. })), "{error}");
    let error = error_of_the_second(true).await;
    assert!(matches!(error, RunError::Checkpoint(CheckpointError::StaleHead { .. })), "{error}");
}
