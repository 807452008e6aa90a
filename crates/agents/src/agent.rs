//! One agent's call: render, ask, read, and ask again with the complaint.

use std::sync::Arc;

use graphloom_llm::{ChatModel, ChatRequest, FinishReason, Message, Params, ResponseFormat, Role};
use serde::Serialize;
use serde_json::json;

use crate::prompts::FEEDBACK;
use crate::{AgentError, AgentSpec, Attempt, Exchange, Models, Prompts, Strategy};

/// How often in a row a model may answer nothing before it is not asked again.
pub(crate) const BLANK_REPLIES: u32 = 3;

/// What is wrong with a reply that holds thoughts and no answer.
const THOUGHTS_ONLY: &str = "it held thoughts only, and no answer after them";

/// An agent ready to be asked: its spec, the prompts and the model that plays its role.
#[derive(Debug)]
pub struct Agent<'a> {
    name: String,
    spec: &'a AgentSpec,
    prompts: &'a Prompts,
    models: &'a Models,
}

/// Settings of one call that take the place of the spec's.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Ask {
    /// The template to use instead of [`Agent::template`].
    pub template: Option<String>,
    /// The form of the answer.
    pub format: ResponseFormat,
    /// The most tokens of a reply, instead of the spec's.
    pub max_tokens: Option<u32>,
    /// Whether a reply that was broken off, as by the limit of tokens, is read all the same.
    pub accept_incomplete: bool,
    /// Seed of the sampler.
    pub seed: Option<u64>,
}

/// A reply as the parser sees it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Reply<'a> {
    /// The text.
    pub text: &'a str,
    /// Which try this is, from 1.
    pub attempt: u32,
    /// Whether no other try follows, so that a parser may be lenient where it was strict before.
    pub last: bool,
}

/// What a parser made of a reply.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Parsed<T> {
    /// The value.
    pub value: T,
    /// What the parser tolerated, one note each.
    pub notes: Vec<String>,
}

/// A value, and the exchange that it came from.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Answer<T> {
    /// The value.
    pub value: T,
    /// What was sent and came back.
    pub exchange: Exchange,
}

impl<T> Parsed<T> {
    /// A value without notes.
    pub fn new(value: T) -> Self {
        Self { value, notes: Vec::new() }
    }

    /// A value with notes.
    pub fn with_notes(value: T, notes: Vec<String>) -> Self {
        Self { value, notes }
    }
}

impl<T> Answer<T> {
    /// The same with another value, made of this one.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Answer<U> {
        Answer { value: change(self.value), exchange: self.exchange }
    }
}

/// A reply as it goes back to the model; providers refuse an empty one.
fn said(text: String) -> Message {
    let text = if text.trim().is_empty() { "(no text)".to_owned() } else { text };
    Message::text(Role::Assistant, text)
}

impl<'a> Agent<'a> {
    /// An agent; `name` appears in records and errors, as `action/task type`.
    pub fn new(name: impl Into<String>, spec: &'a AgentSpec, prompts: &'a Prompts, models: &'a Models) -> Self {
        Self { name: name.into(), spec, prompts, models }
    }

    /// The agent's spec.
    pub fn spec(&self) -> &'a AgentSpec {
        self.spec
    }

    /// The model that plays the agent's role.
    pub fn model(&self) -> &'a Arc<dyn ChatModel> {
        self.models.role(&self.spec.role)
    }

    /// How the agent's model is worked with.
    pub fn strategy(&self) -> Strategy {
        Strategy::of(self.model().capabilities())
    }

    /// The name of its template: that for small models where its model is guided.
    pub fn template(&self) -> &'a str {
        self.spec.template_for(self.strategy())
    }

    /// Renders the prompt, asks the model and reads the reply with `parse`. A reply that `parse` refuses is shown to
    /// the model with the reason, until the spec's tries are used up. A model that answers nothing three times in a row, or
    /// thoughts only, is not asked again. A reply that was broken off, by the token limit or by the provider, is not asked for
    /// again, since the same would happen.
    ///
    /// # Errors
    /// Errors of the template; [`AgentError::Model`]; [`AgentError::Unusable`] when no reply could be read.
    pub async fn ask<T>(
        &self,
        args: &(impl Serialize + Sync),
        ask: Ask,
        parse: impl Fn(Reply<'_>) -> Result<Parsed<T>, String> + Send + Sync,
    ) -> Result<Answer<T>, AgentError> {
        let mut exchange = self.begin(ask.template.as_deref().unwrap_or(self.template()), args)?;
        exchange.format.clone_from(&ask.format);
        let model = self.model();
        let params = Params {
            temperature: self.spec.temperature,
            max_tokens: ask.max_tokens.or(self.spec.max_tokens),
            seed: ask.seed,
            ..Params::default()
        };
        let mut messages = exchange.messages.clone();
        let tries = self.spec.tries.max(1);
        let mut problem = String::new();
        let mut blank = 0;
        for number in 1..=tries {
            let request = ChatRequest {
                messages: messages.clone(),
                format: ask.format.clone(),
                params: params.clone(),
                ..ChatRequest::default()
            };
            let response = match model.chat(request).await {
                Ok(response) => response,
                Err(source) => return Err(self.failed(source, exchange)),
            };
            let text = response.text();
            let broken_off = response.broken_off();
            let cut = broken_off.is_some();
            let mut attempt = Attempt::new(text.clone(), response.finish.clone(), response.usage);
            attempt.thoughts = response.thoughts();
            let is_blank = text.trim().is_empty();
            blank = if is_blank { blank + 1 } else { 0 };
            let read = if response.is_thoughts_only() {
                Err(THOUGHTS_ONLY.to_owned())
            } else {
                parse(Reply { text: &text, attempt: number, last: number == tries || cut })
            };
            match read {
                Ok(Parsed { value, mut notes }) if !cut || ask.accept_incomplete => {
                    notes.extend(broken_off.map(|told| format!("the reply {told}")));
                    attempt.notes = notes;
                    exchange.attempts.push(attempt);
                    return Ok(Answer { value, exchange });
                }
                Ok(_) => problem = String::new(),
                Err(reason) => problem = reason,
            }
            if let Some(told) = broken_off {
                let advice = if attempt.finish == FinishReason::Length { "; raise `max_tokens`" } else { "" };
                let unread = if problem.is_empty() { problem } else { format!(", and {problem}") };
                problem = format!("the reply {told}{unread}{advice}");
            }
            attempt.problem = Some(problem.clone());
            exchange.attempts.push(attempt);
            if cut || blank == BLANK_REPLIES {
                break;
            }
            messages.push(said(text));
            messages.extend(self.prompts.render(FEEDBACK, &json!({ "problem": problem }))?.messages);
        }
        Err(AgentError::Unusable {
            agent: self.name.clone(),
            model: exchange.model.clone(),
            tries: u32::try_from(exchange.attempts.len()).unwrap_or(u32::MAX),
            problem,
            exchange: Box::new(exchange),
        })
    }

    /// The record of a call that is not made yet, with the rendered prompt.
    pub(crate) fn begin(&self, template: &str, args: &(impl Serialize + Sync)) -> Result<Exchange, AgentError> {
        let rendered = self.prompts.render(template, args)?;
        Ok(Exchange {
            agent: self.name.clone(),
            template: rendered.template,
            version: rendered.version,
            model: self.model().id().to_string(),
            args: serde_json::to_value(args).unwrap_or_default(),
            messages: rendered.messages,
            ..Exchange::default()
        })
    }

    pub(crate) fn failed(&self, source: graphloom_llm::ModelError, exchange: Exchange) -> AgentError {
        AgentError::Model { agent: self.name.clone(), source: Box::new(source), exchange: Box::new(exchange) }
    }
}
