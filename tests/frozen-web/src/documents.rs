//! The documents and their addresses.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use graphloom_retrieval::{Corpus, SearchOptions, Source};
use wiremock::{Request, Respond, ResponseTemplate};

/// Passages that are looked at for each page of an answer.
const PASSAGES: usize = 4;

pub(crate) struct Documents {
    corpus: Corpus,
    address: String,
    /// The files of the pages that were named in answers; no other file is served.
    named: Mutex<BTreeMap<String, PathBuf>>,
}

/// A page of an answer.
pub(crate) struct Found {
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) score: f32,
}

impl Documents {
    pub(crate) fn new(corpus: Corpus, address: String) -> Self {
        Self { corpus, address, named: Mutex::default() }
    }

    /// The documents with the best passages, each once with its passages.
    ///
    /// # Errors
    /// What the index says.
    pub(crate) fn search(&self, question: &str, limit: usize) -> Result<Vec<Found>, String> {
        let mut options = SearchOptions::default();
        options.limit = limit * PASSAGES;
        let hits = self.corpus.search(question, &options).map_err(|error| error.to_string())?;
        let mut pages: Vec<Found> = Vec::new();
        for hit in hits {
            let Source::Local { root, path } = &hit.evidence.source else { continue };
            let url = self.name(root, path);
            if let Some(page) = pages.iter_mut().find(|page| page.url == url) {
                page.text.push_str("\n\n");
                page.text.push_str(&hit.evidence.text);
            } else if pages.len() < limit {
                let (title, text) = (hit.evidence.title, hit.evidence.text);
                pages.push(Found { url, title, text, score: hit.score });
            }
        }
        Ok(pages)
    }

    /// The address of a file, which can be fetched from now on.
    fn name(&self, root: &str, path: &str) -> String {
        let mut route = String::from("/pages/");
        for c in path.chars() {
            match c {
                'a'..='z' | 'A'..='Z' | '0'..='9' | '/' | '.' | '-' | '_' => route.push(c),
                other => route.push_str(&format!("~{:x}~", u32::from(other))),
            }
        }
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        named.insert(route.clone(), Path::new(root).join(path));
        format!("{}{route}", self.address)
    }
}

/// Serves the pages that were named.
pub(crate) struct ServePage(pub(crate) Arc<Documents>);

impl Respond for ServePage {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let named = self.0.named.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = named.get(request.url.path()) else { return ResponseTemplate::new(404) };
        let media_type = match file.extension().and_then(|ending| ending.to_str()) {
            Some("html" | "htm" | "xhtml") => "text/html",
            Some("md" | "markdown") => "text/markdown; charset=utf-8",
            _ => "text/plain; charset=utf-8",
        };
        match std::fs::read(file) {
            Ok(body) => ResponseTemplate::new(200).set_body_raw(body, media_type),
            Err(_) => ResponseTemplate::new(410),
        }
    }
}
