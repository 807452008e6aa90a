//! The bound on searches in a second.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::literature::Fault;

/// Attempts to get a turn.
const ATTEMPTS: u32 = 2;

/// At most so many searches in a second, for all engines together.
///
/// Searches wait in one line. Who has no turn after max(3, min(3 / rate, 60)) seconds goes to the end of the line once
/// more, and then gives up with [`Fault::NoTurn`].
#[derive(Debug)]
pub struct SearchRate {
    /// The time from one search to the next, and the bound on the wait of an attempt.
    pace: Option<(Duration, Duration)>,
    /// When the next search may start. Who holds the lock is the first in the line.
    next: Mutex<Option<Instant>>,
}

impl SearchRate {
    /// At most `per_second` searches; 0.5 is one in two seconds. There is no bound for 0 and for what is no rate.
    #[must_use]
    pub fn new(per_second: f64) -> Self {
        let bounded = per_second.is_finite() && per_second > 0.0;
        let pace = bounded.then(|| {
            let interval = Duration::from_secs_f64((1.0 / per_second).min(3600.0));
            (interval, Duration::from_secs_f64((3.0 / per_second).clamp(3.0, 60.0)))
        });
        Self { pace, next: Mutex::new(None) }
    }

    /// Waits for a turn.
    ///
    /// # Errors
    /// [`Fault::NoTurn`] after two attempts.
    pub async fn turn(&self) -> Result<(), Fault> {
        let Some((interval, longest)) = self.pace else { return Ok(()) };
        for _ in 0..ATTEMPTS {
            if tokio::time::timeout(longest, self.wait(interval)).await.is_ok() {
                return Ok(());
            }
        }
        Err(Fault::NoTurn { seconds: longest.as_secs().saturating_mul(u64::from(ATTEMPTS)) })
    }

    async fn wait(&self, interval: Duration) {
        let mut next = self.next.lock().await;
        if let Some(next) = *next {
            tokio::time::sleep_until(next).await;
        }
        *next = Some(Instant::now() + interval);
    }
}

#[cfg(test)]
mod tests {
    use futures::future::join_all;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn searches_are_spaced() {
        let rate = SearchRate::new(0.5);
        let begin = Instant::now();
        let starts = join_all((0..3).map(|_| async {
            rate.turn().await.unwrap();
            begin.elapsed().as_secs()
        }));
        assert_eq!(starts.await, [0, 2, 4]);
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_too_long_gives_up_after_two_attempts() {
        // Half a search in a second allows 6 s in each attempt, which is three more turns.
        let rate = SearchRate::new(0.5);
        let begin = Instant::now();
        let turns = join_all((0..9).map(|_| rate.turn())).await;
        let refused: Vec<_> = turns.into_iter().filter_map(Result::err).collect();
        assert!(!refused.is_empty());
        assert!(refused.iter().all(|fault| *fault == Fault::NoTurn { seconds: 12 }), "{refused:?}");
        assert_eq!(begin.elapsed().as_secs(), 12);
    }

    #[tokio::test(start_paused = true)]
    async fn the_bound_of_the_wait_lies_between_three_and_sixty_seconds() {
        for (per_second, seconds) in [(10.0, 6), (0.01, 120), (0.1, 60)] {
            let rate = SearchRate::new(per_second);
            let line = rate.next.lock().await;
            let begin = Instant::now();
            assert_eq!(rate.turn().await, Err(Fault::NoTurn { seconds }), "{per_second}");
            assert_eq!(begin.elapsed().as_secs(), seconds);
            drop(line);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn no_rate_is_no_bound() {
        for per_second in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let rate = SearchRate::new(per_second);
            let begin = Instant::now();
            for _ in 0..100 {
                rate.turn().await.unwrap();
            }
            assert!(begin.elapsed().is_zero(), "{per_second}");
        }
    }
}
