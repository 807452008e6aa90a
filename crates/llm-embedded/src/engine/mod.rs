//! The thread that a model lives on: it takes calls and answers them, a step of each in turn.

mod answer;
mod choice;
mod conversation;
mod prefixes;
mod reading;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use graphloom_llm::{ChatEvent, ChatRequest, Choice, ModelError};
use tokio::sync::{mpsc, oneshot};

use crate::decode::Grammars;
use crate::model::Network;
use crate::prompt::{PromptError, Template};
use crate::tokenizer::Tokenizer;
use conversation::Conversation;
use prefixes::Prefixes;

/// The most calls that are under way at once; each holds the keys and values of its conversation.
const MOST_AT_ONCE: usize = 4;

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
    network: Network,
    tokenizer: Arc<Tokenizer>,
    template: Template,
    grammars: Option<Grammars>,
    prefixes: Prefixes,
}

impl Engine {
    pub(crate) fn new(name: String, id: String, network: Network, tokenizer: Tokenizer, template: Template) -> Self {
        let tokenizer = Arc::new(tokenizer);
        Self { name, id, network, tokenizer, template, grammars: None, prefixes: Prefixes::default() }
    }

    /// Answers calls until there is nobody left who could make one.
    ///
    /// Several are under way at once, and each gets a step in turn: a token of its answer, or a part of its conversation. Of
    /// those that are still being read only the oldest goes on, so that the others find what they begin with alike.
    pub(crate) fn run(mut self, mut calls: mpsc::Receiver<Call>) {
        let mut under_way: Vec<Conversation> = Vec::new();
        loop {
            if under_way.is_empty() {
                let Some(call) = calls.blocking_recv() else { return };
                under_way.extend(self.accept(call));
            }
            while under_way.len() < MOST_AT_ONCE
                && let Ok(call) = calls.try_recv()
            {
                under_way.extend(self.accept(call));
            }
            let mut has_read = false;
            under_way.retain_mut(|conversation| {
                if conversation.is_read() || !std::mem::replace(&mut has_read, true) {
                    self.guarded(|engine| conversation.step(engine)).unwrap_or(false)
                } else {
                    !conversation.is_dropped()
                }
            });
        }
    }

    /// Checks a call. One that cannot be answered is told so here.
    fn accept(&mut self, call: Call) -> Option<Conversation> {
        self.guarded(|engine| Conversation::begin(engine, call)).flatten()
    }

    /// Runs a part of a call. The caller of one that panics sees its channel close.
    fn guarded<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let done = catch_unwind(AssertUnwindSafe(|| part(self)));
        if done.is_err() {
            // What a panic may have left half written is forgotten.
            self.prefixes = Prefixes::default();
            tracing::error!(model = %self.id, "a call of the embedded model ended in a panic");
        }
        done.ok()
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
