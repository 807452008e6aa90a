//! A model whose calls are recorded.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use serde_json::json;

use super::Cassette;
use super::entry::{ModelLine, Outcome};
use super::store::Call;
use crate::{Capabilities, ChatEvent, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId};

/// Records the calls of a model. A stream that is dropped before its end is recorded as broken off.
pub struct Recorder {
    cassette: Arc<Cassette>,
    role: String,
    inner: Arc<dyn ChatModel>,
}

impl Recorder {
    /// Records `inner` under `role`, which [`Replay`](super::Replay) asks for.
    ///
    /// # Errors
    /// [`ModelError::Setup`] when the cassette cannot be written.
    pub fn new(inner: Arc<dyn ChatModel>, cassette: Arc<Cassette>, role: &str) -> Result<Self, ModelError> {
        cassette.write_model(ModelLine {
            role: role.to_owned(),
            model: inner.id().clone(),
            capabilities: inner.capabilities().clone(),
        })?;
        Ok(Self { cassette, role: role.to_owned(), inner })
    }
}

/// The recorded form of a request. The form names the method, so equal requests to two methods have two keys.
pub(super) fn recorded_request(method: &str, request: &ChatRequest, options: Option<&[String]>) -> serde_json::Value {
    let mut asked = json!({"method": method, "request": request});
    if let Some(options) = options {
        asked["options"] = json!(options);
    }
    asked
}

#[async_trait]
impl ChatModel for Recorder {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        let call = self.cassette.begin(&self.role, recorded_request("chat", &request, None));
        let result = self.inner.chat(request).await;
        let outcome = match &result {
            Ok(response) => Outcome::Response(response.clone()),
            Err(error) => Outcome::Error(error.clone()),
        };
        self.cassette.write(call, outcome)?;
        result
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let call = self.cassette.begin(&self.role, recorded_request("stream", &request, None));
        let stream = match self.inner.stream(request).await {
            Ok(stream) => stream,
            Err(error) => {
                self.cassette.write(call, Outcome::Error(error.clone()))?;
                return Err(error);
            }
        };
        let recorder = StreamRecorder {
            cassette: Arc::clone(&self.cassette),
            model: self.inner.id().to_string(),
            call: Some(call),
            events: Vec::new(),
        };
        Ok(futures::stream::unfold(Some((stream, recorder)), |state| async move {
            let (mut stream, mut recorder) = state?;
            let event = stream.next().await?;
            match recorder.take(&event) {
                Ok(()) => Some((event, Some((stream, recorder)))),
                Err(error) => Some((Err(error), None)),
            }
        })
        .boxed())
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        let call = self.cassette.begin(&self.role, recorded_request("choose", &request, Some(options)));
        let result = self.inner.choose(request, options).await;
        let outcome = match &result {
            Ok(choice) => Outcome::Choice(choice.clone()),
            Err(error) => Outcome::Error(error.clone()),
        };
        self.cassette.write(call, outcome)?;
        result
    }
}

/// Collects the events of a stream until they can be written as one line.
struct StreamRecorder {
    cassette: Arc<Cassette>,
    model: String,
    call: Option<Call>,
    events: Vec<ChatEvent>,
}

impl StreamRecorder {
    fn take(&mut self, event: &Result<ChatEvent, ModelError>) -> Result<(), ModelError> {
        let outcome = match event {
            Ok(event) => {
                self.events.push(event.clone());
                if !matches!(event, ChatEvent::Done(_)) {
                    return Ok(());
                }
                Outcome::Events(std::mem::take(&mut self.events))
            }
            Err(error) => Outcome::Broken { events: std::mem::take(&mut self.events), error: error.clone() },
        };
        match self.call.take() {
            Some(call) => self.cassette.write(call, outcome),
            None => Ok(()),
        }
    }
}

impl Drop for StreamRecorder {
    fn drop(&mut self) {
        let Some(call) = self.call.take() else { return };
        let mut partial = String::new();
        for event in &self.events {
            match event {
                ChatEvent::TextDelta { text } => partial.push_str(text),
                ChatEvent::TextTakenBack | ChatEvent::Restart { .. } => partial.clear(),
                _ => {}
            }
        }
        let error = ModelError::StreamInterrupted {
            model: self.model.clone(),
            partial,
            message: "it was dropped before its end".to_owned(),
        };
        let outcome = Outcome::Broken { events: std::mem::take(&mut self.events), error };
        if let Err(error) = self.cassette.write(call, outcome) {
            tracing::warn!("{error}");
        }
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("model", self.inner.id())
            .field("role", &self.role)
            .field("cassette", &self.cassette.path())
            .finish()
    }
}
