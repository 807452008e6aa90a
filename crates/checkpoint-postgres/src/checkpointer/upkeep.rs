//! What is done to threads as a whole, and to the tables.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{CheckpointError, Checksum, Cut, Lease, Pruning, Stats};
use sqlx::{PgConnection, PgPool, Row};

use super::commit::{ThreadSums, owner, refused, stale, word};
use super::read::{head_of, heads, thread_row};
use crate::failure::{Failure, read_number, storable};

/// The thread's id with its row locked, when nobody has claimed it since the lease was given.
async fn unclaimed(connection: &mut PgConnection, lease: &Lease) -> Result<i64, Failure> {
    match owner(connection, &lease.thread, true).await? {
        None => Err(CheckpointError::UnknownThread { thread: lease.thread.to_string() }.into()),
        Some(row) if row.epoch + 1 == lease.epoch => Ok(row.id),
        Some(row) => Err(stale(lease, "", format!("the thread is at epoch {}", row.epoch))),
    }
}

/// Commits that bring large values, and removals of such, wait for each other.
const LARGE_VALUES: &str = "SELECT pg_advisory_xact_lock(1198681197, hashtext(current_schema()))";

/// Removes large values that no record holds any more.
async fn drop_unused(connection: &mut PgConnection, blobs: Option<&[String]>) -> Result<(), Failure> {
    const OF_THESE: &str =
        "DELETE FROM blobs WHERE hash = ANY($1) AND NOT EXISTS (SELECT 1 FROM fields WHERE blob = blobs.hash)";
    const OF_ALL: &str = "DELETE FROM blobs WHERE NOT EXISTS (SELECT 1 FROM fields WHERE blob = blobs.hash)";
    if blobs.is_some_and(<[String]>::is_empty) {
        return Ok(());
    }
    sqlx::query(LARGE_VALUES).execute(&mut *connection).await?;
    match blobs {
        Some(blobs) => sqlx::query(OF_THESE).bind(blobs).execute(&mut *connection).await?,
        None => sqlx::query(OF_ALL).execute(&mut *connection).await?,
    };
    Ok(())
}

/// Deletes the thread of a lease that has not written, and the large values that no other thread holds.
pub(super) async fn delete_thread(pool: &PgPool, lease: &Lease) -> Result<(), Failure> {
    let mut transaction = pool.begin().await?;
    let thread = unclaimed(&mut transaction, lease).await?;
    let blobs = drop_namespaces(&mut transaction, thread, None).await?;
    for statement in ["DELETE FROM journal WHERE thread = $1", "DELETE FROM threads WHERE id = $1"] {
        sqlx::query(statement).bind(thread).execute(&mut *transaction).await?;
    }
    drop_unused(&mut transaction, Some(&blobs)).await?;
    Ok(transaction.commit().await?)
}

/// Removes one namespace of a thread or all, and answers the large values that it held.
async fn drop_namespaces(connection: &mut PgConnection, thread: i64, ns: Option<&str>) -> Result<Vec<String>, Failure> {
    let heads = "SELECT id FROM heads WHERE thread = $1 AND ($2::text IS NULL OR ns = $2)";
    let heads: Vec<i64> = sqlx::query_scalar(heads).bind(thread).bind(ns).fetch_all(&mut *connection).await?;
    let fields = "WITH gone AS (DELETE FROM fields WHERE head = ANY($1) RETURNING blob)
        SELECT DISTINCT blob FROM gone WHERE blob IS NOT NULL";
    let blobs = sqlx::query_scalar(fields).bind(&heads).fetch_all(&mut *connection).await?;
    for statement in [
        "DELETE FROM checkpoints WHERE head = ANY($1)",
        "DELETE FROM task_records WHERE head = ANY($1)",
        "DELETE FROM heads WHERE id = ANY($1)",
    ] {
        sqlx::query(statement).bind(&heads).execute(&mut *connection).await?;
    }
    Ok(blobs)
}

/// Copies the thread of a lease that has not written to an id that is free.
pub(super) async fn copy_thread(pool: &PgPool, from: &Lease, to: &Arc<str>) -> Result<(), Failure> {
    let mut transaction = pool.begin().await?;
    let source = unclaimed(&mut transaction, from).await?;
    let exists = || Failure::from(CheckpointError::ThreadExists { thread: to.to_string() });
    let row = sqlx::query("SELECT * FROM threads WHERE id = $1").bind(source).fetch_one(&mut *transaction).await?;
    let row = thread_row(&row)?;
    let status = word(&row.status)?;
    let insert = "INSERT INTO threads
            (thread, graph, graph_version, status, detail, created, updated, epoch, holder, sum, holder_sum)
        VALUES ($1, $2, $3, $4, $5, $6, $7, 0, '', $8, $9)
        ON CONFLICT (thread) DO NOTHING RETURNING id";
    let insert = sqlx::query_scalar(insert)
        .bind(&**to)
        .bind(&row.graph)
        .bind(i64::from(row.graph_version))
        .bind(&status)
        .bind(row.detail.as_bytes())
        .bind(storable(row.created)?)
        .bind(storable(row.updated)?)
        .bind(Checksum::of_thread_row(to, &row, &status).stored())
        .bind(Checksum::of_holder(to, 0, "").stored());
    let copy: Option<i64> = insert.fetch_optional(&mut *transaction).await?;
    let copy = copy.ok_or_else(exists)?;
    // Large values are held by the copy before anybody can remove them.
    sqlx::query("SELECT pg_advisory_xact_lock_shared(1198681197, hashtext(current_schema()))")
        .execute(&mut *transaction)
        .await?;
    for (ns, number) in heads(&mut *transaction, &from.thread).await? {
        let sum = Checksum::of_head(to, &ns, number).stored();
        let insert = sqlx::query("INSERT INTO heads (thread, ns, number, sum) VALUES ($1, $2, $3, $4)");
        let insert = insert.bind(copy).bind(&ns).bind(number.map(storable).transpose()?).bind(sum);
        insert.execute(&mut *transaction).await?;
    }
    // The checksums of the other rows are of nothing that a copy changes.
    for statement in [
        "INSERT INTO checkpoints
            (head, number, parent, id, step, source, time, executed, fields, versions, state_version, sum)
        SELECT t.id, c.number, c.parent, c.id, c.step, c.source, c.time, c.executed, c.fields, c.versions, c.state_version,
            c.sum
        FROM checkpoints c JOIN heads s ON s.id = c.head JOIN heads t ON t.thread = $2 AND t.ns = s.ns
        WHERE s.thread = $1",
        "INSERT INTO fields (head, field, version, previous, whole, payload, blob, sum)
        SELECT t.id, f.field, f.version, f.previous, f.whole, f.payload, f.blob, f.sum
        FROM fields f JOIN heads s ON s.id = f.head JOIN heads t ON t.thread = $2 AND t.ns = s.ns
        WHERE s.thread = $1",
        // Records of tasks keep their order, which is that of their ids.
        "INSERT INTO task_records (head, task, kind, key, payload, sum)
        SELECT t.id, r.task, r.kind, r.key, r.payload, r.sum
        FROM task_records r JOIN heads s ON s.id = r.head JOIN heads t ON t.thread = $2 AND t.ns = s.ns
        WHERE s.thread = $1 ORDER BY r.id",
        "INSERT INTO journal (thread, seq, event, sum) SELECT $2, seq, event, sum FROM journal WHERE thread = $1",
    ] {
        sqlx::query(statement).bind(source).bind(copy).execute(&mut *transaction).await?;
    }
    Ok(transaction.commit().await?)
}

/// Removes what a pruning names.
pub(super) async fn prune(pool: &PgPool, lease: &Lease, pruning: &Pruning) -> Result<(), Failure> {
    let mut transaction = pool.begin().await?;
    let row = pruning.thread.as_ref();
    let status = row.map(|row| word(&row.status)).transpose()?;
    let sums = ThreadSums::of(lease, row, status.as_deref().unwrap_or_default(), false);
    let claim = sqlx::query_scalar("SELECT claim($1, $2, $3, false, $4, $5, $6, $7, $8, $9, $10, $11, $12)")
        .bind(&*lease.thread)
        .bind(&*lease.owner)
        .bind(storable(lease.epoch)?)
        .bind(row.is_some())
        .bind(row.map_or("", |row| &row.graph))
        .bind(row.map_or(0, |row| i64::from(row.graph_version)))
        .bind(status.as_deref().unwrap_or_default())
        .bind(row.map_or(&[][..], |row| row.detail.as_bytes()))
        .bind(storable(row.map_or(0, |row| row.created))?)
        .bind(storable(row.map_or(0, |row| row.updated))?)
        .bind(sums.row)
        .bind(sums.holder);
    let thread: i64 = claim.fetch_one(&mut *transaction).await.map_err(|error| refused(error.into(), lease, ""))?;
    let mut blobs = Vec::new();
    for cut in &pruning.cuts {
        if cut.whole {
            blobs.extend(drop_namespaces(&mut transaction, thread, Some(&cut.ns)).await?);
        } else {
            blobs.extend(drop_parts(&mut transaction, lease, thread, cut).await?);
        }
    }
    let journal = "DELETE FROM journal WHERE thread = $1 AND seq < $2
        AND seq < (SELECT max(seq) FROM journal WHERE thread = $1)";
    let before = i64::try_from(pruning.journal_before).unwrap_or(i64::MAX);
    sqlx::query(journal).bind(thread).bind(before).execute(&mut *transaction).await?;
    drop_unused(&mut transaction, Some(&blobs)).await?;
    Ok(transaction.commit().await?)
}

async fn drop_parts(
    connection: &mut PgConnection,
    lease: &Lease,
    thread: i64,
    cut: &Cut,
) -> Result<Vec<String>, Failure> {
    let head = "SELECT id, number AS head_number, sum AS head_sum FROM heads WHERE thread = $1 AND ns = $2";
    let head = sqlx::query(head).bind(thread).bind(&*cut.ns).fetch_optional(&mut *connection).await?;
    let Some(head) = head else { return Ok(Vec::new()) };
    let (id, number): (i64, _) = (head.try_get("id")?, head_of(&head, &lease.thread, &cut.ns)?);
    let numbers = cut.checkpoints.iter().map(|number| storable(*number)).collect::<Result<Vec<_>, _>>()?;
    let checkpoints = "DELETE FROM checkpoints WHERE head = $1 AND number = ANY($2)";
    sqlx::query(checkpoints).bind(id).bind(numbers).execute(&mut *connection).await?;
    if let Some(number) = cut.head.or(number) {
        let moved = "UPDATE heads SET number = $2, sum = $3 WHERE id = $1
            AND EXISTS (SELECT 1 FROM checkpoints WHERE head = $1 AND number = $2)";
        let sum = Checksum::of_head(&lease.thread, &cut.ns, Some(number)).stored();
        let moved = sqlx::query(moved).bind(id).bind(storable(number)?).bind(sum);
        let moved = moved.execute(&mut *connection).await?;
        if moved.rows_affected() == 0 {
            let detail = format!("checkpoint {number} of namespace `{}` is the head, and would be gone", cut.ns);
            return Err(stale(lease, &cut.ns, detail));
        }
    }
    let names: Vec<&str> = cut.records.iter().map(|(field, _)| &**field).collect();
    let versions = cut.records.iter().map(|(_, version)| storable(*version)).collect::<Result<Vec<_>, _>>()?;
    let fields = "WITH gone AS (
            DELETE FROM fields f USING unnest($2::text[], $3::bigint[]) AS g(field, version)
            WHERE f.head = $1 AND f.field = g.field AND f.version = g.version RETURNING f.blob
        )
        SELECT DISTINCT blob FROM gone WHERE blob IS NOT NULL";
    let blobs = sqlx::query_scalar(fields).bind(id).bind(names).bind(versions).fetch_all(&mut *connection).await?;
    let tasks: Vec<&str> = cut.tasks.iter().map(|task| &**task).collect();
    sqlx::query("DELETE FROM task_records WHERE head = $1 AND task = ANY($2)")
        .bind(id)
        .bind(tasks)
        .execute(&mut *connection)
        .await?;
    Ok(blobs)
}

pub(super) async fn stats(pool: &PgPool) -> Result<Stats, Failure> {
    let query = "SELECT (SELECT count(*) FROM threads) AS threads, (SELECT count(*) FROM checkpoints) AS checkpoints,
        ((SELECT coalesce(sum(length(payload)), 0) FROM fields)
            + (SELECT coalesce(sum(length(bytes)), 0) FROM blobs))::bigint AS bytes";
    let row = sqlx::query(query).fetch_one(pool).await?;
    let number = |column| read_number(row.try_get(column)?, || "the sizes of the store".to_owned());
    let mut stats = Stats::default();
    (stats.threads, stats.checkpoints, stats.bytes) = (number("threads")?, number("checkpoints")?, number("bytes")?);
    Ok(stats)
}

/// Removes large values that nobody holds, and lets the database use again what was removed.
pub(super) async fn compact(pool: &PgPool) -> Result<(), Failure> {
    let mut transaction = pool.begin().await?;
    drop_unused(&mut transaction, None).await?;
    transaction.commit().await?;
    for table in
        ["VACUUM fields", "VACUUM blobs", "VACUUM checkpoints", "VACUUM task_records", "VACUUM journal", "VACUUM items"]
    {
        sqlx::query(table).execute(pool).await?;
    }
    Ok(())
}
