//! The one line in front of a host.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::limits::Limits;
use super::politeness::Politeness;
use crate::literature::Fault;

/// Questions in a row to which a host may be down before it is left alone.
const FAILURES_BEFORE_REST: u32 = 3;

/// When a host may be asked next, for everyone in this process.
pub(super) struct Pace {
    /// Who holds it is the next; the mutex is fair, so the line is one.
    line: tokio::sync::Mutex<()>,
    state: Mutex<State>,
    freed: Notify,
}

struct State {
    interval: Duration,
    at_once: usize,
    under_way: usize,
    next: Option<Instant>,
    failures: u32,
    closed: Option<(Instant, Fault)>,
}

/// The right to one request, given back when dropped.
pub(super) struct Turn {
    pace: Arc<Pace>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut state = self.pace.state();
        state.under_way = state.under_way.saturating_sub(1);
        drop(state);
        self.pace.freed.notify_one();
    }
}

impl Pace {
    /// The line of one gateway alone.
    pub(super) fn new() -> Self {
        Self {
            line: tokio::sync::Mutex::new(()),
            state: Mutex::new(State {
                interval: Duration::ZERO,
                at_once: usize::MAX,
                under_way: 0,
                next: None,
                failures: 0,
                closed: None,
            }),
            freed: Notify::new(),
        }
    }

    /// The line of a host, the same for the whole process.
    pub(super) fn of_host(host: &str) -> Arc<Self> {
        static LINES: OnceLock<Mutex<HashMap<String, Arc<Pace>>>> = OnceLock::new();
        let mut lines = LINES.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(lines.entry(host.to_owned()).or_insert_with(|| Arc::new(Self::new())))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is complete before the lock is released, so a panic elsewhere leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Also keeps `politeness`: with several gateways to a host the strictest counts.
    pub(super) fn keep(&self, politeness: &Politeness) {
        let mut state = self.state();
        state.interval = state.interval.max(politeness.interval);
        state.at_once = state.at_once.min(politeness.at_once.max(1));
    }

    /// Waits for the right to ask.
    ///
    /// # Errors
    /// The fault for which the host is left alone at the moment.
    pub(super) async fn turn(self: &Arc<Self>) -> Result<Turn, Fault> {
        let _first_in_line = self.line.lock().await;
        loop {
            let now = Instant::now();
            let wait_until = {
                let mut state = self.state();
                match &state.closed {
                    Some((until, fault)) if *until > now => return Err(fault.clone()),
                    _ => state.closed = None,
                }
                if state.under_way >= state.at_once {
                    None
                } else if let Some(next) = state.next.filter(|next| *next > now) {
                    Some(next)
                } else {
                    state.under_way += 1;
                    state.next = Some(now + state.interval);
                    return Ok(Turn { pace: Arc::clone(self) });
                }
            };
            match wait_until {
                Some(next) => tokio::time::sleep_until(next).await,
                None => self.freed.notified().await,
            }
        }
    }

    /// What the host said about its limits counts from now on, but never allows more than our manners do.
    pub(super) fn obey(&self, limits: &Limits, politeness: &Politeness) {
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

    /// Nobody asks before `until`.
    pub(super) fn hold(&self, until: Instant) {
        let mut state = self.state();
        state.next = Some(state.next.map_or(until, |next| next.max(until)));
    }

    /// Until then everybody gets `fault` without asking.
    pub(super) fn close(&self, until: Instant, fault: Fault) {
        self.state().closed = Some((until, fault));
    }

    pub(super) fn answered(&self) {
        self.state().failures = 0;
    }

    pub(super) fn failed(&self, now: Instant, politeness: &Politeness, fault: &Fault) {
        let mut state = self.state();
        state.failures += 1;
        if state.failures >= FAILURES_BEFORE_REST {
            state.failures = 0;
            state.closed = Some((now + politeness.rest, fault.clone()));
        }
    }
}
