//! Reading records and finding their themes in the model's own words.

use futures::{StreamExt, TryStreamExt, stream};
use graphloom_core_graph::{Context, NodeError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::super::ids_of;
use crate::research::{Record, text_of};
use crate::resources::Resources;
use crate::session::{Finding, Session, Theme, numbered};

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

/// What each record claims, several at once.
pub(super) async fn read(cx: &Context<Resources>, topic: &str, records: &[Record]) -> Result<Vec<Finding>, NodeError> {
    let most = cx.resources().limits.record_bytes;
    let read = records.iter().cloned().enumerate().map(|(at, record)| {
        let (cx, topic) = (cx.clone(), topic.to_owned());
        async move { read_one(&cx, at, &topic, record, most).await }
    });
    stream::iter(read).buffered(AT_ONCE).try_collect().await
}

async fn read_one(
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

/// The themes of what was read.
pub(super) async fn themes(cx: &Context<Resources>, session: &Session) -> Result<Vec<Theme>, NodeError> {
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
