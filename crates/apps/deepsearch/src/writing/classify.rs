//! Which documents a section is written from (prompt `classify_doc_infos` of openJiuwen DeepSearch).

use std::collections::{BTreeMap, BTreeSet};

use futures::future::try_join_all;
use graphloom_core_graph::{Context, NodeError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::numbered::numbered;
use crate::ask::{Ask, AskFailure, value};
use crate::evidence::Document;
use crate::resources::{Resources, Slot, Stage};
use crate::state::SectionBrief;

/// Rounds after which the rest is decided by scores.
const MOST_ROUNDS: usize = 99;
/// How much of a document is shown, in characters.
const EXCERPT: usize = 600;

/// The documents that matter for a chapter.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Chosen {
    /// The title of the chapter.
    #[serde(default)]
    chapter: String,
    /// The numbers of the documents that the chapter shall rest on, best first.
    documents: Vec<i64>,
}

/// The most documents that a section may rest on, chosen from all by a model, in the order in which they were found, and
/// notes. Where the model cannot be asked, scores choose, see [`rank`].
///
/// # Errors
/// Only errors that no model caused.
pub(crate) async fn classify(
    cx: &Context<Resources>,
    brief: &SectionBrief,
    documents: Vec<Document>,
) -> Result<(Vec<Document>, Vec<String>), NodeError> {
    let config = &brief.config;
    let top = document_limit(brief);
    let size = config.sub_report_classify_doc_infos_single_time_num.max(1) as usize;
    let found = documents.len();
    let mut notes = Vec::new();
    if found <= top {
        return Ok((documents, notes));
    }
    let asks = cx.resources().may_spend(Stage::Writing);
    let mut left = documents;
    let mut round = 0;
    while asks && left.len() > top && round < MOST_ROUNDS {
        round += 1;
        let work = left.chunks(size).enumerate().map(|(at, batch)| choose(cx, brief, top, (round, at), batch));
        let answers = try_join_all(work).await?;
        let mut chosen = Vec::new();
        for (batch, answer) in left.chunks(size).zip(answers) {
            match answer {
                Ok(places) => chosen.extend(places.into_iter().filter_map(|place| batch.get(place)).cloned()),
                Err(failure) => {
                    notes.push(format!(
                        "section {}: documents were chosen by their scores: {failure}",
                        brief.section.id
                    ));
                    chosen.extend(rank(batch.to_vec(), top));
                }
            }
        }
        if chosen.is_empty() || chosen.len() == left.len() {
            break;
        }
        left = chosen;
    }
    let left = rank(left, top);
    notes.push(usage_note(brief, left.len(), found));
    Ok((left, notes))
}

/// The same, chosen by scores alone.
pub(crate) fn best(brief: &SectionBrief, documents: Vec<Document>) -> (Vec<Document>, Vec<String>) {
    let (top, found) = (document_limit(brief), documents.len());
    if found <= top {
        return (documents, Vec::new());
    }
    let left = rank(documents, top);
    let note = usage_note(brief, left.len(), found);
    (left, vec![note])
}

/// The most documents that a section may rest on.
fn document_limit(brief: &SectionBrief) -> usize {
    brief.config.sub_report_classify_doc_infos_res_top_k_num.max(1) as usize
}

fn usage_note(brief: &SectionBrief, left: usize, found: usize) -> String {
    format!("section {}: {left} of {found} documents are used", brief.section.id)
}

/// The places of the documents that a model chooses from a batch, each once, in their order.
async fn choose(
    cx: &Context<Resources>,
    brief: &SectionBrief,
    top: usize,
    (round, at): (usize, usize),
    batch: &[Document],
) -> Result<Result<BTreeSet<usize>, AskFailure>, NodeError> {
    if batch.len() <= top && round > 1 {
        return Ok(Ok((0..batch.len()).collect()));
    }
    let (shown, _) = numbered(batch, EXCERPT);
    let args = json!({
        "language": brief.language.as_str(),
        "section_title": brief.section.title,
        "section_description": brief.section.description,
        "query": brief.query,
        "top_k": top,
        "documents": shown,
    });
    let ask = Ask::new(format!("classify/{round}/{at}"), "classify_doc_infos")
        .slot(Slot::WritingChecking)
        .tries(brief.config.report_max_generate_retry_num);
    let check = |given: Chosen| {
        let mut places = BTreeSet::new();
        for number in given.documents {
            let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
            match place.filter(|place| *place < batch.len()) {
                Some(place) if places.len() < top => drop(places.insert(place)),
                Some(_) => {}
                None => return Err(format!("there is no document {number}; they are 1 to {}", batch.len())),
            }
        }
        if places.is_empty() { Err("no document was chosen".to_owned()) } else { Ok(places) }
    };
    value(cx, &ask, &args, check).await
}

/// The best `top` documents, in the order in which they were given: by the sum of their scores, where an unscored one
/// counts as middling, then by their place in the answer of their engine. Of a query's documents not all go before the
/// first of another: places count within their query.
pub fn rank(documents: Vec<Document>, top: usize) -> Vec<Document> {
    let mut of_query: BTreeMap<String, usize> = BTreeMap::new();
    let mut order: Vec<(i32, usize, usize)> = Vec::new();
    for (at, found) in documents.iter().enumerate() {
        let place = of_query.entry(found.query.clone()).or_default();
        *place += 1;
        let score = found.scores.map_or(20, |scores| {
            [scores.relevance, scores.answerability, scores.authority, scores.data_density].map(i32::from).iter().sum()
        });
        order.push((-score, *place, at));
    }
    order.sort_unstable();
    let best: BTreeSet<usize> = order.into_iter().take(top).map(|(_, _, at)| at).collect();
    documents.into_iter().enumerate().filter(|(at, _)| best.contains(at)).map(|(_, found)| found).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Scores;

    fn found(title: &str, query: &str, scores: Option<[u8; 4]>) -> Document {
        let mut found = Document::new(title, title, title);
        found.query = query.into();
        found.scores = scores.map(|[relevance, answerability, authority, data_density]| Scores {
            relevance,
            answerability,
            authority,
            data_density,
        });
        found
    }

    #[test]
    fn zero_is_worse_than_unscored_and_order_is_kept() {
        let given = vec![
            found("zero", "a", Some([0; 4])),
            found("none", "a", None),
            found("best", "b", Some([9; 4])),
            found("also none", "b", None),
        ];
        let titles = |top| rank(given.clone(), top).into_iter().map(|found| found.title).collect::<Vec<_>>();
        assert_eq!(titles(1), ["best"]);
        assert_eq!(titles(3), ["none", "best", "also none"]);
        assert_eq!(titles(9).len(), 4);
    }
}
