//! What a message asks for.

use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::a2a::rpc::RpcError;
use crate::a2a::task::{TASK, TaskId, find};
use crate::chat::{MESSAGES, answer};
use crate::graph::Fields;
use crate::host::{Host, RunOptions};
use crate::records::{Assistant, ThreadStatus};
use crate::refusal::Refusal;
use crate::runs::{Order, Submitted};

/// The parameters of a message that is sent, in the words of both generations.
#[derive(Debug, Deserialize)]
pub(super) struct SendMessage {
    message: Message,
    #[serde(default)]
    configuration: Option<Configuration>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    parts: Vec<Part>,
    #[serde(default)]
    message_id: Option<String>,
    #[serde(default)]
    context_id: Option<Uuid>,
    #[serde(default)]
    task_id: Option<String>,
}

/// A part: a text, or data. Files are not taken.
#[derive(Debug, Deserialize)]
struct Part {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    data: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Configuration {
    /// 1.0.
    #[serde(default)]
    return_immediately: bool,
    /// 0.3.
    #[serde(default)]
    blocking: Option<bool>,
}

impl SendMessage {
    /// Whether the answer comes when the task has stopped.
    pub(super) fn waits(&self) -> bool {
        let configuration = self.configuration.as_ref();
        configuration
            .is_none_or(|configuration| !configuration.return_immediately && configuration.blocking != Some(false))
    }

    fn text(&self) -> String {
        let texts: Vec<_> = self.message.parts.iter().filter_map(|part| part.text.as_deref()).collect();
        texts.join("\n")
    }

    /// What it answers to a question: its data, or else its text.
    fn answer(&self) -> Value {
        let data = self.message.parts.iter().find_map(|part| part.data.clone());
        data.unwrap_or_else(|| answer(&self.text()))
    }
}

/// Submits what a message asks for: a new task, or the answer to the question of one.
pub(super) async fn submit(
    host: &Host,
    assistant: &Assistant,
    send: &SendMessage,
) -> Result<(TaskId, Submitted), RpcError> {
    if send.message.parts.iter().all(|part| part.text.is_none() && part.data.is_none()) {
        return Err(RpcError::params("Invalid params at `message.parts`: there is neither a text nor data"));
    }
    let asked = match &send.message.task_id {
        Some(id) => Some(TaskId::read(id)?),
        None => None,
    };
    let thread = asked.map(|task| task.thread).or(send.message.context_id).unwrap_or_else(Uuid::now_v7);
    match asked {
        Some(task) => drop(find(host, task).await?),
        None => host.ensure_thread(thread).await?,
    }
    let record = host.manager.records().threads.get(thread).await.map_err(Refusal::from)?;
    let waits = record.status == ThreadStatus::Interrupted && !record.interrupts.is_empty();
    if asked.is_some() && !waits {
        return Err(RpcError::params("Invalid params at `message.taskId`: the task does not wait for input"));
    }
    let order = if waits {
        Order::resume(send.answer())
    } else {
        let id = send.message.message_id.clone().unwrap_or_else(|| Uuid::new_v4().to_string());
        let message = json!({"role": "user", "content": send.text(), "id": id});
        Order::input(Fields::from_iter([(MESSAGES.to_owned(), json!([message]))]))
    };
    let mut options = RunOptions::default();
    if let Some(task) = asked {
        options.metadata.insert(TASK.to_owned(), task.to_string().into());
    }
    let submitted = host.submit(Some(thread), assistant, order, options).await?;
    let task = asked.unwrap_or(TaskId { thread, run: submitted.record.run_id });
    Ok((task, submitted))
}

/// The run of a task that is under way.
pub(super) async fn under_way(host: &Host, task: TaskId) -> Result<Submitted, RpcError> {
    let record = find(host, task).await?;
    let live = host.manager.live(task.thread, record.run_id).await?;
    let live = live.ok_or_else(|| RpcError::params(format!("task {task} is not under way; read it with `GetTask`")))?;
    let log = host.manager.logs().open(task.thread).await.map_err(Refusal::from)?;
    let before = record.before;
    Ok(Submitted { record, live, log, before })
}
