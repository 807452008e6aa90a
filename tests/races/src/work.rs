//! A wide graph whose nodes are ready at once, yield, compute, keep results and speak, each in its turn.

use std::sync::Arc;

use graphloom_core_graph::{Compiled, Context, Log, Mode, Node, NodeError, START, Snapshot, State, StateGraph, Task};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

/// What the tasks of a round add up to.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Work {
    /// How many tasks have run.
    #[state(add)]
    pub tasks: u64,
    /// Rounds that are over.
    #[state(add)]
    pub rounds: u64,
    /// What each round noted.
    #[state(append)]
    pub notes: Log<u64>,
}

const BEGIN: Node = Node::named("begin");
const PART: Task<u64> = Task::named("part");
const END_OF_ROUND: Node = Node::named("end_of_round");

/// Does one of `width` parts: three in four wait, one in four keeps a result, and one in eight computes.
async fn part(number: u64, _: Snapshot<Work>, cx: Context) -> Result<WorkUpdate, NodeError> {
    match number % 8 {
        0 => {
            let kept: u64 = cx.once("kept", async { Ok::<_, NodeError>(1) }).await?;
            return Ok(Work::update().tasks(kept));
        }
        1 => {
            let sum = (0..20_000_u64).fold(number, |sum, next| sum.wrapping_mul(31).wrapping_add(next));
            std::hint::black_box(sum);
        }
        2 => cx.emit("part", number).await,
        3 => {}
        more => {
            for _ in 0..more {
                tokio::task::yield_now().await;
            }
        }
    }
    Ok(Work::update().tasks(1))
}

/// A graph of `rounds` super-steps of `width` tasks each, with a step of one task before and after each of them.
///
/// # Panics
/// Never: the graph is the same at every call.
pub fn wide(mode: Mode, width: u64, rounds: u64) -> Compiled<Work> {
    wide_behind(&Arc::new(Semaphore::new(1)), mode, width, rounds)
}

/// The same graph, whose rounds begin when the gate has a permit.
///
/// # Panics
/// Never: the graph is the same at every call.
pub fn wide_behind(gate: &Arc<Semaphore>, mode: Mode, width: u64, rounds: u64) -> Compiled<Work> {
    let mut graph = StateGraph::<Work>::new("wide");
    graph.mode(mode);
    let gate = Arc::clone(gate);
    graph.add_node(BEGIN, move |_: Snapshot<Work>| {
        let gate = Arc::clone(&gate);
        async move {
            drop(gate.acquire().await);
            Ok::<_, NodeError>(())
        }
    });
    graph.add_task(PART, part);
    graph.add_node(END_OF_ROUND, |work: Snapshot<Work>| async move {
        Ok::<_, NodeError>(Work::update().rounds(1).notes([work.tasks]))
    });
    graph.add_edge(START, BEGIN);
    graph.add_sends(BEGIN, PART, move |_: &Work| (0..width).map(|at| PART.send(at, at)).collect());
    graph.add_join(PART, END_OF_ROUND);
    graph.add_conditional_edges(END_OF_ROUND, [BEGIN], move |work: &Work| {
        (!work.rounds.is_multiple_of(rounds)).then_some(BEGIN)
    });
    graph.compile().expect("the graph is the same at every call")
}
