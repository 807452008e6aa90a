//! The numbers of citations. Citations of one address share a number; numbers follow the order of appearance.

use std::collections::BTreeMap;

use graphloom_citations::{Target, checked_mark, replace_marks};

use super::check::KeptCitation;
use super::references::list;
use crate::evidence::canonical;
use crate::state::{CitationMessage, Locale, TraceSource};

/// The text with checked marks and the list of references, the entries in the order of their ids, and the source of
/// each entry.
pub(super) fn number(
    draft: &str,
    citations: &BTreeMap<usize, KeptCitation>,
    datas: &[TraceSource],
    language: Locale,
) -> (String, Vec<CitationMessage>, Vec<TraceSource>) {
    let mut references: Vec<(String, &TraceSource)> = Vec::new();
    let mut entries: Vec<CitationMessage> = Vec::new();
    let mut sources = Vec::new();
    let text = replace_marks(draft, |mark| {
        let Target::Source(key) = &mark.target else { return None };
        let index: usize = key.parse().ok()?;
        let (entry, data) = (citations.get(&index)?, datas.get(index)?);
        let address = canonical(&data.url);
        let number = references.iter().position(|(known, _)| *known == address).unwrap_or_else(|| {
            references.push((address, data));
            references.len() - 1
        });
        let (id, number) = (u32::try_from(entries.len()).ok()?, u32::try_from(number + 1).ok()?);
        let mut message = entry.message.clone();
        (message.id, message.reference_index) = (id, number);
        entries.push(message);
        sources.push(data.clone());
        Some(checked_mark(u64::from(id), u64::from(number), &data.url))
    });
    let shown = references.iter().map(|(_, data)| (data.title.as_str(), data.url.as_str()));
    (format!("{}{}", text.trim_end(), list(language, shown)), entries, sources)
}
