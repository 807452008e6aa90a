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

/// Used where the request names none; measured on the default model.
const TEMPERATURE: f32 = 0.7;
const TOP_P: f32 = 0.9;
const PENALTY: f32 = 1.1;

/// The most tokens of an answer where the request names no limit: a paragraph of prose, or a whole JSON value.
const PROSE_TOKENS: usize = 160;
const SCHEMA_TOKENS: usize = 1024;

/// A request that can be answered.
pub(super) struct Prepared {
    tokens: Vec<u32>,
    sampling: Sampling,
    constraint: Option<Constraint>,
    limit: usize,
    stop: Vec<String>,
}

impl Engine {
    /// Checks a request and does what can fail before the first token.
    pub(super) fn prepare(&mut self, request: &ChatRequest) -> Result<Prepared, ModelError> {
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
        Ok(Prepared { tokens, sampling, constraint, limit, stop: params.stop.clone() })
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

    /// Generates the answer. Ends quietly when nobody receives the events any more.
    pub(super) fn generate(&mut self, prepared: Prepared, events: &Events) -> Result<(), ModelError> {
        let Prepared { tokens, sampling, mut constraint, limit, stop } = prepared;
        let read = self.read(&tokens, &|| events.is_closed()).map_err(|error| self.internal(error))?;
        let Some(ReadConversation { mut cache, mut logits, reused }) = read else { return Ok(()) };
        let limit = limit.min(self.network.context() - tokens.len());
        let mut sampler = Sampler::new(sampling);
        let mut text_output = TextOutput::new(if constraint.is_some() { &[] } else { &stop });
        let mut repetition = Repetition::default();
        let mut made = 0;
        let mut unread: Vec<u32> = Vec::new();
        let finish = loop {
            if let Some(constraint) = &mut constraint {
                let mut forced = constraint.forced();
                forced.truncate(limit - made);
                made += forced.len();
                self.show(&forced, &mut text_output, &mut repetition, events);
                unread.append(&mut forced);
                if constraint.complete() {
                    break FinishReason::Stop;
                }
            }
            if made >= limit {
                break FinishReason::Length;
            }
            if events.is_closed() {
                return Ok(());
            }
            if !unread.is_empty() {
                let rows = self.network.read_tokens(&unread, &mut cache).map_err(|error| self.internal(error))?;
                logits = self.last_logits(&rows).map_err(|error| self.internal(error))?;
                unread.clear();
            }
            let avoid = self.avoid(&repetition, constraint.is_some());
            if let Some(constraint) = &mut constraint {
                constraint.mask(&mut logits).map_err(|error| self.internal(error))?;
            }
            let Some(token) = sampler.pick(&mut logits, &avoid) else {
                return Err(self.internal("the model gave no token a likelihood"));
            };
            if self.tokenizer.ends(token) {
                break FinishReason::Stop;
            }
            if let Some(constraint) = &mut constraint {
                constraint.accept(token).map_err(|error| self.internal(error))?;
            }
            made += 1;
            self.show(&[token], &mut text_output, &mut repetition, events);
            unread.push(token);
            if text_output.stopped() || (constraint.is_none() && repetition.looping()) {
                break FinishReason::Stop;
            }
        };
        let (rest, text) = text_output.finish();
        if !rest.is_empty() {
            events.send(Ok(ChatEvent::TextDelta { text: rest })).ok();
        }
        let usage =
            Usage { input: tokens.len() as u64, output: made as u64, cache_read: reused as u64, ..Usage::default() };
        let response = ChatResponse {
            model: self.name.clone(),
            message: Message::assistant(text),
            finish,
            usage,
            request_id: None,
        };
        events.send(Ok(ChatEvent::Done(response))).ok();
        Ok(())
    }

    fn show(&self, tokens: &[u32], text_output: &mut TextOutput, repetition: &mut Repetition, events: &Events) {
        let mut text = String::new();
        for token in tokens {
            repetition.push(*token);
            text.push_str(&text_output.push(self.tokenizer.bytes(*token)));
        }
        if !text.is_empty() {
            events.send(Ok(ChatEvent::TextDelta { text })).ok();
        }
    }

    /// The recent tokens to avoid. In JSON only words count: quotes and commas must repeat.
    fn avoid(&self, repetition: &Repetition, json: bool) -> Vec<u32> {
        let word = |token: &u32| self.tokenizer.bytes(*token).iter().any(u8::is_ascii_alphabetic);
        repetition.recent().iter().copied().filter(|token| !json || word(token)).collect()
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
