//! The nodes of a graph that is there to look at threads only.

use futures::FutureExt;
use futures::future::BoxFuture;

use crate::checkpoint::RecordBytes;
use crate::context::Context;
use crate::error::NodeError;
use crate::handler::NodeFn;
use crate::state::{Snapshot, State};
use crate::step::Step;

/// A node without the resources that it would need.
pub(super) struct NotToRun;

impl<S: State> NodeFn<S, ()> for NotToRun {
    fn wants_context(&self) -> bool {
        false
    }

    fn call(
        &self,
        _: Option<RecordBytes>,
        _: Snapshot<S>,
        _: Option<Context<()>>,
    ) -> BoxFuture<'static, Result<Step<S>, NodeError>> {
        let message = "this graph was opened to look at threads; open it with its resources to run one";
        std::future::ready(Err(NodeError::terminal(message))).boxed()
    }
}
