//! Runs are stopped.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use super::create::located;
use super::outcome;
use crate::host::Host;
use crate::http::{Json, Path, Problem, Query, RunUuid, ThreadUuid, late_json, uuid_of};
use crate::records::RunStatus;
use crate::refusal::Refusal;
use crate::runs::Cancel;

#[derive(Deserialize, JsonSchema)]
pub(super) struct CancelQuery {
    /// Whether the answer comes when the run has ended.
    #[serde(default)]
    wait: bool,
    #[serde(default)]
    action: Action,
    /// Why the run is cancelled, in a word; it is kept with the run.
    reason: Option<String>,
}

/// What becomes of what a run did.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Action {
    /// What it committed stays.
    #[default]
    Interrupt,
    /// The run and what it committed are taken back.
    Rollback,
}

impl From<Action> for Cancel {
    fn from(action: Action) -> Self {
        match action {
            Action::Interrupt => Self::Interrupt,
            Action::Rollback => Self::Rollback,
        }
    }
}

/// The longest reason that is kept, in characters.
const REASON: usize = 500;

async fn cancelled(host: &Host, at: (Option<Uuid>, Uuid), query: CancelQuery) -> Result<Response, Problem> {
    let (thread, run) = (at.0.unwrap_or(at.1), at.1);
    if host.manager.live(thread, run).await?.is_some()
        && let Some(reason) = query.reason.filter(|reason| !reason.is_empty())
    {
        let reason: String = reason.chars().take(REASON).collect();
        let keep = |record: &mut crate::records::RunRecord| {
            record.cancel_reason = Some(format!("{reason}: by a client"));
            Ok(())
        };
        host.manager.records().runs.update(thread, run, keep).await.map_err(Refusal::from)?;
    }
    let live = host.manager.cancel(thread, run, query.action.into()).await?;
    if !query.wait {
        return Ok(StatusCode::ACCEPTED.into_response());
    }
    let answer = late_json(async move { outcome::of_live(&live, None).await });
    Ok(located(answer, at.0, run, "join"))
}

pub(super) async fn one(
    State(host): State<Host>,
    Path((thread, run)): Path<(ThreadUuid, RunUuid)>,
    Query(query): Query<CancelQuery>,
) -> Result<Response, Problem> {
    cancelled(&host, (Some(thread.0), run.0), query).await
}

pub(super) async fn one_stateless(
    State(host): State<Host>,
    Path(run): Path<RunUuid>,
    Query(query): Query<CancelQuery>,
) -> Result<Response, Problem> {
    cancelled(&host, (None, run.0), query).await
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct SeveralQuery {
    #[serde(default)]
    action: Action,
}

/// Which runs are stopped: those of a status, or those of a thread by their ids.
#[derive(Deserialize, JsonSchema)]
pub(super) struct SeveralBody {
    #[serde(default)]
    status: Option<Unfinished>,
    #[serde(default)]
    thread_id: Option<String>,
    #[serde(default)]
    run_ids: Option<Vec<String>>,
}

/// Runs that have not ended.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Unfinished {
    Pending,
    Running,
    All,
}

impl Unfinished {
    fn has(self, status: RunStatus) -> bool {
        match self {
            Self::Pending => status == RunStatus::Pending,
            Self::Running => status == RunStatus::Running,
            Self::All => !status.is_final(),
        }
    }
}

pub(super) async fn several(
    State(host): State<Host>,
    Query(query): Query<SeveralQuery>,
    Json(body): Json<SeveralBody>,
) -> Result<StatusCode, Problem> {
    let runs: Vec<(Uuid, Uuid)> = match (body.status, body.thread_id, body.run_ids) {
        (Some(status), None, None) => {
            let unfinished = host.manager.records().runs.unfinished().await.map_err(Refusal::from)?;
            let runs = unfinished.iter().filter(|run| status.has(run.status));
            // A thread's last run goes first, so that none begins in between.
            runs.rev().map(|run| (run.thread_id, run.run_id)).collect()
        }
        (None, Some(thread), Some(runs)) => {
            let thread = uuid_of("thread", &thread)?;
            runs.iter().rev().map(|run| Ok((thread, uuid_of("run", run)?))).collect::<Result<_, Problem>>()?
        }
        _ => {
            return Err(Problem::unprocessable(
                "Say which runs are to be cancelled: either by `status`, or by `thread_id` and `run_ids`",
            ));
        }
    };
    let (is_by_id, mut found) = (body.status.is_none(), false);
    for (thread, run) in runs {
        match host.manager.cancel(thread, run, query.action.into()).await {
            Ok(_) => found = true,
            Err(Refusal::NotFound(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if is_by_id && !found {
        return Err(Problem::not_found("No matching runs to cancel: none of these runs is under way"));
    }
    Ok(StatusCode::NO_CONTENT)
}
