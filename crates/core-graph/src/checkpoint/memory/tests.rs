use super::*;
use crate::checkpoint::{CompactStep, FieldVersions, RecordKind, Source, StepNames, TaskRecordKind, ThreadStatus};

fn row(status: ThreadStatus) -> ThreadRow {
    ThreadRow {
        thread: "t".into(),
        graph: "g".into(),
        graph_version: 1,
        status,
        detail: String::new(),
        created: 1,
        updated: 1,
        epoch: 0,
        owner: String::new(),
    }
}

fn checkpoint(number: u64, parent: Option<u64>) -> CheckpointRow {
    CheckpointRow {
        number,
        parent,
        id: format!("id{number}").into(),
        step: number,
        source: Source::Step,
        time: 1,
        executed: number,
        fields: FieldVersions::default(),
        state_version: 1,
    }
}

fn first() -> Commit {
    Commit { checkpoint: Some(checkpoint(1, None)), thread: Some(row(ThreadStatus::Running)), ..Commit::default() }
}

fn run<T>(future: impl Future<Output = T>) -> T {
    futures::executor::block_on(future)
}

#[test]
fn a_refused_commit_leaves_nothing_behind() {
    let store = MemoryCheckpointer::new();
    let lease = run(store.acquire("t")).unwrap();
    run(store.commit(&lease, first())).unwrap();
    let refused = Commit {
        expected_head: None,
        checkpoint: Some(checkpoint(2, Some(1))),
        journal: vec![JournalRow { seq: 1, event: b"{}".to_vec().into() }],
        thread: Some(row(ThreadStatus::Done)),
        ..Commit::default()
    };
    let error = run(store.commit(&lease, refused)).unwrap_err();
    assert!(matches!(error, CheckpointError::StaleHead { .. }), "{error}");
    assert_eq!(run(store.thread("t")).unwrap().unwrap().status, ThreadStatus::Running);
    assert_eq!(run(store.journal("t", 0, 9)).unwrap(), []);
    assert_eq!(run(store.checkpoint("t", "", None)).unwrap().unwrap().number, 1);
}

#[test]
fn an_id_that_was_only_asked_for_is_forgotten() {
    let store = MemoryCheckpointer::new();
    let lease = run(store.acquire("t")).unwrap();
    assert!(matches!(run(store.clone().acquire("t")), Err(CheckpointError::ThreadBusy { .. })));
    store.release(&lease);
    store.release(&lease);
    assert!(store.inner.threads.is_empty());
    assert!(run(store.commit(&lease, first())).is_err(), "a lease that was given back does not write");
}

#[test]
fn large_values_are_stored_once_and_go_with_their_last_thread() {
    let store = MemoryCheckpointer::new();
    let large = vec![7u8; 100_000];
    for thread in ["a", "b"] {
        let lease = run(store.acquire(thread)).unwrap();
        let record = FieldRecord {
            field: "f".into(),
            version: 1,
            previous: None,
            kind: RecordKind::Whole,
            payload: FieldPayload::new(large.clone()),
        };
        run(store.commit(&lease, Commit { fields: vec![record], release: true, ..first() })).unwrap();
    }
    assert_eq!(run(store.stats()).unwrap().bytes, 100_000);
    run(store.delete_thread("a")).unwrap();
    let records = run(store.field("b", "", "f", 1)).unwrap();
    assert_eq!(records[0].payload, FieldPayload::Inline(large.into()));
    drop(records);
    run(store.delete_thread("b")).unwrap();
    run(store.compact()).unwrap();
    assert!(store.inner.blobs.is_empty());
}

#[test]
fn settling_keeps_results_of_durable_steps() {
    let store = MemoryCheckpointer::new();
    let lease = run(store.acquire("t")).unwrap();
    let record = |kind, payload: &[u8]| TaskRecord { task: "x".into(), kind, key: "".into(), payload: payload.into() };
    let tasks = vec![
        record(TaskRecordKind::Attempt, b"1"),
        record(TaskRecordKind::Once, b"r"),
        record(TaskRecordKind::Attempt, b"2"),
    ];
    run(store.commit(&lease, Commit { tasks, ..first() })).unwrap();
    let expected = [record(TaskRecordKind::Attempt, b"2"), record(TaskRecordKind::Once, b"r")];
    assert_eq!(run(store.task_records("t", "")).unwrap(), expected);
    run(store.commit(&lease, Commit { settled: vec!["x".into()], ..Commit::default() })).unwrap();
    assert_eq!(run(store.task_records("t", "")).unwrap(), expected[1..]);
}

#[test]
fn what_cannot_be_kept_in_compact_form_is_kept_as_rows() {
    let names = |names: [&str; 2]| names.map(Arc::from).into();
    let (fields, nodes) = (names(["a", "#frontier"]), names(["n", "m"]));
    let names = Arc::new(StepNames { ns: "".into(), base: "".into(), fields, nodes });
    let step = |number: u64| {
        let versions = FieldVersions::from([("a", number), ("#frontier", number)]);
        let step = CompactStep::with(&names, (number, number), (0, Some(0)), true, &[(0, None, &[7])]);
        let id = u128::from(number).into();
        let row = CheckpointRow { id, fields: versions, ..checkpoint(number, Some(number - 1)) };
        Commit { expected_head: Some(number - 1), checkpoint: Some(row), step: Some(step), ..Commit::default() }
    };
    let sealed = |mut commit: Commit| {
        commit.checkpoint.as_mut().unwrap().id = "sealed".into();
        commit
    };
    let branched = |mut commit: Commit| {
        commit.checkpoint.as_mut().unwrap().parent = Some(1);
        commit
    };
    type Change<'c> = &'c dyn Fn(Commit) -> Commit;
    let others: [(Change<'_>, usize); 6] = [
        (&|commit| commit, 9),
        (&sealed, 8),
        (&branched, 8),
        (&|commit| Commit { settled: vec!["t".into()], ..commit }, 8),
        (&|commit| Commit { thread: Some(row(ThreadStatus::Running)), ..commit }, 8),
        (&Commit::into_rows, 8),
    ];
    for (change, kept) in others {
        let store = MemoryCheckpointer::new();
        let lease = run(store.acquire("t")).unwrap();
        let writer = store.writer(&lease).unwrap();
        run(store.commit(&lease, first())).unwrap();
        for number in 2..=10 {
            let mut commit = if number == 5 { change(step(number)) } else { step(number) };
            let expected = commit.clone().into_rows();
            writer.commit(&mut commit).unwrap();
            assert_eq!(run(store.checkpoint("t", "", None)).unwrap(), expected.checkpoint);
            assert_eq!(run(store.field("t", "", "a", number)).unwrap(), expected.fields[..1]);
        }
        let slot = store.slot("t").unwrap();
        assert_eq!(lock(&slot).thread.as_ref().unwrap().compact_steps(""), kept);
    }
}
