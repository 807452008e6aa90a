//! Rows that tests of stores commit.

use graphloom_core_graph::checkpoint::{
    CheckpointError, CheckpointRow, Commit, FieldPayload, FieldRecord, RecordKind, Source, ThreadRow, ThreadStatus,
};

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
        id: format!("id-{number}").into(),
        step: number * 2,
        source: if number == 1 { Source::Input } else { Source::Step },
        time: 1000 + number,
        executed: number * 3,
        fields: [("#frontier", number), ("log", 1)].into(),
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
    FieldRecord { field: "log".into(), version, previous, kind, payload: FieldPayload::new(bytes.to_vec()) }
}

/// Fails unless a result is `StaleHead`.
pub fn assert_stale<T: std::fmt::Debug>(result: &Result<T, CheckpointError>) {
    assert!(matches!(result, Err(CheckpointError::StaleHead { .. })), "expected StaleHead, got {result:?}");
}

/// Fails unless a result is `ThreadBusy`.
pub fn assert_busy<T: std::fmt::Debug>(result: &Result<T, CheckpointError>) {
    assert!(matches!(result, Err(CheckpointError::ThreadBusy { .. })), "expected ThreadBusy, got {result:?}");
}
