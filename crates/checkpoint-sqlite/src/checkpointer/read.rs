//! Rows read back.

use std::collections::BTreeSet;
use std::sync::Arc;

use graphloom_core_graph::checkpoint::{
    CheckpointRow, FieldOutline, HistoryFilter, JournalRow, Loaded, RecordKind, TaskRecord, ThreadFilter, ThreadRow,
};
use rusqlite::{Connection, OptionalExtension, Row, Rows, params};
use serde::de::DeserializeOwned;

use super::chain::{self, Place};
use super::claim::word;
use super::names::Names;
use super::{checksum, packed};
use crate::failure::{Failure, Refusal};

const THREAD: &str = "thread, graph, graph_version, status, detail, created, updated, epoch, owner";

pub(super) fn thread(connection: &Connection, thread: &str) -> Result<Option<ThreadRow>, Failure> {
    let mut statement = connection.prepare_cached(&format!("SELECT {THREAD} FROM threads WHERE thread = ?1"))?;
    statement.query_row([thread], |row| Ok(thread_row(row))).optional()?.transpose()
}

pub(super) fn threads(connection: &Connection, filter: &ThreadFilter) -> Result<Vec<ThreadRow>, Failure> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {THREAD} FROM threads
        WHERE (?1 IS NULL OR graph = ?1) AND (?2 IS NULL OR status = ?2) ORDER BY written DESC LIMIT ?3"
    ))?;
    let status = filter.status.as_ref().map(word).transpose()?;
    let rows = statement.query_map(params![filter.graph, status, limit(filter.limit)], |row| Ok(thread_row(row)))?;
    rows.map(|row| row?).collect()
}

fn thread_row(row: &Row<'_>) -> Result<ThreadRow, Failure> {
    let thread: Arc<str> = row.get(0)?;
    let status: String = row.get(3)?;
    Ok(ThreadRow {
        graph: row.get(1)?,
        graph_version: row.get(2)?,
        status: named(status, || format!("thread `{thread}`"))?,
        detail: row.get(4)?,
        created: row.get(5)?,
        updated: row.get(6)?,
        epoch: row.get(7)?,
        owner: row.get(8)?,
        thread,
    })
}

pub(super) fn namespaces(connection: &Connection, thread: &str) -> Result<Vec<String>, Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT ns FROM heads JOIN threads ON threads.id = heads.thread
        WHERE threads.thread = ?1 AND heads.number IS NOT NULL ORDER BY ns",
    )?;
    let names = statement.query_map([thread], |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}

const CHECKPOINT: &str = "SELECT c.number, c.parent, c.id, c.step, c.source, c.time, c.executed, c.fields,
        c.state_version, c.sum
    FROM checkpoints c JOIN heads ON heads.id = c.head JOIN threads ON threads.id = heads.thread
    WHERE threads.thread = ?1 AND heads.ns = ?2";

pub(super) fn checkpoint(
    connection: &Connection,
    names: &Names,
    thread: &str,
    ns: &str,
    number: Option<u64>,
) -> Result<Option<CheckpointRow>, Failure> {
    let mut statement =
        connection.prepare_cached(&format!("{CHECKPOINT} AND c.number = coalesce(?3, heads.number)"))?;
    // No checkpoint has a number that does not fit.
    let Ok(number) = number.map(i64::try_from).transpose() else { return Ok(None) };
    let read = |row: &Row<'_>| Ok(checkpoint_row(connection, names, row, thread, ns));
    let row = statement.query_row(params![thread, ns, number], read);
    row.optional()?.transpose()
}

/// The row of a namespace.
pub(super) struct Head {
    pub(super) id: i64,
    /// The number of the head.
    number: Option<u64>,
}

pub(super) fn head(connection: &Connection, thread: &str, ns: &str) -> Result<Option<Head>, Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT heads.id, heads.number FROM heads JOIN threads ON threads.id = heads.thread
        WHERE threads.thread = ?1 AND heads.ns = ?2",
    )?;
    Ok(statement.query_row([thread, ns], |row| Ok(Head { id: row.get(0)?, number: row.get(1)? })).optional()?)
}

/// A namespace at a checkpoint or at its head, in one view of the file.
pub(super) fn load(
    connection: &Connection,
    names: &Names,
    thread: &str,
    ns: &str,
    number: Option<u64>,
) -> Result<Option<Loaded>, Failure> {
    let _view = connection.unchecked_transaction()?;
    let Some(Head { id, number: Some(head) }) = self::head(connection, thread, ns)? else { return Ok(None) };
    let newest = "SELECT max(number) FROM checkpoints WHERE head = ?1";
    let newest: Option<u64> = connection.prepare_cached(newest)?.query_row([id], |row| row.get(0))?;
    let wanted = number.unwrap_or(head);
    let unknown = || Refusal::UnknownCheckpoint { thread: thread.to_owned(), ns: ns.to_owned(), number: wanted };
    let mut statement = connection.prepare_cached(
        "SELECT number, parent, id, step, source, time, executed, fields, state_version, sum FROM checkpoints
        WHERE head = ?1 AND number = ?2",
    )?;
    // No checkpoint has a number that does not fit.
    let stored = i64::try_from(wanted).map_err(|_| unknown())?;
    let read = |row: &Row<'_>| Ok(checkpoint_row(connection, names, row, thread, ns));
    let row = statement.query_row([id, stored], read).optional()?.ok_or_else(unknown)??;
    let of =
        |(field, version): (&Arc<str>, u64)| chain::chain(connection, names, Place { thread, ns, field }, id, version);
    let fields = row.fields.iter().map(of).collect::<Result<_, _>>()?;
    let tasks = open_records(connection, thread, ns)?;
    Ok(Some(Loaded { head, newest: newest.map_or(head, |newest| newest.max(head)), row, fields, tasks }))
}

pub(super) fn checkpoints(
    connection: &Connection,
    names: &Names,
    thread: &str,
    ns: &str,
    filter: &HistoryFilter,
) -> Result<Vec<CheckpointRow>, Failure> {
    let mut statement = connection.prepare_cached(&format!(
        "{CHECKPOINT} AND (?3 IS NULL OR c.number < ?3) AND (?4 IS NULL OR c.source = ?4)
        ORDER BY c.number DESC LIMIT ?5"
    ))?;
    let source = filter.source.as_ref().map(word).transpose()?;
    // A number that does not fit is greater than all that do.
    let before = filter.before.and_then(|before| i64::try_from(before).ok());
    let values = params![thread, ns, before, source, limit(filter.limit)];
    let rows = statement.query_map(values, |row| Ok(checkpoint_row(connection, names, row, thread, ns)))?;
    rows.map(|row| row?).collect()
}

fn checkpoint_row(
    connection: &Connection,
    names: &Names,
    row: &Row<'_>,
    thread: &str,
    ns: &str,
) -> Result<CheckpointRow, Failure> {
    let number: u64 = row.get(0)?;
    let place = || format!("thread `{thread}`, namespace `{ns}`, checkpoint {number}");
    let source: String = row.get(4)?;
    let corrupt = |what: &str| Failure::Corrupt { place: place(), message: format!("its {what}") };
    let bytes = row.get_ref(7)?.as_blob().unwrap_or_default();
    let (parent, step, time, executed) = (row.get(1)?, row.get(3)?, row.get(5)?, row.get(6)?);
    let state_version: u32 = row.get(8)?;
    let numbers = [number, step, time, executed, state_version.into()];
    if !checksum::row::checkpoint(numbers, parent, row.get_ref(2)?, &source, bytes).fits(row.get(9)?) {
        return Err(Failure::Corrupt { place: place(), message: "it is not as it was written".to_owned() });
    }
    let fields = packed::read_versions(number, bytes).ok_or_else(|| corrupt("fields are no pairs of numbers"))?;
    let named_field = |(field, version)| {
        let field = names.name(connection, field)?.ok_or_else(|| corrupt("fields have a number that is no name's"))?;
        Ok::<_, Failure>((field, version))
    };
    Ok(CheckpointRow {
        number,
        parent,
        id: packed::read_id(row.get_ref(2)?).ok_or_else(|| corrupt("id is none"))?,
        step,
        source: named(source, place)?,
        time,
        executed,
        fields: fields.into_iter().map(named_field).collect::<Result<_, _>>()?,
        state_version,
    })
}

pub(super) fn outline(connection: &Connection, thread: &str, ns: &str) -> Result<Vec<FieldOutline>, Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT name, version, previous, whole, coalesce(length(payload), length(bytes), 0)
        FROM fields JOIN heads ON heads.id = fields.head JOIN threads ON threads.id = heads.thread
            JOIN names ON names.id = fields.field LEFT JOIN blobs ON blobs.hash = fields.blob
        WHERE threads.thread = ?1 AND heads.ns = ?2 ORDER BY name, version",
    )?;
    let rows = statement.query_map([thread, ns], |row| {
        let kind = if row.get(3)? { RecordKind::Whole } else { RecordKind::Delta };
        Ok(FieldOutline { field: row.get(0)?, version: row.get(1)?, previous: row.get(2)?, kind, bytes: row.get(4)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

const RECORD: &str = "SELECT r.task, r.kind, r.key, r.payload, r.sum, r.id
    FROM task_records r JOIN heads ON heads.id = r.head JOIN threads ON threads.id = heads.thread
    WHERE threads.thread = ?1 AND heads.ns = ?2";

pub(super) fn task_records(connection: &Connection, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, Failure> {
    let mut statement = connection.prepare_cached(&format!("{RECORD} ORDER BY r.id"))?;
    records(statement.query([thread, ns])?, thread, ns)
}

/// The same by an index that has no results of durable steps.
pub(super) fn open_records(connection: &Connection, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, Failure> {
    let mut statement = connection.prepare_cached(&format!("{RECORD} AND r.kind <> 'once' ORDER BY r.id"))?;
    records(statement.query([thread, ns])?, thread, ns)
}

pub(super) fn once_records(
    connection: &Connection,
    thread: &str,
    ns: &str,
    tasks: &[Arc<str>],
) -> Result<Vec<TaskRecord>, Failure> {
    // One view of the file for all tasks.
    let _view = connection.unchecked_transaction()?;
    let mut statement = connection.prepare_cached(&format!("{RECORD} AND r.task = ?3 AND r.kind = 'once'"))?;
    let tasks: BTreeSet<&Arc<str>> = tasks.iter().collect();
    let mut found: Vec<(i64, TaskRecord)> = Vec::new();
    for task in tasks {
        let mut rows = statement.query(params![thread, ns, task])?;
        while let Some(row) = rows.next()? {
            found.push((row.get(5)?, record(row, thread, ns)?));
        }
    }
    found.sort_by_key(|(id, _)| *id);
    Ok(found.into_iter().map(|(_, record)| record).collect())
}

fn records(mut rows: Rows<'_>, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, Failure> {
    let mut records = Vec::new();
    while let Some(row) = rows.next()? {
        records.push(record(row, thread, ns)?);
    }
    Ok(records)
}

fn record(row: &Row<'_>, thread: &str, ns: &str) -> Result<TaskRecord, Failure> {
    let task: Arc<str> = row.get(0)?;
    let (kind, key, payload): (String, Arc<str>, Arc<[u8]>) = (row.get(1)?, row.get(2)?, row.get(3)?);
    let place = || format!("thread `{thread}`, namespace `{ns}`, task `{task}`");
    if !checksum::row::task_record(&task, &kind, &key, &payload).fits(row.get(4)?) {
        let message = format!("its record `{key}` ({kind}) is not as it was written");
        return Err(Failure::Corrupt { place: place(), message });
    }
    let kind = named(kind, place)?;
    Ok(TaskRecord { task, kind, key, payload })
}

pub(super) fn journal(
    connection: &Connection,
    thread: &str,
    after: u64,
    rows: usize,
) -> Result<Vec<JournalRow>, Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT seq, event FROM journal WHERE thread = (SELECT id FROM threads WHERE thread = ?1) AND seq > ?2
        ORDER BY seq LIMIT ?3",
    )?;
    // Nothing comes after the largest number that a row can have.
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![thread, after, limit(Some(rows))], |row| {
        Ok(JournalRow { seq: row.get(0)?, event: row.get::<_, Vec<u8>>(1)?.into() })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn last_seq(connection: &Connection, thread: &str) -> Result<u64, Failure> {
    let statement = "SELECT max(seq) FROM journal WHERE thread = (SELECT id FROM threads WHERE thread = ?1)";
    let last: Option<u64> = connection.prepare_cached(statement)?.query_row([thread], |row| row.get(0))?;
    Ok(last.unwrap_or(0))
}

/// SQLite takes a negative limit for none.
pub(crate) fn limit(limit: Option<usize>) -> i64 {
    limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX))
}

/// A variant by its serialised name.
fn named<T: DeserializeOwned>(word: String, place: impl FnOnce() -> String) -> Result<T, Failure> {
    serde_json::from_value(serde_json::Value::String(word))
        .map_err(|error| Failure::Corrupt { place: place(), message: error.to_string() })
}
