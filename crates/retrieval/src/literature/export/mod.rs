//! References for other programs: BibTeX and CSL-JSON.
//!
//! ```
//! use graphloom_retrieval::literature::{Author, Record, export};
//!
//! let mut record = Record::new("Graphs & walks");
//! record.authors.extend(Author::displayed("Ann Lee"));
//! record.year = Some(2024);
//! let records = [record.identified()];
//! assert!(export::bibtex(&records).starts_with("@misc{lee2024graphs,\n  author = {Lee, Ann},\n"));
//! assert_eq!(export::csl_json(&records)[0]["author"][0]["family"], "Lee");
//! ```

mod bibtex;
mod csl;
mod tex;

use std::collections::BTreeMap;

use super::Record;
use super::record_id::{family_word, title_word};

pub use bibtex::bibtex;
pub use csl::csl_json;

/// A key for each record, in their order: author, year and a word of the title. Records with the same get the digits of
/// their ids too, so that a key depends on nothing but the records that share it.
#[must_use]
pub fn keys(records: &[Record]) -> Vec<String> {
    let plain: Vec<String> = records.iter().map(plain_key).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for key in &plain {
        *counts.entry(key).or_default() += 1;
    }
    let mut taken = std::collections::BTreeSet::new();
    let mut keys = Vec::with_capacity(records.len());
    for (record, plain) in records.iter().zip(&plain) {
        let shared = counts.get(plain.as_str()).is_some_and(|count| *count > 1);
        let digits = record.id.rsplit('#').next().unwrap_or_default();
        let key = if shared { format!("{plain}-{digits}") } else { plain.clone() };
        let mut unique = key.clone();
        let mut number = 2;
        while !taken.insert(unique.clone()) {
            unique = format!("{key}-{number}");
            number += 1;
        }
        keys.push(unique);
    }
    keys
}

fn plain_key(record: &Record) -> String {
    let year = record.year.map_or_else(String::new, |year| year.to_string());
    let key = format!("{}{year}{}", family_word(record), title_word(record).unwrap_or_default());
    if key.is_empty() { "work".to_owned() } else { key }
}
