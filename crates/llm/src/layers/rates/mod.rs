//! Requests and tokens a minute at each host, over all models of a process.
//!
//! [`Rates`] counts for one host: every [`RateLimited`] model that shares it waits in the order of the calls. The limits are
//! the user's ([`RateLimit`]) and the server's own: a client that is given the same [`Rates`]
//! ([`RemoteConfig::rates`](crate::RemoteConfig::rates)) enters what the headers of answers tell, and after an answer of too
//! many requests nobody asks before the time that the server names.

mod headers;
mod limited;
mod limits;
mod window;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

pub(crate) use headers::RateHeaders;
use headers::Remaining;
pub use limited::RateLimited;
pub use limits::{HostRateLimit, RateLimit, RateLimitError, limit_of};
use window::Window;

/// A server that wants a longer pause than this is not waited for: the call fails with what the server said.
const LONGEST_PAUSE: Duration = Duration::from_secs(120);

/// The use of one host, which all its models share. Clones count together.
#[derive(Clone, Debug, Default)]
pub struct Rates(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Who waits holds it, so that calls begin in their order.
    line: tokio::sync::Mutex<()>,
    /// Something changed that may shorten a wait.
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    limit: RateLimit,
    window: Window,
    /// Nobody asks before.
    pause: Option<Instant>,
    requests: Option<Balance>,
    tokens: Option<Balance>,
}

/// What a server said is left, less what was asked for since.
#[derive(Clone, Copy, Debug)]
struct Balance {
    count: u64,
    reset: Instant,
}

/// A call that has begun.
#[derive(Debug)]
pub(super) struct StartedCall {
    rates: Rates,
    id: u64,
}

impl Rates {
    /// The use of a host with these limits.
    pub fn new(limit: RateLimit) -> Self {
        let rates = Self::default();
        rates.set_limit(limit);
        rates
    }

    /// The use of a host by the whole process: each caller with the same name gets the same one. The limit of the last
    /// caller holds.
    pub fn of_process(host: &str, limit: RateLimit) -> Self {
        static HOSTS: OnceLock<Mutex<BTreeMap<String, Rates>>> = OnceLock::new();
        let mut hosts = HOSTS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        let rates = hosts.entry(host.to_owned()).or_default();
        rates.set_limit(limit);
        rates.clone()
    }

    fn set_limit(&self, limit: RateLimit) {
        self.state().limit = limit;
        self.0.changed.notify_one();
    }

    /// Enters what a server told of its limits.
    pub(crate) fn tell(&self, told: RateHeaders) {
        let now = Instant::now();
        let balance = |left: Remaining| Balance { count: left.count, reset: now + left.reset.min(LONGEST_PAUSE) };
        let mut state = self.state();
        state.requests = told.requests.map(balance).or(state.requests);
        state.tokens = told.tokens.map(balance).or(state.tokens);
    }

    /// Nobody asks for this long.
    pub(super) fn pause(&self, time: Duration) {
        let until = Instant::now() + time;
        let mut state = self.state();
        state.pause = Some(state.pause.map_or(until, |pause| pause.max(until)));
    }

    /// Waits until a call that is expected to need `tokens` may begin.
    ///
    /// # Errors
    /// The wait that the server wants, when it is too long to be waited for.
    pub(super) async fn begin(&self, tokens: u64) -> Result<StartedCall, Duration> {
        let _line = self.0.line.lock().await;
        let mut is_told = false;
        loop {
            let wait = {
                let mut state = self.state();
                let now = Instant::now();
                let pause = state.pause.map_or(Duration::ZERO, |until| until.saturating_duration_since(now));
                if pause > LONGEST_PAUSE {
                    return Err(pause);
                }
                let State { limit, window, requests, tokens: left, .. } = &mut *state;
                let own = window.wait(*limit, tokens, now);
                let theirs = wait_of(requests, 1, now).max(wait_of(left, tokens, now));
                let wait = pause.max(own).max(theirs);
                if wait.is_zero() {
                    take(requests, 1);
                    take(left, tokens);
                    let id = window.enter(tokens, now);
                    return Ok(StartedCall { rates: self.clone(), id });
                }
                wait
            };
            if !is_told && wait > Duration::from_secs(2) {
                tracing::warn!("a call waits {:.0} s for the limit of its server", wait.as_secs_f32().ceil());
                is_told = true;
            }
            // What changed may shorten the wait.
            let _ = tokio::time::timeout(wait, self.0.changed.notified()).await;
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long a call waits for what a server said is left. A call that needs more waits until all is there again.
fn wait_of(balance: &mut Option<Balance>, needed: u64, now: Instant) -> Duration {
    let Some(left) = balance else { return Duration::ZERO };
    let wait = left.reset.saturating_duration_since(now);
    if wait.is_zero() {
        *balance = None;
    }
    if left_for(balance, needed) { Duration::ZERO } else { wait }
}

fn left_for(balance: &Option<Balance>, needed: u64) -> bool {
    balance.is_none_or(|left| left.count >= needed)
}

fn take(balance: &mut Option<Balance>, needed: u64) {
    if let Some(left) = balance {
        left.count = left.count.saturating_sub(needed);
    }
}

impl StartedCall {
    /// Puts the tokens that the call used in the place of those that it was expected to use.
    pub(super) fn settle(&self, tokens: u64) {
        self.rates.state().window.settle(self.id, tokens);
        self.rates.0.changed.notify_one();
    }

    /// Nobody asks this server for a time.
    pub(super) fn pause(&self, time: Duration) {
        self.rates.pause(time);
    }
}
