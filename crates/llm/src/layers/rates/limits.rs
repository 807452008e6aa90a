//! How many requests and tokens a minute, as written after `--rate`.

use std::str::FromStr;

use super::super::budget::whole;

/// What a server gets in a minute; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateLimit {
    /// Requests in any 60 seconds.
    pub requests: Option<u64>,
    /// Tokens in any 60 seconds, read and generated.
    pub tokens: Option<u64>,
}

/// The limits of one host, or of every host that has none of its own.
///
/// Written as `requests=N,tokens=N`, in any order and each optional, and with `@HOST` or `@HOST:PORT` behind it for one host.
/// Numbers may end in `k` or `m`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRateLimit {
    /// The host; `None` for every host that has no limits of its own.
    pub host: Option<String>,
    /// The limits.
    pub limit: RateLimit,
}

/// Why limits could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{part}` is no limit of a minute: {why}; write for instance `requests=60,tokens=100k` or `requests=50@HOST`")]
pub struct RateLimitError {
    /// The part that is wrong.
    pub part: String,
    /// What is wrong with the part.
    pub why: String,
}

impl FromStr for HostRateLimit {
    type Err = RateLimitError;

    fn from_str(text: &str) -> Result<Self, RateLimitError> {
        let (limits, host) = match text.split_once('@') {
            Some((limits, host)) => (limits, Some(host.trim().to_ascii_lowercase())),
            None => (text, None),
        };
        let wrong = |part: &str, why: &str| RateLimitError { part: part.to_owned(), why: why.to_owned() };
        let is_host = |host: &String| !host.is_empty() && !host.contains(['/', ' ', ',', '=']);
        if host.as_ref().is_some_and(|host| !is_host(host)) {
            return Err(wrong(text, "`HOST` or `HOST:PORT` must follow `@`"));
        }
        let mut limit = RateLimit::default();
        for part in limits.split(',') {
            let part = part.trim();
            let (name, value) = part.split_once('=').ok_or_else(|| wrong(part, "it has no `=`"))?;
            let count = whole(value.trim()).filter(|count| *count > 0);
            let count = count.ok_or_else(|| wrong(part, "it needs a whole number of at least 1"))?;
            let given = match name.trim() {
                "requests" => limit.requests.replace(count),
                "tokens" => limit.tokens.replace(count),
                _ => return Err(wrong(part, "the parts are `requests` and `tokens`")),
            };
            if given.is_some() {
                return Err(wrong(part, "it is given twice"));
            }
        }
        Ok(Self { host, limit })
    }
}

/// The limits of a host: its own, else those of every host. Several entries of one host are one, where the last one that
/// states a limit counts.
pub fn limit_of(limits: &[HostRateLimit], host: &str) -> RateLimit {
    let of = |host: Option<&str>| {
        let entries = limits.iter().filter(|entry| entry.host.as_deref() == host).map(|entry| entry.limit);
        entries.reduce(|sum, next| RateLimit {
            requests: next.requests.or(sum.requests),
            tokens: next.tokens.or(sum.tokens),
        })
    };
    of(Some(host)).or_else(|| of(None)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_and_a_host_s_own_count_first() {
        let read = |text: &str| text.parse::<HostRateLimit>().unwrap();
        let limits =
            [read("requests=60, tokens=100k"), read("tokens=1m@API.example"), read("requests=5@127.0.0.1:8080")];
        let limit = |requests, tokens| RateLimit { requests, tokens };
        assert_eq!(limit_of(&limits, "api.example"), limit(None, Some(1_000_000)));
        assert_eq!(limit_of(&limits, "127.0.0.1:8080"), limit(Some(5), None));
        assert_eq!(limit_of(&limits, "127.0.0.1:8081"), limit(Some(60), Some(100_000)));
        assert_eq!(limit_of(&limits[1..], "other"), RateLimit::default());
        let several = ["requests=60", "tokens=100k", "requests=5@h", "tokens=9@h", "requests=6@h"].map(read);
        assert_eq!(limit_of(&several, "other"), limit(Some(60), Some(100_000)));
        assert_eq!(limit_of(&several, "h"), limit(Some(6), Some(9)));
    }

    #[test]
    fn wrong_limits_say_why() {
        for (text, expected) in [
            ("", "it has no `=`"),
            ("requests=0", "at least 1"),
            ("requests=x", "at least 1"),
            ("calls=5", "the parts are `requests` and `tokens`"),
            ("requests=5,requests=6", "it is given twice"),
            ("requests=5@", "must follow `@`"),
            ("requests=5@https://h/", "must follow `@`"),
        ] {
            let message = text.parse::<HostRateLimit>().unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
