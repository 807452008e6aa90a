//! The long-term store of a server.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;

use crate::transport::{Call, Transport};
use crate::{ClientError, Item, ItemSearch, Namespace, NamespaceSearch, NewItem};

/// The long-term store of a server.
///
/// # Errors
/// All calls fail as [`ClientError`] says; a label with a `.` is 422.
#[derive(Clone, Debug)]
pub struct Store {
    transport: Arc<Transport>,
}

#[expect(clippy::missing_errors_doc, reason = "the type says it for all of its calls")]
impl Store {
    pub(crate) fn new(transport: Arc<Transport>) -> Self {
        Self { transport }
    }

    /// Puts an item in the place of what has its key.
    pub async fn put(&self, item: NewItem) -> Result<(), ClientError> {
        self.transport.done(&Call::put(["store", "items"]).json(&item)).await
    }

    /// An item, if there is one.
    pub async fn get(&self, namespace: impl Into<Namespace>, key: &str) -> Result<Option<Item>, ClientError> {
        let namespace = namespace.into().0.join(".");
        self.transport.json(&Call::get(["store", "items"]).query("namespace", &namespace).query("key", &key)).await
    }

    /// Deletes an item, if there is one.
    pub async fn delete(&self, namespace: impl Into<Namespace>, key: &str) -> Result<(), ClientError> {
        let body = json!({"namespace": namespace.into(), "key": key});
        self.transport.done(&Call::delete(["store", "items"]).json(&body)).await
    }

    /// The items that a search finds.
    pub async fn search(&self, search: ItemSearch) -> Result<Vec<Item>, ClientError> {
        #[derive(Deserialize)]
        struct Found {
            items: Vec<Item>,
        }
        let found: Found = self.transport.json(&Call::post(["store", "items", "search"]).json(&search)).await?;
        Ok(found.items)
    }

    /// The namespaces that have items.
    pub async fn namespaces(&self, search: NamespaceSearch) -> Result<Vec<Vec<String>>, ClientError> {
        #[derive(Deserialize)]
        struct Found {
            namespaces: Vec<Vec<String>>,
        }
        let found: Found = self.transport.json(&Call::post(["store", "namespaces"]).json(&search)).await?;
        Ok(found.namespaces)
    }
}
