//! A model that plays a recording.

use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;

use super::Cassette;
use super::entry::{ModelLine, Outcome};
use super::record::recorded_request;
use crate::{Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId};

/// Answers as the recorded model did. The id and the capabilities are those of the recorded model, so that a
/// played-back run is the same run.
#[derive(Debug)]
pub struct Replay {
    cassette: Arc<Cassette>,
    line: ModelLine,
}

impl Replay {
    /// Plays the model that was recorded under `role`, or the only model when the recording has just one.
    ///
    /// # Errors
    /// [`ModelError::Setup`] when the recording has several models and none under `role`, or none at all.
    pub fn new(cassette: Arc<Cassette>, role: &str) -> Result<Self, ModelError> {
        let models = cassette.models();
        let line = match (models.iter().find(|line| line.role == role), models.as_slice()) {
            (Some(line), _) | (None, [line]) => line.clone(),
            (None, []) => {
                let message = format!("the recording `{}` holds no model", cassette.path().display());
                return Err(ModelError::Setup { message });
            }
            (None, several) => {
                let roles: Vec<String> = several.iter().map(|line| format!("`{}`", line.role)).collect();
                let message = format!(
                    "the recording `{}` holds no model for `{role}`, only for {}",
                    cassette.path().display(),
                    roles.join(", ")
                );
                return Err(ModelError::Setup { message });
            }
        };
        Ok(Self { cassette, line })
    }

    fn outcome(&self, method: &str, request: &ChatRequest, options: Option<&[String]>) -> Result<Outcome, ModelError> {
        let call = self.cassette.begin(&self.line.role, recorded_request(method, request, options));
        self.cassette.outcome(&call)
    }

    fn wrong_kind<T>(&self) -> Result<T, ModelError> {
        Err(self.cassette.fault("the outcome of a call is of another kind than the call"))
    }
}

#[async_trait]
impl ChatModel for Replay {
    fn id(&self) -> &ModelId {
        &self.line.model
    }

    fn capabilities(&self) -> &Capabilities {
        &self.line.capabilities
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        match self.outcome("chat", &request, None)? {
            Outcome::Response(response) => Ok(response),
            Outcome::Error(error) => Err(error),
            _ => self.wrong_kind(),
        }
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let (events, error) = match self.outcome("stream", &request, None)? {
            Outcome::Events(events) => (events, None),
            Outcome::Broken { events, error } => (events, Some(error)),
            Outcome::Error(error) => return Err(error),
            _ => return self.wrong_kind(),
        };
        let items = events.into_iter().map(Ok).chain(error.map(Err)).collect::<Vec<_>>();
        Ok(futures::stream::iter(items).boxed())
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        match self.outcome("choose", &request, Some(options))? {
            Outcome::Choice(choice) => Ok(choice),
            Outcome::Error(error) => Err(error),
            _ => self.wrong_kind(),
        }
    }
}
