//! The thread that a model lives on: it takes one call after the other and answers each.

mod answer;
mod choice;
mod prefixes;
mod reading;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use graphloom_llm::{ChatEvent, ChatRequest, Choice, ModelError};
use tokio::sync::{mpsc, oneshot};

use crate::decode::Grammars;
use crate::model::Llama;
use crate::prompt::{PromptError, Template};
use crate::tokenizer::Tokenizer;
use prefixes::Prefixes;

/// The events of one answer, ended by the last event or an error.
pub(crate) type Events = mpsc::UnboundedSender<Result<ChatEvent, ModelError>>;

/// A call of the model. A call whose receiver is gone is dropped at the next token.
pub(crate) enum Call {
    /// An answer, event by event. `accepted` tells whether the request can be answered at all.
    Chat { request: ChatRequest, accepted: oneshot::Sender<Result<(), ModelError>>, events: Events },
    /// The likelihood of each option.
    Choose { request: ChatRequest, options: Vec<String>, reply: oneshot::Sender<Result<Choice, ModelError>> },
}

/// A loaded model and what it remembers between calls.
pub(crate) struct Engine {
    name: String,
    id: String,
    network: Llama,
    tokenizer: Arc<Tokenizer>,
    template: Template,
    grammars: Option<Grammars>,
    prefixes: Prefixes,
}

impl Engine {
    pub(crate) fn new(name: String, id: String, network: Llama, tokenizer: Tokenizer, template: Template) -> Self {
        let tokenizer = Arc::new(tokenizer);
        Self { name, id, network, tokenizer, template, grammars: None, prefixes: Prefixes::default() }
    }

    /// Answers calls until there is nobody left who could make one.
    pub(crate) fn run(mut self, mut calls: mpsc::Receiver<Call>) {
        while let Some(call) = calls.blocking_recv() {
            let done = catch_unwind(AssertUnwindSafe(|| self.answer(call)));
            if done.is_err() {
                // The caller sees its channel close; what a panic may have left half written is forgotten.
                self.prefixes = Prefixes::default();
                tracing::error!(model = %self.id, "a call of the embedded model ended in a panic");
            }
        }
    }

    fn answer(&mut self, call: Call) {
        match call {
            Call::Chat { request, accepted, events } => {
                if events.is_closed() {
                    return;
                }
                match self.prepare(&request) {
                    Err(error) => drop(accepted.send(Err(error))),
                    Ok(prepared) => {
                        if accepted.send(Ok(())).is_ok()
                            && let Err(error) = self.generate(prepared, &events)
                        {
                            events.send(Err(error)).ok();
                        }
                    }
                }
            }
            Call::Choose { request, options, reply } => {
                if !reply.is_closed() {
                    let choice = self.choose(&request, &options, &|| reply.is_closed());
                    reply.send(choice).ok();
                }
            }
        }
    }

    /// The tokens of the conversation.
    fn prompt(&self, request: &ChatRequest) -> Result<Vec<u32>, ModelError> {
        self.template.encode(request, &self.tokenizer).map_err(|error| match error {
            PromptError::Unsupported(what) => ModelError::Unsupported { model: self.id.clone(), what: what.to_owned() },
            PromptError::Invalid(message) => self.invalid(message),
        })
    }

    fn invalid(&self, message: impl Into<String>) -> ModelError {
        ModelError::Invalid { model: self.id.clone(), message: message.into(), request_id: None }
    }

    fn internal(&self, error: impl std::fmt::Display) -> ModelError {
        let message = error.to_string();
        ModelError::Internal { model: self.id.clone(), message: message.lines().next().unwrap_or("unknown").to_owned() }
    }

    fn too_long(&self, needed: usize) -> ModelError {
        ModelError::ContextLength {
            model: self.id.clone(),
            needed: u32::try_from(needed).unwrap_or(u32::MAX),
            limit: u32::try_from(self.network.context()).unwrap_or(u32::MAX),
            request_id: None,
        }
    }
}
