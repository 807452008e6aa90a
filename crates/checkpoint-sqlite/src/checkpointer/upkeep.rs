//! What is done to threads as a whole and to the file.

use graphloom_core_graph::checkpoint::{Lease, Stats};
use rusqlite::{Connection, params};

use super::claim::{owner, unclaimed};
use super::prune::drop_unused;
use crate::failure::{Failure, Refusal};

/// Deletes the thread of a lease that has not written, and the large values that no other thread holds.
pub(super) fn delete_thread(connection: &Connection, lease: &Lease) -> Result<(), Failure> {
    let thread = unclaimed(connection, lease)?;
    let mut statement = connection.prepare_cached(
        "SELECT DISTINCT blob FROM fields WHERE blob IS NOT NULL AND head IN (SELECT id FROM heads WHERE thread = ?1)",
    )?;
    let blobs = statement.query_map([thread], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for table in ["checkpoints", "fields", "task_records"] {
        let delete = format!("DELETE FROM {table} WHERE head IN (SELECT id FROM heads WHERE thread = ?1)");
        connection.prepare_cached(&delete)?.execute([thread])?;
    }
    connection.prepare_cached("DELETE FROM heads WHERE thread = ?1")?.execute([thread])?;
    connection.prepare_cached("DELETE FROM journal WHERE thread = ?1")?.execute([thread])?;
    connection.prepare_cached("DELETE FROM threads WHERE id = ?1")?.execute([thread])?;
    drop_unused(connection, &blobs)
}

/// Copies the thread of a lease that has not written to an id that is free.
pub(super) fn copy_thread(connection: &Connection, from: &Lease, to: &str) -> Result<(), Failure> {
    let source = unclaimed(connection, from)?;
    if owner(connection, to)?.is_some() {
        return Err(Refusal::ThreadExists { thread: to.to_owned() }.into());
    }
    let row = "INSERT INTO threads
            (thread, graph, graph_version, status, detail, created, updated, epoch, owner, written)
        SELECT ?2, graph, graph_version, status, detail, created, updated, 0, '',
            (SELECT max(written) + 1 FROM threads)
        FROM threads WHERE id = ?1";
    let copy = connection.prepare_cached(row)?.insert(params![source, to])?;
    let mut heads = connection.prepare_cached("SELECT id FROM heads WHERE thread = ?1")?;
    let heads = heads.query_map([source], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
    for head in heads {
        let insert = "INSERT INTO heads (thread, ns, number) SELECT ?2, ns, number FROM heads WHERE id = ?1";
        let copied = connection.prepare_cached(insert)?.insert(params![head, copy])?;
        for (table, columns) in [
            ("checkpoints", "number, parent, id, step, source, time, executed, fields, state_version, sum"),
            ("fields", "field, version, previous, whole, payload, blob, sum"),
            ("task_records", "task, kind, key, payload, sum"),
        ] {
            // Records of tasks keep their order, which is that of their ids.
            let order = if table == "task_records" { "ORDER BY id" } else { "" };
            let insert = format!(
                "INSERT INTO {table} (head, {columns}) SELECT ?2, {columns} FROM {table} WHERE head = ?1 {order}"
            );
            connection.prepare_cached(&insert)?.execute(params![head, copied])?;
        }
    }
    let journal = "INSERT INTO journal (thread, seq, event) SELECT ?2, seq, event FROM journal WHERE thread = ?1";
    connection.prepare_cached(journal)?.execute(params![source, copy])?;
    Ok(())
}

pub(super) fn stats(connection: &Connection) -> Result<Stats, Failure> {
    let statement = "SELECT (SELECT count(*) FROM threads), (SELECT count(*) FROM checkpoints),
        (SELECT coalesce(sum(length(payload)), 0) FROM fields) + (SELECT coalesce(sum(length(bytes)), 0) FROM blobs)";
    let (threads, checkpoints, bytes) =
        connection.prepare_cached(statement)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let mut stats = Stats::default();
    (stats.threads, stats.checkpoints, stats.bytes) = (threads, checkpoints, bytes);
    Ok(stats)
}

/// Removes large values that nobody holds, rewrites the file without gaps and empties the log beside it.
pub(super) fn compact(connection: &Connection) -> Result<(), Failure> {
    let unused = "DELETE FROM blobs WHERE NOT EXISTS (SELECT 1 FROM fields WHERE fields.blob = blobs.hash)";
    connection.execute(unused, [])?;
    connection.execute_batch("VACUUM")?;
    // A reader may keep the log from being emptied; the next compaction will.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}
