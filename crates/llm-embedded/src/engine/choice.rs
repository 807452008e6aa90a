//! The choice between options by how likely the model would say each.

use candle_core::{D, Result};
use candle_nn::ops::log_softmax;
use graphloom_llm::{ChatRequest, Choice, ModelError, Usage};

use super::Engine;
use super::reading::ReadConversation;
use crate::model::Cache;

impl Engine {
    /// Scores every option as an answer to the conversation.
    ///
    /// A score is the log-likelihood of the option's tokens and of the end of the message after them, so that an option is
    /// compared as a whole answer and not as the beginning of a longer one.
    pub(super) fn choose(
        &mut self,
        request: &ChatRequest,
        options: &[String],
        cancelled: &dyn Fn() -> bool,
    ) -> std::result::Result<Choice, ModelError> {
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
        let longest = answers.iter().map(Vec::len).max().unwrap_or(0);
        let needed = tokens.len() + longest;
        if needed > self.network.context() {
            return Err(self.too_long(needed));
        }
        let read = self.read(&tokens, cancelled).map_err(|error| self.internal(error))?;
        let Some(ReadConversation { mut cache, logits, reused }) = read else {
            return Err(self.internal("the call was dropped"));
        };
        let mut scores = Vec::with_capacity(answers.len());
        for answer in &answers {
            if cancelled() {
                return Err(self.internal("the call was dropped"));
            }
            scores.push(self.score(answer, &logits, &mut cache).map_err(|error| self.internal(error))?);
        }
        let index = (0..scores.len()).rev().max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap_or(0);
        let output = answers.iter().map(|answer| answer.len() as u64).sum();
        let usage = Usage { input: tokens.len() as u64, output, cache_read: reused as u64, ..Usage::default() };
        Ok(Choice { index, scores, usage })
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

fn log_likelihood(logits: &[f32], token: u32) -> f32 {
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total: f32 = logits.iter().map(|logit| (logit - top).exp()).sum();
    logits.get(token as usize).map_or(f32::NEG_INFINITY, |logit| logit - top - total.ln())
}
