//! What may put the best results into another order.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures::{StreamExt, TryStreamExt};
use graphloom_llm::{ChatModel, ChatRequest, ModelError};

/// Calls of a model at a time.
const AT_ONCE: usize = 4;

/// A model that reads a question and a passage together and says how well the one answers the other. It is asked about the
/// first results only, since it costs a call of a model for each.
#[async_trait]
pub trait Reranker: Send + Sync {
    /// Its name, for messages.
    fn name(&self) -> String;

    /// A score of each passage, in their order; larger is better, and only comparable within one answer.
    ///
    /// # Errors
    /// Those of the model. The results then stay in the order that they had, and a note says so.
    async fn scores(&self, question: &str, passages: &[&str]) -> Result<Vec<f32>, ModelError>;
}

type Prompt = dyn Fn(&str, &str) -> ChatRequest + Send + Sync;

/// A chat model that chooses between two answers about each passage: that the passage answers the question, or that it does
/// not. Where the model tells likelihoods, the score is how much likelier the first is; else it is 1 or 0, so that passages
/// with the same answer keep their order.
///
/// It costs one call for each passage. What it gains depends on the model; no gain is claimed for the built-in one.
///
/// ```
/// # use std::sync::Arc;
/// use graphloom_llm::{ChatRequest, Scripted};
/// use graphloom_retrieval::ChoiceReranker;
///
/// # let model = Arc::new(Scripted::from_fn(|_| Ok("yes")));
/// let template = |question: &str, passage: &str| {
///     // Both come from outside, so an application fences them in its own prompt file.
///     ChatRequest::user(format!("Does the passage answer `{question}`?\n\n{passage}"))
/// };
/// let reranker = ChoiceReranker::new(model, template, ["yes", "no"]);
/// ```
#[derive(Clone)]
pub struct ChoiceReranker {
    model: Arc<dyn ChatModel>,
    prompt: Arc<Prompt>,
    options: [String; 2],
}

impl ChoiceReranker {
    /// Asks `model` with what `prompt` makes of a question and a passage. `options` are the two answers, that of a passage
    /// which answers the question first.
    pub fn new(
        model: Arc<dyn ChatModel>,
        prompt: impl Fn(&str, &str) -> ChatRequest + Send + Sync + 'static,
        options: [impl Into<String>; 2],
    ) -> Self {
        Self { model, prompt: Arc::new(prompt), options: options.map(Into::into) }
    }
}

impl fmt::Debug for ChoiceReranker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChoiceReranker").field("model", self.model.id()).finish_non_exhaustive()
    }
}

#[async_trait]
impl Reranker for ChoiceReranker {
    fn name(&self) -> String {
        self.model.id().to_string()
    }

    async fn scores(&self, question: &str, passages: &[&str]) -> Result<Vec<f32>, ModelError> {
        let requests: Vec<ChatRequest> = passages.iter().map(|passage| (self.prompt)(question, passage)).collect();
        let score = |request| async move {
            let choice = self.model.choose(request, &self.options).await?;
            Ok(match choice.scores.as_slice() {
                [yes, no] if yes.is_finite() && no.is_finite() => yes - no,
                _ => f32::from(u8::from(choice.index == 0)),
            })
        };
        futures::stream::iter(requests).map(score).buffered(AT_ONCE).try_collect().await
    }
}
