//! The path that a run took: which node ran how often, and what led to it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use graphloom_core_graph::checkpoint::Source;
use graphloom_core_graph::diagram::Marks;
use graphloom_core_graph::{Event, EventKind};
use serde::Serialize;

use super::RunReport;
use crate::CliError;
use crate::drawing::{GraphFormat, svg};

/// The recorded path of a run. Nodes of subgraphs stand behind the node that runs them: `write/draft`.
///
/// It is read from the journal: a task's id holds the number of the checkpoint that made it, so whatever that
/// checkpoint committed leads to the task. In a super-step of several tasks all of them do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RunPath {
    /// The nodes in the order in which they first committed.
    pub nodes: Vec<PathNode>,
    /// What led to what, in the order in which it first did.
    pub edges: Vec<PathEdge>,
    /// The ids of the committed tasks, in commit order.
    pub tasks: Vec<String>,
}

/// A node on the path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PathNode {
    /// The node; `START`, `FORK` and `UPDATE` for what came from outside.
    pub name: String,
    /// How many of its tasks were committed.
    pub runs: u64,
    /// How often it was tried again.
    pub retries: u64,
    /// How often it failed for good.
    pub failures: u64,
}

/// One node led to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PathEdge {
    /// The node before.
    pub from: String,
    /// The node after.
    pub to: String,
    /// How often.
    pub times: u64,
}

impl RunPath {
    /// The path of a run.
    pub fn of(report: &RunReport) -> Self {
        let sources = report.checkpoints.iter().map(|c| ((c.ns.as_str(), c.number), c.source)).collect();
        let mut path = Self::default();
        path.follow(&report.events, &sources);
        path
    }

    /// The path as marks for the drawing of the graph that ran: its nodes, what led to what, and for a run that is done
    /// the way to the end.
    pub fn marks(&self, report: &RunReport) -> Marks {
        let mut marks = Marks::new();
        for edge in &self.edges {
            marks.edge(&edge.from, &edge.to);
        }
        if report.summary.status == "done"
            && let Some(last) = self.tasks.last()
        {
            marks.edge(&node_name(last), "END");
        }
        marks
    }

    fn follow(&mut self, events: &[Event], sources: &BTreeMap<(&str, u64), Source>) {
        let mut makers: BTreeMap<(String, u64), Vec<String>> = BTreeMap::new();
        for event in events {
            let ns = &*event.ns;
            match &event.kind {
                EventKind::Committed { checkpoint, tasks, .. } => {
                    let names: Vec<String> = if tasks.is_empty() {
                        vec![outside(ns, sources.get(&(ns, *checkpoint)).copied())]
                    } else {
                        tasks.iter().map(|task| node_name(task)).collect()
                    };
                    for (task, name) in tasks.iter().zip(&names) {
                        self.node(name).runs += 1;
                        self.tasks.push(task.to_string());
                        let from = creating_checkpoint(task).and_then(|number| makers.get(&(ns.to_owned(), number)));
                        for from in from.cloned().unwrap_or_default() {
                            self.node(&from);
                            self.edge(&from, name);
                        }
                    }
                    makers.insert((ns.to_owned(), *checkpoint), names);
                }
                EventKind::TaskRetry { node, .. } => self.node(&inside(ns, node)).retries += 1,
                EventKind::TaskFailed { node, .. } => self.node(&inside(ns, node)).failures += 1,
                _ => {}
            }
        }
    }

    fn node(&mut self, name: &str) -> &mut PathNode {
        let at = self.nodes.iter().position(|node| node.name == name).unwrap_or_else(|| {
            self.nodes.push(PathNode { name: name.to_owned(), runs: 0, retries: 0, failures: 0 });
            self.nodes.len() - 1
        });
        &mut self.nodes[at]
    }

    fn edge(&mut self, from: &str, to: &str) {
        match self.edges.iter_mut().find(|edge| edge.from == from && edge.to == to) {
            Some(edge) => edge.times += 1,
            None => self.edges.push(PathEdge { from: from.to_owned(), to: to.to_owned(), times: 1 }),
        }
    }

    /// A drawing of it.
    ///
    /// # Errors
    /// [`CliError::Drawing`].
    pub fn draw(&self, format: GraphFormat) -> Result<String, CliError> {
        match format {
            GraphFormat::Mermaid => Ok(self.mermaid()),
            GraphFormat::Dot => Ok(self.dot()),
            GraphFormat::Json => Ok(format!("{:#}", serde_json::json!(self))),
            GraphFormat::Svg => svg(&self.dot()),
        }
    }

    /// A Mermaid flowchart.
    pub fn mermaid(&self) -> String {
        let mut text = String::from("flowchart TD\n");
        for (at, node) in self.nodes.iter().enumerate() {
            let (open, close) = if node.runs == 0 && node.failures == 0 { ("([", "])") } else { ("[", "]") };
            let _ = writeln!(text, "    n{at}{open}\"{}\"{close}", label(node, "<br/>").replace('"', "#quot;"));
        }
        for edge in &self.edges {
            let times = if edge.times > 1 { format!("|{}×|", edge.times) } else { String::new() };
            let _ = writeln!(text, "    n{} -->{times} n{}", self.place(&edge.from), self.place(&edge.to));
        }
        for (at, _) in self.nodes.iter().enumerate().filter(|(_, node)| node.failures > 0) {
            let _ = writeln!(text, "    style n{at} stroke:#c00,stroke-width:2px");
        }
        text
    }

    /// GraphViz DOT.
    pub fn dot(&self) -> String {
        let mut text = String::from("digraph run {\n");
        for (at, node) in self.nodes.iter().enumerate() {
            let shape = if node.runs == 0 && node.failures == 0 { "oval" } else { "box" };
            let colour = if node.failures > 0 { ", color = \"#cc0000\"" } else { "" };
            let label = label(node, "\n").replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let _ = writeln!(text, "    n{at} [label = \"{label}\", shape = {shape}{colour}];");
        }
        for edge in &self.edges {
            let times = if edge.times > 1 { format!(" [label = \"{}×\"]", edge.times) } else { String::new() };
            let _ = writeln!(text, "    n{} -> n{}{times};", self.place(&edge.from), self.place(&edge.to));
        }
        text.push_str("}\n");
        text
    }

    fn place(&self, name: &str) -> usize {
        self.nodes.iter().position(|node| node.name == name).unwrap_or_default()
    }
}

fn label(node: &PathNode, line_break: &str) -> String {
    let mut label = node.name.clone();
    let counts = [(node.runs, 1, "runs"), (node.retries, 0, "retries"), (node.failures, 0, "failures")];
    for (count, usual, what) in counts {
        if count > usual {
            let _ = write!(label, "{line_break}{count} {what}");
        }
    }
    label
}

/// `write:7.0/draft:3.0` is a task of `write/draft`.
fn node_name(task: &str) -> String {
    let bare = |part: &str| part.rsplit_once(':').map_or(part, |(node, _)| node).to_owned();
    task.split('/').map(bare).collect::<Vec<_>>().join("/")
}

/// The number of the checkpoint that made a task.
fn creating_checkpoint(task: &str) -> Option<u64> {
    task.rsplit_once(':')?.1.split('.').next()?.parse().ok()
}

fn inside(ns: &str, node: &str) -> String {
    if ns.is_empty() { node.to_owned() } else { format!("{}/{node}", node_name(ns)) }
}

/// What came from outside, or for a subgraph the node that runs it.
fn outside(ns: &str, source: Option<Source>) -> String {
    let name = match source {
        Some(Source::Fork) => "FORK",
        Some(Source::Update) => "UPDATE",
        _ if !ns.is_empty() => return node_name(ns),
        _ => "START",
    };
    inside(ns, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_tasks_tell_node_and_maker() {
        for (task, node, made_by) in
            [("plan:1.0", "plan", Some(1)), ("write:7.2/draft:3.0", "write/draft", Some(3)), ("odd", "odd", None)]
        {
            assert_eq!((node_name(task).as_str(), creating_checkpoint(task)), (node, made_by));
        }
    }
}
