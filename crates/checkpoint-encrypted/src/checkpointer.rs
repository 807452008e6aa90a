//! The checkpointer around another.

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::{
    Capabilities, CheckpointError, CheckpointRow, Checkpointer, Commit, FieldOutline, FieldPayload, FieldRecord,
    HistoryFilter, JournalRow, Lease, Pruning, RecordRef, Stats, TaskRecord, TaskRecordKind, ThreadFilter, ThreadRow,
};

use crate::seal::Place;
use crate::{Encrypted, EncryptionError};

fn of_field(thread: &str, ns: &str, field: &str, version: u64) -> Place {
    let version = version.to_string();
    Place::new("value", &[("thread", thread), ("namespace", ns), ("field", field), ("version", &version)])
}

fn of_task(thread: &str, ns: &str, task: &str, kind: TaskRecordKind, key: &str) -> Place {
    let kind = match kind {
        TaskRecordKind::Once => "once",
        TaskRecordKind::Answer => "answer",
        TaskRecordKind::Write => "write",
        TaskRecordKind::Attempt => "attempt",
        TaskRecordKind::Replay => "replay",
    };
    Place::new("record", &[("thread", thread), ("namespace", ns), ("task", task), ("kind", kind), ("key", key)])
}

fn of_event(thread: &str, seq: u64) -> Place {
    Place::new("event", &[("thread", thread), ("number", &seq.to_string())])
}

fn of_detail(thread: &str) -> Place {
    Place::new("detail", &[("thread", thread)])
}

/// Ids of checkpoints are hashes of what was written, by which small values could be guessed.
fn of_id(thread: &str, ns: &str, number: u64) -> Place {
    Place::new("id", &[("thread", thread), ("namespace", ns), ("checkpoint", &number.to_string())])
}

impl<C> Encrypted<C> {
    fn seal_commit(&self, thread: &str, mut commit: Commit) -> Result<Commit, EncryptionError> {
        let ns = Arc::clone(&commit.ns);
        let seal_field = |record: RecordRef<'_>| {
            let RecordRef { field, version, previous, kind, bytes, .. } = record;
            let sealed = self.keys.seal(&of_field(thread, &ns, field, version), bytes)?;
            let (field, payload) = (Arc::clone(field), FieldPayload::new(sealed));
            Ok::<_, EncryptionError>(FieldRecord { field, version, previous, kind, payload })
        };
        let seal_event = |(seq, event): (u64, Cow<'_, [u8]>)| {
            let event = self.keys.seal(&of_event(thread, seq), &event)?.into();
            Ok::<_, EncryptionError>(JournalRow { seq, event })
        };
        let fields = commit.records().map(seal_field).collect::<Result<_, _>>()?;
        let journal = commit.events().map(seal_event).collect::<Result<_, _>>()?;
        (commit.fields, commit.journal, commit.step) = (fields, journal, None);
        for record in &mut commit.tasks {
            let place = of_task(thread, &ns, &record.task, record.kind, &record.key);
            record.payload = self.keys.seal(&place, &record.payload)?.into();
        }
        if let Some(row) = &mut commit.checkpoint {
            row.id = self.keys.seal_text(&of_id(thread, &ns, row.number), &row.id.text())?.into();
        }
        commit.thread = commit.thread.map(|row| self.seal_row(thread, row)).transpose()?;
        Ok(commit)
    }

    fn seal_row(&self, thread: &str, row: ThreadRow) -> Result<ThreadRow, EncryptionError> {
        Ok(ThreadRow { detail: self.keys.seal_text(&of_detail(thread), &row.detail)?, ..row })
    }

    fn open_row(&self, row: ThreadRow) -> Result<ThreadRow, EncryptionError> {
        Ok(ThreadRow { detail: self.keys.open_text(&of_detail(&row.thread), &row.detail)?, ..row })
    }

    fn open_checkpoint(&self, thread: &str, ns: &str, row: CheckpointRow) -> Result<CheckpointRow, EncryptionError> {
        Ok(CheckpointRow { id: self.keys.open_text(&of_id(thread, ns, row.number), &row.id.text())?.into(), ..row })
    }

    fn open_fields(
        &self,
        thread: &str,
        ns: &str,
        records: Vec<FieldRecord>,
    ) -> Result<Vec<FieldRecord>, EncryptionError> {
        let open = |record: FieldRecord| {
            let opened =
                self.keys.open(&of_field(thread, ns, &record.field, record.version), record.payload.bytes())?;
            Ok(FieldRecord { payload: FieldPayload::Inline(opened.into()), ..record })
        };
        records.into_iter().map(open).collect()
    }

    fn open_tasks(&self, thread: &str, ns: &str, records: Vec<TaskRecord>) -> Result<Vec<TaskRecord>, EncryptionError> {
        let open = |record: TaskRecord| {
            let place = of_task(thread, ns, &record.task, record.kind, &record.key);
            Ok(TaskRecord { payload: self.keys.open(&place, &record.payload)?.into(), ..record })
        };
        records.into_iter().map(open).collect()
    }
}

#[async_trait]
impl<C: Checkpointer> Checkpointer for Encrypted<C> {
    fn capabilities(&self) -> Capabilities {
        let mut capabilities = self.inner.capabilities();
        // A copy would have to be encrypted anew for its id, and equal values have unequal ciphertexts.
        capabilities.copy_thread = false;
        capabilities.shares_values = false;
        // Whatever the store inside takes, it gets rows.
        capabilities.compact_steps = true;
        capabilities
    }

    async fn acquire(&self, thread: &str) -> Result<Lease, CheckpointError> {
        self.inner.acquire(thread).await
    }

    fn release(&self, lease: &Lease) {
        self.inner.release(lease);
    }

    async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError> {
        let commit = self.seal_commit(&lease.thread, commit)?;
        self.inner.commit(lease, commit).await
    }

    async fn commit_all(&self, lease: &Lease, commits: Vec<Commit>) -> Result<(), CheckpointError> {
        let sealed = commits.into_iter().map(|commit| self.seal_commit(&lease.thread, commit));
        self.inner.commit_all(lease, sealed.collect::<Result<_, _>>()?).await
    }

    async fn thread(&self, thread: &str) -> Result<Option<ThreadRow>, CheckpointError> {
        Ok(self.inner.thread(thread).await?.map(|row| self.open_row(row)).transpose()?)
    }

    async fn threads(&self, filter: &ThreadFilter) -> Result<Vec<ThreadRow>, CheckpointError> {
        let rows = self.inner.threads(filter).await?.into_iter().map(|row| self.open_row(row));
        Ok(rows.collect::<Result<_, _>>()?)
    }

    async fn namespaces(&self, thread: &str) -> Result<Vec<String>, CheckpointError> {
        self.inner.namespaces(thread).await
    }

    async fn checkpoint(
        &self,
        thread: &str,
        ns: &str,
        number: Option<u64>,
    ) -> Result<Option<CheckpointRow>, CheckpointError> {
        let row = self.inner.checkpoint(thread, ns, number).await?;
        Ok(row.map(|row| self.open_checkpoint(thread, ns, row)).transpose()?)
    }

    async fn checkpoints(
        &self,
        thread: &str,
        ns: &str,
        filter: &HistoryFilter,
    ) -> Result<Vec<CheckpointRow>, CheckpointError> {
        let rows = self.inner.checkpoints(thread, ns, filter).await?.into_iter();
        Ok(rows.map(|row| self.open_checkpoint(thread, ns, row)).collect::<Result<_, _>>()?)
    }

    async fn field(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        Ok(self.open_fields(thread, ns, self.inner.field(thread, ns, field, version).await?)?)
    }

    async fn field_after(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
        known: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        Ok(self.open_fields(thread, ns, self.inner.field_after(thread, ns, field, version, known).await?)?)
    }

    async fn task_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError> {
        Ok(self.open_tasks(thread, ns, self.inner.task_records(thread, ns).await?)?)
    }

    async fn open_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError> {
        Ok(self.open_tasks(thread, ns, self.inner.open_records(thread, ns).await?)?)
    }

    async fn once_records(
        &self,
        thread: &str,
        ns: &str,
        tasks: &[Arc<str>],
    ) -> Result<Vec<TaskRecord>, CheckpointError> {
        Ok(self.open_tasks(thread, ns, self.inner.once_records(thread, ns, tasks).await?)?)
    }

    async fn journal(&self, thread: &str, after: u64, limit: usize) -> Result<Vec<JournalRow>, CheckpointError> {
        let rows = self.inner.journal(thread, after, limit).await?.into_iter().map(|row| {
            let event = self.keys.open(&of_event(thread, row.seq), &row.event.bytes())?.into();
            Ok::<_, EncryptionError>(JournalRow { event, ..row })
        });
        Ok(rows.collect::<Result<_, _>>()?)
    }

    async fn last_seq(&self, thread: &str) -> Result<u64, CheckpointError> {
        self.inner.last_seq(thread).await
    }

    async fn delete_thread(&self, thread: &str) -> Result<(), CheckpointError> {
        self.inner.delete_thread(thread).await
    }

    async fn outline(&self, thread: &str, ns: &str) -> Result<Vec<FieldOutline>, CheckpointError> {
        self.inner.outline(thread, ns).await
    }

    async fn prune(&self, lease: &Lease, mut pruning: Pruning) -> Result<(), CheckpointError> {
        pruning.thread = pruning.thread.map(|row| self.seal_row(&lease.thread, row)).transpose()?;
        self.inner.prune(lease, pruning).await
    }

    async fn stats(&self) -> Result<Stats, CheckpointError> {
        self.inner.stats().await
    }

    async fn compact(&self) -> Result<(), CheckpointError> {
        self.inner.compact().await
    }
}
