//! A step in compact form is read as its rows. A store that does not take it so gets the rows, as from a run.

use std::sync::Arc;

use super::ground::{CaseResult, SharedStore, cases, checkpoint, events, first, matching, row, same, task, whole};
use crate::checkpoint::{
    CheckpointError, CheckpointRow, Commit, CompactStep, FieldVersions, HistoryFilter, JournalRow, StepNames,
    TaskRecordKind, ThreadStatus,
};

cases! {
    Base:
        a_step_in_compact_form_is_read_as_its_rows
        a_step_in_compact_form_may_come_with_all_that_a_commit_holds
        a_step_in_compact_form_is_refused_as_its_rows_are
        steps_in_compact_form_are_given_together_with_others;
}

/// Steps of two fields and two nodes in a namespace.
struct StepSeries {
    names: Arc<StepNames>,
    versions: [u64; 3],
}

impl StepSeries {
    fn of(ns: &str) -> Self {
        let fields = ["text", "log", "#frontier"].map(Arc::from).into();
        let nodes = ["left", "right"].map(Arc::from).into();
        Self { names: Arc::new(StepNames { ns: ns.into(), base: ns.into(), fields, nodes }), versions: [1; 3] }
    }

    fn row(&self, number: u64) -> CheckpointRow {
        let fields = self.names.fields.iter().map(Arc::clone).zip(self.versions);
        let (id, fields) = (u128::from(number).into(), FieldVersions::from_iter(fields));
        CheckpointRow { id, fields, step: number, executed: number, ..checkpoint(number) }
    }

    /// The checkpoint that the first step follows, as rows.
    fn begin(&self, seq: u64) -> Commit {
        let fields = ["text", "log", "#frontier"].map(|field| whole(field, 1, field.as_bytes())).into();
        let begun = Commit { ns: Arc::clone(&self.names.ns), fields, journal: events([seq]), ..first() };
        Commit { checkpoint: Some(self.row(1)), ..begun }
    }

    /// A step between the nodes in turn, which writes the text or adds to the log, or both, or neither.
    fn step(&mut self, number: u64, seq: u64) -> Commit {
        let mut fields = Vec::new();
        let text = "t".repeat(number as usize % 50);
        if number.is_multiple_of(2) {
            fields.push((0, None, text.as_bytes()));
            self.versions[0] = number;
        }
        if number.is_multiple_of(3) {
            fields.push((1, Some(self.versions[1]), &[7, 8]));
            self.versions[1] = number;
        }
        self.versions[2] = number;
        let (node, next) = ((number % 2) as u32, (!number.is_multiple_of(9)).then_some((number as u32 + 1) % 2));
        let step = CompactStep::with(&self.names, (number, seq), (node, next), number.is_multiple_of(10), &fields);
        Commit {
            ns: Arc::clone(&self.names.ns),
            expected_head: Some(number - 1),
            checkpoint: Some(self.row(number)),
            step: Some(step),
            ..Commit::default()
        }
    }
}

/// The commit as a run hands it over.
fn handed(store: &SharedStore, commit: Commit) -> Commit {
    if store.capabilities().compact_steps { commit } else { commit.into_rows() }
}

/// Fails unless two threads of a store read the same.
async fn same_threads(store: &SharedStore) -> CaseResult {
    same!(store.namespaces("compact").await?, store.namespaces("rows").await?);
    for ns in store.namespaces("rows").await? {
        let rows = store.checkpoints("rows", &ns, &HistoryFilter::default()).await?;
        same!(store.checkpoints("compact", &ns, &HistoryFilter::default()).await?, rows);
        for row in rows {
            same!(store.checkpoint("compact", &ns, Some(row.number)).await?, Some(row.clone()));
            for (field, version) in row.fields.iter() {
                let records = store.field("rows", &ns, field, version).await?;
                same!(store.field("compact", &ns, field, version).await?, records);
            }
        }
        same!(store.task_records("compact", &ns).await?, store.task_records("rows", &ns).await?);
    }
    let journal = store.journal("rows", 0, usize::MAX).await?;
    same!(store.journal("compact", 0, usize::MAX).await?, journal);
    same!(store.last_seq("compact").await?, journal.last().map_or(0, |row| row.seq));
    let told = |row: Option<crate::checkpoint::ThreadRow>| row.map(|row| (row.status, row.detail, row.epoch));
    same!(told(store.thread("compact").await?), told(store.thread("rows").await?));
    Ok(())
}

/// Writes commits to one thread as they are, and to another as rows.
async fn write_both(store: &SharedStore, commits: Vec<Commit>) -> CaseResult {
    let (compact, rows) = (store.acquire("compact").await?, store.acquire("rows").await?);
    for commit in commits {
        store.commit(&compact, handed(store, commit.clone())).await?;
        store.commit(&rows, commit.into_rows()).await?;
    }
    store.release(&compact);
    store.release(&rows);
    Ok(())
}

async fn a_step_in_compact_form_is_read_as_its_rows(store: SharedStore) -> CaseResult {
    let (mut root, mut child) = (StepSeries::of(""), StepSeries::of("child:1.0"));
    let mut commits = vec![root.begin(1), Commit { thread: None, ..child.begin(2) }];
    let mut seq = 2;
    for number in 2..=300 {
        // Sequence numbers may leave some out.
        seq += 1 + u64::from(number == 70);
        let commit = root.step(number, seq);
        commits.push(if number % 100 == 50 { commit.into_rows() } else { commit });
        if number <= 20 {
            seq += 1;
            commits.push(child.step(number, seq));
        }
    }
    let of_rows = commits.iter().flat_map(|commit| commit.clone().into_rows().fields).count();
    same!(commits.iter().flat_map(Commit::records).count(), of_rows);
    write_both(&store, commits).await?;
    same_threads(&store).await
}

async fn a_step_in_compact_form_may_come_with_all_that_a_commit_holds(store: SharedStore) -> CaseResult {
    let mut steps = StepSeries::of("");
    let told = |seq| events([seq]).remove(0);
    let begun = Commit { tasks: vec![task("left:1.0", TaskRecordKind::Attempt, "", b"1")], ..steps.begin(1) };
    let around = Commit {
        tasks: vec![task("right:2.0", TaskRecordKind::Once, "k", b"r")],
        settled: vec!["left:1.0".into()],
        journal: vec![told(2), told(4)],
        thread: Some(row("g", ThreadStatus::Running)),
        ..steps.step(2, 3)
    };
    // Its event is among the rows of the journal.
    let elsewhere = Commit { journal: vec![JournalRow { seq: 6, ..told(5) }], ..steps.step(3, 0) };
    let done = Commit {
        journal: vec![told(8)],
        thread: Some(row("g", ThreadStatus::Done)),
        release: true,
        ..steps.step(4, 7)
    };
    write_both(&store, vec![begun, around, elsewhere, done]).await?;
    same_threads(&store).await?;
    let seqs: Vec<_> = store.journal("compact", 0, 10).await?.iter().map(|row| row.seq).collect();
    same!(seqs, [1, 2, 3, 4, 6, 7, 8]);
    same!(store.task_records("compact", "").await?, [task("right:2.0", TaskRecordKind::Once, "k", b"r")]);
    same!(store.thread("compact").await?.map(|row| row.owner), Some(String::new()));
    // The first commit of the next run claims the thread.
    write_both(&store, vec![steps.step(5, 9), steps.step(6, 10)]).await?;
    same_threads(&store).await
}

async fn a_step_in_compact_form_is_refused_as_its_rows_are(store: SharedStore) -> CaseResult {
    let mut steps = StepSeries::of("");
    let lease = store.acquire("a").await?;
    let unknown = store.commit(&lease, handed(&store, steps.step(2, 1))).await;
    matching!(unknown, Err(CheckpointError::UnknownThread { .. } | CheckpointError::StaleHead { .. }));
    let mut steps = StepSeries::of("");
    store.commit(&lease, steps.begin(1)).await?;
    for number in 2..=4 {
        store.commit(&lease, handed(&store, steps.step(number, number))).await?;
    }
    let mut refused = vec![Commit { expected_head: Some(3), ..steps.step(5, 5) }, steps.step(4, 5), steps.step(5, 4)];
    refused.push(Commit { ns: "child:1.0".into(), ..StepSeries::of("child:1.0").step(2, 5) });
    for commit in refused {
        let number = commit.checkpoint.as_ref().map(|row| row.number);
        let answer = store.commit(&lease, handed(&store, commit)).await;
        matching!(answer, Err(CheckpointError::StaleHead { .. }));
        same!((number, store.last_seq("a").await?), (number, 4));
        same!(store.checkpoint("a", "", None).await?.map(|row| row.number), Some(4));
        matching!(store.field("a", "", "#frontier", 5).await, Err(CheckpointError::Corrupt { .. }));
    }
    store.release(&lease);
    let answer = store.commit(&lease, handed(&store, steps.step(5, 5))).await;
    matching!(answer, Err(CheckpointError::StaleHead { .. }));
    Ok(())
}

async fn steps_in_compact_form_are_given_together_with_others(store: SharedStore) -> CaseResult {
    let (mut root, mut child) = (StepSeries::of(""), StepSeries::of("child:1.0"));
    let mut commits = vec![root.begin(1), Commit { thread: None, ..child.begin(2) }];
    commits.extend([root.step(2, 3), child.step(2, 4), root.step(3, 5).into_rows(), root.step(4, 6), child.step(3, 7)]);
    let (compact, rows) = (store.acquire("compact").await?, store.acquire("rows").await?);
    store.commit_all(&compact, commits.iter().map(|commit| handed(&store, commit.clone())).collect()).await?;
    store.commit_all(&rows, commits.into_iter().map(Commit::into_rows).collect()).await?;
    same_threads(&store).await
}
