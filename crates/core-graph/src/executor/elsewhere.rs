//! A node whose tasks are executed in another process.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_bytes::ByteBuf;

use crate::checkpoint::RecordBytes;
use crate::context::Context;
use crate::error::NodeError;
use crate::handler::{NodeFn, given};
use crate::remote::host::TaskNode;
use crate::remote::reply::ReplyEnd;
use crate::remote::{Executor, NodePlace, TaskHost, TaskReply};
use crate::state::{Snapshot, State, StateError};
use crate::step::Step;
use crate::topology::Topology;

/// A node whose tasks an executor takes. What comes back goes the way that the node's own would go: through the context of the
/// attempt, and as its step or error.
pub(crate) struct Elsewhere<S: State> {
    pub(crate) executor: Arc<dyn Executor>,
    pub(crate) topology: Arc<Topology<S>>,
    /// The graphs and nodes that lead to it.
    pub(crate) place: Arc<[NodePlace]>,
    /// Its concurrency class.
    pub(crate) class: Option<Arc<str>>,
    /// Whether it is the error handler of the node.
    pub(crate) handles_failure: bool,
}

/// What a task is executed with, and where its reply belongs.
struct RemoteCall<S: State> {
    executor: Arc<dyn Executor>,
    topology: Arc<Topology<S>>,
    place: Arc<[NodePlace]>,
    class: Option<Arc<str>>,
    handles_failure: bool,
    input: Option<ByteBuf>,
    fields: Vec<(String, ByteBuf)>,
}

impl<S: State> Elsewhere<S> {
    fn remote_call(&self, input: Option<RecordBytes>, state: &S) -> Result<RemoteCall<S>, StateError> {
        let Self { executor, topology, place, class, handles_failure } = self;
        let field = |at| {
            let name: &Arc<str> = &topology.field_names[at];
            Ok((name.to_string(), ByteBuf::from(state.save(&topology.layout, at)?)))
        };
        Ok(RemoteCall {
            executor: Arc::clone(executor),
            topology: Arc::clone(topology),
            place: Arc::clone(place),
            class: class.clone(),
            handles_failure: *handles_failure,
            input: input.map(|input| ByteBuf::from(&*input)),
            fields: (0..topology.fields.len()).map(field).collect::<Result<_, _>>()?,
        })
    }
}

impl<S: State, Cx: Send + Sync + 'static> NodeFn<S, Cx> for Elsewhere<S> {
    fn wants_context(&self) -> bool {
        true
    }

    fn call(
        &self,
        input: Option<RecordBytes>,
        state: Snapshot<S>,
        context: Option<Context<Cx>>,
    ) -> BoxFuture<'static, Result<Step<S>, NodeError>> {
        let call = given(context)
            .and_then(|context| Ok((self.remote_call(input, &state).map_err(NodeError::terminal)?, context)));
        Box::pin(async move {
            let (call, context) = call?;
            call.finish(&context).await
        })
    }
}

impl<S: State> RemoteCall<S> {
    async fn finish<Cx: Send + Sync>(self, context: &Context<Cx>) -> Result<Step<S>, NodeError> {
        let Self { executor, topology, place, class, handles_failure, input, fields } = self;
        let services = &**context.services();
        let node = TaskNode { place: &place, class: class.as_deref(), handles_failure };
        let host = TaskHost::new(services, node, input, fields, executor.context());
        let TaskReply { execution, end, questions } = executor.execute(&host).await?;
        if !host.is_current(execution) {
            return Err(NodeError::retryable("the executor gave back the reply of an execution that does not count"));
        }
        for (key, payload) in questions {
            services.question(&key, payload)?;
        }
        match end {
            ReplyEnd::Step(row) => row.into_step(&topology.layout, &topology.field_names).map_err(NodeError::terminal),
            ReplyEnd::Error(row) => match row.into_error() {
                // Two workers had one execution.
                superseded if superseded.is_superseded() => Err(NodeError::retryable(superseded.to_string())),
                error => Err(error),
            },
        }
    }
}
