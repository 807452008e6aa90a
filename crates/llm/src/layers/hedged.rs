//! A model whose slow calls are made a second time; the first answer is taken.

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use futures::future::{BoxFuture, select_ok};
use tokio::time::{Instant, timeout};

use super::budget::time;
use super::budgeted::expected_input;
use super::{Ledger, Reservation, on_end};
use crate::prices::Price;
use crate::{
    Capabilities, ChatEvent, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Usage,
};

/// How many of the last calls are measured.
const MEASURED: usize = 100;

/// Before so many calls were measured, no call is made a second time by a share of them.
const FEWEST: usize = 10;

/// When a call is made a second time, as written after `--hedge`: a time such as `5s`, or `p95`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HedgeAfter {
    /// After this time.
    Time(Duration),
    /// After the time within which this many of a hundred of the last calls had answered, from 1 to 99.
    Percentile(u8),
}

/// Why the time of a second call could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no time for a second call; write a time such as `5s`, or `p95`: when 95 of 100 calls have answered")]
pub struct HedgeError(String);

impl FromStr for HedgeAfter {
    type Err = HedgeError;

    fn from_str(text: &str) -> Result<Self, HedgeError> {
        let read = match text.trim().strip_prefix('p') {
            Some(share) => share.parse().ok().filter(|share| (1..=99).contains(share)).map(Self::Percentile),
            None => time(text.trim()).filter(|time| !time.is_zero()).map(Self::Time),
        };
        read.ok_or_else(|| HedgeError(text.to_owned()))
    }
}

/// Makes a call a second time when it has not answered after a while, takes the first good answer and drops the other call.
///
/// Both calls count: the second one sets aside what it needs in the ledger, is not made when that is not left, and when it is
/// dropped the tokens that the model had to read count. Of a stream only the beginning is asked for a second time. A model
/// inside the process is asked once: two calls at a time would only be slower.
pub struct Hedged {
    after: HedgeAfter,
    ledger: Option<(Arc<Ledger>, Option<Price>)>,
    /// How long the last calls took.
    took: Mutex<VecDeque<Duration>>,
    inner: Arc<dyn ChatModel>,
}

impl Hedged {
    /// Makes slow calls of `inner` a second time.
    pub fn new(inner: Arc<dyn ChatModel>, after: HedgeAfter) -> Self {
        Self { after, ledger: None, took: Mutex::default(), inner }
    }

    /// Counts second calls in `ledger`, at a price where it is known. First calls are counted by
    /// [`Budgeted`](super::Budgeted).
    #[must_use]
    pub fn counted_in(mut self, ledger: Arc<Ledger>, price: Option<Price>) -> Self {
        self.ledger = Some((ledger, price));
        self
    }

    /// When a call that begins now is made a second time.
    fn delay(&self) -> Option<Duration> {
        if self.inner.capabilities().local {
            return None;
        }
        let share = match self.after {
            HedgeAfter::Time(time) => return Some(time),
            HedgeAfter::Percentile(share) => usize::from(share),
        };
        let mut took: Vec<Duration> =
            self.took.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        took.sort_unstable();
        // The nearest rank: the smallest time within which at least this share had answered.
        let rank = (took.len() * share).div_ceil(100);
        if took.len() < FEWEST { None } else { took.get(rank.saturating_sub(1)).copied() }
    }

    fn measure(&self, begun: Instant) {
        let mut took = self.took.lock().unwrap_or_else(PoisonError::into_inner);
        if took.len() == MEASURED {
            took.pop_front();
        }
        took.push_back(begun.elapsed());
    }

    /// The first good answer, with what the second call set aside where there was one.
    async fn first<'c, T>(
        &self,
        request: &ChatRequest,
        call: impl Fn() -> BoxFuture<'c, Result<T, ModelError>> + Send,
    ) -> Result<(T, Option<HedgeCall>), ModelError>
    where
        T: Send,
    {
        let begun = Instant::now();
        let mut first = call();
        let Some(delay) = self.delay() else {
            let answer = first.await?;
            self.measure(begun);
            return Ok((answer, None));
        };
        if let Ok(answer) = timeout(delay, &mut first).await {
            let answer = answer?;
            self.measure(begun);
            return Ok((answer, None));
        }
        let Ok(reservation) = self.reserve(request) else { return Ok((first.await?, None)) };
        tracing::info!("`{}` has not answered for {delay:?}, so it is asked a second time", self.inner.id());
        let (answer, _dropped) = select_ok([first, call()]).await?;
        self.measure(begun);
        Ok((answer, reservation))
    }

    fn reserve(&self, request: &ChatRequest) -> Result<Option<HedgeCall>, ModelError> {
        let Some((ledger, price)) = &self.ledger else { return Ok(None) };
        let input = expected_input(request);
        let output = u64::from(request.params.max_tokens.unwrap_or_default());
        let cost = price.as_ref().map_or(0, |price| price.expected(input, output));
        let reservation = ledger.try_reserve(input.saturating_add(output), cost)?;
        Ok(Some(HedgeCall { reservation, price: price.clone() }))
    }
}

/// A call beside the one whose answer is taken.
struct HedgeCall {
    reservation: Reservation,
    price: Option<Price>,
}

impl HedgeCall {
    /// Counts what the model had to read, which is as much as for the answer that was taken.
    fn settle(self, taken: Usage) {
        let usage = Usage { input: taken.input, ..Usage::default() };
        let cost = self.price.as_ref().and_then(|price| price.cost(&usage));
        self.reservation.settle(usage, cost);
    }
}

/// The beginning of a stream: its first event, and the rest.
async fn beginning(
    stream: impl Future<Output = Result<ChatStream, ModelError>> + Send,
) -> Result<(Option<ChatEvent>, ChatStream), ModelError> {
    let mut stream = stream.await?;
    let first = stream.next().await.transpose()?;
    Ok((first, stream))
}

#[async_trait]
impl ChatModel for Hedged {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        let (response, second) = self.first(&request, || self.inner.chat(request.clone())).await?;
        if let Some(second) = second {
            second.settle(response.usage);
        }
        Ok(response)
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let call = || -> BoxFuture<'_, _> { Box::pin(beginning(self.inner.stream(request.clone()))) };
        let ((first, rest), second) = self.first(&request, call).await?;
        let stream = futures::stream::iter(first.map(Ok)).chain(rest).boxed();
        let Some(second) = second else { return Ok(stream) };
        Ok(on_end(stream, move |end| {
            if let Ok(response) = end {
                second.settle(response.usage);
            }
        }))
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        let (choice, second) = self.first(&request, || self.inner.choose(request.clone(), options)).await?;
        if let Some(second) = second {
            second.settle(choice.usage);
        }
        Ok(choice)
    }
}

impl fmt::Debug for Hedged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hedged").field("model", self.inner.id()).field("after", &self.after).finish_non_exhaustive()
    }
}
