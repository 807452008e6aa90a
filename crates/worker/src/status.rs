//! Who is there, and who does what.

use serde::Serialize;
use sqlx::postgres::PgRow;
use sqlx::{ColumnIndex, PgPool, Row};

use crate::database::Database;
use crate::error::QueueError;
use crate::member::Role;
use crate::options::QueueOptions;

const MEMBERS: &str = "SELECT m.id, m.kind, m.process, m.address, m.graphs, m.places,
        extract(epoch FROM clock_timestamp() - m.joined)::float8 AS age,
        extract(epoch FROM clock_timestamp() - m.seen)::float8 AS silent,
        (SELECT count(*) FROM tasks t WHERE t.host = m.id OR t.worker = m.id) AS tasks
    FROM members m ORDER BY m.kind, m.joined, m.id";
const TASKS: &str = "SELECT t.name, t.flags, t.host, m.id AS worker, t.takes, t.class, t.admitted,
        extract(epoch FROM clock_timestamp() - t.queued)::float8 AS age, t.stopping
    FROM tasks t LEFT JOIN members m ON m.id = t.worker ORDER BY t.queued, t.id LIMIT $1";

/// The processes of a queue and the tasks that are in it, at one moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct QueueStatus {
    /// Processes that drive runs, then those that execute tasks, each by age. One that is silent for two heartbeats is removed
    /// by the others, and is none any more.
    pub members: Vec<MemberStatus>,
    /// Tasks that wait or are executed, the oldest first, as many as were asked for.
    pub tasks: Vec<TaskStatus>,
    /// How many tasks there are.
    pub total: u64,
}

/// A process that drives runs or executes tasks.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MemberStatus {
    /// The name that tasks have for it.
    pub id: String,
    /// Whether it executes tasks; it drives runs otherwise.
    pub is_worker: bool,
    /// Its number on its machine.
    pub process: u32,
    /// The address that its connection comes from; none where that is no network's.
    pub address: Option<String>,
    /// The graphs that a worker has, each with its versions, as in `trip 2.1`.
    pub graphs: Vec<String>,
    /// How many tasks a worker executes at a time.
    pub places: u64,
    /// How many tasks it executes, or has executed.
    pub tasks: u64,
    /// Seconds since it began.
    pub age: f64,
    /// Seconds since its last heartbeat.
    pub silent: f64,
}

/// A task that waits or is executed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TaskStatus {
    /// Its node and its thread.
    pub name: String,
    /// The graphs that a worker must have, from the outside in.
    pub graphs: Vec<String>,
    /// Its concurrency class, where that has a limit over all processes.
    pub class: Option<String>,
    /// Whether it has a slot of its class; it waits for a slot otherwise.
    pub is_admitted: bool,
    /// The member that drives its run.
    pub driver: String,
    /// The member that executes it; none while it waits.
    pub worker: Option<String>,
    /// How often it was taken: more than once where workers were lost.
    pub takes: u64,
    /// Seconds since it was queued.
    pub age: f64,
    /// Whether its run was asked to stop.
    pub is_stopping: bool,
}

impl QueueStatus {
    /// Reads who is there, and so many tasks at most; none where nobody has used the queue yet. Nothing is made or changed.
    ///
    /// # Errors
    /// The address or a setting cannot be used; the database's; tables of a newer version.
    pub async fn read(url: &str, options: &QueueOptions, tasks: u32) -> Result<Option<Self>, QueueError> {
        match Database::existing(url, options).await? {
            Some(database) => of(&database.pool, tasks).await.map(Some).map_err(|error| database.failed(error)),
            None => Ok(None),
        }
    }

    /// The tasks that wait though no worker has all of their graphs in these versions.
    pub fn unserved(&self) -> impl Iterator<Item = &TaskStatus> {
        let has_all =
            |member: &MemberStatus, task: &TaskStatus| task.graphs.iter().all(|one| member.graphs.contains(one));
        let is_served = move |task: &TaskStatus| self.members.iter().any(|member| has_all(member, task));
        self.tasks.iter().filter(move |task| task.worker.is_none() && !is_served(task))
    }
}

/// What a queue has now.
async fn of(pool: &PgPool, tasks: u32) -> Result<QueueStatus, sqlx::Error> {
    let mut transaction = pool.begin().await?;
    sqlx::query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY").execute(&mut *transaction).await?;
    let members = sqlx::query(MEMBERS).fetch_all(&mut *transaction).await?;
    let rows = sqlx::query(TASKS).bind(i64::from(tasks)).fetch_all(&mut *transaction).await?;
    let total = sqlx::query("SELECT count(*) FROM tasks").fetch_one(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(QueueStatus {
        members: members.iter().map(member).collect::<Result<_, _>>()?,
        tasks: rows.iter().map(task).collect::<Result<_, _>>()?,
        total: number(&total, 0)?,
    })
}

fn member(row: &PgRow) -> Result<MemberStatus, sqlx::Error> {
    Ok(MemberStatus {
        id: row.try_get("id")?,
        is_worker: row.try_get::<&str, _>("kind")? == Role::WORKER,
        process: u32::try_from(number(row, "process")?).unwrap_or_default(),
        address: row.try_get("address")?,
        graphs: row.try_get("graphs")?,
        places: number(row, "places")?,
        tasks: number(row, "tasks")?,
        age: row.try_get("age")?,
        silent: row.try_get("silent")?,
    })
}

fn task(row: &PgRow) -> Result<TaskStatus, sqlx::Error> {
    Ok(TaskStatus {
        name: row.try_get("name")?,
        graphs: row.try_get("flags")?,
        class: row.try_get("class")?,
        is_admitted: row.try_get("admitted")?,
        driver: row.try_get("host")?,
        worker: row.try_get("worker")?,
        takes: number(row, "takes")?,
        age: row.try_get("age")?,
        is_stopping: row.try_get("stopping")?,
    })
}

/// A number that counts something.
fn number<'r>(row: &'r PgRow, column: impl ColumnIndex<PgRow>) -> Result<u64, sqlx::Error> {
    Ok(u64::try_from(row.try_get::<'r, i64, _>(column)?).unwrap_or_default())
}
