//! Subgraphs that are kept per thread: where a parent records that they stand is never lost.

use super::ground::{
    CaseFailure, CaseResult, SharedStore, StoreWriter, cases, checkpoint, events, matching, numbers, row, same, task,
    value, whole,
};
use crate::checkpoint::{
    CheckpointError, CheckpointRow, Commit, JournalRow, Retention, TaskRecordKind, ThreadStatus, delete_runs,
    fork_thread,
};
use crate::record::FRONTIER;

cases! {
    Prune:
        where_subgraphs_stand_is_kept
        what_is_recorded_no_more_goes
        subgraphs_of_subgraphs_are_kept
        a_run_taken_back_leaves_what_others_record;
    CopyThread:
        a_fork_has_its_subgraphs_where_they_stood;
}

/// A checkpoint that records where subgraphs stand, in the runtime's own form.
async fn record(writer: &mut StoreWriter, store: &SharedStore, ns: &str, children: &[(&str, u64)]) -> CaseResult {
    let number = numbers(store, &writer.lease.thread, ns).await?.first().map_or(1, |newest| newest + 1);
    writer.put(ns, vec![whole(FRONTIER, number, &frontier(children)?)]).await?;
    Ok(())
}

fn frontier(children: &[(&str, u64)]) -> Result<Vec<u8>, CaseFailure> {
    crate::record::recording_frontier(children).map_err(|error| CaseFailure::new(error.to_string()))
}

/// The root at 3 checkpoints, after which the subgraph stands at 1, at 2 and at 4 of its 5.
async fn three_turns(store: &SharedStore, thread: &str) -> CaseResult {
    let mut writer = StoreWriter::open(store, thread).await?;
    record(&mut writer, store, "", &[]).await?;
    writer.chain("child", 5).await?;
    record(&mut writer, store, "", &[("child", 2)]).await?;
    record(&mut writer, store, "", &[("child", 4)]).await?;
    writer.close().await
}

async fn where_subgraphs_stand_is_kept(store: SharedStore) -> CaseResult {
    three_turns(&store, "a").await?;
    Retention::default().keep_last(2).prune(&*store, "a", 0).await?;
    same!(numbers(&store, "a", "").await?, [3, 2]);
    same!(numbers(&store, "a", "child").await?, [5, 4, 2]);
    same!(value(&store, "a", "child", "x", 2).await?, b"child2");
    Ok(())
}

async fn what_is_recorded_no_more_goes(store: SharedStore) -> CaseResult {
    three_turns(&store, "a").await?;
    Retention::default().keep_last(1).drop_finished_subgraphs().prune(&*store, "a", 0).await?;
    same!(numbers(&store, "a", "").await?, [3]);
    same!(numbers(&store, "a", "child").await?, [5, 4]);
    three_turns(&store, "b").await?;
    Retention::default().max_bytes(0).prune(&*store, "b", 0).await?;
    same!(numbers(&store, "b", "").await?, [3]);
    same!(numbers(&store, "b", "child").await?, [5, 4]);
    matching!(store.field("b", "child", "x", 2).await, Err(CheckpointError::Corrupt { .. }));
    Ok(())
}

async fn subgraphs_of_subgraphs_are_kept(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    record(&mut writer, &store, "", &[]).await?;
    writer.chain("mid/leaf", 6).await?;
    record(&mut writer, &store, "mid", &[("mid/leaf", 1)]).await?;
    record(&mut writer, &store, "mid", &[("mid/leaf", 3)]).await?;
    record(&mut writer, &store, "mid", &[("mid/leaf", 5)]).await?;
    record(&mut writer, &store, "mid:1.0", &[("mid:1.0/leaf", 2)]).await?;
    record(&mut writer, &store, "", &[("mid", 2)]).await?;
    writer.close().await?;
    Retention::default().keep_last(1).prune(&*store, "a", 0).await?;
    same!(numbers(&store, "a", "mid").await?, [3, 2]);
    same!(numbers(&store, "a", "mid/leaf").await?, [6, 5, 3]);
    Ok(())
}

async fn a_run_taken_back_leaves_what_others_record(store: SharedStore) -> CaseResult {
    let told = |seq: u64, event: serde_json::Value| JournalRow { seq, event: event.to_string().into_bytes().into() };
    let started = serde_json::json!(
        {"v": 1, "seq": 1, "ns": "", "step": 0, "time": 1, "event": "run_started", "graph": "g", "how": "input"}
    );
    let committed = |seq: u64, ns: &str, checkpoint: u64| {
        let event = serde_json::json!({
            "v": 1, "seq": seq, "ns": ns, "step": 0, "time": seq,
            "event": "committed", "checkpoint": checkpoint, "tasks": [], "changed": [], "next": []
        });
        told(seq, event)
    };
    let mut writer = StoreWriter::open(&store, "a").await?;
    let journal = vec![told(1, started), committed(2, "", 1)];
    writer.put_with("", vec![whole("x", 1, b"1")], |commit| commit.journal = journal).await?;
    for number in 1..=2 {
        let journal = vec![committed(2 + number, "child", number)];
        writer.put_with("child", vec![whole("x", number, b"c")], |commit| commit.journal = journal).await?;
    }
    let ended = serde_json::json!(
        {"v": 1, "seq": 5, "ns": "", "step": 0, "time": 5, "event": "run_ended", "status": "done", "detail": ""}
    );
    let end = Commit { journal: vec![told(5, ended)], thread: Some(row("g", ThreadStatus::Done)), ..Commit::default() };
    store.commit(&writer.lease, end).await?;
    // An edit from outside, after which the subgraph stands where the run left it.
    record(&mut writer, &store, "", &[("child", 1)]).await?;
    writer.close().await?;
    delete_runs(&*store, "a", &[1]).await?;
    same!(numbers(&store, "a", "").await?, [2]);
    same!(numbers(&store, "a", "child").await?, [1]);
    same!(store.checkpoint("a", "child", None).await?.map(|row| row.number), Some(1));
    Ok(())
}

async fn a_fork_has_its_subgraphs_where_they_stood(store: SharedStore) -> CaseResult {
    if !store.capabilities().prune {
        return Ok(());
    }
    three_turns(&store, "a").await?;
    let mut lost = checkpoint(4);
    lost.fields = [(FRONTIER, 4)].into();
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.tasks("child", vec![task("child:9.0/n:9.0", TaskRecordKind::Once, "k", b"r")]).await?;
    let commit = Commit {
        expected_head: Some(3),
        checkpoint: Some(CheckpointRow { parent: Some(3), ..lost }),
        fields: vec![whole(FRONTIER, 4, &frontier(&[("child", 9)])?)],
        journal: events([1]),
        ..Commit::default()
    };
    store.commit(&writer.lease, commit).await?;
    writer.put("child:9.0", Vec::new()).await?;
    writer.close().await?;

    fork_thread(&*store, "a", 2, "b", false).await?;
    same!(store.namespaces("b").await?, ["", "child"]);
    same!(store.checkpoint("b", "", None).await?.map(|row| row.number), Some(2));
    same!(store.checkpoint("b", "child", None).await?.map(|row| row.number), Some(2));
    same!(store.task_records("b", "child").await?, []);
    fork_thread(&*store, "a", 1, "c", false).await?;
    same!(store.namespaces("c").await?, [""]);
    // A checkpoint whose subgraph is gone is refused, and nothing is copied.
    let refused = fork_thread(&*store, "a", 4, "d", false).await;
    matching!(refused, Err(CheckpointError::UnknownCheckpoint { number: 9, .. }));
    same!(store.thread("d").await?, None);
    same!(store.checkpoint("a", "child", None).await?.map(|row| row.number), Some(5));
    Ok(())
}
