//! Commits that are given together.

use super::ground::{CaseResult, SharedStore, cases, checkpoint, events, first, matching, row, same, step};
use crate::checkpoint::{CheckpointError, Commit, HistoryFilter, ThreadStatus};

cases! {
    Base:
        commits_given_together_are_written_in_their_order
        nothing_follows_a_refused_one_of_several_commits
        the_last_of_several_commits_may_give_the_lease_back;
}

/// The first checkpoint of another namespace.
fn child() -> Commit {
    Commit { ns: "c".into(), checkpoint: Some(checkpoint(1)), ..Commit::default() }
}

async fn commits_given_together_are_written_in_their_order(store: SharedStore) -> CaseResult {
    let lease = store.acquire("a").await?;
    let told = |seq, commit: Commit| Commit { journal: events([seq]), ..commit };
    store.commit_all(&lease, vec![told(1, first()), told(2, child()), told(3, step(2)), told(4, step(3))]).await?;
    let numbers: Vec<_> =
        store.checkpoints("a", "", &HistoryFilter::default()).await?.iter().map(|row| row.number).collect();
    same!(numbers, [3, 2, 1]);
    same!(store.checkpoint("a", "c", None).await?, Some(checkpoint(1)));
    let seqs: Vec<_> = store.journal("a", 0, 10).await?.iter().map(|row| row.seq).collect();
    same!(seqs, [1, 2, 3, 4]);
    store.commit_all(&lease, Vec::new()).await?;
    store.commit(&lease, step(4)).await?;
    same!(store.checkpoint("a", "", None).await?.map(|row| row.number), Some(4));
    Ok(())
}

async fn nothing_follows_a_refused_one_of_several_commits(store: SharedStore) -> CaseResult {
    let lease = store.acquire("a").await?;
    store.commit(&lease, first()).await?;
    let stale = Commit { expected_head: Some(7), ..step(8) };
    matching!(store.commit_all(&lease, vec![step(2), stale, child()]).await, Err(CheckpointError::StaleHead { .. }));
    same!(store.checkpoint("a", "c", None).await?, None);
    // Those before it are written, or nothing is.
    let head = store.checkpoint("a", "", None).await?.map_or(0, |row| row.number);
    same!((1..=2).contains(&head), true);
    store.commit(&lease, step(head + 1)).await?;
    same!(store.checkpoint("a", "", None).await?.map(|row| row.number), Some(head + 1));
    Ok(())
}

async fn the_last_of_several_commits_may_give_the_lease_back(store: SharedStore) -> CaseResult {
    let lease = store.acquire("a").await?;
    let done = Commit { thread: Some(row("g", ThreadStatus::Done)), release: true, ..step(2) };
    store.commit_all(&lease, vec![first(), done]).await?;
    let stored = store.thread("a").await?.map(|row| (row.status, row.owner));
    same!(stored, Some((ThreadStatus::Done, String::new())));
    matching!(store.commit(&lease, step(3)).await, Err(CheckpointError::StaleHead { .. }));
    same!(store.acquire("a").await?.epoch, 2);
    Ok(())
}
