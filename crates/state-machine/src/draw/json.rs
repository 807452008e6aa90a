//! The tree as nested JSON, in the shape of WriteHERE's node documents.

use serde_json::{Map, Value, json};

use super::Drawing;
use crate::task::task_table;
use crate::{Group, NodeKey, Payload, TaskNode, TaskTree};

impl<T: Payload> Drawing<'_, T> {
    /// One JSON document, the [`node_json`](TaskTree::node_json) of the topmost node; `null` where there is none. Nodes
    /// that are not drawn are named by their keys.
    pub fn json(&self) -> Value {
        // Inner nodes are rendered before the nodes around them, so that deep trees need no recursion.
        let mut rendered: std::collections::BTreeMap<&NodeKey, Value> = std::collections::BTreeMap::new();
        for node in self.nodes().into_iter().rev() {
            let inner: Vec<Value> = node.inner.nodes.iter().filter_map(|key| rendered.remove(key)).collect();
            let mut value = self.tree.node_json(node);
            let graph = value.get_mut("inner_graph").and_then(Value::as_object_mut);
            if let Some(graph) = graph.filter(|_| self.hidden(node) == 0) {
                graph.insert("node_list".to_owned(), Value::Array(inner));
            }
            rendered.insert(&node.key, value);
        }
        rendered.remove(&self.top).unwrap_or(Value::Null)
    }
}

impl<T: Payload> TaskTree<T> {
    /// One node as JSON: `nid`, `hashkey` (the unique key), `status`, `node_type`, `node_graph_info` (`outer_node`,
    /// `root_node`, `parent_nodes`, `layer`), `task_info`, `inner_graph` (its nodes by key), `result`, `status_list`, and
    /// `failure` if it failed.
    pub fn node_json(&self, node: &TaskNode<T>) -> Value {
        let edges: Map<String, Value> = self
            .inner(node)
            .filter(|inner| !inner.dependents.is_empty())
            .map(|inner| (inner.key.to_string(), json!(inner.dependents)))
            .collect();
        let nids: Vec<&str> =
            node.inner.nodes.iter().filter_map(|key| self.node(key)).map(|inner| inner.nid.as_str()).collect();
        let statuses = |group| json!(task_table().statuses(group).collect::<Vec<_>>());
        let mut value = json!({
            "nid": node.nid,
            "hashkey": node.key,
            "status": node.status,
            "node_type": node.node_type,
            "node_graph_info": {
                "outer_node": node.outer(),
                "root_node": NodeKey::root(),
                "parent_nodes": node.parents,
                "layer": node.layer(),
            },
            "task_info": node.payload.task_info(),
            "inner_graph": {
                "graph_edges": edges,
                "nid_list": nids,
                "node_list": node.inner.nodes,
                "topological_task_queue": node.inner.queue().collect::<Vec<_>>(),
                "outer_node": node.key,
            },
            "result": node.payload.results(),
            "status_list": {
                "silence": statuses(Group::Silence),
                "suspend": statuses(Group::Suspend),
                "activate": statuses(Group::Activate),
            },
        });
        if let (Some(failure), Some(object)) = (&node.failure, value.as_object_mut()) {
            object.insert("failure".to_owned(), json!({ "from": failure.from, "cause": failure.cause.to_string() }));
        }
        value
    }
}
