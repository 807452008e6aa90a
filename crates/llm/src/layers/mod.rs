//! Layers around any model. A layer is a model itself and wraps one, so that layers are stacked as needed.
//!
//! From the inside out, a useful order is: [`Traced`] (one span per real call), [`RateLimited`],
//! [`Concurrency`], [`Hedged`], [`Retry`],
//! [`Priced`], [`Fallback`], a [recorder](crate::cassette::Recorder), [`Budgeted`], [`Metered`],
//! [`Cached`].

mod budget;
mod budgeted;
mod cache;
mod concurrency;
mod fallback;
mod hedged;
mod ledger;
mod meter;
mod priced;
mod rates;
mod retry;
mod time_limited;
mod trace;

pub use budget::{Budget, BudgetError};
pub use budgeted::Budgeted;
#[cfg(feature = "response-cache")]
pub use cache::SqliteResponses;
pub use cache::{CachePolicy, CachePolicyError, Cached, MemoryResponses, ResponseStore};
pub use concurrency::{Concurrency, Turns};
pub use fallback::{Fallback, FallbackModel, FallbackOn, RouteOrder};
pub use hedged::{HedgeAfter, HedgeError, Hedged};
pub use ledger::{Ledger, Reservation, Spent};
pub use meter::{Meter, Metered, Totals};
pub use priced::Priced;
pub(crate) use rates::RateHeaders;
pub use rates::{HostRateLimit, RateLimit, RateLimitError, RateLimited, Rates, limit_of};
pub use retry::{Retry, RetryPolicy};
pub use time_limited::TimeLimited;
pub use trace::{CONTENT_VARIABLE, Traced};

use futures::StreamExt;

use crate::{ChatEvent, ChatResponse, ChatStream, ModelError};

/// Calls `seen` once with the end of the stream. When the stream is dropped before its end, `seen` is dropped and not
/// called.
fn on_end<F>(stream: ChatStream, seen: F) -> ChatStream
where
    F: FnOnce(Result<&ChatResponse, &ModelError>) + Send + 'static,
{
    let mut seen = Some(seen);
    stream
        .inspect(move |event| match event {
            Ok(ChatEvent::Done(response)) => {
                if let Some(seen) = seen.take() {
                    seen(Ok(response));
                }
            }
            Err(error) => {
                if let Some(seen) = seen.take() {
                    seen(Err(error));
                }
            }
            Ok(_) => {}
        })
        .boxed()
}
