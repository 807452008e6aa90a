//! Runs and subgraphs that begin and end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use graphloom_core_graph::checkpoint::ThreadStatus;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::super::channel::Channel;
use super::super::event::Events;
use crate::log::{Entry, Interrupt, LogEvent};
use crate::records::RunFailure;

/// How far a graph is: the protocol's `AgentStatus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    /// It waits for its turn, or is a subgraph under way.
    Started,
    Running,
    Completed,
    Failed,
    /// It waits for an answer, or was stopped.
    Interrupted,
}

/// The life of one run: its own, and those of the graphs within it.
pub(crate) struct RunLife {
    pub(crate) run: Uuid,
    pub(super) attempt: u32,
    /// The graphs by namespaces of the runtime, with their names: those above before those below.
    pub(crate) graphs: BTreeMap<Arc<str>, (String, Status)>,
    /// Questions that were asked.
    asked: BTreeSet<String>,
    /// Whether the root graph has something to go on with.
    goes_on: bool,
}

impl RunLife {
    pub(crate) fn new(run: Uuid, graph: &str) -> Self {
        let root = ("".into(), (graph.to_owned(), Status::Running));
        Self { run, attempt: 1, graphs: BTreeMap::from([root]), asked: BTreeSet::new(), goes_on: false }
    }

    /// Takes up an entry of the run.
    pub(crate) fn note(&mut self, entry: &Entry) {
        match &entry.event {
            LogEvent::SubgraphStarted { graph } => {
                self.graphs.insert(Arc::clone(&entry.ns), (graph.clone(), Status::Started));
            }
            LogEvent::SubgraphEnded { graph, status, .. } => {
                self.graphs.insert(Arc::clone(&entry.ns), (graph.clone(), of_subgraph(*status)));
            }
            LogEvent::Commit(commit) if entry.ns.is_empty() => self.goes_on = !commit.next.is_empty(),
            LogEvent::Interrupted { interrupt, .. } => drop(self.asked.insert(interrupt.id.clone())),
            LogEvent::RunEnded { status, interrupts, .. } => {
                let status = self.ended(status, interrupts);
                if let Some(root) = self.graphs.get_mut("") {
                    root.1 = status;
                }
            }
            _ => {}
        }
    }

    pub(super) fn has_asked(&self, interrupt: &str) -> bool {
        self.asked.contains(interrupt)
    }

    /// How a run ended, by its status on the LangGraph wire: a run that stops at a question or a breakpoint is a success there.
    fn ended(&self, status: &str, interrupts: &[Interrupt]) -> Status {
        match status {
            "success" if interrupts.is_empty() && !self.goes_on => Status::Completed,
            "success" | "interrupted" => Status::Interrupted,
            _ => Status::Failed,
        }
    }
}

fn of_subgraph(status: ThreadStatus) -> Status {
    match status {
        ThreadStatus::Done => Status::Completed,
        ThreadStatus::Failed | ThreadStatus::BudgetSpent => Status::Failed,
        _ => Status::Interrupted,
    }
}

pub(super) fn begin(graph: &str, events: &mut Events<'_>) {
    events.add(Channel::Lifecycle, || json!({ "event": Status::Running, "graph_name": graph }));
}

pub(super) fn end(
    life: &RunLife,
    status: &str,
    failure: Option<&RunFailure>,
    interrupts: &[Interrupt],
    events: &mut Events<'_>,
) {
    let graph = life.graphs.get("").map(|(graph, _)| graph.as_str());
    events.add(Channel::Lifecycle, || {
        let mut data = json!({ "event": life.ended(status, interrupts), "graph_name": graph });
        if let Some(failure) = failure {
            data["error"] = failure.message.as_str().into();
            if failure.error == "UnknownInterruptError" {
                // Clients show again what is still open.
                data["reason"] = "unknown_interrupt".into();
                data["pending_ids"] = interrupts.iter().map(|interrupt| interrupt.id.as_str()).collect();
            }
        }
        data
    });
}

pub(super) fn subgraph_started(graph: &str, events: &mut Events<'_>) {
    let trigger = trigger(events.namespace());
    events.add(
        Channel::Lifecycle,
        || json!({ "event": Status::Started, "graph_name": graph, "trigger_call_id": trigger }),
    );
}

pub(super) fn subgraph_ended(graph: &str, status: ThreadStatus, detail: &str, events: &mut Events<'_>) {
    let trigger = trigger(events.namespace());
    events.add(Channel::Lifecycle, || {
        let status = of_subgraph(status);
        let mut data = json!({ "event": status, "graph_name": graph, "trigger_call_id": trigger });
        if status == Status::Failed {
            data["error"] = detail.into();
        }
        data
    });
}

/// The id of the task that a subgraph is in.
fn trigger(namespace: &[String]) -> Value {
    let task = namespace.last().and_then(|segment| segment.split_once(':'));
    task.map(|(_, id)| id).into()
}
