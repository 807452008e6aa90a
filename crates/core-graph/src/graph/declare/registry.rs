//! Handlers by name.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use serde_json::Value;

use crate::context::Context;
use crate::error::NodeError;
use crate::failure::Failure;
use crate::graph::declare::function::JsonFunction;
use crate::handler::{Handler, NodeFn, TaskHandler};
use crate::state::JsonState;

/// The handlers that [descriptions](crate::description::Description) name. A name that is given again stands for the later handler.
///
/// ```
/// use graphloom_core_graph::description::Registry;
/// use graphloom_core_graph::json::{JsonState, JsonUpdate};
/// use graphloom_core_graph::{Context, Snapshot, Step};
/// use serde_json::{Value, json};
///
/// let mut registry = Registry::<()>::new();
/// // From JSON to JSON, for nodes and tasks.
/// registry.function("shout", async |text: Value, _: Context| {
///     let text = text.as_str().unwrap_or_default().to_uppercase();
///     Ok(json!({"shouts": [text]}))
/// });
/// // Whatever a node of a graph can be.
/// registry.node("count", async |state: Snapshot<JsonState>| {
///     let words: Vec<String> = state.read("shouts")?;
///     Ok(Step::update(JsonUpdate::new().with("count", words.len())))
/// });
/// ```
pub struct Registry<Cx = ()> {
    pub(super) handlers: BTreeMap<String, Registered<Cx>>,
    pub(super) error_handlers: BTreeMap<String, Arc<dyn NodeFn<JsonState, Cx>>>,
}

pub(super) struct Registered<Cx> {
    pub(super) run: Arc<dyn NodeFn<JsonState, Cx>>,
    /// Whether it is for task nodes; a function is for both.
    pub(super) for_task: Option<bool>,
}

impl<Cx: Send + Sync + 'static> Registry<Cx> {
    /// No handlers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Names a function of the whole state, or in a task node of the task's input, that returns an update: an object of
    /// fields, or `null` for none.
    pub fn function<F, Fut>(&mut self, name: impl Into<String>, function: F) -> &mut Self
    where
        F: Fn(Value, Context<Cx>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value, NodeError>> + Send + 'static,
    {
        self.register(name.into(), Arc::new(JsonFunction(Arc::new(function))), None)
    }

    /// Names a node of the state.
    pub fn node<M>(&mut self, name: impl Into<String>, run: impl Handler<M, JsonState, Cx, Future: Send>) -> &mut Self {
        self.register(name.into(), run.into_node(), Some(false))
    }

    /// Names a task node, whose input is an entry of a fan-out.
    pub fn task<M, I>(
        &mut self,
        name: impl Into<String>,
        run: impl TaskHandler<M, I, JsonState, Cx, Future: Send>,
    ) -> &mut Self {
        self.register(name.into(), run.into_node(), Some(true))
    }

    /// Names an error handler.
    pub fn error_handler<M>(
        &mut self,
        name: impl Into<String>,
        handler: impl TaskHandler<M, Failure, JsonState, Cx, Future: Send>,
    ) -> &mut Self {
        self.error_handlers.insert(name.into(), handler.into_node());
        self
    }

    fn register(&mut self, name: String, run: Arc<dyn NodeFn<JsonState, Cx>>, for_task: Option<bool>) -> &mut Self {
        self.handlers.insert(name, Registered { run, for_task });
        self
    }
}

impl<Cx> Default for Registry<Cx> {
    fn default() -> Self {
        Self { handlers: BTreeMap::new(), error_handlers: BTreeMap::new() }
    }
}

impl<Cx> fmt::Debug for Registry<Cx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry")
            .field("handlers", &self.handlers.keys().collect::<Vec<_>>())
            .field("error_handlers", &self.error_handlers.keys().collect::<Vec<_>>())
            .finish()
    }
}
