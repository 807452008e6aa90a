//! What an answer says about the host's limits.

use std::time::{Duration, SystemTime};

use super::HostFault;
use super::transport::Reply;

/// A window that lasts longer is a budget and no pace.
const HOUR: u64 = 3_600;

/// Seconds in a day, after which daily budgets are new.
const DAY: u64 = 86_400;

/// The limits in the headers of an answer.
#[derive(Debug, Default)]
pub(super) struct Limits {
    /// The least time between requests, from Crossref's `x-rate-limit-limit` and `x-rate-limit-interval`.
    pub(super) interval: Option<Duration>,
    /// The most requests at once, from Crossref's `x-concurrency-limit`.
    pub(super) at_once: Option<usize>,
    retry_after: Option<SystemTime>,
    budget_spent: bool,
    budget_renewed: Option<SystemTime>,
}

impl Limits {
    pub(super) fn of(reply: &Reply, now: SystemTime) -> Self {
        let count = reply.header("x-rate-limit-limit").and_then(|limit| limit.parse::<u32>().ok()).filter(|n| *n > 0);
        let span = reply
            .header("x-rate-limit-interval")
            .map_or(Some(1.0), |span| span.trim_end_matches('s').parse::<f64>().ok())
            .filter(|seconds| seconds.is_finite() && (0.0..=3600.0).contains(seconds));
        let is_spent =
            |name| reply.header(name).and_then(|left| left.parse::<f64>().ok()).is_some_and(|left| left <= 0.0);
        let asked = reply.header("retry-after").and_then(|value| retry_after(value, now));
        let is_soon = asked.zip(after(now, HOUR)).is_some_and(|(until, hour)| until < hour);
        // Without a name for it, a limit of OpenAlex is one of the day; who wants to be asked again soon has another.
        let spent = is_spent("x-ratelimit-remaining-usd") || (is_spent("x-ratelimit-remaining") && !is_soon);
        let window = spent_window(reply);
        let in_window = |wanted| window.and_then(|window| after(now, window)).filter(|_| wanted);
        let is_long = window.is_some_and(|window| window >= HOUR);
        Self {
            interval: count.zip(span).map(|(count, span)| Duration::from_secs_f64(span) / count),
            at_once: reply.header("x-concurrency-limit").and_then(|limit| limit.parse().ok()),
            retry_after: asked.or_else(|| in_window(!is_long)),
            budget_spent: spent || is_long,
            budget_renewed: reply
                .header("x-ratelimit-reset")
                .and_then(|value| reset(value, now))
                .or_else(|| in_window(is_long)),
        }
    }

    /// The fault that the status stands for, when the body need not be read to know it.
    pub(super) fn fault(&self, reply: &Reply, now: SystemTime) -> Option<HostFault> {
        match reply.status {
            429 if self.budget_spent => Some(HostFault::BudgetSpent {
                until: self.budget_renewed.or(self.retry_after).or_else(|| midnight(now)),
            }),
            429 => Some(HostFault::RateLimited { until: self.retry_after, status: 429 }),
            503 if self.retry_after.is_some() => Some(HostFault::RateLimited { until: self.retry_after, status: 503 }),
            status @ (408 | 425 | 500..=599) => Some(HostFault::Failing { status }),
            status @ (401 | 403 | 404 | 410 | 451) => Some(HostFault::Refused { status, body: beginning(reply) }),
            _ => None,
        }
    }
}

/// How many seconds the longest window still lasts in which nothing is left, of a host that names several: Brave's
/// `x-ratelimit-remaining: 1, 0` with `x-ratelimit-reset: 1, 1419704` says that a month's questions are used up.
fn spent_window(reply: &Reply) -> Option<u64> {
    let remaining = reply.header("x-ratelimit-remaining").filter(|value| value.contains(','))?;
    let resets = reply.header("x-ratelimit-reset")?.split(',');
    let windows = remaining.split(',').zip(resets);
    let spent = windows.filter(|(left, _)| left.trim().parse::<f64>().is_ok_and(|left| left <= 0.0));
    spent.filter_map(|(_, reset)| reset.trim().parse().ok()).max()
}

/// The beginning of a body that is no answer.
fn beginning(reply: &Reply) -> String {
    String::from_utf8_lossy(&reply.body[..reply.body.len().min(2000)]).into_owned()
}

/// Seconds or an HTTP date, RFC 9110 section 10.2.3.
fn retry_after(value: &str, now: SystemTime) -> Option<SystemTime> {
    if let Ok(seconds) = value.parse::<u64>() {
        return after(now, seconds);
    }
    httpdate::parse_http_date(value).ok().map(|date| date.max(now))
}

/// Seconds from now, or since 1970 when the number is that large.
fn reset(value: &str, now: SystemTime) -> Option<SystemTime> {
    let seconds = value.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0)?;
    // Saturates; fractions of a second do not matter.
    let seconds = seconds.ceil() as u64;
    if seconds > 1_000_000_000 { after(SystemTime::UNIX_EPOCH, seconds) } else { after(now, seconds) }
}

/// The end of the day in UTC.
fn midnight(now: SystemTime) -> Option<SystemTime> {
    let seconds = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    after(SystemTime::UNIX_EPOCH, (seconds / DAY + 1) * DAY)
}

/// A moment after another; who names one that no clock reaches means the last that has a date.
fn after(start: SystemTime, seconds: u64) -> Option<SystemTime> {
    const LAST: u64 = 253_402_300_799;
    start.checked_add(Duration::from_secs(seconds.min(LAST)))
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

    fn fault(status: u16, headers: &[(&'static str, &'static str)]) -> Option<HostFault> {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(NOW);
        let reply = reply(status, headers);
        Limits::of(&reply, now).fault(&reply, now)
    }

    #[test]
    fn a_status_with_its_headers_becomes_a_fault() {
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let limited = |seconds| Some(HostFault::RateLimited { until: Some(at(NOW + seconds)), status: 429 });
        let budget = |until| Some(HostFault::BudgetSpent { until: Some(at(until)) });
        assert_eq!(fault(200, &[]), None);
        assert_eq!(fault(400, &[]), None, "the body says why");
        assert_eq!(fault(429, &[]), Some(HostFault::RateLimited { until: None, status: 429 }));
        assert_eq!(fault(429, &[("retry-after", "7")]), limited(7));
        assert_eq!(fault(429, &[("retry-after", "soon")]), Some(HostFault::RateLimited { until: None, status: 429 }));
        assert_eq!(fault(429, &[("retry-after", "Thu, 28 May 2026 20:27:00 GMT")]), limited(20));
        assert_eq!(fault(429, &[("retry-after", "Thu, 01 Jan 1970 00:00:00 GMT")]), limited(0));
        assert_eq!(
            fault(503, &[("retry-after", "7")]),
            Some(HostFault::RateLimited { until: Some(at(NOW + 7)), status: 503 })
        );
        assert_eq!(fault(503, &[]), Some(HostFault::Failing { status: 503 }));
        assert_eq!(fault(429, &[("x-ratelimit-remaining-usd", "0.0"), ("x-ratelimit-reset", "60")]), budget(NOW + 60));
        assert_eq!(
            fault(429, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1790000000")]),
            budget(1_790_000_000)
        );
        assert_eq!(fault(429, &[("x-ratelimit-remaining", "0"), ("retry-after", "7")]), limited(7));
        let brave =
            |remaining| fault(429, &[("x-ratelimit-remaining", remaining), ("x-ratelimit-reset", "1, 1419704")]);
        assert_eq!(brave("1, 0"), budget(NOW + 1_419_704));
        assert_eq!(brave("0, 900"), limited(1));
        assert_eq!(brave("1, 900"), Some(HostFault::RateLimited { until: None, status: 429 }));
        assert_eq!(fault(429, &[("x-ratelimit-remaining", "0")]), budget((NOW / DAY + 1) * DAY));
        assert_eq!(
            fault(429, &[("x-ratelimit-remaining", "99")]),
            Some(HostFault::RateLimited { until: None, status: 429 })
        );
        let Some(HostFault::Refused { status: 403, body }) = fault(403, &[]) else { panic!("it is refused") };
        assert!(body.contains("Not now"), "{body}");
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
