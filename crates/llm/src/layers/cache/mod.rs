//! Answers that were given before.
//!
//! [`Cached`] answers a request from a [`ResponseStore`] when the same model has answered the same request; [`CachePolicy`]
//! says which requests and for how long. Errors, answers that were cut off or are empty and streams that broke are never kept,
//! and neither is what a model said in the place of another one ([`Fallback`](super::Fallback)). An answer from the cache uses
//! no tokens: its [`Usage`] is empty and its cost zero.

mod policy;
#[cfg(feature = "response-cache")]
mod sqlite;
mod store;

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use async_trait::async_trait;
use futures::StreamExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::fallback::noticed;
use super::{Ledger, on_end};
use crate::cassette::key_of;
use crate::{
    Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Usage, events_of,
};

use policy::is_whole;
pub use policy::{CachePolicy, CachePolicyError};
#[cfg(feature = "response-cache")]
pub use sqlite::SqliteResponses;
pub use store::{MemoryResponses, ResponseStore};

/// The version of keys and values. Another one finds nothing.
const VERSION: u32 = 1;

/// Characters in a streamed piece of an answer from the cache.
const PIECE: usize = 64;

/// A model whose answers are kept.
pub struct Cached {
    store: Arc<dyn ResponseStore>,
    policy: CachePolicy,
    identity: String,
    ledger: Option<Arc<Ledger>>,
    inner: Arc<dyn ChatModel>,
}

impl Cached {
    /// Keeps the answers of `inner` in `store`. `identity` tells models apart that have the same id, such as the address of
    /// the server or the hash of the weights.
    pub fn new(
        inner: Arc<dyn ChatModel>,
        store: Arc<dyn ResponseStore>,
        policy: CachePolicy,
        identity: impl Into<String>,
    ) -> Self {
        Self { store, policy, identity: identity.into(), ledger: None, inner }
    }

    /// Counts answers from the cache in `ledger`.
    #[must_use]
    pub fn counted_in(mut self, ledger: Arc<Ledger>) -> Self {
        self.ledger = Some(ledger);
        self
    }

    /// The key of a request; `None` for one whose answer is not kept.
    fn key(&self, kind: &str, request: &ChatRequest, options: &[String]) -> Option<String> {
        let key = || {
            key_of(&json!({
                "version": VERSION, "kind": kind, "model": self.inner.id(), "identity": self.identity,
                "request": request, "options": options,
            }))
        };
        self.policy.takes(request, self.inner.capabilities().sampling).then(key)
    }

    /// What is kept under a key. A store that fails is told, and the model is asked.
    fn kept<T: DeserializeOwned>(&self, key: Option<&str>) -> Option<T> {
        let bytes = match self.store.get(key?, self.policy.age, now()) {
            Ok(bytes) => bytes?,
            Err(error) => {
                tracing::warn!("{error}");
                return None;
            }
        };
        let kept = serde_json::from_slice(&bytes).ok()?;
        if let Some(ledger) = &self.ledger {
            ledger.count_cached();
        }
        Some(kept)
    }
}

fn keep<T: Serialize>(store: &dyn ResponseStore, policy: &CachePolicy, key: &str, value: &T) {
    let Ok(bytes) = serde_json::to_vec(value) else { return };
    if let Err(error) = store.put(key, &bytes, policy, now()) {
        tracing::warn!("{error}");
    }
}

/// Tokens of an answer that no model was asked for.
fn nothing() -> Usage {
    Usage { cost: Some(0), ..Usage::default() }
}

/// The time that ages are counted from.
fn now() -> SystemTime {
    SystemTime::now()
}

#[async_trait]
impl ChatModel for Cached {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    fn ledger(&self) -> Option<&Arc<Ledger>> {
        self.inner.ledger()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        let key = self.key("chat", &request, &[]);
        if let Some(mut kept) = self.kept::<ChatResponse>(key.as_deref()) {
            kept.usage = nothing();
            return Ok(kept);
        }
        let (response, is_of_another) = noticed(self.inner.chat(request)).await;
        let response = response?;
        if let Some(key) = key.filter(|_| is_whole(&response) && !is_of_another) {
            keep(&*self.store, &self.policy, &key, &response);
        }
        Ok(response)
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        // The same answer, whole or as a stream.
        let key = self.key("chat", &request, &[]);
        if let Some(mut kept) = self.kept::<ChatResponse>(key.as_deref()) {
            kept.usage = nothing();
            return Ok(futures::stream::iter(events_of(kept, PIECE).into_iter().map(Ok)).boxed());
        }
        // Who answers is known when a stream begins.
        let (stream, is_of_another) = noticed(self.inner.stream(request)).await;
        let stream = stream?;
        let Some(key) = key.filter(|_| !is_of_another) else { return Ok(stream) };
        let (store, policy) = (Arc::clone(&self.store), self.policy.clone());
        Ok(on_end(stream, move |end| {
            if let Some(response) = end.ok().filter(|response| is_whole(response)) {
                keep(&*store, &policy, &key, response);
            }
        }))
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        let key = self.key("choose", &request, options);
        if let Some(mut kept) = self.kept::<Choice>(key.as_deref()).filter(|kept| kept.index < options.len()) {
            kept.usage = nothing();
            return Ok(kept);
        }
        let (choice, is_of_another) = noticed(self.inner.choose(request, options)).await;
        let choice = choice?;
        if let Some(key) = key.filter(|_| !is_of_another) {
            keep(&*self.store, &self.policy, &key, &choice);
        }
        Ok(choice)
    }
}

impl fmt::Debug for Cached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cached").field("model", self.inner.id()).field("store", &self.store).finish_non_exhaustive()
    }
}
