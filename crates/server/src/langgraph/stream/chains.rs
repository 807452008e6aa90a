//! `events`: the graph, its nodes and its models as chains, in the form of the events of `LangChain`.

use serde_json::{Value, json};
use uuid::Uuid;

use super::projection::{Facts, namespaces};
use super::tasks::RunningTask;
use crate::graph::task_id;

/// Something that begins, tells and ends.
pub(super) struct Chain {
    kind: &'static str,
    name: String,
    id: Uuid,
    parents: Vec<Uuid>,
    tags: Vec<String>,
    metadata: Value,
}

/// The id of the chain of a subgraph.
fn subgraph_id(facts: &Facts, ns: &str) -> Uuid {
    task_id(&facts.thread, &format!("{ns}/"))
}

/// The chains around what runs in a namespace, the outermost first.
fn around(facts: &Facts, ns: &str) -> Vec<Uuid> {
    let mut chains = vec![facts.run];
    for inner in namespaces(ns).into_iter().rev().filter(|ns| !ns.is_empty()) {
        chains.extend([task_id(&facts.thread, inner), subgraph_id(facts, inner)]);
    }
    chains
}

impl Chain {
    /// The whole run.
    pub(super) fn graph(facts: &Facts) -> Self {
        let mut metadata = facts.metadata();
        metadata["thread_id"] = json!(facts.thread);
        Self {
            kind: "chain",
            name: facts.graph.clone(),
            id: facts.run,
            parents: Vec::new(),
            tags: Vec::new(),
            metadata,
        }
    }

    /// The subgraph of a namespace.
    pub(super) fn subgraph(facts: &Facts, ns: &str, graph: &str) -> Self {
        let mut parents = around(facts, ns);
        parents.pop();
        Self { name: graph.to_owned(), id: subgraph_id(facts, ns), parents, ..Self::graph(facts) }
    }

    /// A task of a namespace.
    pub(super) fn node(facts: &Facts, ns: &str, task: &RunningTask) -> Self {
        Self {
            kind: "chain",
            name: task.node.clone(),
            id: task_id(&facts.thread, &task.path),
            parents: around(facts, ns),
            tags: vec![format!("graph:step:{}", task.step)],
            metadata: task.metadata(facts),
        }
    }

    /// The model that says a message in a task.
    pub(super) fn model(facts: &Facts, ns: &str, task: &RunningTask, message: &str) -> Self {
        let mut parents = around(facts, ns);
        parents.push(task_id(&facts.thread, &task.path));
        Self {
            kind: "chat_model",
            name: "ChatModel".to_owned(),
            id: task_id(&facts.thread, &format!("{}#{message}", task.path)),
            parents,
            tags: Vec::new(),
            metadata: task.metadata(facts),
        }
    }

    pub(super) fn start(&self, input: &Value) -> Value {
        self.event("start", &json!({"input": input}))
    }

    pub(super) fn stream(&self, chunk: &Value) -> Value {
        self.event("stream", &json!({"chunk": chunk}))
    }

    pub(super) fn end(&self, output: &Value, input: Option<&Value>) -> Value {
        let mut data = json!({"output": output});
        if let Some(input) = input {
            data["input"] = input.clone();
        }
        self.event("end", &data)
    }

    fn event(&self, what: &str, data: &Value) -> Value {
        json!({
            "event": format!("on_{}_{what}", self.kind),
            "name": self.name,
            "run_id": self.id,
            "tags": self.tags,
            "metadata": self.metadata,
            "parent_ids": self.parents,
            "data": data,
        })
    }
}
