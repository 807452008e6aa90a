//! How long steps take: `cargo test --release -p graphloom-restate --test it -- --ignored --nocapture figures`.

use std::time::{Duration, Instant};

use graphloom_core_graph::{Compiled, Context, Node, NodeError, START, Snapshot, State, StateGraph, Task};
use graphloom_restate::{Endpoint, Engine};
use graphloom_restate_server::Engine as Server;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::places::{options, port, run};

const PLAN: Node = Node::named("plan");
const PART: Task<u64> = Task::named("part");

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Sum {
    parts: u64,
    #[state(add)]
    done: u64,
}

/// A plan, and parts that each wait.
fn graph() -> Compiled<Sum, Duration> {
    let mut graph = StateGraph::<Sum, Duration>::new("sum");
    graph.add_node(PLAN, |_: Snapshot<Sum>| async { Ok::<_, NodeError>(()) });
    graph.add_task(PART, |_: u64, _: Snapshot<Sum>, cx: Context<Duration>| async move {
        if !cx.resources().is_zero() {
            tokio::time::sleep(*cx.resources()).await;
        }
        Ok::<_, NodeError>(Sum::update().done(1))
    });
    graph.add_edge(START, PLAN);
    graph.add_sends(PLAN, PART, |sum: &Sum| (0..sum.parts).map(|part| PART.send(part, part)).collect());
    graph.compile().expect("the graph is right")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it measures"]
async fn steps_of_one_and_of_many() {
    let server = Server::start();
    for (parts, wait, rounds) in [(0, 0, 100), (16, 0, 30), (1000, 50, 5)] {
        let port = port();
        let wait = Duration::from_millis(wait);
        let endpoint = || Endpoint::new(&options(&server)).serve(graph().with_context(wait)).concurrency(500);
        let _served = [(); 2].map(|()| run(endpoint().listen(port.address()).shared()));
        let engine = Engine::connect(&options(&server)).await.expect("an engine");
        let driven = graph().executed_by(engine).expect("the state is stored").with_context(Duration::ZERO);
        // The first run finds connections to be made.
        let mut took = Vec::new();
        for _ in 0..=rounds {
            let began = Instant::now();
            let done = driven.run_once(Sum::update().parts(parts)).await.expect("it ends").done().expect("it is done");
            assert_eq!(done.done, parts);
            took.push(began.elapsed());
        }
        took.remove(0);
        took.sort();
        println!(
            "a step of one, and one of {parts} that wait {wait:?}: {:?} (median of {rounds})",
            took[took.len() / 2]
        );
    }
}
