//! How a request gets to a host and its answer back.

use async_trait::async_trait;
use reqwest::Url;
use reqwest::header::HeaderMap;

use crate::literature::Fault;

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

/// Something that can get an address.
#[async_trait]
pub trait Transport: Send + Sync + 'static {
    /// The answer, whatever its status.
    ///
    /// # Errors
    /// [`Fault::Down`] when there is none, [`Fault::TooLarge`] when it is too long. The message holds no address,
    /// because an address may hold a key.
    async fn get(&self, url: &Url) -> Result<Reply, Fault>;
}
