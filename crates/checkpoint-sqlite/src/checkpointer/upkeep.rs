//! What is done to threads as a whole and to the file.

use graphloom_core_graph::checkpoint::{JournalRow, Lease, Stats};
use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, Row, params};

use super::checksum::{self, InNamespace};
use super::claim::{insert_thread, owner, unclaimed};
use super::commit::{ADD_EVENT, add_head};
use super::prune::drop_unused;
use super::read;
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

/// Copies the thread of a lease that has not written to an id that is free. Checksums are made of the thread's name and
/// the namespace's number, so every row is checked, and written with one of its own.
pub(super) fn copy_thread(connection: &Connection, from: &Lease, to: &str) -> Result<(), Failure> {
    let source = unclaimed(connection, from)?;
    if owner(connection, to)?.is_some() {
        return Err(Refusal::ThreadExists { thread: to.to_owned() }.into());
    }
    let from = &*from.thread;
    let row = read::thread(connection, from)?.ok_or_else(|| Refusal::UnknownThread { thread: from.to_owned() })?;
    let copy = insert_thread(connection, to, &row, (0, ""))?;
    let mut heads = connection.prepare_cached("SELECT ns FROM heads WHERE thread = ?1")?;
    let heads = heads.query_map([source], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
    for ns in heads {
        let damaged = |what: &str| Failure::damaged(format!("thread `{from}`, namespace `{ns}`"), what);
        let head = read::head(connection, from, &ns)?.ok_or_else(|| damaged("its head"))?;
        let copied = add_head(connection, copy, to, &ns, head.number)?;
        for (table, columns, checksum) in [
            ("checkpoints", checksum::CHECKPOINT, checksum::of_checkpoint as OfRow),
            ("fields", checksum::FIELD, checksum::of_field),
            ("task_records", checksum::TASK_RECORD, checksum::of_task_record),
        ] {
            copy_rows(connection, table, columns, checksum, (head.id, copied))?
                .ok_or_else(|| damaged(&format!("a row of `{table}`")))?;
        }
    }
    let mut insert = connection.prepare_cached(ADD_EVENT)?;
    let mut after = 0;
    loop {
        let events = read::journal(connection, from, after, 1024)?;
        let Some(last) = events.last() else { return Ok(()) };
        after = last.seq;
        for JournalRow { seq, event } in &events {
            let event = event.bytes();
            insert.execute(params![copy, seq, event, checksum::event(to, *seq, &event).stored()])?;
        }
    }
}

type OfRow = fn(&Row<'_>, i64) -> rusqlite::Result<InNamespace>;

/// Copies the rows of a table from a namespace to another, up to one that is not as it was written: `None`.
fn copy_rows(
    connection: &Connection,
    table: &str,
    columns: &str,
    checksum: OfRow,
    (from, to): (i64, i64),
) -> Result<Option<()>, Failure> {
    let count = columns.split(',').count();
    // Records of tasks keep their order, which is that of their ids.
    let order = if table == "task_records" { "ORDER BY id" } else { "" };
    let select = format!("SELECT {columns}, sum FROM {table} WHERE head = ?1 {order}");
    let places: Vec<_> = (1..=count + 2).map(|place| format!("?{place}")).collect();
    let insert = format!("INSERT INTO {table} ({columns}, sum, head) VALUES ({})", places.join(", "));
    let (mut select, mut insert) = (connection.prepare_cached(&select)?, connection.prepare_cached(&insert)?);
    let mut rows = select.query([from])?;
    while let Some(row) = rows.next()? {
        let is_whole = checksum(row, from).and_then(|sum| Ok(sum.fits(row.get(count)?)));
        if !is_whole.unwrap_or(false) {
            return Ok(None);
        }
        for at in 0..count {
            insert.raw_bind_parameter(at + 1, ToSqlOutput::Borrowed(row.get_ref(at)?))?;
        }
        insert.raw_bind_parameter(count + 1, checksum(row, to)?.stored())?;
        insert.raw_bind_parameter(count + 2, to)?;
        insert.raw_execute()?;
    }
    Ok(Some(()))
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
