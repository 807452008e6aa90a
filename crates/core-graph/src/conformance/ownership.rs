//! Leases, epochs and heads: one writer, and a refused commit that leaves nothing behind.

use std::sync::Arc;

use super::ground::{
    CaseFailure, CaseResult, SharedStore, cases, checkpoint, events, first, matching, numbers, row, same, step, task,
    whole,
};
use crate::checkpoint::{CheckpointError, CheckpointRow, Commit, TaskRecordKind, ThreadStatus};

cases! {
    Base:
        one_writer_at_a_time
        a_lease_that_was_given_back_writes_no_more
        epochs_rise_with_every_writer_that_wrote
        a_lease_ends_with_the_commit_that_says_so
        heads_move_by_compare_and_set
        a_refused_commit_leaves_nothing_behind
        a_refused_first_commit_makes_no_thread
        commits_of_a_lease_are_in_the_order_they_were_made
        writers_do_not_disturb_each_other
        one_of_many_gets_the_thread;
}

async fn one_writer_at_a_time(store: SharedStore) -> CaseResult {
    let one = store.acquire("a").await?;
    matching!(store.acquire("a").await, Err(CheckpointError::ThreadBusy { .. }));
    store.acquire("b").await?;
    store.release(&one);
    store.release(&one);
    let two = store.acquire("a").await?;
    same!(one.owner != two.owner, true);
    // A lease that is no longer valid gives nothing back.
    store.release(&one);
    matching!(store.acquire("a").await, Err(CheckpointError::ThreadBusy { .. }));
    store.commit(&two, first()).await?;
    matching!(store.acquire("a").await, Err(CheckpointError::ThreadBusy { .. }));
    Ok(())
}

async fn a_lease_that_was_given_back_writes_no_more(store: SharedStore) -> CaseResult {
    let one = store.acquire("a").await?;
    store.release(&one);
    matching!(store.commit(&one, first()).await, Err(CheckpointError::StaleHead { .. }));
    same!(store.thread("a").await?, None);
    let two = store.acquire("a").await?;
    store.commit(&two, first()).await?;
    store.release(&two);
    let three = store.acquire("a").await?;
    matching!(store.commit(&two, step(2)).await, Err(CheckpointError::StaleHead { .. }));
    store.commit(&three, step(2)).await?;
    Ok(())
}

async fn epochs_rise_with_every_writer_that_wrote(store: SharedStore) -> CaseResult {
    let one = store.acquire("a").await?;
    store.release(&one);
    let two = store.acquire("a").await?;
    same!((one.epoch, two.epoch), (1, 1));
    store.commit(&two, first()).await?;
    store.release(&two);
    for epoch in 2..5 {
        let lease = store.acquire("a").await?;
        same!(lease.epoch, epoch);
        store.commit(&lease, Commit { release: true, ..step(epoch) }).await?;
        same!(store.thread("a").await?.map(|row| (row.epoch, row.owner)), Some((epoch, String::new())));
    }
    Ok(())
}

async fn a_lease_ends_with_the_commit_that_says_so(store: SharedStore) -> CaseResult {
    let lease = store.acquire("a").await?;
    store.commit(&lease, Commit { release: true, ..first() }).await?;
    matching!(store.commit(&lease, step(2)).await, Err(CheckpointError::StaleHead { .. }));
    same!(store.acquire("a").await?.epoch, 2);
    Ok(())
}

/// A commit that would write everything that a commit can.
fn everything(commit: Commit) -> Commit {
    Commit {
        fields: vec![whole("x", 9, b"x"), whole("large", 9, &[9; 100_000])],
        tasks: vec![task("t", TaskRecordKind::Once, "k", b"x")],
        thread: Some(row("g", ThreadStatus::Failed)),
        release: true,
        ..commit
    }
}

async fn heads_move_by_compare_and_set(store: SharedStore) -> CaseResult {
    let lease = store.acquire("a").await?;
    store.commit(&lease, first()).await?;
    for expected_head in [None, Some(2), Some(0)] {
        let answer = store.commit(&lease, Commit { expected_head, ..step(2) }).await;
        matching!(answer, Err(CheckpointError::StaleHead { .. }));
    }
    store.commit(&lease, step(2)).await?;
    same!(store.checkpoint("a", "", None).await?, Some(checkpoint(2)));
    Ok(())
}

async fn a_refused_commit_leaves_nothing_behind(store: SharedStore) -> CaseResult {
    let lease = store.acquire("a").await?;
    store.commit(&lease, Commit { journal: events([1]), ..first() }).await?;
    let refused = [
        Commit { expected_head: None, ..step(2) },
        Commit { expected_head: Some(2), ..step(2) },
        // The number is taken.
        Commit { expected_head: Some(1), ..step(1) },
        Commit { journal: events([2, 2]), ..step(2) },
        Commit { journal: events([1]), ..step(2) },
        Commit { ns: "child".into(), expected_head: Some(1), ..step(2) },
    ];
    for commit in refused {
        let answer = store.commit(&lease, everything(commit)).await;
        matching!(answer, Err(CheckpointError::StaleHead { .. }));
        same!(store.thread("a").await?.map(|row| row.status), Some(ThreadStatus::Running));
        same!(numbers(&store, "a", "").await?, [1]);
        matching!(store.field("a", "", "x", 9).await, Err(CheckpointError::Corrupt { .. }));
        same!(store.task_records("a", "").await?, []);
        same!(store.task_records("a", "child").await?, []);
        same!(store.journal("a", 0, 10).await?, events([1]));
        same!(store.namespaces("a").await?, [""]);
        if store.capabilities().stats {
            same!(store.stats().await?.bytes, 0);
        }
    }
    store.commit(&lease, everything(Commit { journal: events([2]), ..step(2) })).await?;
    same!(store.thread("a").await?.map(|row| row.status), Some(ThreadStatus::Failed));
    Ok(())
}

async fn a_refused_first_commit_makes_no_thread(store: SharedStore) -> CaseResult {
    let lease = store.acquire("a").await?;
    let refused = store.commit(&lease, Commit { expected_head: Some(4), ..everything(first()) }).await;
    matching!(refused, Err(CheckpointError::StaleHead { .. }));
    same!(store.thread("a").await?, None);
    same!(store.threads(&Default::default()).await?, []);
    store.commit(&lease, first()).await?;
    Ok(())
}

async fn commits_of_a_lease_are_in_the_order_they_were_made(store: SharedStore) -> CaseResult {
    let lease = store.acquire("a").await?;
    store.commit(&lease, first()).await?;
    // Asked for without waiting in between, as a background writer does.
    let commits = (2..=40).map(|number| store.commit(&lease, Commit { journal: events([number]), ..step(number) }));
    for answer in futures::future::join_all(commits).await {
        answer?;
    }
    same!(store.checkpoint("a", "", None).await?, Some(checkpoint(40)));
    same!(store.journal("a", 0, 99).await?, events(2..=40));
    Ok(())
}

async fn writers_do_not_disturb_each_other(store: SharedStore) -> CaseResult {
    const COMMITS: u64 = 30;
    let writers: Vec<_> = (0..8u8)
        .map(|writer| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                let thread = format!("t{writer}");
                let lease = store.acquire(&thread).await?;
                for number in 1..=COMMITS {
                    let mut commit = if number == 1 { first() } else { step(number) };
                    commit.journal = events([number]);
                    commit.fields = vec![whole("x", number, &[writer; 100])];
                    store.commit(&lease, commit).await?;
                    if number % 3 == u64::from(writer) % 3 {
                        let again = store.commit(&lease, step(number)).await;
                        matching!(again, Err(CheckpointError::StaleHead { .. }));
                    }
                    let head = store.checkpoint(&thread, "", None).await?;
                    same!(head.map(|head| head.number), Some(number));
                }
                store.commit(&lease, Commit { release: true, ..Commit::default() }).await?;
                Ok::<_, CaseFailure>(())
            })
        })
        .collect();
    for writer in writers {
        writer.await.map_err(|error| CaseFailure::new(error.to_string()))??;
    }
    for writer in 0..8 {
        let thread = format!("t{writer}");
        same!(store.journal(&thread, 0, 1000).await?, events(1..=COMMITS));
        same!(store.thread(&thread).await?.map(|row| row.owner), Some(String::new()));
        let head = store.checkpoint(&thread, "", None).await?;
        same!(head, Some(CheckpointRow { ..checkpoint(COMMITS) }));
    }
    Ok(())
}

async fn one_of_many_gets_the_thread(store: SharedStore) -> CaseResult {
    let asked: Vec<_> = (0..16)
        .map(|_| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { store.acquire("a").await })
        })
        .collect();
    let mut leases = Vec::new();
    for lease in asked {
        match lease.await.map_err(|error| CaseFailure::new(error.to_string()))? {
            Ok(lease) => leases.push(lease),
            refused => matching!(refused, Err(CheckpointError::ThreadBusy { .. })),
        }
    }
    same!(leases.len(), 1);
    store.commit(&leases[0], first()).await?;
    Ok(())
}
