//! What a process leaves, and the next one takes up.

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::store::MemoryStore;

use super::*;

/// Processes one after the other over the same stores.
struct Machine {
    checkpoints: Arc<MemoryCheckpointer>,
    store: Arc<MemoryStore>,
}

impl Machine {
    fn new() -> Self {
        Self { checkpoints: Arc::new(MemoryCheckpointer::new()), store: Arc::new(MemoryStore::new()) }
    }

    async fn process(&self) -> RunManager {
        let (checkpoints, store) = (Arc::clone(&self.checkpoints), Arc::clone(&self.store));
        Server::new().demo().unwrap().checkpointer(checkpoints).store(store).open().await.unwrap()
    }
}

async fn ended(manager: &RunManager, thread: Uuid, run: Uuid) -> RunRecord {
    loop {
        let record = manager.records().runs.get(thread, run).await.unwrap();
        if record.status.is_final() && !manager.is_busy(thread).await.unwrap() {
            return record;
        }
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn a_stop_leaves_runs_that_the_next_process_takes_up() {
    let machine = Machine::new();
    let first = machine.process().await;
    let thread = first.records().threads.create(ThreadCreate::default()).await.unwrap().thread_id;
    let ticks = |n: u64| Fixture::order("ticker", json!({"input": {"n": n, "delay_ms": 3}}));
    let under_way = first.submit(thread, ticks(40)).await.unwrap();
    let queued = first.submit(thread, ticks(45)).await.unwrap();
    let fixture = Fixture { manager: first.clone(), thread };
    while fixture.told(&under_way).await.len() < 20 {
        tokio::task::yield_now().await;
    }
    first.drain().await;
    assert!(under_way.live.ended().await.is_none() && queued.live.ended().await.is_none());
    assert!(matches!(first.submit(thread, ticks(1)).await, Err(Refusal::Unavailable(_))));
    drop((first, fixture));

    let second = machine.process().await;
    for run in [&under_way, &queued] {
        assert_eq!(ended(&second, thread, run.record.run_id).await.status, RunStatus::Success);
    }
    let values = second.records().threads.get(thread).await.unwrap().values;
    assert_eq!(values["ticks"], json!((1..=45).collect::<Vec<_>>()), "no tick is lost or doubled");
    let log = second.logs().open(thread).await.unwrap();
    let mut tail = log.after(0);
    let mut steps = Vec::new();
    while let Some(entry) = tail.ready().await.unwrap() {
        if let LogEvent::Commit(commit) = &entry.event {
            steps.push(commit.values["ticks"].as_array().map_or(0, Vec::len));
        }
    }
    let expected: Vec<usize> = (0..=40).chain(40..=45).collect();
    assert_eq!(steps, expected, "each commit is told once, over both processes");
}

#[tokio::test]
async fn commits_that_a_process_could_not_tell_are_told_by_the_next() {
    let machine = Machine::new();
    let first = machine.process().await;
    let thread = first.records().threads.create(ThreadCreate::default()).await.unwrap().thread_id;
    let ticks = Fixture::order("ticker", json!({"input": {"n": 6, "delay_ms": 0}}));
    let run = first.submit(thread, ticks).await.unwrap();
    run.live.ended().await.unwrap();
    // As a process leaves it that dies in the middle of storing its log: the last entries are not there, nor is the end.
    let id = run.record.run_id;
    first.logs().delete(thread).await.unwrap();
    drop(run);
    let log = first.logs().open(thread).await.unwrap();
    let started = LogEvent::RunStarted {
        graph: "ticker".to_owned(),
        assistant: id,
        attempt: 1,
        base: None,
        values: None,
        asked: Fields::new(),
    };
    log.flushed(log.append(id, "".into(), 0, started)).await.unwrap();
    drop(log);
    let mut record = first.records().runs.get(thread, id).await.unwrap();
    record.status = RunStatus::Running;
    first.records().runs.delete(thread, id).await.unwrap();
    first.records().runs.insert(&record).await.unwrap();
    drop(first);

    let second = machine.process().await;
    assert_eq!(ended(&second, thread, id).await.status, RunStatus::Success);
    let mut tail = second.logs().open(thread).await.unwrap().after(0);
    let mut told = Vec::new();
    while let Some(entry) = tail.ready().await.unwrap() {
        match &entry.event {
            LogEvent::Update { node, values, .. } => told.push(format!("{node} {values}")),
            LogEvent::Commit(commit) => told.push(format!("{} {}", commit.number, commit.values["ticks"])),
            LogEvent::RunEnded { status, .. } => told.push(status.clone()),
            _ => {}
        }
    }
    let mut expected = vec!["1 []".to_owned()];
    for n in 1..=6 {
        expected.push(format!("tick {}", json!({"ticks": [n]})));
        expected.push(format!("{} {}", n + 1, json!((1..=n).collect::<Vec<_>>())));
    }
    expected.push("success".to_owned());
    assert_eq!(told, expected);
}
