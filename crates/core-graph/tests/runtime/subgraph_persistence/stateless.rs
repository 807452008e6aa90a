//! Subgraphs of which nothing is kept, and what a parent gets.

use super::*;

use crate::log::Build;

#[tokio::test]
async fn a_stateless_child_runs_again_as_a_whole_and_leaves_nothing() {
    let (broken, calls) = (Arc::new(AtomicBool::new(true)), Calls::default());
    let (fault, seen) = (Arc::clone(&broken), calls.clone());
    let mut child = StateGraph::<Memory>::new("counter");
    child.add_node(COUNT, move |_: Snapshot<Memory>, cx: Context| {
        let calls = seen.clone();
        async move {
            let effect = async {
                calls.add("effect");
                Ok::<_, NodeError>(())
            };
            cx.once("effect", effect).await?;
            Ok::<_, NodeError>(Memory::update().n(1))
        }
    });
    child.add_node(SAY, move |memory: Snapshot<Memory>| {
        let broken = fault.load(Ordering::SeqCst);
        async move { if broken { Err(NodeError::terminal("no ink")) } else { said(&memory) } }
    });
    child.add_edge(START, COUNT).add_edge(COUNT, SAY);
    let (thread, store) = stored(parent(child.built(), Persistence::Stateless));
    failed(thread.run(Work::update()).await);
    broken.store(false, Ordering::SeqCst);
    assert_eq!(done(thread.continue_().await).story(), "1");
    assert_eq!(calls.count("effect"), 2, "not even a durable step is kept");
    assert_eq!(store.namespaces("t").await.unwrap(), [""]);
    assert_eq!(store.task_records("t", "child:1.0").await.unwrap(), []);
    let journal = thread.journal(0, usize::MAX).await.unwrap();
    assert!(journal.iter().all(|event| event.ns.is_empty()), "{journal:?}");
}

#[test]
fn a_stateless_child_neither_asks_nor_keeps() {
    let errors = parent(asking(1), Persistence::Stateless).compile().unwrap_err();
    insta::assert_snapshot!(errors, @"
    the graph `work` cannot be compiled:
      - subgraph `child` is stateless, but `say` inside of it asks `word`, and an answer would find nothing to go on with; keep `child` per call or per thread
    ");
    let middle = |child: Compiled<Memory>, persistence| {
        let mut graph = StateGraph::<Memory>::new("middle");
        graph
            .add_subgraph(
                TWIN,
                child,
                |_: &Memory| Memory::update(),
                |child| Ok::<_, NodeError>(Memory::update().n(child.done()?.n)),
            )
            .persistence(persistence);
        graph.add_edge(START, TWIN);
        graph.compile()
    };
    for inside in [Persistence::PerCall, Persistence::PerThread] {
        let deep = middle(middle(counter(), inside).unwrap(), Persistence::PerCall).unwrap();
        let errors = parent(deep, Persistence::Stateless).compile().unwrap_err().to_string();
        assert!(errors.contains("`twin/twin/say` inside of it asks `word`"), "{errors}");
        assert_eq!(errors.contains("`twin/twin` inside of it is kept per thread"), inside == Persistence::PerThread);
    }
    for inside in MODES {
        let refused = middle(middle(quiet(), inside).unwrap(), Persistence::Stateless).is_err();
        assert_eq!(refused, inside == Persistence::PerThread, "{inside:?}");
    }
}

#[tokio::test]
async fn case_62_a_parent_gets_what_the_child_gives_and_not_its_own_again() {
    for persistence in MODES {
        let mut child = StateGraph::<Work>::new("child");
        child.add_node(SAY, note("s1"));
        child.add_edge(START, SAY);
        let mut graph = StateGraph::<Work>::new("work");
        graph
            .add_subgraph(
                CHILD,
                child.built(),
                |_: &Work| Work::update(),
                |child| {
                    let notes: Vec<_> = child.done()?.notes.iter().cloned().collect();
                    Ok::<WorkUpdate, NodeError>(Work::update().notes(notes))
                },
            )
            .persistence(persistence);
        graph.add_edge(START, CHILD);
        let (thread, _) = stored(graph);
        assert_eq!(done(thread.run(noted("in")).await).story(), "in s1", "{persistence:?}");
    }
}
