//! What the server asks of those who call it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use super::json::MAX_JSON_DEPTH;
use super::keys::Keys;
use super::origin::AllowedOrigins;

/// Who may call the server, from where, and how much.
///
/// The default is safe: loopback, no page of a foreign site, limits that no honest client meets. An address that others can
/// reach needs [`Keys`]; without them the server does not start.
///
/// ```
/// use graphloom_server::{Keys, Security};
///
/// let mut security = Security::at(([0, 0, 0, 0], 2024).into());
/// assert!(security.check().is_err(), "others can reach it, and no key is asked for");
/// security.keys = Keys::from_text("studio read,run v4ZbmJ1kQ0yT7uXc")?;
/// security.hosts.push("graphs.example.org".to_owned());
/// security.check()?;
/// # Ok::<(), graphloom_server::SecurityError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Security {
    /// Where the server listens: `127.0.0.1:2024` by default.
    pub address: SocketAddr,
    /// The keys of clients. On loopback none are needed; where there are some, every request needs one.
    pub keys: Keys,
    /// Names under which the server may be addressed, beside those of this machine and its address. A `Host` that is none
    /// of them is refused: a page of a foreign site whose name was made to point here has such a one (DNS rebinding).
    pub hosts: Vec<String>,
    /// The web pages that may call the server.
    pub cors: Cors,
    /// How much a client may ask.
    pub limits: Limits,
}

/// The web pages that may call the server, beside those of its own origin.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Cors {
    /// Their origins.
    pub origins: AllowedOrigins,
    /// Whether pages of the public web among them may call a server on a private network or on this machine (Private
    /// Network Access): LangGraph Studio needs it. Off by default.
    pub private_network: bool,
}

/// How much a client may ask. Each limit is one for the whole server unless it says otherwise.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of a body; 64 MiB. 413.
    pub body: usize,
    /// Arrays and objects within each other stay below it; 100, which is also the greatest that counts. 422.
    pub json_depth: usize,
    /// Bytes of a query; 16 KiB. 414.
    pub query: usize,
    /// Headers of a request; 100. 431.
    pub headers: usize,
    /// Bytes of all headers with the request line; 32 KiB, and not under 8 KiB. 431.
    pub header_bytes: usize,
    /// How long the headers of a request may take, and how long a connection may wait for the next request; 30 s. The
    /// connection is closed.
    pub header_time: Duration,
    /// Requests a minute of one key, or of one address where no key is known; at most a tenth of a minute's at once. No
    /// limit on loopback, 6,000 elsewhere. 429.
    pub requests_a_minute: Option<NonZeroU32>,
    /// Connections at a time; 10,000. More wait until one is closed.
    pub connections: usize,
    /// Runs that are executed at a time; 1,000. 429.
    pub runs: usize,
    /// Streams that are open at a time; 5,000. 503.
    pub streams: usize,
    /// How long a client may send nothing of a body that it began, 408, or take nothing of what is sent to it, then the
    /// connection is closed; 60 s.
    pub stalled: Duration,
    /// How long the server waits for open requests when it stops; 30 s.
    pub drain: Duration,
}

impl Security {
    /// The settings for an address.
    pub fn at(address: SocketAddr) -> Self {
        let mut limits = Limits::default();
        if !address.ip().is_loopback() {
            limits.requests_a_minute = NonZeroU32::new(6_000);
        }
        Self { address, keys: Keys::default(), hosts: Vec::new(), cors: Cors::default(), limits }
    }

    /// Whether a server may start like this.
    ///
    /// # Errors
    /// [`SecurityError::NoKeys`] for an address that others can reach, without keys.
    pub fn check(&self) -> Result<(), SecurityError> {
        if self.address.ip().is_loopback() || !self.keys.is_empty() {
            return Ok(());
        }
        Err(SecurityError::NoKeys { address: self.address })
    }
}

impl From<SocketAddr> for Security {
    fn from(address: SocketAddr) -> Self {
        Self::at(address)
    }
}

impl Default for Security {
    fn default() -> Self {
        Self::at(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 2024))
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 64 << 20,
            json_depth: MAX_JSON_DEPTH,
            query: 16 << 10,
            headers: 100,
            header_bytes: 32 << 10,
            header_time: Duration::from_secs(30),
            requests_a_minute: None,
            connections: 10_000,
            runs: 1_000,
            streams: 5_000,
            stalled: Duration::from_secs(60),
            drain: Duration::from_secs(30),
        }
    }
}

/// Settings with which no server starts.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SecurityError {
    /// Others can reach the address, and no key is asked of them.
    #[error(
        "others can reach `{address}`, so it needs keys: give a file of them with `--api-key-file`, or listen on `127.0.0.1`"
    )]
    NoKeys {
        /// The address.
        address: SocketAddr,
    },
    /// The file of keys cannot be used.
    #[error("the file of keys `{}` cannot be used: {reason}", path.display())]
    KeyFile {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A line of the file of keys is wrong.
    #[error("line {line} of the keys is wrong: {reason}")]
    KeyLine {
        /// Its number, from 1.
        line: usize,
        /// Why, without the key.
        reason: String,
    },
    /// An origin is not written as browsers write one.
    #[error(
        "`{origin}` is no origin: write `https://pages.example.org`, `http://localhost:3000` or `http://localhost:*`"
    )]
    Origin {
        /// What was given.
        origin: String,
    },
}
