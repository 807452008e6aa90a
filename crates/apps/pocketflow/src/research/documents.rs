//! Documents of a local corpus as works.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use graphloom_retrieval::{Corpus, Hit, RetrievalError, Search, SearchAnswer, SearchOptions, Source};

use super::described::{self, Described};
use super::{Fault, Provenance, Record};

/// The name of the local corpus among the sources.
pub(crate) const LOCAL: &str = "local";

/// Documents of a local corpus. Each document is one record, with its best passages in place of an abstract.
#[derive(Clone, Debug)]
pub struct Documents {
    corpus: Arc<Corpus>,
}

impl Documents {
    /// The documents of an indexed corpus.
    pub fn new(corpus: Corpus) -> Self {
        Self { corpus: Arc::new(corpus) }
    }

    fn find(&self, query: &str, limit: usize) -> Result<Vec<Hit>, RetrievalError> {
        let mut options = SearchOptions::default();
        // Several passages may be of one document.
        options.limit = limit.saturating_mul(2);
        let mut found: Vec<(Hit, Record)> = Vec::new();
        for hit in self.corpus.search(query, &options)? {
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
        Ok(found.into_iter().map(|(hit, record)| hit.by(LOCAL).of_work(record)).collect())
    }
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
        let (local, words) = (self.clone(), query.to_owned());
        let found = tokio::task::spawn_blocking(move || local.find(&words, limit)).await;
        let fault = |reason: String| SearchAnswer::failed(LOCAL, query, Fault::Unusable { reason });
        match found {
            Ok(Ok(hits)) => SearchAnswer::of(LOCAL, query, hits),
            Ok(Err(error)) => fault(error.to_string()),
            Err(_) => fault("the search stopped".to_owned()),
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
