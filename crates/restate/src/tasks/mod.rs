//! The process that drives runs has their tasks invoked, and serves the workers that execute them.
//!
//! | what | file |
//! | --- | --- |
//! | a task on its way: invoked, begun, served until it has ended | `dispatch.rs` |
//! | the listener for what workers say, and whom it is about | `callbacks.rs` |

mod callbacks;
mod dispatch;

pub(crate) use dispatch::TOO_LONG;

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use graphloom_core_graph::NodeError;
use graphloom_core_graph::remote::{Executor, TaskHost, TaskReply};

use self::callbacks::Callbacks;
use crate::engine::Ingress;
use crate::error::EngineError;
use crate::options::EngineOptions;

/// An [`Executor`] whose tasks the engine brings to workers, see [`Endpoint`](crate::Endpoint). A clone is another handle to the
/// same.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Shared>,
}

/// What the tasks of this process share.
struct Shared {
    ingress: Ingress,
    callbacks: Callbacks,
    options: EngineOptions,
}

impl Engine {
    /// Asks the engine whether it is there, and listens for workers.
    ///
    /// # Errors
    /// The engine cannot be reached; an address on which this process cannot listen; a setting that cannot be used.
    pub async fn connect(options: &EngineOptions) -> Result<Self, EngineError> {
        let ingress = Ingress::new(options)?;
        ingress.greet().await?;
        let callbacks = Callbacks::open(options)?;
        Ok(Self { inner: Arc::new(Shared { ingress, callbacks, options: options.clone() }) })
    }
}

impl Executor for Engine {
    fn execute<'e>(&'e self, host: &'e TaskHost<'_>) -> BoxFuture<'e, Result<TaskReply, NodeError>> {
        Box::pin(dispatch::dispatch(&self.inner, host))
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shared { ingress, callbacks, .. } = &*self.inner;
        let (ingress, callbacks) = (ingress.place(), callbacks.url());
        f.debug_struct("Engine").field("ingress", &ingress).field("callbacks", &callbacks).finish()
    }
}
