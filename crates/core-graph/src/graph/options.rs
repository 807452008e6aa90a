//! What a caller wants otherwise in a graph that somebody else declares.

use std::any::{Any, type_name};
use std::fmt;
use std::sync::Arc;

use crate::graph::Compiled;
use crate::graph::blueprint::Declared;
use crate::graph::builder::{DeclaredRun, StateGraph};
use crate::graph::compile::Checks;
use crate::graph::errors::CompileError;
use crate::handler::{Handler, NodeFn, TaskHandler};
use crate::name::{Name, Node, Targets, Task};
use crate::state::State;
use crate::timeout::Timeout;
use crate::topology::Retry;

/// What a caller wants otherwise in a graph that somebody else declares: other functions in its nodes, other graphs in
/// its subgraphs, other limits. [`StateGraph::options`] takes it, and [`compile`](StateGraph::compile) refuses what does
/// not fit.
///
/// A node whose function is replaced keeps all that is declared of it: its edges, where it may go and what it may send
/// and ask, its limits, its error handler. Results that the graph keeps of the node ([`StateGraph::add_cache`]) are not
/// used. A graph that replaces another in a subgraph has the same state and gets the same input. Drawings show what is
/// replaced ([`DiagramNode::replaced`](crate::diagram::DiagramNode)). Of two options for the same, the later one holds.
///
/// ```
/// use std::time::Duration;
///
/// use graphloom_core_graph::{
///     CompileErrors, Compiled, GraphOptions, Node, NodeError, Retry, START, Snapshot, State, StateGraph, Timeout,
/// };
/// # use schemars::JsonSchema;
/// # use serde::{Deserialize, Serialize};
///
/// #[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
/// pub struct Letter {
///     text: String,
/// }
///
/// pub const WRITE: Node = Node::named("write");
///
/// async fn write(_: Snapshot<Letter>) -> Result<LetterUpdate, NodeError> {
///     Ok(Letter::update().text("Dear all"))
/// }
///
/// /// A ready-made graph, as a library offers it.
/// pub fn graph_with(options: GraphOptions<Letter>) -> Result<Compiled<Letter>, CompileErrors> {
///     let mut graph = StateGraph::new("letter");
///     graph.add_node(WRITE, write).retry(Retry::exponential(2));
///     graph.add_edge(START, WRITE);
///     graph.options(options);
///     graph.compile()
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// async fn greet(_: Snapshot<Letter>) -> Result<LetterUpdate, NodeError> {
///     Ok(Letter::update().text("Dear Anna"))
/// }
///
/// let options = GraphOptions::new().replace(WRITE, greet).timeout(WRITE, Timeout::attempt(Duration::from_secs(5)));
/// let graph = graph_with(options)?;
/// assert!(graph.diagram().nodes.iter().any(|node| node.name == "write" && node.replaced));
/// let letter = graph.run_once(Letter::update()).await?.done().map_err(|other| format!("{other:?}"))?;
/// assert_eq!(letter.text, "Dear Anna");
///
/// let error = graph_with(GraphOptions::new().replace(Node::named("wirte"), greet)).unwrap_err();
/// assert!(error.to_string().contains("the option `replace` names `wirte`, which is no node; nodes: `write`"));
/// # Ok(())
/// # }
/// ```
pub struct GraphOptions<S: State, Cx = ()> {
    changes: Vec<(Name, Change<S, Cx>)>,
}

/// One change of a node.
enum Change<S: State, Cx> {
    /// Another function in a node.
    Node(Arc<dyn NodeFn<S, Cx>>),
    /// Another function in a task node.
    Task(Arc<dyn NodeFn<S, Cx>>),
    /// Another graph in a subgraph: a [`Compiled`] of any type, and which.
    Graph(Arc<dyn Any + Send + Sync>, &'static str),
    Retry(Retry),
    Timeout(Timeout),
    /// The concurrency class that the node shares with those of the same option, and its limit.
    Concurrency(String, usize),
}

impl<S: State, Cx: Send + Sync + 'static> GraphOptions<S, Cx> {
    /// Nothing is otherwise.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs another function in the place of the node's own, or of the graph inside it.
    #[must_use]
    pub fn replace<M>(self, node: Node, run: impl Handler<M, S, Cx, Future: Send>) -> Self {
        self.and(node, Change::Node(run.into_node()))
    }

    /// Runs another function in the place of a task node's own, or of the graph inside it.
    #[must_use]
    pub fn replace_task<M, I>(self, node: Task<I>, run: impl TaskHandler<M, I, S, Cx, Future: Send>) -> Self {
        self.and(node, Change::Task(run.into_node()))
    }

    /// Runs another graph over the same state in a subgraph. It gets the same input, and the same is made of its result.
    #[must_use]
    pub fn replace_graph<C, Ccx>(self, node: impl Into<Node>, graph: Compiled<C, Ccx>) -> Self
    where
        C: State,
        Ccx: Send + Sync + 'static,
    {
        self.and(node, Change::Graph(Arc::new(graph), type_name::<Compiled<C, Ccx>>()))
    }

    /// Repeats failed attempts of a node so, see [`NodeSpec::retry`](crate::NodeSpec::retry).
    #[must_use]
    pub fn retry(self, node: impl Into<Node>, retry: Retry) -> Self {
        self.and(node, Change::Retry(retry))
    }

    /// Limits how long one attempt of a node may take.
    #[must_use]
    pub fn timeout(self, node: impl Into<Node>, timeout: Timeout) -> Self {
        self.and(node, Change::Timeout(timeout))
    }

    /// Runs at most `limit` tasks of these nodes at the same time, counted together.
    #[must_use]
    pub fn concurrency(mut self, nodes: impl Targets, limit: usize) -> Self {
        let nodes = nodes.names();
        let class = nodes.iter().map(Name::as_str).collect::<Vec<_>>().join("+");
        self.changes.extend(nodes.into_iter().map(|node| (node, Change::Concurrency(class.clone(), limit))));
        self
    }

    /// How failed attempts of a node are repeated by these options, for graphs whose nodes count their attempts.
    pub fn retry_of(&self, node: &Node) -> Option<&Retry> {
        self.changes.iter().rev().find_map(|(name, change)| match change {
            Change::Retry(retry) if name.as_str() == node.as_str() => Some(retry),
            _ => None,
        })
    }

    fn and(mut self, node: impl Into<Node>, change: Change<S, Cx>) -> Self {
        self.changes.push((node.into().into_name(), change));
        self
    }
}

impl<S: State, Cx: Send + Sync + 'static> StateGraph<S, Cx> {
    /// Takes what a caller wants otherwise, wherever it stands among the declarations. Given twice, the later option for
    /// the same holds.
    pub fn options(&mut self, options: GraphOptions<S, Cx>) -> &mut Self {
        self.options.changes.extend(options.changes);
        self
    }
}

impl<S: State, Cx: Send + Sync + 'static> StateGraph<S, Cx> {
    /// Changes the declared nodes as the options say.
    pub(super) fn take_options(&mut self, checks: &mut Checks) {
        for (name, change) in std::mem::take(&mut self.options.changes) {
            let option = change.name();
            let Some(at) = checks.find(&name, &|| format!("the option `{option}`")) else { continue };
            let Some(node) = self.blueprint.nodes.get_mut(at as usize) else { continue };
            if let Change::Concurrency(class, limit) = &change {
                self.blueprint.limits.retain(|(name, _)| name != class);
                self.blueprint.limits.push((class.clone(), *limit));
            }
            if let Err(reason) = change.apply(node, &mut self.runs[node.run]) {
                checks.errors.push(CompileError::BadOption { option, node: name.to_string(), reason });
            }
        }
    }
}

impl<S: State, Cx> Change<S, Cx> {
    /// The name of the option: the method of [`GraphOptions`] that makes it.
    fn name(&self) -> &'static str {
        match self {
            Self::Node(_) => "replace",
            Self::Task(_) => "replace_task",
            Self::Graph(..) => "replace_graph",
            Self::Retry(_) => "retry",
            Self::Timeout(_) => "timeout",
            Self::Concurrency(..) => "concurrency",
        }
    }
}

impl<S: State, Cx: Send + Sync + 'static> Change<S, Cx> {
    /// Changes a node; the error says why the change does not fit.
    fn apply(self, node: &mut Declared, place: &mut DeclaredRun<S, Cx>) -> Result<(), String> {
        match self {
            Self::Node(_) if node.is_task => {
                return Err("it is a task node and gets an input; use `replace_task`".to_owned());
            }
            Self::Task(_) if !node.is_task => return Err("it is no task node; use `replace`".to_owned()),
            Self::Node(run) | Self::Task(run) => {
                (node.child, node.replaced) = (None, true);
                *place = DeclaredRun { run, with: None };
            }
            Self::Graph(graph, given) => {
                let (Some(child), Some(with)) = (&mut node.child, &place.with) else {
                    return Err("it holds no graph; use `replace`".to_owned());
                };
                let Some((run, inner)) = with(&*graph) else {
                    return Err(format!("it holds a `{}`, not a `{given}`", child.type_name));
                };
                (*child, node.replaced, place.run) = (inner, true, run);
            }
            Self::Retry(retry) => node.spec.node.retry = vec![retry],
            Self::Timeout(timeout) => node.spec.node.timeout = Some(timeout),
            Self::Concurrency(_, 0) => return Err("a limit is at least 1".to_owned()),
            Self::Concurrency(class, _) => node.spec.node.class = Some(class),
        }
        Ok(())
    }
}

impl<S: State, Cx> Default for GraphOptions<S, Cx> {
    fn default() -> Self {
        Self { changes: Vec::new() }
    }
}

impl<S: State, Cx> Clone for GraphOptions<S, Cx> {
    fn clone(&self) -> Self {
        Self { changes: self.changes.clone() }
    }
}

impl<S: State, Cx> Clone for Change<S, Cx> {
    fn clone(&self) -> Self {
        match self {
            Self::Node(run) => Self::Node(Arc::clone(run)),
            Self::Task(run) => Self::Task(Arc::clone(run)),
            Self::Graph(graph, given) => Self::Graph(Arc::clone(graph), given),
            Self::Retry(retry) => Self::Retry(retry.clone()),
            Self::Timeout(timeout) => Self::Timeout(*timeout),
            Self::Concurrency(class, limit) => Self::Concurrency(class.clone(), *limit),
        }
    }
}

impl<S: State, Cx> fmt::Debug for GraphOptions<S, Cx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.changes.iter().map(|(node, change)| format!("{} `{node}`", change.name()))).finish()
    }
}
