//! How a request gets to a host and its answer back.

use std::borrow::Cow;

use async_trait::async_trait;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Response, Url};
use serde_json::Value;

use super::HostFault;
use super::guard::cause;

/// What a host is asked: an address to get, or something to post to it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request {
    /// The address.
    pub url: Url,
    /// The headers; those that hold a key are marked sensitive, so that they are not shown.
    pub headers: HeaderMap,
    /// What is posted as JSON; without it the address is got.
    pub body: Option<Value>,
    /// Says of status and headers whether the body is read; an answer without it has an empty one. Every body is read
    /// unless set.
    pub wants: Option<fn(u16, &HeaderMap) -> bool>,
    /// The most bytes that are read of the body, the rest being left out. Unless set, a body that is longer than the
    /// transport reads is refused.
    pub cut_at: Option<usize>,
}

impl Request {
    /// Gets an address.
    #[must_use]
    pub fn get(url: Url) -> Self {
        Self { url, headers: HeaderMap::new(), body: None, wants: None, cut_at: None }
    }

    /// Posts JSON to an address.
    #[must_use]
    pub fn post(url: Url, body: Value) -> Self {
        Self { body: Some(body), ..Self::get(url) }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.insert(name, HeaderValue::from_static(value));
        self
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

    /// Reads the body only of an answer that `wants` takes by its status and headers.
    #[must_use]
    pub fn body_if(mut self, wants: fn(u16, &HeaderMap) -> bool) -> Self {
        self.wants = Some(wants);
        self
    }

    /// What tells two requests apart; keys in headers are no part of it.
    pub(super) fn identity(&self) -> String {
        match &self.body {
            Some(body) => format!("{} {body}", self.url),
            None => self.url.as_str().to_owned(),
        }
    }

    /// The same as the call of a client.
    pub(super) fn with(&self, client: &reqwest::Client) -> RequestBuilder {
        let call = match &self.body {
            None => client.get(self.url.clone()),
            Some(body) => client
                .post(self.url.clone())
                .header(reqwest::header::CONTENT_TYPE, "application/json")
                .body(body.to_string()),
        };
        call.headers(self.headers.clone())
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
    /// The whole body, unless the request wanted less.
    pub body: Vec<u8>,
}

impl Reply {
    /// An answer.
    #[must_use]
    pub fn new(status: u16, headers: HeaderMap, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers, body: body.into() }
    }

    /// The value of a header, when it is text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok().map(str::trim)
    }

    /// The body as text; what is no UTF-8 is replaced.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }

    /// Reads an answer as `request` wants it, and never more than `longest` bytes.
    pub(super) async fn of(mut response: Response, request: &Request, longest: usize) -> Result<Self, HostFault> {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let mut reply = Self { status, headers, body: Vec::new() };
        if request.wants.is_some_and(|wants| !wants(status, &reply.headers)) {
            return Ok(reply);
        }
        let limit = request.cut_at.unwrap_or(longest);
        let is_cut = request.cut_at.is_some();
        if !is_cut && response.content_length().is_some_and(|length| length > limit as u64) {
            return Err(HostFault::TooLarge { limit });
        }
        while let Some(chunk) = response.chunk().await.map_err(|error| cause(&error))? {
            let room = limit - reply.body.len();
            if chunk.len() <= room {
                reply.body.extend_from_slice(&chunk);
            } else if is_cut {
                reply.body.extend_from_slice(&chunk[..room]);
                break;
            } else {
                return Err(HostFault::TooLarge { limit });
            }
        }
        Ok(reply)
    }
}

/// Something that can bring a request to a host.
#[async_trait]
pub trait Transport: Send + Sync + 'static {
    /// The answer, whatever its status.
    ///
    /// # Errors
    /// [`HostFault::Down`] when there is none, [`HostFault::TooLarge`] when it is too long, and what keeps a host from
    /// being asked. The message holds no address, because an address may hold a key.
    async fn send(&self, request: &Request) -> Result<Reply, HostFault>;
}
