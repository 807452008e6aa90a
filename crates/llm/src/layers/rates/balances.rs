//! What a server said is left of its own limits for a model, less what was asked for since. Pure: the time is a parameter.

use std::time::Duration;

use tokio::time::Instant;

use super::super::Expected;
use super::headers::{RateHeaders, Remaining};

/// What is left for one model.
#[derive(Debug, Default)]
pub(super) struct Balances {
    requests: Option<Balance>,
    /// Tokens read and generated.
    tokens: Option<Balance>,
    input: Option<Balance>,
    output: Option<Balance>,
}

#[derive(Clone, Copy, Debug)]
struct Balance {
    count: u64,
    reset: Instant,
}

impl Balances {
    /// Enters what the server told; what it did not tell stays. Nothing is believed for longer than `longest`.
    pub(super) fn tell(&mut self, told: RateHeaders, longest: Duration, now: Instant) {
        let balance = |left: Remaining| Balance { count: left.count, reset: now + left.reset.min(longest) };
        let with = |kind: &mut Option<Balance>, left: Option<Remaining>| *kind = left.map(balance).or(*kind);
        with(&mut self.requests, told.requests);
        with(&mut self.tokens, told.tokens);
        with(&mut self.input, told.input);
        with(&mut self.output, told.output);
    }

    /// How long a call waits for what is left. A call that needs more waits until all is there again.
    pub(super) fn wait(&mut self, need: Expected, now: Instant) -> Duration {
        self.each(need).map(|(kind, needed)| wait_of(kind, needed, now)).into_iter().max().unwrap_or_default()
    }

    /// Takes what a call needs.
    pub(super) fn take(&mut self, need: Expected) {
        for (kind, needed) in self.each(need) {
            if let Some(left) = kind {
                left.count = left.count.saturating_sub(needed);
            }
        }
    }

    /// Each kind with what a call needs of it.
    fn each(&mut self, need: Expected) -> [(&mut Option<Balance>, u64); 4] {
        [
            (&mut self.requests, 1),
            (&mut self.tokens, need.total()),
            (&mut self.input, need.input),
            (&mut self.output, need.output),
        ]
    }
}

fn wait_of(balance: &mut Option<Balance>, needed: u64, now: Instant) -> Duration {
    let Some(left) = *balance else { return Duration::ZERO };
    let wait = left.reset.saturating_duration_since(now);
    if wait.is_zero() {
        *balance = None;
    }
    if left.count >= needed { Duration::ZERO } else { wait }
}
