//! Retrieval for one query: a model that calls search tools, or the query as it stands.

use std::sync::Arc;

use graphloom_agents::{AgentError, Conversation, ConverseOptions, ToldModel, converse};
use graphloom_core_graph::{Context, NodeError};
use serde_json::json;

use super::CollectRequest;
use super::tools::SearchTools;
use crate::evidence::Document;
use crate::resources::{Resources, Slot, Stage};
use crate::status::StatusCode;
use graphloom_retrieval::EngineReport;

/// The longest query, in characters.
const MOST_QUERY: usize = 200;

/// What the searches for a query found.
#[derive(Clone, Debug, Default)]
pub(super) struct RetrievedDocuments {
    /// The documents, each id once.
    pub(super) documents: Vec<Document>,
    /// How the engines answered.
    pub(super) reports: Vec<EngineReport>,
    /// Pages that could not be read.
    pub(super) unread: Vec<String>,
    /// What a user should know.
    pub(super) notes: Vec<String>,
}

/// The queries on one line each, without empty ones, repetitions and those that were asked before, at most `limit`.
pub(super) fn distinct(queries: impl IntoIterator<Item = String>, asked: &[String], limit: usize) -> Vec<String> {
    let normal = |query: &str| query.to_lowercase();
    let mut seen: std::collections::BTreeSet<String> = asked.iter().map(|query| normal(query)).collect();
    let line = |query: String| -> String {
        let line = query.split_whitespace().collect::<Vec<_>>().join(" ");
        line.chars().take(MOST_QUERY).collect()
    };
    let queries = queries.into_iter().map(line).filter(|query| !query.is_empty());
    queries.filter(|query| seen.insert(normal(query))).take(limit).collect()
}

/// Searches for the query with number `at` of a round. A model that calls tools is led by the prompt `collector`;
/// without one, and where its calls find nothing out, the query is searched as it stands.
///
/// # Errors
/// Only errors that no model and no engine caused.
pub(super) async fn retrieve(
    cx: &Context<Resources>,
    request: &CollectRequest,
    at: usize,
    query: &str,
) -> Result<RetrievedDocuments, NodeError> {
    let resources = cx.resources();
    let tools = Arc::new(SearchTools::new(cx, request, at));
    let mut notes = Vec::new();
    let slot = Slot::InfoCollecting;
    let model = ToldModel::new(cx, &resources.model(slot), Some(slot.name()));
    if tools.is_empty() {
        notes.push(format!("query `{query}`: there is nothing to search"));
    } else if !resources.may_ask(Slot::InfoCollecting, Stage::Research) {
        tools.search_plainly(query).await?;
    } else {
        let args = request.args(json!({
            "remaining_steps": request.limits.tool_steps(), "query": query, "tools": tools.names(),
        }));
        let messages = resources.prompts.render("collector", &args).map_err(NodeError::terminal)?.messages;
        let registry = tools.registry().map_err(NodeError::terminal)?;
        let mut options = ConverseOptions::default();
        // The last turn has no tools.
        options.max_turns = request.limits.tool_steps() + 1;
        options.key = format!("query/{at}/");
        let conversation = Conversation::new(&model, &registry, &resources.prompts, messages).with_options(options);
        match converse(conversation, cx).await {
            Ok(_) => {}
            Err(error) => match error.downcast_ref::<AgentError>() {
                Some(failure) => notes.push(format!(
                    "query `{query}`: the model failed, so it is searched: [{}]{failure}",
                    StatusCode::Model
                )),
                None => return Err(error),
            },
        }
        if let Some(fault) = tools.take_fault() {
            return Err(fault);
        }
        if !tools.has_answered() {
            tools.search_plainly(query).await?;
        }
    }
    let mut gathered = tools.take();
    if !tools.is_empty() && gathered.reports.is_empty() {
        notes.push(format!("query `{query}`: no search was answered in time"));
    }
    gathered.notes.splice(0..0, notes);
    Ok(gathered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_distinct_short_lines() {
        let long = "x".repeat(900);
        let given = ["  a \n b ", "A b", "", "known", "c", "d"].map(String::from);
        assert_eq!(distinct(given, &["Known".into()], 2), ["a b", "c"]);
        assert_eq!(distinct([long], &[], 3)[0].len(), MOST_QUERY);
    }
}
