//! Layers around any model. A layer is a model itself and wraps one, so that layers are stacked as needed.
//!
//! From the inside out, a useful order is: [`Traced`] (one span per real call), [`Concurrency`], [`Retry`], a
//! [recorder](crate::cassette::Recorder), [`Budgeted`], [`Metered`].

mod budget;
mod budgeted;
mod concurrency;
mod ledger;
mod meter;
mod retry;
mod time_limited;
mod trace;

pub use budget::{Budget, BudgetError, Price};
pub use budgeted::Budgeted;
pub use concurrency::{Concurrency, Turns};
pub use ledger::{Ledger, Reservation, Spent};
pub use meter::{Meter, Metered, Totals};
pub use retry::{Retry, RetryPolicy};
pub use time_limited::TimeLimited;
pub use trace::Traced;

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
