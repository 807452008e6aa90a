//! Subgraphs in subgraphs in subgraphs: two hundred levels on a stack of 2 MiB.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{
    ChildOutcome, Compiled, Context, EventKind, EventMode, Node, NodeError, Outcome, START, Snapshot, StateGraph,
};

use crate::log::{Build, Calls, Noted, Work, done, failed, noted};
use crate::place::only_in_place;

const LEVELS: usize = 200;
const DOWN: Node = Node::named("down");
const BOTTOM: Node = Node::named("bottom");

/// `bottom` inside of so many graphs.
fn nested(mut graph: StateGraph<Work>) -> Compiled<Work> {
    graph.add_edge(START, BOTTOM);
    let mut inner = graph.built();
    for _ in 0..LEVELS {
        let mut outer = StateGraph::<Work>::new("level");
        let out = |child: ChildOutcome<Work>| {
            let below = child.done()?;
            Ok::<_, NodeError>(noted(below.story()).count(below.count + 1))
        };
        outer.add_subgraph(DOWN, inner, |_: &Work| Work::update(), out);
        outer.add_edge(START, DOWN);
        inner = outer.built();
    }
    inner
}

/// Runs on a thread with a stack as the workers of a runtime have it.
fn on_a_small_stack<F: Future<Output = ()>>(test: impl FnOnce() -> F + Send + 'static) {
    let run = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(test());
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).expect("a thread").join().expect("the test passes");
}

#[test]
fn they_run_to_their_end_with_and_without_a_store_and_a_reader() {
    if only_in_place("a small stack holds no workers") {
        return;
    }
    let compile = || {
        let mut graph = StateGraph::<Work>::new("bottom");
        graph.add_node(BOTTOM, |_: Snapshot<Work>| async { Noted::Ok(noted("deep")) });
        nested(graph)
    };
    // Compiling draws every level, which nobody asks of a worker.
    let graph = compile();
    on_a_small_stack(move || async move {
        let work = done(graph.run_once(Work::update()).await);
        assert_eq!((work.story().as_str(), work.count), ("deep", LEVELS as i64));
        let thread = graph.with_checkpointer(MemoryCheckpointer::new()).thread("t");
        let mut run = thread.run(Work::update()).only([EventMode::Lifecycle]);
        let mut started = 0;
        while let Some(event) = run.next().await {
            started += usize::from(matches!(event.kind, EventKind::SubgraphStarted { .. }));
        }
        assert_eq!((done(run.await).count, started), (LEVELS as i64, LEVELS));
    });
}

#[test]
fn a_question_at_the_bottom_is_answered_and_a_panic_is_told() {
    if only_in_place("a small stack holds no workers") {
        return;
    }
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("bottom");
    let seen = calls.clone();
    graph
        .add_node(BOTTOM, move |_: Snapshot<Work>, cx: Context| {
            let calls = seen.clone();
            async move {
                calls.add("asked");
                let name: String = cx.ask("name", "who?").await?;
                assert!(name != "nobody", "nobody is there");
                Noted::Ok(noted(name))
            }
        })
        .asks::<String>("name");
    let graph = nested(graph);
    on_a_small_stack(move || async move {
        let store = Arc::new(MemoryCheckpointer::new());
        for (id, name) in [("a", "Ada"), ("b", "nobody")] {
            let thread = graph.with_checkpointer(MemoryCheckpointer::clone(&store)).thread(id);
            let Outcome::Waiting(questions) = thread.run(Work::update()).await.unwrap() else { panic!("it asks") };
            let run = thread.resume(questions.answer("name", name).unwrap());
            if name == "Ada" {
                assert_eq!(done(run.await).story(), "Ada");
            } else {
                let message = failed(run.await);
                assert!(message.contains("nobody is there"), "{message}");
            }
        }
        assert_eq!(calls.count("asked"), 4);
    });
}

#[test]
fn a_cancelled_run_stops_what_runs_at_the_bottom() {
    if only_in_place("a small stack holds no workers") {
        return;
    }
    let mut graph = StateGraph::<Work>::new("bottom");
    let seen = Calls::default();
    let told = seen.clone();
    graph.add_node(BOTTOM, move |_: Snapshot<Work>| {
        let told = told.clone();
        async move {
            told.add("began");
            std::future::pending::<Noted>().await
        }
    });
    let graph = nested(graph);
    on_a_small_stack(move || async move {
        let thread = graph.with_checkpointer(MemoryCheckpointer::new()).thread("t");
        let run = thread.run(Work::update()).start();
        while seen.count("began") == 0 {
            tokio::task::yield_now().await;
        }
        assert!(thread.cancel());
        assert!(matches!(run.await.unwrap(), Outcome::Cancelled { .. }));
        let again = thread.continue_().start();
        while seen.count("began") < 2 {
            tokio::task::yield_now().await;
        }
        again.handle().cancel();
        assert!(matches!(again.await.unwrap(), Outcome::Cancelled { .. }));
    });
}
