//! A model whose failed calls are tried again.

use std::fmt;
use std::future::Future;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::begun;
use crate::{
    Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Note, NoteKind, Notes,
};

/// When and how often a call is tried again.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// Tries in all; 4 unless set.
    pub attempts: u32,
    /// The first wait; each later wait is twice as long. 500 ms unless set.
    pub base: Duration,
    /// The longest wait when the server names none; 8 s unless set.
    pub cap: Duration,
    /// A server that asks for a longer wait than this is not asked again; 120 s unless set.
    pub longest_retry_after: Duration,
    /// The share of a wait that is left to chance when the server names no wait, from 0 to 1; a quarter unless set.
    pub jitter: f64,
    /// The log of retries.
    pub notes: Notes,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 4,
            base: Duration::from_millis(500),
            cap: Duration::from_secs(8),
            longest_retry_after: Duration::from_secs(120),
            jitter: 0.25,
            notes: Notes::default(),
        }
    }
}

impl RetryPolicy {
    /// The wait before the next try, after `tries` tries; `None` when there is no next try. `chance` is from 0 to 1.
    fn wait(&self, error: &ModelError, tries: u32, chance: f64) -> Option<Duration> {
        if tries >= self.attempts || !error.is_retryable() {
            return None;
        }
        if let Some(asked) = error.retry_after() {
            return (asked <= self.longest_retry_after).then_some(asked);
        }
        let factor = 2_u32.saturating_pow(tries.saturating_sub(1));
        let wait = self.base.saturating_mul(factor).min(self.cap);
        Some(wait.mul_f64(1.0 - self.jitter.clamp(0.0, 1.0) * chance))
    }
}

/// Tries a failed call again when [`ModelError::is_retryable`] allows it. The wait is the one that the server asks for,
/// else one that grows with each try. A stream is tried again only before its first event.
pub struct Retry {
    policy: RetryPolicy,
    inner: Arc<dyn ChatModel>,
}

impl Retry {
    /// Retries calls of `inner`.
    pub fn new(inner: Arc<dyn ChatModel>, policy: RetryPolicy) -> Self {
        Self { policy, inner }
    }

    async fn run<T, F, Fut>(&self, mut call: F) -> Result<T, ModelError>
    where
        F: FnMut() -> Fut + Send,
        Fut: Future<Output = Result<T, ModelError>> + Send,
        T: Send,
    {
        let mut tries = 0;
        loop {
            let error = match call().await {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            tries += 1;
            let Some(wait) = self.policy.wait(&error, tries, chance()) else { return Err(error) };
            let message =
                format!("try {tries} of {} failed, the next one comes in {wait:?}: {error}", self.policy.attempts);
            self.policy.notes.add(Note { model: self.inner.id().to_string(), kind: NoteKind::Retried, message });
            tokio::time::sleep(wait).await;
        }
    }
}

/// A number from 0 to 1 that differs from call to call.
fn chance() -> f64 {
    let bits = RandomState::new().build_hasher().finish() >> 11;
    // 53 bits fit a double exactly.
    bits as f64 / (1_u64 << 53) as f64
}

#[async_trait]
impl ChatModel for Retry {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        self.run(|| self.inner.chat(request.clone())).await
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        self.run(|| begun(self.inner.stream(request.clone()))).await
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        self.run(|| self.inner.choose(request.clone(), options)).await
    }
}

impl fmt::Debug for Retry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry").field("model", self.inner.id()).field("policy", &self.policy).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_the_cap_and_obey_the_server() {
        let policy = RetryPolicy { attempts: 8, ..RetryPolicy::default() };
        let busy = |retry_after| ModelError::Server {
            model: "m".into(),
            status: 503,
            message: String::new(),
            retry_after,
            request_id: None,
        };
        let waits: Vec<u128> =
            (1..=7).filter_map(|n| policy.wait(&busy(None), n, 0.0)).map(|w| w.as_millis()).collect();
        assert_eq!(waits, [500, 1000, 2000, 4000, 8000, 8000, 8000]);
        assert_eq!(policy.wait(&busy(None), 8, 0.0), None);
        assert_eq!(policy.wait(&busy(None), 1, 1.0), Some(Duration::from_millis(375)));
        let asked = Duration::from_secs(90);
        assert_eq!(policy.wait(&busy(Some(asked)), 1, 1.0), Some(asked));
        assert_eq!(policy.wait(&busy(Some(Duration::from_secs(121))), 1, 0.0), None);
        let money = ModelError::Quota { model: "m".into(), message: String::new(), request_id: None };
        assert_eq!(policy.wait(&money, 1, 0.0), None);
    }
}
