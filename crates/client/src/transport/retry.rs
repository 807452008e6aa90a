//! How long to wait before the next try.

use std::time::{Duration, SystemTime};

use rand::Rng;
use reqwest::header::{HeaderMap, RETRY_AFTER};

/// The longest pause of our own.
const LONGEST: Duration = Duration::from_secs(8);

/// The pause after `failures` failures in a row: doubled each time, and shortened by chance, so that clients that failed
/// together do not come back together.
pub(crate) fn pause(first: Duration, failures: u32) -> Duration {
    let whole = first.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(LONGEST);
    whole.mul_f64(rand::rng().random_range(0.5..=1.0))
}

/// The pause that an answer asks for: seconds or an HTTP date, RFC 9110 §10.2.3.
pub(crate) fn asked_pause(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    #[test]
    fn pauses_double_up_to_a_bound() {
        let first = Duration::from_millis(100);
        for (failures, least, most) in [(1, 50, 100), (2, 100, 200), (5, 800, 1600), (40, 4000, 8000)] {
            for _ in 0..50 {
                let pause = pause(first, failures).as_millis();
                assert!((least..=most).contains(&pause), "{failures}: {pause}");
            }
        }
    }

    #[test]
    fn every_form_of_retry_after_is_read() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        let asked = |text: &'static str| {
            asked_pause(&HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(text))]), now)
        };
        assert_eq!(asked("2"), Some(Duration::from_secs(2)));
        assert_eq!(asked("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(asked("Sun, 06 Nov 1994 08:50:37 GMT"), Some(Duration::from_secs(60)));
        assert_eq!(asked("Sun, 06 Nov 1994 08:00:00 GMT"), Some(Duration::ZERO));
        for none in ["-1", "soon", "NaN", "1e300"] {
            assert_eq!(asked(none), None, "{none}");
        }
        assert_eq!(asked_pause(&HeaderMap::new(), now), None);
    }
}
