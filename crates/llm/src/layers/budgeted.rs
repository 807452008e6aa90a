//! A model that stops at a budget.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use futures::StreamExt;
use tokio::time::timeout_at;

use super::{Expected, Ledger, LongestAnswer, Reservation, expected, on_end, until};
use crate::prices::Price;
use crate::{
    Capabilities, ChatEvent, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Usage,
};

/// Counts calls in a [`Ledger`]. Before a call, the tokens and money that the call is expected to need are set aside.
/// After the call, the tokens and money that it used are counted. A prompt is assumed to have one token for four
/// characters, tools and schema included, and an answer to reach `max_tokens`; where that is not set, to be as long as the
/// longest answer that this model gave so far, at least 1000 tokens. So a budget may be passed by what the answers under way
/// are longer than that. A stream that breaks off or is dropped counts with its prompt.
///
/// A cost that an answer [states](Usage::cost) counts before the price of the model. A call that is under way when the time
/// of the budget ends is cut off.
pub struct Budgeted {
    ledger: Arc<Ledger>,
    price: Option<Price>,
    longest: Arc<LongestAnswer>,
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
        Ok(Self { ledger, price, longest: Arc::default(), inner })
    }

    fn expected(&self, request: &ChatRequest) -> Expected {
        expected(request, self.longest.to_set_aside())
    }

    fn reserve(&self, expected: Expected) -> Result<Reservation, ModelError> {
        let cost = self.price.as_ref().map_or(0, |price| price.expected(expected.input, expected.output));
        self.ledger.reserve(expected.total(), cost)
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

/// A stream under way. One that breaks off or is dropped has made the model read its request, so that much counts, also of
/// each try before the last.
struct OpenStream {
    reservation: Option<Reservation>,
    input: u64,
    /// How often the stream broke off and was asked for again.
    restarts: Arc<AtomicU64>,
    price: Option<Price>,
}

impl OpenStream {
    fn settle(&mut self, usage: Usage) {
        if let Some(reservation) = self.reservation.take() {
            let price = self.price.as_ref();
            // An answer without counts counts as what was set aside.
            let restarts = if usage.total() == 0 { 0 } else { self.restarts.load(Ordering::Relaxed) };
            let void = self.input.saturating_mul(restarts);
            let void = Usage { input: void, ..Usage::default() };
            let of_void = if void.input == 0 { Some(0) } else { cost(&void, price) };
            let cost = cost(&usage, price).zip(of_void).map(|(cost, void)| cost.saturating_add(void));
            reservation.settle(Usage { input: usage.input.saturating_add(void.input), ..usage }, cost);
        }
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.settle(Usage { input: self.input, ..Usage::default() });
    }
}

#[async_trait]
impl ChatModel for Budgeted {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    fn ledger(&self) -> Option<&Arc<Ledger>> {
        Some(&self.ledger)
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        let reservation = self.reserve(self.expected(&request))?;
        let response = self.in_time(self.inner.chat(request)).await?;
        self.longest.saw(response.usage);
        reservation.settle(response.usage, cost(&response.usage, self.price.as_ref()));
        Ok(response)
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let expected = self.expected(&request);
        let reservation = self.reserve(expected)?;
        let mut stream = self.in_time(self.inner.stream(request)).await?;
        if let Some(end) = self.ledger.deadline() {
            let ledger = Arc::clone(&self.ledger);
            stream = until(stream, end, move || ledger.out_of_time());
        }
        let restarts = Arc::<AtomicU64>::default();
        let seen = Arc::clone(&restarts);
        let stream = stream.inspect(move |event| {
            if matches!(event, Ok(ChatEvent::Restart { .. })) {
                seen.fetch_add(1, Ordering::Relaxed);
            }
        });
        let (input, price) = (expected.input, self.price.clone());
        let mut open = OpenStream { reservation: Some(reservation), input, restarts, price };
        let longest = Arc::clone(&self.longest);
        Ok(on_end(stream.boxed(), move |end| {
            if let Ok(response) = end {
                longest.saw(response.usage);
                open.settle(response.usage);
            }
        }))
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        let reservation = self.reserve(self.expected(&request))?;
        let choice = self.in_time(self.inner.choose(request, options)).await?;
        self.longest.saw(choice.usage);
        reservation.settle(choice.usage, cost(&choice.usage, self.price.as_ref()));
        Ok(choice)
    }
}

impl fmt::Debug for Budgeted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budgeted").field("model", self.inner.id()).field("ledger", &self.ledger).finish()
    }
}
