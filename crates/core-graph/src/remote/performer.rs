//! A graph that performs tasks, whatever its state.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::future::BoxFuture;

use super::{GraphVersion, TaskLink, TaskReply, TaskRequest, UnknownTask};

/// The execution of a task, which runs as it is polled, or why the task is left to others.
pub type Performed = Result<BoxFuture<'static, TaskReply>, UnknownTask>;

/// What a worker has of a graph: it performs tasks of it that another process drives, whatever the type of its state. An
/// [`App`](crate::App) is one, with its resources.
pub trait Performer: Send + Sync + 'static {
    /// The graph and those inside, each in its version.
    fn versions(&self) -> BTreeSet<GraphVersion>;

    /// The graph without those inside: of its tasks, and of theirs, it knows the way from the outside in.
    fn roots(&self) -> BTreeSet<GraphVersion>;

    /// Executes a task, see [`Compiled::perform`](crate::Compiled::perform).
    ///
    /// # Errors
    /// A task of another graph, or of another version.
    fn perform(&self, request: Arc<TaskRequest>, link: Arc<dyn TaskLink>) -> Performed;
}

impl<P: Performer + ?Sized> Performer for Arc<P> {
    fn versions(&self) -> BTreeSet<GraphVersion> {
        (**self).versions()
    }

    fn roots(&self) -> BTreeSet<GraphVersion> {
        (**self).roots()
    }

    fn perform(&self, request: Arc<TaskRequest>, link: Arc<dyn TaskLink>) -> Performed {
        (**self).perform(request, link)
    }
}

/// All of them: a task is performed by the first that knows it.
impl<P: Performer> Performer for Vec<P> {
    fn versions(&self) -> BTreeSet<GraphVersion> {
        self.iter().flat_map(Performer::versions).collect()
    }

    fn roots(&self) -> BTreeSet<GraphVersion> {
        self.iter().flat_map(Performer::roots).collect()
    }

    fn perform(&self, request: Arc<TaskRequest>, link: Arc<dyn TaskLink>) -> Performed {
        let mut unknown = UnknownTask::without_graph(&request);
        for performer in self {
            match performer.perform(Arc::clone(&request), Arc::clone(&link)) {
                Ok(performing) => return Ok(performing),
                Err(error) => unknown = error,
            }
        }
        Err(unknown)
    }
}
