//! `state.fork`: a run that branches off at an older checkpoint.

use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::Success;
use super::error::{CommandError, ErrorCode};
use super::run_start::configure;
use super::thread::Standing;
use crate::graph::Position;
use crate::host::{Host, RunOptions};
use crate::runs::{Config, Order};

/// The protocol's `StateForkParams`.
#[derive(Deserialize)]
pub(super) struct Fork {
    checkpoint_id: String,
    #[serde(default)]
    input: Value,
    #[serde(default)]
    config: Option<Config>,
}

pub(super) async fn fork(host: &Host, thread: Uuid, params: Fork) -> Result<Success, CommandError> {
    let standing = Standing::of(host, thread).await?;
    let checkpoint = checkpoint_of(standing.as_ref(), &params.checkpoint_id).await?;
    let Some(standing) = standing else { return Err(no_such_checkpoint(&params.checkpoint_id)) };
    let mut order = Order { input: params.input, checkpoint_id: Some(checkpoint), ..Order::default() };
    configure(&mut order, params.config)?;
    let assistant = standing.assistant(host).await?;
    let submitted = host.submit(Some(thread), &assistant, order, RunOptions::default()).await?;
    let result = json!({ "run_id": submitted.record.run_id, "thread_id": thread });
    Ok(Success::of_run(result, submitted.before))
}

/// The id of a checkpoint that the thread has.
///
/// # Errors
/// [`ErrorCode::NoSuchCheckpoint`].
pub(super) async fn checkpoint_of(standing: Option<&Standing>, id: &str) -> Result<Uuid, CommandError> {
    let missing = || no_such_checkpoint(id);
    let standing = standing.ok_or_else(missing)?;
    let uuid = Uuid::try_parse(id).map_err(|_| missing())?;
    let position = Position::read(uuid, &standing.id(), "").ok_or_else(missing)?;
    let view = standing.view(Some(position.number)).await?;
    if view.checkpoint.is_none_or(|row| row.number != position.number) {
        return Err(missing());
    }
    Ok(uuid)
}

pub(super) fn no_such_checkpoint(id: &str) -> CommandError {
    let id: String = id.chars().take(64).collect();
    CommandError::new(
        ErrorCode::NoSuchCheckpoint,
        format!("`{id}` is no checkpoint of this thread; `state.listCheckpoints` lists them"),
    )
}
