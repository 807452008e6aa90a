//! Layers around any model: each is a model itself and wraps one, so that they are stacked as needed.
//!
//! From the inside out, a useful order is: [`Traced`] (one span a real call), [`Concurrency`], [`Retry`], a
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

/// The same stream, with `seen` called once with its end. It is not called, but dropped, when the stream is.
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
