//! The floor of the SQLite store: the rows of its commits, written by plain rusqlite in the same transactions.
//!
//! Nothing is checked or read back, and everything that can be known before is: rows are encoded, ids are numbers, and
//! every statement is prepared once.

use std::path::Path;
use std::sync::Arc;

use graphloom_core_graph::checkpoint::{
    CheckpointRow, Commit, FieldPayload, FieldRecord, Lease, RecordKind, ThreadRow,
};
use rusqlite::{Connection, ToSql};
use serde::Serialize;

use super::cost::{Clock, Cost};
use super::place::{Place, Store};
use super::recorder::GroupedCommits;
use crate::Failure;

/// The store's own tables.
const TABLES: &str = include_str!("../../../crates/checkpoint-sqlite/src/database/schema.sql");
const THREAD: &str =
    "INSERT INTO threads (id, thread, graph, graph_version, status, detail, created, updated, epoch, holder, written)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
    ON CONFLICT (id) DO UPDATE SET status = excluded.status, detail = excluded.detail, updated = excluded.updated,
        epoch = excluded.epoch, holder = excluded.holder, written = excluded.written";
const HEAD: &str = "INSERT INTO heads (id, thread, ns, number) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (id) DO UPDATE SET number = coalesce(excluded.number, number)";
const CHECKPOINT: &str =
    "INSERT INTO checkpoints (head, number, parent, id, step, source, time, executed, fields, state_version)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
const FIELD: &str = "INSERT OR REPLACE INTO fields (head, field, version, previous, whole, payload, blob) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
const BLOB: &str = "INSERT OR IGNORE INTO blobs (hash, bytes) VALUES (?1, ?2)";
const RECORD: &str = "INSERT OR REPLACE INTO task_records (head, task, kind, key, payload) VALUES (?1, ?2, ?3, ?4, ?5)";
const SETTLED: &str = "DELETE FROM task_records WHERE head = ?1 AND task = ?2 AND kind <> 'once'";
const NAME: &str = "INSERT INTO names (id, name) VALUES (?1, ?2)";
const EVENT: &str = "INSERT INTO journal (thread, seq, event) VALUES (?1, ?2, ?3)";

/// Boxes what a statement binds.
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$(Box::new($value) as Box<dyn ToSql + Send + Sync>),*] };
}

type Values = Vec<Box<dyn ToSql + Send + Sync>>;

/// The statements of commits that were written together, with what they bind.
type Transaction = Vec<(&'static str, Values)>;

/// Commits of a shape as plain rows.
pub(crate) struct PlainRows {
    place: Arc<Place>,
    store: Store,
    units: u64,
    shared: bool,
    transactions: Vec<Transaction>,
}

impl PlainRows {
    /// The rows of recorded commits, which `units` made: in a transaction for each, or in one for all that were asked for
    /// together.
    pub(crate) fn new(
        place: &Arc<Place>,
        store: Store,
        units: u64,
        commits: &[GroupedCommits],
        shared: bool,
    ) -> Result<Self, Failure> {
        let mut ids = Ids::default();
        let mut transactions = Vec::new();
        for (lease, commits) in commits {
            for commits in commits.chunks(if shared { commits.len().max(1) } else { 1 }) {
                let rows = commits.iter().map(|commit| ids.rows(lease, commit)).collect::<Result<Vec<_>, _>>()?;
                transactions.push(rows.into_iter().flatten().collect());
            }
        }
        Ok(Self { place: Arc::clone(place), store, units, shared, transactions })
    }

    /// Whether commits share transactions as they did in the store.
    pub(super) fn is_shared(&self) -> bool {
        self.shared
    }

    /// Transactions.
    pub(crate) fn len(&self) -> usize {
        self.transactions.len()
    }

    /// Writes everything into a new file.
    pub(super) fn cost(&self) -> Result<Cost, Failure> {
        let file = self.place.file();
        let connection = Connection::open(&file)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", if self.store == Store::Full { "FULL" } else { "NORMAL" })?;
        connection.set_prepared_statement_cache_capacity(64);
        connection.execute_batch(TABLES)?;
        let clock = Clock::start();
        for transaction in &self.transactions {
            connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
            for (statement, values) in transaction {
                let values = values.iter().map(|value| &**value as &dyn ToSql);
                connection.prepare_cached(statement)?.execute(rusqlite::params_from_iter(values))?;
            }
            connection.prepare_cached("COMMIT")?.execute([])?;
        }
        Ok(clock.cost(self.units))
    }

    /// Fails unless the plain rows are as many as the store's, table by table.
    pub(crate) fn check_against(&self, stored: &Path) -> Result<(), Failure> {
        let file = self.place.file();
        let connection = Connection::open(&file)?;
        connection.execute_batch(TABLES)?;
        connection.execute_batch("BEGIN")?;
        for (statement, values) in self.transactions.iter().flatten() {
            let values = values.iter().map(|value| &**value as &dyn ToSql);
            connection.prepare_cached(statement)?.execute(rusqlite::params_from_iter(values))?;
        }
        connection.execute_batch("COMMIT")?;
        let stored = Connection::open(stored)?;
        for table in ["threads", "heads", "names", "checkpoints", "fields", "blobs", "task_records", "journal"] {
            let count = format!("SELECT count(*) FROM {table}");
            let rows = |connection: &Connection| connection.query_row(&count, [], |row| row.get::<_, u64>(0));
            let (plain, stored) = (rows(&connection)?, rows(&stored)?);
            if plain != stored {
                return Err(format!("the floor has {plain} rows in `{table}`, the store {stored}").into());
            }
        }
        Ok(())
    }
}

/// The numbers that the store gives to threads, namespaces and names of fields.
#[derive(Default)]
struct Ids {
    names: Vec<Arc<str>>,
    threads: Vec<Arc<str>>,
    heads: Vec<(i64, Arc<str>)>,
    written: i64,
}

impl Ids {
    fn rows(&mut self, lease: &Lease, commit: &Commit) -> Result<Transaction, Failure> {
        let mut rows = Transaction::new();
        let thread = place_of(&mut self.threads, Arc::clone(&lease.thread));
        let owner = if commit.release { "" } else { &*lease.owner };
        if let Some(row) = &commit.thread {
            self.written += 1;
            rows.push((THREAD, thread_values(row, lease, thread, owner, self.written)?));
        }
        let touches = commit.checkpoint.is_some()
            || !commit.fields.is_empty()
            || !commit.tasks.is_empty()
            || !commit.settled.is_empty();
        if touches {
            let head = place_of(&mut self.heads, (thread, Arc::clone(&commit.ns)));
            let number = commit.checkpoint.as_ref().map(|row| row.number);
            rows.push((HEAD, values!(head, thread, text(&commit.ns), number)));
            if let Some(row) = &commit.checkpoint {
                let fields: Vec<_> =
                    row.fields.iter().map(|(field, version)| (self.name(field, &mut rows), version)).collect();
                rows.push((CHECKPOINT, checkpoint_values(row, head, &fields)?));
            }
            for record in &commit.fields {
                if let FieldPayload::Blob(blob) = &record.payload {
                    rows.push((BLOB, values!(text(&blob.hash), blob.bytes.to_vec())));
                }
                let field = self.name(&record.field, &mut rows);
                rows.push((FIELD, field_values(record, head, field)));
            }
            for record in &commit.tasks {
                let kind = word(&record.kind)?;
                rows.push((
                    RECORD,
                    values!(head, text(&record.task), kind, text(&record.key), record.payload.to_vec()),
                ));
            }
            rows.extend(commit.settled.iter().map(|task| (SETTLED, values!(head, text(task)))));
        }
        rows.extend(commit.journal.iter().map(|row| (EVENT, values!(thread, row.seq, row.event.bytes().into_owned()))));
        Ok(rows)
    }

    fn name(&mut self, name: &Arc<str>, rows: &mut Transaction) -> i64 {
        let known = self.names.len();
        let id = place_of(&mut self.names, Arc::clone(name));
        if self.names.len() > known {
            rows.push((NAME, values!(id, text(name))));
        }
        id
    }
}

fn thread_values(row: &ThreadRow, lease: &Lease, id: i64, owner: &str, written: i64) -> Result<Values, Failure> {
    Ok(values!(
        id,
        text(&lease.thread),
        row.graph.clone(),
        row.graph_version,
        word(&row.status)?,
        row.detail.clone(),
        row.created,
        row.updated,
        lease.epoch,
        owner.to_owned(),
        written,
    ))
}

fn checkpoint_values(row: &CheckpointRow, head: i64, fields: &[(i64, u64)]) -> Result<Values, Failure> {
    let mut packed = Vec::new();
    for (name, version) in fields {
        pack(&mut packed, name.unsigned_abs());
        pack(&mut packed, row.number - version);
    }
    Ok(values!(
        head,
        row.number,
        row.parent,
        row.id.hash().unwrap_or_default().to_vec(),
        row.step,
        word(&row.source)?,
        row.time,
        row.executed,
        packed,
        row.state_version,
    ))
}

/// A number in base 128, the low digits first.
fn pack(bytes: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        bytes.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    bytes.push(value.to_le_bytes()[0]);
}

fn field_values(record: &FieldRecord, head: i64, field: i64) -> Values {
    let (payload, blob) = match &record.payload {
        FieldPayload::Inline(bytes) => (Some(bytes.to_vec()), None),
        FieldPayload::Blob(blob) => (None, Some(text(&blob.hash))),
    };
    let whole = record.kind == RecordKind::Whole;
    values!(head, field, record.version, record.previous, whole, payload, blob)
}

fn text(text: &str) -> String {
    text.to_owned()
}

/// The number of a key, counted from one in the order of first use.
fn place_of<T: PartialEq>(keys: &mut Vec<T>, key: T) -> i64 {
    let at = keys.iter().position(|known| *known == key).unwrap_or_else(|| {
        keys.push(key);
        keys.len() - 1
    });
    i64::try_from(at).unwrap_or_default() + 1
}

/// The serialised name of a status, source or kind.
fn word<T: Serialize>(variant: &T) -> Result<String, Failure> {
    match serde_json::to_value(variant)? {
        serde_json::Value::String(word) => Ok(word),
        other => Err(format!("`{other}` is not a name").into()),
    }
}

impl std::fmt::Debug for PlainRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlainRows").field("transactions", &self.transactions.len()).finish_non_exhaustive()
    }
}
