//! What is committed is what is read back.

use super::ground::{
    CaseResult, SharedStore, StoreWriter, cases, checkpoint, first, matching, row, same, step, value, whole, without,
};
use crate::checkpoint::{CheckpointError, CheckpointRow, Commit, FieldVersions, Source, ThreadRow, ThreadStatus};

cases! {
    Base:
        a_thread_begins_with_its_first_commit
        a_checkpoint_is_read_back_as_it_was_written
        field_values_of_every_kind_are_read_back
        versions_of_fields_are_read_back_in_their_order
        what_made_a_checkpoint_is_read_back
        statuses_of_threads_are_read_back
        the_root_namespace_has_the_empty_name
        a_child_namespace_is_apart_from_its_parent
        a_commit_is_for_the_root_unless_it_says_otherwise
        checkpoints_of_a_thread_are_all_there
        threads_are_apart
        a_checkpoint_names_its_parent
        an_unchanged_field_keeps_its_version
        a_field_may_appear_later
        a_field_may_disappear
        names_of_any_characters_are_kept
        a_commit_without_a_checkpoint_moves_no_head;
}

async fn a_thread_begins_with_its_first_commit(store: SharedStore) -> CaseResult {
    let lease = store.acquire("a").await?;
    same!((&*lease.thread, lease.epoch), ("a", 1));
    same!(store.thread("a").await?, None);
    matching!(store.commit(&lease, step(1)).await, Err(CheckpointError::UnknownThread { .. }));
    store.commit(&lease, first()).await?;
    let expected =
        ThreadRow { thread: "a".into(), epoch: 1, owner: lease.owner.to_string(), ..row("g", ThreadStatus::Running) };
    same!(store.thread("a").await?, Some(expected.clone()));
    let done = Commit { thread: Some(row("g", ThreadStatus::Done)), release: true, ..step(2) };
    store.commit(&lease, done).await?;
    let expected = ThreadRow { status: ThreadStatus::Done, owner: String::new(), ..expected };
    same!(store.thread("a").await?, Some(expected));
    Ok(())
}

async fn a_checkpoint_is_read_back_as_it_was_written(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    let row = writer.put("", vec![whole("x", 1, b"1"), whole("y", 1, b"2")]).await?;
    same!(store.checkpoint("a", "", None).await?, Some(row.clone()));
    same!(store.checkpoint("a", "", Some(1)).await?, Some(row));
    Ok(())
}

async fn field_values_of_every_kind_are_read_back(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    let every: Vec<u8> = (0..=255).collect();
    let large = every.repeat(1000);
    let edge = every.repeat(256);
    let values: [(&str, &[u8]); 6] = [
        ("empty", b""),
        ("zeros", &[0; 9]),
        ("text", "ü\u{0}\n'\"".as_bytes()),
        ("every", &every),
        ("l", &large),
        ("64", &edge),
    ];
    writer.put("", values.iter().map(|(field, bytes)| whole(field, 1, bytes)).collect()).await?;
    for (field, bytes) in values {
        same!(value(&store, "a", "", field, 1).await?, bytes);
    }
    Ok(())
}

async fn versions_of_fields_are_read_back_in_their_order(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    let fields = FieldVersions::from(["z", "a", "#f", "m"].map(|field| (field, 1)));
    let expected = fields.clone();
    let records = vec![whole("z", 1, b"z"), whole("a", 1, b"a"), whole("#f", 1, b"f"), whole("m", 1, b"m")];
    let change = |commit: &mut Commit| commit.checkpoint = Some(CheckpointRow { fields, ..checkpoint(1) });
    writer.put_with("", records, change).await?;
    same!(store.checkpoint("a", "", None).await?.map(|row| row.fields), Some(expected));
    Ok(())
}

async fn what_made_a_checkpoint_is_read_back(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    for source in [Source::Input, Source::Step, Source::Update, Source::Fork] {
        let change = |commit: &mut Commit| {
            if let Some(row) = &mut commit.checkpoint {
                row.source = source;
                (row.step, row.time, row.executed, row.state_version) = (11, 1_800_000_000_000, 12, 13);
            }
        };
        let row = writer.put_with("", Vec::new(), change).await?;
        same!(row.source, source);
        same!(store.checkpoint("a", "", None).await?, Some(row));
    }
    Ok(())
}

async fn statuses_of_threads_are_read_back(store: SharedStore) -> CaseResult {
    use ThreadStatus::{BudgetSpent, Cancelled, Done, Drained, Failed, New, Running, Waiting};
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.put("", Vec::new()).await?;
    for status in [New, Running, Done, Waiting, Failed, Cancelled, Drained, BudgetSpent] {
        let detail = format!("because of\n`{status:?}` ü");
        let thread = Some(ThreadRow { detail: detail.clone(), ..row("g", status) });
        store.commit(&writer.lease, Commit { thread, ..Commit::default() }).await?;
        let stored = store.thread("a").await?.map(|row| (row.status, row.detail));
        same!(stored, Some((status, detail)));
    }
    Ok(())
}

async fn the_root_namespace_has_the_empty_name(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.put("", Vec::new()).await?;
    same!(store.namespaces("a").await?, [""]);
    Ok(())
}

async fn a_child_namespace_is_apart_from_its_parent(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.put("", vec![whole("x", 1, b"parent")]).await?;
    writer.put("child:1.0", vec![whole("x", 1, b"child")]).await?;
    writer.put("child:1.0", Vec::new()).await?;
    same!(store.checkpoint("a", "", None).await?.map(|row| row.number), Some(1));
    same!(store.checkpoint("a", "child:1.0", None).await?.map(|row| row.number), Some(2));
    same!(value(&store, "a", "", "x", 1).await?, b"parent");
    same!(value(&store, "a", "child:1.0", "x", 1).await?, b"child");
    Ok(())
}

async fn a_commit_is_for_the_root_unless_it_says_otherwise(store: SharedStore) -> CaseResult {
    let lease = store.acquire("a").await?;
    store.commit(&lease, first()).await?;
    same!(store.checkpoint("a", "", None).await?, Some(checkpoint(1)));
    same!(store.checkpoint("a", "other", None).await?, None);
    Ok(())
}

async fn checkpoints_of_a_thread_are_all_there(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    let mut rows = Vec::new();
    for number in 1..=5 {
        rows.push(writer.put("", vec![whole("x", number, &[number as u8])]).await?);
    }
    for row in rows {
        same!(store.checkpoint("a", "", Some(row.number)).await?, Some(row.clone()));
        same!(value(&store, "a", "", "x", row.number).await?, [row.number as u8]);
    }
    Ok(())
}

async fn threads_are_apart(store: SharedStore) -> CaseResult {
    for (thread, count) in [("a", 2), ("b", 3), ("a/b", 1), ("A", 4)] {
        let mut writer = StoreWriter::open(&store, thread).await?;
        writer.chain("", count).await?;
        writer.put_with("", Vec::new(), |commit| commit.journal = super::ground::events([count])).await?;
    }
    for (thread, count) in [("a", 3), ("b", 4), ("a/b", 2), ("A", 5)] {
        same!(store.checkpoint(thread, "", None).await?.map(|row| row.number), Some(count));
        same!(store.journal(thread, 0, 9).await?, super::ground::events([count - 1]));
    }
    Ok(())
}

async fn a_checkpoint_names_its_parent(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.chain("", 3).await?;
    let fork = |commit: &mut Commit| {
        if let Some(row) = &mut commit.checkpoint {
            (row.parent, row.source) = (Some(1), Source::Fork);
        }
    };
    writer.put_with("", Vec::new(), fork).await?;
    for (number, parent) in [(1, None), (2, Some(1)), (3, Some(2)), (4, Some(1))] {
        same!(store.checkpoint("a", "", Some(number)).await?.map(|row| row.parent), Some(parent));
    }
    Ok(())
}

async fn an_unchanged_field_keeps_its_version(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.put("", vec![whole("x", 1, b"x1"), whole("y", 1, b"y1")]).await?;
    let row = writer.put("", vec![whole("y", 2, b"y2")]).await?;
    same!(store.checkpoint("a", "", None).await?, Some(row.clone()));
    for (field, expected) in [("x", "x1"), ("y", "y2")] {
        let version = row.fields.of(field).unwrap_or(0);
        same!(value(&store, "a", "", field, version).await?, expected.as_bytes());
    }
    same!(value(&store, "a", "", "y", 1).await?, b"y1");
    Ok(())
}

async fn a_field_may_appear_later(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.put("", vec![whole("x", 1, b"x")]).await?;
    let row = writer.put("", vec![whole("new", 2, b"new")]).await?;
    same!(store.checkpoint("a", "", None).await?, Some(row));
    same!(store.checkpoint("a", "", Some(1)).await?.map(|row| row.fields.len()), Some(1));
    same!(value(&store, "a", "", "new", 2).await?, b"new");
    Ok(())
}

async fn a_field_may_disappear(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.put("", vec![whole("x", 1, b"x"), whole("y", 1, b"y")]).await?;
    let drop_x = |commit: &mut Commit| {
        if let Some(row) = &mut commit.checkpoint {
            row.fields = without(&row.fields, "x").collect();
        }
    };
    writer.put_with("", Vec::new(), drop_x).await?;
    let names = store.checkpoint("a", "", None).await?.map(|row| row.fields).unwrap_or_default();
    same!(names.iter().map(|(field, _)| &**field).collect::<Vec<_>>(), ["y"]);
    same!(store.checkpoint("a", "", Some(1)).await?.map(|row| row.fields.len()), Some(2));
    Ok(())
}

async fn names_of_any_characters_are_kept(store: SharedStore) -> CaseResult {
    for name in ["'; DROP TABLE threads; --", "ü/\u{1F600}", "%_*?", " ", "\"quoted\"", "back\\slash"] {
        let mut writer = StoreWriter::open(&store, name).await?;
        writer.put("", Vec::new()).await?;
        let row = writer.put(name, vec![whole(name, 1, name.as_bytes())]).await?;
        same!(store.checkpoint(name, name, None).await?, Some(row));
        same!(value(&store, name, name, name, 1).await?, name.as_bytes());
        same!(store.thread(name).await?.map(|row| row.thread.to_string()), Some(name.to_owned()));
    }
    Ok(())
}

async fn a_commit_without_a_checkpoint_moves_no_head(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    let row = writer.put("", Vec::new()).await?;
    let only_a_field = Commit { fields: vec![whole("x", 1, b"x")], ..Commit::default() };
    store.commit(&writer.lease, only_a_field).await?;
    same!(store.checkpoint("a", "", None).await?, Some(row));
    Ok(())
}
