//! The rows of tasks and their jobs.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::FutureExt;
use graphile_worker::{JobSpecBuilder, RawJobSpec};
use serde_json::json;
use sqlx::{AssertSqlSafe, PgConnection, Row};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::limits::admitted;
use super::upkeep;
use crate::batches::{Batches, until_reached};
use crate::database::Database;
use crate::jobs::TASK_JOB;
use crate::member::{Member, Message};
use crate::options::QueueOptions;

/// How many tasks are removed at a time.
const TOGETHER: usize = 500;

/// A task that waits for a worker.
#[derive(Clone)]
pub(super) struct Queued {
    pub(super) id: String,
    pub(super) host: String,
    /// What it is, for people.
    pub(super) name: String,
    pub(super) request: Vec<u8>,
    /// What a worker must have.
    pub(super) flags: Vec<String>,
    /// Those with a smaller number come first.
    pub(super) priority: i16,
    /// Its class, if that has a limit over all processes.
    pub(super) class: Option<String>,
}

/// A task that is over.
pub(super) struct Over {
    pub(super) id: String,
    /// Whether its worker ended it, and need not be told.
    pub(super) has_ended: bool,
}

const PUT: &str = "INSERT INTO tasks (id, host, name, request, flags, priority, class, admitted)
    SELECT t.id, t.host, t.name, t.request, string_to_array(t.flags, chr(10)), t.priority, t.class, t.class IS NULL
    FROM unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::text[], $6::smallint[], $7::text[])
        AS t (id, host, name, request, flags, priority, class)
    WHERE EXISTS (SELECT FROM members m WHERE m.id = t.host)
    ON CONFLICT (id) DO UPDATE SET host = excluded.host RETURNING id";
const STOP: &str = "UPDATE tasks SET stopping = true WHERE id = $1 RETURNING worker";
const REMOVE: &str = "DELETE FROM tasks WHERE id = ANY ($1) RETURNING id, worker, class";

/// How the rows of tasks are put and removed.
pub(super) struct Rows {
    member: Arc<Member>,
    /// Tasks that are put; none waits only until all that were given before are there.
    put: Arc<Batches<Option<Queued>, bool>>,
    over: mpsc::UnboundedSender<Over>,
    tasks: [AbortHandle; 2],
}

impl Rows {
    pub(super) fn new(member: &Arc<Member>, options: &QueueOptions) -> Self {
        let (database, options) = (member.database.clone(), Arc::new(options.clone()));
        let limits = Arc::clone(&options);
        let put =
            Arc::new(Batches::new(Box::new(move |tasks| put(database.clone(), tasks, Arc::clone(&limits)).boxed())));
        let (over, removed) = mpsc::unbounded_channel();
        let tasks = [
            tokio::spawn(remove(Arc::clone(member), Arc::clone(&put), removed, Arc::clone(&options))).abort_handle(),
            tokio::spawn(upkeep::keep(Arc::clone(member), options)).abort_handle(),
        ];
        Self { member: Arc::clone(member), put, over, tasks }
    }

    /// Puts a task on the queue; false where its host is no member any more.
    ///
    /// # Errors
    /// The database refused it.
    pub(super) async fn put(&self, task: Queued) -> Result<bool, Arc<sqlx::Error>> {
        self.put.give(Some(task)).await
    }

    /// Asks that a task stops; its worker, if one has it.
    pub(super) async fn stop(&self, id: &str) -> Result<Option<String>, sqlx::Error> {
        until_reached(|| async {
            let row = sqlx::query(STOP).bind(id).fetch_optional(&self.member.database.pool).await?;
            row.map_or(Ok(None), |row| row.try_get(0))
        })
        .await
    }

    /// Removes a task.
    pub(super) fn over(&self, over: Over) {
        drop(self.over.send(over));
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        // What is to be removed goes with the row of the member.
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

/// The job that brings a task to a worker. Its key is the id of the task.
pub(super) fn job_of(id: &str, flags: &[String], priority: i16) -> RawJobSpec {
    let spec = JobSpecBuilder::new()
        .job_key(id)
        // Each take of a worker that is lost is one.
        .max_attempts(i16::MAX)
        .priority(priority)
        .flags(flags.to_vec())
        .build();
    RawJobSpec { identifier: TASK_JOB.to_owned(), payload: json!({ "task": id }), spec }
}

async fn put(
    database: Database,
    given: Arc<[Option<Queued>]>,
    options: Arc<QueueOptions>,
) -> Result<Vec<bool>, sqlx::Error> {
    let tasks: Vec<&Queued> = given.iter().flatten().collect();
    if tasks.is_empty() {
        return Ok(vec![false; given.len()]);
    }
    let flags: Vec<String> = tasks.iter().map(|task| task.flags.join("\n")).collect();
    let texts = |of: fn(&Queued) -> &str| tasks.iter().map(|task| of(task)).collect::<Vec<_>>();
    let mut transaction = database.pool.begin().await?;
    let rows = sqlx::query(PUT)
        .bind(texts(|task| &task.id))
        .bind(texts(|task| &task.host))
        .bind(texts(|task| &task.name))
        .bind(tasks.iter().map(|task| task.request.as_slice()).collect::<Vec<_>>())
        .bind(&flags)
        .bind(tasks.iter().map(|task| task.priority).collect::<Vec<_>>())
        .bind(tasks.iter().map(|task| task.class.as_deref()).collect::<Vec<_>>())
        .fetch_all(&mut *transaction)
        .await?;
    let there = rows.iter().map(|row| row.try_get(0)).collect::<Result<BTreeSet<String>, _>>()?;
    let unlimited = tasks.iter().filter(|task| task.class.is_none() && there.contains(&task.id));
    let mut jobs: Vec<RawJobSpec> = unlimited.map(|task| job_of(&task.id, &task.flags, task.priority)).collect();
    let classes: BTreeSet<&str> = tasks.iter().filter_map(|task| task.class.as_deref()).collect();
    jobs.extend(admitted(&mut transaction, classes, &options).await?);
    add(&database, &mut transaction, &jobs).await?;
    transaction.commit().await?;
    Ok(given.iter().map(|task| task.as_ref().is_some_and(|task| there.contains(&task.id))).collect())
}

/// Adds jobs, with all else of a transaction.
pub(super) async fn add(
    database: &Database,
    connection: &mut PgConnection,
    jobs: &[RawJobSpec],
) -> Result<(), sqlx::Error> {
    if jobs.is_empty() {
        return Ok(());
    }
    let added = (*database.jobs).clone().with_executor(connection).add_raw_jobs(jobs).await;
    added.map(drop).map_err(refused)
}

/// A failure of the library of jobs, which keeps no more of its cause than a text: the connection's is the likely one.
pub(super) fn refused(error: impl std::error::Error) -> sqlx::Error {
    sqlx::Error::Protocol(error.to_string())
}

/// Removes tasks that are over, with the jobs that no worker has, and tells the workers that are still at others.
async fn remove(
    member: Arc<Member>,
    put: Arc<Batches<Option<Queued>, bool>>,
    mut over: mpsc::UnboundedReceiver<Over>,
    options: Arc<QueueOptions>,
) {
    let database = &member.database;
    let remove_jobs = format!("SELECT {}.remove_job(id) FROM unnest($1::text[]) AS id", database.jobs_schema);
    let mut tasks = Vec::new();
    while over.recv_many(&mut tasks, TOGETHER).await > 0 {
        let ids: Vec<&str> = tasks.iter().map(|over| over.id.as_str()).collect();
        // One that is over may be on its way into the queue still.
        drop(put.give(None).await);
        let remove = || async {
            let mut transaction = database.pool.begin().await?;
            let removed: Vec<(String, Option<String>, Option<String>)> =
                sqlx::query_as(REMOVE).bind(&ids).fetch_all(&mut *transaction).await?;
            let waiting: Vec<&str> =
                removed.iter().filter(|(_, worker, _)| worker.is_none()).map(|(id, ..)| id.as_str()).collect();
            if !waiting.is_empty() {
                let statement = AssertSqlSafe(remove_jobs.clone());
                sqlx::query(statement).bind(&waiting).execute(&mut *transaction).await?;
            }
            let classes: BTreeSet<&str> = removed.iter().filter_map(|(.., class)| class.as_deref()).collect();
            let jobs = admitted(&mut transaction, classes, &options).await?;
            add(database, &mut transaction, &jobs).await?;
            transaction.commit().await?;
            Ok(removed)
        };
        match until_reached(remove).await {
            Ok(removed) => {
                for (id, worker, _) in removed {
                    let has_ended = tasks.iter().any(|over| over.id == id && over.has_ended);
                    if let Some(worker) = worker.filter(|_| !has_ended) {
                        drop(member.tell(&worker, &id, Message::Over).await);
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "tasks that are over stay until this process ends"),
        }
        tasks.clear();
    }
}
