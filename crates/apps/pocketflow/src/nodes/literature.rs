//! Node `literature_review`.

use futures::{StreamExt, TryStreamExt, stream};
use graphloom_core_graph::{Context, NodeError, Snapshot, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{finished, ids_of, stray, think, think_all};
use crate::actions::{Action, Call};
use crate::decide::Finish;
use crate::nodes::router::call_of;
use crate::research::{Findings, Record, find, gathered, is_same, text_of};
use crate::resources::Resources;
use crate::session::{Artifact, Finding, Review, Session, Theme, numbered};
use crate::small::{self, Search, Small};
use crate::state::Conversation;

/// Records that are read at once.
const AT_ONCE: usize = 4;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Extracted {
    #[schemars(length(max = 800))]
    claim: String,
    #[schemars(length(max = 400))]
    limits: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Themes {
    #[schemars(length(min = 1, max = 4))]
    themes: Vec<NumberedTheme>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct NumberedTheme {
    #[schemars(length(max = 100))]
    name: String,
    #[schemars(length(max = 800))]
    summary: String,
    #[schemars(length(max = 12))]
    records: Vec<u32>,
}

/// Searches the sources and reads what is found: map, then reduce. In: queries. Out: the review, as a new version, also
/// when nothing was found, so that the sources' answers can be told.
///
/// # Errors
/// No model that answers, a call that is not the node's, and what the graph runtime itself reports.
pub async fn literature_review(
    state: Snapshot<Conversation>,
    cx: Context<Resources>,
) -> Result<Step<Conversation>, NodeError> {
    let Some(Call::LiteratureReview(parameters)) = call_of(&state.turn) else {
        return Err(stray("literature_review"));
    };
    let limits = cx.resources().limits;
    let mut found: Vec<(String, Findings)> = Vec::new();
    for (at, query) in parameters.queries.iter().enumerate() {
        think(&cx, format!("searching: {query}")).await;
        let resources = cx.resources();
        let search =
            async { Ok::<Findings, NodeError>(find(&*resources.search, query, limits.records_per_query).await) };
        let findings: Findings = cx.once(&format!("search/{at}"), search).await?;
        for report in &findings.reports {
            think(&cx, report.to_string()).await;
        }
        found.push((query.clone(), findings));
    }
    let Findings { mut records, reports: sources, .. } = gathered(found.iter().map(|(_, findings)| findings.clone()));
    let searches: Vec<Search> = found.into_iter().map(|(query, found)| by_search(query, &found, &records)).collect();
    let mut session = state.session.clone();
    let topic = session.topic.clone().unwrap_or_default();
    let round = session.journey.len();
    let mut notes = Vec::new();
    let reader = Small::of(&cx, "extract", round)?;
    records.truncate(reader.as_ref().map_or(limits.records, |small| limits.records.min(small.rules().records)));
    let findings = match reader {
        Some(small) if !records.is_empty() => small::read(&small, &topic, &records, &searches, &mut notes).await?,
        _ => read_all(&cx, &topic, &records).await?,
    };
    let none = records.is_empty();
    // A source that was searched in vain counts as an answer, one that failed does not.
    let unanswered = !sources.iter().any(|report| report.outcome.answered());
    let version = session.artifacts.review.as_ref().map_or(1, |review| review.version + 1);
    think_all(&cx, &notes).await;
    let review = Review { records, findings, themes: Vec::new(), sources, notes };
    session.action_result = Some(format!("{} records", review.records.len()));
    session.artifacts.review = Some(Artifact::new(version, Action::LiteratureReview, cx.now(), review));
    if none {
        let finish = if unanswered { Finish::SourcesFailed } else { Finish::NoRecords };
        return Ok(finished(session, &state.turn, finish));
    }
    let themes = match Small::of(&cx, "themes", round)? {
        Some(_) => {
            let findings = session.artifacts.review.iter().flat_map(|review| &review.value.findings);
            small::themes(&findings.cloned().collect::<Vec<_>>(), &searches)
        }
        None => themes_of(&cx, &session).await?,
    };
    think(&cx, format!("{} themes", themes.len())).await;
    if let Some(review) = &mut session.artifacts.review {
        review.value.themes = themes;
    }
    Ok(finished(session, &state.turn, Finish::Ok))
}

/// Which of the records a search found.
fn by_search(query: String, found: &Findings, records: &[Record]) -> Search {
    let own = records.iter().filter(|record| found.records.iter().any(|one| is_same(one, record)));
    Search { query, records: own.map(|record| record.id.clone()).collect() }
}

async fn themes_of(cx: &Context<Resources>, session: &Session) -> Result<Vec<Theme>, NodeError> {
    let topic = session.topic.as_deref().unwrap_or_default();
    let args = json!({ "topic": topic, "findings": numbered(session) });
    let made: Themes = cx.resources().ask(cx, "themes", "themes", &args).await?;
    let themes = made.themes.into_iter().map(|theme| {
        let records = ids_of(session, &theme.records);
        Theme { name: theme.name, summary: theme.summary, records }
    });
    // A theme that names no record is an opinion of the model.
    Ok(themes.filter(|theme| !theme.records.is_empty()).collect())
}

async fn read_all(cx: &Context<Resources>, topic: &str, records: &[Record]) -> Result<Vec<Finding>, NodeError> {
    let most = cx.resources().limits.record_bytes;
    let read = records.iter().cloned().enumerate().map(|(at, record)| {
        let (cx, topic) = (cx.clone(), topic.to_owned());
        async move { read(&cx, at, &topic, record, most).await }
    });
    stream::iter(read).buffered(AT_ONCE).try_collect().await
}

async fn read(
    cx: &Context<Resources>,
    at: usize,
    topic: &str,
    record: Record,
    most: usize,
) -> Result<Finding, NodeError> {
    let text = text_of(&record);
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let place = record.address().unwrap_or_default();
    let args = json!({ "topic": topic, "title": record.title, "text": &text[..end], "place": place });
    let extracted: Extracted = cx.resources().ask(cx, &format!("extract/{at}"), "extract", &args).await?;
    Ok(Finding { record: record.id, claim: extracted.claim, limits: extracted.limits })
}
