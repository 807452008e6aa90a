//! What did not arrive is told once a minute.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use reqwest::StatusCode;

/// The time between two lines about the same collector.
const PAUSE: Duration = Duration::from_secs(60);

/// How a collector fares.
#[derive(Debug)]
pub(crate) struct Outage {
    /// The collector's host.
    host: String,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    reason: String,
    /// Spans that were lost and not told of.
    lost: usize,
    told: Option<Instant>,
}

impl Outage {
    pub(crate) fn new(host: String) -> Self {
        Self { host, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The collector answered.
    pub(crate) fn answered(&self, status: StatusCode) {
        if !status.is_success() {
            self.lock().reason = format!("it answers with status {}", status.as_u16());
        }
    }

    /// The collector did not answer.
    pub(crate) fn unreached(&self, reason: String) {
        self.lock().reason = reason;
    }

    /// Counts spans that were lost, and tells of them unless that was done a short while ago.
    pub(crate) fn lose(&self, spans: usize) {
        if let Some(line) = self.line(spans, Instant::now()) {
            tracing::warn!("{line}");
        }
    }

    fn line(&self, spans: usize, now: Instant) -> Option<String> {
        let mut state = self.lock();
        state.lost += spans;
        if state.told.is_some_and(|told| now.duration_since(told) < PAUSE) {
            return None;
        }
        state.told = Some(now);
        let lost = std::mem::take(&mut state.lost);
        Some(format!(
            "{lost} spans did not reach the collector `{}`: {}; nothing waits for it",
            self.host, state.reason
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_that_is_down_is_told_of_once_a_minute() {
        let outage = Outage::new("c:4318".to_owned());
        outage.unreached("connection refused".to_owned());
        let began = Instant::now();
        let line = |second: u64| outage.line(10, began + Duration::from_secs(second));
        let first = line(0).unwrap();
        assert!(first.starts_with("10 spans did not reach the collector `c:4318`: connection refused"), "{first}");
        assert_eq!((5..60).step_by(5).filter_map(line).count(), 0);
        outage.answered(StatusCode::OK);
        outage.answered(StatusCode::SERVICE_UNAVAILABLE);
        let second = line(60).unwrap();
        assert!(second.starts_with("120 spans") && second.contains("it answers with status 503"), "{second}");
        assert_eq!(line(119), None);
    }
}
