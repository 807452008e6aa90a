//! The rate limiter of a host, which all requests of the process to that host pass.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::HostFault;
use super::limits::Limits;
use super::politeness::Politeness;

/// Questions in a row to which a host may be down before it is left alone.
const FAILURES_BEFORE_REST: u32 = 3;

/// With more hosts than these, those that nobody asks and that ask for no pause are forgotten.
const MOST_HOSTS: usize = 1024;

/// Limits the requests to a host: their interval, their number at once, and pauses.
pub(super) struct RateLimiter {
    /// The holder is the next to ask. The mutex is fair, so requests pass in the order of arrival.
    queue: tokio::sync::Mutex<()>,
    state: Mutex<State>,
    freed: Notify,
}

struct State {
    interval: Duration,
    at_once: usize,
    in_flight: usize,
    next: Option<Instant>,
    failures: u32,
    closed: Option<(Instant, HostFault)>,
}

/// The permit for one request, given back when dropped.
pub(super) struct Permit {
    limiter: Arc<RateLimiter>,
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut state = self.limiter.state();
        state.in_flight = state.in_flight.saturating_sub(1);
        drop(state);
        self.limiter.freed.notify_one();
    }
}

impl RateLimiter {
    /// A rate limiter of one gateway alone.
    pub(super) fn new() -> Self {
        Self {
            queue: tokio::sync::Mutex::new(()),
            state: Mutex::new(State {
                interval: Duration::ZERO,
                at_once: usize::MAX,
                in_flight: 0,
                next: None,
                failures: 0,
                closed: None,
            }),
            freed: Notify::new(),
        }
    }

    /// The rate limiter of a host, shared by the whole process.
    pub(super) fn of_host(host: &str) -> Arc<Self> {
        static LIMITERS: OnceLock<Mutex<HashMap<String, Arc<RateLimiter>>>> = OnceLock::new();
        let mut limiters = LIMITERS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        if limiters.len() >= MOST_HOSTS {
            let now = Instant::now();
            limiters.retain(|_, limiter| Arc::strong_count(limiter) > 1 || limiter.is_waited_for(now));
        }
        Arc::clone(limiters.entry(host.to_owned()).or_insert_with(|| Arc::new(Self::new())))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is complete before the lock is released, so a panic elsewhere leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Restricts the limits to those of `politeness`. With several gateways to a host the strictest limits count.
    pub(super) fn restrict(&self, politeness: &Politeness) {
        let mut state = self.state();
        state.interval = state.interval.max(politeness.interval);
        state.at_once = state.at_once.min(politeness.at_once.max(1));
    }

    /// Lets at least `interval` pass between two requests.
    pub(super) fn slow_down(&self, interval: Duration) {
        let mut state = self.state();
        state.interval = state.interval.max(interval);
    }

    /// Whether a request would have to wait now.
    fn is_waited_for(&self, now: Instant) -> bool {
        let state = self.state();
        state.next.is_some_and(|next| next > now) || state.closed.as_ref().is_some_and(|(until, _)| *until > now)
    }

    /// Waits for a permit to ask.
    ///
    /// # Errors
    /// The fault for which the host is not asked at the moment.
    pub(super) async fn acquire(self: &Arc<Self>) -> Result<Permit, HostFault> {
        let _first_in_line = self.queue.lock().await;
        loop {
            let now = Instant::now();
            let wait_until = {
                let mut state = self.state();
                match &state.closed {
                    Some((until, fault)) if *until > now => return Err(fault.clone()),
                    _ => state.closed = None,
                }
                if state.in_flight >= state.at_once {
                    None
                } else if let Some(next) = state.next.filter(|next| *next > now) {
                    Some(next)
                } else {
                    state.in_flight += 1;
                    state.next = Some(now + state.interval);
                    return Ok(Permit { limiter: Arc::clone(self) });
                }
            };
            match wait_until {
                Some(next) => tokio::time::sleep_until(next).await,
                None => self.freed.notified().await,
            }
        }
    }

    /// Applies the limits that the host stated, which never allow more than `politeness` does.
    pub(super) fn apply_limits(&self, limits: &Limits, politeness: &Politeness) {
        let mut state = self.state();
        if let Some(interval) = limits.interval {
            let grown = interval.max(politeness.interval);
            if let Some(next) = state.next
                && grown > state.interval
            {
                state.next = Some(next + (grown - state.interval));
            }
            state.interval = grown;
        }
        if let Some(at_once) = limits.at_once {
            state.at_once = at_once.clamp(1, politeness.at_once.max(1));
        }
    }

    /// Delays the next request until `until`.
    pub(super) fn delay_until(&self, until: Instant) {
        let mut state = self.state();
        state.next = Some(state.next.map_or(until, |next| next.max(until)));
    }

    /// Answers every request before `until` with `fault`, without asking the host.
    pub(super) fn close(&self, until: Instant, fault: HostFault) {
        self.state().closed = Some((until, fault));
    }

    pub(super) fn answered(&self) {
        self.state().failures = 0;
    }

    pub(super) fn failed(&self, now: Instant, politeness: &Politeness, fault: &HostFault) {
        let mut state = self.state();
        state.failures += 1;
        if state.failures >= FAILURES_BEFORE_REST {
            state.failures = 0;
            state.closed = Some((now + politeness.rest, fault.clone()));
        }
    }
}
