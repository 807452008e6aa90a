//! Assistants.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::page;
use crate::transport::{Call, Transport};
use crate::{Assistant, AssistantChange, AssistantId, AssistantSearch, ClientError, NewAssistant, Page, Schemas};

/// The assistants of a server. Where a parameter is a text, the name of a graph will do as well as an id.
///
/// # Errors
/// All calls fail as [`ClientError`] says; what is not there is 404.
#[derive(Clone, Debug)]
pub struct Assistants {
    transport: Arc<Transport>,
}

#[expect(clippy::missing_errors_doc, reason = "the type says it for all of its calls")]
impl Assistants {
    pub(crate) fn new(transport: Arc<Transport>) -> Self {
        Self { transport }
    }

    /// Makes an assistant.
    pub async fn create(&self, new: NewAssistant) -> Result<Assistant, ClientError> {
        self.transport.json(&Call::post(["assistants"]).json(&new)).await
    }

    /// An assistant.
    pub async fn get(&self, id: AssistantId) -> Result<Assistant, ClientError> {
        self.transport.json(&Call::get(path(&id, &[]))).await
    }

    /// Changes an assistant, which gets a new version.
    pub async fn update(&self, id: AssistantId, change: AssistantChange) -> Result<Assistant, ClientError> {
        self.transport.json(&Call::patch(path(&id, &[])).json(&change)).await
    }

    /// Deletes an assistant with all its versions, and its threads when that is asked for.
    pub async fn delete(&self, id: AssistantId, with_threads: bool) -> Result<(), ClientError> {
        let call = Call::delete(path(&id, &[]));
        self.transport.done(&if with_threads { call.query("delete_threads", &true) } else { call }).await
    }

    /// The assistants that a search finds.
    pub async fn search(&self, search: AssistantSearch) -> Result<Page<Assistant>, ClientError> {
        page(&self.transport, &Call::post(["assistants", "search"]).json(&search)).await
    }

    /// How many assistants a search finds.
    pub async fn count(&self, search: AssistantSearch) -> Result<u64, ClientError> {
        self.transport.json(&Call::post(["assistants", "count"]).json(&search)).await
    }

    /// The drawing of a graph: `nodes` and `edges`, with those of subgraphs when `inside`.
    pub async fn graph(&self, assistant: &str, inside: bool) -> Result<Value, ClientError> {
        self.transport.json(&Call::get(path(&assistant, &["graph"])).query("xray", &inside)).await
    }

    /// The schemas of a graph.
    pub async fn schemas(&self, assistant: &str) -> Result<Schemas, ClientError> {
        self.transport.json(&Call::get(path(&assistant, &["schemas"]))).await
    }

    /// The schemas of the subgraphs of a graph, by namespace, with those inside of them when `recurse`.
    pub async fn subgraphs(&self, assistant: &str, recurse: bool) -> Result<BTreeMap<String, Schemas>, ClientError> {
        self.transport.json(&Call::get(path(&assistant, &["subgraphs"])).query("recurse", &recurse)).await
    }

    /// The versions of an assistant, newest first.
    pub async fn versions(&self, id: AssistantId) -> Result<Vec<Assistant>, ClientError> {
        self.transport.json(&Call::post(path(&id, &["versions"])).json(&json!({}))).await
    }

    /// Makes a version the one in use.
    pub async fn set_latest(&self, id: AssistantId, version: u64) -> Result<Assistant, ClientError> {
        self.transport.json(&Call::post(path(&id, &["latest"])).json(&json!({"version": version}))).await
    }
}

fn path(assistant: &impl ToString, rest: &[&str]) -> Vec<String> {
    let mut path = vec!["assistants".to_owned(), assistant.to_string()];
    path.extend(rest.iter().map(ToString::to_string));
    path
}
