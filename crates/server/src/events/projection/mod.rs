//! From the entries of a thread's log to the events of the protocol.
//!
//! A projection takes entries in their order, from the beginning of a run on, and gives for each the events that a client sees.
//! What it remembers, it remembers of one run: it may therefore begin at any run, and the events it gives are the same.
//!
//! | events | where |
//! | --- | --- |
//! | runs and subgraphs that begin and end | `lifecycle.rs` |
//! | tasks, what they wrote and what they ask | `tasks.rs` |
//! | commits and the state after them | `commits.rs` |
//! | messages, in blocks | `messages.rs` |
//! | calls of tools | `tools.rs` |
//! | attempts of tasks, calls of models, warnings and lost events | `trace.rs` |

mod commits;
mod lifecycle;
mod messages;
mod tasks;
#[cfg(test)]
mod tests;
mod tools;
mod trace;

use std::sync::Arc;

use serde_json::json;
use uuid::Uuid;

use super::channel::{Address, Channel};
use super::event::{Events, ProtocolEvent};
use crate::graph::namespace;
use crate::log::{Entry, LogEvent};

pub(super) use lifecycle::{RunLife, Status};

/// What is remembered of a run while its entries are read.
pub(super) struct Projection {
    thread: Uuid,
    run: Option<RunProjection>,
}

/// What is remembered of one run.
struct RunProjection {
    life: RunLife,
    tasks: tasks::Tasks,
    messages: messages::OpenMessages,
    tools: tools::ToolCalls,
}

impl Projection {
    pub(super) fn new(thread: Uuid) -> Self {
        Self { thread, run: None }
    }

    /// The events of the next entry, of which those that nobody wants are left out.
    pub(super) fn take(&mut self, entry: &Arc<Entry>, wants: &dyn Fn(&Address<'_>) -> bool) -> Vec<ProtocolEvent> {
        let mut events = Events::of(self.thread, entry, namespace_of(self.thread, &entry.ns), wants);
        if let LogEvent::RunStarted { graph, attempt, .. } = &entry.event {
            // A run that goes on after its process died is the same run.
            if self.run.as_ref().is_none_or(|run| run.life.run != entry.run) {
                self.run = Some(RunProjection::new(entry, graph));
                lifecycle::begin(graph, &mut events);
            }
            if let Some(run) = &mut self.run {
                run.life.attempt = *attempt;
                run.tasks.stand(entry);
            }
            return events.finish();
        }
        // A run that never began, as one that was cancelled in its queue, tells nothing.
        if let Some(run) = self.run.as_mut().filter(|run| run.life.run == entry.run) {
            run.take(self.thread, entry, &mut events);
            if matches!(entry.event, LogEvent::RunEnded { .. }) {
                self.run = None;
            }
        }
        events.finish()
    }
}

impl RunProjection {
    fn new(entry: &Entry, graph: &str) -> Self {
        Self {
            life: RunLife::new(entry.run, graph),
            tasks: tasks::Tasks::default(),
            messages: messages::OpenMessages::default(),
            tools: tools::ToolCalls::default(),
        }
    }

    fn take(&mut self, thread: Uuid, entry: &Arc<Entry>, events: &mut Events<'_>) {
        self.life.note(entry);
        match &entry.event {
            LogEvent::SubgraphStarted { graph } => lifecycle::subgraph_started(graph, events),
            LogEvent::SubgraphEnded { graph, status, detail } => {
                lifecycle::subgraph_ended(graph, *status, detail, events);
            }
            LogEvent::TaskStarted { task, node, attempt, packet } => {
                if *attempt <= 1 {
                    self.tasks.started(thread, task, node, packet.as_ref(), &entry.ns, events);
                    self.tools.started(&entry.ns, events);
                }
                trace::attempt(thread, task, node, *attempt, events);
            }
            LogEvent::Update { task, node, values } => {
                events.add_of_task(
                    Channel::Updates,
                    task,
                    node,
                    || json!({ "node": node, "values": if values.is_null() { json!({}) } else { values.clone() } }),
                );
                tasks::wrote(thread, task, node, values, events);
                self.tools.updated(&entry.ns, values, events);
            }
            LogEvent::TaskRetry { task, node, error, delay } => {
                self.messages.abandon(Some(task), error, events);
                trace::retry(thread, task, node, error, *delay, events);
            }
            LogEvent::TaskFailed { task, node, error } => {
                self.messages.abandon(Some(task), error, events);
                tasks::failed(thread, task, node, error, events);
            }
            LogEvent::Interrupted { task, node, interrupt } => {
                tasks::asked(thread, task, node, interrupt, events);
            }
            LogEvent::Custom { task, node, name, payload } => {
                if name == tools::OUTPUT_DELTA {
                    tools::ToolCalls::put_out(payload, events);
                }
                let name = Some(name.as_str()).filter(|name| !name.is_empty());
                events.add_custom(task, node, name, || match name {
                    Some(name) => json!({ "name": name, "payload": payload }),
                    None => json!({ "payload": payload }),
                });
            }
            LogEvent::ModelCall { task, node, call } => trace::model_call(thread, task, node, call, events),
            LogEvent::Message { task, node, chunk } => {
                let origin = messages::Origin { thread, run: entry.run, task, node };
                self.messages.take(&origin, chunk, events);
            }
            LogEvent::Commit(commit) => {
                commits::commit(thread, &entry.ns, entry.step, commit, events);
                self.tasks.stand(entry);
            }
            LogEvent::RunEnded { status, failure, interrupts } => {
                self.messages.abandon(None, "the run ended before the message did", events);
                if self.life.attempt > 1 {
                    // A process that died may have left a question untold.
                    for interrupt in interrupts.iter().filter(|interrupt| !self.life.has_asked(&interrupt.id)) {
                        tasks::requested(interrupt, events);
                    }
                }
                lifecycle::end(&self.life, status, failure.as_ref(), interrupts, events);
            }
            LogEvent::Warning { message } => trace::warning(message, events),
            LogEvent::Lost { events: lost } => trace::lost(*lost, events),
            LogEvent::RunStarted { .. } | LogEvent::AskedAgain { .. } | LogEvent::StateUpdated { .. } => {}
        }
    }
}

/// A namespace of the runtime as a path of segments, each with the id of its task.
pub(super) fn namespace_of(thread: Uuid, ns: &str) -> Vec<String> {
    let seen = namespace(&thread.to_string(), ns);
    seen.split('|').filter(|segment| !segment.is_empty()).map(str::to_owned).collect()
}
