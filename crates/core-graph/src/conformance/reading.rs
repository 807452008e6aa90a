//! Reading: the head, one checkpoint, a thread's row, the journal.

use std::collections::BTreeMap;

use super::ground::{
    CaseFailure, CaseResult, SharedStore, StoreWriter, cases, checkpoint, delta, events, first, matching, same, step,
    task, whole,
};
use crate::checkpoint::{CheckpointError, CheckpointRow, Commit, FieldRecord, Known, Loaded, TaskRecordKind};

cases! {
    Base:
        an_unknown_thread_reads_as_nothing
        the_head_is_read_without_a_number
        a_checkpoint_is_read_by_its_number
        a_thread_row_names_thread_owner_and_epoch
        large_numbers_are_kept
        the_head_tells_what_made_it
        the_first_checkpoint_has_no_parent
        results_of_durable_steps_are_read_by_their_tasks
        task_records_are_there_beside_the_head
        reading_respects_the_namespace
        an_unknown_number_reads_as_nothing
        the_head_may_be_an_older_number
        a_namespace_is_loaded_as_it_is_read
        what_a_reader_knows_is_left_out
        the_journal_is_read_in_pages
        the_journal_goes_on_over_namespaces_and_runs;
}

async fn an_unknown_thread_reads_as_nothing(store: SharedStore) -> CaseResult {
    same!(store.thread("nobody").await?, None);
    same!(store.threads(&Default::default()).await?, []);
    same!(store.checkpoint("nobody", "", None).await?, None);
    same!(store.checkpoints("nobody", "", &Default::default()).await?, []);
    same!(store.namespaces("nobody").await?, Vec::<String>::new());
    same!(store.task_records("nobody", "").await?, []);
    same!(store.journal("nobody", 0, 9).await?, []);
    same!(store.last_seq("nobody").await?, 0);
    matching!(store.field("nobody", "", "x", 1).await, Err(CheckpointError::Corrupt { .. }));
    Ok(())
}

async fn the_head_is_read_without_a_number(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    for _ in 0..12 {
        let row = writer.put("", Vec::new()).await?;
        same!(store.checkpoint("a", "", None).await?, Some(row));
    }
    Ok(())
}

async fn a_namespace_is_loaded_as_it_is_read(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    same!(store.load("a", "", None, None).await?, None);
    writer.put("", vec![whole("x", 1, b"1"), whole("y", 1, b"y")]).await?;
    writer.put("", vec![delta("x", 2, Some(1), b"2")]).await?;
    writer.put("", vec![whole("y", 3, b"z"), delta("x", 3, Some(2), b"3")]).await?;
    writer.tasks("", vec![task("t", TaskRecordKind::Once, "k", b"kept")]).await?;
    writer.tasks("", vec![task("t", TaskRecordKind::Attempt, "", b"open")]).await?;
    for number in [None, Some(1), Some(2), Some(3)] {
        let row = store.checkpoint("a", "", number).await?;
        let Some(row) = row else { return Err(CaseFailure::new(format!("checkpoint {number:?} is not there"))) };
        let mut fields = Vec::new();
        for (field, version) in row.fields.iter() {
            fields.push(store.field("a", "", field, version).await?);
        }
        let tasks = store.open_records("a", "").await?;
        same!(store.load("a", "", number, None).await?, Some(Loaded { head: 3, newest: 3, row, fields, tasks }));
    }
    for number in [9, u64::MAX] {
        matching!(store.load("a", "", Some(number), None).await, Err(CheckpointError::UnknownCheckpoint { .. }));
    }
    for (thread, ns) in [("a", "nowhere"), ("nobody", "")] {
        same!(store.load(thread, ns, None, None).await?, None);
        same!(store.load(thread, ns, Some(1), None).await?, None);
    }
    Ok(())
}

async fn what_a_reader_knows_is_left_out(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.put("", vec![whole("x", 1, b"1"), whole("y", 1, b"y")]).await?;
    writer.put("", vec![delta("x", 2, Some(1), b"2")]).await?;
    writer.put("", vec![whole("y", 3, b"z"), delta("x", 3, Some(2), b"3")]).await?;
    writer.put("", vec![delta("x", 4, Some(3), b"4")]).await?;
    let versions = |chain: Vec<FieldRecord>| chain.iter().map(|record| record.version).collect::<Vec<_>>();
    for (version, known, left) in [(4, 4, vec![]), (4, 2, vec![3, 4]), (3, 1, vec![2, 3]), (4, 0, vec![1, 2, 3, 4])] {
        same!(versions(store.field_after("a", "", "x", version, known).await?), left);
    }
    // A whole value builds on nothing, and what comes later is known of nothing.
    same!(versions(store.field_after("a", "", "y", 3, 1).await?), vec![3]);
    same!(versions(store.field_after("a", "", "x", 2, 4).await?), vec![1, 2]);
    matching!(store.field_after("a", "", "x", 9, 1).await, Err(CheckpointError::Corrupt { .. }));

    let known = |row: CheckpointRow| Known { number: row.number, id: row.id, fields: row.fields };
    let Some(second) = store.checkpoint("a", "", Some(2)).await?.map(known) else {
        return Err(CaseFailure::new("checkpoint 2 is not there".to_owned()));
    };
    for (number, x, y) in [(None, vec![3, 4], vec![3]), (Some(2), vec![], vec![]), (Some(1), vec![1], vec![])] {
        let loaded = store.load("a", "", number, Some(&second)).await?;
        let Some(Loaded { row, fields, .. }) = loaded else {
            return Err(CaseFailure::new(format!("checkpoint {number:?} is not there")));
        };
        let names = row.fields.iter().map(|(field, _)| field.to_string());
        let left: BTreeMap<_, _> = names.zip(fields.into_iter().map(versions)).collect();
        same!(left, BTreeMap::from([("x".to_owned(), x), ("y".to_owned(), y)]));
    }
    // A checkpoint of the same number in another thread's life is another one.
    let other = Known { id: "another".into(), ..second.clone() };
    same!(store.load("a", "", None, Some(&other)).await?, store.load("a", "", None, None).await?);
    let gone = Known { number: 77, ..second.clone() };
    same!(store.load("a", "", None, Some(&gone)).await?, store.load("a", "", None, None).await?);
    Ok(())
}

async fn a_checkpoint_is_read_by_its_number(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.chain("", 3).await?;
    for number in 1..=3 {
        same!(store.checkpoint("a", "", Some(number)).await?.map(|row| row.id), Some(format!("id-{number}").into()));
    }
    Ok(())
}

async fn a_thread_row_names_thread_owner_and_epoch(store: SharedStore) -> CaseResult {
    let lease = store.acquire("a").await?;
    store.commit(&lease, first()).await?;
    let stored = store.thread("a").await?.map(|row| (row.thread.to_string(), row.epoch, row.owner));
    same!(stored, Some(("a".to_owned(), 1, lease.owner.to_string())));
    store.release(&lease);
    let lease = store.acquire("a").await?;
    store.commit(&lease, step(2)).await?;
    let stored = store.thread("a").await?.map(|row| (row.epoch, row.owner));
    same!(stored, Some((2, lease.owner.to_string())));
    Ok(())
}

async fn large_numbers_are_kept(store: SharedStore) -> CaseResult {
    let large = i64::MAX as u64;
    let mut writer = StoreWriter::open(&store, "a").await?;
    let change = |commit: &mut Commit| {
        let row = CheckpointRow {
            number: large,
            step: large,
            time: large,
            executed: large,
            state_version: u32::MAX,
            ..checkpoint(1)
        };
        commit.checkpoint = Some(row);
        commit.journal = events([large]);
    };
    let row = writer.put_with("", vec![whole("x", large, b"x")], change).await?;
    same!(store.checkpoint("a", "", Some(large)).await?, Some(row));
    same!(store.last_seq("a").await?, large);
    same!(store.field("a", "", "x", large).await?.len(), 1);
    Ok(())
}

async fn the_head_tells_what_made_it(store: SharedStore) -> CaseResult {
    let lease = store.acquire("a").await?;
    store.commit(&lease, first()).await?;
    store.commit(&lease, step(2)).await?;
    let head = store.checkpoint("a", "", None).await?.map(|row| (row.source, row.step, row.executed, row.time));
    let expected = checkpoint(2);
    same!(head, Some((expected.source, expected.step, expected.executed, expected.time)));
    Ok(())
}

async fn the_first_checkpoint_has_no_parent(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.chain("", 2).await?;
    same!(store.checkpoint("a", "", Some(1)).await?.map(|row| row.parent), Some(None));
    same!(store.checkpoint("a", "", Some(2)).await?.map(|row| row.parent), Some(Some(1)));
    Ok(())
}

async fn task_records_are_there_beside_the_head(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    let records = vec![task("n:1.0", TaskRecordKind::Write, "", b"w")];
    let row = writer.put_with("", Vec::new(), |commit| commit.tasks = records.clone()).await?;
    same!(store.checkpoint("a", "", None).await?, Some(row));
    same!(store.task_records("a", "").await?, records);
    // They are of the namespace, not of one checkpoint: more history changes nothing.
    writer.chain("", 2).await?;
    same!(store.task_records("a", "").await?, records);
    Ok(())
}

async fn results_of_durable_steps_are_read_by_their_tasks(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    same!(store.open_records("a", "").await?, []);
    same!(store.once_records("a", "", &["1".into()]).await?, []);
    writer.chain("", 1).await?;
    let open = [task("2", TaskRecordKind::Write, "", b"w"), task("1", TaskRecordKind::Answer, "q", b"a")];
    let once = |name: &str, key: &str| task(name, TaskRecordKind::Once, key, b"r");
    writer.tasks("", vec![once("2", "k"), open[0].clone(), once("1", "l")]).await?;
    writer.tasks("", vec![once("1", "k"), open[1].clone(), once("3", "k")]).await?;
    writer.tasks("child", vec![once("1", "child")]).await?;
    same!(store.open_records("a", "").await?, open);
    for (tasks, expected) in [
        (vec!["1"], vec![once("1", "l"), once("1", "k")]),
        (vec!["3", "2", "nobody"], vec![once("2", "k"), once("3", "k")]),
        (vec!["1", "1"], vec![once("1", "l"), once("1", "k")]),
        (vec![], vec![]),
    ] {
        let tasks: Vec<std::sync::Arc<str>> = tasks.into_iter().map(Into::into).collect();
        same!(store.once_records("a", "", &tasks).await?, expected);
    }
    Ok(())
}

async fn reading_respects_the_namespace(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    for (ns, count) in [("", 1), ("c", 2), ("c/d", 3)] {
        writer.chain(ns, count).await?;
    }
    for (ns, count) in [("", 1), ("c", 2), ("c/d", 3)] {
        same!(store.checkpoint("a", ns, None).await?.map(|row| row.number), Some(count));
        same!(store.checkpoint("a", ns, Some(count + 1)).await?, None);
    }
    same!(store.checkpoint("a", "d", None).await?, None);
    Ok(())
}

async fn an_unknown_number_reads_as_nothing(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.chain("", 2).await?;
    for number in [0, 3, i64::MAX as u64, u64::MAX] {
        same!(store.checkpoint("a", "", Some(number)).await?, None);
    }
    Ok(())
}

async fn the_head_may_be_an_older_number(store: SharedStore) -> CaseResult {
    let lease = store.acquire("a").await?;
    let mut far = first();
    far.checkpoint = Some(CheckpointRow { number: 9, ..checkpoint(1) });
    store.commit(&lease, far).await?;
    let back = Commit { expected_head: Some(9), checkpoint: Some(checkpoint(3)), ..Commit::default() };
    store.commit(&lease, back).await?;
    same!(store.checkpoint("a", "", None).await?, Some(checkpoint(3)));
    same!(store.checkpoint("a", "", Some(9)).await?.map(|row| row.number), Some(9));
    Ok(())
}

async fn the_journal_is_read_in_pages(store: SharedStore) -> CaseResult {
    let lease = store.acquire("a").await?;
    store.commit(&lease, Commit { journal: events([1, 2, 3, 4, 5, 7]), ..first() }).await?;
    same!(store.journal("a", 0, 3).await?, events(1..=3));
    same!(store.journal("a", 3, 100).await?, events([4, 5, 7]));
    same!(store.journal("a", 5, 1).await?, events([7]));
    same!(store.journal("a", 7, 100).await?, []);
    same!(store.journal("a", u64::MAX, usize::MAX).await?, []);
    same!(store.journal("a", 0, 0).await?, []);
    Ok(())
}

async fn the_journal_goes_on_over_namespaces_and_runs(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.put_with("", Vec::new(), |commit| commit.journal = events([1, 2])).await?;
    writer.put_with("child", Vec::new(), |commit| commit.journal = events([3])).await?;
    let again = store.commit(&writer.lease, Commit { journal: events([3]), ..Commit::default() }).await;
    matching!(again, Err(CheckpointError::StaleHead { .. }));
    writer.close().await?;
    let next = store.acquire("a").await?;
    store.commit(&next, Commit { journal: events([4]), ..Commit::default() }).await?;
    same!(store.journal("a", 0, 9).await?, events(1..=4));
    same!(store.last_seq("a").await?, 4);
    Ok(())
}
