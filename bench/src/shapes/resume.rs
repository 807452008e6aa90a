//! Round trips with a person: a node asks, the thread suspends, an answer resumes it, 1000 times.

use std::sync::Arc;

use futures::FutureExt;
use graphloom_core_graph::checkpoint::Checkpointer;
use graphloom_core_graph::{
    Answers, App, CompileErrors, Context, Node, NodeError, Outcome, START, Snapshot, StateGraph,
};

use crate::Failure;
use crate::graphs::{Count, CountUpdate};
use crate::measure::{Floor, Measurements, OnStore, Shape, Store};

const TRIPS: u64 = 1_000;
const ASK: Node = Node::named("ask");

async fn ask(count: Snapshot<Count>, cx: Context) -> Result<CountUpdate, NodeError> {
    let more: u64 = cx.ask("more", &count.n).await?;
    Ok(Count::update().n(count.n + more))
}

/// A node that asks, for ever.
pub(super) fn asking() -> Result<App<Count>, CompileErrors> {
    let mut graph = StateGraph::<Count>::new("asking");
    graph.add_node(ASK, ask).asks::<u64>("more");
    graph.add_edge(START, ASK).add_edge(ASK, ASK);
    Ok(graph.compile()?.with_context(()))
}

pub(super) async fn measure(bench: &mut Measurements) -> Result<(), Failure> {
    let shape = Shape { name: "resume1000", unit: "round trip", units: TRIPS };
    let app = asking()?;
    let on_store: OnStore = Arc::new(move |store: Arc<dyn Checkpointer>| {
        let thread = app.with_shared_checkpointer(store).thread("bench");
        async move {
            let mut outcome = thread.run(Count::update()).await?;
            for _ in 0..TRIPS {
                outcome = thread.resume(Answers::new().and("more", 1)?).await?;
            }
            let Outcome::Waiting(questions) = outcome else { return Err("the thread does not wait".into()) };
            let asked = questions.iter().next().map(|question| question.payload.clone());
            if asked == Some(TRIPS.into()) { Ok(()) } else { Err(format!("{asked:?} was asked").into()) }
        }
        .boxed()
    });
    for store in Store::DURABLE {
        bench.durable(shape, store, store != Store::Full, Floor::None, &on_store).await?;
    }
    Ok(())
}
