//! Documents of a local corpus.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use graphloom_retrieval::{Corpus, RetrievalError, SearchOptions, Source};

use super::described::{self, Described};
use super::{Fault, Findings, Provenance, Record, Research, SourceReport, SourceStatus, answered};

/// The name of the local corpus among the sources.
pub(crate) const LOCAL: &str = "local";

/// Documents of a local corpus. Each document is one record, with its best passages in place of an abstract.
#[derive(Clone, Debug)]
pub struct LocalResearch {
    corpus: Arc<Corpus>,
}

impl LocalResearch {
    /// The documents of an indexed corpus.
    pub fn new(corpus: Corpus) -> Self {
        Self { corpus: Arc::new(corpus) }
    }

    fn find(&self, query: &str, limit: usize) -> Result<Vec<Record>, RetrievalError> {
        let mut options = SearchOptions::default();
        // Several passages may be of one document.
        options.limit = limit.saturating_mul(2);
        let mut records: Vec<Record> = Vec::new();
        for hit in self.corpus.search(query, &options)? {
            let evidence = hit.evidence;
            let place = place(&evidence.source);
            if let Some(record) = records.iter_mut().find(|record| record.url.as_ref() == Some(&place)) {
                let text = record.abstract_text.get_or_insert_default();
                text.push_str("\n\n");
                text.push_str(&evidence.text);
                continue;
            }
            let mut record = Record::new(evidence.title);
            record.id = document_id(&evidence.id);
            record.abstract_text = Some(evidence.text);
            let rank = u32::try_from(records.len()).unwrap_or(u32::MAX).saturating_add(1);
            record.provenance = vec![Provenance::new(LOCAL, &place, query, rank)];
            record.url = Some(place);
            if let Source::Local { root, path } = &evidence.source {
                let Described { authors, year } = described::of_file(&Path::new(root).join(path));
                (record.authors, record.year) = (authors, year);
            }
            records.push(record);
        }
        records.truncate(limit);
        Ok(records)
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
impl Research for LocalResearch {
    async fn search(&self, query: &str, limit: usize) -> Findings {
        let (local, words) = (self.clone(), query.to_owned());
        let found = tokio::task::spawn_blocking(move || local.find(&words, limit)).await;
        let status = match &found {
            Ok(Ok(records)) if records.is_empty() => SourceStatus::Empty,
            Ok(Ok(records)) => SourceStatus::Ok { records: records.len(), total: None },
            Ok(Err(error)) => SourceStatus::Failed { fault: Fault::Unusable { reason: error.to_string() } },
            Err(_) => SourceStatus::Failed { fault: Fault::Unusable { reason: "the search stopped".to_owned() } },
        };
        let records = found.ok().and_then(Result::ok).unwrap_or_default();
        answered(records, SourceReport::new(LOCAL, query, status))
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
