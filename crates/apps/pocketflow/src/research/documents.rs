//! Documents of a local corpus as works.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use graphloom_retrieval::{Hit, Search, SearchAnswer, Source};

use super::described::{self, Described};
use super::{Fault, Provenance, Record};

/// The name of the local corpus among the sources.
pub(crate) const LOCAL: &str = "local";

/// Documents of a local corpus. Each document is one record, with its best passages in place of an abstract.
#[derive(Clone)]
pub struct Documents {
    corpus: Arc<dyn Search>,
}

impl fmt::Debug for Documents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Documents").finish_non_exhaustive()
    }
}

impl Documents {
    /// The documents of an indexed corpus, which finds passages.
    pub fn new(corpus: Arc<dyn Search>) -> Self {
        Self { corpus }
    }
}

/// The documents of passages, each once, at most `limit`.
fn documents_of(hits: Vec<Hit>, query: &str, limit: usize) -> Vec<Hit> {
    let mut found: Vec<(Hit, Record)> = Vec::new();
    for hit in hits {
        let place = place(&hit.evidence.source);
        if let Some((_, record)) = found.iter_mut().find(|(_, record)| record.url.as_ref() == Some(&place)) {
            let text = record.abstract_text.get_or_insert_default();
            text.push_str("\n\n");
            text.push_str(&hit.evidence.text);
            continue;
        }
        let mut record = Record::new(&hit.evidence.title);
        record.id = document_id(&hit.evidence.id);
        record.abstract_text = Some(hit.evidence.text.clone());
        let rank = u32::try_from(found.len()).unwrap_or(u32::MAX).saturating_add(1);
        record.provenance = vec![Provenance::new(LOCAL, &place, query, rank)];
        record.url = Some(place);
        if let Source::Local { root, path } = &hit.evidence.source {
            let Described { authors, year } = described::of_file(&Path::new(root).join(path));
            (record.authors, record.year) = (authors, year);
        }
        found.push((hit, record));
    }
    found.truncate(limit);
    found.into_iter().map(|(hit, record)| hit.by(LOCAL).of_work(record)).collect()
}

/// Where a document is, without the path of this machine: the name of the corpus folder, and the file in it.
fn place(source: &Source) -> String {
    match source {
        Source::Local { root, path } => {
            let name = root.split(['/', '\\']).rfind(|part| !part.is_empty() && !matches!(*part, "." | ".."));
            name.map_or_else(|| path.clone(), |name| format!("{name}/{path}"))
        }
        other => other.to_string(),
    }
}

/// The id of a passage without the part that names the passage.
fn document_id(passage: &str) -> String {
    passage.split('#').next().unwrap_or(passage).to_owned()
}

#[async_trait]
impl Search for Documents {
    fn engines(&self) -> Vec<String> {
        vec![LOCAL.to_owned()]
    }

    async fn search(&self, query: &str, limit: usize) -> SearchAnswer {
        // Several passages may be of one document.
        let passages = self.corpus.search(query, limit.saturating_mul(2)).await;
        if !passages.answered() {
            return passages;
        }
        let (hits, words) = (passages.hits, query.to_owned());
        match tokio::task::spawn_blocking(move || documents_of(hits, &words, limit)).await {
            Ok(hits) => {
                let mut answer = SearchAnswer::of(LOCAL, query, hits);
                answer.notes = passages.notes;
                answer
            }
            Err(_) => SearchAnswer::failed(LOCAL, query, Fault::Unusable { reason: "the search stopped".to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_holds_no_path_of_the_machine() {
        for (root, expected) in [
            ("papers", "papers/tides/a.md"),
            ("/home/ann/papers/", "papers/tides/a.md"),
            ("../../papers", "papers/tides/a.md"),
            (r"C:\\Users\\ann\\papers", "papers/tides/a.md"),
            (".", "tides/a.md"),
            ("/", "tides/a.md"),
        ] {
            let source = Source::Local { root: root.to_owned(), path: "tides/a.md".to_owned() };
            assert_eq!(place(&source), expected, "{root}");
        }
    }
}
