//! `run.start`: a run begins, or waits for its turn.

use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::Success;
use super::error::{CommandError, ErrorCode};
use super::fork::checkpoint_of;
use super::thread::{Standing, running};
use crate::graph::Fields;
use crate::host::{Host, RunOptions};
use crate::records::Multitask;
use crate::runs::{Command, Config, Order};

/// The protocol's `RunStartParams`, and what its clients send besides.
#[derive(Deserialize)]
pub(super) struct RunStart {
    assistant_id: String,
    #[serde(default)]
    input: Value,
    #[serde(default)]
    config: Option<Config>,
    #[serde(default)]
    context: Value,
    #[serde(default)]
    metadata: Option<Fields>,
    /// What becomes of a run that is under way. The JavaScript client sends both spellings.
    #[serde(default, rename = "multitaskStrategy")]
    multitask: Option<Multitask>,
    #[serde(default, rename = "multitask_strategy")]
    multitask_snake_case: Option<Multitask>,
}

pub(super) async fn start(host: &Host, thread: Uuid, params: RunStart) -> Result<Success, CommandError> {
    let assistant = host.assistant(&params.assistant_id).await?;
    host.ensure_thread(thread).await?;
    let mut order = Order { context: params.context, ..Order::default() };
    let fork = configure(&mut order, params.config)?;
    if let Some(fork) = &fork {
        let standing = Standing::of(host, thread).await?;
        order.checkpoint_id = Some(checkpoint_of(standing.as_ref(), fork).await?);
    }
    if !params.input.is_null() && fork.is_none() && waits(host, thread).await? {
        order.command = Some(Command { resume: params.input, ..Command::default() });
    } else {
        order.input = params.input;
    }
    let options = RunOptions {
        metadata: params.metadata.unwrap_or_default(),
        multitask: params.multitask.or(params.multitask_snake_case).unwrap_or_default(),
        ..RunOptions::default()
    };
    let submitted = host.submit(Some(thread), &assistant, order, options).await?;
    Ok(Success::of_run(json!({ "run_id": submitted.record.run_id }), submitted.before))
}

/// Whether an input is the answer to a question.
async fn waits(host: &Host, thread: Uuid) -> Result<bool, CommandError> {
    if running(host, thread).await?.is_some() {
        return Ok(false);
    }
    match Standing::of(host, thread).await? {
        Some(standing) => Ok(!standing.questions().await?.is_empty()),
        None => Ok(false),
    }
}

/// Puts a configuration into an order. What names the thread is left out; a checkpoint to fork from is returned.
pub(super) fn configure(order: &mut Order, config: Option<Config>) -> Result<Option<String>, CommandError> {
    order.config = config.unwrap_or_default();
    let configurable = &mut order.config.configurable;
    for key in ["thread_id", "checkpoint_ns", "checkpoint_map"] {
        configurable.remove(key);
    }
    match configurable.remove("checkpoint_id") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(id)) => Ok(Some(id)),
        Some(_) => Err(CommandError::new(
            ErrorCode::InvalidArgument,
            "`params.config.configurable.checkpoint_id` is the id of a checkpoint, a text",
        )),
    }
}
