//! What cases are written with: rows to commit, a writer that knows its heads, and checks.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::BoxFuture;

use super::Ability;
use crate::checkpoint::{
    CheckpointError, CheckpointRow, Checkpointer, Commit, FieldPayload, FieldRecord, FieldVersions, HistoryFilter,
    JournalRow, Lease, RecordKind, Source, TaskRecord, TaskRecordKind, ThreadRow, ThreadStatus,
};

pub(super) type SharedStore = Arc<dyn Checkpointer>;
pub(super) type CaseResult = Result<(), CaseFailure>;

/// Why a case failed.
#[derive(Debug)]
pub(super) struct CaseFailure(pub(super) String);

impl CaseFailure {
    pub(super) fn new(mut message: String) -> Self {
        // Values may be large.
        if message.len() > 2000 {
            let end = (0..=2000).rev().find(|end| message.is_char_boundary(*end)).unwrap_or(0);
            message.truncate(end);
            message.push('…');
        }
        Self(message)
    }
}

impl From<CheckpointError> for CaseFailure {
    fn from(error: CheckpointError) -> Self {
        Self::new(format!("the store answers {error:?}: {error}"))
    }
}

impl From<crate::store::StoreError> for CaseFailure {
    fn from(error: crate::store::StoreError) -> Self {
        Self::new(format!("the store answers {error:?}: {error}"))
    }
}

/// One case, for a store without threads.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) ability: Ability,
    pub(super) run: fn(SharedStore) -> BoxFuture<'static, CaseResult>,
}

/// The cases of a file: functions by ability.
macro_rules! cases {
    ($($ability:ident: $($name:ident)+;)+) => {
        pub(super) const CASES: &[$crate::conformance::ground::Case] = &[$($(
            $crate::conformance::ground::Case {
                name: stringify!($name),
                ability: $crate::conformance::Ability::$ability,
                run: |store| Box::pin($name(store)),
            }
        ),+),+];
    };
}

/// Fails the case unless both are equal.
macro_rules! same {
    ($is:expr, $expected:expr) => {{
        let (is, expected) = (&$is, &$expected);
        if *is != *expected {
            return Err($crate::conformance::ground::CaseFailure::new(format!(
                "line {}: `{}` is {is:?}, expected {expected:?}",
                line!(),
                stringify!($is)
            )));
        }
    }};
}

/// Fails the case unless the expression matches.
macro_rules! matching {
    ($is:expr, $pattern:pat) => {{
        let is = &$is;
        if !matches!(is, $pattern) {
            return Err($crate::conformance::ground::CaseFailure::new(format!(
                "line {}: `{}` is {is:?}, expected {}",
                line!(),
                stringify!($is),
                stringify!($pattern)
            )));
        }
    }};
}

pub(super) use {cases, matching, same};

/// A thread's row as a run writes it.
pub(super) fn row(graph: &str, status: ThreadStatus) -> ThreadRow {
    ThreadRow {
        thread: "".into(),
        graph: graph.to_owned(),
        graph_version: 3,
        status,
        detail: "d".to_owned(),
        created: 10,
        updated: 20,
        epoch: 0,
        owner: String::new(),
    }
}

/// Versions of all fields but one.
pub(super) fn without<'a>(versions: &'a FieldVersions, field: &'a str) -> impl Iterator<Item = (Arc<str>, u64)> + 'a {
    versions.iter().filter(move |(known, _)| &***known != field).map(|(known, version)| (Arc::clone(known), version))
}

/// A checkpoint of a chain, without fields.
pub(super) fn checkpoint(number: u64) -> CheckpointRow {
    CheckpointRow {
        number,
        parent: number.checked_sub(1).filter(|parent| *parent > 0),
        id: format!("id-{number}").into(),
        step: number * 2,
        source: if number == 1 { Source::Input } else { Source::Step },
        time: 1000 + number,
        executed: number * 3,
        fields: FieldVersions::default(),
        state_version: 7,
    }
}

/// A commit that moves the root namespace from the checkpoint before.
pub(super) fn step(number: u64) -> Commit {
    Commit {
        expected_head: number.checked_sub(1).filter(|head| *head > 0),
        checkpoint: Some(checkpoint(number)),
        ..Commit::default()
    }
}

/// The first commit of a thread.
pub(super) fn first() -> Commit {
    Commit { thread: Some(row("g", ThreadStatus::Running)), ..step(1) }
}

pub(super) fn whole(field: &str, version: u64, bytes: &[u8]) -> FieldRecord {
    let payload = FieldPayload::new(bytes.to_vec());
    FieldRecord { field: field.into(), version, previous: None, kind: RecordKind::Whole, payload }
}

pub(super) fn delta(field: &str, version: u64, previous: Option<u64>, bytes: &[u8]) -> FieldRecord {
    FieldRecord { previous, kind: RecordKind::Delta, ..whole(field, version, bytes) }
}

pub(super) fn task(task: &str, kind: TaskRecordKind, key: &str, payload: &[u8]) -> TaskRecord {
    TaskRecord { task: task.into(), kind, key: key.into(), payload: payload.into() }
}

pub(super) fn events(numbers: impl IntoIterator<Item = u64>) -> Vec<JournalRow> {
    numbers.into_iter().map(|seq| JournalRow { seq, event: format!("{{\"n\":{seq}}}").into_bytes().into() }).collect()
}

/// A lease that knows its heads, so that a case says only what it is about.
pub(super) struct StoreWriter {
    pub(super) store: SharedStore,
    pub(super) lease: Lease,
    heads: BTreeMap<Arc<str>, CheckpointRow>,
    begun: bool,
}

impl StoreWriter {
    /// Takes a thread that is new or whose heads do not matter.
    pub(super) async fn open(store: &SharedStore, thread: &str) -> Result<Self, CaseFailure> {
        let lease = store.acquire(thread).await?;
        let begun = store.thread(thread).await?.is_some();
        Ok(Self { store: Arc::clone(store), lease, heads: BTreeMap::new(), begun })
    }

    /// The next checkpoint of a namespace: the fields of the one before, at their versions or at that of a new record.
    pub(super) async fn put(&mut self, ns: &str, fields: Vec<FieldRecord>) -> Result<CheckpointRow, CaseFailure> {
        self.put_with(ns, fields, |_| {}).await
    }

    /// As [`put`](Self::put), with something more in the commit.
    pub(super) async fn put_with(
        &mut self,
        ns: &str,
        fields: Vec<FieldRecord>,
        change: impl FnOnce(&mut Commit),
    ) -> Result<CheckpointRow, CaseFailure> {
        let before = self.heads.get(ns);
        let number = before.map_or(1, |row| row.number + 1);
        let mut versions = before.map(|row| row.fields.clone()).unwrap_or_default();
        for record in &fields {
            versions = without(&versions, &record.field).chain([(Arc::clone(&record.field), record.version)]).collect();
        }
        let row = CheckpointRow { fields: versions, ..checkpoint(number) };
        let mut commit = Commit {
            ns: ns.into(),
            expected_head: before.map(|row| row.number),
            checkpoint: Some(row),
            fields,
            thread: (!self.begun).then(|| self::row("g", ThreadStatus::Running)),
            ..Commit::default()
        };
        change(&mut commit);
        let row = commit.checkpoint.clone().unwrap_or_else(|| checkpoint(number));
        self.store.commit(&self.lease, commit).await?;
        self.begun = true;
        self.heads.insert(ns.into(), row.clone());
        Ok(row)
    }

    /// So many checkpoints, each with a value of the field `x`.
    pub(super) async fn chain(&mut self, ns: &str, count: u64) -> Result<(), CaseFailure> {
        for _ in 0..count {
            let number = self.heads.get(ns).map_or(1, |row| row.number + 1);
            self.put(ns, vec![whole("x", number, format!("{ns}{number}").as_bytes())]).await?;
        }
        Ok(())
    }

    /// Records of tasks in a namespace, without a checkpoint.
    pub(super) async fn tasks(&self, ns: &str, tasks: Vec<TaskRecord>) -> Result<(), CaseFailure> {
        Ok(self.store.commit(&self.lease, Commit { ns: ns.into(), tasks, ..Commit::default() }).await?)
    }

    /// Gives the lease back within a commit.
    pub(super) async fn close(self) -> Result<(), CaseFailure> {
        Ok(self.store.commit(&self.lease, Commit { release: true, ..Commit::default() }).await?)
    }
}

/// The numbers of a namespace's checkpoints, newest first.
pub(super) async fn numbers(store: &SharedStore, thread: &str, ns: &str) -> Result<Vec<u64>, CaseFailure> {
    let rows = store.checkpoints(thread, ns, &HistoryFilter::default()).await?;
    Ok(rows.iter().map(|row| row.number).collect())
}

/// The bytes of a field's records at a version, one after the other.
pub(super) async fn value(
    store: &SharedStore,
    thread: &str,
    ns: &str,
    field: &str,
    version: u64,
) -> Result<Vec<u8>, CaseFailure> {
    let chain = store.field(thread, ns, field, version).await?;
    Ok(chain.iter().flat_map(|record| record.payload.bytes()).copied().collect())
}
