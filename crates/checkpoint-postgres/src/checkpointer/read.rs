//! Rows read back.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{
    CheckpointRow, Checksum, FieldOutline, FieldPayload, FieldRecord, HistoryFilter, JournalRow, RecordKind, Source,
    TaskRecord, ThreadFilter, ThreadRow, ThreadStatus,
};
use serde::de::DeserializeOwned;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Executor, PgPool, Postgres, Row};

use super::checksum;
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

pub(super) fn thread_row(row: &PgRow) -> Result<ThreadRow, Failure> {
    let thread: String = row.try_get("thread")?;
    let place = || format!("thread `{thread}`");
    let number = |column| read_number(row.try_get(column)?, place);
    let status: String = row.try_get("status")?;
    let read = ThreadRow {
        graph: row.try_get("graph")?,
        graph_version: small(number("graph_version")?),
        // What the word of the column stands for is looked up once the checksum fits.
        status: ThreadStatus::New,
        detail: String::from_utf8_lossy(row.try_get::<&[u8], _>("detail")?).into_owned(),
        created: number("created")?,
        updated: number("updated")?,
        epoch: number("epoch")?,
        owner: row.try_get("holder")?,
        thread: thread.as_str().into(),
    };
    let is_whole = Checksum::of_thread_row(&thread, &read, &status).fits(row.try_get("sum")?);
    let is_held = Checksum::of_holder(&thread, read.epoch, &read.owner).fits(row.try_get("holder_sum")?);
    if !is_whole || !is_held {
        return Err(Failure::damaged(place(), "its row"));
    }
    Ok(ThreadRow { status: named(status, place)?, ..read })
}

pub(super) async fn namespaces(pool: &PgPool, thread: &str) -> Result<Vec<String>, Failure> {
    let heads = heads(pool, thread).await?;
    Ok(heads.into_iter().filter(|(_, number)| number.is_some()).map(|(ns, _)| ns).collect())
}

/// The namespaces of a thread with their heads, sorted.
pub(super) async fn heads<'e>(
    executor: impl Executor<'e, Database = Postgres>,
    thread: &str,
) -> Result<Vec<(String, Option<u64>)>, Failure> {
    let query = "SELECT heads.ns, heads.number AS head_number, heads.sum AS head_sum
        FROM heads JOIN threads ON threads.id = heads.thread WHERE threads.thread = $1 ORDER BY ns";
    let rows = sqlx::query(query).bind(thread).fetch_all(executor).await?;
    let head = |row: &PgRow| {
        let ns: String = row.try_get("ns")?;
        let number = head_of(row, thread, &ns)?;
        Ok((ns, number))
    };
    rows.iter().map(head).collect()
}

/// The number of the head in a row that has `head_number` and `head_sum`.
pub(super) fn head_of(row: &PgRow, thread: &str, ns: &str) -> Result<Option<u64>, Failure> {
    let place = || format!("thread `{thread}`, namespace `{ns}`");
    let number: Option<i64> = row.try_get("head_number")?;
    let number = number.map(|number| read_number(number, place)).transpose()?;
    if !Checksum::of_head(thread, ns, number).fits(row.try_get("head_sum")?) {
        return Err(Failure::damaged(place(), "its head"));
    }
    Ok(number)
}

/// Checkpoints beside the heads of their namespaces.
const CHECKPOINT: &str = "SELECT c.*, heads.number AS head_number, heads.sum AS head_sum
    FROM heads JOIN threads ON threads.id = heads.thread LEFT JOIN checkpoints c ON c.head = heads.id";

pub(super) async fn checkpoint(
    pool: &PgPool,
    thread: &str,
    ns: &str,
    number: Option<u64>,
) -> Result<Option<CheckpointRow>, Failure> {
    let query =
        format!("{CHECKPOINT} AND c.number = coalesce($3, heads.number) WHERE threads.thread = $1 AND heads.ns = $2");
    // No checkpoint has a number that does not fit.
    let Ok(stored) = number.map(i64::try_from).transpose() else { return Ok(None) };
    let query = sqlx::query(AssertSqlSafe(query)).bind(thread).bind(ns).bind(stored);
    let Some(row) = query.fetch_optional(pool).await? else { return Ok(None) };
    let head = head_of(&row, thread, ns)?;
    match (row.try_get::<Option<i64>, _>("number")?, number, head) {
        (Some(_), ..) => checkpoint_row(&row, thread, ns).map(Some),
        (None, None, Some(missing)) => {
            let place = format!("thread `{thread}`, namespace `{ns}`, checkpoint {missing}");
            Err(Failure::damaged(place, "the head has no checkpoint: the table"))
        }
        (None, ..) => Ok(None),
    }
}

pub(super) async fn checkpoints(
    pool: &PgPool,
    thread: &str,
    ns: &str,
    filter: &HistoryFilter,
) -> Result<Vec<CheckpointRow>, Failure> {
    let query = format!(
        "{CHECKPOINT} WHERE threads.thread = $1 AND heads.ns = $2 AND c.number IS NOT NULL
            AND ($3::bigint IS NULL OR c.number < $3) AND ($4::text IS NULL OR c.source = $4)
        ORDER BY c.number DESC LIMIT $5"
    );
    let source = filter.source.as_ref().map(word).transpose()?;
    // A number that does not fit is greater than all that do.
    let before = filter.before.and_then(|before| i64::try_from(before).ok());
    let query = sqlx::query(AssertSqlSafe(query));
    let query = query.bind(thread).bind(ns).bind(before).bind(source).bind(limit(filter.limit));
    let row = |row: &PgRow| head_of(row, thread, ns).and_then(|_| checkpoint_row(row, thread, ns));
    query.fetch_all(pool).await?.iter().map(row).collect()
}

fn checkpoint_row(row: &PgRow, thread: &str, ns: &str) -> Result<CheckpointRow, Failure> {
    let stored: i64 = row.try_get("number")?;
    let place = || format!("thread `{thread}`, namespace `{ns}`, checkpoint {stored}");
    let number = |column| read_number(row.try_get(column)?, place);
    let names: Vec<String> = row.try_get("fields")?;
    let versions: Vec<i64> = row.try_get("versions")?;
    let source: String = row.try_get("source")?;
    let fields = names
        .into_iter()
        .zip(versions)
        .map(|(field, version)| Ok::<_, Failure>((field.into(), read_number(version, place)?)));
    let read = CheckpointRow {
        number: number("number")?,
        parent: row.try_get::<Option<i64>, _>("parent")?.map(|parent| read_number(parent, place)).transpose()?,
        id: row.try_get::<&str, _>("id")?.into(),
        step: number("step")?,
        // What the word of the column stands for is looked up once the checksum fits.
        source: Source::Step,
        time: number("time")?,
        executed: number("executed")?,
        fields: fields.collect::<Result<_, _>>()?,
        state_version: small(number("state_version")?),
    };
    if !checksum::of_checkpoint(&read, &source).fits(row.try_get("sum")?) {
        return Err(Failure::damaged(place(), "it"));
    }
    Ok(CheckpointRow { source: named(source, place)?, ..read })
}

/// The chain of records behind a version, oldest first, without what a known version has: one statement, one view of the
/// tables.
pub(super) async fn field(
    pool: &PgPool,
    thread: &str,
    ns: &str,
    field: &str,
    version: u64,
    known: Option<u64>,
) -> Result<Vec<FieldRecord>, Failure> {
    const CHAIN: &str = "WITH RECURSIVE chain AS (
            SELECT f.* FROM fields f JOIN heads ON heads.id = f.head JOIN threads ON threads.id = heads.thread
            WHERE threads.thread = $1 AND heads.ns = $2 AND f.field = $3 AND f.version = $4
            UNION ALL
            SELECT f.* FROM chain c JOIN fields f ON f.head = c.head AND f.field = c.field AND f.version = c.previous
            WHERE NOT c.whole AND c.previous < c.version AND c.previous IS DISTINCT FROM $5
        )
        SELECT c.version, c.previous, c.whole, c.payload, c.blob, c.sum, b.bytes
        FROM chain c LEFT JOIN blobs b ON b.hash = c.blob ORDER BY c.version";
    let place = || format!("thread `{thread}`, namespace `{ns}`, field `{field}`");
    let corrupt = |message: String| Failure::Corrupt { place: place(), message };
    let missing = || corrupt(format!("there is no record of version {version}, or one that it builds on is missing"));
    let stored = i64::try_from(version).map_err(|_| missing())?;
    if known == Some(version) {
        return Ok(Vec::new());
    }
    // No version that is stored does not fit.
    let stop = known.and_then(|known| i64::try_from(known).ok());
    let rows = sqlx::query(CHAIN).bind(thread).bind(ns).bind(field).bind(stored).bind(stop).fetch_all(pool).await?;
    let name: Arc<str> = field.into();
    let mut chain = Vec::with_capacity(rows.len());
    for row in &rows {
        let version = read_number(row.try_get("version")?, place)?;
        let previous: Option<i64> = row.try_get("previous")?;
        let whole: bool = row.try_get("whole")?;
        let blob: Option<&str> = row.try_get("blob")?;
        let payload: Option<&[u8]> = row.try_get("payload")?;
        let previous = previous.map(|previous| read_number(previous, place)).transpose()?;
        let content = blob.map(str::as_bytes).or(payload).unwrap_or_default();
        if !checksum::field(field, version, previous, whole, content).fits(row.try_get("sum")?) {
            return Err(Failure::damaged(place(), &format!("the record of version {version}")));
        }
        let bytes: Option<&[u8]> = match blob {
            None => payload,
            Some(hash) => {
                row.try_get::<Option<&[u8]>, _>("bytes")?.filter(|bytes| blake3::hash(bytes).to_hex().as_str() == hash)
            }
        };
        let bytes = bytes.ok_or_else(|| corrupt(format!("the bytes of version {version} are lost or changed")))?;
        chain.push(FieldRecord {
            field: Arc::clone(&name),
            version,
            previous,
            kind: if whole { RecordKind::Whole } else { RecordKind::Delta },
            payload: FieldPayload::Inline(bytes.into()),
        });
    }
    match chain.first() {
        Some(first) if first.kind == RecordKind::Whole || first.previous.is_none() || first.previous == known => {
            Ok(chain)
        }
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

/// The records of tasks of a namespace, beside its head.
const RECORD: &str =
    "SELECT r.task, r.kind, r.key, r.payload, r.sum, heads.number AS head_number, heads.sum AS head_sum
    FROM task_records r JOIN heads ON heads.id = r.head JOIN threads ON threads.id = heads.thread
    WHERE threads.thread = $1 AND heads.ns = $2";

pub(super) async fn task_records(pool: &PgPool, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, Failure> {
    let query = AssertSqlSafe(format!("{RECORD} ORDER BY r.id"));
    records(&sqlx::query(query).bind(thread).bind(ns).fetch_all(pool).await?, thread, ns)
}

/// The same by an index that has no results of durable steps.
pub(super) async fn open_records(pool: &PgPool, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, Failure> {
    let query = AssertSqlSafe(format!("{RECORD} AND r.kind <> 'once' ORDER BY r.id"));
    records(&sqlx::query(query).bind(thread).bind(ns).fetch_all(pool).await?, thread, ns)
}

/// By the index of all records, which has tasks and keys as hashes.
pub(super) async fn once_records(
    pool: &PgPool,
    thread: &str,
    ns: &str,
    tasks: &[Arc<str>],
) -> Result<Vec<TaskRecord>, Failure> {
    let query = format!(
        "{RECORD} AND r.kind = 'once' AND md5(r.task) = ANY(SELECT md5(t) FROM unnest($3::text[]) AS t)
            AND r.task = ANY($3) ORDER BY r.id"
    );
    let tasks: Vec<&str> = tasks.iter().map(|task| &**task).collect();
    let query = sqlx::query(AssertSqlSafe(query)).bind(thread).bind(ns).bind(tasks);
    records(&query.fetch_all(pool).await?, thread, ns)
}

fn records(rows: &[PgRow], thread: &str, ns: &str) -> Result<Vec<TaskRecord>, Failure> {
    let record = |row: &PgRow| {
        head_of(row, thread, ns)?;
        let (task, kind, key): (&str, &str, &str) = (row.try_get("task")?, row.try_get("kind")?, row.try_get("key")?);
        let payload: &[u8] = row.try_get("payload")?;
        let place = || format!("thread `{thread}`, namespace `{ns}`, task `{task}`");
        if !Checksum::of_task_record(task, kind, key, payload).fits(row.try_get("sum")?) {
            return Err(Failure::damaged(place(), &format!("its record `{key}` ({kind})")));
        }
        let kind = named(kind.to_owned(), place)?;
        Ok(TaskRecord { task: task.into(), kind, key: key.into(), payload: payload.into() })
    };
    rows.iter().map(record).collect()
}

const EVENT: &str = "SELECT seq, event, sum FROM journal WHERE thread = (SELECT id FROM threads WHERE thread = $1)";

pub(super) async fn journal(pool: &PgPool, thread: &str, after: u64, rows: usize) -> Result<Vec<JournalRow>, Failure> {
    let query = AssertSqlSafe(format!("{EVENT} AND seq > $2 ORDER BY seq LIMIT $3"));
    // Nothing comes after the largest number that a row can have.
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let rows = sqlx::query(query).bind(thread).bind(after).bind(limit(Some(rows))).fetch_all(pool).await?;
    rows.iter().map(|row| event(row, thread)).collect()
}

pub(super) async fn last_seq(pool: &PgPool, thread: &str) -> Result<u64, Failure> {
    let query = AssertSqlSafe(format!("{EVENT} ORDER BY seq DESC LIMIT 1"));
    let last = sqlx::query(query).bind(thread).fetch_optional(pool).await?;
    Ok(last.map(|row| event(&row, thread)).transpose()?.map_or(0, |row| row.seq))
}

fn event(row: &PgRow, thread: &str) -> Result<JournalRow, Failure> {
    let seq = read_number(row.try_get("seq")?, || format!("thread `{thread}`, the journal"))?;
    let event: Vec<u8> = row.try_get("event")?;
    if !Checksum::of_event(seq, &event).fits(row.try_get("sum")?) {
        return Err(Failure::damaged(format!("thread `{thread}`, event {seq} of the journal"), "it"));
    }
    Ok(JournalRow { seq, event: event.into() })
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
