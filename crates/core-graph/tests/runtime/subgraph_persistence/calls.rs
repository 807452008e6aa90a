//! Calls that follow each other, and calls at the same time.

use super::*;

use crate::log::Build;

#[tokio::test]
async fn case_61_a_child_begins_anew_or_goes_on_or_leaves_nothing() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        for (persistence, story, namespaces) in [
            (Persistence::PerCall, "1 1 1", vec!["", "child:1.0", "child:3.0", "child:5.0"]),
            (Persistence::PerThread, "1 1+2 1+2+3", vec!["", "child"]),
            (Persistence::Stateless, "1 1 1", vec![""]),
        ] {
            let (thread, store) = stored(parent(quiet(), persistence));
            let thread = thread.policy(RunPolicy::default().durability(durability));
            turn(&thread).await;
            turn(&thread).await;
            assert_eq!(turn(&thread).await, story, "{persistence:?} {durability:?}");
            let found = store.namespaces("t").await.unwrap();
            if durability == Durability::Exit && persistence == Persistence::PerCall {
                assert_eq!(found, [""], "calls that ended were never written");
            } else {
                assert_eq!(found, namespaces, "{persistence:?} {durability:?}");
            }
        }
    }
}

#[tokio::test]
async fn case_61_children_under_different_names_do_not_mix() {
    let mut graph = StateGraph::<Work>::new("work");
    for node in [CHILD, TWIN] {
        graph.add_subgraph(node, quiet(), topic, out).persistence(Persistence::PerThread);
    }
    graph.add_node(LAST, note("|"));
    graph.add_conditional_edges(
        START,
        [CHILD, TWIN],
        |work: &Work| {
            if work.last == "both" { vec![CHILD, TWIN] } else { vec![TWIN] }
        },
    );
    graph.add_edge(CHILD, LAST).add_edge(TWIN, LAST);
    let (thread, store) = stored(graph);
    done(thread.run(Work::update().last("both".to_owned())).await);
    done(thread.run(Work::update().last("-".to_owned())).await);
    let story = done(thread.run(Work::update().last("both".to_owned())).await).story();
    assert_eq!(story, "both1 both1 | both1+-2 | both1+both2 both1+-2+both3 |");
    assert_eq!(store.namespaces("t").await.unwrap(), ["", "child", "twin"]);
}

/// The child, again and again, until it has said enough.
fn looping(persistence: Persistence, mode: Mode) -> StateGraph<Work> {
    let mut graph = parent(quiet(), persistence);
    graph.mode(mode);
    graph.add_node(LAST, note("|"));
    graph.add_conditional_edges(CHILD, [CHILD, LAST], |work: &Work| {
        if work.notes.iter().rev().take_while(|note| *note != "|").count() < 3 { CHILD } else { LAST }
    });
    graph
}

#[tokio::test]
async fn calls_of_one_run_follow_each_other_with_and_without_a_store() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let (first, second) = ("1 1+2 1+2+3 |", "1+2+3+4 1+2+3+4+5 1+2+3+4+5+6 |");
        let graph = looping(Persistence::PerThread, mode).built();
        assert_eq!(done(graph.run_once(Work::update()).await).story(), first);
        for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
            let policy = RunPolicy::default().durability(durability);
            let thread = graph.with_checkpointer(MemoryCheckpointer::new()).thread("t").policy(policy);
            assert_eq!(turn(&thread).await, first);
            assert_eq!(turn(&thread).await, format!("{first} {second}"));
        }
        for persistence in [Persistence::PerCall, Persistence::Stateless] {
            let (thread, _) = stored(looping(persistence, mode));
            assert_eq!(turn(&thread).await, "1 1 1 |", "{persistence:?}");
        }
    }
}

/// Two sends to one child, whose calls wait at a gate.
fn two_calls(mode: Mode, attempts: u32, gate: &Gate) -> StateGraph<Work> {
    let gate = gate.clone();
    let child = counter_that(move |memory: Snapshot<Memory>, _: Context| {
        let gate = gate.clone();
        async move {
            gate.pass().await;
            said(&memory)
        }
    });
    let mut graph = StateGraph::<Work>::new("work");
    graph.mode(mode);
    graph.add_node(COUNT, note("begin"));
    graph
        .add_subgraph_task(PART, child, |topic: String, _: &Work| Memory::update().topic(topic), out)
        .persistence(Persistence::PerThread)
        .retry(Retry::exponential(attempts));
    graph.add_edge(START, COUNT);
    graph.add_sends(COUNT, PART, |_: &Work| ["x", "y"].map(|topic| PART.send(topic, topic.to_owned())).to_vec());
    graph
}

#[tokio::test]
async fn the_same_child_twice_at_a_time_is_busy() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let gate = Gate::default();
        let (thread, _) = stored(two_calls(mode, 1, &gate));
        let error = gate.open_when_refused(thread.run(Work::update())).await.unwrap_err();
        assert!(matches!(&error, RunError::SubgraphBusy { node, .. } if node == "part"), "{error:?}");
        insta::allow_duplicates! {
            insta::assert_snapshot!(error, @"subgraph `part` is kept per thread and has one call at a time: `part:2.1` came while `part:2.0` is unfinished; run them one after the other, retry, or keep the subgraph per call");
        }
        let story = done(thread.continue_().await).story();
        assert_eq!(story, "begin x1 x1+y2", "the other call ended, and the refused one goes on from there");
    }
}

#[tokio::test(start_paused = true)]
async fn a_retry_waits_for_the_child_and_one_at_a_time_never_meets_it() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let gate = Gate::default();
        let (thread, _) = stored(two_calls(mode, 3, &gate));
        assert_eq!(done(gate.open_when_refused(thread.run(Work::update())).await).story(), "begin x1 x1+y2");
        let thread = thread.policy(RunPolicy::default().max_concurrency(1));
        assert_eq!(turn(&thread).await, "begin x1 x1+y2 begin x1+y2+x3 x1+y2+x3+y4", "one after the other in one step");
    }
}
