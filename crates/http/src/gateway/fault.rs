//! Why a host gave no answer, by what can be done about it.

use std::fmt;
use std::net::IpAddr;
use std::time::{Duration, SystemTime};

/// Why a host gave no answer. The message is for the person; the caller names the host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostFault {
    /// The host asked for fewer requests.
    #[error("asked for a pause{}; try again after it", until_in_words(*until))]
    RateLimited {
        /// When it may be asked again, when that is known.
        until: Option<SystemTime>,
        /// The status of the answer.
        status: u16,
    },
    /// The daily budget that the host grants is used up.
    #[error("has no budget left for today{}", until_in_words(*until))]
    BudgetSpent {
        /// When there is a new budget, when that is known.
        until: Option<SystemTime>,
    },
    /// The host fails.
    #[error("is down (status {status}); try again later")]
    Failing {
        /// The status of the answer.
        status: u16,
    },
    /// The host cannot be reached.
    #[error("is down ({reason}); try again later")]
    Down {
        /// What happened.
        reason: String,
    },
    /// The host does not want the request, or not from this program.
    #[error("refused the request (status {status})")]
    Refused {
        /// The status of the answer.
        status: u16,
        /// The beginning of the body as it came, which may be markup.
        body: String,
    },
    /// The body is larger than is read.
    #[error("sent more than {limit} bytes, which were not read")]
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
    /// The program is offline, and the host is not on this machine.
    #[error(
        "`{host}` is not asked, because the program runs with `--offline`; leave that out, or use what is on this machine"
    )]
    Offline {
        /// The host with its port.
        host: String,
    },
    /// The host lies where hosts of the web do not.
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
    /// The host asks programs not to read the address.
    #[error("the `robots.txt` of `{host}` asks programs not to read it; open it in a browser")]
    Robots {
        /// The host with its port.
        host: String,
    },
    /// Whether programs may read the address is not known.
    #[error("whether programs may read it is not known, because the `robots.txt` of `{host}` {reason}")]
    RobotsUnknown {
        /// The host with its port.
        host: String,
        /// What became of the file.
        reason: String,
    },
}

impl HostFault {
    /// Whether the same request may get an answer later without a change by the user.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::RateLimited { .. }
                | Self::BudgetSpent { .. }
                | Self::Failing { .. }
                | Self::Down { .. }
                | Self::TimedOut { .. }
                | Self::Unresolved { .. }
                | Self::RobotsUnknown { .. }
        )
    }
}

/// As an HTTP date; dates that the form has no year for are its last one.
fn until_in_words(until: Option<SystemTime>) -> String {
    let last = SystemTime::UNIX_EPOCH + Duration::from_secs(253_402_300_799);
    until.map_or_else(String::new, |until| format!(" until {}", httpdate::fmt_http_date(until.min(last))))
}

/// The error of who reads the answers of hosts. It takes up what a host does, and says what its own reasons say of the
/// host.
pub trait AnswerError: From<HostFault> + fmt::Display {
    /// What it says of the host; nothing when it is about this one answer.
    fn host_fault(&self) -> Option<HostFault>;

    /// Whether an answer that cannot be read may be whole the next time. It is then asked for once more.
    fn may_pass(&self) -> bool {
        false
    }
}

impl AnswerError for HostFault {
    fn host_fault(&self) -> Option<HostFault> {
        Some(self.clone())
    }
}

/// How often a request may be sent in all, at most `most` times.
pub(super) fn tries(error: &impl AnswerError, most: u32) -> u32 {
    match error.host_fault() {
        Some(HostFault::RateLimited { .. } | HostFault::Failing { .. } | HostFault::Down { .. }) => most,
        // What takes too long, or cannot be read, is mostly the same the next time.
        Some(HostFault::TimedOut { .. }) => most.min(2),
        None if error.may_pass() => most.min(2),
        _ => 1,
    }
}
