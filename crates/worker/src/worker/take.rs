//! Tasks are taken.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::FutureExt;
use sqlx::{PgPool, Row};

use crate::batches::Batches;
use crate::member::Member;

/// Takes tasks; the request is only for the first who takes one.
const TAKE: &str = "UPDATE tasks SET worker = $2, takes = takes + 1 WHERE id = ANY ($1)
    RETURNING id, host, takes, stopping, CASE WHEN takes = 1 THEN request END AS request";

/// A task that was taken.
#[derive(Clone)]
pub(super) struct Taken {
    /// The member that drives its run.
    pub(super) host: String,
    /// How often it was taken.
    pub(super) take: i64,
    pub(super) is_stopping: bool,
    pub(super) request: Option<Vec<u8>>,
}

/// What becomes of tasks that a worker takes, by their ids; none where one is over. Those that are taken at the same time go to the
/// database together.
pub(super) type Takes = Batches<String, Option<Taken>>;

/// How a worker takes tasks.
pub(super) fn takes_of(member: &Arc<Member>) -> Takes {
    let member = Arc::clone(member);
    Batches::new(Box::new(move |ids| take(member.database.pool.clone(), member.id(), ids).boxed()))
}

async fn take(pool: PgPool, worker: String, ids: Arc<[String]>) -> Result<Vec<Option<Taken>>, sqlx::Error> {
    let rows = sqlx::query(TAKE).bind(&*ids).bind(worker).fetch_all(&pool).await?;
    let mut taken = BTreeMap::new();
    for row in rows {
        let (host, take, is_stopping) = (row.try_get("host")?, row.try_get("takes")?, row.try_get("stopping")?);
        let one = Taken { host, take, is_stopping, request: row.try_get("request")? };
        taken.insert(row.try_get::<String, _>("id")?, one);
    }
    Ok(ids.iter().map(|id| taken.get(id).cloned()).collect())
}
