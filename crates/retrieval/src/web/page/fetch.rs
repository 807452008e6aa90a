//! Getting a page, hop by hop.

use std::fmt;
use std::sync::{Arc, LazyLock};

use graphloom_http::gateway::{OpenWeb, OpenWebOptions, Reply, Request, ResolveHost, SystemNames};
use graphloom_text::{LONGEST_ADDRESS, canonical, has_credentials};
use reqwest::Url;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, LOCATION};
use tokio::sync::Semaphore;

use super::read::Body;
use super::{Page, PageError, PageOptions, ReadPdf, read};
use crate::RetrievalError;
use crate::literature::text::shortened;

/// Fetches pages and gives their text.
///
/// Only `http` and `https` are spoken, only to the ports of [`PageOptions::ports`], and only to hosts none of whose
/// addresses is [forbidden](super::forbidden_address); every redirect is checked like the first address. No proxy is
/// used, because a proxy would look the host up itself. Cookies and credentials are never sent. What the `robots.txt` of a
/// host keeps from programs is not asked for, and a host is asked at its own pace, see [`OpenWeb`].
#[derive(Clone)]
pub struct Pages {
    web: Arc<OpenWeb>,
    options: Arc<PageOptions>,
    pdf: Option<Arc<dyn ReadPdf>>,
}

/// What a host answers.
enum Hop {
    Next(Url),
    Body { media_type: Option<String>, body: Vec<u8> },
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
        let mut web = OpenWebOptions::new(&options.agent);
        web.ports.clone_from(&options.ports);
        web.exempt.clone_from(&options.exempt);
        web.robots = options.robots;
        web.politeness.longest_body = options.longest_body;
        Ok(Self { web: Arc::new(OpenWeb::new(web, names)?), options: Arc::new(options), pdf: None })
    }

    /// Also reads pages that are PDF, with `reader`.
    #[must_use]
    pub fn with_pdf(mut self, reader: Arc<dyn ReadPdf>) -> Self {
        self.pdf = Some(reader);
        self
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
            let request = Request::get(url.clone())
                .header(
                    ACCEPT,
                    match self.pdf {
                        None => "text/html, application/xhtml+xml, text/plain;q=0.9, text/markdown;q=0.9, application/xml;q=0.8",
                        Some(_) => {
                            "text/html, application/xhtml+xml, text/plain;q=0.9, text/markdown;q=0.9, application/xml;q=0.8, \
                             application/pdf;q=0.7"
                        }
                    },
                )
                .header(ACCEPT_ENCODING, "identity")
                .body_if(if self.pdf.is_some() { is_wanted_with_pdf } else { is_wanted });
            match self.web.ask(&request, |reply| hop(&url, reply, self.pdf.is_some())).await?.value {
                Hop::Next(next) => {
                    notes.push(format!("the page leads on to `{}`", shortened(next.as_str(), 200)));
                    url = next;
                }
                Hop::Body { media_type, body } => return page(url, media_type, body, self.pdf.clone(), notes).await,
            }
        }
        Err(PageError::Redirects { most: self.options.redirects })
    }
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("options", &self.options).finish_non_exhaustive()
    }
}

fn text_of(headers: &HeaderMap, name: &reqwest::header::HeaderName) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// What is not read is not loaded either.
fn is_wanted(status: u16, headers: &HeaderMap) -> bool {
    wants(status, headers, false)
}

fn is_wanted_with_pdf(status: u16, headers: &HeaderMap) -> bool {
    wants(status, headers, true)
}

fn wants(status: u16, headers: &HeaderMap, reads_pdf: bool) -> bool {
    let media_type = text_of(headers, &CONTENT_TYPE);
    matches!(status, 200 | 203)
        && text_of(headers, &CONTENT_ENCODING).is_none_or(|encoding| encoding == "identity")
        && media_type.is_none_or(|kind| read::format_of(Some(&kind), &[], reads_pdf).is_ok())
}

/// What an answer from `url` is.
fn hop(url: &Url, reply: &Reply, reads_pdf: bool) -> Result<Hop, PageError> {
    match reply.status {
        200 | 203 => {}
        status @ (301 | 302 | 303 | 307 | 308) => {
            let location = reply.header(LOCATION.as_str()).ok_or(PageError::Refused { status })?;
            let next = url.join(location).map_err(|error| PageError::Address { reason: error.to_string() })?;
            return parse(next.as_str()).map(Hop::Next);
        }
        status => return Err(PageError::Refused { status }),
    }
    let media_type = text_of(&reply.headers, &CONTENT_TYPE);
    if let Some(encoding) = text_of(&reply.headers, &CONTENT_ENCODING).filter(|name| name != "identity") {
        return Err(PageError::Encoded { encoding: shortened(&encoding, 40) });
    }
    read::format_of(media_type.as_deref(), &reply.body, reads_pdf)?;
    Ok(Hop::Body { media_type, body: reply.body.clone() })
}

/// PDF is read by as many at once as there are processors, whoever asks.
static READERS: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(std::thread::available_parallelism().map_or(1, usize::from)));

/// The page in a body.
async fn page(
    url: Url,
    media_type: Option<String>,
    body: Vec<u8>,
    pdf: Option<Arc<dyn ReadPdf>>,
    notes: Vec<String>,
) -> Result<Page, PageError> {
    let kind = read::format_of(media_type.as_deref(), &body, pdf.is_some())?;
    let url = canonical(url.as_str()).unwrap_or_else(|| url.to_string());
    let turn = if kind == Body::Pdf { READERS.acquire().await.ok() } else { None };
    let extracted = tokio::task::spawn_blocking(move || {
        // Kept until the file is read, also where nobody waits for it any more.
        let _turn = turn;
        let declared = media_type.as_deref().and_then(read::charset_of);
        read::page(url, kind, declared, &body, pdf.as_deref(), notes)
    });
    extracted.await.unwrap_or_else(|error| Err(PageError::Empty { reason: error.to_string() }))
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
