//! What a search for one query found, as documents.

use std::collections::BTreeSet;

use graphloom_retrieval::{EngineReport, Hit, Locator, SearchAnswer, Source};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::evidence::Document;

/// What a search for one query found, as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Retrieved {
    /// The documents, best first, each id once.
    #[serde(alias = "evidence")]
    pub documents: Vec<Document>,
    /// How each engine fared.
    pub reports: Vec<EngineReport>,
    /// What a person should know of single documents, such as pages of which only the excerpt is used.
    #[serde(alias = "unread", deserialize_with = "notes", skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Retrieved {
    /// The results for a query as documents.
    pub(super) fn of(answer: SearchAnswer, query: &str) -> Self {
        let SearchAnswer { hits, reports, notes, .. } = answer;
        let mut seen = BTreeSet::new();
        let found = hits.into_iter().map(|hit| document(hit, query)).filter(|found| seen.insert(found.id.clone()));
        let documents = (1..).zip(found).map(|(rank, document)| Document { rank, ..document }).collect();
        Self { documents, reports, notes }
    }
}

/// A result as a document: its address is the document's, so that references count documents, its id the passage's. Of an
/// open copy it is the copy's, where a citation can be looked up. What is on a page of a file in pages is cited as `#page=N`,
/// the fragment of RFC 8118, by which readers of PDF open that page.
fn document(hit: Hit, query: &str) -> Document {
    let found = hit.evidence;
    let mut url = match &found.source {
        _ if found.copy.is_some() => found.copy.unwrap_or_default(),
        Source::Literature { url, .. } if !url.is_empty() => url.clone(),
        source => source.to_string(),
    };
    if let (Source::Local { .. }, Locator::Pages { first_page, .. }) = (&found.source, &found.locator) {
        url.push_str(&format!("#page={first_page}"));
    }
    let mut title = found.title;
    if !matches!(found.locator, Locator::Document)
        && let Some(heading) = found.heading.last().filter(|heading| **heading != title && !heading.is_empty())
    {
        title = if title.is_empty() { heading.clone() } else { format!("{title}: {heading}") };
    }
    let mut document = Document::new(url, title, found.text);
    document.engine = hit.engine;
    query.clone_into(&mut document.query);
    document.published_at = hit.published;
    document
}

/// Notes are lines. Earlier versions stored pages that were not read, as their address and the error.
fn notes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let stored = Vec::<Value>::deserialize(from)?;
    Ok(stored
        .into_iter()
        .map(|note| match note {
            Value::String(line) => line,
            page => {
                let url = page["url"].as_str().unwrap_or_default();
                let error = serde_json::from_value::<graphloom_retrieval::web::PageError>(page["error"].clone());
                let error = error.map_or_else(|_| "the page was not read".to_owned(), |error| error.to_string());
                format!("of `{url}` only the excerpt of the engine is used: {error}")
            }
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_work_is_cited_where_its_text_was_read() {
        let mut evidence = graphloom_retrieval::Evidence::new(
            "lee-tides#1",
            Source::Literature { work: "Lee 2017".to_owned(), url: "https://doi.org/10.5555/tides".to_owned() },
            "Tides",
            "The moon moves the water.",
        );
        let address = |evidence| document(Hit::new(evidence, 1.0, ""), "tides").url;
        assert_eq!(address(evidence.clone()), "https://doi.org/10.5555/tides");
        evidence.copy = Some("https://a.example/copy".to_owned());
        assert_eq!(address(evidence), "https://a.example/copy");
    }

    #[test]
    fn answers_of_earlier_versions_are_read() {
        let error = json!({ "kind": "media_type", "media_type": "application/pdf" });
        let stored = json!({
            "evidence": [Document::new("https://a.example/", "A", "text")],
            "reports": [{ "engine": "google", "outcome": { "status": "found", "documents": 1 } }],
            "unread": [{ "url": "https://a.example/", "error": error }],
        });
        let read: Retrieved = serde_json::from_value(stored).unwrap();
        assert_eq!((read.documents.len(), read.reports[0].outcome.answered()), (1, true));
        assert!(
            read.notes[0].contains("only the excerpt of the engine is used: the page is `application/pdf`"),
            "{:?}",
            read.notes
        );
        let again: Retrieved = serde_json::from_value(serde_json::to_value(&read).unwrap()).unwrap();
        assert_eq!(again, read);
    }
}
