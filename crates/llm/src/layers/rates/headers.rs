//! What a server tells of its own limits, in the headers of an answer.

use std::time::{Duration, SystemTime};

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::prices::{Rounding, decimal};

/// What is left at a server, and when all of it is there again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Remaining {
    pub(crate) count: u64,
    pub(crate) reset: Duration,
}

/// What a server tells of its own limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RateHeaders {
    pub(crate) requests: Option<Remaining>,
    /// Tokens read and generated.
    pub(crate) tokens: Option<Remaining>,
    /// Tokens read.
    pub(crate) input: Option<Remaining>,
    /// Tokens generated.
    pub(crate) output: Option<Remaining>,
}

impl RateHeaders {
    /// Reads `x-ratelimit-remaining-requests` with `x-ratelimit-reset-requests`, the same of tokens, and Anthropic's
    /// `anthropic-ratelimit-requests-remaining` with `-reset`, and the same of its three kinds of tokens. What is not
    /// understood is left out. `now` is the time that dates are compared with.
    pub(crate) fn read<'h>(header: impl Fn(&str) -> Option<&'h str>, now: SystemTime) -> Self {
        let left = |remaining: &str, reset: &str| {
            let count = header(remaining)?.trim().parse().ok()?;
            Some(Remaining { count, reset: until(header(reset)?.trim(), now)? })
        };
        let of = |kind: &str| {
            left(&format!("x-ratelimit-remaining-{kind}"), &format!("x-ratelimit-reset-{kind}")).or_else(|| {
                left(&format!("anthropic-ratelimit-{kind}-remaining"), &format!("anthropic-ratelimit-{kind}-reset"))
            })
        };
        Self { requests: of("requests"), tokens: of("tokens"), input: of("input-tokens"), output: of("output-tokens") }
    }
}

/// A time from now: seconds, a length such as `6m0s` or `85ms`, or a date.
fn until(text: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(date) = OffsetDateTime::parse(text, &Rfc3339) {
        return Some(SystemTime::from(date).duration_since(now).unwrap_or_default());
    }
    let mut sum = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let number = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (digits, behind) = rest.split_at(number);
        let unit = behind.find(|c: char| c.is_ascii_digit()).unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(unit);
        let micros = decimal(digits, 6, Rounding::Up)?;
        let part = match unit {
            "h" => Duration::from_micros(micros).checked_mul(3600)?,
            "m" => Duration::from_micros(micros).checked_mul(60)?,
            "s" | "" => Duration::from_micros(micros),
            "ms" => Duration::from_micros(micros.div_ceil(1000)),
            _ => return None,
        };
        sum = sum.checked_add(part)?;
        rest = behind;
    }
    (!text.is_empty()).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(headers: &[(&str, &str)]) -> RateHeaders {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let find = |name: &str| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        RateHeaders::read(find, now)
    }

    #[test]
    fn headers_of_several_providers_are_read() {
        let left = |count, millis| Some(Remaining { count, reset: Duration::from_millis(millis) });
        let openai = [
            ("x-ratelimit-remaining-requests", "0"),
            ("x-ratelimit-reset-requests", "8.64s"),
            ("x-ratelimit-remaining-tokens", "149984"),
            ("x-ratelimit-reset-tokens", "6m0s"),
        ];
        assert_eq!(
            read(&openai),
            RateHeaders { requests: left(0, 8640), tokens: left(149_984, 360_000), ..RateHeaders::default() }
        );
        let anthropic = [
            ("anthropic-ratelimit-requests-remaining", "4"),
            ("anthropic-ratelimit-requests-reset", "2023-11-14T22:13:30Z"),
            ("anthropic-ratelimit-input-tokens-remaining", "900"),
            ("anthropic-ratelimit-input-tokens-reset", "2023-11-14T22:13:21Z"),
            ("anthropic-ratelimit-output-tokens-remaining", "50"),
            ("anthropic-ratelimit-output-tokens-reset", "2023-11-14T22:13:25Z"),
        ];
        let expected =
            RateHeaders { requests: left(4, 10_000), tokens: None, input: left(900, 1000), output: left(50, 5000) };
        assert_eq!(read(&anthropic), expected);
        assert_eq!(read(&[]), RateHeaders::default());
        assert_eq!(
            read(&[("x-ratelimit-remaining-tokens", "5")]),
            RateHeaders::default(),
            "without a time it says nothing"
        );
    }

    #[test]
    fn times_are_read_or_left_out() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        for (text, millis) in [
            ("1s", Some(1000)),
            ("85ms", Some(85)),
            ("1h2m3.5s", Some(3_723_500)),
            ("7", Some(7000)),
            ("2023-11-14T22:13:19Z", Some(0)),
            ("", None),
            ("soon", None),
            ("1d", None),
            ("-1s", None),
            ("99999999999999999999h", None),
        ] {
            assert_eq!(until(text, now).map(|time| time.as_millis()), millis, "{text}");
        }
    }
}
