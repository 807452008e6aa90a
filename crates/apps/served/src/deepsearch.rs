//! `deepsearch`: a question in, a report whose citations were checked out.
//!
//! ```text
//! START ─► take ─► research | research_dependency (DeepSearch's main graphs) ─► deliver ─► END
//! ```

use std::sync::Arc;

use graphloom_core_graph::{
    ChildOutcome, CompileErrors, Compiled, Context, END, FromRef, Node, NodeError, START, Shared, Snapshot, State,
    StateGraph, Step,
};
use graphloom_deepsearch::state::Request;
use graphloom_deepsearch::{Config, GraphKind, Resources, SearchContext, SearchContextUpdate, answers, export, graph};
use graphloom_server::Server;
use graphloom_server::artifacts::Artifact;
use graphloom_server::messages::{Messages, add_messages};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::document::{Delivery, Document, HTML, MARKDOWN, keep_all};
use crate::request::{said, wanted};
use crate::today::today;

/// The name under which it is served.
pub const NAME: &str = "deepsearch";

/// Research.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Research {
    /// What was said: questions, and reports.
    #[state(reduce_with = add_messages, stored = deltas)]
    pub messages: Messages,
    /// What shall be researched, in the place of a message.
    pub query: Option<String>,
    /// The form of the report, in Markdown.
    pub report_template: Option<String>,
    /// What is researched now.
    pub request: Option<Shared<Request>>,
    /// What went wrong on the way to the newest report, each with its code.
    pub notices: Vec<String>,
    /// The documents: the report as Markdown and as a page, and the result with all citations.
    pub artifacts: Vec<Artifact>,
    /// What is to be delivered.
    pub delivery: Option<Shared<Delivery>>,
}

/// What a run may be told beside its input.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ResearchContext {
    /// Parameters of DeepSearch that are different in this run, such as `outliner_max_section_num`. Models, engines and keys
    /// are the server's.
    pub config: Map<String, Value>,
}

/// What the nodes of a run work with.
#[derive(Debug)]
pub struct ResearchResources {
    resources: Arc<Resources>,
    config: Config,
}

impl FromRef<ResearchResources> for Resources {
    fn from_ref(resources: &Arc<ResearchResources>) -> Arc<Self> {
        Arc::clone(&resources.resources)
    }
}

const TAKE: Node = Node::named("take");
const RESEARCH: Node = Node::named("research");
const RESEARCH_DEPENDENCY: Node = Node::named("research_dependency");
const DELIVER: Node = Node::named("deliver");

/// Parameters that lead to other models, engines and keys than the server's.
const OF_THE_SERVER: [&str; 5] = [
    "llm_config",
    "web_search_engine_config",
    "local_search_engine_config",
    "custom_web_search_config",
    "custom_local_search_config",
];

/// Serves research as `deepsearch`, under this configuration where a run does not state otherwise.
///
/// # Errors
/// A graph that does not compile, which is a fault of this crate.
pub fn add_to(server: Server, resources: Resources, config: Config) -> Result<Server, CompileErrors> {
    let resources = Arc::new(resources);
    let make = move |context: ResearchContext| {
        let config = configured(&config, context)?;
        Ok::<_, String>(ResearchResources { resources: Arc::clone(&resources), config })
    };
    let server = server
        .configured_graph(NAME, research_graph()?, make)
        .described(NAME, "Researches a question, and writes a report whose citations were checked")
        .takes(NAME, ["query", "report_template", "messages"]);
    Ok(server.answers(NAME, answers()))
}

/// The graph of research, around DeepSearch's own.
///
/// # Errors
/// A graph that does not compile, which is a fault of this crate.
pub fn research_graph() -> Result<Compiled<Research, ResearchResources>, CompileErrors> {
    let mut graph = StateGraph::<Research, ResearchResources>::new(NAME);
    graph.add_node(TAKE, take).may_goto((RESEARCH, RESEARCH_DEPENDENCY));
    for (node, kind) in [(RESEARCH, GraphKind::Parallel), (RESEARCH_DEPENDENCY, GraphKind::Dependency)] {
        graph.add_subgraph(node.clone(), graph::graph(kind), begin, end);
        graph.add_edge(node, DELIVER);
    }
    graph.add_node(DELIVER, deliver);
    graph.add_edge(START, TAKE).add_edge(DELIVER, END);
    graph.compile()
}

/// The server's configuration with what a run states otherwise.
fn configured(config: &Config, context: ResearchContext) -> Result<Config, String> {
    if let Some(key) = context.config.keys().find(|key| OF_THE_SERVER.contains(&key.as_str())) {
        return Err(format!("`config.{key}` is set where the server is started, and not by a run"));
    }
    if context.config.is_empty() {
        return Ok(config.clone());
    }
    let mut merged = serde_json::to_value(config).map_err(|error| error.to_string())?;
    if let Value::Object(fields) = &mut merged {
        fields.extend(context.config);
    }
    let merged: Config = serde_path_to_error::deserialize(merged)
        .map_err(|error| format!("at `config.{}`: {}", error.path(), error.inner()))?;
    match merged.check().first() {
        Some(notice) => Err(notice.to_string()),
        None => Ok(merged),
    }
}

/// Takes the question.
async fn take(research: Snapshot<Research>, cx: Context<ResearchResources>) -> Result<Step<Research>, NodeError> {
    let (query, message) = wanted(&research.messages, research.query.as_ref(), "query")?;
    let config = &cx.resources().config;
    let mut request = Request::new(query, config.clone());
    request.report_template = research.report_template.clone().unwrap_or_default();
    request.today = today(&cx).await?;
    let next = match config.execution_method.into() {
        GraphKind::Parallel => RESEARCH,
        GraphKind::Dependency => RESEARCH_DEPENDENCY,
    };
    let update = Research::update()
        .messages(message.into_iter().collect::<Messages>())
        .query(None::<String>)
        .request(Some(Shared::new(request)));
    Ok(Step::goto(next).with(update))
}

fn begin(research: &Research) -> SearchContextUpdate {
    SearchContext::update().request(research.request.as_deref().cloned().unwrap_or_default())
}

fn end(ended: ChildOutcome<SearchContext>) -> Result<ResearchUpdate, NodeError> {
    let context = ended.done()?;
    let result = context.result();
    let notices: Vec<String> = context.notices.iter().map(ToString::to_string).collect();
    let mut delivery = Delivery::default();
    if result.response_content.trim().is_empty() {
        delivery.said.push(match context.fatal() {
            Some(notice) => format!("There is no report: {notice}"),
            None => "The research ended without a report.".to_owned(),
        });
    } else {
        let report = export::markdown(&result, context.language);
        delivery.said.push(report.clone());
        delivery.documents = vec![
            Document::new("report.md", MARKDOWN, report),
            Document::new("report.html", HTML, export::html(&result, context.language)),
            Document::json("final_result.json", &result)?,
        ];
    }
    Ok(Research::update().notices(notices).delivery(Some(Shared::new(delivery))))
}

async fn deliver(research: Snapshot<Research>, cx: Context<ResearchResources>) -> Result<ResearchUpdate, NodeError> {
    let delivery = research.delivery.as_deref().cloned().unwrap_or_default();
    let artifacts = keep_all(&cx, &research.artifacts, &delivery.documents).await?;
    Ok(Research::update().messages(said(&delivery.said)).artifacts(artifacts).delivery(None::<Shared<Delivery>>))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn with(config: &Value) -> Result<Config, String> {
        configured(&Config::default(), serde_json::from_value(json!({ "config": config })).unwrap())
    }

    #[test]
    fn a_run_sets_parameters_but_neither_models_nor_keys() {
        let config = with(&json!({ "outliner_max_section_num": 3 })).unwrap();
        let mut expected = Config::default();
        expected.outliner_max_section_num = 3;
        assert_eq!(config, expected);
        for (given, part) in [
            (json!({ "llm_config": { "general": { "base_url": "http://evil.example" } } }), "`config.llm_config`"),
            (json!({ "outliner_max_section_num": 99 }), "outliner_max_section_num"),
            (json!({ "outliner_max_section_num": "x" }), "at `config.outliner_max_section_num`"),
            (json!({ "unknown": 1 }), "unknown"),
        ] {
            let error = with(&given).unwrap_err();
            assert!(error.contains(part), "{given}: {error}");
        }
    }
}
