//! CSL-JSON, which citation processors read.

use serde_json::{Map, Value, json};

use crate::literature::{Author, Record, RecordKind};

/// The records as a list of CSL items, in their order, with keys as [`keys`](super::keys) makes them for ids.
#[must_use]
pub fn csl_json(records: &[Record]) -> Value {
    Value::Array(records.iter().zip(super::keys(records)).map(|(record, key)| item(record, key)).collect())
}

fn item(record: &Record, key: String) -> Value {
    let mut item = Map::new();
    let mut field = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            item.insert(name.to_owned(), value);
        }
    };
    let text = |value: &Option<String>| value.clone().map(Value::String);
    field("id", Some(Value::String(key)));
    field("type", Some(Value::from(item_type(record.kind))));
    field("title", Some(Value::String(record.title.clone())));
    let authors: Vec<Value> = record.authors.iter().map(name).collect();
    field("author", (!authors.is_empty()).then_some(Value::Array(authors)));
    field("issued", record.year.map(|year| json!({ "date-parts": [[year]] })));
    field("container-title", text(&record.venue));
    field("publisher", text(&record.publisher));
    field("volume", text(&record.volume));
    field("issue", text(&record.issue));
    field("page", text(&record.pages));
    field("DOI", record.doi.as_ref().map(|doi| Value::from(doi.as_str())));
    field("number", record.arxiv.as_ref().map(|id| Value::String(format!("arXiv:{id}"))));
    field("URL", record.address().map(Value::String));
    field("note", record.retracted.then(|| Value::from("Retracted")));
    field("abstract", text(&record.abstract_text));
    Value::Object(item)
}

fn name(author: &Author) -> Value {
    match (&author.family, &author.given) {
        (Some(family), Some(given)) => json!({ "family": family, "given": given }),
        (Some(family), None) => json!({ "family": family }),
        _ => json!({ "literal": author.name }),
    }
}

fn item_type(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Article => "article-journal",
        // The type of CSL for works before publication.
        RecordKind::Preprint => "article",
        RecordKind::ConferencePaper => "paper-conference",
        RecordKind::Book => "book",
        RecordKind::Chapter => "chapter",
        RecordKind::Thesis => "thesis",
        RecordKind::Report => "report",
        RecordKind::Dataset => "dataset",
        RecordKind::Other => "document",
    }
}
