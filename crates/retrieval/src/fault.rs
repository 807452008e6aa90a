//! Why a source gave no records.

use std::time::{Duration, SystemTime};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg(feature = "literature")]
use graphloom_http::gateway::{AnswerError, HostFault};

use crate::RetrievalError;
#[cfg(feature = "literature")]
use crate::literature::text::{plain, shortened};

/// The last second that the date format has a year for.
const LAST_DATE: u64 = 253_402_300_799;

/// A moment, in seconds since 1970 in UTC. It is shown as an HTTP date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// The second in which `time` lies.
    #[must_use]
    pub fn of(time: SystemTime) -> Self {
        Self(time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs())
    }
}

impl From<Timestamp> for SystemTime {
    fn from(moment: Timestamp) -> Self {
        let last = Duration::from_secs(LAST_DATE);
        Self::UNIX_EPOCH + Duration::from_secs(moment.0).min(last)
    }
}

impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&httpdate::fmt_http_date((*self).into()))
    }
}

/// Why a source gave no answer that can be used. The message is for the person; the caller names the source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fault {
    /// The host asked for fewer requests.
    #[error("asked for a pause{}; try again after it", until_in_words(until.as_ref()))]
    RateLimited {
        /// When it may be asked again, when that is known.
        until: Option<Timestamp>,
    },
    /// The daily budget that the host grants is used up.
    #[error("has no budget left for today{}; a key of its own, or a larger one, raises the budget", until_in_words(until.as_ref()))]
    BudgetSpent {
        /// When there is a new budget, when that is known.
        until: Option<Timestamp>,
    },
    /// The host cannot be reached, or it fails.
    #[error("is down ({reason}); try again later")]
    Down {
        /// What happened.
        reason: String,
    },
    /// The host does not want the request, or not from this program.
    #[error("refused the request (status {status}: {reason}); check the question, the contact address and the key")]
    Refused {
        /// The status of the answer.
        status: u16,
        /// What the host says.
        reason: String,
    },
    /// A web page came instead of data.
    #[error("answered with a web page instead of data (`{title}`); a proxy or a maintenance page may stand between")]
    Html {
        /// The title of the page.
        title: String,
    },
    /// The status is a success, and the body is an error.
    #[error("reported success (status {status}) but sent an error: {reason}")]
    Lied {
        /// The status of the answer.
        status: u16,
        /// What the body says.
        reason: String,
    },
    /// The body is cut short or of another form.
    #[error("sent data that cannot be read ({reason}); try again later")]
    Malformed {
        /// What does not fit.
        reason: String,
    },
    /// The body is larger than this program reads.
    #[error("sent more than {limit} bytes, which were not read; ask for fewer records")]
    TooLarge {
        /// The bound in bytes.
        limit: usize,
    },
    /// No answer came in time.
    #[error("did not answer within {seconds} s; try again later")]
    TimedOut {
        /// How long was waited.
        seconds: u64,
    },
    /// The question has nothing to ask for.
    #[error("was not asked, because the question has no words; name what the works are about")]
    NoWords,
    /// The limit of searches in a second left no turn in time.
    #[error(
        "was not asked, because the limit of searches in a second left no turn within {seconds} s; try again later, or allow more searches in a second"
    )]
    NoTurn {
        /// How long was waited, in all attempts.
        seconds: u64,
    },
    /// The source is not set up, or not of the web and cannot be used.
    #[error("cannot be searched ({reason})")]
    Unusable {
        /// Why.
        reason: String,
    },
    /// The recording that stands for the source has no such question.
    #[error("has no answer to this question in the recording; record the question first")]
    Unrecorded,
}

impl Fault {
    /// Whether the same question may get an answer later without a change by the user.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::RateLimited { .. }
            | Self::BudgetSpent { .. }
            | Self::Down { .. }
            | Self::TimedOut { .. }
            | Self::Malformed { .. }
            | Self::Html { .. }
            | Self::NoTurn { .. }
            | Self::Lied { .. } => true,
            Self::Refused { .. } | Self::TooLarge { .. } | Self::NoWords | Self::Unusable { .. } | Self::Unrecorded => {
                false
            }
        }
    }

    /// The fault of a corpus that could not be searched.
    pub(crate) fn of_index(error: &RetrievalError) -> Self {
        let reason = error.to_string();
        if error.is_retryable() { Self::Down { reason } } else { Self::Unusable { reason } }
    }

    /// Whether the engine wants fewer questions, or its budget of questions is used up.
    #[must_use]
    pub fn is_rate_limit(&self) -> bool {
        matches!(self, Self::RateLimited { .. } | Self::BudgetSpent { .. } | Self::NoTurn { .. })
    }
}

#[cfg(feature = "literature")]
impl From<HostFault> for Fault {
    fn from(fault: HostFault) -> Self {
        match fault {
            HostFault::RateLimited { until, .. } => Self::RateLimited { until: until.map(Timestamp::of) },
            HostFault::BudgetSpent { until } => Self::BudgetSpent { until: until.map(Timestamp::of) },
            HostFault::Failing { status } => Self::Down { reason: format!("status {status}") },
            HostFault::Down { reason } => Self::Down { reason },
            HostFault::Refused { status, body } => {
                let words = shortened(&plain(&body), 160);
                Self::Refused { status, reason: if words.is_empty() { "no reason given".to_owned() } else { words } }
            }
            HostFault::TooLarge { limit } => Self::TooLarge { limit },
            HostFault::TimedOut { seconds } => Self::TimedOut { seconds },
            other if other.is_retryable() => Self::Down { reason: other.to_string() },
            other => Self::Unusable { reason: other.to_string() },
        }
    }
}

#[cfg(feature = "literature")]
impl AnswerError for Fault {
    fn host_fault(&self) -> Option<HostFault> {
        Some(match self {
            Self::RateLimited { until } => HostFault::RateLimited { until: until.map(Into::into), status: 429 },
            Self::BudgetSpent { until } => HostFault::BudgetSpent { until: until.map(Into::into) },
            Self::Down { reason } => HostFault::Down { reason: reason.clone() },
            Self::TimedOut { seconds } => HostFault::TimedOut { seconds: *seconds },
            _ => return None,
        })
    }

    fn may_pass(&self) -> bool {
        matches!(self, Self::Malformed { .. })
    }
}

fn until_in_words(until: Option<&Timestamp>) -> String {
    until.map_or_else(String::new, |until| format!(" until {until}"))
}
