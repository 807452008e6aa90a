//! Looking at threads of a graph without the resources that its nodes need.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{Checkpointer, HistoryFilter, MemoryCheckpointer, ThreadStatus};
use graphloom_core_graph::{Answers, Context, Node, NodeError, RunError, START, Snapshot, State, StateGraph};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
