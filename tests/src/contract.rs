//! What every checkpointer must do, written once and run against each of them.
//!
//! A case gets a store without threads and fails by panicking or with the store's error.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{
    CheckpointError, CheckpointRow, Checkpointer, Commit, FieldRecord, FieldVersion, HistoryFilter, JournalRow, Lease,
    Payload, RecordKind, Source, TaskRecord, TaskRecordKind, ThreadFilter, ThreadRow, ThreadStatus,
};

/// A store as graphs hold it.
pub type Shared = Arc<dyn Checkpointer>;
/// How a case ends.
pub type Outcome = Result<(), CheckpointError>;

/// A thread's row as a run writes it.
pub fn row(graph: &str, status: ThreadStatus) -> ThreadRow {
    ThreadRow {
        thread: "".into(),
        graph: graph.to_owned(),
        graph_version: 3,
        status,
        detail: "d".to_owned(),
        created: 10,
        updated: 20,
        epoch: 0,
        owner: String::new(),
    }
}

/// A checkpoint of a chain.
pub fn checkpoint(number: u64) -> CheckpointRow {
    let parent = number.checked_sub(1).filter(|parent| *parent > 0);
    CheckpointRow {
        number,
        parent,
        id: format!("id-{number}"),
        step: number * 2,
        source: if number == 1 { Source::Input } else { Source::Step },
        time: 1000 + number,
        executed: number * 3,
        fields: vec![
            FieldVersion { field: "#frontier".into(), version: number },
            FieldVersion { field: "log".into(), version: 1 },
        ],
        state_version: 7,
    }
}

/// A commit that moves the root namespace from the checkpoint before.
pub fn step(number: u64) -> Commit {
    Commit {
        expected_head: number.checked_sub(1).filter(|head| *head > 0),
        checkpoint: Some(checkpoint(number)),
        ..Commit::default()
    }
}

/// The first commit of a thread.
pub fn first() -> Commit {
    Commit { thread: Some(row("g", ThreadStatus::Running)), ..step(1) }
}

/// A record of the field `log`.
pub fn record(version: u64, previous: Option<u64>, kind: RecordKind, bytes: &[u8]) -> FieldRecord {
    FieldRecord { field: "log".into(), version, previous, kind, payload: Payload::new(bytes.to_vec()) }
}

fn task(task: &str, kind: TaskRecordKind, key: &str, payload: &[u8]) -> TaskRecord {
    TaskRecord { task: task.into(), kind, key: key.into(), payload: payload.into() }
}

fn events(numbers: impl IntoIterator<Item = u64>) -> Vec<JournalRow> {
    numbers.into_iter().map(|seq| JournalRow { seq, event: format!("{{\"n\":{seq}}}").into_bytes().into() }).collect()
}

/// Fails unless a result is `StaleHead`.
pub fn assert_stale<T: std::fmt::Debug>(result: &Result<T, CheckpointError>) {
    assert!(matches!(result, Err(CheckpointError::StaleHead { .. })), "expected StaleHead, got {result:?}");
}

/// Fails unless a result is `ThreadBusy`.
pub fn assert_busy<T: std::fmt::Debug>(result: &Result<T, CheckpointError>) {
    assert!(matches!(result, Err(CheckpointError::ThreadBusy { .. })), "expected ThreadBusy, got {result:?}");
}

/// A thread's row, which must be there.
pub async fn stored(store: &Shared, thread: &str) -> ThreadRow {
    store.thread(thread).await.expect("the store reads").expect("the thread is there")
}

/// A thread begins with its first commit, which must bring its row; the store adds owner and epoch.
pub async fn a_thread_begins_with_its_first_commit(store: &Shared) -> Outcome {
    let lease = store.acquire("a").await?;
    assert_eq!((&*lease.thread, lease.epoch), ("a", 1));
    assert_eq!(store.thread("a").await?, None, "acquire writes nothing");
    let without_row = store.commit(&lease, step(1)).await;
    assert!(matches!(without_row, Err(CheckpointError::UnknownThread { .. })), "{without_row:?}");
    store.commit(&lease, first()).await?;
    let expected =
        ThreadRow { thread: "a".into(), epoch: 1, owner: lease.owner.to_string(), ..row("g", ThreadStatus::Running) };
    assert_eq!(store.thread("a").await?, Some(expected.clone()));
    let done = Commit { thread: Some(row("g", ThreadStatus::Done)), release: true, ..step(2) };
    store.commit(&lease, done).await?;
    let expected = ThreadRow { status: ThreadStatus::Done, owner: String::new(), ..expected };
    assert_eq!(store.thread("a").await?, Some(expected));
    assert_eq!(store.checkpoint("a", "", None).await?, Some(checkpoint(2)));
    assert_eq!(store.checkpoint("a", "", Some(1)).await?, Some(checkpoint(1)));
    assert_eq!(store.checkpoint("a", "", Some(9)).await?, None);
    assert_eq!(store.checkpoint("a", "other", None).await?, None);
    Ok(())
}

/// While one lease lives there is no other, and a lease that was given back writes no more.
pub async fn one_writer_at_a_time(store: &Shared) -> Outcome {
    let one = store.acquire("a").await?;
    assert_busy(&store.acquire("a").await);
    store.acquire("b").await?;
    store.release(&one);
    store.release(&one);
    assert_stale(&store.commit(&one, first()).await);

    let two = store.acquire("a").await?;
    assert_ne!(one.owner, two.owner);
    assert_eq!(two.epoch, 1, "a lease that did not write left no trace");
    store.release(&one);
    assert_busy(&store.acquire("a").await);
    store.commit(&two, first()).await?;
    assert_busy(&store.acquire("a").await);
    store.release(&two);

    let three = store.acquire("a").await?;
    assert_eq!(three.epoch, 2);
    assert_stale(&store.commit(&two, step(2)).await);
    store.commit(&three, Commit { release: true, ..step(2) }).await?;
    assert_stale(&store.commit(&three, step(3)).await);
    assert_eq!(store.acquire("a").await?.epoch, 3);
    let row = stored(store, "a").await;
    assert_eq!((row.epoch, &*row.owner), (2, ""));
    Ok(())
}

/// The head moves only from where the writer saw it, and a refused commit writes nothing at all.
pub async fn heads_move_by_compare_and_set(store: &Shared) -> Outcome {
    let lease = store.acquire("a").await?;
    store.commit(&lease, first()).await?;
    let whole = |commit: Commit| Commit {
        fields: vec![record(9, None, RecordKind::Whole, b"x")],
        tasks: vec![task("t", TaskRecordKind::Once, "k", b"x")],
        thread: Some(row("g", ThreadStatus::Failed)),
        release: true,
        ..commit
    };
    let refused = [
        Commit { expected_head: None, ..step(2) },
        Commit { expected_head: Some(2), ..step(2) },
        Commit { expected_head: Some(1), ..step(1) },
        Commit { journal: events([2, 2]), ..step(2) },
        Commit { ns: "child".into(), expected_head: Some(1), ..step(2) },
    ];
    for commit in refused {
        assert_stale(&store.commit(&lease, whole(commit)).await);
        assert_eq!(stored(store, "a").await.status, ThreadStatus::Running);
        assert_eq!(store.checkpoint("a", "", None).await?, Some(checkpoint(1)));
        assert!(store.field("a", "", "log", 9).await.is_err());
        assert_eq!(store.task_records("a", "").await?, []);
        assert_eq!(store.task_records("a", "child").await?, []);
        assert_eq!(store.journal("a", 0, 10).await?, []);
        assert_eq!(store.namespaces("a").await?, [""]);
    }
    store.commit(&lease, whole(step(2))).await?;
    assert_eq!(stored(store, "a").await.status, ThreadStatus::Failed);
    Ok(())
}

/// A field's value is read along its chain, also where forks branch off.
pub async fn fields_are_read_along_their_chain(store: &Shared) -> Outcome {
    let lease = store.acquire("a").await?;
    let whole = |version, bytes: &[u8]| record(version, None, RecordKind::Whole, bytes);
    let delta = |version, previous, bytes: &[u8]| record(version, previous, RecordKind::Delta, bytes);
    let records = [
        whole(1, b"1"),
        delta(2, Some(1), b"2"),
        delta(3, Some(2), b"3"),
        // A fork of the second checkpoint.
        delta(4, Some(2), b"4"),
        delta(5, Some(4), b"5"),
        whole(6, b"6"),
        delta(7, Some(6), b"7"),
    ];
    for (number, field) in (1..).zip(records) {
        let mut commit = if number == 1 { first() } else { step(number) };
        if number == 4 {
            commit.checkpoint = Some(CheckpointRow { parent: Some(2), source: Source::Fork, ..checkpoint(4) });
        }
        let other = FieldRecord { field: "other".into(), ..field.clone() };
        commit.fields = vec![field, other];
        store.commit(&lease, commit).await?;
    }
    let cases: [(u64, &[u64]); 7] =
        [(1, &[1]), (2, &[1, 2]), (3, &[1, 2, 3]), (4, &[1, 2, 4]), (5, &[1, 2, 4, 5]), (6, &[6]), (7, &[6, 7])];
    for (version, expected) in cases {
        let chain = store.field("a", "", "log", version).await?;
        let versions: Vec<u64> = chain.iter().map(|record| record.version).collect();
        assert_eq!(versions, expected);
        for record in chain {
            assert_eq!(record.payload.bytes(), record.version.to_string().as_bytes());
            assert_eq!(record.kind == RecordKind::Whole, record.previous.is_none());
        }
    }
    let first_delta = Commit {
        ns: "child".into(),
        fields: vec![delta(1, None, b"from the empty value")],
        expected_head: None,
        ..step(1)
    };
    store.commit(&lease, first_delta).await?;
    assert_eq!(store.field("a", "child", "log", 1).await?, [delta(1, None, b"from the empty value")]);
    for (ns, field, version) in [("", "log", 8), ("", "nothing", 1), ("nowhere", "log", 1)] {
        let missing = store.field("a", ns, field, version).await;
        assert!(matches!(missing, Err(CheckpointError::Corrupt { .. })), "{missing:?}");
    }
    Ok(())
}

/// Large values are stored once for all who hold them, and are gone with the last.
pub async fn large_values_are_stored_once(store: &Shared) -> Outcome {
    let large: Vec<u8> = (0..200_000u32).map(|number| (number % 251) as u8).collect();
    for thread in ["a", "b"] {
        let lease = store.acquire(thread).await?;
        let value = |version| vec![record(version, None, RecordKind::Whole, &large)];
        store.commit(&lease, Commit { fields: value(1), ..first() }).await?;
        store.commit(&lease, Commit { fields: value(2), release: true, ..step(2) }).await?;
    }
    assert_eq!(store.stats().await?.bytes, 200_000);
    assert_eq!(store.stats().await?.threads, 2);
    assert_eq!(store.stats().await?.checkpoints, 4);
    for version in [1, 2] {
        let chain = store.field("a", "", "log", version).await?;
        assert_eq!(chain[0].payload, Payload::Inline(large.clone().into()), "the bytes come inline");
    }
    store.delete_thread("a").await?;
    assert_eq!(store.field("b", "", "log", 1).await?[0].payload.bytes(), large);
    store.delete_thread("b").await?;
    store.compact().await?;
    assert_eq!(store.stats().await?.bytes, 0);
    Ok(())
}

/// Records of tasks keep their order, are replaced in place, and only durable results outlive their task.
pub async fn task_records_are_replaced_and_settled(store: &Shared) -> Outcome {
    use TaskRecordKind::{Answer, Attempt, Once, Write};
    let lease = store.acquire("a").await?;
    let begin = vec![task("2", Attempt, "", b"1"), task("1", Once, "k", b"r"), task("2", Write, "", b"w")];
    store.commit(&lease, Commit { tasks: begin, ..first() }).await?;
    let more = vec![task("1", Answer, "q", b"a"), task("2", Attempt, "", b"2"), task("1", Once, "l", b"s")];
    store.commit(&lease, Commit { tasks: more, ..Commit::default() }).await?;
    let expected = [
        task("2", Attempt, "", b"2"),
        task("1", Once, "k", b"r"),
        task("2", Write, "", b"w"),
        task("1", Answer, "q", b"a"),
        task("1", Once, "l", b"s"),
    ];
    assert_eq!(store.task_records("a", "").await?, expected);
    let in_child = Commit { ns: "child".into(), tasks: vec![task("1", Write, "", b"c")], ..Commit::default() };
    store.commit(&lease, in_child).await?;
    assert_eq!(store.namespaces("a").await?, [""], "a namespace without checkpoints is not listed");

    let settled = vec!["1".into(), "2".into(), "unknown".into()];
    store.commit(&lease, Commit { settled, ..step(2) }).await?;
    assert_eq!(store.task_records("a", "").await?, [task("1", Once, "k", b"r"), task("1", Once, "l", b"s")]);
    assert_eq!(store.task_records("a", "child").await?, [task("1", Write, "", b"c")]);
    // A commit that settles a task keeps none of what it brings for it.
    let again = Commit { tasks: vec![task("2", Write, "", b"n")], settled: vec!["2".into()], ..Commit::default() };
    store.commit(&lease, again).await?;
    assert_eq!(store.task_records("a", "").await?.len(), 2);
    Ok(())
}

/// The journal is one per thread, ascending, and read page by page.
pub async fn the_journal_is_read_in_pages(store: &Shared) -> Outcome {
    let lease = store.acquire("a").await?;
    store.commit(&lease, Commit { journal: events(1..=4), ..first() }).await?;
    let child = Commit { ns: "child".into(), expected_head: None, journal: events([5, 7]), ..step(1) };
    store.commit(&lease, child).await?;
    assert_stale(&store.commit(&lease, Commit { journal: events([7]), ..Commit::default() }).await);
    assert_eq!(store.journal("a", 0, 3).await?, events(1..=3));
    assert_eq!(store.journal("a", 3, 100).await?, events([4, 5, 7]));
    assert_eq!(store.journal("a", 5, 1).await?, events([7]));
    assert_eq!(store.journal("a", 7, 100).await?, []);
    assert_eq!(store.journal("a", u64::MAX, usize::MAX).await?, []);
    assert_eq!(store.journal("a", 0, 0).await?, []);
    assert_eq!(store.journal("nobody", 0, 9).await?, []);
    Ok(())
}

/// Checkpoints are listed newest first, by what is asked for; each namespace has its own.
pub async fn history_is_listed_newest_first(store: &Shared) -> Outcome {
    let lease = store.acquire("a").await?;
    store.commit(&lease, first()).await?;
    for number in 2..=6 {
        store.commit(&lease, step(number)).await?;
    }
    for ns in ["b/2", "b/10"] {
        store.commit(&lease, Commit { ns: ns.into(), ..step(1) }).await?;
    }
    assert_eq!(store.namespaces("a").await?, ["", "b/10", "b/2"]);
    assert_eq!(store.namespaces("nobody").await?, Vec::<String>::new());
    let numbers = async |ns: &str, before, source, limit| {
        let mut filter = HistoryFilter::default();
        (filter.before, filter.source, filter.limit) = (before, source, limit);
        let rows = store.checkpoints("a", ns, &filter).await?;
        for row in &rows {
            assert_eq!(*row, checkpoint(row.number));
        }
        Ok::<_, CheckpointError>(rows.iter().map(|row| row.number).collect::<Vec<_>>())
    };
    assert_eq!(numbers("", None, None, None).await?, [6, 5, 4, 3, 2, 1]);
    assert_eq!(numbers("", Some(5), None, Some(2)).await?, [4, 3]);
    assert_eq!(numbers("", None, Some(Source::Input), None).await?, [1]);
    assert_eq!(numbers("", Some(4), Some(Source::Step), None).await?, [3, 2]);
    assert_eq!(numbers("", None, None, Some(0)).await?, [0u64; 0]);
    assert_eq!(numbers("b/2", None, None, None).await?, [1]);
    assert_eq!(numbers("c", None, None, None).await?, [0u64; 0]);
    Ok(())
}

/// Threads are listed by the last writing of their rows, whatever their clocks say.
pub async fn threads_are_listed_by_last_writing(store: &Shared) -> Outcome {
    let mut leases: Vec<Lease> = Vec::new();
    for (thread, graph) in [("a", "g"), ("b", "h"), ("c", "g")] {
        let lease = store.acquire(thread).await?;
        let begin = Commit { thread: Some(row(graph, ThreadStatus::Running)), ..step(1) };
        store.commit(&lease, begin).await?;
        leases.push(lease);
    }
    let done = Commit { thread: Some(row("g", ThreadStatus::Done)), ..step(2) };
    store.commit(&leases[0], done).await?;
    let names = async |graph: Option<&str>, status, limit| {
        let mut filter = ThreadFilter::default();
        (filter.graph, filter.status, filter.limit) = (graph.map(str::to_owned), status, limit);
        let rows = store.threads(&filter).await?;
        Ok::<_, CheckpointError>(rows.iter().map(|row| row.thread.to_string()).collect::<Vec<_>>())
    };
    assert_eq!(names(None, None, None).await?, ["a", "c", "b"]);
    assert_eq!(names(None, None, Some(2)).await?, ["a", "c"]);
    assert_eq!(names(Some("g"), None, None).await?, ["a", "c"]);
    assert_eq!(names(Some("g"), Some(ThreadStatus::Running), None).await?, ["c"]);
    assert_eq!(names(None, Some(ThreadStatus::Waiting), None).await?, Vec::<String>::new());
    Ok(())
}

/// A deleted thread is gone with all that belonged to it, and its id begins anew.
pub async fn deleted_threads_are_gone(store: &Shared) -> Outcome {
    assert!(store.capabilities().delete_thread);
    let full = || Commit {
        fields: vec![record(1, None, RecordKind::Whole, b"v")],
        tasks: vec![task("t", TaskRecordKind::Once, "k", b"r")],
        journal: events([1]),
        ..first()
    };
    let (a, b) = (store.acquire("a").await?, store.acquire("b").await?);
    store.commit(&a, full()).await?;
    store.commit(&b, full()).await?;
    assert_busy(&store.delete_thread("a").await);
    store.release(&a);
    store.delete_thread("a").await?;
    let again = store.delete_thread("a").await;
    assert!(matches!(again, Err(CheckpointError::UnknownThread { .. })), "{again:?}");
    assert_eq!(store.thread("a").await?, None);
    assert_eq!(store.namespaces("a").await?, Vec::<String>::new());
    assert_eq!(store.checkpoint("a", "", Some(1)).await?, None);
    assert_eq!(store.task_records("a", "").await?, []);
    assert_eq!(store.journal("a", 0, 9).await?, []);
    assert!(store.field("a", "", "log", 1).await.is_err());

    let a = store.acquire("a").await?;
    assert_eq!(a.epoch, 1);
    store.commit(&a, full()).await?;
    assert_eq!(store.field("b", "", "log", 1).await?.len(), 1);
    assert_eq!(store.task_records("b", "").await?.len(), 1);
    assert_eq!(store.journal("b", 0, 9).await?, events([1]));
    Ok(())
}

/// A copy has the whole history, belongs to nobody, and goes its own way.
pub async fn copies_go_their_own_way(store: &Shared) -> Outcome {
    assert!(store.capabilities().copy_thread);
    let lease = store.acquire("a").await?;
    let large = vec![5; 100_000];
    let begin = Commit {
        fields: vec![record(1, None, RecordKind::Whole, &large)],
        tasks: vec![task("t", TaskRecordKind::Write, "", b"w"), task("s", TaskRecordKind::Once, "k", b"r")],
        journal: events([1, 2]),
        ..first()
    };
    store.commit(&lease, begin).await?;
    store.commit(&lease, Commit { ns: "child".into(), ..step(1) }).await?;
    assert_busy(&store.copy_thread("a", "b").await);
    store.release(&lease);
    let unknown = store.copy_thread("nobody", "b").await;
    assert!(matches!(unknown, Err(CheckpointError::UnknownThread { .. })), "{unknown:?}");
    store.copy_thread("a", "b").await?;
    for taken in ["a", "b"] {
        let exists = store.copy_thread("a", taken).await;
        assert!(matches!(exists, Err(CheckpointError::ThreadExists { .. })), "{exists:?}");
    }
    assert_eq!(stored(store, "b").await, ThreadRow { thread: "b".into(), epoch: 0, ..stored(store, "a").await });
    assert_eq!(store.namespaces("b").await?, ["", "child"]);
    assert_eq!(store.task_records("b", "").await?, store.task_records("a", "").await?);
    assert_eq!(store.journal("b", 0, 9).await?, events([1, 2]));

    let lease = store.acquire("b").await?;
    store.commit(&lease, Commit { settled: vec!["t".into()], ..step(2) }).await?;
    assert_eq!(store.checkpoint("a", "", None).await?, Some(checkpoint(1)));
    assert_eq!(store.checkpoint("b", "", None).await?, Some(checkpoint(2)));
    assert_eq!(store.task_records("a", "").await?.len(), 2);
    store.delete_thread("a").await?;
    assert_eq!(store.field("b", "", "log", 1).await?[0].payload.bytes(), large);
    Ok(())
}

/// Many writers on many threads do not get in each other's way, and refusals stay with whom they concern.
pub async fn writers_do_not_disturb_each_other(store: &Shared) -> Outcome {
    const COMMITS: u64 = 60;
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let store = Arc::clone(store);
            tokio::spawn(async move {
                let lease = store.acquire(&format!("t{writer}")).await?;
                for number in 1..=COMMITS {
                    let mut commit = if number == 1 { first() } else { step(number) };
                    commit.journal = events([number]);
                    commit.fields = vec![record(number, None, RecordKind::Whole, &[writer; 100])];
                    store.commit(&lease, commit).await?;
                    if number % 3 == u64::from(writer) % 3 {
                        assert_stale(&store.commit(&lease, step(number)).await);
                    }
                    let head = store.checkpoint(&format!("t{writer}"), "", None).await?;
                    assert_eq!(head.map(|head| head.number), Some(number), "a writer sees what it wrote");
                }
                store.commit(&lease, Commit { release: true, ..Commit::default() }).await
            })
        })
        .collect();
    for writer in writers {
        writer.await.expect("no writer panics")?;
    }
    for writer in 0..8 {
        let thread = format!("t{writer}");
        assert_eq!(store.journal(&thread, 0, 1000).await?, events(1..=COMMITS));
        assert_eq!(stored(store, &thread).await.owner, "");
    }
    assert_eq!(store.stats().await?.checkpoints, 8 * COMMITS);
    Ok(())
}

/// Of many who ask for one thread at a time, one gets it.
pub async fn one_of_many_gets_the_thread(store: &Shared) -> Outcome {
    let asked: Vec<_> = (0..16)
        .map(|_| {
            let store = Arc::clone(store);
            tokio::spawn(async move { store.acquire("a").await })
        })
        .collect();
    let mut leases = Vec::new();
    for lease in asked {
        match lease.await.expect("no writer panics") {
            Ok(lease) => leases.push(lease),
            busy => assert_busy(&busy),
        }
    }
    assert_eq!(leases.len(), 1);
    store.commit(&leases[0], first()).await
}
