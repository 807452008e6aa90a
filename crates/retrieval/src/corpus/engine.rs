//! The search library: schema, records, queries.

use std::path::{Path, PathBuf};

use graphloom_text::Language;
use serde::{Deserialize, Serialize};
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, BoostQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions, Value};
use tantivy::{
    DocAddress, Index, IndexReader, IndexWriter, ReloadPolicy, Searcher, TantivyDocument, TantivyError, Term,
};

use super::score::{CombinedStatistics, ExtraRecords};
use crate::document::Passage;
use crate::terms::{analyzer, marked};

const TERMS: &str = "graphloom_terms";
const WRITER_MEMORY: usize = 64 * 1024 * 1024;

/// How much a term counts in each field. Every passage of a document has its title, so the title counts less.
const TITLE_WEIGHT: f32 = 0.5;
const HEADING_WEIGHT: f32 = 0.8;
const TEXT_WEIGHT: f32 = 1.0;

/// A passage as the index stores it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) id: String,
    /// The key of the root.
    pub(super) root: String,
    pub(super) path: String,
    pub(super) title: String,
    pub(super) content_hash: String,
    /// The language of the document.
    pub(super) language: Language,
    pub(super) passage: Passage,
}

#[derive(Clone, Copy)]
struct Fields {
    document: Field,
    id: Field,
    language: Field,
    title: Field,
    heading: Field,
    text: Field,
    record: Field,
}

/// An opened index.
pub(super) struct Engine {
    index: Index,
    reader: IndexReader,
    fields: Fields,
}

impl Engine {
    /// Opens the index in `dir` and checks that no file of it is damaged.
    pub(super) fn open(dir: &Path) -> tantivy::Result<Self> {
        let index = Index::open_in_dir(dir)?;
        if index.schema() != schema().0 {
            return Err(TantivyError::SchemaError("the fields differ from those of this version".to_owned()));
        }
        let mut damaged: Vec<PathBuf> = index.validate_checksum()?.into_iter().collect();
        damaged.sort();
        if let Some(file) = damaged.first() {
            return Err(TantivyError::SystemError(format!("the checksum of `{}` does not match", file.display())));
        }
        Self::with_index(index)
    }

    /// Makes an empty index in the empty directory `dir`.
    pub(super) fn create(dir: &Path) -> tantivy::Result<Self> {
        Self::with_index(Index::create_in_dir(dir, schema().0)?)
    }

    fn with_index(index: Index) -> tantivy::Result<Self> {
        index.tokenizers().register(TERMS, analyzer());
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Self { index, reader, fields: schema().1 })
    }

    /// The text that the last commit was given.
    pub(super) fn payload(&self) -> tantivy::Result<Option<String>> {
        Ok(self.index.load_metas()?.payload)
    }

    /// Begins changes that become visible at once, or not at all.
    pub(super) fn begin(&self) -> tantivy::Result<Changes> {
        // One thread keeps the order of passages, and with it the index, the same from run to run.
        let writer = self.index.writer_with_num_threads(1, WRITER_MEMORY)?;
        Ok(Changes { writer, fields: self.fields })
    }

    /// Makes the last commit visible to searches.
    pub(super) fn reload(&self) -> tantivy::Result<()> {
        self.reader.reload()
    }

    /// The records that have any of the terms with their scores, best first, equal ones by id. `enough` is asked with
    /// ever longer lists until it is content or there are no more. Scores are as if the records `beside` were in the
    /// index.
    pub(super) fn search(
        &self,
        terms: &[String],
        beside: &ExtraRecords,
        first: usize,
        mut enough: impl FnMut(&[(f32, Record)]) -> bool,
    ) -> tantivy::Result<Vec<(f32, Record)>> {
        let searcher = self.reader.searcher();
        let total = usize::try_from(searcher.num_docs()).unwrap_or(usize::MAX);
        let query = self.query(terms);
        let mut wanted = first.max(1);
        loop {
            let wanted_now = wanted.min(total.max(1));
            let collector = TopDocs::with_limit(wanted_now).order_by_score();
            let together = CombinedStatistics { searcher: &searcher, beside };
            let top = searcher.search_with_statistics_provider(&query, &collector, &together)?;
            let complete = top.len() < wanted_now || wanted_now >= total;
            let last_score = top.last().map_or(0.0, |(score, _)| *score);
            let mut records = Vec::with_capacity(top.len());
            for (score, address) in top {
                // Records with the last score may have equals that were cut off, which an order by id would put first.
                if complete || score > last_score {
                    records.push((score, self.record(&searcher, address)?));
                }
            }
            records.sort_by(|(a, left), (b, right)| b.total_cmp(a).then_with(|| left.id.cmp(&right.id)));
            if complete || enough(&records) {
                return Ok(records);
            }
            wanted = wanted.saturating_mul(4);
        }
    }

    /// Every record of the index with its place, in the order of the index.
    pub(super) fn each_record(&self, mut take: impl FnMut(DocAddress, Record)) -> tantivy::Result<()> {
        let searcher = self.reader.searcher();
        for (segment, reader) in searcher.segment_readers().iter().enumerate() {
            for document in reader.doc_ids_alive() {
                let address = DocAddress::new(u32::try_from(segment).unwrap_or(u32::MAX), document);
                take(address, self.record(&searcher, address)?);
            }
        }
        Ok(())
    }

    /// The record at a place of this index.
    pub(super) fn record_at(&self, address: DocAddress) -> tantivy::Result<Record> {
        self.record(&self.reader.searcher(), address)
    }

    pub(super) fn searcher(&self) -> Searcher {
        self.reader.searcher()
    }

    /// The languages of the documents, English first, which every index counts as one of.
    pub(super) fn languages(&self) -> tantivy::Result<Vec<Language>> {
        let mut languages = vec![Language::English];
        for segment in self.searcher().segment_readers() {
            let index = segment.inverted_index(self.fields.language)?;
            let mut codes = index.terms().stream()?;
            while codes.advance() {
                let known = std::str::from_utf8(codes.key()).ok().and_then(Language::of_code);
                languages.extend(known.filter(|known| !languages.contains(known)));
            }
        }
        Ok(languages)
    }

    /// The searched fields with their weights and what of a record stands in them.
    pub(super) fn weighted(&self) -> [(Field, f32, fn(&Record) -> String); 3] {
        [
            (self.fields.title, TITLE_WEIGHT, |record| record.title.clone()),
            (self.fields.heading, HEADING_WEIGHT, |record| indexed_headings(record).join("\n")),
            (self.fields.text, TEXT_WEIGHT, |record| record.passage.text.clone()),
        ]
    }

    /// All records with an id: more than one if the same file lies below two roots.
    pub(super) fn get(&self, id: &str) -> tantivy::Result<Vec<Record>> {
        let searcher = self.reader.searcher();
        let query = TermQuery::new(Term::from_field_text(self.fields.id, id), IndexRecordOption::Basic);
        let found = searcher.search(&query, &TopDocs::with_limit(16).order_by_score())?;
        found.into_iter().map(|(_, address)| self.record(&searcher, address)).collect()
    }

    /// A query by terms, never by syntax: whatever a question contains cannot be misread.
    fn query(&self, terms: &[String]) -> BooleanQuery {
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        for term in terms {
            for (field, weight, _) in self.weighted() {
                let term = TermQuery::new(Term::from_field_text(field, term), IndexRecordOption::WithFreqs);
                clauses.push((Occur::Should, Box::new(BoostQuery::new(Box::new(term), weight))));
            }
        }
        BooleanQuery::new(clauses)
    }

    fn record(&self, searcher: &Searcher, address: DocAddress) -> tantivy::Result<Record> {
        let document: TantivyDocument = searcher.doc(address)?;
        let json = document.get_first(self.fields.record).and_then(|value| value.as_str()).unwrap_or_default();
        serde_json::from_str(json).map_err(|error| TantivyError::InternalError(format!("a damaged record: {error}")))
    }
}

/// Changes that are not visible yet; dropping them forgets them.
pub(super) struct Changes {
    writer: IndexWriter,
    fields: Fields,
}

impl Changes {
    /// Removes all passages of the document with this key that were added before.
    pub(super) fn remove(&self, document: &str) {
        self.writer.delete_term(Term::from_field_text(self.fields.document, document));
    }

    /// Adds a passage to the document with this key.
    pub(super) fn add(&self, document: &str, record: &Record) -> tantivy::Result<()> {
        let json = serde_json::to_string(record).map_err(|error| TantivyError::InternalError(error.to_string()))?;
        let mut stored = TantivyDocument::new();
        stored.add_text(self.fields.document, document);
        stored.add_text(self.fields.id, &record.id);
        stored.add_text(self.fields.language, record.language.code());
        let marked = |text: &str| marked(text, record.language);
        stored.add_text(self.fields.title, marked(&record.title));
        for heading in indexed_headings(record) {
            stored.add_text(self.fields.heading, marked(heading));
        }
        stored.add_text(self.fields.text, marked(&record.passage.text));
        stored.add_text(self.fields.record, json);
        self.writer.add_document(stored).map(|_| ())
    }

    /// Makes all changes visible together with `payload`.
    pub(super) fn commit(mut self, payload: &str) -> tantivy::Result<()> {
        let mut prepared = self.writer.prepare_commit()?;
        prepared.set_payload(payload);
        prepared.commit()?;
        self.writer.wait_merging_threads()
    }
}

/// The headings of a passage that are searched: one that is the whole passage must not count twice.
fn indexed_headings(record: &Record) -> Vec<&str> {
    let headings = record.passage.heading.iter().filter(|heading| **heading != record.passage.text);
    headings.map(String::as_str).collect()
}

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let indexing = TextFieldIndexing::default().set_tokenizer(TERMS).set_index_option(IndexRecordOption::WithFreqs);
    let searched = TextOptions::default().set_indexing_options(indexing);
    let fields = Fields {
        document: builder.add_text_field("document", STRING),
        id: builder.add_text_field("id", STRING),
        language: builder.add_text_field("language", STRING),
        title: builder.add_text_field("title", searched.clone()),
        heading: builder.add_text_field("heading", searched.clone()),
        text: builder.add_text_field("text", searched),
        record: builder.add_text_field("record", STORED),
    };
    (builder.build(), fields)
}
