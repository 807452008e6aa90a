//! What a conversation is made of.

use std::fmt;

use graphloom_llm::{ChatModel, Message, Params, ToolCall, Usage};

use crate::{FailedCalls, Prompts, ToolOutcome, ToolRegistry};

/// The limits and settings of a conversation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ConverseOptions {
    /// How often the model is asked at most; 12 unless set, and at least once. The last time no tools are offered, so
    /// that it answers with what it has.
    pub max_turns: u32,
    /// Sampling and limits of each turn.
    pub params: Params,
    /// How many characters of a result the model reads; unless set, 16000, or fewer for a model with a small context.
    pub result_characters: Option<usize>,
    /// How many calls of one turn are made at a time, of those that only read; 1 unless set. A call that changes
    /// something waits for those before it and is made alone.
    pub parallel: usize,
    /// What the keys of durable steps begin with; the rest is `turn/1` and so on. Two conversations of one node need
    /// different beginnings.
    pub key: String,
    /// The calls that failed in earlier conversations of the same work.
    pub repeats: FailedCalls,
}

impl Default for ConverseOptions {
    fn default() -> Self {
        Self {
            max_turns: 12,
            params: Params::default(),
            result_characters: None,
            parallel: 1,
            key: String::new(),
            repeats: FailedCalls::new(),
        }
    }
}

/// A conversation before it begins: model, tools, prompts, first messages and options.
#[derive(Clone)]
#[non_exhaustive]
pub struct Conversation<'a> {
    /// The model that is asked.
    pub model: &'a dyn ChatModel,
    /// The tools that the model can use.
    pub tools: &'a ToolRegistry,
    /// The templates, of which those under `agents/` are used.
    pub prompts: &'a Prompts,
    /// The messages before the first turn.
    pub messages: Vec<Message>,
    /// Its limits and settings.
    pub options: ConverseOptions,
    /// The function that gets each event while the conversation runs.
    pub watch: Option<&'a (dyn Fn(Progress<'_>) + Send + Sync)>,
}

/// An event of a running conversation.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// The model has replied.
    Turn {
        /// Which turn, from 1.
        turn: u32,
        /// The tokens of this turn.
        usage: Usage,
    },
    /// A call begins.
    Call(&'a ToolCall),
    /// A call has ended.
    Outcome(&'a ToolOutcome),
}

impl<'a> Conversation<'a> {
    /// A conversation that begins with `messages`, with the default options.
    pub fn new(
        model: &'a dyn ChatModel,
        tools: &'a ToolRegistry,
        prompts: &'a Prompts,
        messages: Vec<Message>,
    ) -> Self {
        Self { model, tools, prompts, messages, options: ConverseOptions::default(), watch: None }
    }

    /// Sets the options.
    #[must_use]
    pub fn with_options(mut self, options: ConverseOptions) -> Self {
        self.options = options;
        self
    }

    /// Calls `watch` with each event.
    #[must_use]
    pub fn watched_by(mut self, watch: &'a (dyn Fn(Progress<'_>) + Send + Sync)) -> Self {
        self.watch = Some(watch);
        self
    }
}

impl fmt::Debug for Conversation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation")
            .field("model", &self.model.id().to_string())
            .field("tools", self.tools)
            .field("messages", &self.messages.len())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
