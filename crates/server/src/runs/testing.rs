//! Processes that die, one after the other over the same stores.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::{Checkpointer, MemoryCheckpointer, ThreadFilter};
use graphloom_core_graph::store::{
    Expected, Item, MemoryStore, Namespace, NamespaceFilter, PutOptions, Query, Store, StoreError,
};

use serde_json::{Value, json};
use uuid::Uuid;

use crate::artifacts::ARTIFACTS;
use crate::builder::Server;
use crate::graph::Fields;
use crate::records::{Multitask, RESERVED, system_assistant_id};
use crate::runs::{NewRun, RunManager};

/// A run of a demo graph, with an order as it is stored.
pub(crate) fn new_run(graph: &str, order: Value) -> NewRun {
    NewRun {
        assistant: system_assistant_id(graph),
        graph: graph.to_owned(),
        order: serde_json::from_value(order).unwrap(),
        metadata: Fields::new(),
        multitask: Multitask::Enqueue,
        start_at: None,
        temporary: None,
        webhook: None,
        run_id: None,
        traceparent: None,
    }
}

/// The store of a process that dies: after so many writes none arrives any more.
pub(crate) struct Dying {
    store: Arc<MemoryStore>,
    writes_left: AtomicUsize,
    is_dead: AtomicBool,
}

impl Dying {
    /// Whether a write was asked for after the last one that arrived.
    pub(crate) fn is_dead(&self) -> bool {
        self.is_dead.load(Ordering::SeqCst)
    }

    fn write(&self) -> Result<(), StoreError> {
        let left = self.writes_left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        self.is_dead.fetch_or(left.is_err(), Ordering::SeqCst);
        let died = || StoreError::Store { action: "writing".to_owned(), source: "the process died".into() };
        left.map(drop).map_err(|_| died())
    }
}

#[async_trait]
impl Store for Dying {
    async fn put(&self, namespace: &Namespace, key: &str, value: Value, options: PutOptions) -> Result<(), StoreError> {
        self.write()?;
        self.store.put(namespace, key, value, options).await
    }

    async fn put_if(
        &self,
        namespace: &Namespace,
        key: &str,
        value: Value,
        options: PutOptions,
        expected: &Expected,
    ) -> Result<bool, StoreError> {
        self.write()?;
        self.store.put_if(namespace, key, value, options, expected).await
    }

    async fn get(&self, namespace: &Namespace, key: &str) -> Result<Option<Item>, StoreError> {
        self.store.get(namespace, key).await
    }

    async fn delete(&self, namespace: &Namespace, key: &str) -> Result<bool, StoreError> {
        self.write()?;
        self.store.delete(namespace, key).await
    }

    async fn query(&self, query: &Query) -> Result<Vec<Item>, StoreError> {
        self.store.query(query).await
    }

    async fn list_namespaces(&self, filter: &NamespaceFilter) -> Result<Vec<Namespace>, StoreError> {
        self.store.list_namespaces(filter).await
    }

    async fn sweep(&self) -> Result<u64, StoreError> {
        self.store.sweep().await
    }
}

/// What is left on the disk between processes.
#[derive(Default)]
pub(crate) struct Machine {
    checkpoints: Arc<MemoryCheckpointer>,
    pub(crate) store: Arc<MemoryStore>,
}

impl Machine {
    /// Puts two documents of a thread.
    pub(crate) async fn put_documents(&self, thread: Uuid) {
        let place = Namespace::new([RESERVED, ARTIFACTS, &thread.to_string()]).unwrap();
        for hash in ["a", "b"] {
            self.store.put(&place, hash, json!({"text": "x"}), PutOptions::default()).await.unwrap();
        }
    }

    /// A process that lives.
    pub(crate) async fn process(&self) -> RunManager {
        self.dying(usize::MAX).await.0
    }

    /// A process that dies after so many writes, once it has started.
    pub(crate) async fn dying(&self, writes: usize) -> (RunManager, Arc<Dying>) {
        let store = Arc::clone(&self.store);
        let dying =
            Arc::new(Dying { store, writes_left: AtomicUsize::new(usize::MAX), is_dead: AtomicBool::new(false) });
        let server = Server::new().demo().unwrap().checkpointer(Arc::clone(&self.checkpoints) as Arc<dyn Checkpointer>);
        let manager = server.store(Arc::clone(&dying) as Arc<dyn Store>).open().await.unwrap();
        dying.writes_left.store(writes, Ordering::SeqCst);
        (manager, dying)
    }

    /// Every item and every checkpointed thread in which an id occurs.
    pub(crate) async fn left_of(&self, thread: Uuid) -> Vec<String> {
        let id = thread.to_string();
        self.everything().await.into_iter().filter(|text| text.contains(&id)).collect()
    }

    /// Every item and every checkpointed thread.
    pub(crate) async fn everything(&self) -> Vec<String> {
        let items = self.store.query(&Query::default().limit(usize::MAX)).await.unwrap();
        let items = items.into_iter().map(|item| format!("{} {} {}", item.namespace, item.key, item.value));
        let threads = self.checkpoints.threads(&ThreadFilter::default()).await.unwrap();
        items.chain(threads.into_iter().map(|row| format!("checkpoints of {}", row.thread))).collect()
    }
}
