//! A model whose slow calls are made a second time; the first answer is taken.

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures::future::{BoxFuture, select_ok};
use tokio::time::{Instant, timeout};

use super::budget::time;
use super::rates::StartedCall;
use super::{Ledger, LongestAnswer, Rates, Reservation, begun, expected, on_end};
use crate::prices::Price;
use crate::{Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Usage};

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
/// Both calls count: the second one sets aside what it needs in the ledger and keeps to the rates of its host, is not made
/// when there is no room, and when it is dropped the tokens that the model had to read count. Of a stream only the beginning
/// is asked for a second time. A model inside the process is asked once: two calls at a time would only be slower.
///
/// It belongs below [`RateLimited`](super::RateLimited) and [`Concurrency`](super::Concurrency): the time that a call waits
/// for its turn says nothing of its server.
pub struct Hedged {
    after: HedgeAfter,
    ledger: Option<(Arc<Ledger>, Option<Price>)>,
    rates: Option<Rates>,
    longest: Arc<LongestAnswer>,
    /// How long the last whole answers took.
    answers: Took,
    /// How long the beginnings of the last streams took.
    beginnings: Took,
    inner: Arc<dyn ChatModel>,
}

/// The last calls of one kind: the first event of a stream comes sooner than a whole answer.
type Took = Mutex<VecDeque<Duration>>;

impl Hedged {
    /// Makes slow calls of `inner` a second time.
    pub fn new(inner: Arc<dyn ChatModel>, after: HedgeAfter) -> Self {
        let longest = Arc::default();
        Self { after, ledger: None, rates: None, longest, answers: Took::default(), beginnings: Took::default(), inner }
    }

    /// Counts second calls in `ledger`, at a price where it is known. First calls are counted by
    /// [`Budgeted`](super::Budgeted).
    #[must_use]
    pub fn counted_in(mut self, ledger: Arc<Ledger>, price: Option<Price>) -> Self {
        self.ledger = Some((ledger, price));
        self
    }

    /// Makes a second call only where the rates of the host let it begin at once. First calls are held to them by
    /// [`RateLimited`](super::RateLimited).
    #[must_use]
    pub fn within(mut self, rates: &Rates) -> Self {
        self.rates = Some(rates.clone());
        self
    }

    /// When a call that begins now is made a second time, by the last calls of its kind.
    fn delay(&self, took: &Took) -> Option<Duration> {
        if self.inner.capabilities().local {
            return None;
        }
        let share = match self.after {
            HedgeAfter::Time(time) => return Some(time),
            HedgeAfter::Percentile(share) => usize::from(share),
        };
        let mut took: Vec<Duration> = took.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        took.sort_unstable();
        // The nearest rank: the smallest time within which at least this share had answered.
        let rank = (took.len() * share).div_ceil(100);
        if took.len() < FEWEST { None } else { took.get(rank.saturating_sub(1)).copied() }
    }

    /// The first good answer, with what the second call set aside where there was one.
    async fn first<'c, T>(
        &self,
        took: &Took,
        request: &ChatRequest,
        call: impl Fn() -> BoxFuture<'c, Result<T, ModelError>> + Send,
    ) -> Result<(T, Option<HedgeCall>), ModelError>
    where
        T: Send,
    {
        let begun = Instant::now();
        let mut first = call();
        let Some(delay) = self.delay(took) else {
            let answer = first.await?;
            measure(took, begun);
            return Ok((answer, None));
        };
        if let Ok(answer) = timeout(delay, &mut first).await {
            let answer = answer?;
            measure(took, begun);
            return Ok((answer, None));
        }
        let Some(second) = self.second(request) else { return Ok((first.await?, None)) };
        tracing::info!("`{}` has not answered for {delay:?}, so it is asked a second time", self.inner.id());
        let (answer, _dropped) = select_ok([first, call()]).await?;
        measure(took, begun);
        Ok((answer, Some(second)))
    }

    /// What a second call sets aside; `None` when there is no room for it.
    fn second(&self, request: &ChatRequest) -> Option<HedgeCall> {
        let need = expected(request, self.longest.to_set_aside());
        let reserved = match &self.ledger {
            None => None,
            Some((ledger, price)) => {
                let cost = price.as_ref().map_or(0, |price| price.expected(need.input, need.output));
                Some((ledger.try_reserve(need.total(), cost).ok()?, price.clone()))
            }
        };
        let Some(rates) = &self.rates else { return Some(HedgeCall { reserved, begun: None }) };
        // As long an answer as `RateLimited` expects.
        let need = expected(request, self.longest.tokens());
        let begun = rates.try_begin(&self.inner.id().to_string(), need);
        if begun.is_none() {
            reserved.into_iter().for_each(|(reservation, _)| reservation.take_back());
            return None;
        }
        Some(HedgeCall { reserved, begun })
    }

    /// Counts the call beside the one that was answered.
    fn settle(&self, second: Option<HedgeCall>, taken: Usage) {
        self.longest.saw(taken);
        if let Some(second) = second {
            second.settle(taken);
        }
    }
}

fn measure(took: &Took, begun: Instant) {
    let mut took = took.lock().unwrap_or_else(PoisonError::into_inner);
    if took.len() == MEASURED {
        took.pop_front();
    }
    took.push_back(begun.elapsed());
}

/// A call beside the one whose answer is taken.
struct HedgeCall {
    reserved: Option<(Reservation, Option<Price>)>,
    begun: Option<StartedCall>,
}

impl HedgeCall {
    /// Counts what the model had to read, which is as much as for the answer that was taken.
    fn settle(self, taken: Usage) {
        let usage = Usage { input: taken.input, ..Usage::default() };
        if let Some((reservation, price)) = self.reserved {
            reservation.settle(usage, price.and_then(|price| price.cost(&usage)));
        }
        if let Some(begun) = self.begun {
            begun.settle(usage.input);
        }
    }
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
        let (response, second) = self.first(&self.answers, &request, || self.inner.chat(request.clone())).await?;
        self.settle(second, response.usage);
        Ok(response)
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let call = || -> BoxFuture<'_, _> { Box::pin(begun(self.inner.stream(request.clone()))) };
        let (stream, second) = self.first(&self.beginnings, &request, call).await?;
        let longest = Arc::clone(&self.longest);
        Ok(on_end(stream, move |end| {
            if let Ok(response) = end {
                longest.saw(response.usage);
                if let Some(second) = second {
                    second.settle(response.usage);
                }
            }
        }))
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        let (choice, second) =
            self.first(&self.answers, &request, || self.inner.choose(request.clone(), options)).await?;
        self.settle(second, choice.usage);
        Ok(choice)
    }
}

impl fmt::Debug for Hedged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hedged").field("model", self.inner.id()).field("after", &self.after).finish_non_exhaustive()
    }
}
