//! Tasks of a wide step on several endpoints: events, durable steps and questions come back; which endpoint has what, and a run that is
//! cancelled.

use std::net::Ipv4Addr;
use std::time::Duration;

use graphloom_checkpoint_encrypted::{Key, Keyring};
use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{
    Answers, ChildOutcome, Compiled, Context, EventKind, Node, NodeError, Outcome, RunError, START, Snapshot, State,
    StateGraph, Timeout,
};
use graphloom_restate::{Endpoint, Engine, EngineOptions};
use graphloom_restate_server::Engine as Server;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chaos::Balancer;
use crate::pages::{LAST, Notes, Page, Pause, app, drafted, graph, graph_of, lines, noted, until};
use crate::places::{any, driven, options, port, run, serve};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wide_step_is_spread_over_endpoints_and_all_that_its_nodes_say_comes_back() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let files = ["one", "two", "three", "four"].map(|name| folder.path().join(name));
    // Each connection of the engine goes to the next one.
    let balancer = Balancer::open(Ipv4Addr::LOCALHOST.into()).await;
    let ports = [(); 4].map(|()| port());
    let endpoints = files.iter().zip(&ports).map(|(file, port)| {
        balancer.add(port.address());
        let endpoint = Endpoint::new(&options(&server)).serve(app(file, Pause::Short)).listen(port.address());
        run(endpoint.concurrency(200).advertise(&format!("http://{}", balancer.address())).expect("an address"))
    });
    let _served: Vec<_> = endpoints.collect();
    let unused = folder.path().join("unused");
    let thread = driven(&options(&server), &unused).await.with_checkpointer(MemoryCheckpointer::new()).thread("page");
    // The engine has some hundred at most on a connection, and connections are what is spread.
    const PARTS: u64 = 600;
    let mut run = thread.run(Page::update().parts(PARTS));
    let mut drafts = Vec::new();
    while let Some(event) = run.next().await {
        if let EventKind::Custom { payload, .. } = &event.kind {
            drafts.push(payload.json());
        }
    }
    let outcome = run.await.expect("the run ends");
    let Outcome::Waiting(questions) = outcome else { panic!("no question: {outcome:?}") };
    assert_eq!(
        questions.iter().map(|question| question.payload.clone()).collect::<Vec<_>>(),
        [serde_json::json!(PARTS + 1)]
    );
    drafts.sort_by_key(serde_json::Value::as_u64);
    assert_eq!(drafts, (0..PARTS).map(serde_json::Value::from).collect::<Vec<_>>());
    let page = thread
        .resume(Answers::new().and("title", "A page").expect("an answer"))
        .await
        .expect("the run ends")
        .done()
        .expect("it is done");
    let expected: Vec<String> = drafted(PARTS).into_iter().chain(["A page".to_owned()]).collect();
    assert_eq!(page.lines.iter().cloned().collect::<Vec<_>>(), expected);
    // All was done by endpoints, each part once, and by several of them.
    assert_eq!(lines(&unused), Vec::<String>::new());
    for part in 0..PARTS {
        let ended: usize = files.iter().map(|file| noted(file, "ended", part)).sum();
        assert_eq!(ended, 1, "part {part}");
    }
    let shares = files.each_ref().map(|file| lines(file).len());
    assert!(shares.iter().filter(|share| **share > 0).count() > 1, "one endpoint did everything: {shares:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_versions_of_a_graph_are_served_beside_each_other() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let begin = |version: u32| {
        let notes = Notes { file: folder.path().join(version.to_string()), pause: Pause::None };
        serve(&server, graph_of(version).with_context(notes))
    };
    let _old = begin(1);
    let engine = Engine::connect(&options(&server)).await.expect("an engine");
    let unused = || Notes { file: folder.path().join("unused"), pause: Pause::None };
    let newer = graph_of(2).executed_by(engine.clone()).expect("the state is stored").with_context(unused());
    let thread = newer.with_checkpointer(MemoryCheckpointer::new()).thread("page");
    let mut run = std::pin::pin!(thread.run(Page::update().parts(3)).into_future());
    let early = tokio::time::timeout(Duration::from_secs(2), &mut run).await;
    assert!(early.is_err(), "nobody has the graph in this version: {early:?}");
    let _new = begin(2);
    assert!(matches!(run.await, Ok(Outcome::Waiting(_))));
    assert_eq!(lines(&folder.path().join("1")), Vec::<String>::new());
    assert_eq!(noted(&folder.path().join("2"), "ended", 2), 1);
    // The old one is still there.
    let older = graph_of(1).executed_by(engine).expect("the state is stored").with_context(unused());
    let thread = older.with_checkpointer(MemoryCheckpointer::new()).thread("page");
    assert!(matches!(thread.run(Page::update().parts(3)).await, Ok(Outcome::Waiting(_))));
    assert_eq!(noted(&folder.path().join("1"), "ended", 2), 1);
    assert_eq!(noted(&folder.path().join("2"), "ended", 2), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_graph_is_found_where_it_is_inside_of_one_and_where_it_is_not() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name);
    let notes = |name: &str| Notes { file: file(name), pause: Pause::None };
    let mut around = StateGraph::<Page, Notes>::new("around");
    let page = |page: &Page| Page::update().parts(page.parts);
    around.add_subgraph(LAST, graph(), page, |_: ChildOutcome<Page>| Ok::<_, NodeError>(Page::update()));
    around.add_edge(START, LAST);
    let around = around.compile().expect("the graph is right");
    let _inside = serve(&server, around.clone().with_context(notes("inside")));
    let _alone = serve(&server, graph().with_context(notes("alone")));
    let engine = Engine::connect(&options(&server)).await.expect("an engine");
    let run = |graph: Compiled<Page, Notes>| {
        let driven = graph.executed_by(engine.clone()).expect("the state is stored").with_context(notes("unused"));
        let thread = driven.with_checkpointer(MemoryCheckpointer::new()).thread("page");
        thread.run(Page::update().parts(2)).into_future()
    };
    let ended = run(around).await;
    assert!(matches!(ended, Ok(Outcome::Waiting(_))), "{ended:?}");
    assert_eq!((noted(&file("inside"), "ended", 1), noted(&file("alone"), "ended", 1)), (1, 0));
    let ended = run(graph()).await;
    assert!(matches!(ended, Ok(Outcome::Waiting(_))), "{ended:?}");
    assert_eq!((noted(&file("inside"), "ended", 1), noted(&file("alone"), "ended", 1)), (1, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_too_large_to_be_carried_fails_with_both_numbers() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let small = options(&server).max_bytes(40);
    let endpoint = Endpoint::new(&small).serve(app(&folder.path().join("notes"), Pause::None));
    let _served = crate::places::run(endpoint.listen(any()));
    let driven = driven(&options(&server), &folder.path().join("unused")).await;
    let failed = driven.run_once(Page::update()).await.expect_err("it is too large").to_string();
    assert!(failed.contains("what came of the task has ") && failed.contains("40 are carried at most"), "{failed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_state_goes_to_workers_and_back() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let _served = serve(&server, bytes(30 << 20));
    drop(folder);
    let engine = Engine::connect(&options(&server)).await.expect("an engine");
    let driven = bytes(0).graph().executed_by(engine).expect("the state is stored").with_context(0_usize);
    // More than the engine carries goes to the worker, for it goes there without the engine.
    let input = Bytes::update().given("x".repeat(40 << 20));
    let done = driven.run_once(input).await.expect("it ends").done().expect("it is done");
    assert_eq!((done.given.len(), done.made.len()), (40 << 20, 30 << 20));
}

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Bytes {
    given: String,
    made: String,
}

const MAKE: Node = Node::named("make");

/// A node that makes so many bytes.
fn bytes(size: usize) -> graphloom_core_graph::App<Bytes, usize> {
    let mut graph = StateGraph::<Bytes, usize>::new("bytes");
    graph.add_node(MAKE, |_: Snapshot<Bytes>, cx: Context<usize>| async move {
        Ok::<_, NodeError>(Bytes::update().made("y".repeat(*cx.resources())))
    });
    graph.add_edge(START, MAKE);
    graph.compile().expect("the graph is right").with_context(size)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_nobody_waits_for_any_more_is_stopped() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("notes");
    let endpoint = Endpoint::new(&options(&server)).serve(app(&file, Pause::Forever));
    let _served = crate::places::run(endpoint.listen(any()).concurrency(3));
    let driven = driven(&options(&server), &folder.path().join("unused")).await;
    let threads = driven.with_checkpointer(MemoryCheckpointer::new());
    for (number, name) in ["one", "two"].into_iter().enumerate() {
        let thread = threads.thread(name);
        let run = tokio::spawn(thread.run(Page::update().parts(3)).into_future());
        // The second one finds all three places of the endpoint free.
        until(|| (0..3).all(|part| noted(&file, "draft", part) > number)).await;
        assert!(thread.cancel(), "the run is there");
        let outcome = run.await.expect("no panic");
        assert!(matches!(outcome, Ok(Outcome::Cancelled { .. })), "{outcome:?}");
    }
    assert_eq!(noted(&file, "ended", 0), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_is_asked_to_stop_and_kept_to_its_time() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("notes");
    let notes = || Notes { file: file.clone(), pause: Pause::None };
    let waiting = |name: &str, limit: Duration| {
        let mut graph = StateGraph::<Page, Notes>::new(name);
        graph
            .add_node(LAST, |page: Snapshot<Page>, cx: Context<Notes>| async move {
                cx.resources().note("began", page.parts);
                cx.stopping().await;
                cx.resources().note("stopped", page.parts);
                Ok::<_, NodeError>(Page::update().lines(["stopped".to_owned()]))
            })
            .timeout(Timeout::attempt(limit));
        graph.add_edge(START, LAST);
        graph.compile().expect("the graph is right")
    };
    let patient = || waiting("patient", Duration::from_secs(3600));
    let impatient = || waiting("impatient", Duration::from_secs(1));
    let endpoint = Endpoint::new(&options(&server)).serve(patient().with_context(notes()));
    let _served = run(endpoint.serve(impatient().with_context(notes())).listen(any()));
    let engine = Engine::connect(&options(&server)).await.expect("an engine");
    let threads = |graph: Compiled<Page, Notes>| {
        let driven = graph.executed_by(engine.clone()).expect("the state is stored").with_context(notes());
        driven.with_checkpointer(MemoryCheckpointer::new())
    };
    let drained = threads(patient()).thread("drained");
    let run = tokio::spawn(drained.run(Page::update().parts(1)).into_future());
    until(|| noted(&file, "began", 1) == 1).await;
    assert!(drained.drain(), "the run is there");
    let ended = run.await.expect("no panic").expect("the run ends");
    assert_eq!(noted(&file, "stopped", 1), 1, "{ended:?}");
    let late = threads(impatient()).thread("late").run(Page::update().parts(2)).await;
    assert!(matches!(&late, Err(RunError::TaskFailed { .. })), "{late:?}");
    assert_eq!(noted(&file, "stopped", 2), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_that_is_stopped_leaves_its_tasks_to_another() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let (file, port) = (folder.path().join("notes"), port());
    let endpoint = Endpoint::new(&options(&server)).serve(app(&file, Pause::Forever));
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let endpoint = endpoint.listen(port.address()).grace(Duration::from_millis(300));
    let first = tokio::spawn(endpoint.run(async move { drop(stopped.await) }));
    let driven = driven(&options(&server), &folder.path().join("unused")).await;
    let thread = driven.with_checkpointer(MemoryCheckpointer::new()).thread("page");
    let run = tokio::spawn(thread.run(Page::update().parts(3)).into_future());
    until(|| (0..3).all(|part| noted(&file, "kept", part) == 1)).await;
    stop.send(()).expect("it is there");
    first.await.expect("no panic").expect("it ends orderly");
    let _second = self::run(Endpoint::new(&options(&server)).serve(app(&file, Pause::None)).listen(port.address()));
    let outcome = run.await.expect("no panic");
    assert!(matches!(outcome, Ok(Outcome::Waiting(_))), "{outcome:?}");
    for part in 0..3 {
        let of = |what| noted(&file, what, part);
        assert_eq!((of("draft"), of("ended")), (1, 1), "part {part}: {:?}", lines(&file));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_that_is_cancelled_at_the_engine_fails_its_attempt() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("notes");
    let notes = || Notes { file: file.clone(), pause: Pause::None };
    let waiting = || {
        let mut graph = StateGraph::<Page, Notes>::new("waiting");
        graph.add_node(LAST, |page: Snapshot<Page>, cx: Context<Notes>| async move {
            cx.resources().note("began", page.parts);
            std::future::pending::<()>().await;
            cx.resources().note("ended", page.parts);
            Ok::<_, NodeError>(())
        });
        graph.add_edge(START, LAST);
        graph.compile().expect("the graph is right")
    };
    let _served = serve(&server, waiting().with_context(notes()));
    let engine = Engine::connect(&options(&server)).await.expect("an engine");
    let driven = waiting().executed_by(engine).expect("the state is stored").with_context(notes());
    let mut over = Vec::new();
    for (part, how) in ["cancel", "kill"].into_iter().enumerate() {
        let part = part as u64;
        let app = driven.clone();
        let run = tokio::spawn(async move { app.run_once(Page::update().parts(part)).await });
        until(|| noted(&file, "began", part) == 1).await;
        let client = crate::threads::client();
        let query = serde_json::json!({"query": "SELECT id FROM sys_invocation WHERE status = 'running'"});
        // What runs is in the engine's tables some time later, and what ran before is there for some time.
        let id = loop {
            let found = client.post(format!("{}/query", server.admin())).header("accept", "application/json");
            let found = found.header("content-type", "application/json").body(query.to_string()).send().await;
            let found = found.expect("the engine answers").text().await.expect("an answer");
            let found: serde_json::Value = serde_json::from_str(&found).expect("rows");
            let ids = found["rows"].as_array().into_iter().flatten().filter_map(|row| row["id"].as_str());
            let ids: Vec<String> = ids.map(str::to_owned).filter(|id| !over.contains(id)).collect();
            if let [id] = &*ids {
                break id.clone();
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        let ended = client.patch(format!("{}/invocations/{id}/{how}", server.admin())).send().await;
        assert!(ended.expect("the engine answers").status().is_success());
        let failed = run.await.expect("no panic").expect_err("the attempt fails").to_string();
        assert!(failed.contains("cancelled at the engine"), "{failed}");
        over.push(id);
        assert_eq!(noted(&file, "ended", part), 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_durable_step_that_is_too_large_fails_at_once() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let notes = || Notes { file: folder.path().join("notes"), pause: Pause::None };
    let large = || {
        let mut graph = StateGraph::<Page, Notes>::new("large");
        graph.add_node(LAST, |_: Snapshot<Page>, cx: Context<Notes>| async move {
            cx.once("large", async { Ok("x".repeat(1 << 20)) }).await?;
            Ok::<_, NodeError>(())
        });
        graph.add_edge(START, LAST);
        graph.compile().expect("the graph is right")
    };
    let _served = serve(&server, large().with_context(notes()));
    let engine = Engine::connect(&options(&server).max_bytes(1000)).await.expect("an engine");
    let driven = large().executed_by(engine).expect("the state is stored").with_context(notes());
    let failed = driven.run_once(Page::update()).await.expect_err("it is too large").to_string();
    assert!(failed.contains("refused a message: 413"), "{failed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_comes_of_tasks_is_read_with_the_keys_alone() {
    let (server, folder) = (Server::start(), tempfile::tempdir().expect("a folder"));
    let keys = |byte: u8| Keyring::new(Key::new("here", &[byte; 32]).expect("a key"));
    let file = folder.path().join("notes");
    let with = |byte| options(&server).keys(keys(byte));
    let endpoint = |options| Endpoint::new(options).serve(app(&file, Pause::None)).listen(any());
    let ended = async |own: &EngineOptions| {
        let thread = driven(own, &file).await.with_checkpointer(MemoryCheckpointer::new()).thread("page");
        thread.run(Page::update().parts(2)).await
    };
    let _served = run(endpoint(&with(1)));
    let outcome = ended(&with(1)).await.expect("the run ends");
    assert!(matches!(outcome, Outcome::Waiting(_)), "{outcome:?}");
    for (own, what) in [(with(2), "cannot be trusted"), (options(&server), "was encrypted with the key `here`")] {
        let refused = ended(&own).await.expect_err("it cannot be read");
        assert!(refused.to_string().contains(what), "{refused}");
    }
}
