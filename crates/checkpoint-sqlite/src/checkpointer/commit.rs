//! A commit as statements of a transaction.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{
    Blob, CheckpointRow, Commit, FieldRecord, Lease, Payload, RecordKind, TaskRecord, TaskRecordKind, ThreadRow,
};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;

use super::known::Known;
use super::names::{Asked, Names};
use super::packed;
use crate::failure::{Failure, Refusal};

/// Who holds a thread according to the file.
pub(super) struct Owner {
    id: i64,
    pub(super) epoch: u64,
    pub(super) owner: String,
}

/// The owner of a thread, `None` when there is no such thread.
pub(super) fn owner(connection: &Connection, thread: &str) -> Result<Option<Owner>, Failure> {
    let mut statement = connection.prepare_cached("SELECT id, epoch, owner FROM threads WHERE thread = ?1")?;
    let row =
        statement.query_row([thread], |row| Ok(Owner { id: row.get(0)?, epoch: row.get(1)?, owner: row.get(2)? }));
    Ok(row.optional()?)
}

/// Clears the owner of a lease that was given back, unless another has claimed the thread since.
pub(super) fn disown(connection: &Connection, lease: &Lease) -> Result<(), Failure> {
    let statement = "UPDATE threads SET owner = '' WHERE thread = ?1 AND owner = ?2";
    connection.prepare_cached(statement)?.execute(params![lease.thread, lease.owner])?;
    Ok(())
}

/// The thread's id, when nobody has claimed it since the lease was given.
pub(super) fn unclaimed(connection: &Connection, lease: &Lease) -> Result<i64, Failure> {
    match owner(connection, &lease.thread)? {
        None => Err(Refusal::UnknownThread { thread: lease.thread.to_string() }.into()),
        Some(row) if row.epoch + 1 == lease.epoch => Ok(row.id),
        Some(row) => Err(stale(lease, "", format!("the thread is at epoch {}", row.epoch))),
    }
}

/// Writes a commit; on an error, what was written before it is to be undone.
pub(super) fn apply(
    connection: &Connection,
    lease: &Lease,
    commit: &Commit,
    known: &mut Known,
    names: &Names,
) -> Result<(), Failure> {
    let Commit { checkpoint, fields, tasks, settled, journal, .. } = commit;
    let rewritten = rewrite_thread(connection, lease, commit, known.thread)?;
    let mut head = None;
    if !commit.release && (rewritten || commit.thread.is_none()) {
        head = move_head(connection, lease, commit, known)?;
    }
    if head.is_none() {
        if !rewritten {
            known.thread = claim(connection, lease, commit)?;
        }
        if checkpoint.is_some() || !fields.is_empty() || !tasks.is_empty() || !settled.is_empty() {
            let found = find_head(connection, known.thread, lease, commit)?;
            known.heads.insert(Arc::clone(&commit.ns), found);
            head = Some(found);
        }
    }
    if let Some(head) = head {
        if let Some(checkpoint) = checkpoint {
            insert_checkpoint(connection, head, checkpoint, names, &mut known.asked).map_err(|failure| {
                if failure.is_conflict() {
                    stale(lease, &commit.ns, format!("checkpoint {} exists already", checkpoint.number))
                } else {
                    failure
                }
            })?;
        }
        write_fields(connection, head, fields, names, &mut known.asked)?;
        for record in tasks {
            write_task_record(connection, head, record)?;
        }
        settle(connection, head, settled)?;
    }
    if !journal.is_empty() {
        let mut last = match known.last_seq {
            Some(last) => last,
            None => {
                let newest = "SELECT max(seq) FROM journal WHERE thread = ?1";
                let newest: Option<u64> =
                    connection.prepare_cached(newest)?.query_row([known.thread], |row| row.get(0))?;
                newest.unwrap_or(0)
            }
        };
        let mut insert = connection.prepare_cached("INSERT INTO journal (thread, seq, event) VALUES (?1, ?2, ?3)")?;
        for row in journal {
            if row.seq <= last {
                let detail = format!("the journal is at {last}, and the commit brings {}", row.seq);
                return Err(stale(lease, &commit.ns, detail));
            }
            last = row.seq;
            insert.execute(params![known.thread, row.seq, row.event.bytes()])?;
        }
        known.last_seq = Some(last);
    }
    Ok(())
}

/// Writes the row of a thread when the commit brings one, the row is known and the lease still holds it; whether it did.
fn rewrite_thread(connection: &Connection, lease: &Lease, commit: &Commit, thread: i64) -> Result<bool, Failure> {
    match &commit.thread {
        Some(row) if thread != 0 => {
            let owner = if commit.release { "" } else { &*lease.owner };
            update_thread(connection, lease, row, owner, thread, (lease.epoch, &lease.owner))
        }
        _ => Ok(false),
    }
}

/// Moves the head of a namespace of a thread whose row is known, when the lease still holds the thread and the head is
/// the expected one; `None` leaves it to [`claim`] and [`find_head`] to do it, or to tell why not.
fn move_head(
    connection: &Connection,
    lease: &Lease,
    commit: &Commit,
    known: &mut Known,
) -> Result<Option<i64>, Failure> {
    let Some(checkpoint) = &commit.checkpoint else { return Ok(None) };
    match (known.heads.get(&commit.ns), commit.expected_head) {
        (Some(head), Some(expected)) => {
            advance(connection, lease, &commit.ns, known.thread, *head, expected, checkpoint)
        }
        (_, None) => {
            let head = begin(connection, lease, &commit.ns, known.thread, checkpoint)?;
            known.heads.extend(head.map(|head| (Arc::clone(&commit.ns), head)));
            Ok(head)
        }
        (None, Some(_)) => Ok(None),
    }
}

/// Moves a head that is known. An owner names one lease, and a lease one thread, so the thread's name need not be
/// compared.
fn advance(
    connection: &Connection,
    lease: &Lease,
    ns: &str,
    thread: i64,
    head: i64,
    expected: u64,
    checkpoint: &CheckpointRow,
) -> Result<Option<i64>, Failure> {
    let statement = "UPDATE heads SET number = ?1 WHERE id = ?2 AND number = ?3 AND thread = ?4 AND ns = ?5
        AND EXISTS (SELECT 1 FROM threads WHERE id = ?4 AND epoch = ?6 AND owner = ?7)";
    let values = params![checkpoint.number, head, expected, thread, ns, lease.epoch, lease.owner];
    let moved = connection.prepare_cached(statement)?.execute(values)?;
    Ok((moved == 1).then_some(head))
}

/// Adds the head of a new namespace. Nothing is added when there is one, or when the lease does not hold the thread:
/// a head without a thread is ignored, too.
fn begin(
    connection: &Connection,
    lease: &Lease,
    ns: &str,
    thread: i64,
    checkpoint: &CheckpointRow,
) -> Result<Option<i64>, Failure> {
    let statement = "INSERT OR IGNORE INTO heads (thread, ns, number)
        VALUES ((SELECT id FROM threads WHERE id = ?1 AND epoch = ?2 AND owner = ?3), ?4, ?5)";
    let values = params![thread, lease.epoch, lease.owner, ns, checkpoint.number];
    let added = connection.prepare_cached(statement)?.execute(values)?;
    Ok((added == 1).then(|| connection.last_insert_rowid()))
}

/// Checks owner and epoch, writes the thread's row as far as it changes, and answers its id.
pub(super) fn claim(connection: &Connection, lease: &Lease, commit: &Commit) -> Result<i64, Failure> {
    let stored = owner(connection, &lease.thread)?;
    let epoch = stored.as_ref().map_or(0, |stored| stored.epoch);
    let owned = stored.as_ref().is_some_and(|stored| stored.epoch == lease.epoch && *stored.owner == *lease.owner);
    if !owned && epoch + 1 != lease.epoch {
        return Err(stale(lease, &commit.ns, format!("the thread is at epoch {epoch}")));
    }
    let owner = if commit.release { "" } else { &*lease.owner };
    match (stored, &commit.thread) {
        (None, None) => Err(Refusal::UnknownThread { thread: lease.thread.to_string() }.into()),
        (None, Some(row)) => insert_thread(connection, lease, row, owner),
        (Some(stored), Some(row)) => {
            update_thread(connection, lease, row, owner, stored.id, (stored.epoch, &stored.owner))?;
            Ok(stored.id)
        }
        (Some(stored), None) => {
            if !owned || commit.release {
                let statement = "UPDATE threads SET epoch = ?2, owner = ?3 WHERE id = ?1";
                connection.prepare_cached(statement)?.execute(params![stored.id, lease.epoch, owner])?;
            }
            Ok(stored.id)
        }
    }
}

fn insert_thread(connection: &Connection, lease: &Lease, row: &ThreadRow, owner: &str) -> Result<i64, Failure> {
    let statement = "INSERT INTO threads
            (thread, graph, graph_version, status, detail, created, updated, epoch, owner, written)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, (SELECT coalesce(max(written), 0) + 1 FROM threads))";
    let ThreadRow { thread: _, graph, graph_version, status, detail, created, updated, epoch: _, owner: _ } = row;
    let values =
        params![lease.thread, graph, graph_version, word(status)?, detail, created, updated, lease.epoch, owner];
    Ok(connection.prepare_cached(statement)?.insert(values)?)
}

/// Writes the row of a thread that is stored with this epoch and owner; whether there is one.
fn update_thread(
    connection: &Connection,
    lease: &Lease,
    row: &ThreadRow,
    owner: &str,
    id: i64,
    (stored_epoch, stored_owner): (u64, &str),
) -> Result<bool, Failure> {
    let statement = "UPDATE threads SET graph = ?4, graph_version = ?5, status = ?6, detail = ?7, created = ?8,
            updated = ?9, epoch = ?10, owner = ?11, written = (SELECT max(written) + 1 FROM threads)
        WHERE id = ?1 AND epoch = ?2 AND owner = ?3";
    let ThreadRow { thread: _, graph, graph_version, status, detail, created, updated, epoch: _, owner: _ } = row;
    let values = params![
        id,
        stored_epoch,
        stored_owner,
        graph,
        graph_version,
        word(status)?,
        detail,
        created,
        updated,
        lease.epoch,
        owner
    ];
    Ok(connection.prepare_cached(statement)?.execute(values)? == 1)
}

/// The row of the commit's namespace, with the head moved when the commit brings a checkpoint.
fn find_head(connection: &Connection, thread: i64, lease: &Lease, commit: &Commit) -> Result<i64, Failure> {
    let select = "SELECT id, number FROM heads WHERE thread = ?1 AND ns = ?2";
    let stored: Option<(i64, Option<u64>)> = connection
        .prepare_cached(select)?
        .query_row(params![thread, commit.ns], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let number = stored.and_then(|(_, number)| number);
    if commit.checkpoint.is_some() && number != commit.expected_head {
        let shown = |head: Option<u64>| head.map_or_else(|| "unset".to_owned(), |number| number.to_string());
        let detail = format!("the head is {}, not {}", shown(number), shown(commit.expected_head));
        return Err(stale(lease, &commit.ns, detail));
    }
    let moved = commit.checkpoint.as_ref().map(|checkpoint| checkpoint.number);
    match (stored, moved) {
        (Some((id, _)), None) => Ok(id),
        (Some((id, _)), Some(number)) => {
            connection.prepare_cached("UPDATE heads SET number = ?2 WHERE id = ?1")?.execute(params![id, number])?;
            Ok(id)
        }
        (None, number) => {
            let insert = "INSERT INTO heads (thread, ns, number) VALUES (?1, ?2, ?3)";
            Ok(connection.prepare_cached(insert)?.insert(params![thread, commit.ns, number])?)
        }
    }
}

fn insert_checkpoint(
    connection: &Connection,
    head: i64,
    row: &CheckpointRow,
    names: &Names,
    asked: &mut Asked,
) -> Result<(), Failure> {
    let statement = "INSERT INTO checkpoints
            (head, number, parent, id, step, source, time, executed, fields, state_version)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let CheckpointRow { number, parent, id, step, source, time, executed, fields, state_version } = row;
    let made = |(field, version)| Ok::<_, Failure>((names.made(connection, field, asked)?, version));
    let (id, fields) = (packed::id(id), packed::versions(*number, fields.iter().map(made))?);
    let values = params![head, number, parent, id, step, word(source)?, time, executed, fields, state_version];
    connection.prepare_cached(statement)?.execute(values)?;
    Ok(())
}

fn write_fields(
    connection: &Connection,
    head: i64,
    fields: &[FieldRecord],
    names: &Names,
    asked: &mut Asked,
) -> Result<(), Failure> {
    if fields.is_empty() {
        return Ok(());
    }
    let mut insert = connection.prepare_cached(
        "INSERT OR REPLACE INTO fields (head, field, version, previous, whole, payload, blob)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    // What is bound stays bound from row to row.
    insert.raw_bind_parameter(1, head)?;
    for record in fields {
        insert.raw_bind_parameter(2, names.made(connection, &record.field, asked)?)?;
        insert.raw_bind_parameter(3, record.version)?;
        insert.raw_bind_parameter(4, record.previous)?;
        insert.raw_bind_parameter(5, record.kind == RecordKind::Whole)?;
        let (payload, blob) = match &record.payload {
            Payload::Inline(bytes) => (Some(&**bytes), None),
            Payload::Blob(blob) => {
                write_blob(connection, blob)?;
                (None, Some(&blob.hash))
            }
        };
        insert.raw_bind_parameter(6, payload)?;
        insert.raw_bind_parameter(7, blob)?;
        insert.raw_execute()?;
    }
    Ok(())
}

fn write_blob(connection: &Connection, blob: &Blob) -> Result<(), Failure> {
    // Large values are not even bound when they are there already.
    if !connection.prepare_cached("SELECT 1 FROM blobs WHERE hash = ?1")?.exists([&blob.hash])? {
        let insert = "INSERT INTO blobs (hash, bytes) VALUES (?1, ?2)";
        connection.prepare_cached(insert)?.execute(params![blob.hash, blob.bytes])?;
    }
    Ok(())
}

fn write_task_record(connection: &Connection, head: i64, record: &TaskRecord) -> Result<(), Failure> {
    let statement = "INSERT INTO task_records (head, task, kind, key, payload) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (head, task, kind, key) DO UPDATE SET payload = excluded.payload";
    let values = params![head, record.task, word(&record.kind)?, record.key, record.payload];
    connection.prepare_cached(statement)?.execute(values)?;
    Ok(())
}

fn settle(connection: &Connection, head: i64, tasks: &[Arc<str>]) -> Result<(), Failure> {
    if tasks.is_empty() {
        return Ok(());
    }
    let statement = "DELETE FROM task_records WHERE head = ?1 AND task = ?2 AND kind <> ?3";
    let (mut delete, kept) = (connection.prepare_cached(statement)?, word(&TaskRecordKind::Once)?);
    for task in tasks {
        delete.execute(params![head, task, kept])?;
    }
    Ok(())
}

/// The serialised name of a status, source or kind.
pub(super) fn word<T: Serialize>(variant: &T) -> Result<String, Failure> {
    match serde_json::to_value(variant).map_err(unwritable)? {
        serde_json::Value::String(word) => Ok(word),
        other => Err(unwritable(format!("`{other}` is not a name"))),
    }
}

fn unwritable(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Failure {
    std::io::Error::new(std::io::ErrorKind::InvalidData, error).into()
}

pub(super) fn stale(lease: &Lease, ns: &str, detail: String) -> Failure {
    let (thread, epoch) = (lease.thread.to_string(), lease.epoch);
    Refusal::Stale { thread, ns: ns.to_owned(), epoch, detail }.into()
}
