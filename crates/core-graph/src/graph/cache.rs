//! Results of nodes, kept for tasks of the same key.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use futures::future::BoxFuture;
use serde::Serialize;
use serde_json::Value;

use crate::checkpoint::RecordBytes;
use crate::context::Context;
use crate::error::NodeError;
use crate::handler::NodeFn;
use crate::name::Name;
use crate::state::{Snapshot, State, StateError, codec};
use crate::step::Step;
use crate::step_row::StepRow;
use crate::store::{MemoryStore, Namespace, PutOptions, Query, Store, StoreError};
use crate::topology::Outline;

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
    layout: S::Layout,
    shelf: Arc<Shelf>,
}

/// Where the results of a node are.
pub(crate) struct Shelf {
    /// The names of the state's fields.
    fields: Arc<[Arc<str>]>,
    namespace: Namespace,
    /// For runs without a store.
    memory: MemoryStore,
}

impl<S: State, Cx> Cached<S, Cx> {
    pub(super) fn new(node: Arc<dyn NodeFn<S, Cx>>, cache: &Cache<S>, layout: S::Layout, shelf: Arc<Shelf>) -> Self {
        let cache = Cache { key: Arc::clone(&cache.key), ttl: cache.ttl };
        Self { node, cache, layout, shelf }
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
        let layout = self.layout.clone();
        let key = self.key(&state, input.as_deref());
        Box::pin(async move {
            let context = context.ok_or_else(|| NodeError::terminal("called without a context"))?;
            let key = key.map_err(NodeError::terminal)?;
            let store = context.store().map(Arc::clone);
            let kept = shelf.find(store.as_deref(), &key).await?;
            // A result that cannot be read any more counts as none.
            if let Some(step) = kept.and_then(|kept| kept.into_step(&layout, &shelf.fields).ok()) {
                context.services().found_cached().await;
                return Ok(step);
            }
            let step = node.call(input, state, Some(context)).await?;
            let row = StepRow::of(&step, &layout, &shelf.fields).map_err(failed)?;
            shelf.put(store.as_deref(), &key, row, ttl).await?;
            Ok(step)
        })
    }

    fn inside(&self) -> Option<&Arc<dyn NodeFn<S, Cx>>> {
        Some(&self.node)
    }

    fn around(&self, inside: Arc<dyn NodeFn<S, Cx>>) -> Option<Arc<dyn NodeFn<S, Cx>>> {
        Some(Arc::new(Self::new(inside, &self.cache, self.layout.clone(), Arc::clone(&self.shelf))))
    }
}

fn failed(error: StateError) -> StoreError {
    StoreError::Store { action: "keeping a result".to_owned(), source: error.into() }
}

impl Shelf {
    pub(super) fn new(outline: &Outline, node: &Name) -> Self {
        let version = format!("{}.{}", outline.version, outline.state_version);
        let segments = ["node cache", outline.name.as_str(), node.as_str(), &version];
        // Names that cannot be segments share a place; they are in the keys of no other graph of this program.
        let namespace = Namespace::new(segments).unwrap_or_default();
        Self { fields: Arc::clone(&outline.field_names), namespace, memory: MemoryStore::new() }
    }

    fn store<'a>(&'a self, store: Option<&'a dyn Store>) -> &'a dyn Store {
        store.unwrap_or(&self.memory)
    }

    fn find<'f>(
        &'f self,
        store: Option<&'f dyn Store>,
        key: &'f str,
    ) -> BoxFuture<'f, Result<Option<StepRow>, StoreError>> {
        Box::pin(async move {
            let item = self.store(store).get(&self.namespace, key).await?;
            let bytes = item.and_then(|item| STANDARD_NO_PAD.decode(item.value.as_str()?).ok());
            Ok(bytes.and_then(|bytes| codec::decode("cached result", &bytes).ok()))
        })
    }

    fn put<'f>(
        &'f self,
        store: Option<&'f dyn Store>,
        key: &'f str,
        row: StepRow,
        ttl: Option<Duration>,
    ) -> BoxFuture<'f, Result<(), StoreError>> {
        Box::pin(async move {
            let bytes = codec::encode_row("cached result", &row).map_err(failed)?;
            let options = ttl.map_or_else(PutOptions::default, PutOptions::ttl);
            self.store(store).put(&self.namespace, key, Value::String(STANDARD_NO_PAD.encode(bytes)), options).await
        })
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
}

impl<S> fmt::Debug for Cache<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").field("ttl", &self.ttl).finish_non_exhaustive()
    }
}
