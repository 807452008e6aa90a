//! Loading and saving sessions in the long-term store.

use graphloom_core_graph::store::{
    Comparison, Condition, Expected, Item, Namespace, PutOptions, Query, Store, StoreError,
};
use serde_json::Value;

use super::decode::{Decoded, LoadNote, decode};
use super::error::SessionError;
use super::record::{SCHEMA, Session};

/// A session as it was loaded.
pub type Loaded = Decoded;

/// Most sessions that [`list`] answers.
const LISTED: usize = 10_000;

fn sessions() -> Result<Namespace, StoreError> {
    Namespace::new(["pocketflow", "sessions"])
}

fn quarantine() -> Result<Namespace, StoreError> {
    Namespace::new(["pocketflow", "quarantine"])
}

/// Loads the session of a conversation; a fresh one where there is none.
///
/// What had to be migrated, mended or replaced is stored in its new form at once, and a copy of what could not be read
/// is kept, see [`quarantined`].
///
/// # Errors
/// [`SessionError::Newer`], and the store's.
pub async fn load(store: &dyn Store, id: &str) -> Result<Loaded, SessionError> {
    loop {
        let Some(item) = store.get(&sessions()?, id).await? else {
            return Ok(Decoded { session: Session::new(id), notes: vec![LoadNote::New] });
        };
        let mut decoded =
            decode(id, &item.value).map_err(|found| SessionError::Newer { id: id.to_owned(), found, known: SCHEMA })?;
        if decoded.notes.is_empty() {
            return Ok(decoded);
        }
        if decoded.notes.iter().any(LoadNote::is_damage) {
            let key = format!("{id}/{}", item.updated);
            store.put(&quarantine()?, &key, item.value.clone(), PutOptions::default()).await?;
        }
        let stored = item.value.get("revision").and_then(Value::as_u64).unwrap_or(0);
        decoded.session.revision = stored + 1;
        let value = serde_json::to_value(&decoded.session)?;
        let unchanged = Expected::Holds(Condition::new("", Comparison::Eq, item.value));
        if store.put_if(&sessions()?, id, value, PutOptions::default(), &unchanged).await? {
            return Ok(decoded);
        }
    }
}

/// Saves a session over the revision that it was loaded with, and counts its revision up. Saving the same again, as
/// after a crash, is no second change.
///
/// # Errors
/// [`SessionError::Conflict`] when somebody else saved it meanwhile, and the store's.
pub async fn save(store: &dyn Store, session: &mut Session) -> Result<(), SessionError> {
    let (id, ours) = (session.conversation_id.clone(), session.revision);
    session.revision = ours + 1;
    let value = serde_json::to_value(&*session)?;
    let expected = match ours {
        0 => Expected::Absent,
        _ => Expected::Holds(Condition::new("revision", Comparison::Eq, ours)),
    };
    if store.put_if(&sessions()?, &id, value.clone(), PutOptions::default(), &expected).await? {
        return Ok(());
    }
    let there = store.get(&sessions()?, &id).await?;
    if there.as_ref().is_some_and(|item| item.value == value) {
        return Ok(());
    }
    session.revision = ours;
    let theirs = there.and_then(|item| item.value.get("revision")?.as_u64()).unwrap_or(0);
    Err(SessionError::Conflict { id, ours, theirs })
}

/// Makes an older session the stored one again, with its revision, whatever was saved since. For time travel: whoever
/// loaded a session since then is refused when saving.
///
/// # Errors
/// The store's.
pub async fn restore(store: &dyn Store, session: &Session) -> Result<(), SessionError> {
    let id = &session.conversation_id;
    if session.revision == 0 {
        store.delete(&sessions()?, id).await?;
        return Ok(());
    }
    Ok(store.put(&sessions()?, id, serde_json::to_value(session)?, PutOptions::default()).await?)
}

/// Copies of records of a conversation that could not be read, oldest first.
///
/// # Errors
/// The store's.
pub async fn quarantined(store: &dyn Store, id: &str) -> Result<Vec<Item>, SessionError> {
    let items = store.query(&Query::below(quarantine()?).limit(LISTED)).await?;
    let of = format!("{id}/");
    Ok(items.into_iter().filter(|item| item.key.starts_with(&of)).collect())
}

/// The ids of the conversations in a store.
///
/// # Errors
/// The store's.
pub async fn list(store: &dyn Store) -> Result<Vec<String>, SessionError> {
    let items = store.query(&Query::below(sessions()?).limit(LISTED)).await?;
    Ok(items.into_iter().map(|item| item.key).collect())
}
