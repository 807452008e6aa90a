//! The tree as nested JSON, in the shape of WriteHERE's node documents.

use serde_json::{Map, Value, json};

use crate::task::task_table;
use crate::{Group, NodeKey, Payload, TaskNode, TaskTree};

impl<T: Payload> TaskTree<T> {
    /// The tree as one JSON document, the root's [`node_json`](Self::node_json); `null` for an empty tree.
    pub fn to_json(&self) -> Value {
        // Inner nodes are rendered before the nodes around them, so that deep trees need no recursion.
        let mut rendered: std::collections::BTreeMap<NodeKey, Value> = std::collections::BTreeMap::new();
        let mut nodes: Vec<&TaskNode<T>> = self.nodes().collect();
        nodes.sort_by_key(|node| std::cmp::Reverse(node.layer()));
        for node in nodes {
            let inner = node.inner.nodes.iter().filter_map(|key| rendered.remove(key)).collect();
            let mut value = self.node_json(node);
            if let Some(graph) = value.get_mut("inner_graph").and_then(Value::as_object_mut) {
                graph.insert("node_list".to_owned(), Value::Array(inner));
            }
            rendered.insert(node.key.clone(), value);
        }
        rendered.remove(&NodeKey::root()).unwrap_or(Value::Null)
    }

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
