//! The description of a graph.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error_text::debug_is_text;
use crate::graph::declare::condition::When;
use crate::graph::declare::policies::{RetryDescription, TimeoutDescription};
use crate::state::JsonField;
use crate::topology::Mode;

/// A graph as data: its state, its nodes by the names of their handlers, and what leads from node to node.
///
/// It is a [`StateGraph`](crate::StateGraph) over a [`JsonState`](crate::json::JsonState), written in JSON or any other
/// format of serde; its JSON schema is that of this type. [`compile`](Self::compile) makes the graph with the handlers
/// of a [`Registry`](crate::description::Registry). `START` and `END` stand for the beginning and the end.
///
/// ```
/// use graphloom_core_graph::description::{Description, Registry};
/// use graphloom_core_graph::json::JsonUpdate;
/// use graphloom_core_graph::{Context, Outcome};
/// use serde_json::{Value, json};
///
/// let description = Description::from_json(r#"{
///     "name": "review",
///     "fields": [
///         {"name": "draft", "schema": {"type": "string"}},
///         {"name": "score", "schema": {"type": "integer"}, "initial": 0},
///         {"name": "rounds", "reducer": "add"}
///     ],
///     "nodes": [
///         {"name": "write", "run": "write"},
///         {"name": "judge", "run": "judge", "retry": {"attempts": 3}}
///     ],
///     "edges": [["START", "write"], ["write", "judge"]],
///     "routes": [
///         {"from": "judge", "cases": [{"when": {"gte": ["score", 2]}, "to": ["END"]}], "otherwise": ["write"]}
///     ]
/// }"#)?;
///
/// let mut registry = Registry::<()>::new();
/// registry.function("write", async |state: Value, _: Context| {
///     Ok(json!({"draft": format!("draft {}", state["rounds"]), "rounds": 1}))
/// });
/// registry.function("judge", async |state: Value, _: Context| {
///     Ok(json!({"score": state["rounds"]}))
/// });
///
/// let app = description.compile(&registry)?;
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let Outcome::Done(state) = app.run_once(JsonUpdate::new()).await? else { unreachable!("nobody asks") };
/// assert_eq!(state.get("draft"), Some(json!("draft 1")));
/// # Ok::<_, Box<dyn std::error::Error>>(()) })?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Description {
    /// The graph's name, stored with every thread.
    pub name: String,
    /// The version of the graph, as its author counts.
    #[serde(default = "first")]
    pub version: u32,
    /// The version of its state.
    #[serde(default = "first")]
    pub state_version: u32,
    /// When finished tasks are committed.
    #[serde(default)]
    pub mode: Mode,
    /// The fields of the state.
    #[serde(default)]
    pub fields: Vec<JsonField>,
    /// The nodes.
    pub nodes: Vec<NodeDescription>,
    /// Source and target of each plain edge.
    #[serde(default)]
    pub edges: Vec<(String, String)>,
    /// Conditional edges.
    #[serde(default)]
    pub routes: Vec<RouteDescription>,
    /// Fan-outs over a field.
    #[serde(default)]
    pub sends: Vec<SendDescription>,
    /// Joins.
    #[serde(default)]
    pub joins: Vec<JoinDescription>,
    /// The most tasks at the same time of each concurrency class.
    #[serde(default)]
    pub limits: BTreeMap<String, usize>,
    /// How long a super-step may take, in milliseconds, see [`StateGraph::step_timeout`](crate::StateGraph::step_timeout).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_timeout_ms: Option<u64>,
    /// Whether warnings of `compile` are errors.
    #[serde(default)]
    pub deny_warnings: bool,
}

/// One node: which handler runs, and its policies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NodeDescription {
    /// The node's name.
    pub name: String,
    /// The name of its handler in the registry.
    pub run: String,
    /// Whether sends trigger it, each with an input, instead of edges.
    #[serde(default)]
    pub task: bool,
    /// How often a failed attempt is repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryDescription>,
    /// How long an attempt may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<TimeoutDescription>,
    /// Its concurrency class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Whether it runs only when nothing else is pending or in flight.
    #[serde(default)]
    pub deferred: bool,
    /// Whether it runs once for each predecessor that finishes.
    #[serde(default)]
    pub each: bool,
    /// Nodes that its handler may go to.
    #[serde(default)]
    pub may_goto: Vec<String>,
    /// Task nodes that its handler may send to.
    #[serde(default)]
    pub may_send: Vec<String>,
    /// The questions that it asks, and the schemas of their answers; see [`JsonField::schema`] for the keywords.
    #[serde(default)]
    pub asks: BTreeMap<String, Value>,
    /// All fields that it writes, so that two parallel writers are found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes: Option<Vec<String>>,
    /// The error handler of the registry that takes over when no retry is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_error: Option<String>,
}

/// A conditional edge: the first case that holds says where to go.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RouteDescription {
    /// The node it leaves.
    pub from: String,
    /// The cases, in order.
    pub cases: Vec<RouteCase>,
    /// Where to go when no case holds; to go nowhere is to end the branch, which `END` says too.
    #[serde(default)]
    pub otherwise: Vec<String>,
}

/// A case of a [`RouteDescription`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RouteCase {
    /// The condition on the state with the update of the node.
    pub when: When,
    /// Where to go when it holds.
    pub to: Vec<String>,
}

/// A fan-out: one send for each entry of a list or object in the state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SendDescription {
    /// The node it leaves.
    pub from: String,
    /// The path of the list or object; `null` there, or nothing, counts as empty. An entry is the input of its task.
    pub over: String,
    /// The task node.
    pub to: String,
    /// The path, within an entry, of its key: a text or a number. Unless stated, the key of an entry of a list is its
    /// place, and that of an entry of an object is its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// A join: `to` runs when all of `from` have finished.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct JoinDescription {
    /// Nodes and task nodes to wait for.
    pub from: Vec<String>,
    /// The node behind the join.
    pub to: String,
    /// Whether to wait only for those of `from` that the run reaches, see
    /// [`StateGraph::add_join_reached`](crate::StateGraph::add_join_reached).
    #[serde(default)]
    pub reached: bool,
}

/// A text that is no description.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("this is no description of a graph, at `{path}`: {message}")]
pub struct DescriptionError {
    /// The place in the text, as keys and positions; `.` for the whole.
    pub path: String,
    /// What is wrong there.
    pub message: String,
}

debug_is_text!(DescriptionError);

fn first() -> u32 {
    1
}

impl Description {
    /// A description of this name without nodes.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: first(),
            state_version: first(),
            mode: Mode::default(),
            fields: Vec::new(),
            nodes: Vec::new(),
            edges: Vec::new(),
            routes: Vec::new(),
            sends: Vec::new(),
            joins: Vec::new(),
            limits: BTreeMap::new(),
            step_timeout_ms: None,
            deny_warnings: false,
        }
    }

    /// Reads a description from JSON.
    ///
    /// # Errors
    /// Where the text is not one, and what was expected there.
    pub fn from_json(text: &str) -> Result<Self, DescriptionError> {
        let mut reader = serde_json::Deserializer::from_str(text);
        let description = serde_path_to_error::deserialize(&mut reader).map_err(|error| DescriptionError {
            // A text that ends too early has no known place.
            path: error.path().to_string().replace('?', "."),
            message: error.inner().to_string(),
        })?;
        let ended = reader.end();
        ended.map_err(|error| DescriptionError { path: ".".to_owned(), message: error.to_string() })?;
        Ok(description)
    }
}
