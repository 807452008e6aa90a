//! Why there is no page.

use std::net::IpAddr;

use graphloom_http::gateway::{AnswerError, HostFault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// A page that was not read. The message is for the person; the caller names the page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum PageError {
    /// The address is none of a page.
    #[error("the address is none of a page ({reason}); give one such as `https://example.org/page`")]
    Address {
        /// What does not fit.
        reason: String,
    },
    /// The address, or one that it leads to, lies where pages of the web do not.
    #[error("`{host}` is at {address}, {network}, which is not asked; exempt the host if it is meant")]
    Private {
        /// The host.
        host: String,
        /// Its address.
        address: IpAddr,
        /// What lies there.
        network: String,
    },
    /// The port is not among those that may be asked.
    #[error("port {port} of `{host}` is not asked; exempt the host if it is meant")]
    Port {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
    /// The name of the host has no address.
    #[error("the host `{host}` is not known; check the address")]
    Unresolved {
        /// The host.
        host: String,
    },
    /// The host leads from address to address.
    #[error("the page leads on more than {most} times; check the address")]
    Redirects {
        /// The most redirects that are followed.
        most: usize,
    },
    /// The host does not give the page.
    #[error("the host refused the page (status {status}); it may be gone, or need a login")]
    Refused {
        /// The status.
        status: u16,
    },
    /// The host fails, or wants fewer requests.
    #[error("the host gave no page (status {status}); try again {}", when_in_words(until.as_ref()))]
    Busy {
        /// The status.
        status: u16,
        /// When the host may be asked again, when that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
    },
    /// The page is not of a kind that is read.
    #[error(
        "the page is `{media_type}`; HTML, plain text, Markdown, articles in JATS and, where a program has a reader for it, PDF are read"
    )]
    MediaType {
        /// What it is.
        media_type: String,
    },
    /// The body is compressed although that was not asked for.
    #[error("the page came compressed as `{encoding}` although that was not asked for; try again later")]
    Encoded {
        /// How it is compressed.
        encoding: String,
    },
    /// The body is larger than is read.
    #[error("the page has more than {limit} bytes, which were not read")]
    TooLarge {
        /// The bound in bytes.
        limit: usize,
    },
    /// No page came in time.
    #[error("the page did not come within {seconds} s; try again later")]
    TimedOut {
        /// How long was waited.
        seconds: u64,
    },
    /// The host cannot be reached.
    #[error("the host cannot be reached ({reason}); try again later")]
    Down {
        /// What happened.
        reason: String,
    },
    /// The host asks programs not to read the page.
    #[error("the `robots.txt` of `{host}` asks programs not to read the page; open it in a browser")]
    Robots {
        /// The host with its port.
        host: String,
    },
    /// Whether programs may read the page is not known.
    #[error("whether programs may read the page is not known, because the `robots.txt` of `{host}` {reason}")]
    RobotsUnknown {
        /// The host with its port.
        host: String,
        /// What became of the file.
        reason: String,
    },
    /// There is no text in it.
    #[error("the page has no text that can be read ({reason})")]
    Empty {
        /// What was found instead.
        reason: String,
    },
}

impl PageError {
    /// Whether the same page may be read later without a change by the user.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::Busy { .. }
                | Self::TimedOut { .. }
                | Self::Down { .. }
                | Self::Encoded { .. }
                | Self::Unresolved { .. }
                | Self::RobotsUnknown { .. }
        )
    }
}

fn when_in_words(until: Option<&Timestamp>) -> String {
    until.map_or_else(|| "later".to_owned(), |until| format!("after {until}"))
}

impl From<HostFault> for PageError {
    fn from(fault: HostFault) -> Self {
        match fault {
            HostFault::RateLimited { status, until } => Self::Busy { status, until: until.map(Timestamp::of) },
            HostFault::Failing { status } => Self::Busy { status, until: None },
            HostFault::BudgetSpent { until } => Self::Busy { status: 429, until: until.map(Timestamp::of) },
            HostFault::Refused { status, .. } => Self::Refused { status },
            HostFault::TooLarge { limit } => Self::TooLarge { limit },
            HostFault::TimedOut { seconds } => Self::TimedOut { seconds },
            HostFault::Private { host, address, network } => Self::Private { host, address, network },
            HostFault::Port { host, port } => Self::Port { host, port },
            HostFault::Unresolved { host } => Self::Unresolved { host },
            HostFault::Robots { host } => Self::Robots { host },
            HostFault::RobotsUnknown { host, reason } => Self::RobotsUnknown { host, reason },
            fault @ HostFault::Offline { .. } => Self::Address { reason: fault.to_string() },
            HostFault::Down { reason } => Self::Down { reason },
            other => Self::Down { reason: other.to_string() },
        }
    }
}

/// What is wrong with a page says nothing of its host: faults of hosts come from the gateway.
impl AnswerError for PageError {
    fn host_fault(&self) -> Option<HostFault> {
        match self {
            Self::Busy { status, until } if until.is_some() || *status == 429 => {
                Some(HostFault::RateLimited { until: until.map(Into::into), status: *status })
            }
            Self::Busy { status, .. } => Some(HostFault::Failing { status: *status }),
            Self::TimedOut { seconds } => Some(HostFault::TimedOut { seconds: *seconds }),
            Self::Down { reason } => Some(HostFault::Down { reason: reason.clone() }),
            _ => None,
        }
    }
}
