//! A graph performs tasks that another process drives: with its resources, or with those of each run.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::App;
use crate::error::NodeError;
use crate::graph::Compiled;
use crate::remote::{GraphVersion, Performed, Performer, TaskLink, TaskReply, TaskRequest};
use crate::state::State;

impl<S: State, Cx: Send + Sync + 'static> Performer for App<S, Cx> {
    fn versions(&self) -> BTreeSet<GraphVersion> {
        self.graph.versions()
    }

    fn roots(&self) -> BTreeSet<GraphVersion> {
        BTreeSet::from([self.graph.version()])
    }

    fn perform(&self, request: Arc<TaskRequest>, link: Arc<dyn TaskLink>) -> Performed {
        self.graph.perform(request, Arc::clone(&self.resources), link)
    }
}

/// A graph whose resources are made for each task, of the context of its run.
struct PerRun<S: State, Cx, M> {
    graph: Compiled<S, Cx>,
    make: M,
}

impl<S: State, Cx: Send + Sync + 'static> Compiled<S, Cx> {
    /// What a worker has of this graph where its resources differ from run to run: they are made of the context that a run was
    /// given, which its tasks carry, see [`WithContext`](crate::remote::WithContext). It is null where they carry none. A
    /// context of which none can be made fails its task.
    pub fn performer_per_run(
        &self,
        make: impl Fn(&Value) -> Result<Cx, NodeError> + Send + Sync + 'static,
    ) -> impl Performer {
        PerRun { graph: self.clone(), make }
    }
}

impl<S, Cx, M> Performer for PerRun<S, Cx, M>
where
    S: State,
    Cx: Send + Sync + 'static,
    M: Fn(&Value) -> Result<Cx, NodeError> + Send + Sync + 'static,
{
    fn versions(&self) -> BTreeSet<GraphVersion> {
        self.graph.versions()
    }

    fn roots(&self) -> BTreeSet<GraphVersion> {
        BTreeSet::from([self.graph.version()])
    }

    fn perform(&self, request: Arc<TaskRequest>, link: Arc<dyn TaskLink>) -> Performed {
        self.graph.check_place(&request)?;
        match (self.make)(request.context.as_ref().unwrap_or(&Value::Null)) {
            Ok(resources) => self.graph.perform(request, Arc::new(resources), link),
            Err(error) => {
                let reply = TaskReply::failed(request.execution, &error);
                Ok(Box::pin(async { reply }))
            }
        }
    }
}
