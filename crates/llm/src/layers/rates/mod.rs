//! Requests and tokens a minute at each host, over all models of a process.
//!
//! [`Rates`] counts for one host: every [`RateLimited`] model that shares it waits in the order of the calls. The limits are
//! the user's ([`RateLimit`]), which hold for the host, and the server's own, which hold for each of its models: a client that
//! is given the same [`Rates`] ([`RemoteConfig::rates`](crate::RemoteConfig::rates)) enters what the headers of answers tell.
//! After an answer of too many requests nobody asks the host before the time that the server names.

mod balances;
mod headers;
mod limited;
mod limits;
mod window;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::Expected;
use balances::Balances;
pub(crate) use headers::RateHeaders;
pub use limited::RateLimited;
pub use limits::{HostRateLimit, RateLimit, RateLimitError, limit_of};
use window::Window;

/// A server that wants a longer pause than this is not waited for: the call fails with what the server said.
const LONGEST_PAUSE: Duration = Duration::from_secs(120);

/// No server is left alone for longer than this, whatever it says.
const LONGEST_TOLD: Duration = Duration::from_secs(24 * 3600);

/// The use of one host, which all its models share. Clones count together.
#[derive(Clone, Debug, Default)]
pub struct Rates(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Who waits for the host holds it, so that calls begin in their order.
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
    /// What the server said, by model.
    models: BTreeMap<String, OfModel>,
}

#[derive(Debug, Default)]
struct OfModel {
    balances: Balances,
    /// Who waits for the limits of the model holds it.
    line: Arc<tokio::sync::Mutex<()>>,
}

/// Whether a call begins, else why not.
enum Turn {
    Begins(StartedCall),
    /// The limits that the server told for its model have to be waited for.
    OfModel(Duration),
    /// It needs its place in the line of the host.
    InLine,
    /// The user's limits for the host have to be waited for, or a pause that the server wants.
    OfHost(Duration),
    /// The pause is too long to be waited for.
    TooLong(Duration),
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
        self.0.changed.notify_waiters();
    }

    /// Enters what a server told of its limits for a model.
    pub(crate) fn tell(&self, model: &str, told: RateHeaders) {
        if told == RateHeaders::default() {
            return;
        }
        self.state().of(model).balances.tell(told, LONGEST_PAUSE, Instant::now());
        self.0.changed.notify_waiters();
    }

    /// Nobody asks for this long.
    pub(super) fn pause(&self, time: Duration) {
        let until = Instant::now() + time.min(LONGEST_TOLD);
        let mut state = self.state();
        state.pause = Some(state.pause.map_or(until, |pause| pause.max(until)));
    }

    /// Waits until a call of a model that is expected to need so much may begin. A call that waits for the limits of its
    /// model holds up only calls of this model.
    ///
    /// # Errors
    /// The wait that the server wants, when it is too long to be waited for.
    pub(super) async fn begin(&self, model: &str, need: Expected) -> Result<StartedCall, Duration> {
        let line = self.line_of(model);
        let _of_model = line.lock().await;
        let (mut of_host, mut is_told) = (None, false);
        loop {
            // What changes from here on is not missed.
            let changed = self.0.changed.notified();
            let wait = match self.turn(model, need, of_host.is_some()) {
                Turn::Begins(begun) => return Ok(begun),
                Turn::TooLong(pause) => return Err(pause),
                Turn::InLine => {
                    of_host = Some(self.0.line.lock().await);
                    continue;
                }
                Turn::OfModel(wait) => {
                    of_host = None;
                    wait
                }
                Turn::OfHost(wait) => wait,
            };
            if !is_told && wait > Duration::from_secs(2) {
                tracing::warn!("a call waits {:.0} s for the limit of its server", wait.as_secs_f32().ceil());
                is_told = true;
            }
            // What changed may shorten the wait.
            let _ = tokio::time::timeout(wait, changed).await;
        }
    }

    /// As [`Rates::begin`], for a call that can be done without: `None` when it would have to wait.
    pub(super) fn try_begin(&self, model: &str, need: Expected) -> Option<StartedCall> {
        let line = self.line_of(model);
        let _of_model = line.try_lock().ok()?;
        let _of_host = self.0.line.try_lock().ok()?;
        if let Turn::Begins(begun) = self.turn(model, need, true) { Some(begun) } else { None }
    }

    fn turn(&self, model: &str, need: Expected, has_line: bool) -> Turn {
        let mut state = self.state();
        let now = Instant::now();
        let pause = state.pause.map_or(Duration::ZERO, |until| until.saturating_duration_since(now));
        if pause > LONGEST_PAUSE {
            return Turn::TooLong(pause);
        }
        let of_model = state.of(model).balances.wait(need, now);
        if !of_model.is_zero() {
            return Turn::OfModel(of_model);
        }
        if !has_line {
            return Turn::InLine;
        }
        let limit = state.limit;
        let of_host = pause.max(state.window.wait(limit, need.total(), now));
        if !of_host.is_zero() {
            return Turn::OfHost(of_host);
        }
        state.of(model).balances.take(need);
        let id = state.window.enter(need.total(), now);
        Turn::Begins(StartedCall { rates: self.clone(), id })
    }

    fn line_of(&self, model: &str) -> Arc<tokio::sync::Mutex<()>> {
        Arc::clone(&self.state().of(model).line)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn of(&mut self, model: &str) -> &mut OfModel {
        self.models.entry(model.to_owned()).or_default()
    }
}

impl StartedCall {
    /// Puts the tokens that the call used in the place of those that it was expected to use.
    pub(super) fn settle(&self, tokens: u64) {
        self.rates.state().window.settle(self.id, tokens);
        self.rates.0.changed.notify_waiters();
    }

    /// Nobody asks this server for a time.
    pub(super) fn pause(&self, time: Duration) {
        self.rates.pause(time);
    }
}

#[cfg(test)]
mod tests {
    use super::headers::Remaining;
    use super::*;

    fn need(input: u64, output: u64) -> Expected {
        Expected { input, output }
    }

    fn left(count: u64, seconds: u64) -> Option<Remaining> {
        Some(Remaining { count, reset: Duration::from_secs(seconds) })
    }

    #[tokio::test(start_paused = true)]
    async fn what_a_server_tells_is_for_the_model_that_was_asked() {
        let rates = Rates::default();
        rates.tell("h:large", RateHeaders { requests: left(0, 60), ..RateHeaders::default() });
        rates.tell("h:small", RateHeaders { requests: left(9, 60), ..RateHeaders::default() });
        let start = Instant::now();
        let large = async {
            rates.begin("h:large", need(1, 1)).await.unwrap();
            start.elapsed().as_secs()
        };
        let small = async {
            // Behind the large one, which waits.
            tokio::time::sleep(Duration::from_secs(1)).await;
            rates.begin("h:small", need(1, 1)).await.unwrap();
            start.elapsed().as_secs()
        };
        assert_eq!(futures::future::join(large, small).await, (60, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn tokens_to_read_and_to_generate_are_kept_apart() {
        let rates = Rates::default();
        let told = RateHeaders {
            input: left(100_000, 60),
            output: left(15_000, 60),
            tokens: left(120_000, 60),
            requests: None,
        };
        rates.tell("h:m", told);
        assert!(rates.try_begin("h:m", need(20_000, 1000)).is_some(), "20 000 to read are there");
        assert!(rates.try_begin("h:m", need(90_000, 0)).is_none(), "80 000 are left to read");
        assert!(rates.try_begin("h:m", need(0, 15_000)).is_none(), "14 000 are left to generate");
        assert!(rates.try_begin("h:m", need(79_000, 14_000)).is_some());
        assert!(rates.try_begin("h:m", need(0, 1)).is_none());
        assert!(rates.try_begin("h:m", need(500, 0)).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_is_woken_when_the_server_has_room() {
        let rates = Rates::default();
        rates.tell("h:m", RateHeaders { requests: left(0, 100), ..RateHeaders::default() });
        let start = Instant::now();
        let telling = async {
            tokio::time::sleep(Duration::from_secs(5)).await;
            rates.tell("h:m", RateHeaders { requests: left(3, 100), ..RateHeaders::default() });
        };
        let begins = futures::future::join_all((0..3).map(|_| rates.begin("h:m", need(1, 1))));
        let (begun, ()) = futures::future::join(begins, telling).await;
        assert!(begun.iter().all(Result::is_ok));
        assert_eq!(start.elapsed().as_secs(), 5);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_can_be_done_without_does_not_wait_nor_pass_by() {
        let rates = Rates::new(RateLimit { requests: Some(2), tokens: None });
        assert!(rates.try_begin("h:m", need(1, 1)).is_some() && rates.try_begin("h:m", need(1, 1)).is_some());
        assert!(rates.try_begin("h:m", need(1, 1)).is_none());
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert!(rates.try_begin("h:m", need(1, 1)).is_some());
    }
}
