//! Frames of the demo graphs, from their logs.

use std::sync::Arc;

use serde_json::{Value, json};
use uuid::Uuid;

use super::projection::StreamFrame;
use super::*;
use crate::builder::Server;
use crate::host::{Host, RunOptions};
use crate::http::{Guard, Security};
use crate::records::{RunStatus, ThreadCreate};
use crate::runs::{Order, Submitted};

const ALL: [Mode; 9] = [
    Mode::Values,
    Mode::Updates,
    Mode::Custom,
    Mode::MessagesTuple,
    Mode::Messages,
    Mode::Tasks,
    Mode::Checkpoints,
    Mode::Debug,
    Mode::Events,
];

struct Fixture {
    host: Host,
    thread: Uuid,
}

impl Fixture {
    async fn new() -> Self {
        let manager = Server::new().demo().unwrap().open().await.unwrap();
        let thread = manager.records().threads.create(ThreadCreate::default()).await.unwrap().thread_id;
        Self { host: Host { manager, guard: Guard::new(&Security::default()).unwrap() }, thread }
    }

    async fn submit(&self, thread: Option<Uuid>, graph: &str, order: Value) -> Submitted {
        let assistant = self.host.assistant(graph).await.unwrap();
        let order: Order = serde_json::from_value(order).unwrap();
        self.host.submit(thread, &assistant, order, RunOptions::default()).await.unwrap()
    }

    async fn run(&self, graph: &str, order: Value) -> Submitted {
        let submitted = self.submit(Some(self.thread), graph, order).await;
        submitted.live.ended().await.unwrap();
        submitted
    }

    fn stream(&self, run: &Submitted, modes: &[Mode], since: Since) -> RunStream {
        let options = StreamOptions { modes: Modes::of(modes.to_vec()), subgraphs: true, end: RunEndFrame::End };
        RunStream::new(&self.host, &run.log, run.record.run_id, run.before, options, since)
    }

    async fn frames(&self, run: &Submitted, modes: &[Mode], since: Since) -> Vec<StreamFrame> {
        let mut stream = self.stream(run, modes, since);
        let mut frames = Vec::new();
        while let Some(frame) = stream.next().await.unwrap() {
            frames.push(frame);
        }
        frames
    }
}

const START: Since = Since::Frame(FrameId::START);

fn data(frame: &StreamFrame) -> Value {
    serde_json::from_str(&frame.data).unwrap()
}

/// A frame in a few words.
fn brief(frame: &StreamFrame) -> String {
    let data = data(frame);
    let (event, space) = frame.event.split_once('|').map_or((&*frame.event, ""), |(event, _)| (event, "inner "));
    let named = |data: &Value| data.as_object().unwrap().keys().next().unwrap().clone();
    let rest = match event {
        "values" if data.get("__interrupt__").is_some() => "values asked".to_owned(),
        "updates" => format!("updates {}", named(&data)),
        "custom" => format!("custom {data}"),
        "tasks" if data.get("input").is_some() => format!("start {}", data["name"].as_str().unwrap()),
        "tasks" => format!("end {}", data["name"].as_str().unwrap()),
        "checkpoints" => format!("checkpoint {}", data["metadata"]["step"]),
        "debug" => format!("debug {} {}", data["step"], data["type"].as_str().unwrap()),
        "events" => format!("{} {}", data["event"].as_str().unwrap(), data["name"].as_str().unwrap()),
        "end" => format!("end {}", data["status"].as_str().unwrap()),
        event => event.to_owned(),
    };
    format!("{space}{rest}")
}

#[tokio::test]
async fn values_updates_and_custom_come_in_the_order_of_the_wire() {
    let fixture = Fixture::new().await;
    let run = fixture.run("pipeline", json!({"input": {"topic": "a"}})).await;
    let modes = [Mode::Values, Mode::Updates, Mode::Custom];
    let frames = fixture.frames(&run, &modes, START).await;
    let expected = [
        "metadata",
        "values",
        "updates plan",
        "values",
        r#"custom {"progress":1,"of":3}"#,
        r#"custom {"progress":2,"of":3}"#,
        r#"custom {"progress":3,"of":3}"#,
        "updates work",
        "values",
        "updates finish",
        "values",
        "end success",
    ];
    assert_eq!(frames.iter().map(brief).collect::<Vec<_>>(), expected);
    assert_eq!(data(&frames[0]), json!({"run_id": run.record.run_id, "attempt": 1}));
    assert_eq!(data(&frames[1]), json!({"topic": "a", "items": []}));
    assert_eq!(data(&frames[9]), json!({"finish": {"items": ["finish:a"], "count": 3}}));
}

#[tokio::test]
async fn all_modes_of_a_super_step_come_in_the_order_of_the_wire() {
    let fixture = Fixture::new().await;
    let run = fixture.run("echo_chat", json!({"input": {"messages": [{"role": "user", "content": "hi"}]}})).await;
    let frames = fixture.frames(&run, &ALL, START).await;
    let piece = ["messages", "messages/partial", "on_chat_model_stream ChatModel"];
    let mut expected = vec![
        "metadata",
        "on_chain_start echo_chat",
        "checkpoint -1",
        "debug -1 checkpoint",
        "values",
        "checkpoint 0",
        "debug 0 checkpoint",
        "start model",
        "debug 1 task",
        "on_chain_start model",
        "messages",
        "messages/metadata",
        "on_chat_model_start ChatModel",
        "messages/partial",
        "on_chat_model_stream ChatModel",
    ];
    expected.extend(piece.iter().chain(&piece));
    expected.extend([
        "on_chat_model_end ChatModel",
        "updates model",
        "end model",
        "debug 1 task_result",
        "on_chain_stream model",
        "on_chain_end model",
        "values",
        "checkpoint 1",
        "debug 1 checkpoint",
        "on_chain_end echo_chat",
        "end success",
    ]);
    assert_eq!(frames.iter().map(brief).collect::<Vec<_>>(), expected);
    let texts: Vec<Value> = frames
        .iter()
        .filter(|frame| frame.event == "messages/partial")
        .map(|one| data(one)[0]["content"].clone())
        .collect();
    assert_eq!(texts, ["Echo:", "Echo: ", "Echo: hi"]);
}

#[tokio::test]
async fn a_question_is_told_in_each_graph_around_it_and_a_run_that_resumes_begins_with_the_state() {
    let fixture = Fixture::new().await;
    let run = fixture.run("nested", json!({"input": {"text": " a ", "ask": true}})).await;
    let modes = [Mode::Values, Mode::Updates, Mode::Tasks];
    let frames = fixture.frames(&run, &modes, START).await;
    let told: Vec<_> = frames.iter().map(brief).collect();
    let expected = [
        "inner updates __interrupt__",
        "inner values asked",
        "inner end confirm",
        "updates __interrupt__",
        "values asked",
        "end child",
        "end success",
    ];
    assert_eq!(told[told.len() - 7..], expected, "{told:?}");
    let answered = fixture.run("nested", json!({"command": {"resume": "!"}})).await;
    let told: Vec<_> = fixture.frames(&answered, &modes, START).await.iter().map(brief).collect();
    assert_eq!(told[..3], ["metadata", "values", "start child"], "{told:?}");
    assert!(told.contains(&"inner updates confirm".to_owned()), "{told:?}");
}

#[tokio::test]
async fn a_stop_before_a_node_is_an_update_without_questions_and_a_failure_an_error() {
    let fixture = Fixture::new().await;
    let held = fixture.run("pipeline", json!({"input": {"topic": "a"}, "interrupt_before": ["work"]})).await;
    let told = fixture.frames(&held, &[Mode::Updates], START).await;
    assert_eq!(
        told.iter().map(brief).collect::<Vec<_>>(),
        ["metadata", "updates plan", "updates __interrupt__", "end success"]
    );
    assert_eq!(data(&told[2]), json!({"__interrupt__": []}));
    let failed = Fixture::new().await;
    let run = failed.run("faulty", json!({"input": {"mode": "fail"}})).await;
    let told = failed.frames(&run, &[Mode::Tasks], START).await;
    let kinds: Vec<_> = told.iter().map(brief).collect();
    assert_eq!(kinds, ["metadata", "start before", "end before", "start boom", "end boom", "error", "end error"]);
    assert_eq!(data(&told[5])["message"], "boom: mode=fail");
}

/// Runs of all kinds, with the number of their thread's earlier runs.
async fn runs(fixture: &Fixture) -> Vec<Submitted> {
    let mut runs = Vec::new();
    for (graph, order) in [
        ("nested", json!({"input": {"text": " a ", "ask": true}})),
        ("nested", json!({"command": {"resume": "!"}})),
        ("nested", json!({"input": {"text": " b "}})),
        ("nested", json!({"input": null})),
    ] {
        runs.push(fixture.run(graph, order).await);
    }
    runs
}

#[tokio::test]
async fn a_stream_is_taken_up_after_each_of_its_frames_without_loss_and_without_repeat() {
    for (graph, order) in [
        ("pipeline", json!({"input": {"topic": "a"}})),
        ("echo_chat", json!({"input": {"messages": "hi there"}})),
        ("fanout", json!({"input": {"names": ["a", "b", "c"], "ask": true}})),
        ("faulty", json!({"input": {"mode": "fail"}})),
    ] {
        let fixture = Fixture::new().await;
        let run = fixture.run(graph, order).await;
        is_resumable(&fixture, &run).await;
    }
    let fixture = Fixture::new().await;
    for run in runs(&fixture).await {
        is_resumable(&fixture, &run).await;
    }
}

async fn is_resumable(fixture: &Fixture, run: &Submitted) {
    let all = fixture.frames(run, &ALL, START).await;
    let pair = |frame: &StreamFrame| {
        let id = frame.id.to_string();
        let (time, number) = id.split_once('-').unwrap();
        (time.parse::<u64>().unwrap(), number.parse::<u64>().unwrap())
    };
    assert!(all.windows(2).all(|two| pair(&two[0]) < pair(&two[1])), "ids are unique and increase");
    let mut sets: Vec<Vec<Mode>> = ALL.iter().map(|mode| vec![*mode]).collect();
    sets.extend([vec![Mode::Values, Mode::Updates, Mode::Custom], ALL.to_vec()]);
    for modes in sets {
        let whole = fixture.frames(run, &modes, START).await;
        assert!(whole.iter().all(|frame| all.contains(frame)), "a frame is the same whatever is asked for: {modes:?}");
        for (place, frame) in whole.iter().enumerate() {
            let id: FrameId = frame.id.to_string().parse().unwrap();
            let rest = fixture.frames(run, &modes, Since::Frame(id)).await;
            assert_eq!(rest, whole[place + 1..], "{modes:?} after {}", brief(frame));
        }
        let now = fixture.frames(run, &modes, Since::Now).await;
        assert_eq!(now, whole[whole.len() - 1..], "a run that has ended tells only that");
    }
}

#[tokio::test]
async fn a_reader_that_does_not_read_holds_nothing_up_and_gets_everything() {
    let fixture = Fixture::new().await;
    let order = json!({"input": {"n": 700, "delay_ms": 0}, "config": {"recursion_limit": 10_000}});
    let run = fixture.submit(Some(fixture.thread), "ticker", order).await;
    let mut stream = fixture.stream(&run, &[Mode::Custom], START);
    assert_eq!(stream.next().await.unwrap().map(|frame| frame.event).as_deref(), Some("metadata"));
    // The run ends although nobody reads on, and its entries are more than are kept in memory.
    let ending = run.live.ended().await.unwrap();
    assert_eq!(ending.status, RunStatus::Success);
    let mut ticks = Vec::new();
    while let Some(frame) = stream.next().await.unwrap() {
        ticks.extend(data(&frame).get("tick").and_then(Value::as_u64));
    }
    assert_eq!(ticks, (1..=700).collect::<Vec<u64>>());
}

#[tokio::test]
async fn a_run_ends_with_its_client_if_that_is_asked_for() {
    let long = || json!({"input": {"n": 100_000, "delay_ms": 1}, "config": {"recursion_limit": 1_000_000}});
    let fixture = Fixture::new().await;
    let run = fixture.submit(Some(fixture.thread), "ticker", long()).await;
    drop(fixture.stream(&run, &[], START));
    let cancel = CancelOnDrop::new(&fixture.host, fixture.thread, run.record.run_id);
    let mut stream = fixture.stream(&run, &[Mode::Custom], START).or_cancel(Some(cancel));
    for _ in 0..3 {
        assert_ne!(stream.next().await.unwrap().unwrap().event, "end", "a client that only looks ends nothing");
    }
    drop(stream);
    assert_eq!(run.live.ended().await.unwrap().status, RunStatus::Interrupted);
}

#[tokio::test]
async fn a_run_without_a_thread_is_found_by_its_id_after_its_end() {
    let fixture = Fixture::new().await;
    let run = fixture.submit(None, "pipeline", json!({"input": {"topic": "a"}})).await;
    run.live.ended().await.unwrap();
    let id = run.record.run_id;
    assert_eq!(run.record.thread_id, id);
    let whole = fixture.frames(&run, &[Mode::Values], START).await;
    let log = fixture.host.manager.logs().open(id).await.unwrap();
    let again = Submitted { log, before: 0, ..run };
    let rest = fixture.frames(&again, &[Mode::Values], Since::Frame(whole[2].id)).await;
    assert_eq!(rest, whole[3..]);
}

async fn of_thread(fixture: &Fixture, log: &Arc<crate::log::ThreadLog>, since: Since, ends: usize) -> Vec<StreamFrame> {
    let mut stream = ThreadStream::new(&fixture.host, log, &[], since).await.unwrap();
    let mut frames: Vec<StreamFrame> = Vec::new();
    while frames.iter().filter(|frame| frame.data.contains("run_done")).count() < ends {
        frames.push(stream.next().await.unwrap().unwrap());
    }
    frames
}

#[tokio::test]
async fn the_stream_of_a_thread_goes_over_its_runs_and_is_taken_up_after_each_frame() {
    let fixture = Fixture::new().await;
    let first = fixture.run("pipeline", json!({"input": {"topic": "a"}, "stream_mode": ["updates"]})).await;
    fixture.run("pipeline", json!({"input": {"topic": "b"}, "stream_mode": ["checkpoints"]})).await;
    let whole = of_thread(&fixture, &first.log, START, 2).await;
    let told: Vec<_> = whole.iter().map(brief).collect();
    let expected = ["metadata", "updates plan", "updates work", "updates finish", "metadata", "metadata"];
    assert_eq!(told[..6], expected);
    assert_eq!(data(&whole[4]), json!({"status": "run_done", "run_id": first.record.run_id}));
    assert_eq!(told[6..8], ["checkpoint 4", "checkpoint 5"], "steps count on over runs");
    for (place, frame) in whole.iter().enumerate().take(whole.len() - 1) {
        let ends = whole[place + 1..].iter().filter(|frame| frame.data.contains("run_done")).count();
        let rest = of_thread(&fixture, &first.log, Since::Frame(frame.id), ends).await;
        assert_eq!(rest, whole[place + 1..], "after {}", brief(frame));
    }
    let mut live =
        ThreadStream::new(&fixture.host, &first.log, &[ThreadStreamMode::Lifecycle], Since::Now).await.unwrap();
    let third = fixture.run("pipeline", json!({"input": {"topic": "c"}})).await;
    for expected in [
        json!({"run_id": third.record.run_id, "attempt": 1}),
        json!({"status": "run_done", "run_id": third.record.run_id}),
    ] {
        assert_eq!(data(&live.next().await.unwrap().unwrap()), expected);
    }
    // A thread that is deleted ends its streams.
    fixture.host.manager.delete_thread(fixture.thread).await.unwrap();
    assert_eq!(live.next().await.unwrap(), None);
}
