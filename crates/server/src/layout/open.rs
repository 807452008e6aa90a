//! Which subgraphs are open: drawn with the nodes inside them.

use std::collections::BTreeSet;

use graphloom_core_graph::diagram::Diagram;

/// The ids of the subgraphs that are open. One that is in another has that one open as well.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OpenSubgraphs(BTreeSet<String>);

/// An id that is none of a subgraph.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{id}` is no subgraph; {}", existing(subgraphs))]
pub(crate) struct NoSubgraph {
    id: String,
    subgraphs: Vec<String>,
}

/// So many ids a refusal lists.
const LISTED: usize = 50;

fn existing(subgraphs: &[String]) -> String {
    if subgraphs.is_empty() {
        return "the graph has none".to_owned();
    }
    let listed: Vec<String> = subgraphs.iter().take(LISTED).map(|id| format!("`{id}`")).collect();
    let rest = if subgraphs.len() > LISTED { " and others" } else { "" };
    format!("subgraphs: {}{rest}", listed.join(", "))
}

impl OpenSubgraphs {
    /// Reads a list of ids, each of which may be several with commas between.
    ///
    /// # Errors
    /// An id that is none of a subgraph of the diagram.
    pub(crate) fn read(ids: &[String], diagram: &Diagram) -> Result<Self, NoSubgraph> {
        let mut subgraphs = Vec::new();
        collect(diagram, "", &mut subgraphs);
        let mut open = BTreeSet::new();
        let ids = ids.iter().flat_map(|list| list.split(',')).map(str::trim).filter(|id| !id.is_empty());
        for id in ids {
            if !subgraphs.iter().any(|known| known == id) {
                return Err(NoSubgraph { id: id.chars().take(100).collect(), subgraphs });
            }
            let around = subgraphs.iter().filter(|outer| is_inside(id, outer));
            open.extend(around.cloned());
            open.insert(id.to_owned());
        }
        Ok(Self(open))
    }

    pub(super) fn contains(&self, id: &str) -> bool {
        self.0.contains(id)
    }

    /// This one, whether there is one of its id or not.
    #[cfg(test)]
    pub(super) fn one(id: &str) -> Self {
        Self(BTreeSet::from([id.to_owned()]))
    }

    /// All subgraphs of a diagram.
    #[cfg(test)]
    pub(super) fn all(diagram: &Diagram) -> Self {
        let mut subgraphs = Vec::new();
        collect(diagram, "", &mut subgraphs);
        Self(subgraphs.into_iter().collect())
    }
}

fn is_inside(id: &str, outer: &str) -> bool {
    id.strip_prefix(outer).is_some_and(|rest| rest.starts_with(':'))
}

/// Adds the ids of all subgraphs, the outer ones before those inside.
fn collect(diagram: &Diagram, prefix: &str, subgraphs: &mut Vec<String>) {
    for node in &diagram.nodes {
        if let Some(inner) = &node.inner {
            let id = format!("{prefix}{}", node.name);
            let inside = format!("{id}:");
            subgraphs.push(id);
            collect(inner, &inside, subgraphs);
        }
    }
}
