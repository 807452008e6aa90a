//! Tasks in the form of 1.0.

use std::fmt;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::a2a::rpc::RpcError;
use crate::chat::{last_said, questions};
use crate::host::Host;
use crate::log::Interrupt;
use crate::records::{RunFailure, RunRecord, RunStatus, timestamp};
use crate::refusal::Refusal;
use crate::runs::interrupts;

/// The key of a run's metadata that names the task whose question it answers.
pub(super) const TASK: &str = "a2a_task";

/// The id of a task: its thread, and its first run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TaskId {
    pub(super) thread: Uuid,
    pub(super) run: Uuid,
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.thread, self.run)
    }
}

impl TaskId {
    pub(super) fn read(id: &str) -> Result<Self, RpcError> {
        let parts = id.split_once(':').and_then(|(thread, run)| Some((thread.parse().ok()?, run.parse().ok()?)));
        parts.map(|(thread, run)| Self { thread, run }).ok_or_else(|| RpcError::no_task(id))
    }
}

/// The newest run of a task.
pub(super) async fn find(host: &Host, task: TaskId) -> Result<RunRecord, RpcError> {
    let id = task.to_string();
    let runs = host.manager.records().runs.of_thread(task.thread).await.map_err(Refusal::from)?;
    let of_task = |run: &RunRecord| run.run_id == task.run || run.metadata.get(TASK).is_some_and(|of| *of == id);
    runs.into_iter().rfind(of_task).ok_or_else(|| RpcError::no_task(&id))
}

/// A task as it stands.
pub(super) async fn task(host: &Host, id: TaskId) -> Result<Value, RpcError> {
    let run = find(host, id).await?;
    let thread = id.thread.to_string();
    let mut stands = TaskEnding { failure: run.error.clone(), ..TaskEnding::default() };
    if let (Some((_, last)), Some(graph)) = (run.checkpoints, host.manager.graph(&run.graph)) {
        let view = graph.view(&thread, Some(last)).await.map_err(Refusal::from)?;
        stands.said = last_said(&view.values).map(|message| message.text());
        stands.asked = interrupts(&thread, &view);
        // Of a thread that was answered since, the old checkpoint still has its question.
        if host.manager.records().threads.get(id.thread).await.is_ok_and(|record| record.interrupts.is_empty()) {
            stands.asked.clear();
        }
    }
    let state = state_of(run.status, &stands.asked);
    let mut task = json!({
        "id": id.to_string(), "contextId": thread,
        "status": status(state, run.updated, &stands),
    });
    let artifacts = stands.artifacts();
    if !artifacts.is_empty() && state != WORKING && state != SUBMITTED {
        task["artifacts"] = artifacts.into();
    }
    Ok(task)
}

pub(super) const SUBMITTED: &str = "TASK_STATE_SUBMITTED";
pub(super) const WORKING: &str = "TASK_STATE_WORKING";

/// The state of a task whose newest run has a status.
pub(super) fn state_of(status: RunStatus, asked: &[Interrupt]) -> &'static str {
    match status {
        RunStatus::Pending => SUBMITTED,
        RunStatus::Running => WORKING,
        RunStatus::Success if !asked.is_empty() => "TASK_STATE_INPUT_REQUIRED",
        RunStatus::Success => "TASK_STATE_COMPLETED",
        RunStatus::Error | RunStatus::Timeout => "TASK_STATE_FAILED",
        RunStatus::Interrupted => "TASK_STATE_CANCELED",
    }
}

/// How a task stands.
#[derive(Default)]
pub(super) struct TaskEnding {
    pub(super) said: Option<String>,
    pub(super) asked: Vec<Interrupt>,
    pub(super) failure: Option<RunFailure>,
}

impl TaskEnding {
    fn message(&self) -> Option<String> {
        match &self.failure {
            Some(failure) => Some(format!("{}: {}", failure.error, failure.message)),
            None => (!self.asked.is_empty()).then(|| questions(&self.asked)),
        }
    }

    /// What the agent said, and the data of what it asks.
    fn artifacts(&self) -> Vec<Value> {
        let said = self.said.as_ref().map(|text| artifact("response", &json!({"text": text})));
        said.into_iter().chain(self.asked.iter().map(asked_artifact)).collect()
    }
}

/// An artefact of one part.
pub(super) fn artifact(name: &str, part: &Value) -> Value {
    json!({"artifactId": name, "name": name, "parts": [part]})
}

/// What is asked, as data.
pub(super) fn asked_artifact(interrupt: &Interrupt) -> Value {
    let data = json!({"id": interrupt.id, "value": interrupt.value});
    json!({"artifactId": interrupt.id, "name": "Interrupt", "parts": [{"data": data}]})
}

/// The status of a task, with what there is to say of it.
pub(super) fn status(state: &str, time: u64, stands: &TaskEnding) -> Value {
    let mut status = json!({"state": state, "timestamp": timestamp(time)});
    if let Some(text) = stands.message() {
        status["message"] = said(&text);
    }
    status
}

/// A message of the agent.
pub(super) fn said(text: &str) -> Value {
    json!({"messageId": Uuid::new_v4(), "role": "ROLE_AGENT", "parts": [{"text": text}]})
}
