//! What a process that drives runs does for its tasks with every heartbeat.
//!
//! 1. A task that has neither a job nor a worker gets a new job: a worker that was taken for dead, and was not, may have ended the
//!    job of another one.
//! 2. Tasks of classes are admitted where a process that is gone left slots free.
//! 3. Whoever reads the log is told of tasks that wait though no worker has their graphs.

use std::collections::BTreeSet;
use std::sync::Arc;

use graphile_worker::RawJobSpec;
use sqlx::AssertSqlSafe;
use tokio::time::{MissedTickBehavior, interval};

use super::limits::admitted;
use super::rows::{add, job_of, refused};
use crate::member::{Member, Role};
use crate::options::QueueOptions;

/// The graphs of tasks that have waited for a while and that no worker has.
const UNSERVED: &str = "SELECT DISTINCT t.flags FROM tasks t
    WHERE t.host = $1 AND t.worker IS NULL AND t.queued < clock_timestamp() - make_interval(secs => $2)
    AND NOT EXISTS (SELECT FROM members m WHERE m.kind = $3 AND m.graphs @> t.flags)";

/// Does all of it until it is stopped.
pub(super) async fn keep(member: Arc<Member>, options: Arc<QueueOptions>) {
    let lost = format!(
        "SELECT t.id, t.flags, t.priority FROM tasks t WHERE t.host = $1 AND t.admitted
         AND NOT EXISTS (SELECT FROM {}.jobs j WHERE j.key = t.id)
         AND NOT EXISTS (SELECT FROM members m WHERE m.id = t.worker)",
        member.database.jobs_schema
    );
    let mut ticks = interval(options.heartbeat);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut told = BTreeSet::new();
    loop {
        ticks.tick().await;
        let kept = async {
            requeue(&member, &lost).await?;
            admit(&member, &options).await?;
            tell_unserved(&member, &options, &mut told).await
        };
        if let Err(error) = kept.await {
            tracing::warn!(%error, "tasks that wait cannot be looked after now");
        }
    }
}

async fn requeue(member: &Member, lost: &str) -> Result<(), sqlx::Error> {
    let tasks: Vec<(String, Vec<String>, i16)> =
        sqlx::query_as(AssertSqlSafe(lost.to_owned())).bind(member.id()).fetch_all(&member.database.pool).await?;
    if tasks.is_empty() {
        return Ok(());
    }
    tracing::warn!(tasks = tasks.len(), "tasks were without a job, and are queued again");
    let jobs: Vec<RawJobSpec> = tasks.iter().map(|(id, flags, priority)| job_of(id, flags, *priority)).collect();
    member.database.jobs.add_raw_jobs(&jobs).await.map(drop).map_err(refused)
}

async fn admit(member: &Member, options: &QueueOptions) -> Result<(), sqlx::Error> {
    if options.limits.is_empty() {
        return Ok(());
    }
    let mut transaction = member.database.pool.begin().await?;
    let classes = options.limits.keys().map(String::as_str);
    let jobs = admitted(&mut transaction, classes, options).await?;
    add(&member.database, &mut transaction, &jobs).await?;
    transaction.commit().await
}

/// Tells of graphs once, and again when they were served meanwhile.
async fn tell_unserved(
    member: &Member,
    options: &QueueOptions,
    told: &mut BTreeSet<Vec<String>>,
) -> Result<(), sqlx::Error> {
    let unserved = sqlx::query_scalar(UNSERVED).bind(member.id()).bind(options.expiry().as_secs_f64());
    let unserved: Vec<Vec<String>> = unserved.bind(Role::WORKER).fetch_all(&member.database.pool).await?;
    told.retain(|graphs| unserved.contains(graphs));
    for graphs in unserved {
        if told.insert(graphs.clone()) {
            let graphs = graphs.join(" / ");
            tracing::warn!("tasks of `{graphs}` wait, and no worker has it in that version: start one that does");
        }
    }
    Ok(())
}
