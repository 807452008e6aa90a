//! Layers around any model. A layer is a model itself and wraps one, so that layers are stacked as needed.
//!
//! From the inside out, a useful order is: [`Traced`] (one span per real call), [`Hedged`] (the time that a call waits for
//! its turn is not the time of its server), [`RateLimited`], [`Concurrency`], [`Retry`], [`Priced`], [`Fallback`], a
//! [recorder](crate::cassette::Recorder), [`Budgeted`], [`Metered`], [`Cached`].

mod budget;
mod budgeted;
mod cache;
mod concurrency;
mod expected;
mod fallback;
mod hedged;
mod ledger;
mod meter;
mod priced;
mod rates;
mod retry;
mod streams;
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

use expected::{Expected, LongestAnswer, expected};
use streams::{begun, on_end, until};
