//! That somebody asked for a turn to be stopped: a small record beside the session, which the process at work looks at.
//!
//! It is a count. A turn remembers how many there were when it began, and stops when there are more, so that what came
//! too late stops no later turn.

use graphloom_core_graph::store::{Namespace, PutOptions, Store, StoreError};

use super::error::SessionError;

fn stops() -> Result<Namespace, StoreError> {
    Namespace::new(["pocketflow", "stops"])
}

/// How often somebody asked for a turn of a conversation to be stopped.
///
/// # Errors
/// The store's.
pub async fn asked(store: &dyn Store, id: &str) -> Result<u64, SessionError> {
    let item = store.get(&stops()?, id).await?;
    Ok(item.and_then(|item| item.value.as_u64()).unwrap_or_default())
}

/// Asks for the turn that goes on to be stopped.
///
/// # Errors
/// The store's.
pub async fn ask(store: &dyn Store, id: &str) -> Result<(), SessionError> {
    let before = asked(store, id).await?;
    Ok(store.put(&stops()?, id, (before + 1).into(), PutOptions::default()).await?)
}
