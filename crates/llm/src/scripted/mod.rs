//! A model that answers from a script, for tests of control flow.

use std::fmt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use futures::StreamExt;

use crate::thoughts::{apart, apart_stream};
use crate::{
    Capabilities, ChatEvent, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Part,
    StructuredSupport, choose_by_schema, events_of,
};

mod reply;
mod rules;

pub use reply::Reply;

use rules::Rules;

/// A model that answers from rules or from a function, and logs its requests.
///
/// A script file holds one rule per line (or a JSON array of rules). The first rule that fits and is not used up
/// answers:
///
/// ```json
/// {"when": ["outline", "lighthouse"], "json": {"tasks": []}}
/// {"when": "search", "unless": "sea", "reply": "nothing found", "times": 2}
/// {"error": {"error": "rate_limited", "model": "m", "message": "slow down", "retry_after": null}}
/// {"reply": "the next request that no rule above answers", "finish": "length", "piece": 4}
/// ```
///
/// `when` and `unless` are texts in the rendered prompt (see [`rendered`]). A rule without `when` answers once, in
/// order, unless `times` says otherwise.
pub struct Scripted {
    id: ModelId,
    capabilities: Capabilities,
    source: Source,
    calls: Mutex<Vec<ChatRequest>>,
}

type Answer = dyn Fn(&ChatRequest) -> Result<Reply, ModelError> + Send + Sync;

enum Source {
    Rules(Mutex<Rules>),
    Function(Box<Answer>),
}

impl Scripted {
    /// A model that answers from the script in `path`.
    ///
    /// # Errors
    /// [`ModelError::Setup`] when the file cannot be read or a rule is wrong, with its line.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).map_err(|error| ModelError::Setup {
            message: format!("the script `{}` cannot be read: {error}", path.display()),
        })?;
        let rules = Rules::parse(&text, path)?;
        Ok(Self::with(path.display().to_string(), Source::Rules(Mutex::new(rules))))
    }

    /// A model that answers with a function of the request.
    pub fn from_fn<F, R>(answer: F) -> Self
    where
        F: Fn(&ChatRequest) -> Result<R, ModelError> + Send + Sync + 'static,
        R: Into<Reply>,
    {
        Self::with("function".to_owned(), Source::Function(Box::new(move |request| answer(request).map(Into::into))))
    }

    /// The same model with other capabilities.
    #[must_use]
    pub fn with_capabilities(mut self, capabilities: Capabilities) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Every request so far, in order of arrival.
    pub fn calls(&self) -> Vec<ChatRequest> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn with(name: String, source: Source) -> Self {
        let capabilities = Capabilities {
            structured: StructuredSupport::JsonSchema,
            tools: true,
            images: true,
            sampling: true,
            context: None,
            local: true,
            documents: false,
        };
        Self { id: ModelId::new("scripted", name), capabilities, source, calls: Mutex::new(Vec::new()) }
    }

    fn answer(&self, request: ChatRequest) -> Result<(ChatResponse, usize), ModelError> {
        let prompt = rendered(&request);
        let reply = match &self.source {
            Source::Function(answer) => answer(&request),
            Source::Rules(rules) => {
                let answer = rules.lock().unwrap_or_else(PoisonError::into_inner).answer(&prompt);
                answer.unwrap_or_else(|| {
                    let tail: String = request.messages.last().map(crate::Message::joined_text).unwrap_or_default();
                    let start: String = tail.chars().take(200).collect();
                    Err(ModelError::Invalid {
                        model: self.id.to_string(),
                        message: format!(
                            "no rule of the script answers the request whose last message begins `{start}`"
                        ),
                        request_id: None,
                    })
                })
            }
        };
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        let reply = reply?;
        let piece = reply.piece.max(1);
        Ok((reply.into_response(&self.id.name, &prompt), piece))
    }
}

/// The text of a request as rules see it: each message as its role, a colon, and its parts.
pub fn rendered(request: &ChatRequest) -> String {
    let mut text = String::new();
    for message in &request.messages {
        let role = match message.role {
            crate::Role::System => "system",
            crate::Role::User => "user",
            crate::Role::Assistant => "assistant",
            crate::Role::Tool => "tool",
        };
        text.push_str(role);
        text.push_str(": ");
        for part in &message.parts {
            match part {
                Part::Text { text: content } | Part::Reasoning { text: content, .. } => text.push_str(content),
                Part::ToolCall(call) => text.push_str(&format!("[call {} {}]", call.name, call.arguments)),
                Part::ToolResult(result) => text.push_str(&format!("[result {}]", result.content)),
                Part::Image { .. } => text.push_str("[image]"),
                Part::Document { .. } => text.push_str("[document]"),
                Part::EncryptedReasoning { .. } => {}
            }
        }
        text.push('\n');
    }
    text
}

#[async_trait]
impl ChatModel for Scripted {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        self.answer(request).map(|(response, _)| apart(response))
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let (response, piece) = self.answer(request)?;
        let events: Vec<Result<ChatEvent, ModelError>> = events_of(response, piece).into_iter().map(Ok).collect();
        Ok(apart_stream(futures::stream::iter(events).boxed()))
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        choose_by_schema(self, request, options).await
    }
}

impl fmt::Debug for Scripted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scripted").field("id", &self.id).finish_non_exhaustive()
    }
}
