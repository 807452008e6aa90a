//! Counting calls, tokens and costs.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::ledger::{cost_text, is_zero};
use super::{Ledger, on_end};
use crate::{Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Usage};

/// Sums of calls, tokens and costs per model. One meter serves all models of a run.
#[derive(Debug, Default)]
pub struct Meter {
    totals: Mutex<BTreeMap<String, Totals>>,
}

/// The sums of one model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Totals {
    /// Calls, failed ones included.
    pub calls: u64,
    /// Calls that failed or were dropped.
    pub failed: u64,
    /// Tokens of the calls that succeeded.
    pub usage: Usage,
    /// Millionths of a dollar, for answers with a known cost.
    #[serde(skip_serializing_if = "is_zero")]
    pub usd_micros: u64,
    /// Answers whose cost is not known.
    #[serde(skip_serializing_if = "is_zero")]
    pub unpriced: u64,
}

impl Totals {
    /// The cost for people, such as `$0.0123`, and what is not known of it; `None` where nothing costs anything.
    pub fn cost_text(&self) -> Option<String> {
        cost_text(self.usd_micros, self.unpriced)
    }
}

impl Meter {
    /// An empty meter.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// The sums so far, by model id.
    pub fn totals(&self) -> BTreeMap<String, Totals> {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn started(&self, model: &str) {
        self.change(model, |totals| {
            totals.calls += 1;
            totals.failed += 1;
        });
    }

    /// A model in this process costs nothing.
    fn succeeded(&self, model: &str, usage: Usage, is_local: bool) {
        self.change(model, |totals| {
            totals.failed = totals.failed.saturating_sub(1);
            totals.usage += Usage { cost: None, ..usage };
            match usage.cost.or(is_local.then_some(0)) {
                Some(micros) => totals.usd_micros = totals.usd_micros.saturating_add(micros),
                None => totals.unpriced += 1,
            }
        });
    }

    fn change(&self, model: &str, change: impl FnOnce(&mut Totals)) {
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        change(totals.entry(model.to_owned()).or_default());
    }
}

/// Counts the calls of a model in a [`Meter`].
pub struct Metered {
    meter: Arc<Meter>,
    name: String,
    inner: Arc<dyn ChatModel>,
}

impl Metered {
    /// Counts the calls of `inner` in `meter`.
    pub fn new(inner: Arc<dyn ChatModel>, meter: Arc<Meter>) -> Self {
        Self { meter, name: inner.id().to_string(), inner }
    }
}

#[async_trait]
impl ChatModel for Metered {
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
        self.meter.started(&self.name);
        let response = self.inner.chat(request).await?;
        self.meter.succeeded(&self.name, response.usage, self.inner.capabilities().local);
        Ok(response)
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        self.meter.started(&self.name);
        let stream = self.inner.stream(request).await?;
        let (meter, name) = (Arc::clone(&self.meter), self.name.clone());
        let is_local = self.inner.capabilities().local;
        Ok(on_end(stream, move |end| {
            if let Ok(response) = end {
                meter.succeeded(&name, response.usage, is_local);
            }
        }))
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        self.meter.started(&self.name);
        let choice = self.inner.choose(request, options).await?;
        self.meter.succeeded(&self.name, choice.usage, self.inner.capabilities().local);
        Ok(choice)
    }
}

impl fmt::Debug for Metered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metered").field("model", &self.name).field("meter", &self.meter).finish()
    }
}
