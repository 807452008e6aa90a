//! The date that prompts state.

use graphloom_core_graph::{Context, NodeError};
use time::OffsetDateTime;

/// The day in UTC, as `2026-11-26`: that of the task's first attempt, so that a run which goes on after a crash states the
/// same.
pub(crate) async fn today<Cx>(cx: &Context<Cx>) -> Result<String, NodeError> {
    let millis = cx.once("today", async { Ok::<u64, NodeError>(cx.now()) }).await?;
    let seconds = i64::try_from(millis / 1000).unwrap_or_default();
    Ok(OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH).date().to_string())
}
