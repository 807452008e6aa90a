//! Searches the sources and reads what is found: map, then reduce. In: queries. Out: the review, as a new version, also
//! when nothing was found, so that the sources' answers can be told.

use futures::{StreamExt, TryStreamExt, stream};
use graphloom_core_graph::{Context, NodeError, Snapshot, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{finished, ids_of, numbered, stray, think};
use crate::actions::{Action, Call};
use crate::decide::Finish;
use crate::nodes::router::call_of;
use crate::research::{Findings, Record, gathered};
use crate::resources::Resources;
use crate::session::{Artifact, Finding, Review, Theme};
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

pub(crate) async fn literature_review(
    state: Snapshot<Conversation>,
    cx: Context<Resources>,
) -> Result<Step<Conversation>, NodeError> {
    let Some(Call::LiteratureReview(parameters)) = call_of(&state.turn) else {
        return Err(stray("literature_review"));
    };
    let limits = cx.resources().limits;
    let mut all: Vec<Findings> = Vec::new();
    for (at, query) in parameters.queries.iter().enumerate() {
        think(&cx, format!("searching: {query}")).await;
        let search =
            async { Ok::<Findings, NodeError>(cx.resources().research.search(query, limits.records_per_query).await) };
        let found: Findings = cx.once(&format!("search/{at}"), search).await?;
        for report in &found.reports {
            think(&cx, report.to_string()).await;
        }
        all.push(found);
    }
    let Findings { mut records, reports: sources, .. } = gathered(all);
    records.truncate(limits.records);
    let mut session = state.session.clone();
    let topic = session.topic.clone().unwrap_or_default();
    let findings: Vec<Finding> = stream::iter(records.iter().cloned().enumerate().map(|(at, record)| {
        let (cx, topic) = (cx.clone(), topic.clone());
        async move { read(&cx, at, &topic, record, limits.record_bytes).await }
    }))
    .buffered(AT_ONCE)
    .try_collect()
    .await?;
    let none = records.is_empty();
    // A source that was searched in vain counts as an answer, one that failed does not.
    let unanswered = !sources.iter().any(|report| report.status.answered());
    let version = session.artifacts.review.as_ref().map_or(1, |review| review.version + 1);
    let review = Review { records, findings, themes: Vec::new(), sources };
    session.action_result = Some(format!("{} records", review.records.len()));
    session.artifacts.review = Some(Artifact::new(version, Action::LiteratureReview, cx.now(), review));
    if none {
        let finish = if unanswered { Finish::SourcesFailed } else { Finish::NoRecords };
        return Ok(finished(session, &state.turn, finish));
    }
    let args = json!({ "topic": topic, "findings": numbered(&session) });
    let made: Themes = cx.resources().ask(&cx, "themes", "themes", &args).await?;
    let themes = made.themes.into_iter().map(|theme| {
        let records = ids_of(&session, &theme.records);
        Theme { name: theme.name, summary: theme.summary, records }
    });
    // A theme that names no record is an opinion of the model.
    let themes: Vec<Theme> = themes.filter(|theme| !theme.records.is_empty()).collect();
    think(&cx, format!("{} themes", themes.len())).await;
    if let Some(review) = &mut session.artifacts.review {
        review.value.themes = themes;
    }
    Ok(finished(session, &state.turn, Finish::Ok))
}

async fn read(
    cx: &Context<Resources>,
    at: usize,
    topic: &str,
    record: Record,
    most: usize,
) -> Result<Finding, NodeError> {
    // Of a work without an abstract only the title is known.
    let text = record.abstract_text.as_deref().unwrap_or(&record.title);
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let place = record.address().unwrap_or_default();
    let args = json!({ "topic": topic, "title": record.title, "text": &text[..end], "place": place });
    let extracted: Extracted = cx.resources().ask(cx, &format!("extract/{at}"), "extract", &args).await?;
    Ok(Finding { record: record.id, claim: extracted.claim, limits: extracted.limits })
}
