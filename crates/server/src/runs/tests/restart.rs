//! What a process leaves, and the next one takes up.

use super::*;
use crate::runs::testing::Machine;

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
    let machine = Machine::default();
    let first = machine.process().await;
    let thread = first.records().threads.create(ThreadCreate::default()).await.unwrap().thread_id;
    let ticks = |n: u64| new_run("ticker", json!({"input": {"n": n, "delay_ms": 3}}));
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
    for (run, steps) in [(&under_way, 40), (&queued, 5)] {
        let record = ended(&second, thread, run.record.run_id).await;
        assert_eq!((record.status, record.steps), (RunStatus::Success, Some(steps)));
        assert!(record.started.is_some() && record.started <= record.ended, "{record:?}");
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
    let machine = Machine::default();
    let first = machine.process().await;
    let thread = first.records().threads.create(ThreadCreate::default()).await.unwrap().thread_id;
    let ticks = new_run("ticker", json!({"input": {"n": 6, "delay_ms": 0}}));
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

/// The steps that a log tells of a run, in short.
async fn steps(manager: &RunManager, thread: Uuid) -> Vec<String> {
    let mut tail = manager.logs().open(thread).await.unwrap().after(0);
    let mut steps = Vec::new();
    while let Some(entry) = tail.ready().await.unwrap() {
        match &entry.event {
            LogEvent::RunStarted { attempt, .. } => steps.push(format!("started {attempt}")),
            LogEvent::Update { task, values, .. } => steps.push(format!("update {task} {values}")),
            LogEvent::Commit(commit) => steps.push(format!("commit {} {}", commit.number, json!(commit.values))),
            LogEvent::RunEnded { status, failure, .. } => steps.push(format!("ended {status} {failure:?}")),
            _ => {}
        }
    }
    steps
}

#[tokio::test]
async fn a_log_that_is_cut_anywhere_tells_each_step_once_in_the_end() {
    for (graph, input) in [
        ("pipeline", json!({"topic": "x"})),
        ("approval", json!({"request": "tea"})),
        ("faulty", json!({"mode": "fail"})),
        ("ticker", json!({"n": 3, "delay_ms": 0})),
    ] {
        for kept in 0.. {
            let machine = Machine::default();
            let first = machine.process().await;
            let thread = first.records().threads.create(ThreadCreate::default()).await.unwrap().thread_id;
            let run = first.submit(thread, new_run(graph, json!({"input": input}))).await.unwrap();
            run.live.ended().await.unwrap();
            while first.is_busy(thread).await.unwrap() {
                tokio::task::yield_now().await;
            }
            let expected = steps(&first, thread).await;
            let told = run.log.last();
            let mut entries = Vec::new();
            let mut tail = run.log.after(0);
            while let Some(entry) = tail.ready().await.unwrap() {
                entries.push(entry);
            }
            // As a process leaves it that dies before all of its log is stored, and before its run is recorded as ended.
            let id = run.record.run_id;
            first.logs().delete(thread).await.unwrap();
            let log = first.logs().open(thread).await.unwrap();
            for entry in entries.iter().take(kept) {
                log.append(entry.run, Arc::clone(&entry.ns), entry.step, entry.event.clone());
            }
            log.flushed(log.last()).await.unwrap();
            let mut record = first.records().runs.get(thread, id).await.unwrap();
            record.status = RunStatus::Running;
            first.records().runs.delete(thread, id).await.unwrap();
            first.records().runs.insert(&record).await.unwrap();
            drop((first, run, log, tail));

            let second = machine.process().await;
            let ended = ended(&second, thread, id).await;
            assert_eq!(steps(&second, thread).await, expected, "{graph}, cut after {kept} of {told} entries");
            assert_eq!(ended.status, if graph == "faulty" { RunStatus::Error } else { RunStatus::Success });
            if kept as u64 == told {
                break;
            }
        }
    }
}
