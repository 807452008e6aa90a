//! Threads that are made with a past: what each node wrote, super-step by super-step.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::graph::{Fields, Graph, UpdateFault};
use crate::host::Host;
use crate::http::Problem;
use crate::langgraph::assistants::served;
use crate::langgraph::state::{changed, fields_of};
use crate::records::ThreadRecord;

/// What was written in one super-step.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Superstep {
    updates: Vec<Written>,
}

/// What one node wrote.
#[derive(Deserialize, JsonSchema)]
struct Written {
    /// An object of fields.
    #[serde(default)]
    values: Value,
    /// What the node returned as a command: its `update` counts.
    #[serde(default)]
    command: Option<WrittenCommand>,
    /// The node; `__start__` or `__input__` for an input.
    as_node: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct WrittenCommand {
    #[serde(default)]
    update: Value,
}

/// A past that fits its graph.
pub(super) struct Past {
    graph: String,
    /// What was written, and by which node; by none for an input.
    updates: Vec<(Option<String>, Fields)>,
}

/// Checks a past: nothing is written before all of it fits.
///
/// # Errors
/// 422 without a graph in the metadata; 400 for a node that the graph does not have; 422 for values that do not fit.
pub(super) fn check(
    host: &Host,
    metadata: Option<&Map<String, Value>>,
    steps: Vec<Superstep>,
) -> Result<Past, Problem> {
    let Some(name) = metadata.and_then(|metadata| metadata.get("graph_id")).and_then(Value::as_str) else {
        return Err(Problem::unprocessable("`supersteps` need the graph they are of: set `metadata.graph_id`")
            .about("metadata.graph_id"));
    };
    let graph = served(host, name)?;
    let mut updates = Vec::new();
    for written in steps.into_iter().flat_map(|step| step.updates) {
        let node = match written.as_node.as_deref() {
            Some("__start__" | "__input__") => None,
            None if updates.is_empty() => None,
            None => return Err(Problem::unprocessable("An update of a super-step needs its node in `as_node`")),
            Some(node) if graph.outline().nodes().any(|known| known == node) => Some(node.to_owned()),
            Some(node) => return Err(UpdateFault::UnknownNode(node.to_owned()).into()),
        };
        let mut fields = fields_of(graph, written.values)?;
        if let Some(command) = written.command {
            fields.extend(fields_of(graph, command.update)?);
        }
        graph.check(&fields).map_err(|error| Problem::unprocessable(error.to_string()))?;
        updates.push((node, fields));
    }
    Ok(Past { graph: name.to_owned(), updates })
}

impl Past {
    /// Writes the past to a hidden thread that has none, and shows the thread.
    pub(super) async fn write(self, host: &Host, thread: Uuid) -> Result<ThreadRecord, Problem> {
        let graph: &dyn Graph = served(host, &self.graph)?;
        let id = thread.to_string();
        for (node, fields) in self.updates {
            graph.update(&id, None, node, fields).await?;
        }
        let view = graph.view(&id, None).await?;
        let show = |record: &mut ThreadRecord| changed(record, graph, &view);
        Ok(host.manager.records().threads.show(thread, show).await?)
    }
}
