//! When a client may be told the end of a run.

use std::time::Duration;

use tokio::time::Instant;

/// How old a stream or a subscription is at least when it tells the end of a run.
///
/// The JavaScript client opens a stream or a subscription when a run starts, and another one for what is asked for next; it takes
/// the end of a run from either, and then nothing more of that run. A run that ends at once must not end for it before the other
/// one has told what came before.
const SETTLED: Duration = Duration::from_millis(150);

/// When a stream or a subscription that begins now may tell the end of a run.
pub(super) fn settled() -> Instant {
    Instant::now() + SETTLED
}
