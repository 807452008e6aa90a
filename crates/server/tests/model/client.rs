//! A client that does commands, and compares what comes of them with the model.

use serde_json::{Value, json};

use super::assistant::Assistant;
use super::thread::{Kind, Snapshot, Thread};
use super::{Command, How, Meanwhile};
use crate::support::Client;

pub(super) struct ModelClient {
    http: Client,
    threads: Vec<Thread>,
    assistant: Assistant,
}

impl Thread {
    fn at(&self) -> String {
        format!("/threads/{}", self.id)
    }

    fn input_of(&self, value: u8) -> Value {
        match self.kind {
            Kind::Pipeline => json!({"topic": format!("t{value}")}),
            Kind::Approval => json!({"request": format!("r{value}")}),
            Kind::Ticker => self.ticks(u64::from(value), 0),
        }
    }

    /// So many ticks more.
    fn ticks(&self, more: u64, delay_ms: u64) -> Value {
        let count = self.values()["ticks"].as_array().unwrap().len() as u64;
        json!({"n": count + more, "delay_ms": delay_ms})
    }

    fn body(&self, rest: Value) -> Value {
        let mut body = rest;
        body["assistant_id"] = json!(self.kind.name());
        body
    }
}

fn id(run: &Value) -> String {
    run["run_id"].as_str().unwrap_or_else(|| panic!("{run}")).to_owned()
}

impl ModelClient {
    pub(super) fn new(http: &Client) -> Self {
        Self { http: http.clone(), threads: Vec::new(), assistant: Assistant::default() }
    }

    pub(super) async fn does(&mut self, command: Command) {
        let kind = match command {
            Command::Assistant(command) => return self.assistant.does(&self.http, command).await,
            Command::Create(kind)
            | Command::Delete(kind)
            | Command::Patch(kind, _)
            | Command::Run(kind, ..)
            | Command::Continue(kind)
            | Command::Fork(kind, ..)
            | Command::Copy(kind) => kind,
            Command::Resume(..) => Kind::Approval,
            Command::Update(_) => Kind::Pipeline,
            Command::Meanwhile(_) => Kind::Ticker,
        };
        let place = self.threads.iter().position(|thread| thread.kind == kind);
        let Some(place) = place else {
            // Only a thread that is there can be worked with.
            let made = self.http.post("/threads", json!({"metadata": {"patched": null}})).await.unwrap().ok();
            let id = made["thread_id"].as_str().unwrap().to_owned();
            let thread = Thread {
                kind,
                id,
                states: vec![],
                status: "idle",
                patched: Value::Null,
                runs: vec![],
                is_copy_of_runs: false,
            };
            look(&self.http, &thread).await;
            self.threads.push(thread);
            return;
        };
        let http = self.http.clone();
        let thread = &mut self.threads[place];
        match command {
            Command::Create(_) => {
                let again = http.post("/threads", json!({"thread_id": thread.id})).await.unwrap();
                assert_eq!(again.status, 409, "{}", again.body);
                let same = json!({"thread_id": thread.id, "if_exists": "do_nothing"});
                assert_eq!(http.post("/threads", same).await.unwrap().ok()["thread_id"], thread.id);
            }
            Command::Delete(_) => {
                assert_eq!(http.delete(&thread.at()).await.unwrap().status, 204);
                for path in ["", "/state", "/history", "/runs"] {
                    assert_eq!(http.get(&format!("{}{path}", thread.at())).await.unwrap().status, 404, "{path}");
                }
                let body = thread.body(json!({"input": {}}));
                assert_eq!(http.post(&format!("{}/runs/wait", thread.at()), body).await.unwrap().status, 404);
                self.threads.remove(place);
                return;
            }
            Command::Patch(_, value) => {
                thread.patched = json!(value);
                http.patch(&thread.at(), json!({"metadata": {"patched": value}})).await.unwrap().ok();
            }
            Command::Run(_, value, how) => {
                let input = thread.input_of(value);
                run(&http, thread, json!({"input": input}), how, "success").await;
                thread.input(thread.values(), &input);
            }
            Command::Continue(_) if thread.head().is_some_and(Snapshot::is_long) => return,
            Command::Continue(_) => {
                let is_new = thread.states.is_empty();
                let status = if is_new { "error" } else { "success" };
                run(&http, thread, json!({"input": null}), How::Wait, status).await;
                if is_new { thread.status = "error" } else { thread.go_on(None) }
            }
            Command::Resume(answer, by_id) => resume(&http, thread, answer, by_id).await,
            Command::Update(value) => update(&http, thread, value).await,
            Command::Fork(_, at, with_input) => fork(&http, thread, at, with_input).await,
            Command::Copy(_) => {
                let copy = http.post(&format!("{}/copy", thread.at()), Value::Null).await.unwrap().ok();
                look(&http, thread).await;
                thread.id = copy["thread_id"].as_str().unwrap().to_owned();
                thread.is_copy_of_runs |= !thread.runs.is_empty();
                thread.runs.clear();
                // How the last run ended is not part of a copy's state.
                thread.settle();
            }
            Command::Meanwhile(what) => meanwhile(&http, thread, what).await,
            Command::Assistant(_) => {}
        }
        look(&http, thread).await;
    }
}

/// A run, and its end.
async fn run(http: &Client, thread: &mut Thread, rest: Value, how: How, status: &'static str) {
    let runs = format!("{}/runs", thread.at());
    let body = thread.body(rest);
    match how {
        How::Wait => drop(http.post(&format!("{runs}/wait"), body).await.unwrap().ok()),
        How::Join => {
            let made = http.post(&runs, body).await.unwrap().ok();
            http.get(&format!("{runs}/{}/join", id(&made))).await.unwrap().ok();
        }
        How::Stream => {
            let mut stream = http.post_stream(&format!("{runs}/stream"), body).await.unwrap();
            assert_eq!(stream.status, 200);
            let mut last = None;
            while let Some(event) = stream.next().await.unwrap() {
                last = Some(event);
            }
            assert_eq!(last.unwrap().data["status"], status);
        }
    }
    let newest = http.get(&format!("{runs}?limit=1")).await.unwrap().ok();
    thread.runs.push((id(&newest[0]), status));
}

async fn resume(http: &Client, thread: &mut Thread, answer: u8, by_id: bool) {
    let answer = ["approve", "reject", "later"][usize::from(answer) % 3];
    let state = http.get(&format!("{}/state", thread.at())).await.unwrap().ok();
    let open = state["tasks"][0]["interrupts"][0]["id"].as_str().map(str::to_owned);
    assert_eq!(open.is_some(), thread.is_open(), "{state}");
    let resume = match (&open, by_id) {
        (Some(id), true) => json!({id.clone(): answer}),
        (None, true) => json!({"0".repeat(32): answer}),
        _ => json!(answer),
    };
    let order = json!({"command": {"resume": resume}});
    if open.is_none() {
        // An answer to nothing is refused, and leaves the thread as it was.
        let refused = http.post(&format!("{}/runs/wait", thread.at()), thread.body(order)).await.unwrap();
        assert_eq!(refused.status, 422, "{}", refused.body);
        return;
    }
    run(http, thread, order, How::Wait, "success").await;
    thread.go_on(Some(answer));
}

async fn update(http: &Client, thread: &mut Thread, value: u8) {
    if thread.states.is_empty() && (thread.is_copy_of_runs || !thread.runs.is_empty()) {
        // Of a graph that nothing was written for, the nodes cannot go on.
        return;
    }
    if thread.head().is_some_and(|state| !state.next.is_empty()) {
        // What was next stays next, beside what follows the update.
        return;
    }
    let entry = format!("u{value}");
    let (node, next) =
        [("plan", vec!["work"]), ("work", vec!["finish"]), ("finish", vec![])][usize::from(value) % 3].clone();
    let body = json!({"values": {"items": [entry]}, "as_node": node});
    let answer = http.post(&format!("{}/state", thread.at()), body).await.unwrap();
    if thread.states.is_empty() {
        // Without a run nobody knows of which graph it is, save from its metadata.
        assert_eq!(answer.status, 400, "{}", answer.body);
        return;
    }
    answer.ok();
    let mut values = thread.values();
    values["items"].as_array_mut().unwrap().push(json!(entry));
    thread.commit(values, next);
    thread.settle();
}

async fn fork(http: &Client, thread: &mut Thread, at: u8, with_input: bool) {
    if thread.states.is_empty() {
        return;
    }
    let at = usize::from(at) % thread.states.len();
    let chosen = thread.states[at].clone();
    let is_before_input = chosen.next == ["__start__"];
    let goes_on_from = if is_before_input { &thread.states[at + 1] } else { &chosen };
    if if with_input { is_before_input } else { goes_on_from.is_long() } {
        return;
    }
    let history = history(http, thread).await;
    let checkpoint = history[thread.states.len() - 1 - at]["checkpoint_id"].clone();
    if with_input {
        let input = match thread.kind {
            Kind::Ticker => json!({"n": chosen.values["ticks"].as_array().unwrap().len() + 2, "delay_ms": 0}),
            _ => thread.input_of(9),
        };
        run(http, thread, json!({"input": input, "checkpoint_id": checkpoint}), How::Wait, "success").await;
        thread.input(chosen.values, &input);
    } else {
        run(http, thread, json!({"input": null, "checkpoint_id": checkpoint}), How::Wait, "success").await;
        // Before an input: the input is committed again.
        let Snapshot { values, next } = if is_before_input { thread.states[at + 1].clone() } else { chosen };
        thread.commit(values, next);
        thread.go_on(None);
    }
}

async fn meanwhile(http: &Client, thread: &mut Thread, what: Meanwhile) {
    let runs = format!("{}/runs", thread.at());
    let start = async |input: &Value, strategy: &str| {
        let body = thread.body(json!({"input": input, "multitask_strategy": strategy}));
        http.post(&runs, body).await.unwrap()
    };
    let (short, long) = (thread.ticks(3, 4), thread.ticks(100_000, 4));
    if matches!(what, Meanwhile::CancelOneThatWaits) {
        let body = thread.body(json!({"input": short, "after_seconds": 1000}));
        let waits = id(&http.post(&runs, body).await.unwrap().ok());
        assert_eq!(http.get(&thread.at()).await.unwrap().ok()["status"], "busy");
        http.post(&format!("{runs}/{waits}/cancel?wait=1"), Value::Null).await.unwrap().ok();
        thread.runs.push((waits, "interrupted"));
        if thread.status != "error" {
            thread.settle();
        }
        return;
    }
    let first = id(&start(if matches!(what, Meanwhile::Enqueue) { &short } else { &long }, "enqueue").await.ok());
    if !matches!(what, Meanwhile::Enqueue) {
        assert_eq!(http.get(&thread.at()).await.unwrap().ok()["status"], "busy");
    }
    let cancel = async |action: &str| {
        let path = format!("{runs}/{first}/cancel?wait=1&action={action}");
        http.post(&path, Value::Null).await.unwrap().ok();
    };
    let base = thread.values();
    match what {
        Meanwhile::CancelOneThatWaits => {}
        Meanwhile::Enqueue => {
            let later = json!({"n": short["n"].as_u64().unwrap() + 3, "delay_ms": 4});
            let second = id(&start(&later, "enqueue").await.ok());
            loop {
                // Busy is what it is as long as one of the two has not ended.
                let status = http.get(&thread.at()).await.unwrap().ok()["status"].clone();
                let run = http.get(&format!("{runs}/{second}")).await.unwrap().ok()["status"].clone();
                if run != "pending" && run != "running" {
                    break;
                }
                // Several processes record that the thread has come to rest a moment before the end of its last run.
                assert!(http.is_of_several() || status == "busy", "the second run is {run}, the thread {status}");
            }
            thread.input(base, &short);
            thread.input(thread.values(), &later);
            thread.runs.extend([(first, "success"), (second, "success")]);
        }
        Meanwhile::Reject | Meanwhile::Cancel => {
            if matches!(what, Meanwhile::Reject) {
                let refused = start(&short, "reject").await;
                assert_eq!(refused.status, 409, "{}", refused.body);
            }
            cancel("interrupt").await;
            thread.runs.push((first, "interrupted"));
            adopt(http, thread).await;
            thread.status = "interrupted";
        }
        Meanwhile::CancelWithRollback => {
            cancel("rollback").await;
            assert_eq!(http.get(&format!("{runs}/{first}")).await.unwrap().status, 404);
            thread.status = "interrupted";
        }
        Meanwhile::Interrupt | Meanwhile::Rollback => {
            let is_rollback = matches!(what, Meanwhile::Rollback);
            let strategy = if is_rollback { "rollback" } else { "interrupt" };
            let second = id(&start(&short, strategy).await.ok());
            http.get(&format!("{runs}/{second}/join")).await.unwrap().ok();
            if is_rollback {
                thread.input(base, &short);
            } else {
                thread.runs.push((first, "interrupted"));
                adopt(http, thread).await;
                assert!(thread.head().unwrap().next.is_empty());
            }
            thread.status = "idle";
            thread.runs.push((second, "success"));
        }
    }
}

/// Nobody knows how far a run came that was stopped: the ticks follow each other, however many there are.
async fn adopt(http: &Client, thread: &mut Thread) {
    let known = thread.states.len();
    let history = history(http, thread).await;
    for state in history.iter().rev().skip(known) {
        let next = match state["next"][0].as_str() {
            Some("__start__") => vec!["__start__"],
            Some("tick") => vec!["tick"],
            None => vec![],
            Some(other) => panic!("{other}"),
        };
        let ticks: Vec<u64> = serde_json::from_value(state["values"]["ticks"].clone()).unwrap();
        assert_eq!(ticks, (1..=ticks.len() as u64).collect::<Vec<_>>());
        thread.commit(state["values"].as_object().unwrap().clone(), next);
    }
}

async fn history(http: &Client, thread: &Thread) -> Vec<Value> {
    let history = http.post(&format!("{}/history", thread.at()), json!({"limit": 1000})).await.unwrap().ok();
    history.as_array().unwrap().clone()
}

/// All that the server says of the thread is what the model says.
async fn look(http: &Client, thread: &Thread) {
    let record = http.get(&thread.at()).await.unwrap().ok();
    assert_eq!(record["status"], thread.status, "{record}");
    assert_eq!(record["metadata"]["patched"], thread.patched);
    let expected = thread.head().map_or(Value::Null, |state| state.values.clone().into());
    assert_eq!(record["values"], expected);
    let is_asked = !record["interrupts"].as_object().unwrap().is_empty();
    assert_eq!(is_asked, thread.is_open(), "{record}");
    let history = history(http, thread).await;
    let states: Vec<_> = history.iter().rev().map(|state| (state["values"].clone(), state["next"].clone())).collect();
    let expected: Vec<_> =
        thread.states.iter().map(|state| (Value::from(state.values.clone()), json!(state.next))).collect();
    assert_eq!(states, expected, "{:?}", thread.kind);
    let ids: Vec<_> = history.iter().map(|state| state["checkpoint_id"].as_str().unwrap()).collect();
    assert!(ids.is_sorted_by(|newer, older| newer > older), "{ids:?}");
    for (at, state) in history.iter().enumerate() {
        let is_first = at + 1 == history.len();
        let parent = state["parent_checkpoint_id"].as_str();
        assert!(parent.map_or(is_first, |parent| ids[at + 1..].contains(&parent)), "{parent:?} of {}", ids[at]);
    }
    let state = http.get(&format!("{}/state", thread.at())).await.unwrap().ok();
    assert_eq!(state["checkpoint_id"].as_str(), ids.first().copied());
    let runs = http.get(&format!("{}/runs?limit=1000", thread.at())).await.unwrap().ok();
    let runs: Vec<_> = runs
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .map(|run| (run["run_id"].as_str().unwrap(), run["status"].as_str().unwrap()))
        .collect();
    let expected: Vec<_> = thread.runs.iter().map(|(id, status)| (id.as_str(), *status)).collect();
    assert_eq!(runs, expected);
}
