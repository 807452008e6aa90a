//! What is to be posted, in the store.

use std::sync::Arc;

use graphloom_core_graph::store::{Namespace, PutOptions, Query, Store, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::records::RESERVED;

/// What is to be posted.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Post {
    pub(super) url: String,
    pub(super) thread: Uuid,
    pub(super) run: Uuid,
    pub(super) body: Value,
    /// The member that posts it, where several processes share the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) member: Option<Uuid>,
}

/// Posts of all runs that are not delivered yet, by the ids of their runs.
#[derive(Clone)]
pub(super) struct Outbox {
    store: Arc<dyn Store>,
    namespace: Namespace,
}

impl Outbox {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        let namespace = Namespace::new([RESERVED, "webhooks"]).unwrap_or_else(|_| Namespace::root());
        Self { store, namespace }
    }

    pub(super) async fn put(&self, post: &Post) -> Result<(), StoreError> {
        let value = serde_json::to_value(post).map_err(|error| self.corrupt(&error))?;
        self.store.put(&self.namespace, &post.run.to_string(), value, PutOptions::default()).await
    }

    pub(super) async fn get(&self, run: Uuid) -> Result<Option<Post>, StoreError> {
        let item = self.store.get(&self.namespace, &run.to_string()).await?;
        item.map(|item| serde_json::from_value(item.value).map_err(|error| self.corrupt(&error))).transpose()
    }

    pub(super) async fn all(&self) -> Result<Vec<Post>, StoreError> {
        let items = self.store.query(&Query::below(self.namespace.clone()).limit(usize::MAX)).await?;
        let post = |value| serde_json::from_value(value).map_err(|error| self.corrupt(&error));
        items.into_iter().map(|item| post(item.value)).collect()
    }

    pub(super) async fn delete(&self, run: Uuid) -> Result<(), StoreError> {
        self.store.delete(&self.namespace, &run.to_string()).await.map(drop)
    }

    fn corrupt(&self, error: &serde_json::Error) -> StoreError {
        StoreError::Corrupt { place: format!("the webhooks {:?}", self.namespace), message: error.to_string() }
    }
}
