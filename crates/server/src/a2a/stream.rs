//! A task as it goes on: first the task, then what it says and how it stands.

use std::collections::VecDeque;

use axum::response::Response;
use futures::stream;
use serde_json::{Value, json};

use crate::a2a::rpc::{Generation, RpcError};
use crate::a2a::task::{TaskEnding, TaskId, WORKING, artifact, asked_artifact, said, state_of, status, task};
use crate::chat::{last_said, progress};
use crate::host::Host;
use crate::http::{Frame, events};
use crate::log::{CommitOf, Entry, LogEvent, RunTail};
use crate::records::{RunStatus, timestamp};
use crate::runs::Submitted;

/// What is told of a task.
struct Teller {
    task: TaskId,
    /// Whether a piece of what the agent says was told.
    has_said: bool,
    said: Option<String>,
    is_over: bool,
}

impl Teller {
    fn status(&self, status: &Value, is_last: bool) -> Value {
        let mut update = json!({"taskId": self.task.to_string(), "contextId": self.task.thread, "status": status});
        if is_last {
            // Read by 0.3 only; 1.0 ends with the stream.
            update["final"] = true.into();
        }
        json!({"statusUpdate": update})
    }

    fn artifact(&self, artifact: &Value, append: bool) -> Value {
        json!({"artifactUpdate": {
            "taskId": self.task.to_string(), "contextId": self.task.thread, "artifact": artifact, "append": append,
        }})
    }

    fn tell(&mut self, entry: &Entry) -> Vec<Value> {
        match &entry.event {
            LogEvent::Message { chunk, .. } if !chunk.content.is_empty() => {
                let append = std::mem::replace(&mut self.has_said, true);
                vec![self.artifact(&artifact("response", &json!({"text": chunk.content})), append)]
            }
            LogEvent::Commit(CommitOf { values, .. }) if entry.ns.is_empty() => {
                self.said = last_said(values).map(|message| message.text());
                Vec::new()
            }
            LogEvent::RunEnded { status: ended, failure, interrupts } => {
                self.is_over = true;
                let mut told = Vec::new();
                if let (Some(text), false, true) = (&self.said, self.has_said, interrupts.is_empty()) {
                    told.push(self.artifact(&artifact("response", &json!({"text": text})), false));
                }
                told.extend(interrupts.iter().map(|interrupt| self.artifact(&asked_artifact(interrupt), false)));
                let run = serde_json::from_value(Value::String(ended.clone())).unwrap_or(RunStatus::Error);
                let stands = TaskEnding { said: None, asked: interrupts.clone(), failure: failure.clone() };
                told.push(self.status(&status(state_of(run, interrupts), entry.time, &stands), true));
                told
            }
            _ => {
                let line = progress(entry).map(|line| {
                    let status = json!({"state": WORKING, "timestamp": timestamp(entry.time), "message": said(&line)});
                    self.status(&status, false)
                });
                line.into_iter().collect()
            }
        }
    }
}

/// The answer that streams a task.
pub(super) async fn streamed(
    host: &Host,
    id: TaskId,
    submitted: Submitted,
    generation: Generation,
    call: Value,
) -> Result<Response, RpcError> {
    let permit = host.guard.capacity().stream()?;
    let mut first = task(host, id).await?;
    // A run may have ended by now; how it ended is told by what follows.
    first["status"] = json!({"state": WORKING, "timestamp": timestamp(submitted.record.updated)});
    if let Value::Object(first) = &mut first {
        first.shift_remove("artifacts");
    }
    let tail = RunTail::new(&submitted.log, submitted.record.run_id, submitted.before);
    let teller = Teller { task: id, has_said: false, said: None, is_over: false };
    let waiting = VecDeque::from([json!({"task": first})]);
    let told = stream::unfold((teller, tail, waiting), |(mut teller, mut tail, mut waiting)| async move {
        while waiting.is_empty() {
            match tail.next().await {
                Ok(Some(entry)) => waiting.extend(teller.tell(&entry)),
                Ok(None) if teller.is_over => return None,
                Ok(None) | Err(_) => {
                    teller.is_over = true;
                    let status = json!({"state": "TASK_STATE_CANCELED", "message": said("the task was deleted")});
                    waiting.push_back(teller.status(&status, true));
                }
            }
        }
        waiting.pop_front().map(|event| (event, (teller, tail, waiting)))
    });
    let frames = futures::StreamExt::map(told, move |event| {
        // The events of 0.3 are not wrapped.
        let result = match generation {
            Generation::New => event,
            Generation::Old => generation.form(unwrapped(event)),
        };
        Frame::data(&json!({"jsonrpc": "2.0", "id": call, "result": result}).to_string())
    });
    Ok(events(&host.guard, permit, frames))
}

fn unwrapped(event: Value) -> Value {
    match event {
        Value::Object(fields) => fields.into_iter().next().map(|(_, value)| value).unwrap_or_default(),
        other => other,
    }
}
