//! Unpaywall, `GET /v2/DOI`: where a work is open.

use std::time::Duration;

use reqwest::Url;
use serde_json::Value;

use crate::RetrievalError;
use crate::literature::json::{body, link_at, list_at, text_at};
use crate::literature::text::shortened;
use crate::literature::{Contact, Doi, Fault, Gateway, Politeness, Reply, refusal};

/// A place at which a work is open.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenLocation {
    /// The page on which it can be read or found.
    pub page: Option<String>,
    /// The PDF.
    pub pdf: Option<String>,
}

impl OpenLocation {
    /// The addresses, that of the page first.
    #[must_use]
    pub fn into_addresses(self) -> Vec<String> {
        self.page.into_iter().chain(self.pdf).collect()
    }
}

/// Unpaywall, which knows where works with a DOI are open. It wants to know who asks.
#[derive(Clone, Debug)]
pub struct Unpaywall {
    gateway: Gateway,
    address: Url,
    contact: Contact,
}

impl Unpaywall {
    /// The host that Unpaywall serves.
    pub const ADDRESS: &'static str = "https://api.unpaywall.org";

    /// Unpaywall at its host, asked by `agent` for `contact`.
    ///
    /// # Errors
    /// [`RetrievalError::SourceAddress`], [`RetrievalError::Offline`] and [`RetrievalError::NoClient`].
    pub fn open(address: &str, agent: &str, contact: Contact) -> Result<Self, RetrievalError> {
        let refused = |reason: String| RetrievalError::SourceAddress {
            name: "unpaywall".to_owned(),
            given: address.to_owned(),
            reason,
        };
        let url = Url::parse(address).map_err(|error| refused(error.to_string()))?;
        // It allows 100,000 requests a day.
        let mut politeness = Politeness::paced(Duration::from_millis(200), 2);
        politeness = politeness.remembering(Duration::from_secs(24 * 3600)).trying(2);
        if graphloom_http::is_loopback(&url) {
            politeness = Politeness::none();
        }
        let gateway = Gateway::over_http(&url, agent, Some(contact.as_str()), politeness)?;
        Ok(Self { gateway, address: url, contact })
    }

    /// Where a work is open, the best place first. None for a work that is closed, or not known.
    ///
    /// # Errors
    /// The reason why there is no answer that can be used.
    pub async fn locations(&self, doi: &Doi) -> Result<Vec<OpenLocation>, Fault> {
        let mut url = self.address.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            // A DOI may hold anything, so it is one segment, in which only what must be is escaped.
            segments.pop_if_empty().push("v2").extend(doi.as_str().split('/'));
        }
        url.query_pairs_mut().append_pair("email", self.contact.as_str());
        match self.gateway.ask(&url, read).await {
            Ok(asked) => Ok(asked.value),
            Err(Fault::Refused { status: 404, .. }) => Ok(Vec::new()),
            Err(fault) => Err(fault),
        }
    }
}

fn read(reply: &Reply) -> Result<Vec<OpenLocation>, Fault> {
    let body = body(reply)?;
    let is_error = body.get("error").is_some_and(|error| !matches!(error, Value::Null | Value::Bool(false)));
    if reply.status != 200 || is_error {
        let reason = text_at(&body, "/message").unwrap_or_else(|| "no reason given".to_owned());
        return Err(refusal(reply.status, &shortened(&reason, 200)));
    }
    if body.get("doi").is_none() {
        return Err(Fault::Malformed { reason: "there is no part `doi`".to_owned() });
    }
    let best = body.get("best_oa_location").filter(|best| best.is_object());
    let mut locations: Vec<OpenLocation> = Vec::new();
    for item in best.into_iter().chain(list_at(&body, "/oa_locations")) {
        let found = location(item);
        if (found.page.is_some() || found.pdf.is_some()) && !locations.contains(&found) {
            locations.push(found);
        }
    }
    Ok(locations)
}

fn location(item: &Value) -> OpenLocation {
    let pdf = link_at(item, "/url_for_pdf");
    let page = link_at(item, "/url_for_landing_page")
        .or_else(|| link_at(item, "/url"))
        .filter(|url| Some(url) != pdf.as_ref());
    OpenLocation { page, pdf }
}
