//! Requests to stop a turn: a small record beside the session, which the process at work reads.
//!
//! The record is a count. A turn remembers the count at its beginning and stops when the count has grown, so that a request
//! that came too late stops no later turn.

use graphloom_core_graph::store::{Namespace, PutOptions, Store, StoreError};

use super::error::SessionError;

fn namespace() -> Result<Namespace, StoreError> {
    Namespace::new(["pocketflow", "stops"])
}

/// The number of requests to stop a turn of a conversation.
///
/// # Errors
/// The store's.
pub async fn count(store: &dyn Store, id: &str) -> Result<u64, SessionError> {
    let item = store.get(&namespace()?, id).await?;
    Ok(item.and_then(|item| item.value.as_u64()).unwrap_or_default())
}

/// Requests that the running turn stop.
///
/// # Errors
/// The store's.
pub async fn request(store: &dyn Store, id: &str) -> Result<(), SessionError> {
    let before = count(store, id).await?;
    Ok(store.put(&namespace()?, id, (before + 1).into(), PutOptions::default()).await?)
}
