//! How a request gets to a host and its answer back.

use async_trait::async_trait;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use crate::literature::Fault;

/// What a host is asked: an address to get, or JSON to post to it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request {
    /// The address.
    pub url: Url,
    /// The headers; those that hold a key are marked sensitive, so that they are not shown.
    pub headers: HeaderMap,
    /// What is posted as JSON; without it the address is got.
    pub body: Option<Value>,
}

impl Request {
    /// Gets an address.
    #[must_use]
    pub fn get(url: Url) -> Self {
        Self { url, headers: HeaderMap::new(), body: None }
    }

    /// Posts JSON to an address.
    #[must_use]
    pub fn post(url: Url, body: Value) -> Self {
        Self { url, headers: HeaderMap::new(), body: Some(body) }
    }

    /// Adds a header that holds a key. One that cannot stand in a header is left out.
    #[must_use]
    pub fn secret(mut self, name: &'static str, value: &str) -> Self {
        if let Ok(mut value) = HeaderValue::from_str(value) {
            value.set_sensitive(true);
            self.headers.insert(HeaderName::from_static(name), value);
        }
        self
    }

    /// What tells two requests apart; keys in headers are no part of it.
    pub(crate) fn identity(&self) -> String {
        match &self.body {
            Some(body) => format!("{} {body}", self.url),
            None => self.url.as_str().to_owned(),
        }
    }
}

/// An answer as it came, whatever its status.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Vec<u8>,
}

impl Reply {
    /// An answer.
    #[must_use]
    pub fn new(status: u16, headers: HeaderMap, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers, body: body.into() }
    }

    /// The value of a header, when it is text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok().map(str::trim)
    }

    /// The body as text; what is no UTF-8 is replaced.
    pub(crate) fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }
}

/// Something that can bring a request to a host.
#[async_trait]
pub trait Transport: Send + Sync + 'static {
    /// The answer, whatever its status.
    ///
    /// # Errors
    /// [`Fault::Down`] when there is none, [`Fault::TooLarge`] when it is too long. The message holds no address,
    /// because an address may hold a key.
    async fn send(&self, request: &Request) -> Result<Reply, Fault>;
}
