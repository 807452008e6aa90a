//! How a server is asked.

use std::fmt;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::ClientError;

/// How a server is asked. The default suits a server without a key.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// Tries of one request in all; 5 unless set. What is tried again is said at [`Client`](crate::Client).
    pub tries: u32,
    /// How often in a row a stream that broke off is opened again without a new event; 6 unless set.
    pub reconnects: u32,
    /// The pause after the first failed try, doubled after each further one, up to 8 s; 250 ms unless set. Each pause is
    /// shortened by chance to between a half and the whole.
    pub first_pause: Duration,
    /// The longest pause that a server can ask for with `Retry-After` and be waited for; 60 s unless set.
    pub patience: Duration,
    /// The longest wait for an ordinary answer; 60 s unless set. It binds neither streams nor calls that wait for a run.
    pub timeout: Duration,
    /// How long an open stream may bring no byte before it is taken as broken; 60 s unless set. Servers send a sign of life
    /// every few seconds, the LangGraph server every five.
    pub silence: Duration,
    /// How long a connection that breaks off must have stood for it to count as a success, although it brought nothing new;
    /// 10 s unless set. A run may be silent for long behind a proxy that cuts connections.
    pub standing: Duration,
    /// The most bytes of one answer or of one event; 256 MiB unless set.
    pub longest_body: usize,
    pub(crate) key: Option<HeaderValue>,
    pub(crate) headers: HeaderMap,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tries: 5,
            reconnects: 6,
            first_pause: Duration::from_millis(250),
            patience: Duration::from_secs(60),
            timeout: Duration::from_secs(60),
            silence: Duration::from_secs(60),
            standing: Duration::from_secs(10),
            longest_body: 256 * 1024 * 1024,
            key: None,
            headers: HeaderMap::new(),
        }
    }
}

impl Options {
    /// The same with a key, sent as `x-api-key` to this server alone. It is never printed.
    ///
    /// # Errors
    /// [`ClientError::Header`] for a key that no header can carry.
    pub fn key(mut self, key: &str) -> Result<Self, ClientError> {
        let mut value = HeaderValue::from_str(key.trim()).map_err(|_| header("x-api-key"))?;
        value.set_sensitive(true);
        self.key = Some(value);
        Ok(self)
    }

    /// The same with a header of one's own, such as `authorization` for a server behind a gateway. Values are never
    /// printed, and are kept to as a key is.
    ///
    /// # Errors
    /// [`ClientError::Header`] for a name or a value that no header can have.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, ClientError> {
        let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| header(name))?;
        let mut value = HeaderValue::from_str(value).map_err(|_| header(name))?;
        value.set_sensitive(true);
        self.headers.insert(parsed, value);
        Ok(self)
    }

    pub(crate) fn is_secret(&self) -> bool {
        self.key.is_some() || !self.headers.is_empty()
    }
}

fn header(name: &str) -> ClientError {
    ClientError::Header { name: name.to_owned() }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("tries", &self.tries)
            .field("reconnects", &self.reconnects)
            .field("timeout", &self.timeout)
            .field("silence", &self.silence)
            .field("has_key", &self.key.is_some())
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
