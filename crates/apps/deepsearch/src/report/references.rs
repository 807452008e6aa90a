//! Citations of the writer, and lists of references.

use graphloom_text::link_target;

use crate::evidence::{Document, canonical};
use crate::markup::replace_citations;

/// One entry of the list of references.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The title.
    pub title: String,
    /// The address.
    pub url: String,
}

/// Makes the writer's `[citation:X]` of a section `[[n]](url)`, numbered by address over the whole report. A citation of
/// a document that is not there is removed with the spaces before it.
pub fn number_citations(text: &str, documents: &[Document], references: &mut Vec<Reference>) -> String {
    replace_citations(text, |number| {
        let document = number.checked_sub(1).and_then(|at| documents.get(at))?;
        let number = reference(document, references);
        Some(format!("[[{number}]]({})", link_target(&document.url)))
    })
}

/// The number of a document in the list, from 1; it is added when it is new.
fn reference(document: &Document, references: &mut Vec<Reference>) -> usize {
    let same = |known: &Reference| canonical(&known.url) == canonical(&document.url);
    let at = references.iter().position(same).unwrap_or_else(|| {
        references.push(Reference { title: document.title.clone(), url: document.url.clone() });
        references.len() - 1
    });
    at + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_are_numbered_by_address_over_sections() {
        let documents =
            |urls: &[&str]| -> Vec<Document> { urls.iter().map(|url| Document::new(*url, *url, "t")).collect() };
        let mut list = Vec::new();
        let first = number_citations(
            "One [citation:2]. Two [ citation: 1 ]. None [citation:9]. [a] [citation:x]",
            &documents(&["https://a.example", "docs/b c.md"]),
            &mut list,
        );
        assert_eq!(first, "One [[1]](docs/b%20c.md). Two [[2]](https://a.example). None. [a] [citation:x]");
        let second = number_citations("[citation:1]", &documents(&["https://A.example/"]), &mut list);
        assert_eq!(second, "[[2]](https://A.example/)");
        assert_eq!(list.len(), 2);
    }
}
