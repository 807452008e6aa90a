//! A remote graph as a node: joined again, asked, failed, cancelled.

use std::collections::BTreeMap;
use std::time::Duration;

use graphloom_client::{Client, RemoteGraph, RunId, StreamMode};
use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::simulate::Simulator;
use graphloom_core_graph::{
    Answers, Context, EventKind, Log, Node, NodeError, Outcome, Retry, RunError, START, Snapshot, State, StateGraph,
    Step, Task, Thread,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::scripted_server::{Asked, Reply, ScriptedServer, lines};

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Letter {
    request: String,
    decision: Option<String>,
    #[state(append)]
    log: Log<String>,
}

const REMOTE: Node = Node::named("remote");

fn remote(client: Client) -> RemoteGraph<Letter> {
    RemoteGraph::new(
        client,
        "approval",
        |letter: &Letter| Ok(json!({"request": letter.request})),
        |state| {
            #[derive(Deserialize)]
            struct Approval {
                decision: String,
            }
            let left: Approval = state.values_as()?;
            Ok::<_, NodeError>(Letter::update().log(["folded".to_owned()]).decision(left.decision))
        },
    )
}

fn thread(remote: RemoteGraph<Letter>) -> Thread<Letter> {
    let mut graph = StateGraph::<Letter>::new("letters");
    graph.add_node(REMOTE, remote).asks::<Value>("remote");
    graph.add_edge(START, REMOTE);
    graph.compile().unwrap().with_checkpointer(MemoryCheckpointer::new()).thread("t")
}

fn run_id() -> RunId {
    RunId(Uuid::from_u128(9))
}

fn run(status: &str) -> Value {
    let (thread, assistant) = (Uuid::from_u128(7), Uuid::from_u128(1));
    json!({"run_id": run_id(), "thread_id": thread, "assistant_id": assistant, "status": status, "metadata": {}})
}

fn created() -> Reply {
    Reply::json(200, &run("pending"))
}

fn events(frames: &[(&str, Value)]) -> Reply {
    let metadata = ("metadata", json!({"run_id": run_id(), "attempt": 1}));
    let frames = std::iter::once(&metadata).chain(frames).enumerate();
    Reply::events(frames.map(|(at, (name, data))| format!("event: {name}\ndata: {data}\nid: {at}-0\n\n")))
}

fn end() -> (&'static str, Value) {
    ("end", json!({"status": "success"}))
}

/// What a run is asked about at its end: what it left, how it stands, and the state of its thread.
fn left(state: &Value) -> [Reply; 3] {
    [Reply::json(200, &json!({})), Reply::json(200, &run("success")), Reply::json(200, state)]
}

fn done() -> Value {
    json!({"values": {"request": "x", "decision": "approve"}, "next": [], "tasks": []})
}

fn script(parts: &[Vec<Reply>]) -> Vec<Reply> {
    parts.concat()
}

/// The lines with the id of the thread, which is drawn, as `T` and that of the run as `R`.
fn shape(asked: &[Asked]) -> Vec<String> {
    let path = |line: &str| line.split('/').nth(2).unwrap_or_default().to_owned();
    let thread = path(&asked[0].line);
    lines(asked).iter().map(|line| line.replace(&thread, "T").replace(&run_id().to_string(), "R")).collect()
}

const CREATE: &str = "POST /threads/T/runs";
const STREAM: &str = "GET /threads/T/runs/R/stream";
const LEFT: [&str; 3] = ["GET /threads/T/runs/R/join", "GET /threads/T/runs/R", "GET /threads/T/state?subgraphs=false"];
const FIND: &str = "GET /threads/T/runs?limit=100";

async fn outcome(thread: &Thread<Letter>) -> Outcome<Letter> {
    thread.run(Letter::update().request("x")).await.unwrap()
}

fn assert_done(outcome: Outcome<Letter>) {
    let Outcome::Done(letter) = outcome else { panic!("{outcome:?}") };
    assert_eq!((letter.decision.as_deref(), letter.log.len()), (Some("approve"), 1));
}

#[tokio::test]
async fn a_remote_graph_runs_as_a_node_and_is_heard() {
    let chunk = json!([{"type": "AIMessageChunk", "content": "hi", "id": "m"}, {"langgraph_node": "model"}]);
    let told = events(&[("custom", json!({"progress": 1})), ("messages", chunk.clone()), end()]);
    let server = ScriptedServer::start(script(&[vec![created(), told], left(&done()).to_vec()])).await;
    let remote = remote(server.client()).config(json!({"tags": ["a"]})).context(json!({"user_id": "u"}));
    let mut run = thread(remote).run(Letter::update().request("x"));
    let mut heard = Vec::new();
    while let Some(event) = run.next().await {
        if let EventKind::Custom { name, payload } = event.kind {
            heard.push((name, payload.json()));
        }
    }
    assert_done(run.await.unwrap());
    assert_eq!(heard, [("custom".to_owned(), json!({"progress": 1})), ("messages".to_owned(), chunk)]);
    let asked = server.asked();
    assert_eq!(shape(&asked), [&[CREATE, STREAM][..], &LEFT].concat());
    let body = asked[0].json();
    assert_eq!((&body["assistant_id"], &body["input"]), (&json!("approval"), &json!({"request": "x"})));
    assert_eq!((&body["if_not_exists"], &body["stream_resumable"]), (&json!("create"), &json!(true)));
    assert_eq!(body["stream_mode"], json!(["custom", "messages-tuple"]));
    assert_eq!((&body["config"], &body["context"]), (&json!({"tags": ["a"]}), &json!({"user_id": "u"})));
    assert!(body["metadata"]["graphloom_call"].as_str().unwrap().ends_with("/0"));
    assert_eq!(asked[1].header("last-event-id"), Some("-1"));
}

#[tokio::test]
async fn what_is_asked_there_is_asked_here_and_the_answers_resume_it() {
    let interrupts = json!([{"id": "i1", "value": {"name": "a"}}, {"id": "i2", "value": {"name": "b"}}]);
    let waiting = json!({"values": {}, "next": ["review", "review"], "interrupts": interrupts});
    // The same task asks again, under the id that it had.
    let again = json!({"values": {}, "next": ["review"], "tasks": [{"interrupts": [{"id": "i1", "value": "sure?"}]}]});
    let round = |state: &Value| script(&[vec![created()], left(state).to_vec()]);
    let none = || vec![Reply::json(200, &json!([]))];
    let server = ScriptedServer::start(script(&[round(&waiting), none(), round(&again), none(), round(&done())])).await;
    let thread = thread(remote(server.client()).forward([]));
    let Outcome::Waiting(questions) = outcome(&thread).await else { panic!("no question") };
    let asked: Vec<_> = questions.iter().map(|question| (question.key.as_str(), question.payload.clone())).collect();
    assert_eq!(asked, [("remote", json!({"name": "a"})), ("remote/2", json!({"name": "b"}))]);
    // One answer is not enough: the other question stays.
    let Outcome::Waiting(questions) = thread.resume(questions.answer("remote/2", 2).unwrap()).await.unwrap() else {
        panic!("no question")
    };
    assert_eq!(questions.len(), 1);
    let Outcome::Waiting(questions) = thread.resume(questions.answer("remote", "one").unwrap()).await.unwrap() else {
        panic!("no question")
    };
    let keys: Vec<_> = questions.iter().map(|question| (question.key.as_str(), question.payload.clone())).collect();
    assert_eq!(keys, [("remote/3", json!("sure?"))]);
    assert_done(thread.resume(Answers::new().and("remote/3", true).unwrap()).await.unwrap());
    let asked = server.asked();
    let (first, later) = ([&[CREATE][..], &LEFT].concat(), [&[FIND, CREATE][..], &LEFT].concat());
    assert_eq!(shape(&asked), [first, later.clone(), later].concat());
    assert_eq!(asked[5].json()["command"], json!({"resume": {"i1": "one", "i2": 2}}));
    assert_eq!(asked[10].json()["command"], json!({"resume": {"i1": true}}));
    assert!(asked[10].json().get("input").is_none());
}

#[tokio::test]
async fn the_same_run_is_joined_after_the_local_run_was_stopped() {
    let told = events(&[("custom", json!(1))]);
    let script =
        script(&[vec![created(), told.quiet(), events(&[("custom", json!(1)), end()])], left(&done()).to_vec()]);
    let server = ScriptedServer::start(script).await;
    let thread = thread(remote(server.client()));
    let mut run = thread.run(Letter::update().request("x"));
    while let Some(event) = run.next().await {
        if matches!(event.kind, EventKind::Custom { .. }) {
            thread.cancel();
        }
    }
    assert!(matches!(run.await.unwrap(), Outcome::Cancelled { .. }));
    assert_done(thread.continue_().await.unwrap());
    // Nothing was cancelled there, and nothing was started twice.
    assert_eq!(shape(&server.asked()), [&[CREATE, STREAM, STREAM][..], &LEFT].concat());
}

#[tokio::test]
async fn a_run_whose_start_was_not_answered_is_found_by_its_mark() {
    let found = Reply::made(|asked| {
        let mut run = run("running");
        run["metadata"] = asked[0].json()["metadata"].clone();
        let other = json!({"run_id": Uuid::from_u128(3), "thread_id": Uuid::from_u128(7), "assistant_id": Uuid::from_u128(1),
            "status": "running", "metadata": {"graphloom_call": "another/0"}});
        Reply::json(200, &json!([other, run]))
    });
    let server = ScriptedServer::start(script(&[vec![Reply::unanswered(), found], left(&done()).to_vec()])).await;
    assert_done(outcome(&thread(remote(server.client()).forward([]))).await);
    assert_eq!(shape(&server.asked()), [&[CREATE, FIND][..], &LEFT].concat());
}

#[tokio::test]
async fn a_failure_there_is_an_error_here_and_another_attempt_goes_on() {
    let failed = events(&[("error", json!({"error": "ValueError", "message": "boom"}))]);
    let unfinished = Reply::json(200, &json!({"values": {}, "next": ["boom"]}));
    let again = vec![Reply::json(200, &json!([])), unfinished, created(), events(&[end()])];
    let server = ScriptedServer::start(script(&[vec![created(), failed], again, left(&done()).to_vec()])).await;
    let thread = thread(remote(server.client()));
    let error = thread.run(Letter::update().request("x")).await.unwrap_err();
    let RunError::TaskFailed { message, .. } = &error else { panic!("{error}") };
    assert!(message.contains("`ValueError`: boom"), "{message}");
    assert_done(thread.continue_().await.unwrap());
    let asked = server.asked();
    let again = ["GET /threads/T/state?subgraphs=false", CREATE, STREAM];
    assert_eq!(shape(&asked), [&[CREATE, STREAM, FIND][..], &again, &LEFT].concat());
    assert_eq!((asked[4].json()["input"].clone(), asked[4].json().get("command")), (Value::Null, None));
}

#[tokio::test]
async fn a_retry_policy_outlives_a_server_that_is_away() {
    let away = Reply::json(503, &json!({"detail": "starting"}));
    let mut script = vec![created()];
    script.extend(vec![away; 5]);
    script.extend([events(&[end()])].into_iter().chain(left(&done())));
    let server = ScriptedServer::start(script).await;
    let mut graph = StateGraph::<Letter>::new("letters");
    let retry = Retry::immediate(3);
    graph.add_node(REMOTE, remote(server.client())).retry(retry);
    graph.add_edge(START, REMOTE);
    let thread = graph.compile().unwrap().with_checkpointer(MemoryCheckpointer::new()).thread("t");
    assert_done(outcome(&thread).await);
    assert_eq!(shape(&server.asked()), [&[CREATE][..], &[STREAM; 6], &LEFT].concat());
}

#[tokio::test]
async fn what_the_server_refuses_is_not_tried_again() {
    let server = ScriptedServer::start([Reply::json(404, &json!({"detail": "Assistant not found"}))]).await;
    let mut graph = StateGraph::<Letter>::new("letters");
    graph.add_node(REMOTE, remote(server.client())).retry(Retry::immediate(3));
    graph.add_edge(START, REMOTE);
    let thread = graph.compile().unwrap().with_checkpointer(MemoryCheckpointer::new()).thread("t");
    let error = thread.run(Letter::update()).await.unwrap_err().to_string();
    assert!(error.contains("Assistant not found"), "{error}");
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn the_remote_run_is_cancelled_with_the_local_one_when_asked_and_taken_up_again() {
    let cancelled = [Reply::json(200, &json!({})), Reply::json(200, &run("interrupted"))];
    let unfinished = Reply::json(200, &json!({"values": {}, "next": ["work"]}));
    let parts = [
        vec![created(), events(&[("custom", json!(1))]).quiet(), Reply::json(202, &json!({}))],
        // Afterwards: the run is joined, was cancelled, and another goes on.
        vec![events(&[("end", json!({"status": "interrupted"}))])],
        cancelled.to_vec(),
        vec![Reply::json(200, &json!([])), unfinished, created(), events(&[end()])],
        left(&done()).to_vec(),
    ];
    let server = ScriptedServer::start(script(&parts)).await;
    let thread = thread(remote(server.client()).cancel_with_run(true).forward([StreamMode::Custom]));
    let mut run = thread.run(Letter::update().request("x"));
    while let Some(event) = run.next().await {
        if matches!(event.kind, EventKind::Custom { .. }) {
            thread.cancel();
        }
    }
    assert!(matches!(run.await.unwrap(), Outcome::Cancelled { .. }));
    tokio::time::timeout(Duration::from_secs(10), server.reached(3)).await.expect("the run is cancelled");
    assert_done(thread.continue_().await.unwrap());
    let asked = server.asked();
    assert_eq!(shape(&asked)[2], "POST /threads/T/runs/R/cancel?wait=0&action=interrupt");
    assert_eq!(asked[8].json()["input"], Value::Null);
}

/// A server that starts runs, finds them and has them end, one question in between, as often as it is asked.
fn lasting(asked: &[Asked]) -> Reply {
    let line = &asked.last().unwrap().line;
    let started = |asked: &Asked| asked.line.starts_with("POST") && asked.line.ends_with("/runs");
    let thread = line.split('/').nth(2).unwrap();
    let here: Vec<_> = asked.iter().filter(|asked| started(asked) && asked.line.contains(thread)).collect();
    let run = |number: usize| {
        let mut run = run("success");
        run["run_id"] = json!(Uuid::from_u128(100 + number as u128));
        run["metadata"] = here[number].json()["metadata"].clone();
        run
    };
    match (line.split(' ').next().unwrap(), line.split('/').nth(4).unwrap_or_default()) {
        ("POST", _) => Reply::json(200, &run(here.len() - 1)),
        ("GET", "") if line.contains("/runs") => Reply::json(200, &(0..here.len()).map(run).collect()),
        ("GET", "") if here.len() == 1 => {
            Reply::json(200, &json!({"values": {}, "next": ["review"], "interrupts": [{"id": "i1", "value": "?"}]}))
        }
        ("GET", "") => Reply::json(200, &done()),
        _ if line.ends_with("/join") => Reply::json(200, &json!({})),
        _ => Reply::json(200, &run(0)),
    }
}

#[tokio::test]
async fn wherever_the_process_dies_each_remote_run_is_started_once() {
    let server = ScriptedServer::start(vec![Reply::made(lasting); 10_000]).await;
    let mut graph = StateGraph::<Letter>::new("letters");
    graph.add_node(REMOTE, remote(server.client()).forward([])).asks::<Value>("remote");
    graph.add_edge(START, REMOTE);
    let graph = graph.compile().unwrap();
    let simulator = Simulator::new(&graph).answer("remote", "approve").unwrap();
    let reports = simulator.crash_everywhere(Letter::update().request("x")).await.unwrap();
    assert!(reports.len() > 10, "{}", reports.len());
    for report in &reports {
        assert_eq!((report.state.decision.as_deref(), report.state.log.len()), (Some("approve"), 1));
        assert!(report.violations.is_empty(), "{:?}", report.violations);
    }
    let mut started = BTreeMap::<String, Vec<Value>>::new();
    for asked in server.asked_so_far().iter().filter(|asked| asked.line.starts_with("POST")) {
        started.entry(asked.line.clone()).or_default().push(asked.json()["command"].clone());
    }
    // One thread for each simulated run; those that died before the node began left none.
    assert!(started.len() >= reports.len(), "{} threads for {} runs", started.len(), reports.len());
    for (line, commands) in started {
        assert_eq!(commands, [Value::Null, json!({"resume": {"i1": "approve"}})], "{line}");
    }
}

const LETTER: Task<String> = Task::named("letter");
const SPLIT: Node = Node::named("split");

#[tokio::test]
async fn tasks_beside_each_other_have_threads_and_questions_of_their_own() {
    let server = ScriptedServer::start(vec![Reply::made(lasting); 100]).await;
    let mut graph = StateGraph::<Letter>::new("letters");
    let letters = |_: Snapshot<Letter>| async {
        Ok(Step::<Letter>::send(["tea", "milk"].map(|request| LETTER.send(request, request.to_owned()))))
    };
    graph.add_node(SPLIT, letters).may_send(LETTER);
    let client = server.client();
    let letter = move |request: String, state: Snapshot<Letter>, cx: Context| {
        let folded = request.clone();
        let remote = RemoteGraph::<Letter>::new(
            client.clone(),
            "approval",
            move |_| Ok(json!({"request": request})),
            move |_| Ok::<_, NodeError>(Letter::update().log([folded.clone()])),
        );
        async move { remote.forward([]).run(&state, &cx).await }
    };
    graph.add_task(LETTER, letter).asks::<Value>("remote");
    graph.add_edge(START, SPLIT);
    let thread = graph.compile().unwrap().with_checkpointer(MemoryCheckpointer::new()).thread("t");
    let Outcome::Waiting(questions) = thread.run(Letter::update()).await.unwrap() else { panic!("no question") };
    let answers = questions.iter().try_fold(Answers::new(), |answers, question| answers.and(&question.id, true));
    let Outcome::Done(letter) = thread.resume(answers.unwrap()).await.unwrap() else { panic!("not done") };
    assert_eq!(letter.log.iter().map(String::as_str).collect::<Vec<_>>(), ["milk", "tea"]);
    let mut inputs = BTreeMap::<String, Vec<Value>>::new();
    for asked in server.asked_so_far().iter().filter(|asked| asked.line.starts_with("POST")) {
        inputs.entry(asked.line.clone()).or_default().push(asked.json());
    }
    let mut requests: Vec<_> = inputs.values().map(|bodies| bodies[0]["input"]["request"].to_string()).collect();
    requests.sort();
    assert_eq!(requests, ["\"milk\"", "\"tea\""]);
    assert!(inputs.values().all(|bodies| bodies[1]["command"] == json!({"resume": {"i1": true}})), "{inputs:?}");
}
