//! What a protocol keeps for itself: keys, sessions.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use graphloom_core_graph::store::Store;
use serde_json::Value;

use super::collection::Collection;
use super::error::RecordError;

/// What protocols keep for themselves: values by the name of the protocol, a kind and a key.
#[derive(Clone)]
pub(crate) struct ProtocolData {
    values: Collection<Value>,
}

impl fmt::Debug for ProtocolData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProtocolData").finish_non_exhaustive()
    }
}

impl ProtocolData {
    pub(super) fn new(store: &Arc<dyn Store>) -> Self {
        Self { values: Collection::new(store, "Protocol data", "protocols") }
    }

    /// A value.
    pub(crate) async fn get(&self, place: [&str; 2], key: &str) -> Result<Option<Value>, RecordError> {
        Ok(self.values.read(&place.map(str::to_owned), key).await?.map(|read| read.record))
    }

    /// The value of a key, which is put where there is none: all processes of a store get the same.
    pub(crate) async fn get_or_put(&self, place: [&str; 2], key: &str, value: Value) -> Result<Value, RecordError> {
        let within = place.map(str::to_owned);
        loop {
            if self.values.insert(&within, key, &value).await? {
                return Ok(value);
            }
            // Where it was deleted meanwhile, it is put after all.
            if let Some(read) = self.values.read(&within, key).await? {
                return Ok(read.record);
            }
        }
    }

    /// Puts a value for a while.
    pub(crate) async fn put_for(
        &self,
        place: [&str; 2],
        key: &str,
        value: Value,
        ttl: Duration,
    ) -> Result<(), RecordError> {
        self.values.put_for(&place.map(str::to_owned), key, &value, ttl).await
    }

    /// Deletes a value, if it is there.
    pub(crate) async fn delete(&self, place: [&str; 2], key: &str) -> Result<(), RecordError> {
        self.values.delete(&place.map(str::to_owned), key).await.map(drop)
    }
}
