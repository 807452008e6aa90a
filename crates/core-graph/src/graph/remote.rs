//! A graph whose tasks are executed elsewhere, and a graph that executes them.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::executor::elsewhere::Elsewhere;
use crate::executor::perform::perform;
use crate::graph::Compiled;
use crate::handler::NodeFn;
use crate::remote::{Executor, GraphVersion, NodePlace, NotPortable, Performed, TaskLink, TaskRequest, UnknownTask};
use crate::state::{State, Stored};
use crate::topology::{ExecutableGraph, NodeIndex, NodeRun, Outline};

impl<S: State, Cx: Send + Sync + 'static> Compiled<S, Cx> {
    /// The same graph, whose tasks an executor takes, those of the graphs inside too. Runs of it plan, commit and ask as runs of
    /// this one do; only the functions of nodes are called elsewhere, by [`perform`](Self::perform) of this graph in the process
    /// of a worker. What differs is what cannot be carried: an error of a node comes as its text, and events come as JSON.
    ///
    /// # Errors
    /// The state of the graph, or of one inside, has a field that is never stored.
    pub fn executed_by(&self, executor: impl Executor) -> Result<Self, NotPortable> {
        let executor: Arc<dyn Executor> = Arc::new(executor);
        self.executed_within(&executor, &[])
    }

    /// The same for a graph inside, where these graphs and nodes lead.
    pub(super) fn executed_within(
        &self,
        executor: &Arc<dyn Executor>,
        around: &[NodePlace],
    ) -> Result<Self, NotPortable> {
        let topology = &self.executable.topology;
        if let Some(field) = S::fields(&topology.layout).iter().find(|field| field.stored == Stored::Never) {
            return Err(NotPortable { graph: topology.name.clone(), field: field.name.to_string() });
        }
        let run_of = |(node, own): (_, &NodeRun<S, Cx>)| {
            let place: Arc<[NodePlace]> = [around, &[node_place(&topology.outline, node)]].concat().into();
            let sent = |handles_failure| -> Arc<dyn NodeFn<S, Cx>> {
                let (executor, topology, place) = (Arc::clone(executor), Arc::clone(topology), Arc::clone(&place));
                let class = topology.find(node).and_then(|node| topology.outline.class_of(node)).map(Into::into);
                Arc::new(Elsewhere { executor, topology, place, class, handles_failure })
            };
            let inside = own.run.innermost().executed_by(executor, &place).transpose()?;
            let run = put_inside(&own.run, inside.unwrap_or_else(|| sent(false)));
            let on_error = own.on_error.as_ref().map(|_| sent(true));
            Ok(NodeRun { run, on_error })
        };
        let nodes = topology.nodes.iter().map(|node| node.name.as_str());
        let handlers = nodes.zip(&*self.executable.handlers).map(run_of).collect::<Result<_, _>>()?;
        Ok(self.with_handlers(ExecutableGraph { topology: Arc::clone(topology), handlers }))
    }

    /// This graph and those inside, each in its version: what a worker with this graph has.
    pub fn versions(&self) -> BTreeSet<GraphVersion> {
        let inside = self.executable.handlers.iter().flat_map(|own| own.run.innermost().graphs_inside());
        inside.chain([self.version()]).collect()
    }

    /// This graph in its version, without those inside.
    pub(crate) fn version(&self) -> GraphVersion {
        node_place(&self.executable.topology.outline, "").graph_version()
    }

    /// Executes a task of this graph that another process drives. What the task needs of that process it gets over `link`. The
    /// returned future is dropped to stop it.
    ///
    /// # Errors
    /// A task of another graph, or of another version.
    pub fn perform(
        &self,
        request: impl Into<Arc<TaskRequest>>,
        resources: Arc<Cx>,
        link: Arc<dyn TaskLink>,
    ) -> Performed {
        self.perform_at(request.into(), 0, resources, link)
    }

    /// Whether a task is of this graph, or of one inside of it.
    ///
    /// # Errors
    /// It is of another graph, or of another version.
    pub(crate) fn check_place(&self, request: &TaskRequest) -> Result<(), UnknownTask> {
        self.node_at(request, 0).map(drop)
    }

    /// The node of this graph on the way to a task, where so many graphs are around this one.
    fn node_at(&self, request: &TaskRequest, depth: usize) -> Result<NodeIndex, UnknownTask> {
        let topology = &self.executable.topology;
        let wanted = self.wanted(request, depth);
        let known = node_place(&topology.outline, &wanted.node);
        let node = topology.find(&wanted.node);
        node.filter(|_| wanted == known).ok_or_else(|| {
            let NodePlace { graph, version, state_version, .. } = known;
            let has = if node.is_some() { "" } else { ", without that node" };
            let known = format!("graph `{graph}` in version {version} (state {state_version}){has}");
            UnknownTask::new(&wanted, known)
        })
    }

    /// What a task asks of this graph, where so many graphs are around it: nothing that it has, where the task is of a graph
    /// around it.
    fn wanted(&self, request: &TaskRequest, depth: usize) -> NodePlace {
        request.place.get(depth).cloned().unwrap_or_else(|| node_place(&self.executable.topology.outline, ""))
    }

    /// The same for a graph that so many graphs are around.
    pub(super) fn perform_at(
        &self,
        request: Arc<TaskRequest>,
        depth: usize,
        resources: Arc<Cx>,
        link: Arc<dyn TaskLink>,
    ) -> Performed {
        let node = self.node_at(&request, depth)?;
        let own = &self.executable.handlers[node as usize];
        if depth + 1 == request.place.len() {
            if request.handles_failure && own.on_error.is_none() {
                return Err(UnknownTask::new(&self.wanted(&request, depth), "no error handler of that node"));
            }
            return Ok(Box::pin(perform(self.executable.clone(), node, request, resources, link)));
        }
        let inside = own.run.innermost().perform_inside(Arc::clone(&request), depth + 1, &resources, link);
        inside.unwrap_or_else(|| Err(UnknownTask::new(&self.wanted(&request, depth), "no graph inside of it")))
    }
}

/// A node with another one inside of all that is around it.
fn put_inside<S: State, Cx: 'static>(
    node: &Arc<dyn NodeFn<S, Cx>>,
    innermost: Arc<dyn NodeFn<S, Cx>>,
) -> Arc<dyn NodeFn<S, Cx>> {
    match node.inside() {
        Some(inside) => {
            let inside = put_inside(inside, innermost);
            node.around(Arc::clone(&inside)).unwrap_or(inside)
        }
        None => innermost,
    }
}

fn node_place(outline: &Outline, node: &str) -> NodePlace {
    let (graph, node) = (outline.name.clone(), node.to_owned());
    NodePlace { graph, version: outline.version, state_version: outline.state_version, node }
}
