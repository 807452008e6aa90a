//! What an answer says about the host's limits.

use std::time::{Duration, SystemTime};

use super::transport::Reply;
use crate::literature::text::{plain, shortened};
use crate::literature::{Fault, Timestamp};

/// Seconds in a day, after which daily budgets are new.
const DAY: u64 = 86_400;

/// The limits in the headers of an answer.
#[derive(Debug, Default)]
pub(super) struct Limits {
    /// The least time between requests, from Crossref's `x-rate-limit-limit` and `x-rate-limit-interval`.
    pub(super) interval: Option<Duration>,
    /// The most requests at once, from Crossref's `x-concurrency-limit`.
    pub(super) at_once: Option<usize>,
    retry_after: Option<Timestamp>,
    budget_spent: bool,
    budget_renewed: Option<Timestamp>,
}

impl Limits {
    pub(super) fn of(reply: &Reply, now: SystemTime) -> Self {
        let now = Timestamp::of(now);
        let count = reply.header("x-rate-limit-limit").and_then(|limit| limit.parse::<u32>().ok()).filter(|n| *n > 0);
        let span = reply
            .header("x-rate-limit-interval")
            .map_or(Some(1.0), |span| span.trim_end_matches('s').parse::<f64>().ok())
            .filter(|seconds| seconds.is_finite() && (0.0..=3600.0).contains(seconds));
        // Without a name for it, a limit of OpenAlex is one of the day.
        let spent = ["x-ratelimit-remaining-usd", "x-ratelimit-remaining"]
            .iter()
            .filter_map(|name| reply.header(name)?.parse::<f64>().ok())
            .any(|left| left <= 0.0);
        Self {
            interval: count.zip(span).map(|(count, span)| Duration::from_secs_f64(span) / count),
            at_once: reply.header("x-concurrency-limit").and_then(|limit| limit.parse().ok()),
            retry_after: reply.header("retry-after").and_then(|value| retry_after(value, now)),
            budget_spent: spent,
            budget_renewed: reply.header("x-ratelimit-reset").and_then(|value| reset(value, now)),
        }
    }

    /// The fault that the status stands for, when the body need not be read to know it.
    pub(super) fn fault(&self, reply: &Reply, now: SystemTime) -> Option<Fault> {
        let now = Timestamp::of(now).0;
        match reply.status {
            429 if self.budget_spent => {
                let midnight = Timestamp((now / DAY + 1) * DAY);
                Some(Fault::BudgetSpent { until: self.budget_renewed.or(self.retry_after).or(Some(midnight)) })
            }
            429 => Some(Fault::RateLimited { until: self.retry_after }),
            503 if self.retry_after.is_some() => Some(Fault::RateLimited { until: self.retry_after }),
            500..=599 => Some(Fault::Down { reason: format!("status {}", reply.status) }),
            408 => Some(Fault::Down { reason: "status 408".to_owned() }),
            401 | 403 | 404 | 410 | 451 => Some(Fault::Refused { status: reply.status, reason: reason_in(reply) }),
            _ => None,
        }
    }
}

/// The first words of a body that is no answer, as a reason.
fn reason_in(reply: &Reply) -> String {
    let start = &reply.body[..reply.body.len().min(2000)];
    let words = shortened(&plain(&String::from_utf8_lossy(start)), 160);
    if words.is_empty() { "no reason given".to_owned() } else { words }
}

/// Seconds or an HTTP date, RFC 9110 section 10.2.3.
fn retry_after(value: &str, now: Timestamp) -> Option<Timestamp> {
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Timestamp(now.0.saturating_add(seconds)));
    }
    httpdate::parse_http_date(value).ok().map(|date| Timestamp(Timestamp::of(date).0.max(now.0)))
}

/// Seconds from now, or since 1970 when the number is that large.
fn reset(value: &str, now: Timestamp) -> Option<Timestamp> {
    let seconds = value.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0)?;
    // Saturates; fractions of a second do not matter.
    let seconds = seconds.ceil() as u64;
    Some(if seconds > 1_000_000_000 { Timestamp(seconds) } else { Timestamp(now.0.saturating_add(seconds)) })
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

    use super::*;

    const NOW: u64 = 1_780_000_000;

    fn reply(status: u16, headers: &[(&'static str, &'static str)]) -> Reply {
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect::<HeaderMap>();
        Reply::new(status, headers, "<html><body><h1>Not now</h1></body></html>")
    }

    fn fault(status: u16, headers: &[(&'static str, &'static str)]) -> Option<Fault> {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(NOW);
        let reply = reply(status, headers);
        Limits::of(&reply, now).fault(&reply, now)
    }

    #[test]
    fn a_status_with_its_headers_becomes_a_fault() {
        let limited = |seconds| Some(Fault::RateLimited { until: Some(Timestamp(NOW + seconds)) });
        let budget = |until| Some(Fault::BudgetSpent { until: Some(Timestamp(until)) });
        assert_eq!(fault(200, &[]), None);
        assert_eq!(fault(400, &[]), None, "the body says why");
        assert_eq!(fault(429, &[]), Some(Fault::RateLimited { until: None }));
        assert_eq!(fault(429, &[("retry-after", "7")]), limited(7));
        assert_eq!(fault(429, &[("retry-after", "soon")]), Some(Fault::RateLimited { until: None }));
        assert_eq!(fault(429, &[("retry-after", "Thu, 28 May 2026 20:27:00 GMT")]), limited(20));
        assert_eq!(fault(429, &[("retry-after", "Thu, 01 Jan 1970 00:00:00 GMT")]), limited(0));
        assert_eq!(fault(503, &[("retry-after", "7")]), limited(7));
        assert_eq!(fault(503, &[]), Some(Fault::Down { reason: "status 503".into() }));
        assert_eq!(fault(429, &[("x-ratelimit-remaining-usd", "0.0"), ("x-ratelimit-reset", "60")]), budget(NOW + 60));
        assert_eq!(
            fault(429, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1790000000")]),
            budget(1_790_000_000)
        );
        assert_eq!(fault(429, &[("x-ratelimit-remaining", "0")]), budget((NOW / DAY + 1) * DAY));
        assert_eq!(fault(429, &[("x-ratelimit-remaining", "99")]), Some(Fault::RateLimited { until: None }));
        assert_eq!(fault(403, &[]), Some(Fault::Refused { status: 403, reason: "Not now".into() }));
    }

    #[test]
    fn crossrefs_headers_give_a_pace() {
        let of = |headers: &[(&'static str, &'static str)]| {
            let limits = Limits::of(&reply(200, headers), SystemTime::UNIX_EPOCH);
            (limits.interval, limits.at_once)
        };
        assert_eq!(of(&[]), (None, None));
        let all = [("x-rate-limit-limit", "5"), ("x-rate-limit-interval", "1s"), ("x-concurrency-limit", "1")];
        assert_eq!(of(&all), (Some(Duration::from_millis(200)), Some(1)));
        for odd in [[("x-rate-limit-limit", "0")], [("x-rate-limit-limit", "-1")]] {
            assert_eq!(of(&odd), (None, None));
        }
        assert_eq!(of(&[("x-rate-limit-limit", "5"), ("x-rate-limit-interval", "infs")]), (None, None));
    }
}
