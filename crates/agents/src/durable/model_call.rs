//! A model whose calls are told to those who follow the run.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use graphloom_core_graph::Context;
use graphloom_llm::layers::Ledger;
use graphloom_llm::{
    Capabilities, ChatEvent, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Usage,
};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::hooks::CallKind;

/// The name under which nodes tell a [`ModelCall`]. A server shows it to those who ask for it, and not as progress.
pub const MODEL_CALL: &str = "__model_call__";

/// One call of a model, as it is told to those who follow a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelCall {
    /// Who was asked.
    pub model: String,
    /// The role of the model, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// What kind of question it is.
    pub call: CallKind,
    /// Where the answer comes from.
    pub source: AnswerSource,
    /// Milliseconds until the answer was whole.
    pub millis: u64,
    /// Tokens and cost: of an answer from the record those of the call that made it. Nothing of a call that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Why there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What is spent after the call, of each limit of the budget that the calls of the model are counted against.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budget: Vec<BudgetUse>,
}

/// Where an answer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AnswerSource {
    /// The model was asked.
    Model,
    /// It is the stored result of a durable step: an earlier attempt of the task asked the model.
    Record,
    /// It is the answer that the same question had before, see [`Cached`](graphloom_llm::layers::Cached).
    Cache,
}

/// One limit of a budget, and what is spent of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BudgetUse {
    /// `calls`, `tokens`, `usd_micros` or `millis`.
    pub unit: String,
    /// What is spent, of all runs that share the budget.
    pub spent: u64,
    /// The limit.
    pub limit: u64,
}

impl BudgetUse {
    /// What is spent of each limit of a ledger's budget.
    fn of(ledger: &Ledger) -> Vec<Self> {
        let (budget, spent) = (ledger.budget(), ledger.spent());
        let limits = [
            ("calls", spent.calls, budget.calls),
            ("tokens", spent.tokens, budget.tokens),
            ("usd_micros", spent.usd_micros, budget.usd_micros),
            ("millis", spent.millis, budget.time.map(millis)),
        ];
        let of =
            |(unit, spent, limit): (&str, u64, Option<u64>)| Some(Self { unit: unit.to_owned(), spent, limit: limit? });
        limits.into_iter().filter_map(of).collect()
    }
}

/// A model whose calls are told to those who follow the run of a task, as events of the name [`MODEL_CALL`].
///
/// Every call that is made is told once, when it ends. One that the budget refuses is not made, and one that is dropped
/// is not told. [`DurableCalls`](crate::DurableCalls) tells the calls of its models itself.
pub struct ToldModel<Cx> {
    pub(super) teller: Arc<Teller<Cx>>,
    inner: Arc<dyn ChatModel>,
}

/// Tells the calls of one model.
pub(super) struct Teller<Cx> {
    cx: Context<Cx>,
    model: String,
    role: Option<String>,
    /// A model in this process costs nothing.
    is_free: bool,
    ledger: Option<Arc<Ledger>>,
}

impl<Cx: Send + Sync + 'static> ToldModel<Cx> {
    /// Tells the calls of `model` in the task of `cx`, under the role that it plays where that is known.
    pub fn new(cx: &Context<Cx>, model: &Arc<dyn ChatModel>, role: Option<&str>) -> Self {
        let teller = Teller {
            cx: cx.clone(),
            model: model.id().to_string(),
            role: role.map(str::to_owned),
            is_free: model.capabilities().local,
            ledger: model.ledger().cloned(),
        };
        Self { teller: Arc::new(teller), inner: Arc::clone(model) }
    }
}

impl<Cx: Send + Sync + 'static> Teller<Cx> {
    /// Tells what came of a call that began at `begun`.
    async fn ended(&self, call: CallKind, begun: Instant, usage: Result<Usage, &ModelError>) {
        let (usage, error) = match usage {
            Ok(usage) => (Some(usage), None),
            // A call that the budget refuses is not made.
            Err(ModelError::Budget { .. }) => return,
            Err(error) => (None, Some(error.to_string())),
        };
        let is_cached = usage.is_some_and(|usage| usage.total() == 0 && usage.cost == Some(0));
        let source = if is_cached { AnswerSource::Cache } else { AnswerSource::Model };
        self.tell(call, source, millis(begun.elapsed()), usage, error).await;
    }

    /// Tells an answer that was stored by an earlier attempt.
    pub(super) async fn recorded(&self, call: CallKind, usage: Usage) {
        self.tell(call, AnswerSource::Record, 0, Some(usage), None).await;
    }

    async fn tell(
        &self,
        call: CallKind,
        source: AnswerSource,
        millis: u64,
        usage: Option<Usage>,
        error: Option<String>,
    ) {
        let usage = usage.map(|usage| Usage { cost: usage.cost.or(self.is_free.then_some(0)), ..usage });
        let budget = self.ledger.as_deref().map(BudgetUse::of).unwrap_or_default();
        let (model, role) = (self.model.clone(), self.role.clone());
        self.cx.emit(MODEL_CALL, ModelCall { model, role, call, source, millis, usage, error, budget }).await;
    }
}

#[async_trait]
impl<Cx: Send + Sync + 'static> ChatModel for ToldModel<Cx> {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    fn ledger(&self) -> Option<&Arc<Ledger>> {
        self.inner.ledger()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        let begun = Instant::now();
        let response = self.inner.chat(request).await;
        self.teller.ended(CallKind::Chat, begun, response.as_ref().map(|response| response.usage)).await;
        response
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let begun = Instant::now();
        let stream = match self.inner.stream(request).await {
            Ok(stream) => stream,
            Err(error) => {
                self.teller.ended(CallKind::Chat, begun, Err(&error)).await;
                return Err(error);
            }
        };
        let teller = Arc::clone(&self.teller);
        let told = stream.then(move |event| {
            let teller = Arc::clone(&teller);
            async move {
                match &event {
                    Ok(ChatEvent::Done(response)) => teller.ended(CallKind::Chat, begun, Ok(response.usage)).await,
                    Err(error) => teller.ended(CallKind::Chat, begun, Err(error)).await,
                    Ok(_) => {}
                }
                event
            }
        });
        Ok(told.boxed())
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        let begun = Instant::now();
        let choice = self.inner.choose(request, options).await;
        self.teller.ended(CallKind::Choose, begun, choice.as_ref().map(|choice| choice.usage)).await;
        choice
    }
}

impl<Cx> fmt::Debug for ToldModel<Cx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToldModel")
            .field("model", self.inner.id())
            .field("role", &self.teller.role)
            .finish_non_exhaustive()
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
