//! What belongs to tasks: results of durable steps, answers, finished writes, failed attempts.

use super::ground::{CaseResult, SharedStore, StoreWriter, cases, same, task};
use crate::checkpoint::{Commit, TaskRecordKind};
use TaskRecordKind::{Answer, Attempt, Once, Write};

cases! {
    Base:
        a_task_record_is_read_back
        one_task_has_records_of_several_kinds_and_keys
        tasks_have_records_of_their_own
        a_record_names_its_task
        a_record_keeps_key_and_bytes
        ids_of_nested_tasks_are_kept
        a_record_that_is_written_again_is_replaced
        attempts_and_answers_are_replaced_in_their_place
        records_of_namespaces_are_apart
        a_settled_task_keeps_only_results_of_durable_steps
        a_commit_that_settles_a_task_keeps_nothing_it_brings_for_it
        results_of_durable_steps_outlive_runs;
}

/// A thread with one checkpoint.
async fn begun(store: &SharedStore) -> Result<StoreWriter, super::CaseFailure> {
    let mut writer = StoreWriter::open(store, "a").await?;
    writer.put("", Vec::new()).await?;
    Ok(writer)
}

async fn a_task_record_is_read_back(store: SharedStore) -> CaseResult {
    let writer = begun(&store).await?;
    writer.tasks("", vec![task("n:1.0", Write, "", b"w")]).await?;
    same!(store.task_records("a", "").await?, [task("n:1.0", Write, "", b"w")]);
    Ok(())
}

async fn one_task_has_records_of_several_kinds_and_keys(store: SharedStore) -> CaseResult {
    let writer = begun(&store).await?;
    let records = vec![
        task("n:1.0", Once, "one", b"1"),
        task("n:1.0", Once, "two", b"2"),
        task("n:1.0", Answer, "one", b"a"),
        task("n:1.0", Attempt, "", b"t"),
        task("n:1.0", Write, "", b"w"),
    ];
    writer.tasks("", records.clone()).await?;
    same!(store.task_records("a", "").await?, records);
    Ok(())
}

async fn tasks_have_records_of_their_own(store: SharedStore) -> CaseResult {
    let writer = begun(&store).await?;
    writer.tasks("", vec![task("b:1.0", Once, "k", b"b")]).await?;
    writer.tasks("", vec![task("a:1.1", Once, "k", b"a")]).await?;
    same!(store.task_records("a", "").await?, [task("b:1.0", Once, "k", b"b"), task("a:1.1", Once, "k", b"a")]);
    Ok(())
}

async fn a_record_names_its_task(store: SharedStore) -> CaseResult {
    let writer = begun(&store).await?;
    for name in ["n:1.0", "n:1.1", "m:12.345"] {
        writer.tasks("", vec![task(name, Write, "", b"w")]).await?;
    }
    let records = store.task_records("a", "").await?;
    same!(records.iter().map(|record| &*record.task).collect::<Vec<_>>(), ["n:1.0", "n:1.1", "m:12.345"]);
    Ok(())
}

async fn a_record_keeps_key_and_bytes(store: SharedStore) -> CaseResult {
    let writer = begun(&store).await?;
    let every: Vec<u8> = (0..=255).collect();
    let records = vec![
        task("n:1.0", Once, "section/3 ü", &every),
        task("n:1.0", Once, "", b""),
        task("n:1.0", Answer, "q", b"null"),
    ];
    writer.tasks("", records.clone()).await?;
    same!(store.task_records("a", "").await?, records);
    Ok(())
}

async fn ids_of_nested_tasks_are_kept(store: SharedStore) -> CaseResult {
    let writer = begun(&store).await?;
    let path = (1..60).map(|depth| format!("node-{depth}:{depth}.0")).collect::<Vec<_>>().join("/");
    writer.tasks("", vec![task(&path, Answer, "k", b"v")]).await?;
    same!(store.task_records("a", "").await?, [task(&path, Answer, "k", b"v")]);
    Ok(())
}

async fn a_record_that_is_written_again_is_replaced(store: SharedStore) -> CaseResult {
    let writer = begun(&store).await?;
    for bytes in [b"1", b"1", b"2"] {
        writer.tasks("", vec![task("n:1.0", Write, "", bytes)]).await?;
        same!(store.task_records("a", "").await?, [task("n:1.0", Write, "", bytes)]);
    }
    Ok(())
}

async fn attempts_and_answers_are_replaced_in_their_place(store: SharedStore) -> CaseResult {
    let writer = begun(&store).await?;
    writer
        .tasks("", vec![task("2", Attempt, "", b"1"), task("1", Once, "k", b"r"), task("2", Answer, "q", b"w")])
        .await?;
    writer
        .tasks("", vec![task("2", Answer, "q", b"x"), task("2", Attempt, "", b"2"), task("1", Once, "l", b"s")])
        .await?;
    let expected = [
        task("2", Attempt, "", b"2"),
        task("1", Once, "k", b"r"),
        task("2", Answer, "q", b"x"),
        task("1", Once, "l", b"s"),
    ];
    same!(store.task_records("a", "").await?, expected);
    Ok(())
}

async fn records_of_namespaces_are_apart(store: SharedStore) -> CaseResult {
    let writer = begun(&store).await?;
    writer.tasks("", vec![task("1", Write, "", b"root")]).await?;
    writer.tasks("child", vec![task("1", Write, "", b"child")]).await?;
    same!(store.task_records("a", "").await?, [task("1", Write, "", b"root")]);
    same!(store.task_records("a", "child").await?, [task("1", Write, "", b"child")]);
    same!(store.task_records("a", "other").await?, []);
    same!(store.namespaces("a").await?, [""]);
    let settled = Commit { settled: vec!["1".into()], ..Commit::default() };
    store.commit(&writer.lease, settled).await?;
    same!(store.task_records("a", "").await?, []);
    same!(store.task_records("a", "child").await?, [task("1", Write, "", b"child")]);
    Ok(())
}

async fn a_settled_task_keeps_only_results_of_durable_steps(store: SharedStore) -> CaseResult {
    let mut writer = begun(&store).await?;
    let records = vec![
        task("1", Once, "k", b"r"),
        task("1", Answer, "q", b"a"),
        task("1", Attempt, "", b"t"),
        task("1", Write, "", b"w"),
        task("2", Write, "", b"w"),
    ];
    writer.tasks("", records).await?;
    writer.put_with("", Vec::new(), |commit| commit.settled = vec!["1".into(), "unknown".into()]).await?;
    same!(store.task_records("a", "").await?, [task("1", Once, "k", b"r"), task("2", Write, "", b"w")]);
    Ok(())
}

async fn a_commit_that_settles_a_task_keeps_nothing_it_brings_for_it(store: SharedStore) -> CaseResult {
    let writer = begun(&store).await?;
    let tasks = vec![task("2", Write, "", b"n"), task("2", Once, "k", b"r")];
    let both = Commit { tasks, settled: vec!["2".into()], ..Commit::default() };
    store.commit(&writer.lease, both).await?;
    same!(store.task_records("a", "").await?, [task("2", Once, "k", b"r")]);
    Ok(())
}

async fn results_of_durable_steps_outlive_runs(store: SharedStore) -> CaseResult {
    let writer = begun(&store).await?;
    writer.tasks("", vec![task("1", Once, "k", b"r")]).await?;
    writer.close().await?;
    let next = StoreWriter::open(&store, "a").await?;
    next.tasks("", vec![task("1", Once, "l", b"s")]).await?;
    same!(store.task_records("a", "").await?, [task("1", Once, "k", b"r"), task("1", Once, "l", b"s")]);
    Ok(())
}
