//! The choice between options by how likely the model would say each.

use candle_core::{D, Result};
use candle_nn::ops::log_softmax;
use graphloom_llm::{ChatRequest, Choice, ModelError, Usage};

use super::Engine;
use super::reading::Read;
use crate::model::Cache;

impl Engine {
    /// Scores every option as an answer to the conversation.
    ///
    /// The log-likelihood of an option is that of its tokens and of the end of the message after them, so that it is compared as
    /// a whole answer and not as the beginning of a longer one. From it the same option's log-likelihood as an answer to nothing
    /// is taken off, so that a frequent or short option does not win by that alone (Holtzman et al. 2021, "Surface Form
    /// Competition", section 3).
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
        let id = self.id.clone();
        let dropped = || dropped(&id);
        let priors = self.priors(&answers, cancelled)?.ok_or_else(&dropped)?;
        let (likelihoods, reused) = self.score_all(&tokens, &answers, cancelled)?.ok_or_else(&dropped)?;
        let scores: Vec<f32> = likelihoods.iter().zip(priors).map(|(likelihood, prior)| likelihood - prior).collect();
        let index = (0..scores.len()).rev().max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap_or(0);
        let output = answers.iter().map(|answer| answer.len() as u64).sum();
        let usage = Usage { input: tokens.len() as u64, output, cache_read: reused as u64, ..Usage::default() };
        Ok(Choice { index, scores, usage })
    }

    /// The log-likelihood of each answer to a conversation, and how many of its tokens were not read again; `None` when cancelled.
    fn score_all(
        &mut self,
        tokens: &[u32],
        answers: &[Vec<u32>],
        cancelled: &dyn Fn() -> bool,
    ) -> std::result::Result<Option<(Vec<f32>, usize)>, ModelError> {
        let read = self.read(tokens, cancelled).map_err(|error| self.internal(error))?;
        let Some(Read { mut cache, logits, reused }) = read else { return Ok(None) };
        let mut scores = Vec::with_capacity(answers.len());
        for answer in answers {
            if cancelled() {
                return Ok(None);
            }
            scores.push(self.score(answer, &logits, &mut cache).map_err(|error| self.internal(error))?);
        }
        Ok(Some((scores, reused)))
    }

    /// The log-likelihood of each answer to nothing, computed once per answer.
    fn priors(
        &mut self,
        answers: &[Vec<u32>],
        cancelled: &dyn Fn() -> bool,
    ) -> std::result::Result<Option<Vec<f32>>, ModelError> {
        let mut unknown: Vec<Vec<u32>> = Vec::new();
        for answer in answers {
            if !self.priors.contains_key(answer) && !unknown.contains(answer) {
                unknown.push(answer.clone());
            }
        }
        if !unknown.is_empty() {
            let nothing = self.prompt(&ChatRequest::user(NOTHING))?;
            let Some((scores, _)) = self.score_all(&nothing, &unknown, cancelled)? else { return Ok(None) };
            if self.priors.len() + unknown.len() > MOST_PRIORS {
                self.priors.retain(|answer, _| answers.contains(answer));
            }
            self.priors.extend(unknown.into_iter().zip(scores));
        }
        Ok(Some(answers.iter().map(|answer| self.priors.get(answer).copied().unwrap_or(0.0)).collect()))
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

/// What a user says who says nothing.
const NOTHING: &str = "N/A";

/// The most options whose likelihood as an answer to nothing is remembered.
const MOST_PRIORS: usize = 1024;

/// Nobody reads this: whoever asked has gone.
fn dropped(model: &str) -> ModelError {
    ModelError::Internal { model: model.to_owned(), message: "the call was dropped".to_owned() }
}

fn log_likelihood(logits: &[f32], token: u32) -> f32 {
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total: f32 = logits.iter().map(|logit| (logit - top).exp()).sum();
    logits.get(token as usize).map_or(f32::NEG_INFINITY, |logit| logit - top - total.ln())
}
