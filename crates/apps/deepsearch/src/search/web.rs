//! The engines of the web, with the texts of the pages that they name (F34).

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use graphloom_retrieval::extract::best_sentences;
use graphloom_retrieval::literature::Fault;
use graphloom_retrieval::web::{EngineOutcome as Outcome, EngineReport as Report, Pages, Web, WebResult};

use super::{EngineOutcome, EngineReport, Search, SearchAnswer, UnreadPage};
use crate::evidence::Evidence;

/// An engine's text that is shorter than this, in characters, is an excerpt, and the page is fetched.
const EXCERPT: usize = 1_000;
/// Of a longer page, so many characters are kept.
const KEPT: usize = 12_000;
/// Pages that are fetched at the same time.
const AT_ONCE: usize = 4;

/// Engines of the web. Where an engine gives an excerpt only, the page is fetched, and its paragraphs about the query
/// are the document's text; a page that cannot be read, such as a PDF, leaves the excerpt and is among the
/// [unread](SearchAnswer::unread).
#[derive(Clone)]
pub struct WebSearch {
    web: Web,
    pages: Option<Arc<Pages>>,
}

impl WebSearch {
    /// These engines, with what they give of the texts.
    pub fn new(web: Web) -> Self {
        Self { web, pages: None }
    }

    /// Also fetches pages.
    #[must_use]
    pub fn with_pages(mut self, pages: Pages) -> Self {
        self.pages = Some(Arc::new(pages));
        self
    }

    async fn document(&self, result: WebResult, query: &str) -> (Evidence, Option<UnreadPage>) {
        let (mut text, mut unread) = (result.text, None);
        if let Some(pages) = &self.pages
            && text.chars().count() < EXCERPT
        {
            match pages.fetch(&result.url).await {
                Ok(page) if page.text.len() > text.len() => text = about(query, &page.text, KEPT),
                Ok(_) => {}
                Err(error) => unread = Some(UnreadPage { url: result.url.clone(), error }),
            }
        }
        let mut document = Evidence::new(result.url, result.title, text);
        document.engine = result.engine;
        query.clone_into(&mut document.query);
        document.published_at = result.published;
        (document, unread)
    }
}

impl fmt::Debug for WebSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebSearch").field("web", &self.web).field("pages", &self.pages).finish()
    }
}

#[async_trait]
impl Search for WebSearch {
    fn engines(&self) -> Vec<String> {
        self.web.engines().into_iter().map(str::to_owned).collect()
    }

    async fn search(&self, query: &str, limit: usize) -> SearchAnswer {
        let answer = self.web.ask(query, limit).await;
        let reports = answer.reports.iter().map(report).collect();
        let documents = answer.results.into_iter().map(|result| self.document(result, query));
        let found: Vec<(Evidence, Option<UnreadPage>)> =
            futures::stream::iter(documents).buffered(AT_ONCE).collect().await;
        let (mut evidence, unread): (Vec<Evidence>, Vec<Option<UnreadPage>>) = found.into_iter().unzip();
        // A document without a text can support nothing.
        evidence.retain(|document| !document.text.trim().is_empty());
        for (rank, document) in (1..).zip(&mut evidence) {
            document.rank = rank;
        }
        SearchAnswer { evidence, reports, unread: unread.into_iter().flatten().collect() }
    }
}

fn report(report: &Report) -> EngineReport {
    let outcome = match &report.outcome {
        Outcome::Found { pages } => EngineOutcome::Found { documents: *pages },
        Outcome::Empty => EngineOutcome::Found { documents: 0 },
        Outcome::RateLimited { .. } | Outcome::Failed { fault: Fault::NoTurn { .. } } => {
            EngineOutcome::RateLimited { reason: report.to_string() }
        }
        _ => EngineOutcome::Failed { reason: report.to_string() },
    };
    EngineReport { engine: report.engine.clone(), outcome }
}

/// The paragraphs of `text` that are most about `query`, in their order, of at most `most` characters together.
pub(crate) fn about(query: &str, text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut paragraphs: Vec<(usize, &str)> = Vec::new();
    let mut at = 0;
    for paragraph in text.split("\n\n") {
        paragraphs.push((at, paragraph));
        at += paragraph.len() + 2;
    }
    let mut chosen = vec![false; paragraphs.len()];
    let mut room = most;
    for sentence in best_sentences(query, text, 64) {
        let Some(place) = paragraphs.iter().rposition(|(start, _)| *start <= sentence.range.start) else { continue };
        let length = paragraphs[place].1.chars().count() + 2;
        if !chosen[place] && length <= room {
            chosen[place] = true;
            room -= length;
        }
    }
    let kept: Vec<&str> =
        paragraphs.iter().zip(&chosen).filter(|(_, chosen)| **chosen).map(|((_, text), _)| *text).collect();
    if kept.is_empty() { text.chars().take(most).collect() } else { kept.join("\n\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_page_the_paragraphs_about_the_query_are_kept() {
        let filler = "Nothing of interest stands in this sentence about the weather.";
        let text =
            [vec![filler; 40], vec!["The log is flushed at every commit."], vec![filler; 40]].concat().join("\n\n");
        let kept = about("when is the log flushed", &text, 400);
        assert!(kept.contains("flushed at every commit") && kept.chars().count() <= 400, "{kept}");
        assert_eq!(about("x", "short", 400), "short");
        assert_eq!(about("log", &"x".repeat(900), 400).chars().count(), 400);
    }
}
