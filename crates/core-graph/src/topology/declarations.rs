//! What is declared inside of a graph.

use std::sync::Arc;

use crate::tasks::AnswerCheck;
use crate::topology::{Outline, Persistence};

impl Outline {
    /// The declared type of a question. `path` names the nodes from the outside in.
    pub(crate) fn check(&self, path: &[String], key: &str) -> Option<AnswerCheck> {
        let (first, rest) = path.split_first()?;
        let node = self.node(self.find(first)?);
        if !rest.is_empty() {
            return node.child.as_ref()?.check(rest, key);
        }
        node.asked(key).map(|ask| Arc::clone(&ask.check))
    }

    /// The first node that declares a question, with the nodes that lead to it, and the key.
    pub(crate) fn first_ask(&self) -> Option<(String, String)> {
        self.nodes.iter().find_map(|node| match node.asks.first() {
            Some(ask) => Some((node.name.to_string(), ask.key.to_string())),
            None => {
                let (path, key) = node.child.as_ref()?.first_ask()?;
                Some((format!("{}/{path}", node.name), key))
            }
        })
    }

    /// The first subgraph that is kept per thread, with the nodes that lead to it.
    pub(crate) fn first_kept(&self) -> Option<String> {
        self.nodes.iter().find_map(|node| {
            let child = node.child.as_ref()?;
            match node.persistence {
                Persistence::PerThread => Some(node.name.to_string()),
                _ => Some(format!("{}/{}", node.name, child.first_kept()?)),
            }
        })
    }
}
