//! How much is going on at a time, and how often a client asks.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::problem::Problem;
use super::security::Limits;

/// The right to execute one run, or to hold one stream open; it is given back when it is dropped.
#[derive(Debug)]
#[must_use = "what it permits ends with it"]
pub(crate) struct Permit {
    _permit: OwnedSemaphorePermit,
}

/// So many of one kind at a time.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    free: Arc<Semaphore>,
    total: usize,
}

impl Places {
    pub(crate) fn new(total: usize) -> Self {
        let total = total.min(Semaphore::MAX_PERMITS).min(u32::MAX as usize);
        Self { free: Arc::new(Semaphore::new(total)), total }
    }

    /// A place at once, or none.
    pub(crate) fn take(&self) -> Option<Permit> {
        Arc::clone(&self.free).try_acquire_owned().ok().map(|permit| Permit { _permit: permit })
    }

    /// A place as soon as there is one.
    pub(crate) async fn wait(&self) -> Option<Permit> {
        Arc::clone(&self.free).acquire_owned().await.ok().map(|permit| Permit { _permit: permit })
    }

    /// How many are taken.
    pub(crate) fn taken(&self) -> usize {
        self.total - self.free.available_permits().min(self.total)
    }

    /// Returns when none is taken.
    pub(crate) async fn all_free(&self) {
        // The number fits: `new` sees to it.
        drop(self.free.acquire_many(u32::try_from(self.total).unwrap_or(u32::MAX)).await);
    }
}

/// Runs and streams at a time. Protocol adapters take a permit for each and hold it as long as it lasts.
#[derive(Clone, Debug)]
pub(crate) struct Capacity {
    pub(crate) runs: Places,
    pub(crate) streams: Places,
}

impl Capacity {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { runs: Places::new(limits.runs), streams: Places::new(limits.streams) }
    }

    /// The right to execute a run.
    ///
    /// # Errors
    /// 429 when as many are executed as the server allows.
    pub(crate) fn run(&self) -> Result<Permit, Problem> {
        self.runs.take().ok_or_else(|| {
            let detail = format!("Too many runs at a time: this server executes {} and no more", self.runs.total);
            Problem::new(StatusCode::TOO_MANY_REQUESTS, detail).retry_after(Duration::from_secs(1))
        })
    }

    /// The right to hold a stream open.
    ///
    /// # Errors
    /// 503 when as many are open as the server allows.
    pub(crate) fn stream(&self) -> Result<Permit, Problem> {
        self.streams.take().ok_or_else(|| {
            let detail = format!("Too many open streams: this server holds {} and no more", self.streams.total);
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail).retry_after(Duration::from_secs(1))
        })
    }
}

/// Whom requests are counted for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Client {
    /// The holder of a key, by its name.
    Key(Arc<str>),
    /// Whoever sends from an address, without a key that is known.
    Address(IpAddr),
}

/// Requests of each client a minute: a bucket that leaks evenly and holds a tenth of a minute's.
pub(crate) struct Rate {
    limiter: DefaultKeyedRateLimiter<Client>,
    checks: AtomicU32,
}

/// After so many requests the clients that were not heard of lately are forgotten.
const CHECKS_BETWEEN_SWEEPS: u32 = 10_000;

impl Rate {
    pub(crate) fn new(requests_a_minute: NonZeroU32) -> Self {
        let at_once = NonZeroU32::new(requests_a_minute.get() / 10).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::per_minute(requests_a_minute).allow_burst(at_once);
        Self { limiter: RateLimiter::keyed(quota), checks: AtomicU32::new(0) }
    }

    /// Counts a request.
    ///
    /// # Errors
    /// 429 with the time after which one passes again.
    pub(crate) fn check(&self, client: &Client) -> Result<(), Problem> {
        if self.checks.fetch_add(1, Ordering::Relaxed) % CHECKS_BETWEEN_SWEEPS == CHECKS_BETWEEN_SWEEPS - 1 {
            self.limiter.retain_recent();
        }
        self.limiter.check_key(client).map_err(|until| {
            let wait = until.wait_time_from(DefaultClock::default().now());
            Problem::new(StatusCode::TOO_MANY_REQUESTS, "Too many requests; wait as `Retry-After` says")
                .retry_after(wait)
        })
    }
}

impl std::fmt::Debug for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rate").field("clients", &self.limiter.len()).finish_non_exhaustive()
    }
}
