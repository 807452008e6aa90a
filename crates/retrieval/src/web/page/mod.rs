//! The text of a page, fetched without reaching into private networks.

mod error;
mod fetch;
mod pdf;
mod read;

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use error::PageError;
pub use fetch::Pages;
pub use graphloom_http::gateway::{ResolveHost, forbidden_address};
#[cfg(feature = "pdf")]
pub use pdf::PdfFiles;
pub use pdf::{PdfText, ReadPdf};

use crate::{Evidence, Source};

/// A page as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Page {
    /// The address at the end of all redirects, in its [canonical](super::canonical) form.
    pub url: String,
    /// The title.
    pub title: String,
    /// The readable text, with its headings as lines of Markdown.
    pub text: String,
    /// BLAKE3, in hexadecimal, of the body as it came.
    pub content_hash: String,
    /// What a person may want to know: redirects, text that was cut or could not be decoded.
    pub notes: Vec<String>,
    /// What of a file could not be read, such as pages without text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<String>,
}

impl Page {
    /// The page as a record that a text can cite. The id is made of address and text.
    #[must_use]
    pub fn evidence(&self) -> Evidence {
        let path = self.url.split_once("://").map_or(self.url.as_str(), |(_, rest)| rest);
        let id = crate::evidence_id::evidence_id(path, &self.text, 0);
        let source = Source::Web { url: self.url.clone() };
        let mut evidence = Evidence::new(id, source, self.title.clone(), self.text.clone());
        evidence.content_hash.clone_from(&self.content_hash);
        evidence
    }
}

/// What [`Pages`] may fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageOptions {
    /// The program, as the hosts see it; `graphloom/VERSION` unless set.
    pub agent: String,
    /// The most bytes of a body; 4 MiB unless set.
    pub longest_body: usize,
    /// The longest wait for a page with all its redirects; 30 s unless set.
    pub deadline: Duration,
    /// The most redirects that are followed; 5 unless set.
    pub redirects: usize,
    /// The ports that may be asked; 80 and 443 unless set.
    pub ports: Vec<u16>,
    /// Whether the `robots.txt` of a host is obeyed; so unless set.
    pub robots: bool,
    /// Hosts, with their ports, that may be asked wherever they are: `127.0.0.1:8080` for a server of one's own. Nothing
    /// is exempt unless set.
    pub exempt: Vec<String>,
}

impl Default for PageOptions {
    fn default() -> Self {
        Self {
            agent: concat!("graphloom/", env!("CARGO_PKG_VERSION")).to_owned(),
            longest_body: 4 * 1024 * 1024,
            deadline: Duration::from_secs(30),
            redirects: 5,
            ports: vec![80, 443],
            robots: true,
            exempt: Vec::new(),
        }
    }
}

impl PageOptions {
    /// Lets a host be asked wherever it is, such as `127.0.0.1:8080`.
    #[must_use]
    pub fn exempt(mut self, host_and_port: &str) -> Self {
        self.exempt.push(host_and_port.to_ascii_lowercase());
        self
    }
}
