//! The resources of MCP servers as something that is searched.

use std::cmp::Reverse;
use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use futures::future::join_all;
use graphloom_mcp::{McpError, McpServers, ServerReport};
use graphloom_retrieval::extract::{about, best_sentences, query_terms, snippet, terms};
use graphloom_retrieval::{
    EngineOutcome, EngineReport, Evidence, Fault, Hit, Search, SearchAnswer, Source, interleave,
};
use serde_json::{Value, json};

/// Resources of one server that are read for one question.
const MOST_READ: usize = 12;
/// Resources that are read at the same time.
const AT_ONCE: usize = 4;
/// Of a longer resource, so many characters are kept.
const MOST_TEXT: usize = 12_000;
/// Sentences by which a resource is ranked.
const SENTENCES: usize = 8;

/// The resources of MCP servers. A server is asked for its list, those whose names and descriptions are most about the
/// question are read, and what they say is ranked by its sentences. Resources that are no text are left out.
#[derive(Clone, Debug)]
pub struct McpSearch {
    servers: Arc<McpServers>,
}

/// A resource as its server lists it.
struct Listed {
    uri: String,
    title: String,
    /// How many words of the question its description has.
    fits: usize,
}

impl McpSearch {
    /// The resources of these servers.
    pub fn new(servers: Arc<McpServers>) -> Self {
        Self { servers }
    }

    /// The servers that have resources, or did not begin.
    fn asked(&self) -> Vec<ServerReport> {
        let lists = |report: &ServerReport| report.tools.iter().any(|tool| tool.original == "read_resource");
        self.servers.reports().into_iter().filter(|report| report.error.is_some() || lists(report)).collect()
    }

    async fn ask(&self, server: &str, query: &str, limit: usize) -> (EngineReport, Vec<Hit>) {
        let engine = engine_of(server);
        match self.found(server, query, limit).await {
            Ok((hits, notes)) => {
                (EngineReport::new(engine, query, EngineOutcome::found(hits.len())).noting(notes), hits)
            }
            Err(error) => {
                (EngineReport::new(engine, query, EngineOutcome::Failed { fault: fault(&error) }), Vec::new())
            }
        }
    }

    async fn found(&self, server: &str, query: &str, limit: usize) -> Result<(Vec<Hit>, Vec<String>), McpError> {
        let list = self.servers.call(server, "list_resources", json!({})).await?;
        let mut listed: Vec<Listed> =
            list.data.as_array().into_iter().flatten().filter_map(|item| listed(item, query)).collect();
        listed.sort_by_key(|resource| Reverse(resource.fits));
        listed.truncate(MOST_READ);
        let read = listed.into_iter().map(|resource| async move {
            let answer = self.servers.call(server, "read_resource", json!({ "uri": resource.uri })).await;
            (resource, answer)
        });
        let read: Vec<_> = futures::stream::iter(read).buffered(AT_ONCE).collect().await;
        let (mut hits, mut notes) = (Vec::new(), Vec::new());
        for (resource, answer) in read {
            match answer {
                Ok(output) => hits.extend(hit(server, &resource, &output.content, query)),
                Err(error) => notes.push(format!("`{}` was not read: {error}", resource.uri)),
            }
        }
        hits.sort_by(|one: &Hit, other| other.score.total_cmp(&one.score));
        hits.truncate(limit);
        Ok((hits, notes))
    }
}

#[async_trait]
impl Search for McpSearch {
    fn engines(&self) -> Vec<String> {
        self.asked().iter().map(|report| engine_of(&report.server)).collect()
    }

    async fn search(&self, query: &str, limit: usize) -> SearchAnswer {
        let asked = self.asked();
        let answers = join_all(asked.iter().map(|report| self.ask(&report.server, query, limit))).await;
        let (reports, hits): (Vec<_>, Vec<_>) = answers.into_iter().unzip();
        let mut answer = SearchAnswer::default();
        (answer.reports, answer.hits) = (reports, interleave(hits).collect());
        answer
    }
}

fn engine_of(server: &str) -> String {
    format!("mcp:{server}")
}

fn fault(error: &McpError) -> Fault {
    let reason = error.to_string();
    if error.is_retryable() { Fault::Down { reason } } else { Fault::Unusable { reason } }
}

/// A resource that may be text.
fn listed(item: &Value, query: &str) -> Option<Listed> {
    let text = |name: &str| item[name].as_str().unwrap_or_default();
    let kind = text("mimeType");
    let is_text =
        kind.is_empty() || kind.starts_with("text/") || ["json", "xml", "yaml"].iter().any(|word| kind.contains(word));
    let uri = text("uri");
    if !is_text || uri.is_empty() {
        return None;
    }
    let title = [text("title"), text("name"), uri].into_iter().find(|title| !title.is_empty()).unwrap_or(uri);
    let said = terms(&format!("{title} {} {}", text("description"), uri.replace(['/', '_', '-', '.', ':'], " ")));
    let fits = query_terms(query).iter().filter(|term| said.contains(term)).count();
    Some(Listed { uri: uri.to_owned(), title: title.to_owned(), fits })
}

/// What a resource says about a question; nothing when it says nothing.
fn hit(server: &str, resource: &Listed, content: &str, query: &str) -> Option<Hit> {
    let content = content.strip_prefix(&format!("resource {}:\n", resource.uri)).unwrap_or(content);
    let text = about(query, content, MOST_TEXT);
    let ranked: f32 = best_sentences(query, &text, SENTENCES).iter().map(|sentence| sentence.score).sum();
    // A rank, not a measure: a few words fit a float.
    let score = ranked + resource.fits as f32;
    if score <= 0.0 {
        return None;
    }
    let source = Source::Mcp { server: server.to_owned(), uri: resource.uri.clone() };
    let place = format!("{server}/{}", resource.uri);
    let shown = snippet(query, &text);
    Some(Hit::new(Evidence::of_text(source, &place, &resource.title, text), score, shown).by(engine_of(server)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_that_may_be_text_are_ranked_by_what_is_said_of_them() {
        let of = |item: Value| listed(&item, "how do tides move").map(|resource| resource.fits);
        assert_eq!(
            of(json!({"uri": "file:///notes/tides.md", "name": "tides.md", "mimeType": "text/markdown"})),
            Some(1)
        );
        assert_eq!(of(json!({"uri": "demo://1", "name": "a", "description": "Moving tides."})), Some(2));
        assert_eq!(of(json!({"uri": "demo://2", "name": "a picture", "mimeType": "image/png"})), None);
        assert_eq!(of(json!({"name": "tides"})), None);
    }

    #[test]
    fn what_a_resource_says_is_evidence_with_its_place() {
        let resource = Listed { uri: "demo://1".into(), title: "Tides".into(), fits: 0 };
        let content = "resource demo://1:\nThe moon moves the tides twice a day.";
        let found = hit("all", &resource, content, "what moves the tides").unwrap();
        assert_eq!(found.evidence.text, "The moon moves the tides twice a day.");
        assert_eq!(found.evidence.place(), "demo://1 of the MCP server all");
        assert_eq!((found.engine.as_str(), found.evidence.id.starts_with("all-demo-1#")), ("mcp:all", true));
        assert!(hit("all", &resource, "Soup is made of water.", "what moves the tides").is_none());
    }
}
