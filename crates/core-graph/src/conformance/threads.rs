//! Threads as a whole: deleting, copying, measuring.

use super::ground::{
    CaseResult, SharedStore, StoreWriter, cases, checkpoint, events, first, matching, numbers, same, step, task, value,
    whole,
};
use crate::checkpoint::{CheckpointError, Commit, TaskRecordKind, ThreadRow};

cases! {
    DeleteThread:
        a_deleted_thread_has_no_checkpoints
        a_deleted_thread_has_no_task_records
        a_deleted_thread_has_no_namespaces
        deleting_leaves_other_threads_alone
        deleting_what_is_not_there_is_told
        a_thread_that_is_written_is_not_deleted
        a_deleted_id_begins_anew;
    CopyThread:
        a_copy_has_the_head_of_its_source
        a_copy_has_every_checkpoint
        a_copy_keeps_what_is_known_of_checkpoints
        a_copy_has_every_namespace
        a_copy_has_task_records_and_journal
        a_copy_keeps_the_order_of_everything
        copying_leaves_the_source_alone
        copying_what_is_not_there_is_told
        a_copy_goes_its_own_way
        a_copy_needs_a_free_id_and_a_quiet_source;
    Stats:
        stats_count_threads_checkpoints_and_bytes;
    Compact:
        compacting_loses_nothing;
}

/// A thread with three checkpoints, a child, task records and a journal; nobody holds it.
async fn full(store: &SharedStore, thread: &str) -> CaseResult {
    let mut writer = StoreWriter::open(store, thread).await?;
    writer.put_with("", vec![whole("x", 1, thread.as_bytes())], |commit| commit.journal = events([1, 2])).await?;
    writer.put("", vec![whole("large", 2, &vec![5; 100_000])]).await?;
    writer.chain("", 1).await?;
    writer.chain("child:1.0", 2).await?;
    let records = vec![task("t", TaskRecordKind::Write, "", b"w"), task("s", TaskRecordKind::Once, "k", b"r")];
    writer.tasks("", records.clone()).await?;
    writer.tasks("child:1.0", records).await?;
    writer.close().await
}

async fn a_deleted_thread_has_no_checkpoints(store: SharedStore) -> CaseResult {
    full(&store, "a").await?;
    store.delete_thread("a").await?;
    same!(store.thread("a").await?, None);
    same!(store.checkpoint("a", "", None).await?, None);
    same!(numbers(&store, "a", "").await?, [0; 0]);
    matching!(store.field("a", "", "x", 1).await, Err(CheckpointError::Corrupt { .. }));
    same!(store.journal("a", 0, 9).await?, []);
    Ok(())
}

async fn a_deleted_thread_has_no_task_records(store: SharedStore) -> CaseResult {
    full(&store, "a").await?;
    store.delete_thread("a").await?;
    same!(store.task_records("a", "").await?, []);
    same!(store.task_records("a", "child:1.0").await?, []);
    Ok(())
}

async fn a_deleted_thread_has_no_namespaces(store: SharedStore) -> CaseResult {
    full(&store, "a").await?;
    store.delete_thread("a").await?;
    same!(store.namespaces("a").await?, Vec::<String>::new());
    same!(store.checkpoint("a", "child:1.0", None).await?, None);
    Ok(())
}

async fn deleting_leaves_other_threads_alone(store: SharedStore) -> CaseResult {
    full(&store, "a").await?;
    full(&store, "b").await?;
    let before = store.thread("b").await?;
    store.delete_thread("a").await?;
    same!(store.thread("b").await?, before);
    same!(store.namespaces("b").await?, ["", "child:1.0"]);
    same!(store.task_records("b", "").await?.len(), 2);
    same!(store.journal("b", 0, 9).await?, events([1, 2]));
    same!(value(&store, "b", "", "large", 2).await?, vec![5; 100_000]);
    Ok(())
}

async fn deleting_what_is_not_there_is_told(store: SharedStore) -> CaseResult {
    matching!(store.delete_thread("nobody").await, Err(CheckpointError::UnknownThread { .. }));
    full(&store, "a").await?;
    store.delete_thread("a").await?;
    matching!(store.delete_thread("a").await, Err(CheckpointError::UnknownThread { .. }));
    // Asking leaves nothing behind that would keep the id.
    same!(store.acquire("nobody").await?.epoch, 1);
    Ok(())
}

async fn a_thread_that_is_written_is_not_deleted(store: SharedStore) -> CaseResult {
    let lease = store.acquire("a").await?;
    store.commit(&lease, first()).await?;
    matching!(store.delete_thread("a").await, Err(CheckpointError::ThreadBusy { .. }));
    same!(store.checkpoint("a", "", None).await?, Some(checkpoint(1)));
    store.commit(&lease, step(2)).await?;
    Ok(())
}

async fn a_deleted_id_begins_anew(store: SharedStore) -> CaseResult {
    full(&store, "a").await?;
    store.delete_thread("a").await?;
    let lease = store.acquire("a").await?;
    same!(lease.epoch, 1);
    store.commit(&lease, Commit { journal: events([1]), ..first() }).await?;
    same!(numbers(&store, "a", "").await?, [1]);
    same!(store.task_records("a", "").await?, []);
    Ok(())
}

async fn a_copy_has_the_head_of_its_source(store: SharedStore) -> CaseResult {
    full(&store, "a").await?;
    store.copy_thread("a", "b").await?;
    same!(store.checkpoint("b", "", None).await?, store.checkpoint("a", "", None).await?);
    let Some(source) = store.thread("a").await? else {
        return Err(super::CaseFailure::new("the source is gone".to_owned()));
    };
    same!(store.thread("b").await?, Some(ThreadRow { thread: "b".into(), epoch: 0, owner: String::new(), ..source }));
    Ok(())
}

async fn a_copy_has_every_checkpoint(store: SharedStore) -> CaseResult {
    full(&store, "a").await?;
    store.copy_thread("a", "b").await?;
    same!(numbers(&store, "b", "").await?, [3, 2, 1]);
    same!(value(&store, "b", "", "x", 1).await?, b"a");
    same!(value(&store, "b", "", "large", 2).await?, vec![5; 100_000]);
    Ok(())
}

async fn a_copy_keeps_what_is_known_of_checkpoints(store: SharedStore) -> CaseResult {
    full(&store, "a").await?;
    store.copy_thread("a", "b").await?;
    for number in 1..=3 {
        same!(store.checkpoint("b", "", Some(number)).await?, store.checkpoint("a", "", Some(number)).await?);
    }
    Ok(())
}

async fn a_copy_has_every_namespace(store: SharedStore) -> CaseResult {
    full(&store, "a").await?;
    store.copy_thread("a", "b").await?;
    same!(store.namespaces("b").await?, ["", "child:1.0"]);
    same!(numbers(&store, "b", "child:1.0").await?, [2, 1]);
    same!(value(&store, "b", "child:1.0", "x", 2).await?, b"child:1.02");
    Ok(())
}

async fn a_copy_has_task_records_and_journal(store: SharedStore) -> CaseResult {
    full(&store, "a").await?;
    store.copy_thread("a", "b").await?;
    for ns in ["", "child:1.0"] {
        same!(store.task_records("b", ns).await?, store.task_records("a", ns).await?);
        same!(store.task_records("b", ns).await?.len(), 2);
    }
    same!(store.journal("b", 0, 9).await?, events([1, 2]));
    Ok(())
}

async fn a_copy_keeps_the_order_of_everything(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.chain("", 12).await?;
    let keys: Vec<String> = (0..20).rev().map(|key| key.to_string()).collect();
    for key in &keys {
        writer.tasks("", vec![task("t", TaskRecordKind::Once, key, b"r")]).await?;
    }
    writer.close().await?;
    store.copy_thread("a", "b").await?;
    same!(numbers(&store, "b", "").await?, (1..=12).rev().collect::<Vec<_>>());
    let copied: Vec<String> = store.task_records("b", "").await?.iter().map(|record| record.key.to_string()).collect();
    same!(copied, keys);
    same!(store.threads(&Default::default()).await?.first().map(|row| row.thread.to_string()), Some("b".to_owned()));
    Ok(())
}

async fn copying_leaves_the_source_alone(store: SharedStore) -> CaseResult {
    full(&store, "a").await?;
    let (row, records) = (store.thread("a").await?, store.task_records("a", "").await?);
    store.copy_thread("a", "b").await?;
    same!(store.thread("a").await?, row);
    same!(store.task_records("a", "").await?, records);
    same!(numbers(&store, "a", "").await?, [3, 2, 1]);
    Ok(())
}

async fn copying_what_is_not_there_is_told(store: SharedStore) -> CaseResult {
    matching!(store.copy_thread("nobody", "b").await, Err(CheckpointError::UnknownThread { .. }));
    same!(store.thread("b").await?, None);
    same!(store.acquire("b").await?.epoch, 1);
    Ok(())
}

async fn a_copy_goes_its_own_way(store: SharedStore) -> CaseResult {
    full(&store, "a").await?;
    store.copy_thread("a", "b").await?;
    let lease = store.acquire("b").await?;
    same!(lease.epoch, 1);
    store.commit(&lease, Commit { settled: vec!["t".into()], ..step(4) }).await?;
    same!(numbers(&store, "a", "").await?, [3, 2, 1]);
    same!(numbers(&store, "b", "").await?, [4, 3, 2, 1]);
    same!(store.task_records("a", "").await?.len(), 2);
    same!(store.task_records("b", "").await?.len(), 1);
    if store.capabilities().delete_thread {
        store.delete_thread("a").await?;
        same!(value(&store, "b", "", "large", 2).await?, vec![5; 100_000]);
    }
    Ok(())
}

async fn a_copy_needs_a_free_id_and_a_quiet_source(store: SharedStore) -> CaseResult {
    full(&store, "a").await?;
    full(&store, "b").await?;
    for taken in ["a", "b"] {
        matching!(store.copy_thread("a", taken).await, Err(CheckpointError::ThreadExists { .. }));
    }
    let lease = store.acquire("a").await?;
    matching!(store.copy_thread("a", "c").await, Err(CheckpointError::ThreadBusy { .. }));
    store.release(&lease);
    store.copy_thread("a", "c").await?;
    Ok(())
}

async fn stats_count_threads_checkpoints_and_bytes(store: SharedStore) -> CaseResult {
    let empty = store.stats().await?;
    same!((empty.threads, empty.checkpoints, empty.bytes), (0, 0, 0));
    full(&store, "a").await?;
    full(&store, "b").await?;
    let stats = store.stats().await?;
    same!((stats.threads, stats.checkpoints), (2, 10));
    same!(stats.bytes > 100_000, true);
    Ok(())
}

async fn compacting_loses_nothing(store: SharedStore) -> CaseResult {
    full(&store, "a").await?;
    let lease = store.acquire("b").await?;
    store.commit(&lease, first()).await?;
    store.compact().await?;
    same!(value(&store, "a", "", "large", 2).await?, vec![5; 100_000]);
    same!(store.task_records("a", "").await?.len(), 2);
    store.commit(&lease, step(2)).await?;
    same!(numbers(&store, "b", "").await?, [2, 1]);
    Ok(())
}
