//! Full texts in place of abstracts.

use futures::StreamExt;

use super::{FullTexts, NoFullText};
use crate::Hit;
use crate::extract::{about, snippet};
use crate::literature::CopyText;

/// The works of one answer whose full text is looked for, from the first.
const MOST_WORKS: usize = 5;
/// Of a longer text, so many characters are kept.
const MOST_TEXT: usize = 12_000;
/// Works whose full text is looked for at the same time.
const AT_ONCE: usize = 3;

impl FullTexts {
    /// The results with the paragraphs of their full texts that are about the question. Where an open copy cannot be read
    /// the abstract stays, and a note says why; of a work that is closed nothing is said.
    pub(crate) async fn instead_of_abstracts(&self, hits: Vec<Hit>, query: &str) -> (Vec<Hit>, Vec<String>) {
        let read = hits.into_iter().enumerate().map(|(place, hit)| async move {
            if place < MOST_WORKS { self.instead_of_abstract(hit, query).await } else { (hit, None) }
        });
        let read: Vec<(Hit, Option<String>)> = futures::stream::iter(read).buffered(AT_ONCE).collect().await;
        let (hits, notes): (Vec<_>, Vec<_>) = read.into_iter().unzip();
        (hits, notes.into_iter().flatten().collect())
    }

    async fn instead_of_abstract(&self, mut hit: Hit, query: &str) -> (Hit, Option<String>) {
        let Some(record) = hit.work.as_mut() else { return (hit, None) };
        match self.of(record).await {
            Ok(found) => {
                let text = about(query, &found.text, MOST_TEXT);
                hit.snippet = snippet(query, &text);
                record.full_text = Some(CopyText::new(found.url, text, found.content_hash));
                hit.evidence = record.evidence();
                (hit, None)
            }
            Err(NoFullText::Closed { asked: None }) => (hit, None),
            Err(why) => {
                let note = format!("of `{}` only the abstract is used: {why}", record.title);
                (hit, Some(note))
            }
        }
    }
}
