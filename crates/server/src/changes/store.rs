//! A store whose changes are noted.

use std::sync::Arc;

use async_trait::async_trait;
use graphloom_core_graph::store::{Expected, Item, Namespace, NamespaceFilter, PutOptions, Query, Store, StoreError};
use serde_json::Value;

use super::counts::Changes;
use super::kind::Kind;

/// Notes what is put into a store and deleted from it.
struct ObservedStore {
    store: Arc<dyn Store>,
    changes: Changes,
}

/// The same store, whose changes are noted.
pub(crate) fn observed(store: Arc<dyn Store>, changes: &Changes) -> Arc<dyn Store> {
    Arc::new(ObservedStore { store, changes: changes.clone() })
}

impl ObservedStore {
    fn note(&self, namespace: &Namespace) {
        if let Some(kind) = Kind::of(namespace) {
            self.changes.note(kind);
        }
    }
}

#[async_trait]
impl Store for ObservedStore {
    async fn put(&self, namespace: &Namespace, key: &str, value: Value, options: PutOptions) -> Result<(), StoreError> {
        self.store.put(namespace, key, value, options).await?;
        self.note(namespace);
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
        let is_put = self.store.put_if(namespace, key, value, options, expected).await?;
        if is_put {
            self.note(namespace);
        }
        Ok(is_put)
    }

    async fn get(&self, namespace: &Namespace, key: &str) -> Result<Option<Item>, StoreError> {
        self.store.get(namespace, key).await
    }

    async fn delete(&self, namespace: &Namespace, key: &str) -> Result<bool, StoreError> {
        let was_there = self.store.delete(namespace, key).await?;
        if was_there {
            self.note(namespace);
        }
        Ok(was_there)
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
