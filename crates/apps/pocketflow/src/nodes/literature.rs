//! Searches the sources and reads what is found: map, then reduce. In: queries. Out: the review, as a new version, also
//! when nothing was found, so that the sources' answers can be told.

use futures::{StreamExt, TryStreamExt, stream};
use graphloom_core_graph::{Context, NodeError, Snapshot, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{finished, ids_of, numbered, stray, think, think_all};
use crate::actions::{Action, Call};
use crate::decide::Finish;
use crate::nodes::router::call_of;
use crate::research::{Found, Record, SourceAnswer, SourceReport};
use crate::resources::Resources;
use crate::session::{Artifact, Finding, Review, Session, Theme};
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

pub(crate) async fn literature_review(
    state: Snapshot<Conversation>,
    cx: Context<Resources>,
) -> Result<Step<Conversation>, NodeError> {
    let Some(Call::LiteratureReview(parameters)) = call_of(&state.turn) else {
        return Err(stray("literature_review"));
    };
    let limits = cx.resources().limits;
    let mut records: Vec<Record> = Vec::new();
    let mut sources: Vec<SourceReport> = Vec::new();
    let mut searches: Vec<Search> = Vec::new();
    for (at, query) in parameters.queries.iter().enumerate() {
        think(&cx, format!("searching: {query}")).await;
        let search =
            async { Ok::<Found, NodeError>(cx.resources().research.search(query, limits.records_per_query).await) };
        let found: Found = cx.once(&format!("search/{at}"), search).await?;
        for report in found.sources {
            think(&cx, report.to_string()).await;
            add_report(&mut sources, report);
        }
        let mut search = Search { query: query.clone(), records: Vec::new() };
        for record in found.records {
            match records.iter().find(|other| is_same(other, &record)) {
                Some(known) => search.records.push(known.id.clone()),
                None => {
                    search.records.push(record.id.clone());
                    records.push(record);
                }
            }
        }
        searches.push(search);
    }
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
    let unanswered = !sources.iter().any(|report| report.answer.is_answer());
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
    let end = (0..=most.min(record.text.len())).rev().find(|at| record.text.is_char_boundary(*at)).unwrap_or(0);
    let text = &record.text[..end];
    let args = json!({ "topic": topic, "title": record.title, "text": text, "place": record.place });
    let extracted: Extracted = cx.resources().ask(cx, &format!("extract/{at}"), "extract", &args).await?;
    Ok(Finding { record: record.id, claim: extracted.claim, limits: extracted.limits })
}

/// Adds the answer of a source to those it gave before: what it found counts together, a failure stays visible.
fn add_report(sources: &mut Vec<SourceReport>, report: SourceReport) {
    let Some(before) = sources.iter_mut().find(|before| before.source == report.source) else {
        sources.push(report);
        return;
    };
    before.answer = match (&before.answer, report.answer) {
        (SourceAnswer::Found { records }, SourceAnswer::Found { records: more }) => {
            SourceAnswer::Found { records: records + more }
        }
        (SourceAnswer::Empty, answer) => answer,
        (_, found @ SourceAnswer::Found { .. }) => found,
        (before, _) => before.clone(),
    };
}

/// Whether two records are one: by id, by DOI, or by title.
fn is_same(one: &Record, other: &Record) -> bool {
    let title =
        |record: &Record| record.title.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let doi = |record: &Record| record.doi.clone().filter(|doi| !doi.is_empty());
    match (doi(one), doi(other)) {
        (Some(one), Some(other)) => one.eq_ignore_ascii_case(&other),
        _ => one.id == other.id || (one.year == other.year && !title(one).is_empty() && title(one) == title(other)),
    }
}
