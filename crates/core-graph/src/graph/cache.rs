//! Results of nodes, kept for tasks of the same key.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::checkpoint::RecordBytes;
use crate::context::Context;
use crate::error::NodeError;
use crate::handler::NodeFn;
use crate::name::Name;
use crate::state::{FieldChange, Op, Snapshot, State, StateError, codec};
use crate::step::Step;
use crate::step_row::NextRow;
use crate::store::{MemoryStore, Namespace, PutOptions, Query, Store, StoreError};

/// When a result of a node may stand for another run of it, see [`StateGraph::add_cache`](crate::StateGraph::add_cache).
pub struct Cache<S> {
    key: KeyFn<S>,
    ttl: Option<Duration>,
}

type KeyFn<S> = Arc<dyn Fn(&S) -> Result<Vec<u8>, StateError> + Send + Sync>;

impl<S: State> Cache<S> {
    /// Results are for tasks whose states give the same `key`, and, in a task node, whose inputs are the same.
    pub fn by<K: Serialize>(key: impl Fn(&S) -> K + Send + Sync + 'static) -> Self {
        Self { key: Arc::new(move |state| codec::encode("cache key", &key(state))), ttl: None }
    }

    /// Results are for tasks of the same state and input.
    pub fn of_state() -> Self {
        Self { key: Arc::new(|state| codec::encode("cache key", state)), ttl: None }
    }

    /// Keeps a result for this long; for ever when not set.
    #[must_use]
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }
}

/// A node whose results are kept.
pub(super) struct Cached<S: State, Cx> {
    node: Arc<dyn NodeFn<S, Cx>>,
    cache: Cache<S>,
    shelf: Arc<Shelf<S>>,
}

/// Where the results of a node are.
pub(crate) struct Shelf<S: State> {
    layout: S::Layout,
    namespace: Namespace,
    /// For runs without a store.
    memory: MemoryStore,
}

/// A result in stored form. Fields go by name: their places may change.
#[derive(Serialize, Deserialize)]
struct CachedRow {
    /// Field, whether it is replaced, and the bytes.
    update: Option<Vec<(String, bool, serde_bytes::ByteBuf)>>,
    next: NextRow,
}

impl<S: State, Cx> Cached<S, Cx> {
    pub(super) fn new(node: Arc<dyn NodeFn<S, Cx>>, cache: &Cache<S>, shelf: Arc<Shelf<S>>) -> Self {
        let cache = Cache { key: Arc::clone(&cache.key), ttl: cache.ttl };
        Self { node, cache, shelf }
    }

    fn key(&self, state: &S, input: Option<&[u8]>) -> Result<String, StateError> {
        let mut hasher = blake3::Hasher::new();
        let key = (self.cache.key)(state)?;
        hasher.update(&key.len().to_le_bytes()).update(&key).update(input.unwrap_or_default());
        Ok(hasher.finalize().to_hex().to_string())
    }
}

impl<S: State, Cx: Send + Sync + 'static> NodeFn<S, Cx> for Cached<S, Cx> {
    fn wants_context(&self) -> bool {
        true
    }

    fn call(
        &self,
        input: Option<RecordBytes>,
        state: Snapshot<S>,
        context: Option<Context<Cx>>,
    ) -> BoxFuture<'static, Result<Step<S>, NodeError>> {
        let (node, shelf, ttl) = (Arc::clone(&self.node), Arc::clone(&self.shelf), self.cache.ttl);
        let key = self.key(&state, input.as_deref());
        Box::pin(async move {
            let context = context.ok_or_else(|| NodeError::terminal("called without a context"))?;
            let key = key.map_err(NodeError::terminal)?;
            let store = context.store().map(Arc::clone);
            if let Some(step) = shelf.find(store.as_deref(), &key).await? {
                context.services().found_cached().await;
                return Ok(step);
            }
            let step = node.call(input, state, Some(context)).await?;
            shelf.put(store.as_deref(), &key, &step, ttl).await?;
            Ok(step)
        })
    }
}

impl<S: State> Shelf<S> {
    /// The place of a node's results. Another version of the graph or of its state has its own.
    pub(super) fn new(layout: S::Layout, graph: &str, versions: (u32, u32), node: &Name) -> Self {
        let version = format!("{}.{}", versions.0, versions.1);
        let segments = ["node cache", graph, node.as_str(), &version];
        // Names that cannot be segments share a place; they are in the keys of no other graph of this program.
        let namespace = Namespace::new(segments).unwrap_or_default();
        Self { layout, namespace, memory: MemoryStore::new() }
    }

    fn store<'a>(&'a self, store: Option<&'a dyn Store>) -> &'a dyn Store {
        store.unwrap_or(&self.memory)
    }

    /// A result, if there is one that this program can read.
    async fn find(&self, store: Option<&dyn Store>, key: &str) -> Result<Option<Step<S>>, StoreError> {
        let item = self.store(store).get(&self.namespace, key).await?;
        let bytes = item.and_then(|item| STANDARD_NO_PAD.decode(item.value.as_str()?).ok());
        let row = bytes.and_then(|bytes| codec::decode::<CachedRow>("cached result", &bytes).ok());
        Ok(row.and_then(|row| self.step(row)))
    }

    async fn put(
        &self,
        store: Option<&dyn Store>,
        key: &str,
        step: &Step<S>,
        ttl: Option<Duration>,
    ) -> Result<(), StoreError> {
        let failed =
            |error: StateError| StoreError::Store { action: "keeping a result".to_owned(), source: error.into() };
        let row = self.row(step).map_err(failed)?;
        let bytes = codec::encode("cached result", &row).map_err(failed)?;
        let options = ttl.map_or_else(PutOptions::default, PutOptions::ttl);
        self.store(store).put(&self.namespace, key, Value::String(STANDARD_NO_PAD.encode(bytes)), options).await
    }

    /// Forgets all results; how many they were.
    pub(crate) async fn clear(&self, store: Option<&dyn Store>) -> Result<u64, StoreError> {
        let store = self.store(store);
        let mut cleared = 0;
        loop {
            let items = store.query(&Query::below(self.namespace.clone())).await?;
            if items.is_empty() {
                return Ok(cleared);
            }
            for item in items {
                cleared += u64::from(store.delete(&item.namespace, &item.key).await?);
            }
        }
    }

    fn row(&self, step: &Step<S>) -> Result<CachedRow, StateError> {
        let fields = S::fields(&self.layout);
        let update = step.update.as_ref().map(|update| S::encode_update(&self.layout, update)).transpose()?;
        let named = |change: FieldChange| {
            let name = fields.get(change.field as usize).map_or_else(String::new, |field| field.name.to_string());
            (name, change.op == Op::Set, change.bytes.to_vec().into())
        };
        Ok(CachedRow {
            update: update.map(|changes| changes.into_iter().map(named).collect()),
            next: NextRow::of(&step.next)?,
        })
    }

    fn step(&self, row: CachedRow) -> Option<Step<S>> {
        let fields = S::fields(&self.layout);
        let update = match row.update {
            Some(changes) => {
                let place = |name: &str| fields.iter().position(|field| field.name == name).map(u32::try_from);
                let changes = changes.into_iter().map(|(name, set, bytes)| {
                    let op = if set { Op::Set } else { Op::Fold };
                    Some(FieldChange { field: place(&name)?.ok()?, op, bytes: bytes.into_vec().into() })
                });
                Some(S::decode_update(&self.layout, &changes.collect::<Option<Vec<_>>>()?).ok()?)
            }
            None => None,
        };
        Some(Step { update, next: row.next.into_next() })
    }
}

impl<S> fmt::Debug for Cache<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").field("ttl", &self.ttl).finish_non_exhaustive()
    }
}
