//! Long-term memory in this process's memory.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use async_trait::async_trait;
use serde_json::Value;

use super::{Expected, Item, Namespace, NamespaceFilter, PutOptions, Query, Store, StoreError, check_item};
use crate::clock::{Clock, SystemClock};

type Items = BTreeMap<Namespace, BTreeMap<String, Item>>;

/// A [`Store`] in memory, for as long as a handle lives. A clone is another handle to the same store.
#[derive(Clone)]
pub struct MemoryStore {
    items: Arc<RwLock<Items>>,
    clock: Arc<dyn Clock>,
}

impl MemoryStore {
    /// An empty store that expires items by the system's clock.
    pub fn new() -> Self {
        Self::with_clock(Arc::new(SystemClock))
    }

    /// An empty store that expires items by this clock.
    pub fn with_clock(clock: Arc<dyn Clock>) -> Self {
        Self { items: Arc::default(), clock }
    }

    // No write leaves the map half changed, so what a panic left behind can be used.
    fn read(&self) -> RwLockReadGuard<'_, Items> {
        self.items.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Items> {
        self.items.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").field("namespaces", &self.read().len()).finish_non_exhaustive()
    }
}

/// The items in a namespace and below.
fn below<'i>(
    items: &'i Items,
    prefix: &'i Namespace,
) -> impl Iterator<Item = (&'i Namespace, &'i BTreeMap<String, Item>)> {
    items.range(prefix..).take_while(move |(namespace, _)| namespace.starts_with(prefix))
}

fn put(items: &mut Items, now: u64, namespace: &Namespace, key: &str, value: Value, options: PutOptions) {
    let keys = match items.get_mut(namespace) {
        Some(keys) => keys,
        None => items.entry(namespace.clone()).or_default(),
    };
    let over = keys.get(key).filter(|item| item.is_live(now)).map(|item| item.created);
    let item = Item {
        namespace: namespace.clone(),
        key: key.to_owned(),
        value,
        created: over.unwrap_or(now),
        updated: now,
        expires: options.expires(now),
    };
    keys.insert(key.to_owned(), item);
}

#[async_trait]
impl Store for MemoryStore {
    async fn put(&self, namespace: &Namespace, key: &str, value: Value, options: PutOptions) -> Result<(), StoreError> {
        check_item(key, &value)?;
        put(&mut self.write(), self.clock.now(), namespace, key, value, options);
        Ok(())
    }

    async fn put_if(
        &self,
        namespace: &Namespace,
        key: &str,
        value: Value,
        options: PutOptions,
        expected: &Expected,
    ) -> Result<bool, StoreError> {
        check_item(key, &value)?;
        let now = self.clock.now();
        let mut items = self.write();
        let there = items.get(namespace).and_then(|keys| keys.get(key)).filter(|item| item.is_live(now));
        let met = expected.is_met_by(there.map(|item| &item.value));
        if met {
            put(&mut items, now, namespace, key, value, options);
        }
        Ok(met)
    }

    async fn get(&self, namespace: &Namespace, key: &str) -> Result<Option<Item>, StoreError> {
        let now = self.clock.now();
        let items = self.read();
        let item = items.get(namespace).and_then(|keys| keys.get(key));
        Ok(item.filter(|item| item.is_live(now)).cloned())
    }

    async fn delete(&self, namespace: &Namespace, key: &str) -> Result<bool, StoreError> {
        let now = self.clock.now();
        let mut items = self.write();
        let Entry::Occupied(mut keys) = items.entry(namespace.clone()) else { return Ok(false) };
        let deleted = keys.get_mut().remove(key);
        if keys.get().is_empty() {
            keys.remove();
        }
        Ok(deleted.is_some_and(|item| item.is_live(now)))
    }

    async fn query(&self, query: &Query) -> Result<Vec<Item>, StoreError> {
        let now = self.clock.now();
        let items = self.read();
        let matching = below(&items, &query.prefix)
            .flat_map(|(_, keys)| keys.values())
            .filter(|item| item.is_live(now) && query.conditions.iter().all(|condition| condition.holds(&item.value)));
        Ok(matching.skip(query.offset).take(query.limit).cloned().collect())
    }

    async fn list_namespaces(&self, filter: &NamespaceFilter) -> Result<Vec<Namespace>, StoreError> {
        let now = self.clock.now();
        let items = self.read();
        let live = below(&items, &filter.prefix).filter(|(_, keys)| keys.values().any(|item| item.is_live(now)));
        let mut found: Vec<Namespace> = live.map(|(name, _)| name.cut(filter.depth.unwrap_or(usize::MAX))).collect();
        // Cut namespaces stay sorted, so equal ones are neighbours.
        found.dedup();
        found.truncate(filter.limit.unwrap_or(usize::MAX));
        Ok(found)
    }

    async fn sweep(&self) -> Result<u64, StoreError> {
        let now = self.clock.now();
        let mut swept = 0;
        self.write().retain(|_, keys| {
            let before = keys.len();
            keys.retain(|_, item| item.is_live(now));
            swept += (before - keys.len()) as u64;
            !keys.is_empty()
        });
        Ok(swept)
    }
}
