//! A commit as statements of a transaction.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{
    Blob, CheckpointRow, Checksum, Commit, Lease, RecordKind, RecordRef, TaskRecordKind,
};
use rusqlite::{Connection, Statement, params};

use super::claim::{claim, rewrite_thread, stale, word};
use super::known::Known;
use super::names::{Names, RequestedNames};
use super::statements::Statements;
use super::{checksum, packed, read};
use crate::failure::Failure;

/// Moves the head of a namespace that is known, when the lease still holds the thread and the head is the expected one. An
/// owner names one lease, and a lease one thread, so the thread's name need not be compared.
const MOVE_HEAD: &str = "UPDATE heads SET number = ?1, sum = ?8
    WHERE id = ?2 AND number = ?3 AND thread = ?4 AND ns = ?5
    AND EXISTS (SELECT 1 FROM threads WHERE id = ?4 AND epoch = ?6 AND holder = ?7)";
/// Adds the head of a new namespace. Nothing is added when there is one, or when the lease does not hold the thread: a
/// head without a thread is ignored, too.
const ADD_HEAD: &str = "INSERT OR IGNORE INTO heads (thread, ns, number, sum)
    VALUES ((SELECT id FROM threads WHERE id = ?1 AND epoch = ?2 AND holder = ?3), ?4, ?5, ?6)";
const ADD_CHECKPOINT: &str = "INSERT INTO checkpoints
        (head, number, parent, id, step, source, time, executed, fields, state_version, sum)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
const PUT_FIELD: &str = "INSERT OR REPLACE INTO fields (head, field, version, previous, whole, payload, blob, sum)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
const PUT_RECORD: &str = "INSERT INTO task_records (head, task, kind, key, payload, sum)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT (head, task, kind, key) DO UPDATE SET payload = excluded.payload, sum = excluded.sum";
const SETTLE: &str = "DELETE FROM task_records WHERE head = ?1 AND task = ?2 AND kind <> ?3";
pub(super) const ADD_EVENT: &str = "INSERT INTO journal (thread, seq, event, sum) VALUES (?1, ?2, ?3, ?4)";

/// Writes commits of a lease in their order; on an error, all that was written is to be undone.
pub(super) fn apply_all(
    connection: &Connection,
    lease: &Lease,
    commits: &[Commit],
    known: &mut Known,
    names: &Names,
) -> Result<(), Failure> {
    let mut statements = Statements::default();
    commits.iter().try_for_each(|commit| apply(connection, &mut statements, lease, commit, known, names))
}

fn apply<'c>(
    connection: &'c Connection,
    statements: &mut Statements<'c>,
    lease: &Lease,
    commit: &Commit,
    known: &mut Known,
    names: &Names,
) -> Result<(), Failure> {
    let Commit { checkpoint, tasks, settled, .. } = commit;
    let mut records = commit.records().peekable();
    let rewritten = rewrite_thread(connection, lease, commit, known.thread)?;
    let mut head = None;
    if !commit.release && (rewritten || commit.thread.is_none()) {
        head = move_head(connection, statements, lease, commit, known)?;
    }
    if head.is_none() {
        if !rewritten {
            known.thread = claim(connection, lease, commit)?;
        }
        if checkpoint.is_some() || records.peek().is_some() || !tasks.is_empty() || !settled.is_empty() {
            let found = find_head(connection, known.thread, lease, commit)?;
            known.heads.insert(Arc::clone(&commit.ns), found);
            head = Some(found);
        }
    }
    if let Some(head) = head {
        if let Some(checkpoint) = checkpoint {
            let insert = statements.add_checkpoint.prepared(connection, ADD_CHECKPOINT)?;
            insert_checkpoint(connection, insert, head, checkpoint, names, &mut known.asked).map_err(|failure| {
                if failure.is_conflict() {
                    stale(lease, &commit.ns, format!("checkpoint {} exists already", checkpoint.number))
                } else {
                    failure
                }
            })?;
        }
        if records.peek().is_some() {
            let put = statements.put_field.prepared(connection, PUT_FIELD)?;
            write_fields(connection, put, head, records, names, &mut known.asked)?;
        }
        for record in tasks {
            let kind = word(&record.kind)?;
            let sum = checksum::task_record(head, &record.task, &kind, &record.key, &record.payload);
            let values = params![head, record.task, kind, record.key, record.payload, sum.stored()];
            statements.put_record.prepared(connection, PUT_RECORD)?.execute(values)?;
        }
        for task in settled {
            let values = params![head, task, word(&TaskRecordKind::Once)?];
            statements.settle.prepared(connection, SETTLE)?.execute(values)?;
        }
    }
    let mut events = commit.events().peekable();
    if events.peek().is_some() {
        let mut last = match known.last_seq {
            Some(last) => last,
            None => read::last_seq(connection, &lease.thread)?,
        };
        let insert = statements.add_event.prepared(connection, ADD_EVENT)?;
        for (seq, event) in events {
            if seq <= last {
                let detail = format!("the journal is at {last}, and the commit brings {seq}");
                return Err(stale(lease, &commit.ns, detail));
            }
            last = seq;
            let sum = checksum::event(&lease.thread, seq, &event).stored();
            insert.execute(params![known.thread, seq, event, sum])?;
        }
        known.last_seq = Some(last);
    }
    Ok(())
}

/// Moves the head of a namespace of a thread whose row is known, when the lease still holds the thread and the head is
/// the expected one; `None` leaves it to [`claim`] and [`find_head`] to do it, or to tell why not.
fn move_head<'c>(
    connection: &'c Connection,
    statements: &mut Statements<'c>,
    lease: &Lease,
    commit: &Commit,
    known: &mut Known,
) -> Result<Option<i64>, Failure> {
    let Some(checkpoint) = &commit.checkpoint else { return Ok(None) };
    match (known.heads.get(&commit.ns), commit.expected_head) {
        (Some(head), Some(expected)) => {
            let update = statements.move_head.prepared(connection, MOVE_HEAD)?;
            let (number, ns) = (checkpoint.number, &commit.ns);
            let sum = Checksum::of_head(&lease.thread, ns, Some(number)).stored();
            let values = params![number, head, expected, known.thread, ns, lease.epoch, lease.owner, sum];
            Ok((update.execute(values)? == 1).then_some(*head))
        }
        (_, None) => {
            let insert = statements.add_head.prepared(connection, ADD_HEAD)?;
            let (number, ns) = (checkpoint.number, &commit.ns);
            let sum = Checksum::of_head(&lease.thread, ns, Some(number)).stored();
            let added = insert.execute(params![known.thread, lease.epoch, lease.owner, ns, number, sum])?;
            let head = (added == 1).then(|| connection.last_insert_rowid());
            known.heads.extend(head.map(|head| (Arc::clone(&commit.ns), head)));
            Ok(head)
        }
        (None, Some(_)) => Ok(None),
    }
}

/// The row of the commit's namespace, with the head moved when the commit brings a checkpoint.
fn find_head(connection: &Connection, thread: i64, lease: &Lease, commit: &Commit) -> Result<i64, Failure> {
    let stored = read::head(connection, &lease.thread, &commit.ns)?;
    let number = stored.as_ref().and_then(|head| head.number);
    if commit.checkpoint.is_some() && number != commit.expected_head {
        let shown = |head: Option<u64>| head.map_or_else(|| "unset".to_owned(), |number| number.to_string());
        let detail = format!("the head is {}, not {}", shown(number), shown(commit.expected_head));
        return Err(stale(lease, &commit.ns, detail));
    }
    let moved = commit.checkpoint.as_ref().map(|checkpoint| checkpoint.number);
    match (stored, moved) {
        (Some(head), None) => Ok(head.id),
        (Some(head), Some(number)) => {
            set_head(connection, &lease.thread, &commit.ns, head.id, number)?;
            Ok(head.id)
        }
        (None, number) => add_head(connection, thread, &lease.thread, &commit.ns, number),
    }
}

/// Adds the row of a namespace; returns its number.
pub(super) fn add_head(
    connection: &Connection,
    thread: i64,
    name: &str,
    ns: &str,
    number: Option<u64>,
) -> Result<i64, Failure> {
    let insert = "INSERT INTO heads (thread, ns, number, sum) VALUES (?1, ?2, ?3, ?4)";
    let sum = Checksum::of_head(name, ns, number).stored();
    Ok(connection.prepare_cached(insert)?.insert(params![thread, ns, number, sum])?)
}

/// Makes a checkpoint the head of a namespace.
pub(super) fn set_head(connection: &Connection, thread: &str, ns: &str, head: i64, number: u64) -> Result<(), Failure> {
    let sum = Checksum::of_head(thread, ns, Some(number)).stored();
    let update = "UPDATE heads SET number = ?2, sum = ?3 WHERE id = ?1";
    connection.prepare_cached(update)?.execute(params![head, number, sum])?;
    Ok(())
}

fn insert_checkpoint(
    connection: &Connection,
    insert: &mut Statement<'_>,
    head: i64,
    row: &CheckpointRow,
    names: &Names,
    asked: &mut RequestedNames,
) -> Result<(), Failure> {
    let CheckpointRow { number, parent, id, step, source, time, executed, fields, state_version } = row;
    let made = |(field, version)| Ok::<_, Failure>((names.made(connection, field, asked)?, version));
    let (id, source) = (packed::id(id), word(source)?);
    let fields = packed::versions(*number, fields.iter().map(made))?;
    let numbers = [*number, *step, *time, *executed, u64::from(*state_version)];
    let sum = checksum::checkpoint(head, numbers, *parent, (&id).into(), &source, &fields).stored();
    let values = params![head, number, parent, id, step, source, time, executed, fields, state_version, sum];
    insert.execute(values)?;
    Ok(())
}

fn write_fields<'r>(
    connection: &Connection,
    put: &mut Statement<'_>,
    head: i64,
    records: impl Iterator<Item = RecordRef<'r>>,
    names: &Names,
    asked: &mut RequestedNames,
) -> Result<(), Failure> {
    // What is bound stays bound from row to row.
    put.raw_bind_parameter(1, head)?;
    for record in records {
        let (name, whole) = (names.made(connection, record.field, asked)?, record.kind == RecordKind::Whole);
        put.raw_bind_parameter(2, name)?;
        put.raw_bind_parameter(3, record.version)?;
        put.raw_bind_parameter(4, record.previous)?;
        put.raw_bind_parameter(5, whole)?;
        if let Some(blob) = record.blob {
            write_blob(connection, blob)?;
        }
        let hash = record.blob.map(|blob| &*blob.hash);
        let payload = hash.is_none().then_some(record.bytes);
        put.raw_bind_parameter(6, payload)?;
        put.raw_bind_parameter(7, hash)?;
        let content = hash.map_or(record.bytes, str::as_bytes);
        let sum = checksum::field(head, name, record.version, record.previous, whole, content);
        put.raw_bind_parameter(8, sum.stored())?;
        put.raw_execute()?;
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
