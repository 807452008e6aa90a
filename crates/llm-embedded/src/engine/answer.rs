//! One answer, token by token.

use graphloom_llm::ModelError;
use graphloom_llm::{
    ChatEvent, ChatRequest, ChatResponse, FinishReason, Message, Params, ResponseFormat, ToolChoice, Usage,
};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::reading::ReadConversation;
use super::{Engine, Events};
use crate::decode::{Constraint, Grammars, Repetition, Sampler, Sampling, TextOutput};
use crate::model::Cache;

/// Used where the request names none; measured on the default model.
const TEMPERATURE: f32 = 0.7;
const TOP_P: f32 = 0.9;
const PENALTY: f32 = 1.1;

/// The most tokens of an answer where the request names no limit: a paragraph of prose, or a whole JSON value.
const PROSE_TOKENS: usize = 160;
const SCHEMA_TOKENS: usize = 1024;

/// An answer on its way, token by token.
pub(super) struct Answer {
    tokens: usize,
    reused: usize,
    sampler: Sampler,
    constraint: Option<Constraint>,
    limit: usize,
    text_output: TextOutput,
    repetition: Repetition,
    made: usize,
    /// Tokens of the answer that the network has not read.
    unread: Vec<u32>,
    logits: Vec<f32>,
    cache: Option<Cache>,
}

impl Engine {
    /// Checks a request and does what can fail before the first token.
    pub(super) fn prepare(&mut self, request: &ChatRequest) -> Result<(Vec<u32>, Answer), ModelError> {
        let ChatRequest { tools, tool_choice, format, params, .. } = request;
        if !tools.is_empty() && *tool_choice != ToolChoice::None {
            return Err(ModelError::Unsupported { model: self.id.clone(), what: "call tools".to_owned() });
        }
        let schema = match format {
            ResponseFormat::Text => None,
            ResponseFormat::JsonObject => Some(("object".to_owned(), json!({ "type": "object" }))),
            ResponseFormat::JsonSchema { name, schema } => Some((name.clone(), schema.clone())),
            _ => {
                let what = "answer in this format".to_owned();
                return Err(ModelError::Unsupported { model: self.id.clone(), what });
            }
        };
        let tokens = self.prompt(request)?;
        let limit = params.max_tokens.map_or(if schema.is_some() { SCHEMA_TOKENS } else { PROSE_TOKENS }, |limit| {
            usize::try_from(limit).unwrap_or(usize::MAX)
        });
        if limit == 0 {
            return Err(self.invalid("`max_tokens` is 0; leave it out or set it to 1 or more"));
        }
        // Room for at least one token of the answer.
        if tokens.len() >= self.network.context() {
            return Err(self.too_long(tokens.len() + 1));
        }
        let seed = params.seed.unwrap_or_else(|| default_seed(&tokens, schema.as_ref().map(|(_, schema)| schema)));
        let sampling = self.sampling(params, seed)?;
        let constraint =
            match schema {
                Some((name, schema)) => {
                    let constraint = self.grammars()?.constraint(&schema);
                    Some(constraint.map_err(|error| {
                        self.invalid(format!("no grammar can be made of the schema `{name}`: {error}"))
                    })?)
                }
                None => None,
            };
        let answer = Answer {
            tokens: tokens.len(),
            reused: 0,
            sampler: Sampler::new(sampling),
            text_output: TextOutput::new(if constraint.is_some() { &[] } else { &params.stop }),
            constraint,
            limit: limit.min(self.network.context() - tokens.len()),
            repetition: Repetition::default(),
            made: 0,
            unread: Vec::new(),
            logits: Vec::new(),
            cache: None,
        };
        Ok((tokens, answer))
    }

    fn sampling(&self, params: &Params, seed: u64) -> Result<Sampling, ModelError> {
        let temperature = params.temperature.unwrap_or(TEMPERATURE);
        if !(0.0..=10.0).contains(&temperature) {
            return Err(self.invalid(format!("`temperature` is {temperature}; it goes from 0 to 10")));
        }
        let top_p = params.top_p.unwrap_or(TOP_P);
        if !(top_p > 0.0 && top_p <= 1.0) {
            return Err(self.invalid(format!("`top_p` is {top_p}; it is above 0 and at most 1")));
        }
        Ok(Sampling { temperature, top_p, penalty: PENALTY, seed })
    }

    fn grammars(&mut self) -> Result<&Grammars, ModelError> {
        if self.grammars.is_none() {
            let grammars = Grammars::new(&self.tokenizer, self.network.vocabulary());
            self.grammars = Some(grammars.map_err(|error| self.internal(error))?);
        }
        self.grammars.as_ref().ok_or_else(|| self.internal("the grammars are not there"))
    }

    /// The recent tokens to avoid. In JSON only words count: quotes and commas must repeat.
    fn avoid(&self, repetition: &Repetition, json: bool) -> Vec<u32> {
        let word = |token: &u32| self.tokenizer.bytes(*token).iter().any(u8::is_ascii_alphabetic);
        repetition.recent().iter().copied().filter(|token| !json || word(token)).collect()
    }
}

impl Answer {
    /// Begins after a conversation that was read.
    pub(super) fn begin(&mut self, read: ReadConversation) {
        let ReadConversation { cache, logits, reused } = read;
        (self.cache, self.logits, self.reused) = (Some(cache), logits, reused);
    }

    /// Makes the next token, and those that the grammar leaves no choice about. Returns whether the answer has ended, after
    /// its last event was sent.
    pub(super) fn step(&mut self, engine: &Engine, events: &Events) -> Result<bool, ModelError> {
        match self.next(engine, events)? {
            Some(finish) => {
                self.finish(engine, finish, events);
                Ok(true)
            }
            None => Ok(false),
        }
    }

    fn next(&mut self, engine: &Engine, events: &Events) -> Result<Option<FinishReason>, ModelError> {
        if let Some(constraint) = &mut self.constraint {
            let mut forced = constraint.forced();
            forced.truncate(self.limit - self.made);
            let complete = constraint.complete();
            self.made += forced.len();
            self.show(engine, &forced, events);
            self.unread.append(&mut forced);
            if complete {
                return Ok(Some(FinishReason::Stop));
            }
        }
        if self.made >= self.limit {
            return Ok(Some(FinishReason::Length));
        }
        if !self.unread.is_empty() {
            let cache = self.cache.as_mut().ok_or_else(|| engine.internal("the conversation was not read"))?;
            let rows = engine.network.read_tokens(&self.unread, cache).map_err(|error| engine.internal(error))?;
            self.logits = engine.last_logits(&rows).map_err(|error| engine.internal(error))?;
            self.unread.clear();
        }
        let avoid = engine.avoid(&self.repetition, self.constraint.is_some());
        if let Some(constraint) = &mut self.constraint {
            constraint.mask(&mut self.logits).map_err(|error| engine.internal(error))?;
        }
        let Some(token) = self.sampler.pick(&mut self.logits, &avoid) else {
            return Err(engine.internal("the model gave no token a likelihood"));
        };
        if engine.tokenizer.ends(token) {
            return Ok(Some(FinishReason::Stop));
        }
        if let Some(constraint) = &mut self.constraint {
            constraint.accept(token).map_err(|error| engine.internal(error))?;
        }
        self.made += 1;
        self.show(engine, &[token], events);
        self.unread.push(token);
        let looping = self.constraint.is_none() && self.repetition.looping();
        Ok((self.text_output.stopped() || looping).then_some(FinishReason::Stop))
    }

    fn show(&mut self, engine: &Engine, tokens: &[u32], events: &Events) {
        let mut text = String::new();
        for token in tokens {
            self.repetition.push(*token);
            text.push_str(&self.text_output.push(engine.tokenizer.bytes(*token)));
        }
        if !text.is_empty() {
            events.send(Ok(ChatEvent::TextDelta { text })).ok();
        }
    }

    fn finish(&mut self, engine: &Engine, finish: FinishReason, events: &Events) {
        let (rest, text) = std::mem::replace(&mut self.text_output, TextOutput::new(&[])).finish();
        if !rest.is_empty() {
            events.send(Ok(ChatEvent::TextDelta { text: rest })).ok();
        }
        let (input, output, cache_read) = (self.tokens as u64, self.made as u64, self.reused as u64);
        let response = ChatResponse {
            model: engine.name.clone(),
            message: Message::assistant(text),
            finish,
            usage: Usage { input, output, cache_read, ..Usage::default() },
            request_id: None,
        };
        events.send(Ok(ChatEvent::Done(response))).ok();
    }
}

/// A seed of the request's own, so that the same request gets the same answer.
fn default_seed(tokens: &[u32], schema: Option<&serde_json::Value>) -> u64 {
    let mut hash = Sha256::new();
    for token in tokens {
        hash.update(token.to_le_bytes());
    }
    if let Some(schema) = schema {
        hash.update(schema.to_string());
    }
    let mut seed = [0; 8];
    seed.copy_from_slice(&hash.finalize()[..8]);
    u64::from_le_bytes(seed)
}
