//! Values that are stored as differences.

use super::ground::{CaseResult, SharedStore, StoreWriter, cases, delta, matching, same, task, value, whole};
use crate::checkpoint::{CheckpointError, CheckpointRow, Commit, RecordKind, Source, TaskRecordKind};

cases! {
    Base:
        a_chain_is_read_oldest_first
        a_chain_begins_at_the_nearest_whole_value
        records_of_tasks_are_no_part_of_a_chain
        fields_have_chains_of_their_own
        a_chain_without_a_whole_value_goes_to_its_beginning
        a_whole_value_may_follow_differences
        a_chain_follows_its_branch
        a_chain_goes_over_what_lies_between
        what_is_missing_in_a_chain_is_told
        a_record_that_is_written_again_in_a_chain_is_replaced;
    SharedValues:
        large_values_are_stored_once;
}

async fn a_chain_is_read_oldest_first(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.put("", vec![whole("x", 1, b"1")]).await?;
    for version in 2..=9 {
        let bytes = version.to_string();
        writer.put("", vec![delta("x", version, Some(version - 1), bytes.as_bytes())]).await?;
    }
    for version in 1..=9u64 {
        let chain = store.field("a", "", "x", version).await?;
        same!(chain.iter().map(|record| record.version).collect::<Vec<_>>(), (1..=version).collect::<Vec<_>>());
        same!(
            chain.iter().map(|record| record.previous).collect::<Vec<_>>()[1..],
            (1..version).map(Some).collect::<Vec<_>>()
        );
        let expected: String = (1..=version).map(|number| number.to_string()).collect();
        same!(value(&store, "a", "", "x", version).await?, expected.as_bytes());
    }
    Ok(())
}

async fn a_chain_begins_at_the_nearest_whole_value(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    for version in 1..=6 {
        let record = match version {
            1 | 4 => whole("x", version, format!("[{version}]").as_bytes()),
            _ => delta("x", version, Some(version - 1), version.to_string().as_bytes()),
        };
        writer.put("", vec![record]).await?;
    }
    for (version, expected) in [(3, "[1]23"), (4, "[4]"), (6, "[4]56")] {
        same!(value(&store, "a", "", "x", version).await?, expected.as_bytes());
    }
    let kinds: Vec<_> = store.field("a", "", "x", 6).await?.iter().map(|record| record.kind).collect();
    same!(kinds, [RecordKind::Whole, RecordKind::Delta, RecordKind::Delta]);
    Ok(())
}

async fn records_of_tasks_are_no_part_of_a_chain(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.put("", vec![whole("x", 1, b"1")]).await?;
    writer.tasks("", vec![task("x", TaskRecordKind::Write, "x", b"extra")]).await?;
    same!(value(&store, "a", "", "x", 1).await?, b"1");
    Ok(())
}

async fn fields_have_chains_of_their_own(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.put("", vec![whole("x", 1, b"x1"), whole("y", 1, b"y1")]).await?;
    writer.put("", vec![delta("x", 2, Some(1), b"x2")]).await?;
    writer.put("", vec![delta("x", 3, Some(2), b"x3"), whole("y", 3, b"y3")]).await?;
    writer.put("child", vec![whole("x", 1, b"c1")]).await?;
    same!(value(&store, "a", "", "x", 3).await?, b"x1x2x3");
    same!(value(&store, "a", "", "y", 3).await?, b"y3");
    same!(value(&store, "a", "", "y", 1).await?, b"y1");
    same!(value(&store, "a", "child", "x", 1).await?, b"c1");
    Ok(())
}

async fn a_chain_without_a_whole_value_goes_to_its_beginning(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.put("", vec![delta("x", 1, None, b"1")]).await?;
    writer.put("", vec![delta("x", 2, Some(1), b"2")]).await?;
    let chain = store.field("a", "", "x", 2).await?;
    same!(chain, [delta("x", 1, None, b"1"), delta("x", 2, Some(1), b"2")]);
    Ok(())
}

async fn a_whole_value_may_follow_differences(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.put("", vec![delta("x", 1, None, b"1")]).await?;
    writer.put("", vec![whole("x", 2, b"all")]).await?;
    writer.put("", vec![delta("x", 3, Some(2), b"3")]).await?;
    same!(value(&store, "a", "", "x", 3).await?, b"all3");
    Ok(())
}

async fn a_chain_follows_its_branch(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.put("", vec![whole("x", 1, b"1")]).await?;
    writer.put("", vec![delta("x", 2, Some(1), b"2")]).await?;
    writer.put("", vec![delta("x", 3, Some(2), b"3")]).await?;
    let fork = |commit: &mut Commit| {
        if let Some(row) = commit.checkpoint.take() {
            commit.checkpoint = Some(CheckpointRow { parent: Some(2), source: Source::Fork, ..row });
        }
    };
    writer.put_with("", vec![delta("x", 4, Some(2), b"4")], fork).await?;
    writer.put("", vec![delta("x", 5, Some(4), b"5")]).await?;
    same!(value(&store, "a", "", "x", 3).await?, b"123");
    same!(value(&store, "a", "", "x", 5).await?, b"1245");
    Ok(())
}

async fn a_chain_goes_over_what_lies_between(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    let (mut previous, mut expected) = (None, Vec::new());
    for version in 1..=120 {
        let letter = [version as u8];
        let mut fields = vec![whole("y", version, b"y"), whole("z", version, b"z")];
        match version {
            1 => fields.push(whole("x", 1, &letter)),
            // Near one another, far from one another, and far again.
            2 | 10 | 100 | 120 => fields.push(delta("x", version, previous, &letter)),
            // Of a branch that is left again.
            50 | 115 => fields.push(delta("x", version, Some(1), b"no")),
            _ => {}
        }
        if matches!(version, 1 | 2 | 10 | 100 | 120) {
            previous = Some(version);
            expected.extend(letter);
        }
        writer.put("", fields).await?;
    }
    same!(value(&store, "a", "", "x", 120).await?, expected);
    same!(value(&store, "a", "", "x", 10).await?, expected[..3]);
    Ok(())
}

async fn what_is_missing_in_a_chain_is_told(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.put("", vec![whole("x", 1, b"1"), delta("broken", 1, Some(0), b"1")]).await?;
    for (ns, field, version) in
        [("", "x", 2), ("", "nothing", 1), ("nowhere", "x", 1), ("", "broken", 1), ("", "x", u64::MAX)]
    {
        matching!(store.field("a", ns, field, version).await, Err(CheckpointError::Corrupt { .. }));
    }
    Ok(())
}

async fn a_record_that_is_written_again_in_a_chain_is_replaced(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.put("", vec![whole("x", 1, b"old")]).await?;
    let again = Commit { fields: vec![whole("x", 1, b"new")], ..Commit::default() };
    store.commit(&writer.lease, again).await?;
    same!(value(&store, "a", "", "x", 1).await?, b"new");
    Ok(())
}

async fn large_values_are_stored_once(store: SharedStore) -> CaseResult {
    let large: Vec<u8> = (0..200_000u32).map(|number| (number % 251) as u8).collect();
    for thread in ["a", "b"] {
        let mut writer = StoreWriter::open(&store, thread).await?;
        writer.put("", vec![whole("x", 1, &large)]).await?;
        writer.put("", vec![whole("x", 2, &large)]).await?;
        writer.close().await?;
    }
    let stats = store.stats().await?;
    same!((stats.threads, stats.checkpoints), (2, 4));
    // What a store puts around a value is its own affair; a second copy is not.
    same!((200_000..201_000).contains(&stats.bytes), true);
    for version in [1, 2] {
        same!(value(&store, "a", "", "x", version).await?, large);
    }
    if store.capabilities().delete_thread && store.capabilities().compact {
        store.delete_thread("a").await?;
        same!(value(&store, "b", "", "x", 1).await?, large);
        store.delete_thread("b").await?;
        store.compact().await?;
        same!(store.stats().await?.bytes, 0);
    }
    Ok(())
}
