//! The choice between options by how likely the model would say each.

use candle_core::{D, Result};
use candle_nn::ops::log_softmax;
use graphloom_llm::{ChatRequest, Choice, ModelError, Usage};

use super::Engine;
use super::reading::ReadConversation;
use crate::model::Cache;

/// Options that are scored one after the other.
pub(super) struct Scoring {
    tokens: usize,
    reused: usize,
    /// The tokens of each option, with the end of the message.
    answers: Vec<Vec<u32>>,
    scores: Vec<f32>,
    logits: Vec<f32>,
    cache: Option<Cache>,
}

impl Engine {
    /// Checks the options of a request, and returns the tokens of its conversation.
    ///
    /// A score is the log-likelihood of the option's tokens and of the end of the message after them, so that an option is
    /// compared as a whole answer and not as the beginning of a longer one.
    pub(super) fn prepare_choice(
        &self,
        request: &ChatRequest,
        options: &[String],
    ) -> std::result::Result<(Vec<u32>, Scoring), ModelError> {
        if options.is_empty() {
            return Err(self.invalid("there is no option to choose from"));
        }
        let tokens = self.prompt(request)?;
        let mut answers = Vec::with_capacity(options.len());
        for option in options {
            let mut answer = self.tokenizer.encode(option).map_err(|error| self.internal(error))?;
            answer.push(self.tokenizer.end());
            answers.push(answer);
        }
        let needed = tokens.len() + answers.iter().map(Vec::len).max().unwrap_or(0);
        if needed > self.network.context() {
            return Err(self.too_long(needed));
        }
        let scores = Vec::with_capacity(answers.len());
        let scoring = Scoring { tokens: tokens.len(), reused: 0, answers, scores, logits: Vec::new(), cache: None };
        Ok((tokens, scoring))
    }

    /// The log-likelihood of `answer` after what is in `cache`, whose last token gave `logits`. The cache is left as it was.
    fn score(&self, answer: &[u32], logits: &[f32], cache: &mut Cache) -> Result<f32> {
        let Some((first, rest)) = answer.split_first() else { return Ok(0.0) };
        let mut score = log_likelihood(logits, *first);
        if !rest.is_empty() {
            let length = cache.len();
            let rows = self.network.read_tokens(&answer[..rest.len()], cache)?;
            cache.truncate(length);
            let rows = log_softmax(&self.network.logits(&rows)?, D::Minus1)?;
            for (row, token) in rest.iter().enumerate() {
                score += rows.get(row)?.get(*token as usize)?.to_scalar::<f32>()?;
            }
        }
        Ok(score)
    }
}

impl Scoring {
    /// Begins after a conversation that was read.
    pub(super) fn begin(&mut self, read: ReadConversation) {
        let ReadConversation { cache, logits, reused } = read;
        (self.cache, self.logits, self.reused) = (Some(cache), logits, reused);
    }

    /// Scores the next option. Returns the choice after the last one.
    pub(super) fn step(&mut self, engine: &Engine) -> std::result::Result<Option<Choice>, ModelError> {
        let cache = self.cache.as_mut().ok_or_else(|| engine.internal("the conversation was not read"))?;
        if let Some(answer) = self.answers.get(self.scores.len()) {
            let score = engine.score(answer, &self.logits, cache).map_err(|error| engine.internal(error))?;
            self.scores.push(score);
        }
        if self.scores.len() < self.answers.len() {
            return Ok(None);
        }
        let scores = std::mem::take(&mut self.scores);
        let index = (0..scores.len()).rev().max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap_or(0);
        let output = self.answers.iter().map(|answer| answer.len() as u64).sum();
        let (input, cache_read) = (self.tokens as u64, self.reused as u64);
        Ok(Some(Choice { index, scores, usage: Usage { input, output, cache_read, ..Usage::default() } }))
    }
}

fn log_likelihood(logits: &[f32], token: u32) -> f32 {
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total: f32 = logits.iter().map(|logit| (logit - top).exp()).sum();
    logits.get(token as usize).map_or(f32::NEG_INFINITY, |logit| logit - top - total.ln())
}
