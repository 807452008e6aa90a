//! What a run was given as its context goes with its tasks.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::Value;

use super::{Executor, TaskHost, TaskReply};
use crate::error::NodeError;

/// An executor for the tasks of runs with one context: what a caller gave a run, of which the process that executes a task
/// makes the resources of its nodes ([`Compiled::performer_per_run`](crate::Compiled::performer_per_run)). Resources themselves
/// do not leave their process.
///
/// ```
/// use graphloom_core_graph::remote::WithContext;
/// use graphloom_core_graph::simulate::LocalExecutor;
/// use graphloom_core_graph::{Context, Node, NodeError, START, Snapshot, State, StateGraph};
/// # use schemars::JsonSchema;
/// # use serde::{Deserialize, Serialize};
///
/// #[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
/// struct Greeting {
///     text: String,
/// }
///
/// struct Name(String);
///
/// const GREET: Node = Node::named("greet");
///
/// async fn greet(_: Snapshot<Greeting>, cx: Context<Name>) -> Result<GreetingUpdate, NodeError> {
///     Ok(Greeting::update().text(format!("Hello {}", cx.resources().0)))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut graph = StateGraph::<Greeting, Name>::new("greeting");
/// graph.add_node(GREET, greet);
/// graph.add_edge(START, GREET);
/// let graph = graph.compile()?;
///
/// let workers = graph.performer_per_run(|context| match context.as_str() {
///     Some(name) => Ok(Name(name.to_owned())),
///     None => Err(NodeError::terminal("the context is no name")),
/// });
/// let executor = WithContext::new(LocalExecutor::performed_by(workers), "Ada".into());
/// let app = graph.executed_by(executor)?.with_context(Name("nobody".to_owned()));
/// let done = app.run_once(Greeting::update()).await?.done().map_err(|other| format!("{other:?}"))?;
/// assert_eq!(done.text, "Hello Ada");
/// # Ok(())
/// # }
/// ```
pub struct WithContext {
    executor: Arc<dyn Executor>,
    context: Value,
}

impl WithContext {
    /// The executor for runs with this context, which may be any JSON.
    pub fn new(executor: impl Executor, context: Value) -> Self {
        Self { executor: Arc::new(executor), context }
    }
}

impl Executor for WithContext {
    fn execute<'e>(&'e self, host: &'e TaskHost<'_>) -> BoxFuture<'e, Result<TaskReply, NodeError>> {
        self.executor.execute(host)
    }

    fn context(&self) -> Option<&Value> {
        Some(&self.context)
    }
}

impl fmt::Debug for WithContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WithContext").field("context", &self.context).finish_non_exhaustive()
    }
}
