//! What was used in the last minute. Pure: the time is a parameter.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use super::RateLimit;

/// The time that limits are for.
pub(super) const MINUTE: Duration = Duration::from_secs(60);

/// The calls of the last minute, oldest first.
#[derive(Debug, Default)]
pub(super) struct Window {
    calls: VecDeque<Call>,
    tokens: u64,
    next: u64,
}

#[derive(Debug)]
struct Call {
    id: u64,
    at: Instant,
    tokens: u64,
}

impl Window {
    /// How long a call of `tokens` has to wait; zero when it may begin. A call that needs more tokens than the limit waits
    /// until nothing else is in the last minute.
    pub(super) fn wait(&mut self, limit: RateLimit, tokens: u64, now: Instant) -> Duration {
        self.forget(now);
        let mut wait = Duration::ZERO;
        if let Some(most) = limit.requests {
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            // With `most` calls in the last minute, the oldest of the last `most` must have left.
            if let Some(index) = self.calls.len().checked_sub(most) {
                wait = wait.max(self.left(index, now));
            }
        }
        if let Some(most) = limit.tokens {
            let mut used = self.tokens;
            for (index, call) in self.calls.iter().enumerate() {
                if used.saturating_add(tokens) <= most {
                    break;
                }
                used = used.saturating_sub(call.tokens);
                if call.tokens > 0 {
                    wait = wait.max(self.left(index, now));
                }
            }
        }
        wait
    }

    /// Enters a call that begins now, and gives its id.
    pub(super) fn enter(&mut self, tokens: u64, now: Instant) -> u64 {
        let id = self.next;
        self.next += 1;
        self.calls.push_back(Call { id, at: now, tokens });
        self.tokens = self.tokens.saturating_add(tokens);
        id
    }

    /// Puts the tokens that a call used in the place of those that it was expected to use.
    pub(super) fn settle(&mut self, id: u64, tokens: u64) {
        // Ids rise, so that a call is found by halving.
        if let Ok(index) = self.calls.binary_search_by_key(&id, |call| call.id) {
            let call = &mut self.calls[index];
            self.tokens = self.tokens.saturating_sub(call.tokens).saturating_add(tokens);
            call.tokens = tokens;
        }
    }

    fn forget(&mut self, now: Instant) {
        while let Some(call) = self.calls.front().filter(|call| now.duration_since(call.at) >= MINUTE) {
            self.tokens = self.tokens.saturating_sub(call.tokens);
            self.calls.pop_front();
        }
    }

    /// When the call at an index leaves the last minute.
    fn left(&self, index: usize, now: Instant) -> Duration {
        self.calls.get(index).map_or(Duration::ZERO, |call| (call.at + MINUTE).saturating_duration_since(now))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_call_waits_until_enough_has_left_the_minute() {
        let limit = RateLimit { requests: Some(2), tokens: Some(100) };
        let (mut window, start) = (Window::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        let seconds = |wait: Duration| wait.as_secs();
        assert_eq!(seconds(window.wait(limit, 500, at(0))), 0, "more than the limit, and nothing else is there");
        let first = window.enter(40, at(0));
        assert_eq!(seconds(window.wait(limit, 60, at(10))), 0);
        assert_eq!(seconds(window.wait(limit, 61, at(10))), 50);
        window.enter(30, at(20));
        assert_eq!(seconds(window.wait(limit, 1, at(20))), 40, "two requests are there");
        assert_eq!(seconds(window.wait(limit, 71, at(20))), 60, "both must have left for the tokens");
        window.settle(first, 0);
        assert_eq!(seconds(window.wait(limit, 70, at(20))), 40);
        assert_eq!(seconds(window.wait(limit, 70, at(60))), 0);
        assert_eq!(seconds(window.wait(limit, 71, at(60))), 20);
        window.settle(first, 9999);
        assert_eq!(seconds(window.wait(limit, 70, at(60))), 0, "who has left is not counted again");
    }

    #[test]
    fn absurd_counts_of_a_server_do_no_harm() {
        let (mut window, now) = (Window::default(), Instant::now());
        for tokens in [100, u64::MAX, u64::MAX] {
            let id = window.enter(1, now);
            window.settle(id, tokens);
        }
        let limit = RateLimit { requests: None, tokens: Some(1000) };
        assert_eq!(window.wait(limit, 1, now), MINUTE);
        assert_eq!(window.wait(limit, 1, now + MINUTE), Duration::ZERO);
    }

    proptest! {
        #[test]
        fn no_minute_has_more_than_the_limit(
            calls in proptest::collection::vec((0u64..40_000, 0u64..60, 0u64..60), 1..60),
            requests in 1u64..5,
            tokens in 60u64..200,
        ) {
            let limit = RateLimit { requests: Some(requests), tokens: Some(tokens) };
            let (mut window, start) = (Window::default(), Instant::now());
            let mut now = start;
            let mut begun: Vec<(Instant, u64)> = Vec::new();
            for (pause, expected, used) in calls {
                now += Duration::from_millis(pause);
                let wait = window.wait(limit, expected, now);
                now += wait;
                prop_assert_eq!(window.wait(limit, expected, now), Duration::ZERO, "a wait is long enough");
                let id = window.enter(expected, now);
                window.settle(id, used.min(expected));
                begun.push((now, used.min(expected)));
                let minute = begun.iter().filter(|(at, _)| now.duration_since(*at) < MINUTE);
                let (count, sum) = minute.fold((0, 0), |(count, sum), (_, tokens)| (count + 1, sum + tokens));
                prop_assert!(count <= requests && sum <= tokens, "{} requests, {} tokens", count, sum);
            }
        }
    }
}
