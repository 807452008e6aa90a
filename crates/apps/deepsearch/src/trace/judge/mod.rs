//! The model as a judge of entailment.

mod free;
mod guided;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::{StreamExt, TryStreamExt};
use graphloom_agents::Strategy;
use graphloom_citations::{Judgement, Outage, Question};
use graphloom_core_graph::{Context, NodeError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::ask::{Ask, value};
use crate::config::Config;
use crate::resources::{Resources, Slot, Stage};
use crate::status::StatusCode;

/// A judge of entailment: the model of the slot `writing_checking`, called in durable steps of the task.
#[derive(Clone, Debug)]
pub struct ModelJudge<'c> {
    cx: &'c Context<Resources>,
}

/// Why questions have no judgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgeFailure {
    /// 212103 for too few or too many judgements, 212104 for an answer that cannot be read, 212105 for a model that
    /// cannot be asked or a budget that is spent.
    pub code: StatusCode,
    /// The reason, in words.
    pub why: String,
}

impl From<JudgeFailure> for Outage {
    fn from(failure: JudgeFailure) -> Self {
        Self::new(failure.why)
    }
}

/// For each code, the number of questions without a judgement and the reason of the first.
pub(super) type UnjudgedCounts = BTreeMap<StatusCode, (usize, String)>;

/// What the model says to each pair.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Judgements {
    /// One word for each pair, in order.
    judgements: Vec<Word>,
}

/// One judgement.
#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Word {
    Entails,
    Contradicts,
    Neither,
}

impl<'c> ModelJudge<'c> {
    /// A judge for the questions of one task.
    pub fn new(cx: &'c Context<Resources>) -> Self {
        Self { cx }
    }

    /// Judges several questions with one call. `key` is unique in the task. When a finished run is checked again,
    /// questions without a judgement in its stored answers are asked once more.
    ///
    /// # Errors
    /// Only errors that no model caused. A model that cannot be asked, an answer that cannot be used and a budget that is
    /// spent give a [`JudgeFailure`] for the questions.
    pub async fn judge_all(
        &self,
        key: &str,
        questions: &[Question],
    ) -> Result<Result<Vec<Judgement>, JudgeFailure>, NodeError> {
        match self.ask(key, questions).await? {
            Err(_) if self.cx.resources().recheck => self.ask(&format!("{key}/again"), questions).await,
            answer => Ok(answer),
        }
    }

    /// Judges any number of questions. The configuration sets the number of questions in one call and of concurrent
    /// calls. The calls have the keys `key/0`, `key/1` and so on; the answers stand in the order of the questions.
    ///
    /// # Errors
    /// Those of [`judge_all`](Self::judge_all).
    pub(super) async fn judge_in_batches(
        &self,
        key: &str,
        questions: &[&Question],
        config: &Config,
    ) -> Result<(Vec<Result<Judgement, JudgeFailure>>, UnjudgedCounts), NodeError> {
        let at_least_one = |most| usize::try_from(most).unwrap_or(1).max(1);
        let size = at_least_one(config.source_tracer_citation_verify_batch_size);
        let at_once = at_least_one(config.source_tracer_citation_verify_max_concurrency_num);
        let batches: Vec<(String, Vec<Question>)> = questions
            .chunks(size)
            .enumerate()
            .map(|(number, batch)| (format!("{key}/{number}"), batch.iter().copied().cloned().collect()))
            .collect();
        let judged: Vec<_> = futures::stream::iter(batches.into_iter().map(|(key, questions)| async move {
            Ok::<_, NodeError>(match self.judge_all(&key, &questions).await? {
                Ok(judgements) => judgements.into_iter().map(Ok).collect(),
                Err(unjudged) => vec![Err(unjudged); questions.len()],
            })
        }))
        .buffered(at_once)
        .try_collect()
        .await?;
        let answers: Vec<Result<Judgement, JudgeFailure>> = judged.into_iter().flatten().collect();
        let mut missed = UnjudgedCounts::new();
        for unjudged in answers.iter().filter_map(|answer| answer.as_ref().err()) {
            missed.entry(unjudged.code).or_insert_with(|| (0, unjudged.why.clone())).0 += 1;
        }
        Ok((answers, missed))
    }

    async fn ask(&self, key: &str, questions: &[Question]) -> Result<Result<Vec<Judgement>, JudgeFailure>, NodeError> {
        if !self.cx.resources().may_spend(Stage::Checking) {
            return Ok(Err(JudgeFailure { code: StatusCode::CitationCheck, why: "the budget is spent".to_owned() }));
        }
        let count = questions.len();
        let Form { pairs, schema } = match self.cx.resources().strategy(Slot::WritingChecking) {
            Strategy::Free => free::form(questions),
            Strategy::Guided => guided::form(questions),
        };
        let ask = Ask::new(key, "trace/verify").slot(Slot::WritingChecking).tries(3).temperature(0.0);
        let ask = ask.small_tokens(24 + 8 * u32::try_from(count).unwrap_or(u32::MAX / 16)).schema(schema);
        let args = json!({ "pairs": pairs });
        let miscounted = AtomicBool::new(false);
        let answer = value(self.cx, &ask, &args, |answer: Judgements| {
            miscounted.store(answer.judgements.len() != count, Ordering::Relaxed);
            if answer.judgements.len() == count {
                Ok(answer.judgements)
            } else {
                Err(format!("there are {} judgements for {count} pairs", answer.judgements.len()))
            }
        });
        Ok(match answer.await? {
            Ok(words) => Ok(words.into_iter().map(Judgement::from).collect()),
            Err(failure) => {
                let code = match failure.is_answered() {
                    false => StatusCode::CitationCheck,
                    true if miscounted.into_inner() => StatusCode::JudgementCount,
                    true => StatusCode::JudgementAnswer,
                };
                Err(JudgeFailure { code, why: failure.to_string() })
            }
        })
    }
}

/// The form of a request for judgements.
struct Form {
    /// The pair of each question, for the prompt.
    pairs: Vec<Value>,
    /// The schema of the answer.
    schema: Value,
}

/// The schema of an answer. `list` is the schema of the list of judgements.
fn judgements(list: &Value) -> Value {
    json!({
        "type": "object",
        "description": "One judgement for each pair, in order.",
        "properties": { "judgements": list },
        "required": ["judgements"],
        "additionalProperties": false,
    })
}

impl From<Word> for Judgement {
    fn from(word: Word) -> Self {
        match word {
            Word::Entails => Self::Entails,
            Word::Contradicts => Self::Contradicts,
            Word::Neither => Self::Neither,
        }
    }
}
