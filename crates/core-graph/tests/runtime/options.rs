//! What a caller wants otherwise in a graph that somebody else declares.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{
    Answers, Cache, CompileErrors, Compiled, END, GraphOptions, Log, Node, NodeError, Outcome, Packet, Retry, RunError,
    START, Snapshot, State, StateGraph, Step, Task, Timeout,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::log::Build;

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Work {
    #[state(append)]
    done: Log<String>,
    first: bool,
}

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Other {
    n: u64,
}

const PLAN: Node = Node::named("plan");
const EACH: Task<u32> = Task::named("each");
const INNER: Node = Node::named("inner");
const ASK: Node = Node::named("ask");

fn did(what: impl Into<String>) -> WorkUpdate {
    Work::update().done([what.into()])
}

/// A graph of one node, which the graph below holds.
fn inner(word: &'static str) -> Compiled<Work> {
    let mut graph = StateGraph::<Work>::new("inner");
    graph.add_node(ASK, move |_: Snapshot<Work>| async move { Ok::<_, NodeError>(did(word)) });
    graph.add_edge(START, ASK);
    graph.built()
}

fn graph_with(options: GraphOptions<Work>) -> Result<Compiled<Work>, CompileErrors> {
    let mut graph = StateGraph::<Work>::new("work");
    graph.options(options);
    graph
        .add_node(PLAN, async |state: Snapshot<Work>| {
            let next = if state.first { END } else { INNER };
            Ok::<_, NodeError>(Step::goto(next).with(did("plan")))
        })
        .may_goto((INNER, END));
    graph.add_subgraph(
        INNER,
        inner("inner"),
        |_: &Work| Work::update(),
        |child| Ok(Work::update().done(child.done()?.done.iter().cloned().collect::<Vec<_>>())),
    );
    graph.add_task(EACH, async |input: u32, _: Snapshot<Work>| Ok::<_, NodeError>(did(format!("each {input}"))));
    graph.add_edge(START, PLAN);
    graph.add_sends(INNER, EACH, |_: &Work| -> Vec<Packet> { (1..=2).map(|n| EACH.send(n, n)).collect() });
    graph.compile()
}

async fn done(options: GraphOptions<Work>) -> Vec<String> {
    let ended = graph_with(options).expect("a graph").run_once(Work::update()).await.expect("a run");
    ended.done().expect("a result").done.iter().cloned().collect()
}

fn refused(options: GraphOptions<Work>) -> String {
    graph_with(options).expect_err("a refusal").to_string()
}

#[tokio::test]
async fn nothing_is_otherwise_without_options() {
    assert_eq!(done(GraphOptions::new()).await, ["plan", "inner", "each 1", "each 2"]);
    let graph = graph_with(GraphOptions::new()).unwrap();
    assert!(graph.diagram().nodes.iter().all(|node| !node.replaced));
    assert!(!graph.diagram().json().to_string().contains("replaced"));
}

#[tokio::test]
async fn a_replaced_function_has_the_edges_and_gotos_of_the_node() {
    let plan = async |_: Snapshot<Work>| Ok::<_, NodeError>(Step::goto(INNER).with(did("own plan")));
    let each = async |input: u32, _: Snapshot<Work>| Ok::<_, NodeError>(did(format!("own {}", input * 10)));
    let options = GraphOptions::new().replace(PLAN, plan).replace_task(EACH, each);
    assert_eq!(done(options).await, ["own plan", "inner", "own 10", "own 20"]);

    let elsewhere = async |_: Snapshot<Work>| Ok::<_, NodeError>(Step::<Work>::goto(PLAN));
    let graph = graph_with(GraphOptions::new().replace(PLAN, elsewhere)).unwrap();
    let error = graph.run_once(Work::update()).await.unwrap_err();
    assert!(error.to_string().contains("plan"), "a goto that the graph does not declare is refused: {error}");
}

#[tokio::test]
async fn a_subgraph_is_replaced_by_a_graph_of_its_type_or_by_a_function() {
    let whole = GraphOptions::new().replace_graph(INNER, inner("own inner"));
    assert_eq!(done(whole).await, ["plan", "own inner", "each 1", "each 2"]);
    let function = async |_: Snapshot<Work>| Ok::<_, NodeError>(did("no graph"));
    assert_eq!(done(GraphOptions::new().replace(INNER, function)).await, ["plan", "no graph", "each 1", "each 2"]);
}

#[test]
fn what_is_replaced_is_seen_in_the_drawing() {
    let function = async |_: Snapshot<Work>| Ok::<_, NodeError>(did("own"));
    let graph = graph_with(GraphOptions::new().replace(PLAN, function).replace_graph(INNER, inner("own"))).unwrap();
    let diagram = graph.diagram();
    let replaced: Vec<_> = diagram.nodes.iter().filter(|node| node.replaced).map(|node| node.name.as_str()).collect();
    assert_eq!(replaced, ["inner", "plan"]);
    assert!(diagram.mermaid().contains("\"plan (replaced)\"") && diagram.dot().contains("\"inner (replaced)\""));
    let inner = diagram.nodes.iter().find(|node| node.name == "inner").unwrap();
    assert!(inner.inner.is_some(), "the other graph is drawn inside");

    let graph = graph_with(GraphOptions::new().replace(INNER, function)).unwrap();
    let inner = graph.diagram().nodes.iter().find(|node| node.name == "inner").unwrap();
    assert!(inner.replaced && inner.inner.is_none(), "there is no graph in the node any more");
}

#[test]
fn what_does_not_fit_is_refused_with_what_to_do() {
    let function = async |_: Snapshot<Work>| Ok::<_, NodeError>(did("own"));
    let task = async |_: u32, _: Snapshot<Work>| Ok::<_, NodeError>(did("own"));
    let mut strange = StateGraph::<Other>::new("other");
    strange.add_node(ASK, async |_: Snapshot<Other>| Ok::<_, NodeError>(Other::update().n(1)));
    strange.add_edge(START, ASK);
    let strange = strange.built();
    let unknown = Node::named("plann");
    for (options, expected) in [
        (
            GraphOptions::new().replace(unknown.clone(), function),
            "the option `replace` names `plann`, which is no node; nodes: `each`, `inner`, `plan`",
        ),
        (GraphOptions::new().retry(unknown.clone(), Retry::immediate(2)), "the option `retry` names `plann`"),
        (GraphOptions::new().concurrency((PLAN, unknown), 2), "the option `concurrency` names `plann`"),
        (GraphOptions::new().concurrency(EACH, 0), "the option `concurrency` of node `each`: a limit is at least 1"),
        (
            GraphOptions::new().replace(EACH.into(), function),
            "the option `replace` of node `each`: it is a task node and gets an input; use `replace_task`",
        ),
        (
            GraphOptions::new().replace_task(Task::named("plan"), task),
            "the option `replace_task` of node `plan`: it is no task node; use `replace`",
        ),
        (
            GraphOptions::new().replace_graph(PLAN, inner("own")),
            "the option `replace_graph` of node `plan`: it holds no graph; use `replace`",
        ),
    ] {
        let error = refused(options);
        assert!(error.contains(expected), "{error}\nis not\n{expected}");
    }
    let error = refused(GraphOptions::new().replace_graph(INNER, strange));
    assert!(error.contains("Work") && error.contains("Other"), "{error}");
}

/// Tries of a node that fails, and what became of the run.
async fn tried(options: GraphOptions<Work>) -> (u32, Result<Outcome<Work>, RunError>) {
    let tries = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&tries);
    let fails = move |_: Snapshot<Work>| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Err::<WorkUpdate, _>(NodeError::retryable("down")) }
    };
    let graph = graph_with(options.replace(PLAN, fails)).expect("a graph");
    let ended = graph.run_once(Work::update()).await;
    (tries.load(Ordering::SeqCst), ended)
}

#[tokio::test(start_paused = true)]
async fn limits_of_a_node_are_set_and_the_later_option_holds() {
    assert_eq!(tried(GraphOptions::new()).await.0, 1);
    let options = GraphOptions::new().retry(PLAN, Retry::immediate(5)).retry(PLAN, Retry::immediate(3));
    assert_eq!(options.retry_of(&PLAN).map(|retry| retry.attempts), Some(3));
    let (tries, ended) = tried(options).await;
    assert_eq!(tries, 3);
    assert!(ended.unwrap_err().to_string().contains("down"));

    let slow = async |_: Snapshot<Work>| {
        tokio::time::sleep(Duration::from_secs(9)).await;
        Ok::<_, NodeError>(Step::goto(INNER).with(did("slow")))
    };
    let slow = GraphOptions::new().replace(PLAN, slow);
    assert_eq!(done(slow.clone()).await[0], "slow");
    let graph = graph_with(slow.timeout(PLAN, Timeout::attempt(Duration::from_secs(1)))).unwrap();
    assert!(graph.run_once(Work::update()).await.is_err(), "it ran out of its time");
}

#[tokio::test(start_paused = true)]
async fn tasks_of_a_node_run_one_at_a_time_where_that_is_the_limit() {
    let most = async |options: GraphOptions<Work>| {
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let seen = Arc::clone(&most);
        let counting = move |_: u32, _: Snapshot<Work>| {
            let (now, most) = (Arc::clone(&now), Arc::clone(&seen));
            async move {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_secs(1)).await;
                now.fetch_sub(1, Ordering::SeqCst);
                Ok::<_, NodeError>(did("each"))
            }
        };
        let graph = graph_with(options.replace_task(EACH, counting)).unwrap();
        graph.run_once(Work::update()).await.unwrap().done().unwrap();
        most.load(Ordering::SeqCst)
    };
    assert_eq!(most(GraphOptions::new()).await, 2);
    assert_eq!(most(GraphOptions::new().concurrency(EACH, 1)).await, 1);
}

#[tokio::test]
async fn kept_results_of_the_own_function_are_not_those_of_another() {
    let graph = |options: GraphOptions<Work>| {
        let mut graph = StateGraph::<Work>::new("cached");
        graph.add_node(PLAN, async |_: Snapshot<Work>| Ok::<_, NodeError>(did("own")));
        graph.add_cache(PLAN, Cache::of_state());
        graph.add_edge(START, PLAN);
        graph.options(options);
        graph.built()
    };
    let store = Arc::new(graphloom_core_graph::store::MemoryStore::new());
    let run = async |graph: Compiled<Work>, id: &str| {
        let threads = graph.with_checkpointer(MemoryCheckpointer::new()).with_store(Arc::clone(&store) as _);
        threads.thread(id).run(Work::update()).await.unwrap().done().unwrap().done.iter().cloned().collect::<Vec<_>>()
    };
    assert_eq!(run(graph(GraphOptions::new()), "a").await, ["own"]);
    let other = async |_: Snapshot<Work>| Ok::<_, NodeError>(did("other"));
    assert_eq!(run(graph(GraphOptions::new().replace(PLAN, other)), "b").await, ["other"]);
}

#[tokio::test]
async fn a_thread_goes_on_under_other_options() {
    let graph = |options: GraphOptions<Work>| {
        let mut graph = StateGraph::<Work>::new("asking");
        graph
            .add_node(ASK, async |_: Snapshot<Work>, cx: graphloom_core_graph::Context<()>| {
                Ok::<_, NodeError>(did(cx.ask::<String>("name", "who?").await?))
            })
            .asks::<String>("name");
        graph.add_node(PLAN, async |_: Snapshot<Work>| Ok::<_, NodeError>(did("plan")));
        graph.add_edge(START, ASK).add_edge(ASK, PLAN);
        graph.options(options);
        graph.built()
    };
    let store = Arc::new(MemoryCheckpointer::new());
    let thread = |graph: Compiled<Work>| graph.with_shared_checkpointer(Arc::clone(&store) as _).thread("t");
    assert!(matches!(thread(graph(GraphOptions::new())).run(Work::update()).await.unwrap(), Outcome::Waiting(_)));
    let other = async |_: Snapshot<Work>| Ok::<_, NodeError>(did("own plan"));
    let answers = Answers::new().and("name", "Anna").unwrap();
    let ended = thread(graph(GraphOptions::new().replace(PLAN, other))).resume(answers).await.unwrap().done().unwrap();
    assert_eq!(ended.done.iter().collect::<Vec<_>>(), ["Anna", "own plan"]);
}
