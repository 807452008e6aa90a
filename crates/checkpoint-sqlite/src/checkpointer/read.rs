//! Rows read back.

use std::collections::BTreeSet;
use std::sync::Arc;

use graphloom_core_graph::checkpoint::{
    CheckpointRow, Checksum, FieldOutline, HistoryFilter, JournalRow, Known, Loaded, RecordKind, TaskRecord,
    ThreadFilter, ThreadRow, ThreadStatus,
};
use rusqlite::{Connection, OptionalExtension, Row, Rows, params};
use serde::de::DeserializeOwned;

use super::chain::{self, Place};
use super::claim::word;
use super::names::Names;
use super::{checksum, packed};
use crate::failure::{Failure, Refusal};

const THREAD: &str = "thread, graph, graph_version, status, detail, created, updated, epoch, holder, sum, holder_sum";

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
    let place = || format!("thread `{thread}`");
    let read = || {
        let read = ThreadRow {
            thread: Arc::clone(&thread),
            graph: row.get(1)?,
            graph_version: row.get(2)?,
            // What the word of the column stands for is looked up once the checksum fits.
            status: ThreadStatus::New,
            detail: row.get(4)?,
            created: row.get(5)?,
            updated: row.get(6)?,
            epoch: row.get(7)?,
            owner: row.get(8)?,
        };
        let is_whole = Checksum::of_thread_row(&thread, &read, row.get_ref(3)?.as_str()?).fits(row.get(9)?);
        let is_held = Checksum::of_holder(&thread, read.epoch, &read.owner).fits(row.get(10)?);
        Ok::<_, rusqlite::Error>((is_whole && is_held).then_some(read))
    };
    let read = read().ok().flatten().ok_or_else(|| Failure::damaged(place(), "its row"))?;
    Ok(ThreadRow { status: named(row.get(3)?, place)?, ..read })
}

pub(super) fn namespaces(connection: &Connection, thread: &str) -> Result<Vec<String>, Failure> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {HEAD}, heads.ns FROM heads JOIN threads ON threads.id = heads.thread
        WHERE threads.thread = ?1 ORDER BY heads.ns"
    ))?;
    let mut rows = statement.query([thread])?;
    let mut names = Vec::new();
    while let Some(row) = rows.next()? {
        let ns: String = row.get(3)?;
        if head_of(row, 0, thread, &ns)?.number.is_some() {
            names.push(ns);
        }
    }
    Ok(names)
}

/// The row of a namespace.
pub(super) struct Head {
    pub(super) id: i64,
    /// The number of the head.
    pub(super) number: Option<u64>,
}

pub(super) fn head(connection: &Connection, thread: &str, ns: &str) -> Result<Option<Head>, Failure> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {HEAD} FROM heads JOIN threads ON threads.id = heads.thread
        WHERE threads.thread = ?1 AND heads.ns = ?2"
    ))?;
    statement.query_row([thread, ns], |row| Ok(head_of(row, 0, thread, ns))).optional()?.transpose()
}

/// The columns of the row of a namespace. One without a checksum is of an older format, or damage hides the checksum: then
/// its head must be a checkpoint that is there, or there must be none.
const HEAD: &str = "heads.id, CASE WHEN heads.sum IS NOT NULL
            OR EXISTS (SELECT 1 FROM checkpoints WHERE head = heads.id AND number = heads.number) THEN heads.number
        ELSE (SELECT -1 FROM checkpoints WHERE head = heads.id LIMIT 1) END,
    heads.sum";

/// The row of a namespace, whose columns begin at `at`.
fn head_of(row: &Row<'_>, at: usize, thread: &str, ns: &str) -> Result<Head, Failure> {
    let columns = || Ok::<_, rusqlite::Error>((row.get(at)?, row.get(at + 1)?, row.get(at + 2)?));
    match columns() {
        Ok((id, number, sum)) if Checksum::of_head(thread, ns, number).fits(sum) => Ok(Head { id, number }),
        _ => Err(Failure::damaged(format!("thread `{thread}`, namespace `{ns}`"), "its head")),
    }
}

/// Selects checkpoints with the rows of their namespaces.
fn with_checkpoints(rest: &str) -> String {
    format!(
        "SELECT c.number, c.parent, c.id, c.step, c.source, c.time, c.executed, c.fields, c.state_version, c.sum, {HEAD}
        FROM heads JOIN threads ON threads.id = heads.thread LEFT JOIN checkpoints c ON c.head = heads.id {rest}"
    )
}

pub(super) fn checkpoint(
    connection: &Connection,
    names: &Names,
    thread: &str,
    ns: &str,
    number: Option<u64>,
) -> Result<Option<CheckpointRow>, Failure> {
    Ok(find_checkpoint(connection, names, thread, ns, number)?.and_then(|(_, row)| row))
}

/// The row of a namespace with a checkpoint of it, or with the one that its head names.
fn find_checkpoint(
    connection: &Connection,
    names: &Names,
    thread: &str,
    ns: &str,
    number: Option<u64>,
) -> Result<Option<(Head, Option<CheckpointRow>)>, Failure> {
    let mut statement = connection.prepare_cached(&with_checkpoints(
        "AND c.number = coalesce(?3, heads.number) WHERE threads.thread = ?1 AND heads.ns = ?2",
    ))?;
    // No checkpoint has a number that does not fit, and none is negative.
    let stored = number.map(|number| i64::try_from(number).unwrap_or(-1));
    let mut rows = statement.query(params![thread, ns, stored])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let head = head_of(row, 10, thread, ns)?;
    match (row.get::<_, Option<u64>>(0)?, number, head.number) {
        (Some(_), ..) => Ok(Some((head, Some(checkpoint_row(connection, names, row, thread, ns)?)))),
        (None, None, Some(missing)) => {
            let place = format!("thread `{thread}`, namespace `{ns}`, checkpoint {missing}");
            Err(Failure::damaged(place, "the head has no checkpoint: the file"))
        }
        (None, ..) => Ok(Some((head, None))),
    }
}

/// A namespace at a checkpoint or at its head, in one view of the file.
pub(super) fn load(
    connection: &Connection,
    names: &Names,
    thread: &str,
    ns: &str,
    number: Option<u64>,
    known: Option<&Known>,
) -> Result<Option<Loaded>, Failure> {
    let _view = connection.unchecked_transaction()?;
    let Some((Head { id, number: Some(head) }, row)) = find_checkpoint(connection, names, thread, ns, number)? else {
        return Ok(None);
    };
    let number = number.unwrap_or(head);
    let unknown = || Refusal::UnknownCheckpoint { thread: thread.to_owned(), ns: ns.to_owned(), number };
    let row = row.ok_or_else(unknown)?;
    let newest = "SELECT max(number) FROM checkpoints WHERE head = ?1";
    let newest: Option<u64> = connection.prepare_cached(newest)?.query_row([id], |row| row.get(0))?;
    let newest = newest.unwrap_or(head).max(head);
    if newest > head {
        // After a fork. A number that damage has made must not be counted on from.
        find_checkpoint(connection, names, thread, ns, Some(newest))?;
    }
    let mut known = known;
    if let Some(wanted) = known
        && !wanted.is(&row)
    {
        // One that cannot be read is not known: the head does not need it.
        let stored = find_checkpoint(connection, names, thread, ns, Some(wanted.number));
        known = known.filter(|known| matches!(&stored, Ok(Some((_, Some(row)))) if known.is(row)));
    }
    let of = |(field, version): (&Arc<str>, u64)| {
        let known = known.and_then(|known| known.version_of(field));
        chain::chain(connection, names, Place { thread, ns, field }, id, version, known)
    };
    let fields = row.fields.iter().map(of).collect::<Result<_, _>>()?;
    let tasks = open_records(connection, thread, ns)?;
    Ok(Some(Loaded { head, newest, row, fields, tasks }))
}

pub(super) fn checkpoints(
    connection: &Connection,
    names: &Names,
    thread: &str,
    ns: &str,
    filter: &HistoryFilter,
) -> Result<Vec<CheckpointRow>, Failure> {
    let mut statement = connection.prepare_cached(&with_checkpoints(
        "WHERE threads.thread = ?1 AND heads.ns = ?2 AND c.number IS NOT NULL
            AND (?3 IS NULL OR c.number < ?3) AND (?4 IS NULL OR c.source = ?4)
        ORDER BY c.number DESC LIMIT ?5",
    ))?;
    let source = filter.source.as_ref().map(word).transpose()?;
    // A number that does not fit is greater than all that do.
    let before = filter.before.and_then(|before| i64::try_from(before).ok());
    let mut rows = statement.query(params![thread, ns, before, source, limit(filter.limit)])?;
    let mut checkpoints = Vec::new();
    while let Some(row) = rows.next()? {
        head_of(row, 10, thread, ns)?;
        checkpoints.push(checkpoint_row(connection, names, row, thread, ns)?);
    }
    Ok(checkpoints)
}

/// A checkpoint in a row that has that of its namespace behind it.
fn checkpoint_row(
    connection: &Connection,
    names: &Names,
    row: &Row<'_>,
    thread: &str,
    ns: &str,
) -> Result<CheckpointRow, Failure> {
    let number: u64 = row.get(0)?;
    let place = || format!("thread `{thread}`, namespace `{ns}`, checkpoint {number}");
    let is_whole = checksum::of_checkpoint(row, row.get(10)?).and_then(|sum| Ok(sum.fits(row.get(9)?)));
    if !is_whole.unwrap_or(false) {
        return Err(Failure::damaged(place(), "it"));
    }
    let corrupt = |what: &str| Failure::Corrupt { place: place(), message: format!("its {what}") };
    let bytes = row.get_ref(7)?.as_blob().unwrap_or_default();
    let fields = packed::read_versions(number, bytes).ok_or_else(|| corrupt("fields are no pairs of numbers"))?;
    let named_field = |(field, version)| {
        let field = names.name(connection, field)?.ok_or_else(|| corrupt("fields have a number that is no name's"))?;
        Ok::<_, Failure>((field, version))
    };
    Ok(CheckpointRow {
        number,
        parent: row.get(1)?,
        id: packed::read_id(row.get_ref(2)?).ok_or_else(|| corrupt("id is none"))?,
        step: row.get(3)?,
        source: named(row.get(4)?, place)?,
        time: row.get(5)?,
        executed: row.get(6)?,
        fields: fields.into_iter().map(named_field).collect::<Result<_, _>>()?,
        state_version: row.get(8)?,
    })
}

pub(super) fn outline(
    connection: &Connection,
    names: &Names,
    thread: &str,
    ns: &str,
) -> Result<Vec<FieldOutline>, Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT field, version, previous, whole, coalesce(length(payload), length(bytes), 0)
        FROM fields JOIN heads ON heads.id = fields.head JOIN threads ON threads.id = heads.thread
            LEFT JOIN blobs ON blobs.hash = fields.blob
        WHERE threads.thread = ?1 AND heads.ns = ?2 ORDER BY version",
    )?;
    let mut rows = statement.query([thread, ns])?;
    let mut outline = Vec::new();
    while let Some(row) = rows.next()? {
        let kind = if row.get(3)? { RecordKind::Whole } else { RecordKind::Delta };
        let nameless = || Failure::Corrupt {
            place: format!("thread `{thread}`, namespace `{ns}`"),
            message: "a record is of a field whose number is no name's".to_owned(),
        };
        let field = names.name(connection, row.get(0)?)?.ok_or_else(nameless)?;
        outline.push(FieldOutline { field, version: row.get(1)?, previous: row.get(2)?, kind, bytes: row.get(4)? });
    }
    outline.sort_by(|one, other| one.field.cmp(&other.field));
    Ok(outline)
}

/// Selects records of tasks of a namespace with its row.
fn with_records(rest: &str) -> String {
    format!(
        "SELECT r.task, r.kind, r.key, r.payload, r.sum, r.id, {HEAD}
        FROM task_records r JOIN heads ON heads.id = r.head JOIN threads ON threads.id = heads.thread
        WHERE threads.thread = ?1 AND heads.ns = ?2 {rest}"
    )
}

pub(super) fn task_records(connection: &Connection, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, Failure> {
    let mut statement = connection.prepare_cached(&with_records("ORDER BY r.id"))?;
    records(statement.query([thread, ns])?, thread, ns)
}

/// The same by an index that has no results of durable steps.
pub(super) fn open_records(connection: &Connection, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, Failure> {
    let mut statement = connection.prepare_cached(&with_records("AND r.kind <> 'once' ORDER BY r.id"))?;
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
    let mut statement = connection.prepare_cached(&with_records("AND r.task = ?3 AND r.kind = 'once'"))?;
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
    let head = head_of(row, 6, thread, ns)?;
    let is_whole = checksum::of_task_record(row, head.id).and_then(|sum| Ok(sum.fits(row.get(4)?)));
    let text = |at| row.get(at).unwrap_or_else(|_| "?".to_owned());
    let place = || format!("thread `{thread}`, namespace `{ns}`, task `{}`", text(0));
    if !is_whole.unwrap_or(false) {
        return Err(Failure::damaged(place(), &format!("its record `{}` ({})", text(2), text(1))));
    }
    Ok(TaskRecord { kind: named(row.get(1)?, place)?, task: row.get(0)?, key: row.get(2)?, payload: row.get(3)? })
}

const EVENT: &str = "SELECT seq, event, sum FROM journal WHERE thread = (SELECT id FROM threads WHERE thread = ?1)";

pub(super) fn journal(
    connection: &Connection,
    thread: &str,
    after: u64,
    rows: usize,
) -> Result<Vec<JournalRow>, Failure> {
    let mut statement = connection.prepare_cached(&format!("{EVENT} AND seq > ?2 ORDER BY seq LIMIT ?3"))?;
    // Nothing comes after the largest number that a row can have.
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![thread, after, limit(Some(rows))], |row| Ok(event(row, thread)))?;
    rows.map(|row| row?).collect()
}

pub(super) fn last_seq(connection: &Connection, thread: &str) -> Result<u64, Failure> {
    let mut statement = connection.prepare_cached(&format!("{EVENT} ORDER BY seq DESC LIMIT 1"))?;
    let last = statement.query_row([thread], |row| Ok(event(row, thread))).optional()?.transpose()?;
    Ok(last.map_or(0, |row| row.seq))
}

fn event(row: &Row<'_>, thread: &str) -> Result<JournalRow, Failure> {
    let seq: u64 = row.get(0)?;
    let sum_of = |event: &[u8]| checksum::event(thread, seq, event);
    match row.get_ref(1)?.as_blob() {
        Ok(event) if sum_of(event).fits(row.get(2)?) => Ok(JournalRow { seq, event: event.to_vec().into() }),
        _ => Err(Failure::damaged(format!("thread `{thread}`, event {seq} of the journal"), "it")),
    }
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
