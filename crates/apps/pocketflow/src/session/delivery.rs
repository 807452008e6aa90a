//! The question that a person was shown last: a small record beside the session.
//!
//! The record is written after the text has left the program. A kill in between leaves the older question as the last one
//! shown, so the next verdict is not taken for one about the lost text. A message that was refused, because another process
//! was at work, leaves a record of its question: the same message again is about that question.

use graphloom_core_graph::store::{Expected, Namespace, PutOptions, Store, StoreError};
use serde_json::Value;

use super::Question;
use super::error::SessionError;

/// The question that was last delivered, which the next message of a person is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LastDelivery {
    /// The question; none where nothing is known to have been delivered.
    pub question: Option<Question>,
    /// Whether the question is that of a refused message, which the person is expected to send again.
    pub after_refusal: bool,
}

fn delivered_namespace() -> Result<Namespace, StoreError> {
    Namespace::new(["pocketflow", "delivered"])
}

fn refused_namespace() -> Result<Namespace, StoreError> {
    Namespace::new(["pocketflow", "refused"])
}

/// Reads the question that was last delivered. To be read when a message is accepted, before anything else.
///
/// # Errors
/// The store's.
pub async fn last(store: &dyn Store, id: &str) -> Result<LastDelivery, SessionError> {
    if let Some(item) = store.get(&refused_namespace()?, id).await? {
        return Ok(LastDelivery { question: question(item.value), after_refusal: true });
    }
    let question = store.get(&delivered_namespace()?, id).await?.and_then(|item| question(item.value));
    Ok(LastDelivery { question, after_refusal: false })
}

/// The question of a record. A record that cannot be read counts as none, so that the person is shown the question again.
fn question(value: Value) -> Option<Question> {
    serde_json::from_value(value).ok()
}

/// Records that a question was delivered. To be called when the text has been written out.
///
/// # Errors
/// The store's.
pub async fn record(store: &dyn Store, id: &str, question: &Question) -> Result<(), SessionError> {
    Ok(store.put(&delivered_namespace()?, id, serde_json::to_value(question)?, PutOptions::default()).await?)
}

/// Records that a message about a question was refused. An older refusal stays.
pub(crate) async fn record_refusal(store: &dyn Store, id: &str, about: Option<&Question>) -> Result<(), SessionError> {
    let value = serde_json::to_value(about)?;
    store.put_if(&refused_namespace()?, id, value, PutOptions::default(), &Expected::Absent).await?;
    Ok(())
}

/// Removes the record of a refusal, once a message was accepted.
pub(crate) async fn clear_refusal(store: &dyn Store, id: &str) -> Result<(), SessionError> {
    store.delete(&refused_namespace()?, id).await?;
    Ok(())
}
