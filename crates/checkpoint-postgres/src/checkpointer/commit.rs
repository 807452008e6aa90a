//! A commit as the arguments of one call.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{CheckpointError, Checksum, Commit, Lease, RecordKind, ThreadRow};
use serde::Serialize;
use sqlx::{Executor, Postgres, Row};

use super::checksum;
use crate::failure::{Failure, read_number, storable};

const COMMIT: &str = "SELECT commit_thread(
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25,
    $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43, $44, $45)";

/// Writes a commit: one statement.
pub(super) async fn apply<'e>(
    executor: impl Executor<'e, Database = Postgres>,
    lease: &Lease,
    commit: &Commit,
) -> Result<(), Failure> {
    let Commit { ns, expected_head, checkpoint, tasks, settled, thread, release, .. } = commit;
    let row = thread.as_ref();
    let status = row.map(|row| word(&row.status)).transpose()?;
    let head = checkpoint.as_ref();
    let source = head.map(|row| word(&row.source)).transpose()?;
    let mut names: Vec<&str> = Vec::new();
    let mut versions = Vec::new();
    for (field, version) in head.iter().flat_map(|row| row.fields.iter()) {
        names.push(field);
        versions.push(storable(version)?);
    }
    let mut records = Records::default();
    for record in commit.records() {
        records.field.push(record.field);
        records.version.push(storable(record.version)?);
        records.previous.push(record.previous.map(storable).transpose()?);
        records.whole.push(record.kind == RecordKind::Whole);
        records.sum.push(checksum::of_field(record).stored());
        records.payload.push(record.blob.is_none().then_some(record.bytes));
        records.blob.push(record.blob.map(|blob| &*blob.hash));
        if let Some(blob) = record.blob.filter(|blob| !records.hash.contains(&&*blob.hash)) {
            records.hash.push(&blob.hash);
            records.bytes.push(&blob.bytes);
        }
    }
    let optional = |number: Option<u64>| number.map(storable).transpose();
    let (mut seqs, mut events, mut event_sums) = (Vec::new(), Vec::new(), Vec::new());
    for (seq, event) in commit.events() {
        seqs.push(storable(seq)?);
        event_sums.push(Checksum::of_event(seq, &event).stored());
        events.push(event.into_owned());
    }
    let sums = ThreadSums::of(lease, row, status.as_deref().unwrap_or_default(), *release);
    let kinds = tasks.iter().map(|record| word(&record.kind)).collect::<Result<Vec<_>, _>>()?;
    let record_sums: Vec<_> = tasks
        .iter()
        .zip(&kinds)
        .map(|(record, kind)| Checksum::of_task_record(&record.task, kind, &record.key, &record.payload).stored())
        .collect();
    let query = sqlx::query(COMMIT)
        .bind(&*lease.thread)
        .bind(&*lease.owner)
        .bind(storable(lease.epoch)?)
        .bind(release)
        .bind(row.is_some())
        .bind(row.map_or("", |row| &row.graph))
        .bind(row.map_or(0, |row| i64::from(row.graph_version)))
        .bind(status.as_deref().unwrap_or_default())
        .bind(row.map_or(&[][..], |row| row.detail.as_bytes()))
        .bind(optional(row.map(|row| row.created))?.unwrap_or(0))
        .bind(optional(row.map(|row| row.updated))?.unwrap_or(0))
        .bind(sums.row)
        .bind(sums.holder)
        .bind(&**ns)
        .bind(optional(*expected_head)?)
        .bind(Checksum::of_head(&lease.thread, ns, head.map(|row| row.number)).stored())
        .bind(optional(head.map(|row| row.number))?)
        .bind(optional(head.and_then(|row| row.parent))?)
        .bind(head.map(|row| row.id.text().into_owned()))
        .bind(optional(head.map(|row| row.step))?)
        .bind(source.as_deref())
        .bind(optional(head.map(|row| row.time))?)
        .bind(optional(head.map(|row| row.executed))?)
        .bind(head.map(|row| i64::from(row.state_version)))
        .bind(names)
        .bind(versions)
        .bind(head.map(|row| checksum::of_checkpoint(row, source.as_deref().unwrap_or_default()).stored()))
        .bind(records.field)
        .bind(records.version)
        .bind(records.previous)
        .bind(records.whole)
        .bind(records.payload)
        .bind(records.blob)
        .bind(records.sum)
        .bind(records.hash)
        .bind(records.bytes)
        .bind(tasks.iter().map(|record| &*record.task).collect::<Vec<_>>())
        .bind(kinds)
        .bind(tasks.iter().map(|record| &*record.key).collect::<Vec<_>>())
        .bind(tasks.iter().map(|record| &*record.payload).collect::<Vec<_>>())
        .bind(record_sums)
        .bind(settled.iter().map(|task| &**task).collect::<Vec<_>>())
        .bind(seqs)
        .bind(events)
        .bind(event_sums);
    query.execute(executor).await.map_err(|error| refused(error.into(), lease, ns))?;
    Ok(())
}

/// The checksums of a thread's row as a claim leaves it.
pub(super) struct ThreadSums {
    /// Nothing without a row, which stays then.
    pub(super) row: Option<i32>,
    pub(super) holder: i32,
}

impl ThreadSums {
    pub(super) fn of(lease: &Lease, row: Option<&ThreadRow>, status: &str, release: bool) -> Self {
        let owner = if release { "" } else { &*lease.owner };
        Self {
            row: row.map(|row| Checksum::of_thread_row(&lease.thread, row, status).stored()),
            holder: Checksum::of_holder(&lease.thread, lease.epoch, owner).stored(),
        }
    }
}

/// The columns of the changed fields and of the large values among them.
#[derive(Default)]
struct Records<'c> {
    field: Vec<&'c str>,
    version: Vec<i64>,
    previous: Vec<Option<i64>>,
    whole: Vec<bool>,
    payload: Vec<Option<&'c [u8]>>,
    blob: Vec<Option<&'c str>>,
    sum: Vec<i32>,
    hash: Vec<&'c str>,
    bytes: Vec<&'c [u8]>,
}

/// A refusal of one of our functions as the error that it stands for.
pub(super) fn refused(failure: Failure, lease: &Lease, ns: &str) -> Failure {
    match failure.refusal() {
        Some(("GL002", _)) => CheckpointError::UnknownThread { thread: lease.thread.to_string() }.into(),
        Some((_, detail)) => stale(lease, ns, detail),
        None => failure,
    }
}

pub(super) fn stale(lease: &Lease, ns: &str, detail: String) -> Failure {
    let (thread, epoch) = (lease.thread.to_string(), lease.epoch);
    CheckpointError::StaleHead { thread, ns: ns.to_owned(), epoch, detail }.into()
}

/// Who holds a thread according to the database, and whether that one is alive.
pub(super) struct Owner {
    pub(super) id: i64,
    pub(super) epoch: u64,
    pub(super) owner: String,
    pub(super) lives: bool,
}

/// The owner of a thread, `None` when there is no such thread. Inside a transaction the row stays locked with `lock`.
pub(super) async fn owner<'e>(
    executor: impl Executor<'e, Database = Postgres>,
    thread: &Arc<str>,
    lock: bool,
) -> Result<Option<Owner>, Failure> {
    const OWNER: &str = "SELECT id, epoch, holder, holder_sum, EXISTS (
            SELECT 1 FROM owners WHERE instance = split_part(holder, '/', 1) AND expires > clock_timestamp()
        ) AS lives FROM threads WHERE thread = $1";
    const LOCKED: &str =
        "SELECT id, epoch, holder, holder_sum, false AS lives FROM threads WHERE thread = $1 FOR UPDATE";
    let query = sqlx::query(if lock { LOCKED } else { OWNER }).bind(&**thread);
    let Some(row) = query.fetch_optional(executor).await? else { return Ok(None) };
    let place = || format!("thread `{thread}`");
    let epoch = read_number(row.try_get("epoch")?, place)?;
    let owner: String = row.try_get("holder")?;
    if !Checksum::of_holder(thread, epoch, &owner).fits(row.try_get("holder_sum")?) {
        return Err(Failure::damaged(place(), "its row"));
    }
    Ok(Some(Owner { id: row.try_get("id")?, epoch, owner, lives: row.try_get("lives")? }))
}

/// Takes a thread from an owner that is taken for dead, unless another one has it by now. One that only stood still cannot write any
/// more from then on: what is read of the thread afterwards stays as it is until the new owner writes.
pub(super) async fn dispossess<'e>(
    executor: impl Executor<'e, Database = Postgres>,
    thread: &Arc<str>,
    owner: &Owner,
) -> Result<bool, Failure> {
    let query = "UPDATE threads SET holder = '', holder_sum = $4 WHERE id = $1 AND epoch = $2 AND holder = $3";
    let query = sqlx::query(query).bind(owner.id).bind(storable(owner.epoch)?).bind(&owner.owner);
    let query = query.bind(Checksum::of_holder(thread, owner.epoch, "").stored());
    Ok(query.execute(executor).await?.rows_affected() == 1)
}

/// The serialised name of a status, source or kind.
pub(super) fn word<T: Serialize>(variant: &T) -> Result<String, Failure> {
    match serde_json::to_value(variant) {
        Ok(serde_json::Value::String(word)) => Ok(word),
        Ok(other) => Err(Failure::Setting(format!("`{other}` is not a name"))),
        Err(error) => Err(Failure::Setting(error.to_string())),
    }
}
