//! Looking at threads: without the resources that nodes need, and at the tasks that are pending.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{Checkpointer, HistoryFilter, MemoryCheckpointer, ThreadStatus};
use graphloom_core_graph::{
    Answers, Context, EventKind, Mode, Node, NodeError, Payload, PendingTask, RunError, START, Snapshot, State,
    StateGraph, Task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::log::{Build, Noted, Work, done, note, noted, thread};

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Trip {
    city: String,
    fare: u32,
}

/// What the node needs; it has no default.
struct Fares(u32);

const BOOK: Node = Node::named("book");

#[tokio::test]
async fn a_thread_is_read_and_forked_without_resources_and_not_run() {
    let mut graph = StateGraph::<Trip, Fares>::new("trip");
    let book = |trip: Snapshot<Trip>, context: Context<Fares>| async move {
        let agreed: bool = context.ask("agreed", &trip.city).await?;
        Ok::<_, NodeError>(Trip::update().fare(if agreed { context.resources().0 } else { 0 }))
    };
    graph.add_node(BOOK, book).asks::<bool>("agreed");
    graph.add_edge(START, BOOK);
    let graph = graph.compile().unwrap();
    let store: Arc<dyn Checkpointer> = Arc::<MemoryCheckpointer>::default();
    let thread = graph.clone().with_context(Fares(7)).with_shared_checkpointer(Arc::clone(&store)).thread("t");
    thread.run(Trip::update().city("Lisbon")).await.unwrap();

    let seen = graph.for_inspection().with_shared_checkpointer(store).thread("t");
    let waiting = seen.state().await.unwrap();
    assert_eq!((waiting.status, waiting.state.city.as_str()), (ThreadStatus::Waiting, "Lisbon"));
    assert_eq!((waiting.next, waiting.questions.len()), (vec!["book".to_owned()], 1));
    let before = seen.history(&HistoryFilter::default()).await.unwrap()[0].number;

    thread.resume(Answers::new().and("agreed", true).unwrap()).await.unwrap().done().unwrap();
    assert_eq!(seen.state().await.unwrap().state.fare, 7);
    seen.at(before).fork().await.unwrap();
    assert_eq!(seen.state().await.unwrap().state.fare, 0);

    let error = seen.continue_().await.unwrap_err();
    assert!(matches!(&error, RunError::TaskFailed { node, .. } if node == "book"), "{error:?}");
    let done = thread.continue_().await.unwrap();
    assert!(matches!(done, graphloom_core_graph::Outcome::Waiting(_)), "the run goes on with its resources");
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Part {
    title: String,
    pages: Option<u32>,
}

const PLAN: Node = Node::named("plan");
const CHECK: Node = Node::named("check");
const PART: Task<Part> = Task::named("part");

/// A plan that sends two parts beside a check; the second part asks.
fn parts(mode: Mode) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(mode);
    graph.add_node(PLAN, note("plan"));
    graph.add_node(CHECK, note("check"));
    graph
        .add_task(PART, |part: Part, _: Snapshot<Work>, cx: Context| async move {
            let pages: u32 = match part.pages {
                Some(pages) => pages,
                None => cx.ask("pages", &part.title).await?,
            };
            Noted::Ok(noted(format!("{}={pages}", part.title)))
        })
        .asks::<u32>("pages");
    graph.add_edge(START, PLAN).add_edge(PLAN, CHECK);
    graph.add_sends(PLAN, PART, |_: &Work| {
        let part = |title: &str, pages| PART.send(title, Part { title: title.to_owned(), pages });
        vec![part("b", None), part("a", Some(3))]
    });
    graph
}

/// A task in one line: id, node, key, input, and whether it has finished.
fn told(task: &PendingTask) -> String {
    let PendingTask { id, node, key, input, finished, .. } = task;
    let input = input.as_ref().map_or_else(|| "-".to_owned(), Value::to_string);
    format!("{id} {node} {} {input} {finished}", key.as_deref().unwrap_or("-"))
}

#[tokio::test]
async fn pending_tasks_are_listed_each_by_itself_with_what_was_sent_to_them() {
    let all = |tasks: &[PendingTask]| tasks.iter().map(told).collect::<Vec<_>>();
    let asks = r#"part:2.2 part b {"title":"b","pages":null} false"#;
    for mode in [Mode::Barrier, Mode::Eager] {
        let thread = thread(parts(mode));
        assert_eq!(thread.state().await.unwrap().tasks, [], "a new thread has none");
        thread.run(Work::update()).await.unwrap();
        let new = ["check:2.0 check - - false", r#"part:2.1 part a {"title":"a","pages":3} false"#, asks];
        let waiting = thread.state().await.unwrap();
        assert_eq!(waiting.next, ["part"], "{mode:?}");
        // In barrier mode what has finished waits for the others of its step.
        let expected = match mode {
            Mode::Barrier => vec![new[0].replace("false", "true"), new[1].replace("false", "true"), asks.to_owned()],
            _ => vec![asks.to_owned()],
        };
        assert_eq!(all(&waiting.tasks), expected, "{mode:?}");
        done(thread.resume(Answers::new().and("pages", 7).unwrap()).await);
        assert_eq!(thread.state().await.unwrap().tasks, [], "a thread that is done has none");
        assert_eq!(all(&thread.at(2).state().await.unwrap().tasks), new, "{mode:?}: as it stood there");
    }
}

#[tokio::test]
async fn the_start_of_a_task_tells_what_was_sent_to_it() {
    let thread = thread(parts(Mode::Barrier));
    let mut run = thread.run(Work::update());
    let mut started = Vec::new();
    while let Some(event) = run.next().await {
        let json = serde_json::to_value(&event).unwrap();
        let EventKind::TaskStarted { node, packet } = event.kind else { continue };
        assert_eq!(json.get("packet").cloned(), packet.as_ref().map(Payload::json), "{node}");
        let read: graphloom_core_graph::Event = serde_json::from_value(json).unwrap();
        let EventKind::TaskStarted { packet: read, .. } = read.kind else { panic!("it is read as another event") };
        assert_eq!(read.as_ref().map(Payload::json), packet.as_ref().map(Payload::json));
        started.push((node, packet.as_ref().map(Payload::json)));
    }
    let part = |title: &str, pages: Option<u32>| ("part".to_owned(), Some(json!({"title": title, "pages": pages})));
    let plain = |node: &str| (node.to_owned(), None);
    assert_eq!(started, [plain("plan"), plain("check"), part("a", Some(3)), part("b", None)]);
}

const DEEP: Node = Node::named("deep");
const WIDE: Node = Node::named("wide");

#[test]
fn a_graph_tells_its_initial_state_and_the_schemas_of_its_subgraphs() {
    let inner = || {
        let mut graph = StateGraph::<Trip>::new("inner");
        graph.add_node(BOOK, async |_: Snapshot<Trip>| Ok(()));
        graph.add_edge(START, BOOK);
        graph.built()
    };
    let mut middle = StateGraph::<Trip>::new("middle");
    middle.add_subgraph(DEEP, inner(), |_: &Trip| Trip::update(), |_| Ok(Trip::update()));
    middle.add_edge(START, DEEP);
    let mut graph = StateGraph::<Trip>::new("outer");
    graph.add_subgraph(WIDE, middle.built(), |_: &Trip| Trip::update(), |_| Ok(Trip::update()));
    graph.add_edge(START, WIDE);
    let graph = graph.built();
    let mut named = StateGraph::<Trip>::new("named");
    for node in [Node::named("b"), Node::named("a"), Node::named("c")] {
        named.add_node(node.clone(), async |_: Snapshot<Trip>| Ok(()));
        named.add_edge(START, node);
    }
    let named = named.built();
    let places: Vec<_> = named.diagram().nodes.iter().map(|node| (node.name.as_str(), node.place)).collect();
    assert_eq!(places, [("__start__", 0), ("a", 1), ("b", 0), ("c", 2)]);
    assert_eq!(serde_json::to_value(graph.initial()).unwrap(), json!({"city": "", "fare": 0}));
    let schemas = graph.subgraph_schemas();
    assert_eq!(schemas.keys().map(|path| path.join("/")).collect::<Vec<_>>(), ["wide", "wide/deep"]);
    for schema in schemas.values() {
        assert_eq!(schema["properties"]["fare"]["type"], "integer");
    }
}
