//! The search tools of a query: durable searches, counted, with what they found.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use graphloom_agents::{AgentError, Risk, Tool, ToolError, ToolOutput, ToolRegistry};
use graphloom_core_graph::{Context, NodeError};
use graphloom_llm::ToolSpec;
use serde_json::{Value, json};

use super::CollectRequest;
use super::retrieval::{RetrievedDocuments, distinct};
use crate::config::SearchMethod;
use crate::evidence::EvidenceId;
use crate::resources::Resources;
use crate::search::Retrieved;

/// Searches the web.
pub(super) const WEB: &str = "web_search_tool";
/// Searches local documents.
pub(super) const LOCAL: &str = "local_search_tool";
/// The most searches for one query in one round. Calls beyond it are refused, and the model is told.
const MOST_CALLS: usize = 8;
/// How much of a document a model sees in the answer of a tool, in characters.
const EXCERPT: usize = 1200;
/// How long a search may take as a tool: engines have limits of their own, and may wait for their turn.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(120);

/// The search tools of one query. Clones share what was found.
pub(super) struct SearchTools {
    cx: Context<Resources>,
    key: String,
    engines: Vec<Engine>,
    found: Arc<Mutex<ToolResults>>,
}

#[derive(Clone)]
struct Engine {
    tool: &'static str,
    method: SearchMethod,
    limit: usize,
}

#[derive(Default)]
struct ToolResults {
    gathered: RetrievedDocuments,
    ids: BTreeSet<EvidenceId>,
    /// The searches that were made, as tool and query.
    made: BTreeSet<(&'static str, String)>,
    refused: usize,
    answered: bool,
    fault: Option<NodeError>,
}

impl SearchTools {
    pub(super) fn new(cx: &Context<Resources>, request: &CollectRequest, at: usize) -> Self {
        let resources = cx.resources();
        let limits = &request.limits;
        let web = (WEB, SearchMethod::Web, limits.max_web_search_results);
        let local = (LOCAL, SearchMethod::Local, limits.max_local_search_results);
        let mut engines = Vec::new();
        for (tool, method, limit) in [web, local] {
            let wanted = matches!(limits.search_method, SearchMethod::All) || limits.search_method == method;
            if wanted && resources.search.can(method) {
                engines.push(Engine { tool, method, limit: limit.max(1) as usize });
            }
        }
        Self { cx: cx.clone(), key: format!("search/{at}"), engines, found: Arc::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.engines.is_empty()
    }

    pub(super) fn names(&self) -> Vec<&'static str> {
        self.engines.iter().map(|engine| engine.tool).collect()
    }

    /// The tools for a model: nothing else can be called.
    pub(super) fn registry(self: &Arc<Self>) -> Result<ToolRegistry, AgentError> {
        let mut registry = ToolRegistry::new(Risk::Read).with_timeout(PATIENCE);
        for engine in &self.engines {
            registry.register(Arc::new(SearchTool {
                tools: Arc::clone(self),
                engine: engine.clone(),
                spec: spec(engine.tool),
            }))?;
        }
        Ok(registry)
    }

    /// Searches every engine for the query as it stands.
    pub(super) async fn search_plainly(&self, query: &str) -> Result<(), NodeError> {
        for engine in &self.engines {
            self.search(engine, query).await?;
        }
        Ok(())
    }

    /// Whether a search was made and answered.
    pub(super) fn has_answered(&self) -> bool {
        self.lock().answered
    }

    pub(super) fn take_fault(&self) -> Option<NodeError> {
        self.lock().fault.take()
    }

    /// Takes the documents that were found.
    pub(super) fn take(&self) -> RetrievedDocuments {
        let mut found = self.lock();
        let mut gathered = std::mem::take(&mut found.gathered);
        if found.refused > 0 {
            gathered.notes.push(format!("{} searches beyond {MOST_CALLS} for one query were refused", found.refused));
        }
        gathered
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, ToolResults> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A durable search. Its answer is none when the same search was made before.
    async fn search(&self, engine: &Engine, query: &str) -> Result<Option<Retrieved>, NodeError> {
        if !self.lock().made.insert((engine.tool, query.to_lowercase())) {
            return Ok(None);
        }
        let key = format!("{}/{}/{query}", self.key, engine.tool);
        let now = self.cx.now();
        let work = async {
            let mut answer = self.cx.resources().search.ask(engine.method, query, engine.limit).await;
            for found in &mut answer.documents {
                if found.fetched_at == 0 {
                    found.fetched_at = now;
                }
            }
            Ok(answer)
        };
        let answer: Retrieved = self.cx.once(&key, work).await?;
        let mut found = self.lock();
        found.answered |= answer.reports.iter().any(|report| report.outcome.answered());
        found.gathered.reports.extend(answer.reports.iter().cloned());
        found.gathered.unread.extend(answer.notes.iter().cloned());
        for document in &answer.documents {
            if found.ids.insert(document.id.clone()) {
                found.gathered.documents.push(document.clone());
            }
        }
        Ok(Some(answer))
    }
}

struct SearchTool {
    tools: Arc<SearchTools>,
    engine: Engine,
    spec: ToolSpec,
}

#[async_trait]
impl Tool for SearchTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn risk(&self) -> Risk {
        Risk::Read
    }

    fn aliases(&self) -> &[(&str, &str)] {
        &[("q", "query"), ("keywords", "query"), ("search_query", "query")]
    }

    async fn call(&self, arguments: Value) -> Result<ToolOutput, ToolError> {
        let given = arguments.get("query").and_then(Value::as_str).unwrap_or_default().to_owned();
        let Some(query) = distinct([given], &[], 1).pop() else {
            return Err(ToolError::failed("the query is empty"));
        };
        let full = {
            let mut found = self.tools.lock();
            let full = found.made.len() >= MOST_CALLS;
            found.refused += usize::from(full);
            full
        };
        if full {
            return Err(ToolError::refused(format!("{MOST_CALLS} searches were made, no more are allowed here")));
        }
        match self.tools.search(&self.engine, &query).await {
            Ok(Some(answer)) => Ok(tool_output(&answer, self.engine.tool)),
            Ok(None) => Err(ToolError::refused("this search was made before; its results are above")),
            Err(fault) => {
                let message = fault.to_string();
                self.tools.lock().fault = Some(fault);
                Err(ToolError::failed(message))
            }
        }
    }
}

/// What a model reads of an answer.
fn tool_output(answer: &Retrieved, tool: &str) -> ToolOutput {
    let mut text = String::new();
    for (number, found) in (1..).zip(&answer.documents) {
        let excerpt: String = found.text.chars().take(EXCERPT).collect();
        text.push_str(&format!("{number}. {} ({})\n{excerpt}\n\n", found.title, found.url));
    }
    for report in &answer.reports {
        if let Some(fault) = report.outcome.fault() {
            text.push_str(&format!("The engine {} did not answer: it {fault}\n", report.engine));
        }
    }
    if text.is_empty() {
        text.push_str("Nothing was found.");
    }
    ToolOutput::new(text.trim_end()).with_origin(format!("results of {tool}"))
}

fn spec(tool: &str) -> ToolSpec {
    let description = match tool {
        WEB => include_str!("../../prompts/tools/web_search_tool.md"),
        _ => include_str!("../../prompts/tools/local_search_tool.md"),
    };
    let query = json!({ "type": "string", "description": include_str!("../../prompts/tools/query.md").trim_end() });
    ToolSpec {
        name: tool.to_owned(),
        description: description.trim_end().to_owned(),
        parameters: json!({
            "type": "object",
            "properties": { "query": query },
            "required": ["query"],
            "additionalProperties": false,
        }),
        strict: false,
    }
}
