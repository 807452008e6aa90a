//! Documents as prompts of writing show them.

use serde_json::{Value, json};

use crate::evidence::Document;

/// Documents with the numbers by which a model names them, from 1, and the first `excerpt` characters of each; and how many
/// of them were cut.
pub(super) fn numbered(documents: &[Document], excerpt: usize) -> (Vec<Value>, usize) {
    let mut cut = 0;
    let shown = (1..).zip(documents).map(|(number, found): (usize, _)| {
        let text: String = found.text.chars().take(excerpt).collect();
        cut += usize::from(text.len() < found.text.len());
        json!({
            "number": number,
            "title": found.title,
            "url": found.url,
            "published_at": found.published_at,
            "scores": found.scores,
            "text": text,
        })
    });
    (shown.collect(), cut)
}
