//! What a person was shown last: a small record beside the session.
//!
//! It is written after the text has left the program, so that a kill in between leaves the older question as the last one
//! shown, and a verdict that comes next is not taken for one about the text that was lost. A message that was refused,
//! because another process was at work, leaves the question that it was about: who says it again means that question.

use graphloom_core_graph::store::{Expected, Namespace, PutOptions, Store, StoreError};
use serde_json::Value;

use super::Question;
use super::error::SessionError;

/// What the next message of a person is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct About {
    /// The question; none where nothing is known to have been delivered.
    pub question: Option<Question>,
    /// A message before was refused, and this one is taken to be about the same.
    pub after_refusal: bool,
}

fn delivered() -> Result<Namespace, StoreError> {
    Namespace::new(["pocketflow", "delivered"])
}

fn refused() -> Result<Namespace, StoreError> {
    Namespace::new(["pocketflow", "refused"])
}

/// What the next message to a conversation is about. To be read when the message is accepted, before anything else.
///
/// # Errors
/// The store's.
pub async fn about(store: &dyn Store, id: &str) -> Result<About, SessionError> {
    if let Some(item) = store.get(&refused()?, id).await? {
        return Ok(About { question: question(item.value), after_refusal: true });
    }
    let question = store.get(&delivered()?, id).await?.and_then(|item| question(item.value));
    Ok(About { question, after_refusal: false })
}

/// A record that cannot be read says nothing, so that the person is shown again what is asked.
fn question(value: Value) -> Option<Question> {
    serde_json::from_value(value).ok()
}

/// Notes that a question was delivered. To be called when its text has been written out.
///
/// # Errors
/// The store's.
pub async fn deliver(store: &dyn Store, id: &str, question: &Question) -> Result<(), SessionError> {
    Ok(store.put(&delivered()?, id, serde_json::to_value(question)?, PutOptions::default()).await?)
}

/// Notes that a message about a question was refused; the oldest refusal stands.
pub(crate) async fn refuse(store: &dyn Store, id: &str, about: Option<&Question>) -> Result<(), SessionError> {
    let value = serde_json::to_value(about)?;
    store.put_if(&refused()?, id, value, PutOptions::default(), &Expected::Absent).await?;
    Ok(())
}

/// A message after a refusal was taken.
pub(crate) async fn settle(store: &dyn Store, id: &str) -> Result<(), SessionError> {
    store.delete(&refused()?, id).await?;
    Ok(())
}
