//! Pruning, and taking runs back.

use std::sync::Arc;
use std::time::Duration;

use super::ground::{
    CaseFailure, CaseResult, SharedStore, StoreWriter, cases, checkpoint, delta, events, first, matching, numbers, row,
    same, step, task, value, whole,
};
use crate::checkpoint::{
    CheckpointError, CheckpointRow, Commit, Cut, FieldOutline, JournalRow, Pruning, RecordKind, Retention, Source,
    TaskRecordKind, ThreadRow, ThreadStatus, delete_runs, runs,
};

cases! {
    Prune:
        only_the_latest_checkpoint_is_kept
        every_thread_keeps_its_latest
        every_namespace_keeps_its_latest
        records_of_the_latest_are_kept
        old_checkpoints_go_by_age
        checkpoints_go_by_size
        pruning_leaves_other_threads_alone
        a_retention_without_limits_removes_nothing
        pruning_what_is_not_there_is_told
        a_chain_is_kept_as_far_as_it_is_read
        a_branch_keeps_what_it_shares
        an_outline_tells_every_record
        the_head_is_never_cut
        a_pruned_thread_goes_on
        a_pruning_claims_its_thread
        a_pruning_that_is_refused_removes_nothing
        namespaces_go_as_a_whole
        the_journal_keeps_its_newest_row
        one_run_is_taken_back
        several_runs_are_taken_back
        other_runs_are_left_alone
        task_records_of_a_run_go_with_it
        taking_back_nothing_changes_nothing
        taking_back_what_is_not_there_changes_nothing
        a_run_is_taken_back_in_every_namespace
        a_checkpoint_belongs_to_the_run_that_made_it;
    DeleteThread:
        a_thread_is_removed_as_a_whole;
}

/// A thread that nobody holds, with so many checkpoints.
async fn chain(store: &SharedStore, thread: &str, count: u64) -> CaseResult {
    let mut writer = StoreWriter::open(store, thread).await?;
    writer.chain("", count).await?;
    writer.close().await
}

async fn keep(store: &SharedStore, thread: &str, last: u64) -> Result<u64, CaseFailure> {
    Ok(Retention::default().keep_last(last).prune(&**store, thread, 0).await?.checkpoints)
}

async fn only_the_latest_checkpoint_is_kept(store: SharedStore) -> CaseResult {
    chain(&store, "a", 4).await?;
    same!(keep(&store, "a", 1).await?, 3);
    same!(numbers(&store, "a", "").await?, [4]);
    same!(value(&store, "a", "", "x", 4).await?, b"4");
    matching!(store.field("a", "", "x", 3).await, Err(CheckpointError::Corrupt { .. }));
    Ok(())
}

async fn every_thread_keeps_its_latest(store: SharedStore) -> CaseResult {
    for (thread, count) in [("a", 3), ("b", 2)] {
        chain(&store, thread, count).await?;
        keep(&store, thread, 1).await?;
        same!(numbers(&store, thread, "").await?, [count]);
    }
    Ok(())
}

async fn every_namespace_keeps_its_latest(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.chain("", 3).await?;
    writer.chain("child:1.0", 2).await?;
    writer.close().await?;
    same!(keep(&store, "a", 1).await?, 3);
    same!(numbers(&store, "a", "").await?, [3]);
    same!(numbers(&store, "a", "child:1.0").await?, [2]);
    same!(value(&store, "a", "child:1.0", "x", 2).await?, b"child:1.02");
    Ok(())
}

async fn records_of_the_latest_are_kept(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.chain("", 2).await?;
    let pending = frontier(&store, &mut writer, "n", 1).await?;
    let kept = vec![
        task(&pending, TaskRecordKind::Write, "", b"w"),
        task(&pending, TaskRecordKind::Once, "k", b"r"),
        task(&format!("{pending}/inner:1.0"), TaskRecordKind::Answer, "q", b"a"),
    ];
    let gone = task("old:0.0", TaskRecordKind::Once, "k", b"r");
    writer.tasks("", [kept.clone(), vec![gone]].concat()).await?;
    writer.close().await?;
    keep(&store, "a", 1).await?;
    same!(store.task_records("a", "").await?, kept);
    // What the task was dispatched on stays as well.
    same!(numbers(&store, "a", "").await?, [3, 1]);
    Ok(())
}

/// A checkpoint with one unfinished task of a node, in the runtime's own form; answers the task's id.
async fn frontier(store: &SharedStore, writer: &mut StoreWriter, node: &str, seen: u64) -> Result<String, CaseFailure> {
    let number = numbers(store, &writer.lease.thread, "").await?.first().map_or(1, |newest| newest + 1);
    let delta =
        crate::record::pending_frontier(node, number, Some(seen)).map_err(|e| CaseFailure::new(e.to_string()))?;
    writer.put("", vec![whole(crate::record::FRONTIER, number, &delta)]).await?;
    Ok(format!("{node}:{number}.0"))
}

async fn old_checkpoints_go_by_age(store: SharedStore) -> CaseResult {
    chain(&store, "a", 6).await?;
    // The fixtures' checkpoints were made at 1001, 1002 and so on.
    let retention = Retention::default().max_age(Duration::from_millis(2));
    same!(retention.prune(&*store, "a", 1006).await?.checkpoints, 3);
    same!(numbers(&store, "a", "").await?, [6, 5, 4]);
    same!(retention.prune(&*store, "a", u64::MAX).await?.checkpoints, 2);
    same!(numbers(&store, "a", "").await?, [6]);
    Ok(())
}

async fn checkpoints_go_by_size(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    for number in 1..=6 {
        writer.put("", vec![whole("x", number, &[number as u8; 10_000])]).await?;
    }
    writer.close().await?;
    let each = store.outline("a", "").await?.iter().map(|record| record.bytes).max().unwrap_or(0);
    same!(Retention::default().max_bytes(3 * each).prune(&*store, "a", 0).await?.checkpoints, 3);
    same!(numbers(&store, "a", "").await?, [6, 5, 4]);
    same!(Retention::default().max_bytes(0).prune(&*store, "a", 0).await?.checkpoints, 2);
    same!(value(&store, "a", "", "x", 6).await?, [6; 10_000]);
    Ok(())
}

async fn pruning_leaves_other_threads_alone(store: SharedStore) -> CaseResult {
    chain(&store, "a", 3).await?;
    chain(&store, "b", 2).await?;
    keep(&store, "a", 1).await?;
    same!(numbers(&store, "b", "").await?, [2, 1]);
    same!(value(&store, "b", "", "x", 1).await?, b"1");
    Ok(())
}

async fn a_retention_without_limits_removes_nothing(store: SharedStore) -> CaseResult {
    chain(&store, "a", 3).await?;
    let epoch = store.thread("a").await?.map(|row| row.epoch);
    same!(Retention::default().prune(&*store, "a", u64::MAX).await?, Default::default());
    same!(numbers(&store, "a", "").await?, [3, 2, 1]);
    same!(store.thread("a").await?.map(|row| row.epoch), epoch);
    Ok(())
}

async fn pruning_what_is_not_there_is_told(store: SharedStore) -> CaseResult {
    let answer = Retention::default().keep_last(1).prune(&*store, "nobody", 0).await;
    matching!(answer, Err(CheckpointError::UnknownThread { .. }));
    let lease = store.acquire("nobody").await?;
    matching!(store.prune(&lease, Pruning::default()).await, Err(CheckpointError::UnknownThread { .. }));
    same!(store.outline("nobody", "").await?, []);
    Ok(())
}

async fn a_chain_is_kept_as_far_as_it_is_read(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    for version in 1..=7 {
        let record = match version {
            1 | 4 => whole("x", version, format!("[{version}]").as_bytes()),
            _ => delta("x", version, Some(version - 1), version.to_string().as_bytes()),
        };
        writer.put("", vec![record, whole("y", version, b"y")]).await?;
    }
    writer.close().await?;
    keep(&store, "a", 1).await?;
    same!(value(&store, "a", "", "x", 7).await?, b"[4]567");
    let left: Vec<_> = store.outline("a", "").await?.iter().map(|record| record.version).collect();
    same!(left, [4, 5, 6, 7, 7]);
    Ok(())
}

async fn a_branch_keeps_what_it_shares(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.put("", vec![whole("x", 1, b"1")]).await?;
    writer.put("", vec![delta("x", 2, Some(1), b"2")]).await?;
    writer.put("", vec![delta("x", 3, Some(2), b"3")]).await?;
    let fork = |commit: &mut Commit| {
        if let Some(row) = &mut commit.checkpoint {
            (row.parent, row.source) = (Some(2), Source::Fork);
        }
    };
    writer.put_with("", vec![delta("x", 4, Some(2), b"4")], fork).await?;
    writer.close().await?;
    keep(&store, "a", 1).await?;
    same!(value(&store, "a", "", "x", 4).await?, b"124");
    matching!(store.field("a", "", "x", 3).await, Err(CheckpointError::Corrupt { .. }));
    Ok(())
}

async fn an_outline_tells_every_record(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.put("", vec![whole("y", 1, &[1; 70_000]), whole("x", 1, b"")]).await?;
    writer.put("", vec![delta("x", 2, Some(1), b"22")]).await?;
    writer.put("child", vec![whole("z", 1, b"z")]).await?;
    let outline = store.outline("a", "").await?;
    let told: Vec<_> = outline
        .iter()
        .map(|FieldOutline { field, version, previous, kind, .. }| (&**field, *version, *previous, *kind))
        .collect();
    let expected =
        [("x", 1, None, RecordKind::Whole), ("x", 2, Some(1), RecordKind::Delta), ("y", 1, None, RecordKind::Whole)];
    same!(told, expected);
    // What a store puts around a value is its own affair.
    let sizes: Vec<_> = outline.iter().map(|record| record.bytes).collect();
    for (size, least) in sizes.iter().zip([0, 2, 70_000]) {
        same!((least..least + 200).contains(size), true);
    }
    Ok(())
}

async fn the_head_is_never_cut(store: SharedStore) -> CaseResult {
    chain(&store, "a", 3).await?;
    let lease = store.acquire("a").await?;
    let gone = [
        Cut { checkpoints: vec![3], ..Cut::default() },
        Cut { checkpoints: vec![1, 2, 3], ..Cut::default() },
        Cut { head: Some(9), ..Cut::default() },
        Cut { checkpoints: vec![2], head: Some(2), ..Cut::default() },
    ];
    for cut in gone {
        let answer = store.prune(&lease, Pruning { cuts: vec![cut], ..Pruning::default() }).await;
        matching!(answer, Err(CheckpointError::StaleHead { .. }));
        same!(numbers(&store, "a", "").await?, [3, 2, 1]);
    }
    // A head that moves to what stays is no such case.
    let cut = Cut { checkpoints: vec![3], head: Some(2), records: vec![("x".into(), 3)], ..Cut::default() };
    store.prune(&lease, Pruning { cuts: vec![cut], ..Pruning::default() }).await?;
    same!(store.checkpoint("a", "", None).await?.map(|row| row.number), Some(2));
    same!(numbers(&store, "a", "").await?, [2, 1]);
    Ok(())
}

async fn a_pruned_thread_goes_on(store: SharedStore) -> CaseResult {
    chain(&store, "a", 3).await?;
    keep(&store, "a", 1).await?;
    let lease = store.acquire("a").await?;
    store.commit(&lease, Commit { fields: vec![delta("x", 4, Some(3), b"!")], ..step(4) }).await?;
    same!(value(&store, "a", "", "x", 4).await?, b"3!");
    same!(numbers(&store, "a", "").await?, [4, 3]);
    Ok(())
}

async fn a_pruning_claims_its_thread(store: SharedStore) -> CaseResult {
    chain(&store, "a", 3).await?;
    let epoch = store.thread("a").await?.map_or(0, |row| row.epoch);
    keep(&store, "a", 1).await?;
    let Some(row) = store.thread("a").await? else { return Err(CaseFailure::new("the thread is gone".to_owned())) };
    same!(row.epoch, epoch + 1);
    let lease = store.acquire("a").await?;
    same!(lease.epoch, epoch + 2);
    let busy = Retention::default().keep_last(1).prune(&*store, "a", 0).await;
    matching!(busy, Err(CheckpointError::ThreadBusy { .. }));
    store.release(&lease);
    matching!(store.prune(&lease, Pruning::default()).await, Err(CheckpointError::StaleHead { .. }));
    Ok(())
}

async fn a_pruning_that_is_refused_removes_nothing(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.chain("", 2).await?;
    writer.chain("child:1.0", 2).await?;
    writer.put_with("", Vec::new(), |commit| commit.journal = events([1, 2, 3])).await?;
    let pruning = Pruning {
        cuts: vec![
            Cut { checkpoints: vec![1], records: vec![("x".into(), 1)], ..Cut::default() },
            Cut { ns: "child:1.0".into(), checkpoints: vec![2], ..Cut::default() },
        ],
        journal_before: 3,
        thread: Some(row("other", ThreadStatus::Failed)),
    };
    matching!(store.prune(&writer.lease, pruning).await, Err(CheckpointError::StaleHead { .. }));
    same!(numbers(&store, "a", "").await?, [3, 2, 1]);
    same!(value(&store, "a", "", "x", 1).await?, b"1");
    same!(store.journal("a", 0, 9).await?, events([1, 2, 3]));
    same!(store.thread("a").await?.map(|row| row.graph), Some("g".to_owned()));
    Ok(())
}

async fn namespaces_go_as_a_whole(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    for ns in ["", "child:1.0", "child:1.1", "steady"] {
        writer.chain(ns, 2).await?;
        writer.tasks(ns, vec![task("t", TaskRecordKind::Once, "k", b"r")]).await?;
    }
    writer.close().await?;
    // No task of the root is unfinished, so both calls are over; what is not named by a task is not one of them.
    let retention = Retention::default().keep_last(1).drop_finished_subgraphs();
    same!(retention.prune(&*store, "a", 0).await?.namespaces, 2);
    same!(store.namespaces("a").await?, ["", "steady"]);
    same!(store.task_records("a", "child:1.0").await?, []);
    same!(store.checkpoint("a", "child:1.1", Some(1)).await?, None);
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.put("child:1.0", vec![whole("x", 1, b"anew")]).await?;
    same!(numbers(&store, "a", "child:1.0").await?, [1]);
    Ok(())
}

async fn the_journal_keeps_its_newest_row(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.put_with("", Vec::new(), |commit| commit.journal = events(1..=5)).await?;
    let before = |journal_before| Pruning { journal_before, ..Pruning::default() };
    store.prune(&writer.lease, before(3)).await?;
    same!(store.journal("a", 0, 9).await?, events(3..=5));
    store.prune(&writer.lease, before(u64::MAX)).await?;
    same!(store.journal("a", 0, 9).await?, events([5]));
    matching!(
        store.commit(&writer.lease, Commit { journal: events([4]), ..Commit::default() }).await,
        Err(CheckpointError::StaleHead { .. })
    );
    same!(store.last_seq("a").await?, 5);
    Ok(())
}

/// A thread with one run for each count, each of so many checkpoints in each of the namespaces.
async fn run_by_run(
    store: &SharedStore,
    thread: &str,
    namespaces: &[&str],
    counts: &[u64],
) -> Result<Vec<u64>, CaseFailure> {
    let event = |seq: u64, ns: &str, kind: serde_json::Value| {
        let mut event = serde_json::json!({"v": 1, "seq": seq, "ns": ns, "step": 0, "time": seq});
        if let (Some(event), serde_json::Value::Object(kind)) = (event.as_object_mut(), kind) {
            event.extend(kind);
        }
        JournalRow { seq, event: event.to_string().into_bytes().into() }
    };
    let mut writer = StoreWriter::open(store, thread).await?;
    let (mut seq, mut number, mut ids) = (0, 0, Vec::new());
    for (run, count) in counts.iter().enumerate() {
        seq += 1;
        ids.push(seq);
        let mut journal =
            vec![event(seq, "", serde_json::json!({"event": "run_started", "graph": "g", "how": "input"}))];
        for _ in 0..*count {
            number += 1;
            for ns in namespaces {
                seq += 1;
                let committed = serde_json::json!(
                    {"event": "committed", "checkpoint": number, "tasks": [], "changed": [], "next": []}
                );
                journal.push(event(seq, ns, committed));
                let journal = std::mem::take(&mut journal);
                let value = whole("x", number, number.to_string().as_bytes());
                writer.put_with(ns, vec![value], |commit| commit.journal = journal).await?;
            }
        }
        seq += 1;
        let detail = format!("run {run}");
        let ended = serde_json::json!({"event": "run_ended", "status": "done", "detail": detail});
        let thread = ThreadRow { detail, ..row("g", ThreadStatus::Done) };
        let end = Commit { journal: vec![event(seq, "", ended)], thread: Some(thread), ..Commit::default() };
        store.commit(&writer.lease, end).await?;
    }
    writer.close().await?;
    Ok(ids)
}

async fn one_run_is_taken_back(store: SharedStore) -> CaseResult {
    let ids = run_by_run(&store, "a", &[""], &[2, 2]).await?;
    same!(delete_runs(&*store, "a", &ids[1..]).await?.checkpoints, 2);
    same!(numbers(&store, "a", "").await?, [2, 1]);
    same!(store.checkpoint("a", "", None).await?.map(|row| row.number), Some(2));
    let row = store.thread("a").await?.map(|row| (row.status, row.detail));
    same!(row, Some((ThreadStatus::Done, "run 0".to_owned())));
    Ok(())
}

async fn several_runs_are_taken_back(store: SharedStore) -> CaseResult {
    let ids = run_by_run(&store, "a", &[""], &[1, 2, 1]).await?;
    delete_runs(&*store, "a", &ids[..2]).await?;
    same!(numbers(&store, "a", "").await?, [4]);
    if store.capabilities().delete_thread {
        delete_runs(&*store, "a", &ids).await?;
        same!(store.thread("a").await?, None);
    }
    Ok(())
}

async fn other_runs_are_left_alone(store: SharedStore) -> CaseResult {
    let ids = run_by_run(&store, "a", &[""], &[2, 1, 2]).await?;
    run_by_run(&store, "b", &[""], &[2, 1, 2]).await?;
    delete_runs(&*store, "a", &ids[1..2]).await?;
    same!(numbers(&store, "a", "").await?, [5, 4, 2, 1]);
    same!(value(&store, "a", "", "x", 2).await?, b"2");
    same!(value(&store, "a", "", "x", 5).await?, b"5");
    same!(numbers(&store, "b", "").await?, [5, 4, 3, 2, 1]);
    Ok(())
}

async fn task_records_of_a_run_go_with_it(store: SharedStore) -> CaseResult {
    let ids = run_by_run(&store, "a", &[""], &[1, 1]).await?;
    let writer = StoreWriter::open(&store, "a").await?;
    writer.tasks("", vec![task("n:2.0", TaskRecordKind::Once, "k", b"r")]).await?;
    writer.close().await?;
    delete_runs(&*store, "a", &ids[1..]).await?;
    same!(store.task_records("a", "").await?, []);
    Ok(())
}

async fn taking_back_nothing_changes_nothing(store: SharedStore) -> CaseResult {
    run_by_run(&store, "a", &[""], &[1, 1]).await?;
    let row = store.thread("a").await?;
    same!(delete_runs(&*store, "a", &[]).await?, Default::default());
    same!(store.thread("a").await?, row);
    same!(numbers(&store, "a", "").await?, [2, 1]);
    Ok(())
}

async fn taking_back_what_is_not_there_changes_nothing(store: SharedStore) -> CaseResult {
    run_by_run(&store, "a", &[""], &[1, 1]).await?;
    let row = store.thread("a").await?;
    same!(delete_runs(&*store, "a", &[999]).await?, Default::default());
    same!(delete_runs(&*store, "nobody", &[1]).await?, Default::default());
    same!(store.thread("a").await?, row);
    Ok(())
}

async fn a_run_is_taken_back_in_every_namespace(store: SharedStore) -> CaseResult {
    let ids = run_by_run(&store, "a", &["", "child:1.0"], &[1, 2]).await?;
    same!(delete_runs(&*store, "a", &ids[1..]).await?.checkpoints, 4);
    for ns in ["", "child:1.0"] {
        same!(numbers(&store, "a", ns).await?, [1]);
        same!(store.checkpoint("a", ns, None).await?.map(|row| row.number), Some(1));
    }
    let mut writer = StoreWriter::open(&store, "b").await?;
    writer.chain("", 1).await?;
    writer.close().await?;
    Ok(())
}

async fn a_checkpoint_belongs_to_the_run_that_made_it(store: SharedStore) -> CaseResult {
    let ids = run_by_run(&store, "a", &["", "c"], &[1, 2]).await?;
    let all = runs(&*store, "a").await?;
    same!(all.iter().map(|run| run.id).collect::<Vec<_>>(), ids);
    let name = |ns: &str, number| -> (Arc<str>, u64) { (ns.into(), number) };
    same!(all[0].checkpoints, [name("", 1), name("c", 1)]);
    same!(all[1].checkpoints, [name("", 2), name("", 3), name("c", 2), name("c", 3)]);
    same!(all[1].ended, Some((ThreadStatus::Done, "run 1".to_owned())));
    same!(runs(&*store, "nobody").await?, []);
    Ok(())
}

async fn a_thread_is_removed_as_a_whole(store: SharedStore) -> CaseResult {
    chain(&store, "a", 3).await?;
    store.delete_thread("a").await?;
    same!(numbers(&store, "a", "").await?, [0; 0]);
    same!(store.thread("a").await?, None);
    let lease = store.acquire("a").await?;
    store.commit(&lease, first()).await?;
    same!(store.checkpoint("a", "", None).await?, Some(CheckpointRow { ..checkpoint(1) }));
    Ok(())
}
