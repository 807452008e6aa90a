use super::*;
use crate::checkpoint::{
    CompactStep, FieldVersions, RecordKind, Source, StepOrigin, TaskRecordKind, ThreadStatus, put,
};

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
fn a_plain_step_follows_the_head_under_its_lease_or_is_refused() {
    let store = MemoryCheckpointer::new();
    let lease = run(store.acquire("t")).unwrap();
    let writer = store.direct_writer(&lease).unwrap();
    let origin = |ns: &str, field: &str| {
        let (fields, nodes) = ([field, "#frontier"].map(Arc::from).into(), ["n"].map(Arc::from).into());
        Arc::new(StepOrigin { ns: ns.into(), base: ns.into(), fields, nodes, state_version: 1 })
    };
    let known = origin("", "a");
    let write = |origin: &Arc<StepOrigin>, number: u64, seq: u64| {
        let (step, executed) = (number, number);
        let (next, changed, whole) = (Some(0), 1, true);
        let step = CompactStep { number, step, executed, next, changed, whole, ..CompactStep::default() };
        let mut writes = Vec::new();
        put(&mut writes, number, 0, None, &[7]);
        writer.write(origin, &step, &writes, seq)
    };
    assert!(!write(&known, 2, 1), "there is no thread");
    let fields = FieldVersions::from([("a", 1), ("#frontier", 1)]);
    let begun = Commit { checkpoint: Some(CheckpointRow { fields, ..checkpoint(1, None) }), ..first() };
    run(store.commit(&lease, begun)).unwrap();
    for (what, origin, number, seq) in [
        ("after another", &known, 3, 1),
        ("no place in the journal", &known, 2, 0),
        ("other fields", &origin("", "b"), 2, 1),
        ("another namespace", &origin("child", "a"), 2, 1),
    ] {
        assert!(!write(origin, number, seq), "{what}");
    }
    for number in 2..=300 {
        assert!(write(&known, number, number));
        assert!(!write(&known, number, number + 1), "it is there already");
    }
    let row = run(store.checkpoint("t", "", Some(200))).unwrap().unwrap();
    assert_eq!((row.parent, row.fields), (Some(199), FieldVersions::from([("a", 200), ("#frontier", 200)])));
    let records = run(store.field("t", "", "a", 200)).unwrap();
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].payload, FieldPayload::Inline(vec![7].into()));
    assert_eq!(run(store.last_seq("t")).unwrap(), 300);
    store.release(&lease);
    assert!(!write(&known, 301, 301), "the lease has ended");
}
