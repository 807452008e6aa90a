//! Dependency graphs: order in batches, and what is wrong with a graph that has none.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Display;
use std::hash::Hash;

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Items with dependencies among themselves, in an order that respects them.
///
/// The order is Kahn's in batches: each batch holds every item whose dependencies are all in earlier batches, in the
/// order the items were given (WriteHERE's `topological_sort("bfs")`).
///
/// ```
/// use graphloom_state_machine::DependencyGraph;
///
/// let graph = DependencyGraph::build([("3", vec!["1", "2"]), ("1", vec![]), ("2", vec![])])?;
/// assert_eq!(graph.order().collect::<Vec<_>>(), [&"1", &"2", &"3"]);
/// assert_eq!(graph.batches().count(), 2);
///
/// let error = DependencyGraph::build([("1", vec!["2"]), ("2", vec!["1"])]).unwrap_err();
/// assert_eq!(error.to_string(), "tasks wait for each other in a circle: `1` needs `2` needs `1`; remove one of these dependencies");
/// # Ok::<(), graphloom_state_machine::GraphError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DependencyGraph<Id> {
    items: Vec<Id>,
    dependencies: Vec<Vec<usize>>,
    batches: Vec<Vec<usize>>,
}

impl<Id: Clone + Eq + Hash + Display> DependencyGraph<Id> {
    /// Builds the graph of `(item, its dependencies)` rows.
    ///
    /// # Errors
    /// The first of the faults [`faults`](Self::faults) would list.
    pub fn build(rows: impl IntoIterator<Item = (Id, Vec<Id>)>) -> Result<Self, GraphError> {
        let rows: Vec<(Id, Vec<Id>)> = rows.into_iter().collect();
        if let Some(fault) = Self::faults(&rows).into_iter().next() {
            return Err(fault);
        }
        let index = positions(&rows);
        let dependencies: Vec<Vec<usize>> = rows.iter().map(|(_, needs)| resolved(&index, needs)).collect();
        let batches = batches(&dependencies);
        Ok(Self { items: rows.into_iter().map(|(id, _)| id).collect(), dependencies, batches })
    }

    /// Everything that keeps `rows` from being a graph with an order: duplicates first, then unknown dependencies, then
    /// one cycle for each group of items that wait for each other. A self-dependency is a cycle of one.
    pub fn faults(rows: &[(Id, Vec<Id>)]) -> Vec<GraphError> {
        let index = positions(rows);
        let mut faults = Vec::new();
        let mut reported: Vec<&Id> = Vec::new();
        for (position, (id, _)) in rows.iter().enumerate() {
            if index.get(id) != Some(&position) && !reported.contains(&id) {
                reported.push(id);
                faults.push(GraphError::Duplicate { id: id.to_string() });
            }
        }
        for (id, needs) in rows {
            for dependency in needs.iter().filter(|dependency| !index.contains_key(*dependency)) {
                faults.push(GraphError::Unknown { id: id.to_string(), dependency: dependency.to_string() });
            }
        }
        let dependencies: Vec<Vec<usize>> = rows.iter().map(|(_, needs)| resolved(&index, needs)).collect();
        for cycle in cycles(&dependencies) {
            let path = cycle.into_iter().filter_map(|item| rows.get(item)).map(|(id, _)| id.to_string()).collect();
            faults.push(GraphError::Cycle { path });
        }
        faults
    }

    /// The items as they were given.
    pub fn items(&self) -> &[Id] {
        &self.items
    }

    /// What each item depends on, row by row as the items were given, repetitions removed.
    pub fn rows(&self) -> impl Iterator<Item = (&Id, Vec<&Id>)> {
        self.items.iter().zip(&self.dependencies).map(|(id, needs)| (id, self.named(needs)))
    }

    /// The batches, each in the order the items were given.
    pub fn batches(&self) -> impl Iterator<Item = Vec<&Id>> {
        self.batches.iter().map(|batch| self.named(batch))
    }

    /// All items, batch after batch.
    pub fn order(&self) -> impl Iterator<Item = &Id> {
        self.batches.iter().flatten().filter_map(|item| self.items.get(*item))
    }

    fn named(&self, items: &[usize]) -> Vec<&Id> {
        items.iter().filter_map(|item| self.items.get(*item)).collect()
    }
}

/// Why items with dependencies have no order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// Items wait for each other.
    #[error("tasks wait for each other in a circle: {}; remove one of these dependencies", circle(.path))]
    Cycle {
        /// The items of the circle; each needs the next, and the last one is the first again.
        path: Vec<String>,
    },
    /// Two items have the same id.
    #[error("id `{id}` is used by more than one task of the same plan; give each its own")]
    Duplicate {
        /// The repeated id.
        id: String,
    },
    /// An item depends on an id that is not in the graph.
    #[error(
        "task `{id}` depends on `{dependency}`, which is not in the same plan; remove the dependency or correct the id"
    )]
    Unknown {
        /// The item.
        id: String,
        /// The id it names.
        dependency: String,
    },
}

fn circle(path: &[String]) -> String {
    path.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(" needs ")
}

/// First position of every id.
fn positions<Id: Clone + Eq + Hash>(rows: &[(Id, Vec<Id>)]) -> HashMap<Id, usize> {
    let mut index = HashMap::with_capacity(rows.len());
    for (position, (id, _)) in rows.iter().enumerate() {
        index.entry(id.clone()).or_insert(position);
    }
    index
}

fn resolved<Id: Eq + Hash>(index: &HashMap<Id, usize>, needs: &[Id]) -> Vec<usize> {
    let mut seen = HashSet::with_capacity(needs.len());
    needs.iter().filter_map(|id| index.get(id).copied()).filter(|position| seen.insert(*position)).collect()
}

/// Kahn's algorithm in batches; items on a cycle are left out.
fn batches(dependencies: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut missing: Vec<usize> = dependencies.iter().map(Vec::len).collect();
    let mut dependents = vec![Vec::new(); dependencies.len()];
    for (item, needs) in dependencies.iter().enumerate() {
        for need in needs {
            dependents[*need].push(item);
        }
    }
    let mut batch: Vec<usize> = (0..dependencies.len()).filter(|item| missing[*item] == 0).collect();
    let mut all = Vec::new();
    while !batch.is_empty() {
        let mut next = Vec::new();
        for dependent in batch.iter().flat_map(|item| &dependents[*item]) {
            missing[*dependent] -= 1;
            if missing[*dependent] == 0 {
                next.push(*dependent);
            }
        }
        next.sort_unstable();
        all.push(std::mem::replace(&mut batch, next));
    }
    all
}

/// One closed walk through every strongly connected group, starting at its first item.
fn cycles(dependencies: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut graph = DiGraph::<(), ()>::new();
    for _ in dependencies {
        graph.add_node(());
    }
    for (item, needs) in dependencies.iter().enumerate() {
        for need in needs {
            graph.add_edge(NodeIndex::new(item), NodeIndex::new(*need), ());
        }
    }
    let mut found: Vec<Vec<usize>> = tarjan_scc(&graph)
        .into_iter()
        .map(|group| {
            let mut members: Vec<usize> = group.into_iter().map(NodeIndex::index).collect();
            members.sort_unstable();
            members
        })
        .filter(|members| members.len() > 1 || members.iter().any(|item| dependencies[*item].contains(item)))
        .map(|members| shortest_circle(&members, dependencies))
        .collect();
    found.sort();
    found
}

/// The shortest walk from the first member back to itself inside the group (breadth first).
fn shortest_circle(members: &[usize], dependencies: &[Vec<usize>]) -> Vec<usize> {
    let Some(start) = members.first().copied() else { return Vec::new() };
    let mut came_from: HashMap<usize, usize> = HashMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(item) = queue.pop_front() {
        for need in &dependencies[item] {
            if *need == start {
                let mut path = vec![start, item];
                let mut at = item;
                while at != start {
                    let Some(before) = came_from.get(&at).copied() else { break };
                    path.push(before);
                    at = before;
                }
                if item == start {
                    path.truncate(2);
                }
                path.reverse();
                return path;
            }
            if members.contains(need) && !came_from.contains_key(need) {
                came_from.insert(*need, item);
                queue.push_back(*need);
            }
        }
    }
    members.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &[(&str, &str)]) -> Vec<(String, Vec<String>)> {
        text.iter()
            .map(|(id, needs)| ((*id).to_owned(), needs.split_whitespace().map(str::to_owned).collect()))
            .collect()
    }

    #[test]
    fn batches_keep_plan_order() {
        let graph =
            DependencyGraph::build(rows(&[("3", "1"), ("2", ""), ("5", "2"), ("1", ""), ("4", "3 5")])).unwrap();
        let batches: Vec<Vec<&String>> = graph.batches().collect();
        assert_eq!(batches, [vec!["2", "1"], vec!["3", "5"], vec!["4"]]);
    }

    #[test]
    fn a_repeated_dependency_counts_once() {
        let graph = DependencyGraph::build(rows(&[("1", ""), ("2", "1 1")])).unwrap();
        assert_eq!(graph.rows().map(|(_, needs)| needs.len()).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn every_fault_is_named() {
        let cases = [
            (rows(&[("1", "1")]), vec![GraphError::Cycle { path: vec!["1".into(), "1".into()] }]),
            (
                rows(&[("0", ""), ("1", "3"), ("2", "1"), ("3", "2 0")]),
                vec![GraphError::Cycle { path: ["1", "3", "2", "1"].map(String::from).to_vec() }],
            ),
            (
                rows(&[("1", "2"), ("2", "1"), ("3", "4"), ("4", "3")]),
                vec![
                    GraphError::Cycle { path: ["1", "2", "1"].map(String::from).to_vec() },
                    GraphError::Cycle { path: ["3", "4", "3"].map(String::from).to_vec() },
                ],
            ),
            (rows(&[("1", ""), ("1", ""), ("1", "")]), vec![GraphError::Duplicate { id: "1".into() }]),
            (rows(&[("1", "9")]), vec![GraphError::Unknown { id: "1".into(), dependency: "9".into() }]),
        ];
        for (rows, expected) in cases {
            assert_eq!(DependencyGraph::faults(&rows), expected);
            assert_eq!(DependencyGraph::build(rows).unwrap_err(), expected[0]);
        }
    }
}
