//! A model that stops at a budget.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use super::{Ledger, Price, Reservation, on_end};
use crate::{
    Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, DocumentSource, ModelError, ModelId, Part,
};

/// The tokens that an image is assumed to need, until the provider reports the count.
const IMAGE_TOKENS: u64 = 1000;

/// Tokens that are reserved for a document whose length is not known: about ten pages.
const DOCUMENT_TOKENS: u64 = 17_000;

/// Counts calls in a [`Ledger`]. Before a call, the tokens and money that the call is expected to need are set aside.
/// After the call, the tokens and money that it used are counted. A prompt is assumed to have one token for four
/// characters, and an answer to reach `max_tokens` where that is set.
pub struct Budgeted {
    ledger: Arc<Ledger>,
    price: Price,
    inner: Arc<dyn ChatModel>,
}

impl Budgeted {
    /// Puts `inner` under the ledger's budget.
    ///
    /// # Errors
    /// [`ModelError::Setup`] when the budget limits dollars and the model's price is not known. An unknown price does
    /// not count as zero.
    pub fn new(inner: Arc<dyn ChatModel>, ledger: Arc<Ledger>) -> Result<Self, ModelError> {
        let budget = ledger.budget();
        let price = match budget.price {
            _ if inner.capabilities().local => Price::default(),
            Some(price) => price,
            None if budget.usd_micros.is_some() => {
                let message = format!(
                    "the price of `{}` is not known, so `usd=` cannot be kept; add `price=IN/OUT` in dollars per million tokens",
                    inner.id()
                );
                return Err(ModelError::Setup { message });
            }
            None => Price::default(),
        };
        Ok(Self { ledger, price, inner })
    }

    fn reserve(&self, request: &ChatRequest) -> Result<Reservation, ModelError> {
        let input = expected_input(request);
        let output = u64::from(request.params.max_tokens.unwrap_or_default());
        self.ledger.reserve(input.saturating_add(output), self.price.micros(input, output))
    }
}

fn expected_input(request: &ChatRequest) -> u64 {
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
        let response = self.inner.chat(request).await?;
        reservation.settle(response.usage, self.price.micros(response.usage.input, response.usage.output));
        Ok(response)
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let reservation = self.reserve(&request)?;
        let stream = self.inner.stream(request).await?;
        let price = self.price;
        Ok(on_end(stream, move |end| {
            if let Ok(response) = end {
                reservation.settle(response.usage, price.micros(response.usage.input, response.usage.output));
            }
        }))
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        let reservation = self.reserve(&request)?;
        let choice = self.inner.choose(request, options).await?;
        reservation.settle(choice.usage, self.price.micros(choice.usage.input, choice.usage.output));
        Ok(choice)
    }
}

impl fmt::Debug for Budgeted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budgeted").field("model", self.inner.id()).field("ledger", &self.ledger).finish()
    }
}
