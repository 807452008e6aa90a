//! Work that is done once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graphloom_core_graph::{Context, Node, NodeError, Outcome, Retry, START, Snapshot, StateGraph, entry_point};

use crate::case_store::{CaseStore, on_every_store};
use crate::work::{Calls, Work, Worked, done, failed, line, waiting};

on_every_store!(
    feature_a_durable_step_is_not_repeated_by_retries_questions_and_failures,
    feature_an_idempotency_key_is_of_the_task,
    feature_an_entry_point_runs_its_tasks_once,
);

const A: Node = Node::named("a");

async fn feature_a_durable_step_is_not_repeated_by_retries_questions_and_failures(case_store: &CaseStore) {
    let (calls, broken) = (Calls::default(), Arc::new(AtomicBool::new(true)));
    let mut graph = StateGraph::<Work>::new("g");
    let (seen, breaks) = (calls.clone(), Arc::clone(&broken));
    graph
        .add_node(A, move |_: Snapshot<Work>, cx: Context| {
            let (calls, broken) = (seen.clone(), breaks.swap(false, Ordering::SeqCst));
            async move {
                let effect = |name: &'static str| {
                    let calls = calls.clone();
                    async move {
                        calls.add(name);
                        Ok::<_, NodeError>(format!("{name}{}", calls.count(name)))
                    }
                };
                let one = cx.once("one", effect("one")).await?;
                if broken {
                    return Err(NodeError::terminal("broken"));
                }
                if cx.task().attempt == 1 {
                    return Err(NodeError::retryable("busy"));
                }
                let answer: String = cx.ask("go", &()).await?;
                let two = cx.once("two", effect("two")).await?;
                Worked::Ok(line(format!("{one} {answer} {two}")))
            }
        })
        .retry(Retry::immediate(2))
        .asks::<String>("go");
    graph.add_edge(START, A);
    let thread = case_store.thread(graph);
    failed(thread.run(Work::update()).await);
    let questions = waiting(thread.continue_().await);
    assert_eq!(done(thread.resume(questions.answer("go", "yes").unwrap()).await).story(), "one1 yes two1");
    assert_eq!(calls.all(), ["one", "two"]);
}

async fn feature_an_idempotency_key_is_of_the_task(case_store: &CaseStore) {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    let seen = calls.clone();
    graph
        .add_node(A, move |_: Snapshot<Work>, cx: Context| {
            seen.add(cx.idempotency_key());
            async move { if cx.task().attempt == 1 { Err(NodeError::retryable("busy")) } else { Worked::Ok(line("a")) } }
        })
        .retry(Retry::immediate(2));
    graph.add_edge(START, A);
    let thread = case_store.thread(graph);
    done(thread.run(Work::update()).await);
    done(thread.run(Work::update()).await);
    let keys = calls.all();
    assert!(keys[0] == keys[1] && keys[2] == keys[3] && keys[0] != keys[2], "{keys:?}");
    assert!(keys.iter().all(|key| key.starts_with(thread.id())));
}

async fn feature_an_entry_point_runs_its_tasks_once(case_store: &CaseStore) {
    let calls = Calls::default();
    let seen = calls.clone();
    let essay = entry_point("essay", move |topic: String, cx: Context| {
        let calls = seen.clone();
        async move {
            calls.add("body");
            let parts = ["a", "b"].map(|part| {
                let (calls, text) = (calls.clone(), format!("{topic} {part}"));
                cx.spawn(part, async move {
                    calls.add(&*text);
                    Ok::<String, NodeError>(text)
                })
            });
            let mut written = Vec::new();
            for part in parts {
                written.push(part.await?);
            }
            let verdict: String = cx.ask("verdict", &written).await?;
            Ok(format!("{}: {verdict}", written.join(", ")))
        }
    });
    let app = essay.with(|node| node.asks::<String>("verdict")).compile().unwrap();
    let threads = app.with_shared_checkpointer(case_store.store());
    let thread = threads.thread(case_store.id()).policy(case_store.policy());
    let Outcome::Waiting(questions) = thread.run("tea".to_owned().into()).await.unwrap() else { panic!("it asks") };
    let outcome = thread.resume(questions.answer("verdict", "good").unwrap()).await.unwrap();
    let Outcome::Done(state) = outcome else { panic!("{outcome:?}") };
    assert_eq!(state.output().map(String::as_str), Some("tea a, tea b: good"));
    assert_eq!((calls.count("body"), calls.count("tea a"), calls.count("tea b")), (2, 1, 1));
}
