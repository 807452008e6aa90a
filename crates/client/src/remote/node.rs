//! The node: rounds of runs on a remote thread, until one neither asks nor fails.

use std::sync::Arc;

use futures::future::BoxFuture;
use graphloom_core_graph::checkpoint::RecordBytes;
use graphloom_core_graph::driver::NodeFn;
use graphloom_core_graph::{Context, Handler, NodeError, Snapshot, State, Step};
use uuid::Uuid;

use super::questions::answers;
use super::round::{Beginning, Round, RoundEnd, Stop};
use super::{RemoteGraph, RemoteState, node_error};
use crate::{ClientError, ThreadId};

/// What is asked, and under which durable step the call keeps its id.
pub(super) const KEY: &str = "remote";

/// Tells nodes of this kind from functions.
#[derive(Debug)]
#[non_exhaustive]
pub struct RemoteNode;

impl<S: State, Cx: Send + Sync + 'static> Handler<RemoteNode, S, Cx> for RemoteGraph<S> {
    type Future = ();

    fn into_node(self) -> Arc<dyn NodeFn<S, Cx>> {
        Arc::new(Shared(Arc::new(self)))
    }
}

/// A remote graph that its runs share.
struct Shared<S: State>(Arc<RemoteGraph<S>>);

impl<S: State, Cx: Send + Sync + 'static> NodeFn<S, Cx> for Shared<S> {
    fn wants_context(&self) -> bool {
        true
    }

    fn call(
        &self,
        _: Option<RecordBytes>,
        state: Snapshot<S>,
        context: Option<Context<Cx>>,
    ) -> BoxFuture<'static, Result<Step<S>, NodeError>> {
        let remote = Arc::clone(&self.0);
        Box::pin(async move {
            let context = context.ok_or_else(|| NodeError::terminal("called without a context".to_owned()))?;
            remote.run(&state, &context).await
        })
    }
}

impl<S: State> RemoteGraph<S> {
    /// Runs the remote graph inside of a node or a task of one's own, which declares the question `remote` if it is asked.
    /// Once for a task: its durable steps have fixed names.
    ///
    /// # Errors
    /// The remote run failed, its server is away or refuses; a question is open, which is to be passed on with `?`.
    pub async fn run<Cx>(&self, state: &S, context: &Context<Cx>) -> Result<Step<S>, NodeError>
    where
        Cx: Send + Sync + 'static,
    {
        let is_first = context.recorded::<Uuid>(KEY)?.is_none();
        let call = context.once(KEY, async { Ok(Uuid::now_v7()) }).await?;
        let thread = self.thread.as_ref().map_or(ThreadId(call), |thread| thread(state));
        let (mut beginning, mut asked) = (Beginning::Input, 0);
        for number in 0_u32.. {
            let round = Round { remote: self, context, call, thread, number };
            let was_started = round.started()?;
            let run = round.start(state, beginning, is_first && number == 0).await?;
            let stop = match round.kept_stop()? {
                Some(stop) => stop,
                None => match round.follow(run).await? {
                    RoundEnd::Done(values) => return (self.fold)(RemoteState { thread, run, values }),
                    RoundEnd::Stopped(stop) => {
                        round.keep_stop(&stop).await?;
                        if let Stop::Failed { kind, message, is_cancelled } = &stop
                            // A run that was cancelled together with an earlier local one is taken up again.
                            && !(*is_cancelled && was_started)
                        {
                            let (kind, message) = (kind.clone(), message.clone());
                            return Err(node_error(ClientError::RunFailed { kind, message }));
                        }
                        stop
                    }
                },
            };
            beginning = match stop {
                Stop::Waiting { interrupts } => answers(context, interrupts, &mut asked).await?,
                Stop::Failed { .. } => Beginning::Unfinished,
            };
        }
        Err(NodeError::terminal("there were more runs than can be counted".to_owned()))
    }
}
