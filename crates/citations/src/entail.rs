//! Who says whether a passage entails a claim.

use async_trait::async_trait;
use graphloom_text::Language;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::locate::Wording;
use crate::rules::Fault;

/// A claim and the passage that may entail it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// The claim, without marks.
    pub claim: String,
    /// The title of the source.
    pub title: String,
    /// The passage: the best span with the sentences around it.
    pub passage: String,
    /// Why rules want a second look; they decide nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Fault>,
}

/// What a judge says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// Whoever believes the passage must believe the claim.
    Entails,
    /// Whoever believes the passage cannot believe the claim.
    Contradicts,
    /// The passage leaves it open.
    Neither,
}

/// A judge that could not be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("entailment was not judged: {why}")]
pub struct Outage {
    /// What was in the way.
    pub why: String,
}

impl Outage {
    /// An outage with its reason.
    #[must_use]
    pub fn new(why: impl Into<String>) -> Self {
        Self { why: why.into() }
    }
}

/// Someone who judges entailment: a language model, or a program.
#[async_trait]
pub trait Entailment: Send + Sync {
    /// Judges one question.
    ///
    /// # Errors
    /// [`Outage`] when there is no judgement. It leads to [`Verdict::NotChecked`](crate::Verdict::NotChecked), never to
    /// a rejection.
    async fn judge(&self, question: &Question) -> Result<Judgement, Outage>;
}

/// The extractive judge: a deterministic program that takes shared wording for entailment.
///
/// It stands in for a model where results must be the same everywhere; what is measured with it says nothing about
/// any model. It never finds a contradiction, and it accepts nothing that a rule doubts.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Extractive {
    /// The least share of the claim's wording, 0 to 1, that the passage must have.
    pub least: f32,
}

impl Default for Extractive {
    fn default() -> Self {
        Self { least: 0.6 }
    }
}

#[async_trait]
impl Entailment for Extractive {
    async fn judge(&self, question: &Question) -> Result<Judgement, Outage> {
        let passage = format!("{}\n{}", question.title, question.passage);
        let language = Language::detect(&passage);
        let there = Wording::of(&passage, language);
        // Numbers are for the rules, which know that `1,500 ms` is `1.5 s`.
        let claim =
            Wording::of(&question.claim, language).without(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        let share = claim.share_in(&there.words());
        Ok(if share >= self.least && question.doubts.is_empty() { Judgement::Entails } else { Judgement::Neither })
    }
}
