//! Rows read back.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{
    CheckpointRow, FieldOutline, FieldPayload, FieldRecord, HistoryFilter, JournalRow, RecordKind, TaskRecord,
    ThreadFilter, ThreadRow,
};
use serde::de::DeserializeOwned;
use sqlx::postgres::PgRow;
use sqlx::{PgPool, Row};

use super::commit::word;
use crate::failure::{Failure, read_number};

pub(super) async fn thread(pool: &PgPool, thread: &str) -> Result<Option<ThreadRow>, Failure> {
    let query = "SELECT * FROM threads WHERE thread = $1";
    sqlx::query(query).bind(thread).fetch_optional(pool).await?.map(|row| thread_row(&row)).transpose()
}

pub(super) async fn threads(pool: &PgPool, filter: &ThreadFilter) -> Result<Vec<ThreadRow>, Failure> {
    let query = "SELECT * FROM threads WHERE ($1::text IS NULL OR graph = $1) AND ($2::text IS NULL OR status = $2)
        ORDER BY written DESC LIMIT $3";
    let status = filter.status.as_ref().map(word).transpose()?;
    let query = sqlx::query(query).bind(filter.graph.as_deref()).bind(status).bind(limit(filter.limit));
    query.fetch_all(pool).await?.iter().map(thread_row).collect()
}

fn thread_row(row: &PgRow) -> Result<ThreadRow, Failure> {
    let thread: String = row.try_get("thread")?;
    let place = || format!("thread `{thread}`");
    let number = |column| read_number(row.try_get(column)?, place);
    Ok(ThreadRow {
        graph: row.try_get("graph")?,
        graph_version: small(number("graph_version")?),
        status: named(row.try_get("status")?, place)?,
        detail: String::from_utf8_lossy(row.try_get::<&[u8], _>("detail")?).into_owned(),
        created: number("created")?,
        updated: number("updated")?,
        epoch: number("epoch")?,
        owner: row.try_get("owner")?,
        thread: thread.as_str().into(),
    })
}

pub(super) async fn namespaces(pool: &PgPool, thread: &str) -> Result<Vec<String>, Failure> {
    let query = "SELECT ns FROM heads JOIN threads ON threads.id = heads.thread
        WHERE threads.thread = $1 AND heads.number IS NOT NULL ORDER BY ns";
    Ok(sqlx::query_scalar(query).bind(thread).fetch_all(pool).await?)
}

pub(super) async fn checkpoint(
    pool: &PgPool,
    thread: &str,
    ns: &str,
    number: Option<u64>,
) -> Result<Option<CheckpointRow>, Failure> {
    let query =
        "SELECT c.* FROM checkpoints c JOIN heads ON heads.id = c.head JOIN threads ON threads.id = heads.thread
        WHERE threads.thread = $1 AND heads.ns = $2 AND c.number = coalesce($3, heads.number)";
    // No checkpoint has a number that does not fit.
    let Ok(number) = number.map(i64::try_from).transpose() else { return Ok(None) };
    let row = sqlx::query(query).bind(thread).bind(ns).bind(number).fetch_optional(pool).await?;
    row.map(|row| checkpoint_row(&row, thread, ns)).transpose()
}

pub(super) async fn checkpoints(
    pool: &PgPool,
    thread: &str,
    ns: &str,
    filter: &HistoryFilter,
) -> Result<Vec<CheckpointRow>, Failure> {
    let query =
        "SELECT c.* FROM checkpoints c JOIN heads ON heads.id = c.head JOIN threads ON threads.id = heads.thread
        WHERE threads.thread = $1 AND heads.ns = $2
            AND ($3::bigint IS NULL OR c.number < $3) AND ($4::text IS NULL OR c.source = $4)
        ORDER BY c.number DESC LIMIT $5";
    let source = filter.source.as_ref().map(word).transpose()?;
    // A number that does not fit is greater than all that do.
    let before = filter.before.and_then(|before| i64::try_from(before).ok());
    let query = sqlx::query(query).bind(thread).bind(ns).bind(before).bind(source).bind(limit(filter.limit));
    query.fetch_all(pool).await?.iter().map(|row| checkpoint_row(row, thread, ns)).collect()
}

fn checkpoint_row(row: &PgRow, thread: &str, ns: &str) -> Result<CheckpointRow, Failure> {
    let place = || format!("thread `{thread}`, namespace `{ns}`, a checkpoint");
    let number = |column| read_number(row.try_get(column)?, place);
    let names: Vec<String> = row.try_get("fields")?;
    let versions: Vec<i64> = row.try_get("versions")?;
    let fields = names
        .into_iter()
        .zip(versions)
        .map(|(field, version)| Ok::<_, Failure>((field.into(), read_number(version, place)?)));
    Ok(CheckpointRow {
        number: number("number")?,
        parent: row.try_get::<Option<i64>, _>("parent")?.map(|parent| read_number(parent, place)).transpose()?,
        id: row.try_get::<&str, _>("id")?.into(),
        step: number("step")?,
        source: named(row.try_get("source")?, place)?,
        time: number("time")?,
        executed: number("executed")?,
        fields: fields.collect::<Result<_, _>>()?,
        state_version: small(number("state_version")?),
    })
}

/// The chain of records behind a version, oldest first: one statement, one view of the tables.
pub(super) async fn field(
    pool: &PgPool,
    thread: &str,
    ns: &str,
    field: &str,
    version: u64,
) -> Result<Vec<FieldRecord>, Failure> {
    const CHAIN: &str = "WITH RECURSIVE chain AS (
            SELECT f.* FROM fields f JOIN heads ON heads.id = f.head JOIN threads ON threads.id = heads.thread
            WHERE threads.thread = $1 AND heads.ns = $2 AND f.field = $3 AND f.version = $4
            UNION ALL
            SELECT f.* FROM chain c JOIN fields f ON f.head = c.head AND f.field = c.field AND f.version = c.previous
            WHERE NOT c.whole AND c.previous < c.version
        )
        SELECT c.version, c.previous, c.whole, c.payload, c.blob, b.bytes
        FROM chain c LEFT JOIN blobs b ON b.hash = c.blob ORDER BY c.version";
    let place = || format!("thread `{thread}`, namespace `{ns}`, field `{field}`");
    let corrupt = |message: String| Failure::Corrupt { place: place(), message };
    let missing = || corrupt(format!("there is no record of version {version}, or one that it builds on is missing"));
    let stored = i64::try_from(version).map_err(|_| missing())?;
    let rows = sqlx::query(CHAIN).bind(thread).bind(ns).bind(field).bind(stored).fetch_all(pool).await?;
    let name: Arc<str> = field.into();
    let mut chain = Vec::with_capacity(rows.len());
    for row in &rows {
        let version = read_number(row.try_get("version")?, place)?;
        let previous: Option<i64> = row.try_get("previous")?;
        let whole: bool = row.try_get("whole")?;
        let blob: Option<&str> = row.try_get("blob")?;
        let bytes: Option<&[u8]> = match blob {
            None => row.try_get("payload")?,
            Some(hash) => {
                row.try_get::<Option<&[u8]>, _>("bytes")?.filter(|bytes| blake3::hash(bytes).to_hex().as_str() == hash)
            }
        };
        let bytes = bytes.ok_or_else(|| corrupt(format!("the bytes of version {version} are lost or changed")))?;
        chain.push(FieldRecord {
            field: Arc::clone(&name),
            version,
            previous: previous.map(|previous| read_number(previous, place)).transpose()?,
            kind: if whole { RecordKind::Whole } else { RecordKind::Delta },
            payload: FieldPayload::Inline(bytes.into()),
        });
    }
    match chain.first() {
        Some(first) if first.kind == RecordKind::Whole || first.previous.is_none() => Ok(chain),
        _ => Err(missing()),
    }
}

pub(super) async fn outline(pool: &PgPool, thread: &str, ns: &str) -> Result<Vec<FieldOutline>, Failure> {
    let query = "SELECT f.field, f.version, f.previous, f.whole,
            coalesce(length(f.payload), length(b.bytes), 0)::bigint AS bytes
        FROM fields f JOIN heads ON heads.id = f.head JOIN threads ON threads.id = heads.thread
            LEFT JOIN blobs b ON b.hash = f.blob
        WHERE threads.thread = $1 AND heads.ns = $2 ORDER BY f.field, f.version";
    let place = || format!("thread `{thread}`, namespace `{ns}`, the fields");
    let rows = sqlx::query(query).bind(thread).bind(ns).fetch_all(pool).await?;
    let outline = |row: &PgRow| {
        let previous: Option<i64> = row.try_get("previous")?;
        Ok(FieldOutline {
            field: row.try_get::<&str, _>("field")?.into(),
            version: read_number(row.try_get("version")?, place)?,
            previous: previous.map(|previous| read_number(previous, place)).transpose()?,
            kind: if row.try_get("whole")? { RecordKind::Whole } else { RecordKind::Delta },
            bytes: read_number(row.try_get("bytes")?, place)?,
        })
    };
    rows.iter().map(outline).collect()
}

pub(super) async fn task_records(pool: &PgPool, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, Failure> {
    let query = "SELECT r.task, r.kind, r.key, r.payload
        FROM task_records r JOIN heads ON heads.id = r.head JOIN threads ON threads.id = heads.thread
        WHERE threads.thread = $1 AND heads.ns = $2 ORDER BY r.id";
    records(&sqlx::query(query).bind(thread).bind(ns).fetch_all(pool).await?, thread, ns)
}

pub(super) async fn open_records(pool: &PgPool, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, Failure> {
    let query = "SELECT r.task, r.kind, r.key, r.payload
        FROM task_records r JOIN heads ON heads.id = r.head JOIN threads ON threads.id = heads.thread
        WHERE threads.thread = $1 AND heads.ns = $2 AND r.kind <> 'once' ORDER BY r.id";
    records(&sqlx::query(query).bind(thread).bind(ns).fetch_all(pool).await?, thread, ns)
}

pub(super) async fn once_records(
    pool: &PgPool,
    thread: &str,
    ns: &str,
    tasks: &[Arc<str>],
) -> Result<Vec<TaskRecord>, Failure> {
    let query = "SELECT r.task, r.kind, r.key, r.payload
        FROM task_records r JOIN heads ON heads.id = r.head JOIN threads ON threads.id = heads.thread
        WHERE threads.thread = $1 AND heads.ns = $2 AND r.task = ANY($3) AND r.kind = 'once' ORDER BY r.id";
    let tasks: Vec<&str> = tasks.iter().map(|task| &**task).collect();
    records(&sqlx::query(query).bind(thread).bind(ns).bind(tasks).fetch_all(pool).await?, thread, ns)
}

fn records(rows: &[PgRow], thread: &str, ns: &str) -> Result<Vec<TaskRecord>, Failure> {
    let record = |row: &PgRow| {
        let task: Arc<str> = row.try_get::<&str, _>("task")?.into();
        let kind = named(row.try_get("kind")?, || format!("thread `{thread}`, namespace `{ns}`, task `{task}`"))?;
        let payload = row.try_get::<&[u8], _>("payload")?.into();
        Ok(TaskRecord { task, kind, key: row.try_get::<&str, _>("key")?.into(), payload })
    };
    rows.iter().map(record).collect()
}

pub(super) async fn journal(pool: &PgPool, thread: &str, after: u64, rows: usize) -> Result<Vec<JournalRow>, Failure> {
    let query = "SELECT seq, event FROM journal WHERE thread = (SELECT id FROM threads WHERE thread = $1) AND seq > $2
        ORDER BY seq LIMIT $3";
    // Nothing comes after the largest number that a row can have.
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let rows = sqlx::query(query).bind(thread).bind(after).bind(limit(Some(rows))).fetch_all(pool).await?;
    let place = || format!("thread `{thread}`, the journal");
    let row = |row: &PgRow| {
        let event = row.try_get::<Vec<u8>, _>("event")?.into();
        Ok(JournalRow { seq: read_number(row.try_get("seq")?, place)?, event })
    };
    rows.iter().map(row).collect()
}

pub(super) async fn last_seq(pool: &PgPool, thread: &str) -> Result<u64, Failure> {
    let query = "SELECT coalesce(max(seq), 0) FROM journal WHERE thread = (SELECT id FROM threads WHERE thread = $1)";
    let last: i64 = sqlx::query_scalar(query).bind(thread).fetch_one(pool).await?;
    read_number(last, || format!("thread `{thread}`, the journal"))
}

/// No limit is a null one.
fn limit(limit: Option<usize>) -> Option<i64> {
    limit.map(|limit| i64::try_from(limit).unwrap_or(i64::MAX))
}

/// Versions that programs count fit by far.
fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// A variant by its serialised name.
fn named<T: DeserializeOwned>(word: String, place: impl FnOnce() -> String) -> Result<T, Failure> {
    serde_json::from_value(serde_json::Value::String(word))
        .map_err(|error| Failure::Corrupt { place: place(), message: error.to_string() })
}
