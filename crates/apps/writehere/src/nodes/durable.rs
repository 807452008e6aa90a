//! Model calls and searches as durable steps, with breakpoints around the calls and a wait where the budget is spent.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use graphloom_agents::{Call, CallHooks, CallKind, CallReply, DurableCalls};
use graphloom_core_graph::{Context, NodeError};
use graphloom_llm::ModelError;
use graphloom_retrieval::{Fault, Search, SearchAnswer};
use graphloom_state_machine::NodeKey;
use serde_json::json;

use crate::breakpoint::{Stage, TaskView};
use crate::budget::{Answered, BUDGET, Shortage};
use crate::resources::Resources;
use crate::review::{PLAN_REVIEW, PlanReview, PlanReviewer, PlanVerdict};
use crate::stage::Setup;
use crate::state::Request;

/// The durable calls of one turn. A turn makes one after the other, so they are numbered in their order.
pub(super) fn calls(cx: &Context<Resources>, sight: &TaskView) -> Arc<DurableCalls<Resources>> {
    let hooks = Hooks { cx: cx.clone(), sight: sight.clone(), answered: Mutex::default() };
    Arc::new(DurableCalls::new(cx).hooks(Arc::new(hooks)))
}

/// The run's setup for a turn: its models and search go through durable steps, and reviews are questions.
pub(super) fn setup(
    cx: &Context<Resources>,
    calls: &Arc<DurableCalls<Resources>>,
    setup: &Setup,
    request: &Request,
    task: &NodeKey,
) -> Setup {
    let review = || -> Arc<dyn PlanReviewer> { Arc::new(AskedReview { cx: cx.clone(), calls: Arc::clone(calls) }) };
    let search = setup.search.as_ref().map(|engine| -> Arc<dyn Search> {
        Arc::new(DurableSearch { inner: Arc::clone(engine), calls: Arc::clone(calls) })
    });
    Setup {
        models: calls.models(&setup.models),
        search,
        review: request.review.covers(task).then(review),
        today: request.today.clone(),
        max_depth: request.max_depth,
        max_nodes: request.max_nodes,
        seed: request.seed,
        ..setup.clone()
    }
}

struct Hooks {
    cx: Context<Resources>,
    sight: TaskView,
    /// The calls of this turn that were answered, now or before a stop, by model.
    answered: Mutex<BTreeMap<String, Answered>>,
}

#[async_trait]
impl CallHooks for Hooks {
    async fn before(&self, call: Call<'_>) -> Result<(), NodeError> {
        if call.kind != CallKind::Chat {
            return Ok(());
        }
        self.cx.resources().breaks.pause(&self.cx, &self.sight, Stage::Prompt, || call.asked.clone()).await
    }

    async fn after(&self, call: Call<'_>, reply: CallReply<'_>) -> Result<(), NodeError> {
        let CallReply::Chat(response) = reply else { return Ok(()) };
        {
            let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
            answered.entry(call.model.to_string()).or_default().add(1, response.usage);
        }
        let shown = || json!({ "reply": response.text(), "finish": response.finish });
        self.cx.resources().breaks.pause(&self.cx, &self.sight, Stage::Reply, shown).await
    }

    /// The task waits until the run goes on with more, and then calls again: a turn that has begun keeps what it paid
    /// for.
    async fn over_budget(&self, call: Call<'_>, refused: ModelError, refusals: u32) -> Result<(), NodeError> {
        let answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let shortage = Shortage::new(&refused, self.cx.resources().ledger.spent(), answered);
        let key = format!("{BUDGET}/{}/{}/{refusals}", self.sight.node, call.key);
        self.cx.ask::<String>(&key, &shortage).await.map(|_| ())
    }
}

/// Asks the user of the run what becomes of a plan.
struct AskedReview {
    cx: Context<Resources>,
    calls: Arc<DurableCalls<Resources>>,
}

#[async_trait]
impl PlanReviewer for AskedReview {
    async fn review(&self, plan: &PlanReview) -> Option<PlanVerdict> {
        let key = format!("{PLAN_REVIEW}/{}/{}", plan.node, plan.round);
        match self.cx.ask(&key, plan).await {
            Ok(verdict) => Some(verdict),
            Err(error) => {
                self.calls.stop(error);
                None
            }
        }
    }
}

struct DurableSearch {
    inner: Arc<dyn Search>,
    calls: Arc<DurableCalls<Resources>>,
}

#[async_trait]
impl Search for DurableSearch {
    fn engines(&self) -> Vec<String> {
        self.inner.engines()
    }

    /// An answer of no engine is not stored, so that the next attempt asks again.
    async fn search(&self, query: &str, limit: usize) -> SearchAnswer {
        let mut failed = None;
        let work = async {
            let answer = self.inner.search(query, limit).await;
            match answer.clone().or_error() {
                Ok(answer) => Ok(answer),
                Err(error) => {
                    failed = Some(answer);
                    Err(NodeError::retryable(error.to_string()))
                }
            }
        };
        let stored = self.calls.step("search", &json!({ "query": query, "limit": limit }), work).await;
        stored.unwrap_or_else(|error| {
            failed.unwrap_or_else(|| {
                let fault = Fault::Down { reason: error.to_string() };
                self.calls.stop(error);
                SearchAnswer::failed(&self.engines().join(","), query, fault)
            })
        })
    }
}
