//! A model that stops at a budget.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use tokio::time::{Instant, timeout_at};

use super::{Ledger, Reservation, on_end};
use crate::prices::Price;
use crate::{
    Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, DocumentSource, ModelError, ModelId, Part,
    Usage,
};

/// The tokens that an image is assumed to need, until the provider reports the count.
const IMAGE_TOKENS: u64 = 1000;

/// Tokens that are reserved for a document whose length is not known: about ten pages.
const DOCUMENT_TOKENS: u64 = 17_000;

/// Counts calls in a [`Ledger`]. Before a call, the tokens and money that the call is expected to need are set aside.
/// After the call, the tokens and money that it used are counted. A prompt is assumed to have one token for four
/// characters, and an answer to reach `max_tokens` where that is set.
///
/// A cost that an answer [states](Usage::cost) counts before the price of the model. A call that is under way when the time
/// of the budget ends is cut off.
pub struct Budgeted {
    ledger: Arc<Ledger>,
    price: Option<Price>,
    inner: Arc<dyn ChatModel>,
}

impl Budgeted {
    /// Puts `inner` under the ledger's budget. Its price is that of the budget.
    ///
    /// # Errors
    /// As [`Budgeted::priced`].
    pub fn new(inner: Arc<dyn ChatModel>, ledger: Arc<Ledger>) -> Result<Self, ModelError> {
        Self::priced(inner, ledger, None)
    }

    /// Puts `inner` under the ledger's budget. `price` is what the model costs, where that is known; a price of the budget
    /// counts before it.
    ///
    /// # Errors
    /// [`ModelError::Setup`] when the budget limits dollars and the model's price is not known. An unknown price does
    /// not count as zero.
    pub fn priced(inner: Arc<dyn ChatModel>, ledger: Arc<Ledger>, price: Option<Price>) -> Result<Self, ModelError> {
        let price = match &ledger.budget().price {
            _ if inner.capabilities().local => Some(Price::default()),
            Some(stated) => Some(stated.clone()),
            None => price,
        };
        if price.is_none() && ledger.budget().usd_micros.is_some() {
            let message = format!(
                "the price of `{}` is not known, so `usd=` cannot be kept; add `price=IN/OUT` in dollars per million tokens, \
                 or a table with its price by `--prices FILE`",
                inner.id()
            );
            return Err(ModelError::Setup { message });
        }
        Ok(Self { ledger, price, inner })
    }

    fn reserve(&self, request: &ChatRequest) -> Result<Reservation, ModelError> {
        let input = expected_input(request);
        let output = u64::from(request.params.max_tokens.unwrap_or_default());
        let cost = self.price.as_ref().map_or(0, |price| price.expected(input, output));
        self.ledger.reserve(input.saturating_add(output), cost)
    }

    /// Waits for a call until the time of the budget ends.
    async fn in_time<T>(&self, call: impl Future<Output = Result<T, ModelError>> + Send) -> Result<T, ModelError> {
        match self.ledger.deadline() {
            Some(end) => timeout_at(end, call).await.unwrap_or_else(|_| Err(self.ledger.out_of_time())),
            None => call.await,
        }
    }
}

/// What a call cost: as the answer states it, else by the price.
fn cost(usage: &Usage, price: Option<&Price>) -> Option<u64> {
    usage.cost.or_else(|| price?.cost(usage))
}

/// The stream until the time of the budget ends.
fn until(stream: ChatStream, end: Instant, ledger: Arc<Ledger>) -> ChatStream {
    futures::stream::unfold(Some(stream), move |stream| {
        let ledger = Arc::clone(&ledger);
        async move {
            let mut stream = stream?;
            match timeout_at(end, stream.next()).await {
                Ok(event) => Some((event?, Some(stream))),
                Err(_) => Some((Err(ledger.out_of_time()), None)),
            }
        }
    })
    .boxed()
}

/// The tokens that a request is expected to have.
pub(super) fn expected_input(request: &ChatRequest) -> u64 {
    let mut characters = 0_u64;
    let (mut images, mut documents) = (0_u64, 0_u64);
    let length = |text: &str| u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
    for part in request.messages.iter().flat_map(|message| &message.parts) {
        match part {
            Part::Text { text } | Part::Reasoning { text, .. } => characters += length(text),
            Part::ToolCall(call) => characters += length(&call.arguments.to_string()),
            Part::ToolResult(result) => characters += length(&result.content),
            Part::Image { .. } => images += 1,
            // A page of a PDF file has about 10 kB, and is read as about 1700 tokens.
            Part::Document { source: DocumentSource::Base64 { data, .. }, .. } => {
                characters += u64::try_from(data.len() / 2).unwrap_or(u64::MAX);
            }
            Part::Document { source: DocumentSource::Url { .. }, .. } => documents += 1,
            // What providers keep of earlier reasoning is not counted as input by most of them.
            Part::EncryptedReasoning { .. } => {}
        }
    }
    characters.div_ceil(4) + images * IMAGE_TOKENS + documents * DOCUMENT_TOKENS
}

#[async_trait]
impl ChatModel for Budgeted {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        let reservation = self.reserve(&request)?;
        let response = self.in_time(self.inner.chat(request)).await?;
        reservation.settle(response.usage, cost(&response.usage, self.price.as_ref()));
        Ok(response)
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let reservation = self.reserve(&request)?;
        let mut stream = self.in_time(self.inner.stream(request)).await?;
        if let Some(end) = self.ledger.deadline() {
            stream = until(stream, end, Arc::clone(&self.ledger));
        }
        let price = self.price.clone();
        Ok(on_end(stream, move |end| {
            if let Ok(response) = end {
                reservation.settle(response.usage, cost(&response.usage, price.as_ref()));
            }
        }))
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        let reservation = self.reserve(&request)?;
        let choice = self.in_time(self.inner.choose(request, options)).await?;
        reservation.settle(choice.usage, cost(&choice.usage, self.price.as_ref()));
        Ok(choice)
    }
}

impl fmt::Debug for Budgeted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budgeted").field("model", self.inner.id()).field("ledger", &self.ledger).finish()
    }
}
