//! A node made of a function from JSON to JSON.

use std::future::Future;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::Value;

use crate::checkpoint::RecordBytes;
use crate::context::Context;
use crate::error::NodeError;
use crate::handler::NodeFn;
use crate::state::{JsonState, JsonUpdate, Snapshot, codec};
use crate::step::Step;

/// The node. It is called with the input of its task, or else with the whole state.
pub(super) struct JsonFunction<F>(pub(super) Arc<F>);

impl<Cx, F, Fut> NodeFn<JsonState, Cx> for JsonFunction<F>
where
    Cx: Send + Sync + 'static,
    F: Fn(Value, Context<Cx>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Value, NodeError>> + Send + 'static,
{
    fn wants_context(&self) -> bool {
        true
    }

    fn call(
        &self,
        input: Option<RecordBytes>,
        state: Snapshot<JsonState>,
        context: Option<Context<Cx>>,
    ) -> BoxFuture<'static, Result<Step<JsonState>, NodeError>> {
        let function = Arc::clone(&self.0);
        Box::pin(async move {
            let context = context.ok_or_else(|| NodeError::terminal("called without a context"))?;
            let argument = match input {
                Some(bytes) => codec::decode("input", &bytes).map_err(NodeError::terminal)?,
                None => state.to_value(),
            };
            let layout = state.layout().clone();
            drop(state);
            let returned = function(argument, context).await?;
            let update = JsonUpdate::try_from(returned).map_err(NodeError::terminal)?;
            // Here a mistake is the node's own, for its error handler to see.
            update.check(&layout).map_err(NodeError::terminal)?;
            Ok(Step::update(update))
        })
    }
}

/// A node that does nothing, in the place of a handler that is missing. The graph is refused.
pub(super) fn nothing<Cx: Send + Sync + 'static>() -> Arc<dyn NodeFn<JsonState, Cx>> {
    Arc::new(JsonFunction(Arc::new(|_: Value, _: Context<Cx>| async { Ok(Value::Null) })))
}
