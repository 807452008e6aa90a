//! Custom events: one node tells 10 000, a reader reads them all.

use futures::FutureExt;
use graphloom_core_graph::{
    App, CompileErrors, Context, END, EventKind, EventMode, Node, NodeError, START, Snapshot, StateGraph,
};

use crate::Failure;
use crate::graphs::{Count, CountUpdate};
use crate::measure::{Floor, Measurements, Shape};

const EVENTS: u64 = 10_000;
const TELL: Node = Node::named("tell");

async fn tell(_: Snapshot<Count>, cx: Context) -> Result<CountUpdate, NodeError> {
    for at in 0..EVENTS {
        cx.emit("i", at).await;
    }
    Ok(Count::update())
}

fn graph() -> Result<App<Count>, CompileErrors> {
    let mut graph = StateGraph::<Count>::new("events");
    graph.add_node(TELL, tell);
    graph.add_edge(START, TELL).add_edge(TELL, END);
    Ok(graph.compile()?.with_context(()))
}

pub(super) async fn measure(bench: &mut Measurements) -> Result<(), Failure> {
    let shape = Shape { name: "events10k", unit: "event", units: EVENTS };
    let app = graph()?;
    let read = move || {
        let mut run = app.run_once(Count::update()).only([EventMode::Custom]);
        async move {
            let mut next = 0;
            while let Some(event) = run.next().await {
                if let EventKind::Custom { payload, .. } = event.kind {
                    if payload.get::<u64>() != Some(&next) {
                        return Err(format!("event {next} is {payload:?}").into());
                    }
                    next += 1;
                }
            }
            run.await?;
            if next == EVENTS { Ok(()) } else { Err(format!("{next} events were read").into()) }
        }
        .boxed()
    };
    bench.transient(shape, Floor::None, read).await
}
