//! Entry points: durable functions as graphs.

use std::fmt;
use std::sync::Arc;

use crate::functional::body::{BodyNode, EntryBody};
use crate::functional::state::{EntryState, EntryValue};
use crate::graph::{CompileErrors, Compiled, NodeSpec, StateGraph};
use crate::handler::NodeFn;
use crate::name::{Node, START};

/// A durable function under construction; see [`entry_point`].
pub struct EntryPoint<I: EntryValue, O: EntryValue, P: EntryValue = O, Cx = ()> {
    name: String,
    versions: (u32, u32),
    spec: NodeSpec,
    run: Arc<dyn NodeFn<EntryState<I, O, P>, Cx>>,
}

/// An async function as a durable one: a graph of one node, whose input is the function's and whose output is what it
/// returns.
///
/// Work inside it that must not be repeated is a [task](crate::Context::spawn), or a
/// [durable step](crate::Context::once) where nothing runs beside it. After a question, a failure or a crash the
/// function runs again from its beginning, and tasks that had finished give what they returned then. A call finds what
/// the last call of the same thread saved, when it takes that as its second parameter.
///
/// ```
/// use graphloom_core_graph::checkpoint::MemoryCheckpointer;
/// use graphloom_core_graph::{Context, NodeError, Outcome, entry_point};
///
/// async fn length(text: String) -> Result<usize, NodeError> {
///     Ok(text.len())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let measure = entry_point("measure", async |texts: Vec<String>, cx: Context| {
///     // All begin at once; each is done once.
///     let tasks = texts.into_iter().enumerate().map(|(at, text)| cx.spawn(format!("length/{at}"), length(text)));
///     let tasks: Vec<_> = tasks.collect();
///     let mut sum = 0;
///     for task in tasks {
///         sum += task.await?;
///     }
///     let factor: usize = cx.ask("factor", &sum).await?;
///     Ok(sum * factor)
/// })
/// .with(|node| node.asks::<usize>("factor"))
/// .compile()?;
///
/// let thread = measure.with_checkpointer(MemoryCheckpointer::new()).thread("t");
/// let Outcome::Waiting(questions) = thread.run(vec!["a".to_owned(), "text".to_owned()].into()).await? else {
///     unreachable!("it asks");
/// };
/// let Outcome::Done(state) = thread.resume(questions.answer("factor", 10)?).await? else { unreachable!("no more") };
/// assert_eq!(state.output(), Some(&50));
/// # Ok(())
/// # }
/// ```
pub fn entry_point<M, I, O, P, Cx>(
    name: impl Into<String>,
    body: impl EntryBody<M, I, O, P, Cx, Future: Send>,
) -> EntryPoint<I, O, P, Cx>
where
    I: EntryValue + Clone,
    O: EntryValue,
    P: EntryValue,
    Cx: Send + Sync + 'static,
{
    let node = BodyNode(Arc::new(move |input, previous, context| body.call(input, previous, context)));
    EntryPoint { name: name.into(), versions: (1, 1), spec: NodeSpec::default(), run: Arc::new(node) }
}

impl<I: EntryValue, O: EntryValue, P: EntryValue, Cx: Send + Sync + 'static> EntryPoint<I, O, P, Cx> {
    /// Declares the questions that it asks, and its policies.
    #[must_use]
    pub fn with(mut self, declare: impl FnOnce(&mut NodeSpec) -> &mut NodeSpec) -> Self {
        declare(&mut self.spec);
        self
    }

    /// States the version of the function and of what it saves, as their author counts; both are 1 unless stated.
    #[must_use]
    pub fn versions(mut self, graph: u32, state: u32) -> Self {
        self.versions = (graph, state);
        self
    }

    /// The graph: one node of the function's name, between START and END.
    ///
    /// # Errors
    /// A name that no node can have, and mistakes of what is declared.
    pub fn compile(self) -> Result<Compiled<EntryState<I, O, P>, Cx>, CompileErrors> {
        let mut graph = StateGraph::new(self.name.clone());
        graph.versions(self.versions.0, self.versions.1);
        let node = Node::owned(self.name);
        graph.add_edge(START, node.clone());
        graph.add_run(node, self.run, self.spec);
        graph.compile()
    }
}

impl<I: EntryValue, O: EntryValue, P: EntryValue, Cx> fmt::Debug for EntryPoint<I, O, P, Cx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntryPoint").field("name", &self.name).field("spec", &self.spec).finish_non_exhaustive()
    }
}
