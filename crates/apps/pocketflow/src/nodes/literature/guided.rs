//! Reading records: the model chooses the sentence of each that says most.

use graphloom_core_graph::NodeError;
use graphloom_retrieval::answer::Request;

use super::Search;
use crate::research::{Record, text_of};
use crate::session::{Finding, Session, Theme};
use crate::small::{SmallQuestions, claims};

/// Reads the records. A claim is a sentence of its record that bears on the topic, as it stands there; what a record does not
/// show is not asked.
///
/// # Errors
/// None of the records has such a sentence; and those of the model.
pub(super) async fn read(
    small: &SmallQuestions<'_>,
    topic: &str,
    records: &[Record],
    searches: &[Search],
    notes: &mut Vec<String>,
) -> Result<Vec<Finding>, NodeError> {
    if records.is_empty() {
        return Ok(Vec::new());
    }
    let searched = searches.iter().map(|search| search.query.as_str()).collect::<Vec<_>>().join(" ");
    let texts = records.iter().map(|record| (record.id.as_str(), record.title.as_str(), text_of(record)));
    let mut found = claims(&Request::of(topic), &searched, texts);
    let most = small.rules().sentences.max(1);
    let mut findings = Vec::new();
    for (at, record) in records.iter().enumerate() {
        let mut sentences = found.remove(&record.id).unwrap_or_default();
        sentences.truncate(most);
        if sentences.is_empty() {
            notes.push(format!("`{}` has no sentence that says more on the topic, so it is not used", record.title));
            continue;
        }
        let chosen = small.best(&format!("claim/{at}"), topic, &sentences).await?;
        let claim = sentences.into_iter().nth(chosen).unwrap_or_default();
        findings.push(Finding { record: record.id.clone(), claim, limits: String::new() });
    }
    if findings.is_empty() {
        return Err(NodeError::terminal("no record that was found has a sentence that bears on the topic"));
    }
    Ok(findings)
}

/// Records that one search found are one theme; what is known is what they claim. Searches that found the same count once.
pub(super) fn themes(session: &Session, searches: &[Search]) -> Vec<Theme> {
    let findings = session.artifacts.review.iter().flat_map(|review| &review.value.findings);
    themes_of(&findings.collect::<Vec<_>>(), searches)
}

fn themes_of(findings: &[&Finding], searches: &[Search]) -> Vec<Theme> {
    let mut themes: Vec<Theme> = Vec::new();
    for search in searches {
        let read: Vec<&&Finding> = findings.iter().filter(|finding| search.records.contains(&finding.record)).collect();
        let records: Vec<String> = read.iter().map(|finding| finding.record.clone()).collect();
        if records.is_empty() || themes.iter().any(|theme| theme.records == records) {
            continue;
        }
        let summary = read.iter().map(|finding| finding.claim.as_str()).collect::<Vec<_>>().join(" ");
        themes.push(Theme { name: search.query.clone(), summary, records });
    }
    themes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_found_something_of_its_own_is_a_theme() {
        let finding =
            |id: &str| Finding { record: id.to_owned(), claim: format!("It is {id}."), limits: String::new() };
        let search = |query: &str, records: &[&str]| Search {
            query: query.to_owned(),
            records: records.iter().map(|id| (*id).to_owned()).collect(),
        };
        let searches = [search("one", &["a", "b"]), search("two", &["b", "a"]), search("three", &["x"])];
        let made = themes_of(&[&finding("a"), &finding("b")], &searches);
        assert_eq!(made.len(), 1);
        assert_eq!((made[0].name.as_str(), made[0].summary.as_str()), ("one", "It is a. It is b."));
    }
}
