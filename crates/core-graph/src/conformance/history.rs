//! Lists: checkpoints newest first, threads by their last writing, namespaces by name.

use super::ground::{CaseFailure, CaseResult, SharedStore, StoreWriter, cases, checkpoint, numbers, row, same, step};
use crate::checkpoint::{Commit, HistoryFilter, Source, ThreadFilter, ThreadStatus};

cases! {
    Base:
        history_lists_every_checkpoint
        history_is_of_one_thread
        history_is_of_one_namespace
        history_is_newest_first
        history_is_filtered_by_what_made_it
        history_before_a_number_ends_there
        history_has_at_most_its_limit
        history_is_read_in_pages
        filters_of_history_combine
        history_of_what_is_not_there_is_empty
        filters_that_match_nothing_list_nothing
        namespaces_are_listed_by_name
        threads_are_listed_by_last_writing
        threads_are_filtered_by_graph_and_status;
}

async fn listed(
    store: &SharedStore,
    before: Option<u64>,
    source: Option<Source>,
    limit: Option<usize>,
) -> Result<Vec<u64>, CaseFailure> {
    let rows = store.checkpoints("a", "", &HistoryFilter { before, source, limit }).await?;
    Ok(rows.iter().map(|row| row.number).collect())
}

/// Six checkpoints in two threads and a namespace; in `a` the first is an input and the fourth a fork.
async fn six(store: &SharedStore) -> CaseResult {
    for thread in ["b", "a"] {
        let mut writer = StoreWriter::open(store, thread).await?;
        for number in 1..=6 {
            let fork = |commit: &mut Commit| {
                if let Some(row) = commit.checkpoint.as_mut().filter(|row| row.number == 4) {
                    (row.source, row.parent) = (Source::Fork, Some(2));
                }
            };
            writer.put_with("", Vec::new(), fork).await?;
            if number == 3 {
                writer.chain("child", 2).await?;
            }
        }
    }
    Ok(())
}

async fn history_lists_every_checkpoint(store: SharedStore) -> CaseResult {
    six(&store).await?;
    let rows = store.checkpoints("a", "", &HistoryFilter::default()).await?;
    same!(rows.len(), 6);
    for row in rows.into_iter().filter(|row| row.number != 4) {
        same!(row, checkpoint(row.number));
    }
    Ok(())
}

async fn history_is_of_one_thread(store: SharedStore) -> CaseResult {
    six(&store).await?;
    let mut writer = StoreWriter::open(&store, "c").await?;
    writer.chain("", 2).await?;
    same!(numbers(&store, "c", "").await?, [2, 1]);
    Ok(())
}

async fn history_is_of_one_namespace(store: SharedStore) -> CaseResult {
    six(&store).await?;
    same!(numbers(&store, "a", "child").await?, [2, 1]);
    Ok(())
}

async fn history_is_newest_first(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    writer.chain("", 12).await?;
    same!(numbers(&store, "a", "").await?, (1..=12).rev().collect::<Vec<_>>());
    Ok(())
}

async fn history_is_filtered_by_what_made_it(store: SharedStore) -> CaseResult {
    six(&store).await?;
    for (source, expected) in
        [(Source::Input, vec![1]), (Source::Fork, vec![4]), (Source::Step, vec![6, 5, 3, 2]), (Source::Update, vec![])]
    {
        same!(listed(&store, None, Some(source), None).await?, expected);
    }
    Ok(())
}

async fn history_before_a_number_ends_there(store: SharedStore) -> CaseResult {
    six(&store).await?;
    same!(listed(&store, Some(4), None, None).await?, [3, 2, 1]);
    same!(listed(&store, Some(1), None, None).await?, [0; 0]);
    same!(listed(&store, Some(u64::MAX), None, None).await?, [6, 5, 4, 3, 2, 1]);
    Ok(())
}

async fn history_has_at_most_its_limit(store: SharedStore) -> CaseResult {
    six(&store).await?;
    for limit in [0, 1, 2, 6, 7, usize::MAX] {
        let expected: Vec<u64> = (1..=6).rev().take(limit).collect();
        same!(listed(&store, None, None, Some(limit)).await?, expected);
    }
    Ok(())
}

async fn history_is_read_in_pages(store: SharedStore) -> CaseResult {
    six(&store).await?;
    let (mut before, mut read) = (None, Vec::new());
    loop {
        let page = listed(&store, before, None, Some(4)).await?;
        let Some(last) = page.last() else { break };
        before = Some(*last);
        read.extend(page);
    }
    same!(read, [6, 5, 4, 3, 2, 1]);
    Ok(())
}

async fn filters_of_history_combine(store: SharedStore) -> CaseResult {
    six(&store).await?;
    same!(listed(&store, Some(6), Some(Source::Step), Some(2)).await?, [5, 3]);
    same!(listed(&store, Some(4), Some(Source::Step), None).await?, [3, 2]);
    Ok(())
}

async fn history_of_what_is_not_there_is_empty(store: SharedStore) -> CaseResult {
    six(&store).await?;
    same!(numbers(&store, "nobody", "").await?, [0; 0]);
    same!(numbers(&store, "a", "nowhere").await?, [0; 0]);
    Ok(())
}

async fn filters_that_match_nothing_list_nothing(store: SharedStore) -> CaseResult {
    six(&store).await?;
    same!(listed(&store, Some(4), Some(Source::Fork), None).await?, [0; 0]);
    same!(listed(&store, None, Some(Source::Update), Some(5)).await?, [0; 0]);
    Ok(())
}

async fn namespaces_are_listed_by_name(store: SharedStore) -> CaseResult {
    let mut writer = StoreWriter::open(&store, "a").await?;
    for ns in ["b/2", "", "b/10", "a", "B", "ü"] {
        writer.put(ns, Vec::new()).await?;
    }
    same!(store.namespaces("a").await?, ["", "B", "a", "b/10", "b/2", "ü"]);
    Ok(())
}

/// Threads `a` and `c` of the graph `g`, `b` of `h`; `a` was written last and is done.
async fn three(store: &SharedStore) -> CaseResult {
    let mut first = None;
    for (thread, graph) in [("a", "g"), ("b", "h"), ("c", "g")] {
        let lease = store.acquire(thread).await?;
        let begin = Commit { thread: Some(row(graph, ThreadStatus::Running)), ..step(1) };
        store.commit(&lease, begin).await?;
        first.get_or_insert(lease);
    }
    if let Some(lease) = first {
        // The time in the row does not count: clocks of processes differ.
        let thread = Some(crate::checkpoint::ThreadRow { updated: 1, ..row("g", ThreadStatus::Done) });
        store.commit(&lease, Commit { thread, ..step(2) }).await?;
    }
    Ok(())
}

async fn names(store: &SharedStore, filter: ThreadFilter) -> Result<Vec<String>, CaseFailure> {
    Ok(store.threads(&filter).await?.iter().map(|row| row.thread.to_string()).collect())
}

async fn threads_are_listed_by_last_writing(store: SharedStore) -> CaseResult {
    three(&store).await?;
    same!(names(&store, ThreadFilter::default()).await?, ["a", "c", "b"]);
    same!(names(&store, ThreadFilter { limit: Some(2), ..Default::default() }).await?, ["a", "c"]);
    same!(names(&store, ThreadFilter { limit: Some(0), ..Default::default() }).await?, Vec::<String>::new());
    Ok(())
}

async fn threads_are_filtered_by_graph_and_status(store: SharedStore) -> CaseResult {
    three(&store).await?;
    let filter = |graph: Option<&str>, status| ThreadFilter { graph: graph.map(str::to_owned), status, limit: None };
    same!(names(&store, filter(Some("g"), None)).await?, ["a", "c"]);
    same!(names(&store, filter(Some("g"), Some(ThreadStatus::Running))).await?, ["c"]);
    same!(names(&store, filter(None, Some(ThreadStatus::Running))).await?, ["c", "b"]);
    same!(names(&store, filter(None, Some(ThreadStatus::Waiting))).await?, Vec::<String>::new());
    same!(names(&store, filter(Some("nothing"), None)).await?, Vec::<String>::new());
    Ok(())
}
