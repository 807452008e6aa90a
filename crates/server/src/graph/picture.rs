//! Pictures of states, as whoever serves a graph draws them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

/// Makes an SVG picture of a state; none of one that has nothing to show, and why where it cannot be read.
pub(crate) type Draw = dyn Fn(&Value) -> Result<Option<String>, String> + Send + Sync;

/// How states are drawn, by the nodes that lead to their graph.
#[derive(Clone, Default)]
pub(crate) struct Pictures(BTreeMap<Vec<String>, Arc<Draw>>);

impl Pictures {
    pub(crate) fn declare(&mut self, path: Vec<String>, draw: Arc<Draw>) {
        self.0.insert(path, draw);
    }

    /// How the states of a graph are drawn, by its namespace as clients see it.
    pub(crate) fn of(&self, ns: &str) -> Option<&Arc<Draw>> {
        let segments = ns.split('|').filter(|segment| !segment.is_empty());
        let path: Vec<String> =
            segments.map(|segment| segment.split_once(':').map_or(segment, |(node, _)| node).to_owned()).collect();
        self.0.get(&path)
    }
}

impl fmt::Debug for Pictures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_inside_is_found_by_its_nodes_whichever_task_it_is_in() {
        let mut pictures = Pictures::default();
        pictures.declare(vec!["write".to_owned()], Arc::new(|_| Ok(None)));
        for (ns, is_there) in [("write:0a1b", true), ("write", true), ("", false), ("write:0a|plan:1", false)] {
            assert_eq!(pictures.of(ns).is_some(), is_there, "{ns}");
        }
    }
}
