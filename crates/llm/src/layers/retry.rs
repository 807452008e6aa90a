//! A model whose failed calls are tried again.

use std::fmt;
use std::future::Future;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;

use super::begun;
use crate::{
    Capabilities, ChatEvent, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Note,
    NoteKind, Notes,
};

/// How often an answer is asked for that comes and is none. It costs tokens each time, and mostly comes again.
const MOST_ANSWERS: u32 = 3;

/// When and how often a call is tried again.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// Tries in all; 4 unless set. An answer that is [none](ModelError::Unreadable) is asked for three times at most.
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
        let attempts = match error {
            ModelError::Unreadable { .. } => self.attempts.min(MOST_ANSWERS),
            error if error.is_retryable() => self.attempts,
            _ => 0,
        };
        if tries >= attempts {
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
/// else one that grows with each try. A stream that breaks off after its first event is tried again, too, with
/// [`ChatEvent::Restart`] in the place of the break.
pub struct Retry {
    policy: RetryPolicy,
    inner: Arc<dyn ChatModel>,
}

/// The tries of one call.
struct Tries {
    policy: RetryPolicy,
    model: String,
    made: u32,
}

impl Tries {
    /// Counts a try that failed and waits for the next one.
    ///
    /// # Errors
    /// The same, when there is no next one.
    async fn wait(&mut self, error: ModelError) -> Result<(), ModelError> {
        self.made += 1;
        let Some(wait) = self.policy.wait(&error, self.made, chance()) else { return Err(error) };
        let (made, attempts) = (self.made, self.policy.attempts);
        let message = format!("try {made} of {attempts} failed, the next one comes in {wait:?}: {error}");
        self.policy.notes.add(Note { model: self.model.clone(), kind: NoteKind::Retried, message });
        tokio::time::sleep(wait).await;
        Ok(())
    }
}

/// A stream under way, and what it takes to begin it again.
struct Streaming {
    inner: Arc<dyn ChatModel>,
    request: ChatRequest,
    tries: Tries,
    stream: ChatStream,
}

impl Streaming {
    /// The next event, and whether more may follow.
    async fn next(&mut self) -> Option<(Result<ChatEvent, ModelError>, bool)> {
        let error = match self.stream.next().await? {
            Ok(event) => {
                let goes_on = !matches!(event, ChatEvent::Done(_));
                return Some((Ok(event), goes_on));
            }
            Err(error) => error,
        };
        // What a stream holds, such as its turn at the server, is given back before it is asked for again.
        self.stream = futures::stream::empty().boxed();
        let message = error.to_string();
        let mut failed = error;
        loop {
            if let Err(error) = self.tries.wait(failed).await {
                return Some((Err(error), false));
            }
            match begun(self.inner.stream(self.request.clone())).await {
                Ok(stream) => {
                    self.stream = stream;
                    return Some((Ok(ChatEvent::Restart { message }), true));
                }
                Err(error) => failed = error,
            }
        }
    }
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
        let mut tries = self.tries();
        loop {
            match call().await {
                Ok(value) => return Ok(value),
                Err(error) => tries.wait(error).await?,
            }
        }
    }

    fn tries(&self) -> Tries {
        Tries { policy: self.policy.clone(), model: self.inner.id().to_string(), made: 0 }
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
        let (mut tries, inner) = (self.tries(), Arc::clone(&self.inner));
        let stream = loop {
            match begun(inner.stream(request.clone())).await {
                Ok(stream) => break stream,
                Err(error) => tries.wait(error).await?,
            }
        };
        let streaming = Streaming { inner, request, tries, stream };
        Ok(futures::stream::unfold(Some(streaming), |streaming| async move {
            let mut streaming = streaming?;
            let (event, goes_on) = streaming.next().await?;
            Some((event, goes_on.then_some(streaming)))
        })
        .boxed())
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
        let unreadable = ModelError::Unreadable { model: "m".into(), partial: String::new(), message: "empty".into() };
        assert!(policy.wait(&unreadable, 2, 0.0).is_some() && policy.wait(&unreadable, 3, 0.0).is_none());
    }
}
