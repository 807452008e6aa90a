//! Getting a page, hop by hop.

use std::error::Error;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use graphloom_http::{innermost, unproxied};
use graphloom_text::{LONGEST_ADDRESS, canonical, has_credentials};
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Client, Response, Url, redirect};

use super::guard::{Guard, ResolveHost, SystemNames, check};
use super::{Page, PageError, PageOptions, read};
use crate::RetrievalError;
use crate::literature::text::shortened;

/// Fetches pages and gives their text.
///
/// Only `http` and `https` are spoken, only to the ports of [`PageOptions::ports`], and only to hosts none of whose
/// addresses is [forbidden](super::forbidden_address); every redirect is checked like the first address. No proxy is
/// used, because a proxy would look the host up itself. Cookies and credentials are never sent.
#[derive(Clone)]
pub struct Pages {
    guarded: Client,
    /// For exempt hosts, which may be anywhere.
    exempt: Client,
    options: Arc<PageOptions>,
}

impl Pages {
    /// Pages of the web, with the name service of this system.
    ///
    /// # Errors
    /// [`RetrievalError::NoClient`] when the system's certificates cannot be used.
    pub fn new(options: PageOptions) -> Result<Self, RetrievalError> {
        Self::with_names(options, Arc::new(SystemNames))
    }

    /// As [`new`](Self::new), with another name service.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_names(options: PageOptions, names: Arc<dyn ResolveHost>) -> Result<Self, RetrievalError> {
        let builder = || unproxied(&options.agent).redirect(redirect::Policy::none());
        let made = |client: Result<Client, reqwest::Error>| {
            client.map_err(|error| RetrievalError::NoClient {
                address: "pages of the web".to_owned(),
                reason: innermost(&error),
            })
        };
        let guarded = made(builder().dns_resolver(Arc::new(Guard { names })).build())?;
        let exempt = made(builder().pool_max_idle_per_host(0).build())?;
        Ok(Self { guarded, exempt, options: Arc::new(options) })
    }

    /// The page at `address`.
    ///
    /// # Errors
    /// [`PageError`] says why there is none.
    pub async fn fetch(&self, address: &str) -> Result<Page, PageError> {
        let deadline = self.options.deadline;
        let page = tokio::time::timeout(deadline, self.fetch_in_time(address));
        page.await.unwrap_or(Err(PageError::TimedOut { seconds: deadline.as_secs() }))
    }

    async fn fetch_in_time(&self, address: &str) -> Result<Page, PageError> {
        let mut url = parse(address)?;
        let mut notes = Vec::new();
        for _ in 0..=self.options.redirects {
            let response = self.get(&url).await?;
            if let Some(next) = next_hop(&url, &response)? {
                notes.push(format!("the page leads on to `{}`", shortened(next.as_str(), 200)));
                url = next;
                continue;
            }
            return self.read(url, response, notes).await;
        }
        Err(PageError::Redirects { most: self.options.redirects })
    }

    async fn get(&self, url: &Url) -> Result<Response, PageError> {
        graphloom_http::check(url).map_err(|error| PageError::Address { reason: error.to_string() })?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let port = url.port_or_known_default().unwrap_or_default();
        let is_exempt = self.options.exempt.contains(&format!("{host}:{port}"));
        if !is_exempt {
            if !self.options.ports.contains(&port) {
                return Err(PageError::Port { host, port });
            }
            // A host that is written as an address is not looked up, so the resolver never sees it.
            if let Ok(address) = host.trim_matches(['[', ']']).parse::<IpAddr>() {
                check(&host, address)?;
            }
        }
        let client = if is_exempt { &self.exempt } else { &self.guarded };
        let response = client
            .get(url.clone())
            .header(ACCEPT, "text/html, application/xhtml+xml, text/plain;q=0.9, text/markdown;q=0.9")
            .header(ACCEPT_ENCODING, "identity")
            .send()
            .await
            .map_err(|error| fault(&error))?;
        if !is_exempt && let Some(remote) = response.remote_addr() {
            // What is connected to is what was checked; this holds even if the client should change.
            check(&host, remote.ip())?;
        }
        Ok(response)
    }

    async fn read(&self, url: Url, mut response: Response, notes: Vec<String>) -> Result<Page, PageError> {
        match response.status().as_u16() {
            200 | 203 => {}
            status @ (408 | 425 | 429 | 500..) => return Err(PageError::Busy { status }),
            status => return Err(PageError::Refused { status }),
        }
        let header =
            |headers: &HeaderMap, name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let media_type = header(response.headers(), CONTENT_TYPE);
        if let Some(encoding) = header(response.headers(), CONTENT_ENCODING).filter(|name| name != "identity") {
            return Err(PageError::Encoded { encoding: shortened(&encoding, 40) });
        }
        if media_type.is_some() {
            // What is not read is not loaded either.
            read::format_of(media_type.as_deref(), &[])?;
        }
        let limit = self.options.longest_body;
        let too_large = PageError::TooLarge { limit };
        if response.content_length().is_some_and(|length| length > limit as u64) {
            return Err(too_large);
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| fault(&error))? {
            if body.len() + chunk.len() > limit {
                return Err(too_large);
            }
            body.extend_from_slice(&chunk);
        }
        let format = read::format_of(media_type.as_deref(), &body)?;
        let url = canonical(url.as_str()).unwrap_or_else(|| url.to_string());
        let extracted = tokio::task::spawn_blocking(move || {
            let declared = media_type.as_deref().and_then(read::charset_of);
            read::page(url, format, declared, &body, notes)
        });
        extracted.await.unwrap_or_else(|error| Err(PageError::Empty { reason: error.to_string() }))
    }
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("options", &self.options).finish_non_exhaustive()
    }
}

/// An address that can be that of a page.
fn parse(address: &str) -> Result<Url, PageError> {
    let refused = |reason: &str| PageError::Address { reason: reason.to_owned() };
    if address.len() > LONGEST_ADDRESS {
        return Err(refused("it is too long"));
    }
    let mut url = Url::parse(address.trim()).map_err(|error| refused(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refused("it begins with neither `http` nor `https`"));
    }
    if has_credentials(&url) {
        return Err(refused("it holds a name or a password"));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(refused("it names no host"));
    }
    url.set_fragment(None);
    Ok(url)
}

/// The address that an answer leads on to.
fn next_hop(from: &Url, response: &Response) -> Result<Option<Url>, PageError> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let Some(location) = location else {
        return Err(PageError::Refused { status: response.status().as_u16() });
    };
    let next = from.join(location).map_err(|error| PageError::Address { reason: error.to_string() })?;
    parse(next.as_str()).map(Some)
}

/// The guard's own reason when it is the cause, else what the system says.
fn fault(error: &reqwest::Error) -> PageError {
    let mut source: Option<&(dyn Error + 'static)> = error.source();
    while let Some(inner) = source {
        if let Some(own) = inner.downcast_ref::<PageError>() {
            return own.clone();
        }
        source = inner.source();
    }
    PageError::Down { reason: innermost(error) }
}
