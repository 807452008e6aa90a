//! The texts of the pages that engines name.

use futures::StreamExt;

use super::{Pages, WebResult};
use crate::extract::about;

/// A text of an engine that is shorter than this, in characters, is an excerpt, and the page is read.
const EXCERPT: usize = 1_000;
/// Of a longer page, so many characters are kept.
const MOST_TEXT: usize = 12_000;
/// Pages that are read at the same time.
const AT_ONCE: usize = 4;

/// The results with the paragraphs of their pages that are about the question. A page that cannot be read, such as a
/// scanned PDF, leaves the excerpt, and a note says why.
pub(super) async fn read(pages: &Pages, results: Vec<WebResult>, query: &str) -> (Vec<WebResult>, Vec<String>) {
    let documents = results.into_iter().map(|result| document(pages, result, query));
    let read: Vec<(WebResult, Option<String>)> = futures::stream::iter(documents).buffered(AT_ONCE).collect().await;
    let (results, notes): (Vec<_>, Vec<_>) = read.into_iter().unzip();
    (results, notes.into_iter().flatten().collect())
}

async fn document(pages: &Pages, mut result: WebResult, query: &str) -> (WebResult, Option<String>) {
    if result.text.chars().count() >= EXCERPT {
        return (result, None);
    }
    let mut note = None;
    match pages.fetch(&result.url).await {
        Ok(page) if page.text.len() > result.text.len() => {
            result.text = about(query, &page.text, MOST_TEXT);
            note = page.lost.map(|lost| format!("of `{}` {lost}", result.url));
        }
        Ok(_) => {}
        Err(error) => note = Some(format!("of `{}` only the excerpt of the engine is used: {error}", result.url)),
    }
    (result, note)
}
