//! What the store keeps of a subgraph, and for how long.

/// What the store keeps of a subgraph, and for how long.
///
/// | | begins with | its checkpoints | asks | at the same time |
/// | --- | --- | --- | --- | --- |
/// | [`PerCall`](Self::PerCall) | the initial state | under the id of the call | yes | as often as there are calls |
/// | [`PerThread`](Self::PerThread) | the state that the call before left | under the names of the nodes that lead to it | yes | once, else [`SubgraphBusy`](crate::RunError::SubgraphBusy) |
/// | [`Stateless`](Self::Stateless) | the initial state | none | no | as often as there are calls |
///
/// LangGraph has the same three as `checkpointer=None`, `True` and `False` of a subgraph.
///
/// ```
/// use graphloom_core_graph::checkpoint::MemoryCheckpointer;
/// use graphloom_core_graph::{Node, NodeError, Persistence, START, Snapshot, State, StateGraph};
/// # use schemars::JsonSchema;
/// # use serde::{Deserialize, Serialize};
///
/// #[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
/// struct Count {
///     #[state(add)]
///     n: u64,
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// const ADD: Node = Node::named("add");
/// const MEMORY: Node = Node::named("memory");
///
/// async fn add(_: Snapshot<Count>) -> Result<CountUpdate, NodeError> {
///     Ok(Count::update().n(1))
/// }
///
/// let mut child = StateGraph::<Count>::new("memory");
/// child.add_node(ADD, add);
/// child.add_edge(START, ADD);
///
/// let mut graph = StateGraph::<Count>::new("chat");
/// graph
///     .add_subgraph(
///         MEMORY,
///         child.compile()?,
///         |_: &Count| Count::update(),
///         |child| Ok(Count::update().replace_n(child.done()?.n)),
///     )
///     .persistence(Persistence::PerThread);
/// graph.add_edge(START, MEMORY);
///
/// let thread = graph.compile()?.with_checkpointer(MemoryCheckpointer::new()).thread("anna");
/// for turn in 1..=3 {
///     let state = thread.run(Count::update()).await?.done().map_err(|other| format!("{other:?}"))?;
///     assert_eq!(state.n, turn, "the child goes on where the turn before left it");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Persistence {
    /// Each call has its own state and its own checkpoints: it goes on where it stopped, and knows nothing of others.
    #[default]
    PerCall,
    /// One state for all calls of the thread, which accumulates.
    ///
    /// The input of a call is folded onto the state that the call before left; unfinished tasks of a call that failed
    /// and was handled by `map_out` are dropped. A call whose node failed for good, or was handled by an error handler,
    /// leaves the state as it was before. Every commit of a parent records where its children stand:
    /// [`fork`](crate::At::fork), [`replay`](crate::At::replay) and [`copy_to`](crate::Thread::copy_to) take them
    /// along. Without a store the state lasts as long as the run.
    ///
    /// One call at a time: a second one is [`SubgraphBusy`](crate::RunError::SubgraphBusy), which a retry may mend,
    /// until the first has finished. Below calls that run at the same time, the child belongs to the outermost of them
    /// until that one finishes.
    PerThread,
    /// Nothing is stored: the child, with all that is inside, runs again as a whole when its call goes on after a crash,
    /// a stop or a failure, and durable steps inside last no longer than the attempt. It tells its events live, and they
    /// are not in the journal; tasks that run again count again against the budget. It cannot ask, nor can it hold children that are kept per thread; `compile()` refuses
    /// both.
    Stateless,
}
