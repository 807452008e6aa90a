//! Tasks of a wide step on two workers: events, durable steps and questions come back; which worker takes what, and a run that
//! is cancelled.

use std::time::Duration;

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{Answers, ChildOutcome, EventKind, NodeError, Outcome, START, StateGraph};
use graphloom_postgres_server::Server;
use graphloom_worker::{QueueOptions, TaskQueue, Worker};
use sqlx::Connection;

use crate::pages::{LAST, Notes, Page, Pause, app, drafted, graph, graph_of, lines, noted, until};

/// Nobody is taken for dead, however busy the machine is.
fn patient() -> QueueOptions {
    QueueOptions::default().heartbeat(Duration::from_secs(60))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wide_step_is_spread_over_workers_and_all_that_its_nodes_say_comes_back() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let files = [folder.path().join("one"), folder.path().join("two")];
    let options = patient();
    // No part ends before both workers have begun some.
    let gate = folder.path().join("gate");
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let workers: Vec<_> = files
        .iter()
        .map(|file| {
            let (url, options, app) = (server.url(), options.clone(), app(file, Pause::Until(gate.clone())));
            let mut stopped = stopped.clone();
            tokio::spawn(async move {
                let worker = Worker::connect(&url, &options).await?.serve(app).concurrency(4);
                worker.run(async move { drop(stopped.wait_for(|stopped| *stopped).await) }).await
            })
        })
        .collect();
    let queue = TaskQueue::connect(&server.url(), &options).await.expect("a queue");
    let unused = folder.path().join("unused");
    let driven = graph().executed_by(queue).expect("the state is stored");
    let driven = driven.with_context(Notes { file: unused.clone(), pause: Pause::None });
    let thread = driven.with_checkpointer(MemoryCheckpointer::new()).thread("page");
    let mut run = thread.run(Page::update().parts(16));
    let both = files.clone();
    tokio::spawn(async move {
        until(|| both.iter().all(|file| !lines(file).is_empty())).await;
        std::fs::write(&gate, "").expect("the gate opens");
    });
    let mut drafts = Vec::new();
    while let Some(event) = run.next().await {
        if let EventKind::Custom { payload, .. } = &event.kind {
            drafts.push(payload.json());
        }
    }
    let outcome = run.await.expect("the run ends");
    let Outcome::Waiting(questions) = outcome else { panic!("no question: {outcome:?}") };
    assert_eq!(questions.iter().map(|question| question.payload.clone()).collect::<Vec<_>>(), [serde_json::json!(17)]);
    drafts.sort_by_key(serde_json::Value::as_u64);
    assert_eq!(drafts, (0..16).map(serde_json::Value::from).collect::<Vec<_>>());
    let page = thread
        .resume(Answers::new().and("title", "A page").expect("an answer"))
        .await
        .expect("the run ends")
        .done()
        .expect("it is done");
    let expected: Vec<String> = drafted(16).into_iter().chain(["A page".to_owned()]).collect();
    assert_eq!(page.lines.iter().cloned().collect::<Vec<_>>(), expected);
    // All was done by workers, each part once.
    assert_eq!(lines(&unused), Vec::<String>::new());
    for part in 0..16 {
        let ended: usize = files.iter().map(|file| noted(file, "ended", part)).sum();
        assert_eq!(ended, 1, "part {part}");
    }
    stop.send_replace(true);
    for worker in workers {
        worker.await.expect("no panic").expect("it ends orderly");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_waits_for_a_worker_with_its_graph_in_its_version() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let options = patient();
    let begin = async |version: u32| {
        let notes = Notes { file: folder.path().join(version.to_string()), pause: Pause::None };
        let worker = Worker::connect(&server.url(), &options).await.expect("a worker");
        tokio::spawn(worker.serve(graph_of(version).with_context(notes)).run(std::future::pending())).abort_handle()
    };
    let old = begin(1).await;
    let queue = TaskQueue::connect(&server.url(), &options).await.expect("a queue");
    let newer = graph_of(2).executed_by(queue).expect("the state is stored");
    let newer = newer.with_context(Notes { file: folder.path().join("unused"), pause: Pause::None });
    let thread = newer.with_checkpointer(MemoryCheckpointer::new()).thread("page");
    let mut run = std::pin::pin!(thread.run(Page::update().parts(3)).into_future());
    let early = tokio::time::timeout(Duration::from_secs(2), &mut run).await;
    assert!(early.is_err(), "nobody has the graph in this version: {early:?}");
    let new = begin(2).await;
    assert!(matches!(run.await, Ok(Outcome::Waiting(_))));
    assert_eq!(lines(&folder.path().join("1")), Vec::<String>::new());
    assert_eq!(noted(&folder.path().join("2"), "ended", 2), 1);
    old.abort();
    new.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_graph_that_is_served_is_found_beside_one_that_has_it_inside() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("notes");
    let notes = || Notes { file: file.clone(), pause: Pause::None };
    let mut around = StateGraph::<Page, Notes>::new("around");
    let page = |_: &Page| Page::update();
    around.add_subgraph(LAST, graph(), page, |_: ChildOutcome<Page>| Ok::<_, NodeError>(Page::update()));
    around.add_edge(START, LAST);
    let around = around.compile().expect("the graph is right").with_context(notes());
    let options = patient();
    let worker = Worker::connect(&server.url(), &options).await.expect("a worker").serve(around);
    let worker = tokio::spawn(worker.serve(graph().with_context(notes())).run(std::future::pending()));
    let queue = TaskQueue::connect(&server.url(), &options).await.expect("a queue");
    let driven = graph().executed_by(queue).expect("the state is stored").with_context(notes());
    let run = driven.with_checkpointer(MemoryCheckpointer::new()).thread("page").run(Page::update().parts(2));
    let ended = run.await;
    assert!(matches!(ended, Ok(Outcome::Waiting(_))), "{ended:?}");
    worker.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_too_large_to_be_carried_fails_with_both_numbers() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let small = patient().max_bytes(40);
    let worker = Worker::connect(&server.url(), &small).await.expect("a worker");
    let worker = worker.serve(app(&folder.path().join("notes"), Pause::None));
    let worker = tokio::spawn(worker.run(std::future::pending()));
    for (options, what) in [(small.clone(), "the task has "), (patient(), "what came of the task has ")] {
        let queue = TaskQueue::connect(&server.url(), &options).await.expect("a queue");
        let driven = graph().executed_by(queue).expect("the state is stored");
        let driven = driven.with_context(Notes { file: folder.path().join("unused"), pause: Pause::None });
        let failed = driven.run_once(Page::update()).await.expect_err("it is too large").to_string();
        assert!(failed.contains(what) && failed.contains("40 are carried at most"), "{failed}");
    }
    worker.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_are_lost_are_made_anew() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("notes");
    let gate = folder.path().join("gate");
    // Some tasks are given back, and others find out by their heartbeats.
    let options = QueueOptions::default();
    let worker = Worker::connect(&server.url(), &options).await.expect("a worker").grace(Duration::from_millis(500));
    let worker = tokio::spawn(worker.serve(app(&file, Pause::Until(gate.clone()))).run(std::future::pending()));
    let queue = TaskQueue::connect(&server.url(), &options).await.expect("a queue");
    let driven = graph().executed_by(queue).expect("the state is stored");
    let driven = driven.with_context(Notes { file: file.clone(), pause: Pause::None });
    let threads = driven.with_checkpointer(MemoryCheckpointer::new());
    let run = tokio::spawn(threads.thread("page").run(Page::update().parts(4)).into_future());
    until(|| (0..4).all(|part| noted(&file, "kept", part) > 0)).await;
    let mut other = sqlx::PgConnection::connect(&server.url()).await.expect("a connection");
    for _ in 0..3 {
        let end = "SELECT pg_terminate_backend(pid, 600000) FROM pg_stat_activity WHERE application_name = 'graphloom'";
        let ended = sqlx::query(end).execute(&mut other).await.expect("connections end").rows_affected();
        assert!(ended > 0, "there are connections");
        // Both the worker and the process that drives the run listen again.
        let listening = "SELECT count(*) FROM pg_stat_activity WHERE query ILIKE 'listen%graphloom%'";
        while sqlx::query_scalar::<_, i64>(listening).fetch_one(&mut other).await.expect("they are counted") < 2 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    std::fs::write(&gate, "").expect("the gate opens");
    let outcome = run.await.expect("no panic");
    assert!(matches!(outcome, Ok(Outcome::Waiting(_))), "{outcome:?}");
    assert!(!worker.is_finished(), "the worker works on");
    for part in 0..4 {
        assert_eq!(noted(&file, "draft", part), 1, "part {part}: {:?}", lines(&file));
    }
    worker.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_nobody_waits_for_any_more_is_stopped() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("notes");
    let options = patient();
    let worker = Worker::connect(&server.url(), &options).await.expect("a worker").concurrency(3);
    let worker = tokio::spawn(worker.serve(app(&file, Pause::Forever)).run(std::future::pending()));
    let queue = TaskQueue::connect(&server.url(), &options).await.expect("a queue");
    let driven = graph().executed_by(queue).expect("the state is stored");
    let driven = driven.with_context(Notes { file: file.clone(), pause: Pause::None });
    let threads = driven.with_checkpointer(MemoryCheckpointer::new());
    for (number, name) in ["one", "two"].into_iter().enumerate() {
        let thread = threads.thread(name);
        let run = tokio::spawn(thread.run(Page::update().parts(3)).into_future());
        // The second one finds all three places of the worker free.
        until(|| (0..3).all(|part| noted(&file, "draft", part) > number)).await;
        assert!(thread.cancel(), "the run is there");
        let outcome = run.await.expect("no panic");
        assert!(matches!(outcome, Ok(Outcome::Cancelled { .. })), "{outcome:?}");
    }
    assert_eq!(noted(&file, "ended", 0), 0);
    worker.abort();
}
