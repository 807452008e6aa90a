//! Of a class with a limit only so many tasks are on the queue at a time, over all processes.
//!
//! 1. A task of such a class is put without a job. It is admitted when a slot of the class is free: it gets its job then.
//! 2. Whoever puts such a task, or removes one, looks for free slots, and so does each process that drives runs with every heartbeat:
//!    a process that died freed what it had.
//! 3. Slots of a class are given out under a lock of the database, so that two who look do not give out the same. A task that
//!    somebody is removing is passed over: who removes it waits for that lock, and looks next.

use graphile_worker::RawJobSpec;
use sqlx::{PgConnection, Row};

use super::rows::job_of;
use crate::options::QueueOptions;

/// Held until the end of the transaction by whoever gives out slots of a class.
const LOCK: &str = "SELECT pg_advisory_xact_lock(1198681200, hashtext(current_schema() || $1))";
const ADMIT: &str = "UPDATE tasks SET admitted = true WHERE id IN (
        SELECT id FROM tasks WHERE class = $1 AND NOT admitted ORDER BY priority, queued, id
        LIMIT greatest($2 - (SELECT count(*) FROM tasks WHERE class = $1 AND admitted), 0)
        FOR UPDATE SKIP LOCKED
    ) RETURNING id, flags, priority";

/// Admits as many tasks as these classes have free slots for; the jobs that they get.
pub(super) async fn admitted(
    connection: &mut PgConnection,
    classes: impl IntoIterator<Item = &str>,
    options: &QueueOptions,
) -> Result<Vec<RawJobSpec>, sqlx::Error> {
    let mut jobs = Vec::new();
    for class in classes {
        let Some(limit) = options.limits.get(class) else { continue };
        sqlx::query(LOCK).bind(class).execute(&mut *connection).await?;
        let limit = i64::try_from(*limit).unwrap_or(i64::MAX);
        for row in sqlx::query(ADMIT).bind(class).bind(limit).fetch_all(&mut *connection).await? {
            let (id, flags): (String, Vec<String>) = (row.try_get(0)?, row.try_get(1)?);
            jobs.push(job_of(&id, &flags, row.try_get(2)?));
        }
    }
    Ok(jobs)
}
