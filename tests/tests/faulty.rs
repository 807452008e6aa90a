//! The conformance cases notice stores that break a promise.

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::{
    Capabilities, CheckpointError, CheckpointRow, Checkpointer, CheckpointerLayer, Commit, FieldPayload, FieldRecord,
    HistoryFilter, Lease, MemoryCheckpointer, Pruning, TaskRecord, ThreadRow,
};
use graphloom_core_graph::conformance;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    MovesAnyHead,
    KeepsSettledRecords,
    LosesJournalRows,
    LosesCompactSteps,
    ListsOldestFirst,
    MixesNamespaces,
    CutsLongValues,
    StopsChainsEarly,
    PrunesNothing,
    PrunesTheHead,
    DeletesNothing,
    CopiesNothing,
    ForgetsWhatMadeIt,
    HidesAnAbility,
    PanicsOnUnknownThreads,
}

const ALL: [Fault; 15] = [
    Fault::MovesAnyHead,
    Fault::KeepsSettledRecords,
    Fault::LosesJournalRows,
    Fault::LosesCompactSteps,
    Fault::ListsOldestFirst,
    Fault::MixesNamespaces,
    Fault::CutsLongValues,
    Fault::StopsChainsEarly,
    Fault::PrunesNothing,
    Fault::PrunesTheHead,
    Fault::DeletesNothing,
    Fault::CopiesNothing,
    Fault::ForgetsWhatMadeIt,
    Fault::HidesAnAbility,
    Fault::PanicsOnUnknownThreads,
];

/// A store with one fault.
struct Faulty {
    store: MemoryCheckpointer,
    fault: Fault,
}

#[async_trait]
impl CheckpointerLayer for Faulty {
    fn inner(&self) -> &dyn Checkpointer {
        &self.store
    }

    fn capabilities(&self) -> Capabilities {
        let mut capabilities = self.store.capabilities();
        capabilities.stats = self.fault != Fault::HidesAnAbility;
        capabilities
    }
    async fn commit(&self, lease: &Lease, mut commit: Commit) -> Result<(), CheckpointError> {
        match self.fault {
            Fault::MovesAnyHead if commit.checkpoint.is_some() => {
                let head = self.store.checkpoint(&lease.thread, &commit.ns, None).await?;
                commit.expected_head = head.map(|head| head.number);
            }
            Fault::KeepsSettledRecords => commit.settled.clear(),
            Fault::LosesJournalRows => drop(commit.journal.pop()),
            Fault::LosesCompactSteps => commit.step = None,
            _ => {}
        }
        self.store.commit(lease, commit).await
    }
    async fn thread(&self, thread: &str) -> Result<Option<ThreadRow>, CheckpointError> {
        let row = self.store.thread(thread).await?;
        assert!(row.is_some() || self.fault != Fault::PanicsOnUnknownThreads, "a faulty store");
        Ok(row)
    }
    async fn checkpoint(
        &self,
        thread: &str,
        ns: &str,
        number: Option<u64>,
    ) -> Result<Option<CheckpointRow>, CheckpointError> {
        let row = self.store.checkpoint(thread, ns, number).await?;
        let executed = |row: CheckpointRow| CheckpointRow { executed: 0, ..row };
        Ok(if self.fault == Fault::ForgetsWhatMadeIt { row.map(executed) } else { row })
    }
    async fn checkpoints(
        &self,
        thread: &str,
        ns: &str,
        filter: &HistoryFilter,
    ) -> Result<Vec<CheckpointRow>, CheckpointError> {
        let mut rows = self.store.checkpoints(thread, ns, filter).await?;
        if self.fault == Fault::ListsOldestFirst {
            rows.reverse();
        }
        Ok(rows)
    }
    async fn field(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        let mut chain = self.store.field(thread, ns, field, version).await?;
        match self.fault {
            Fault::StopsChainsEarly if chain.len() > 2 => drop(chain.remove(0)),
            Fault::CutsLongValues => {
                for record in &mut chain {
                    let bytes = record.payload.bytes();
                    record.payload = FieldPayload::Inline(bytes[..bytes.len().min(60_000)].into());
                }
            }
            _ => {}
        }
        Ok(chain)
    }
    async fn task_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError> {
        let ns = if self.fault == Fault::MixesNamespaces { "" } else { ns };
        self.store.task_records(thread, ns).await
    }
    async fn delete_thread(&self, thread: &str) -> Result<(), CheckpointError> {
        if self.fault == Fault::DeletesNothing { Ok(()) } else { self.store.delete_thread(thread).await }
    }
    async fn copy_thread(&self, from: &str, to: &str) -> Result<(), CheckpointError> {
        if self.fault == Fault::CopiesNothing { Ok(()) } else { self.store.copy_thread(from, to).await }
    }
    async fn prune(&self, lease: &Lease, mut pruning: Pruning) -> Result<(), CheckpointError> {
        match self.fault {
            Fault::PrunesNothing => return Ok(()),
            Fault::PrunesTheHead => pruning.cuts.iter_mut().for_each(|cut| cut.whole = true),
            _ => {}
        }
        self.store.prune(lease, pruning).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fault_is_noticed() {
    for fault in ALL {
        let report = conformance::run(async || Faulty { store: MemoryCheckpointer::new(), fault }).await;
        assert!(!report.is_green(), "{fault:?} is not noticed");
        let (failed, all) = (report.failures().count(), report.cases.len());
        assert!(failed < all, "{fault:?}: cases fail that have nothing to do with it: {report}");
        assert!(report.to_string().contains("FAILED"), "{report}");
    }
}
