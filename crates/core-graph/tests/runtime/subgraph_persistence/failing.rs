//! Calls that fail, and further attempts.

use super::*;

use crate::log::Build;

/// Fails in its second node while `broken`.
fn failing(broken: &Arc<AtomicBool>, calls: &Calls) -> Compiled<Memory> {
    let (broken, calls) = (Arc::clone(broken), calls.clone());
    counter_that(move |memory: Snapshot<Memory>, _: Context| {
        calls.add("say");
        let broken = broken.load(Ordering::SeqCst);
        async move { if broken { Err(NodeError::terminal("no ink")) } else { said(&memory) } }
    })
}

#[tokio::test]
async fn a_call_that_failed_goes_on_where_it_failed() {
    for (persistence, story) in [(Persistence::PerCall, "1 1"), (Persistence::PerThread, "1 1+2")] {
        let (broken, calls) = (Arc::new(AtomicBool::new(false)), Calls::default());
        let (thread, _) = stored(parent(failing(&broken, &calls), persistence));
        turn(&thread).await;
        broken.store(true, Ordering::SeqCst);
        let error = failed(thread.run(Work::update()).await);
        assert_eq!(error, "node `child` failed: node `say` failed: no ink");
        broken.store(false, Ordering::SeqCst);
        assert_eq!(done(thread.continue_().await).story(), story, "{persistence:?}: `count` did not run again");
        assert_eq!(calls.count("say"), 3);
    }
}

#[tokio::test]
async fn escalation_is_for_map_out_to_decide_and_what_it_accepts_is_kept() {
    let (broken, calls) = (Arc::new(AtomicBool::new(true)), Calls::default());
    let mut graph = StateGraph::<Work>::new("work");
    let lenient = |child: ChildOutcome<Memory>| match child {
        ChildOutcome::Failed { state, error } => Noted::Ok(noted(format!("({} {error})", state.n))),
        other => out(other),
    };
    graph.add_subgraph(CHILD, failing(&broken, &calls), topic, lenient).persistence(Persistence::PerThread);
    graph.add_edge(START, CHILD);
    let (thread, store) = stored(graph);
    assert_eq!(turn(&thread).await, "(1 node `say` failed: no ink)");
    assert_eq!(turn(&thread).await, "(1 node `say` failed: no ink) (2 node `say` failed: no ink)");
    broken.store(false, Ordering::SeqCst);
    let story = turn(&thread).await;
    assert!(story.ends_with(" 3"), "what the calls before had counted is kept, what they left undone is not: {story}");
    assert_eq!(calls.count("say"), 3);
    assert_eq!(store.task_records("t", "child").await.unwrap(), []);
}

#[tokio::test]
async fn a_call_that_an_error_handler_took_over_leaves_the_child_as_it_was() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let (broken, calls) = (Arc::new(AtomicBool::new(false)), Calls::default());
        let mut graph = parent(failing(&broken, &calls), Persistence::PerThread);
        graph.add_error_handler(CHILD, |failure: Failure, _: Snapshot<Work>| async move {
            Noted::Ok(noted(format!("handled {}", failure.attempts)))
        });
        let graph = graph.built();
        let policy = RunPolicy::default().durability(durability);
        let thread = graph.with_checkpointer(MemoryCheckpointer::new()).thread("t").policy(policy);
        turn(&thread).await;
        broken.store(true, Ordering::SeqCst);
        assert_eq!(turn(&thread).await, "1 handled 1");
        broken.store(false, Ordering::SeqCst);
        assert_eq!(turn(&thread).await, "1 handled 1 1+2");
    }
}

/// Says only at the second attempt.
fn clumsy(persistence: Persistence, calls: &Calls) -> StateGraph<Work> {
    let calls = calls.clone();
    let mut child = StateGraph::<Memory>::new("counter");
    let counted = calls.clone();
    child.add_node(COUNT, move |_: Snapshot<Memory>| {
        counted.add("count");
        async { Ok::<_, NodeError>(Memory::update().n(1)) }
    });
    child.add_node(SAY, move |memory: Snapshot<Memory>| {
        calls.add("say");
        let fails = calls.count("say") % 2 == 1;
        async move { if fails { Err(NodeError::retryable("dropped the pen")) } else { said(&memory) } }
    });
    child.add_edge(START, COUNT).add_edge(COUNT, SAY);
    let mut graph = StateGraph::<Work>::new("work");
    let child = child.built();
    graph.add_subgraph(CHILD, child, topic, out).persistence(persistence).retry(Retry::immediate(2));
    graph.add_node(LAST, note("|"));
    graph.add_edge(START, CHILD);
    graph.add_conditional_edges(CHILD, [CHILD, LAST], |work: &Work| if work.notes.len() < 2 { CHILD } else { LAST });
    graph
}

#[tokio::test]
async fn another_attempt_goes_on_with_the_call_and_a_stateless_one_begins_it_again() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        for (persistence, story, counts) in [
            (Persistence::PerCall, "1 1 |", 2),
            (Persistence::PerThread, "1 1+2 |", 2),
            (Persistence::Stateless, "1 1 |", 4),
        ] {
            let calls = Calls::default();
            let (thread, _) = stored(clumsy(persistence, &calls));
            let thread = thread.policy(RunPolicy::default().durability(durability));
            assert_eq!(turn(&thread).await, story, "{persistence:?} {durability:?}");
            assert_eq!(calls.count("count"), counts, "{persistence:?} {durability:?}");
        }
    }
    for (persistence, story) in [(Persistence::PerThread, "1 1+2 |"), (Persistence::Stateless, "1 1 |")] {
        let calls = Calls::default();
        let graph = clumsy(persistence, &calls).built();
        assert_eq!(done(graph.run_once(Work::update()).await).story(), story, "without a store");
    }
}
