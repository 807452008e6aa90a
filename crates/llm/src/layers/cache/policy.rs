//! What is kept, for how long and how much of it, as written after `--cache=`.

use std::str::FromStr;
use std::time::Duration;

use super::super::budget::whole;
use crate::{ChatRequest, ChatResponse};

/// What a cache of answers keeps.
///
/// Written as `all,age=30d,size=500m`, in any order and all optional; ages in `s`, `m`, `h` or `d`, sizes in bytes, which may end
/// in `k` or `m`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CachePolicy {
    /// Whether answers are kept that another call of the same request might differ from; not unless asked for.
    pub all: bool,
    /// The longest time that an answer is kept; 30 days unless set.
    pub age: Duration,
    /// The most bytes of all answers together; 500 million unless set. The ones that were not used for the longest time go
    /// first.
    pub size: u64,
}

impl Default for CachePolicy {
    fn default() -> Self {
        Self { all: false, age: Duration::from_secs(30 * 86_400), size: 500_000_000 }
    }
}

impl CachePolicy {
    /// Whether the answer to a request is looked up and kept: when the request asks for the likeliest words
    /// (`temperature` 0) or has a seed, and the model takes that (`is_sampling_set`, see
    /// [`Capabilities::sampling`](crate::Capabilities)), else when everything is kept.
    pub fn takes(&self, request: &ChatRequest, is_sampling_set: bool) -> bool {
        let is_alike = request.params.temperature == Some(0.0) || request.params.seed.is_some();
        self.all || (is_alike && is_sampling_set)
    }
}

/// Whether an answer is whole. One that was cut off, was withheld or says nothing is never kept.
pub(super) fn is_whole(response: &ChatResponse) -> bool {
    let is_empty = response.tool_calls().next().is_none() && response.text().trim().is_empty();
    response.finish.is_whole() && !is_empty
}

/// Why a policy could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{part}` says nothing about a cache: {why}; write for instance `all,age=30d,size=500m`")]
pub struct CachePolicyError {
    /// The part that is wrong.
    pub part: String,
    /// What is wrong with the part.
    pub why: String,
}

impl FromStr for CachePolicy {
    type Err = CachePolicyError;

    fn from_str(text: &str) -> Result<Self, CachePolicyError> {
        let mut policy = Self::default();
        for part in text.split(',').map(str::trim).filter(|_| !text.trim().is_empty()) {
            let wrong = |why: &str| CachePolicyError { part: part.to_owned(), why: why.to_owned() };
            match part.split_once('=') {
                None if part == "all" => policy.all = true,
                Some(("age", value)) => {
                    policy.age = age(value).ok_or_else(|| wrong("it needs a time such as `12h` or `30d`"))?;
                }
                Some(("size", value)) => {
                    policy.size = whole(value).ok_or_else(|| wrong("it needs a number of bytes such as `500m`"))?;
                }
                _ => return Err(wrong("the parts are `all`, `age` and `size`")),
            }
        }
        Ok(policy)
    }
}

fn age(text: &str) -> Option<Duration> {
    let unit = text.chars().last()?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        _ => return None,
    };
    let count: u64 = text.strip_suffix(unit)?.parse().ok()?;
    Some(Duration::from_secs(count.checked_mul(seconds)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_are_read_or_say_why_not() {
        let days = |days: u64| Duration::from_secs(days * 86_400);
        let read = |text: &str| text.parse::<CachePolicy>().unwrap();
        assert_eq!(read(""), CachePolicy::default());
        assert_eq!(read("all, age=7d,size=20m"), CachePolicy { all: true, age: days(7), size: 20_000_000 });
        for (text, expected) in [
            ("everything", "the parts are `all`"),
            ("age=7", "it needs a time"),
            ("age=x d", "it needs a time"),
            ("size=big", "a number of bytes"),
            ("all,,", "the parts are `all`"),
        ] {
            let message = text.parse::<CachePolicy>().unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }

    #[test]
    fn only_requests_that_are_answered_alike_are_kept_unless_asked() {
        let request = |temperature, seed| {
            let mut request = ChatRequest::user("x");
            (request.params.temperature, request.params.seed) = (temperature, seed);
            request
        };
        let (policy, all) = (CachePolicy::default(), CachePolicy { all: true, ..CachePolicy::default() });
        assert!(policy.takes(&request(Some(0.0), None), true) && policy.takes(&request(Some(0.7), Some(1)), true));
        assert!(!policy.takes(&request(None, None), true) && !policy.takes(&request(Some(0.1), None), true));
        assert!(!policy.takes(&request(Some(0.0), Some(1)), false), "the model takes neither");
        assert!(all.takes(&request(None, None), true) && all.takes(&request(None, None), false));
    }
}
