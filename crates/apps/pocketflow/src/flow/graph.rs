//! Flows: nodes and labelled edges, built into a graph.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use graphloom_core_graph::{
    App, END, Log, Node, NodeError, Outcome, RunPolicy, START, Snapshot, State, StateGraph, Step,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::batch::{Batch, BatchWork};
use super::each::{BatchFlow, ForEach, FromFunction};
use super::error::FlowError;
use super::work::{Label, Params, Runnable, Single, Store, Work};

/// A run has at most this many steps unless stated otherwise.
const MAX_STEPS: u64 = 10_000;

/// A node's place in a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(usize);

/// Nodes and labelled edges.
pub struct Flow {
    name: String,
    nodes: Vec<(String, Arc<dyn Runnable>)>,
    edges: BTreeMap<(Place, Label), Place>,
    doubled: Option<(Place, Label)>,
    start: Option<Place>,
    params: Params,
    max_steps: u64,
}

/// The state of a flow's graph.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct FlowState {
    /// What the nodes share.
    pub shared: Store,
    /// What the flow was called with.
    pub params: Params,
    /// The label of the node before.
    pub label: Option<Label>,
    /// The nodes that ran, in order.
    #[state(append)]
    pub path: Log<String>,
    /// What was noticed.
    #[state(append)]
    pub notes: Log<String>,
    /// What runs at once set differently.
    #[state(append)]
    #[serde(default)]
    pub conflicts: Log<String>,
}

/// A flow that can run. It is a node of other flows, see [`Flow::add_flow`].
#[derive(Clone)]
pub struct BuiltFlow {
    name: Arc<str>,
    app: App<FlowState, ()>,
    params: Params,
    max_steps: u64,
}

/// How a run of a flow ended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FlowResult {
    /// What the nodes shared.
    pub shared: Store,
    /// The last label.
    pub label: Label,
    /// The nodes that ran, in order.
    pub path: Vec<String>,
    /// What was noticed.
    pub notes: Vec<String>,
}

impl Flow {
    /// A flow without nodes.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            nodes: Vec::new(),
            edges: BTreeMap::new(),
            doubled: None,
            start: None,
            params: Params::new(),
            max_steps: MAX_STEPS,
        }
    }

    /// Adds a node.
    pub fn add(&mut self, name: impl Into<String>, work: impl Work) -> Place {
        self.place(name.into(), Arc::new(Single(work)))
    }

    /// Adds a node that does the same for every item of a list.
    pub fn add_batch(&mut self, name: impl Into<String>, work: impl BatchWork) -> Place {
        self.place(name.into(), Arc::new(Batch(work)))
    }

    /// Adds a flow as a node. Its label is that of its last node.
    pub fn add_flow(&mut self, name: impl Into<String>, flow: BuiltFlow) -> Place {
        self.place(name.into(), Arc::new(flow))
    }

    /// Adds a flow that runs once for each set of parameters, one after the other, on the same store.
    pub fn add_for_each(
        &mut self,
        name: impl Into<String>,
        flow: BuiltFlow,
        each: impl Fn(&Store, &Params) -> Result<Vec<Params>, NodeError> + Send + Sync + 'static,
    ) -> Place {
        self.add_batch_flow(name, flow, FromFunction(each))
    }

    /// Adds a flow that runs once for each set of parameters, see [`BatchFlow`].
    pub fn add_batch_flow(&mut self, name: impl Into<String>, flow: BuiltFlow, batch: impl BatchFlow) -> Place {
        self.place(name.into(), Arc::new(ForEach { flow, batch }))
    }

    fn place(&mut self, name: String, node: Arc<dyn Runnable>) -> Place {
        self.nodes.push((name, node));
        Place(self.nodes.len() - 1)
    }

    /// Names the first node.
    pub fn start(&mut self, place: Place) -> &mut Self {
        self.start = Some(place);
        self
    }

    /// After `from`, `to` runs, unless `from` answers with a label of its own.
    pub fn then(&mut self, from: Place, to: Place) -> &mut Self {
        self.on(from, Label::DEFAULT, to)
    }

    /// After `from` has answered with a label, `to` runs.
    pub fn on(&mut self, from: Place, label: impl Into<Label>, to: Place) -> &mut Self {
        let label = label.into();
        if self.edges.insert((from, label.clone()), to).is_some() {
            self.doubled.get_or_insert((from, label));
        }
        self
    }

    /// Sets parameters for all nodes. Those of a call win over them.
    pub fn params(&mut self, params: Params) -> &mut Self {
        self.params = params;
        self
    }

    /// Limits the steps of a run; 10 000 unless set.
    pub fn max_steps(&mut self, steps: u64) -> &mut Self {
        self.max_steps = steps;
        self
    }

    /// Builds the flow.
    ///
    /// # Errors
    /// No start, two successors under one label, and what the graph refuses: two nodes of one name, nodes that cannot
    /// be reached.
    pub fn build(self) -> Result<BuiltFlow, FlowError> {
        let Self { name, nodes, edges, doubled, start, params, max_steps } = self;
        if let Some((place, label)) = doubled {
            let node = nodes[place.0].0.clone();
            return Err(FlowError::TwoSuccessors { flow: name, node, label: label.to_string() });
        }
        let Some(start) = start else { return Err(FlowError::NoStart { flow: name }) };
        let keys: Vec<Node> = nodes.iter().map(|(node, _)| Node::owned(node.as_str())).collect();
        let mut graph = StateGraph::<FlowState>::new(name.clone());
        for (at, (node, runnable)) in nodes.into_iter().enumerate() {
            let successors: BTreeMap<Label, Node> = edges
                .iter()
                .filter(|((from, _), _)| from.0 == at)
                .map(|((_, label), to)| (label.clone(), keys[to.0].clone()))
                .collect();
            let mut targets: Vec<Node> = successors.values().cloned().collect();
            targets.push(END);
            let visit = Arc::new(Visit { node, runnable, successors });
            let handler = move |state: Snapshot<FlowState>| {
                let visit = Arc::clone(&visit);
                async move { visit.run(&state).await }
            };
            graph.add_node(keys[at].clone(), handler).may_goto(targets);
        }
        graph.add_edge(START, keys[start.0].clone());
        let compiled = graph.compile().map_err(|source| FlowError::Graph { flow: name.clone(), source })?;
        Ok(BuiltFlow { name: name.into(), app: compiled.with_context(()), params, max_steps })
    }
}

/// A node with what follows it.
struct Visit {
    node: String,
    runnable: Arc<dyn Runnable>,
    successors: BTreeMap<Label, Node>,
}

impl Visit {
    async fn run(&self, state: &FlowState) -> Result<Step<FlowState>, NodeError> {
        let mut shared = state.shared.clone();
        let mut conflicts = Vec::new();
        let label = self.runnable.run(&mut shared, &state.params, &mut conflicts).await?;
        let mut update = FlowState::update().shared(shared).path([self.node.clone()]).label(label.clone());
        if !conflicts.is_empty() {
            update = update.conflicts(conflicts);
        }
        let next = self.successors.get(&label).cloned();
        if next.is_none() && !self.successors.is_empty() {
            let known: Vec<String> = self.successors.keys().map(|label| format!("`{label}`")).collect();
            let note = format!("`{}` answered `{label}`, which has no edge; edges: {}", self.node, known.join(", "));
            update = update.notes([note]);
        }
        let step = Step::update(update);
        Ok(step.and_goto(next.unwrap_or(END)))
    }
}

impl BuiltFlow {
    /// Runs the flow on a store of shared values.
    ///
    /// # Errors
    /// The error of a node that nothing took over; the limit of steps.
    pub async fn run(&self, shared: Store) -> Result<FlowResult, FlowError> {
        self.run_with(shared, Params::new()).await
    }

    /// Runs the flow with parameters, which win over the flow's own. Errors as for [`BuiltFlow::run`].
    pub async fn run_with(&self, shared: Store, params: Params) -> Result<FlowResult, FlowError> {
        let state = self.state_of(shared, params).await?;
        Ok(FlowResult {
            shared: state.shared.clone(),
            label: state.label.clone().unwrap_or_default(),
            path: state.path.iter().cloned().collect(),
            notes: state.notes.iter().chain(state.conflicts.iter()).cloned().collect(),
        })
    }

    /// The last state of a run.
    async fn state_of(&self, shared: Store, params: Params) -> Result<Arc<FlowState>, FlowError> {
        let mut merged = self.params.clone();
        merged.extend(params);
        let input = FlowState::update().shared(shared).params(merged);
        let policy = RunPolicy::default().max_steps(self.max_steps);
        let outcome = self.app.run_once_with(input, policy).await;
        match outcome.map_err(|source| FlowError::Run { flow: self.name.to_string(), source })? {
            Outcome::Done(state) => Ok(state),
            _ => Err(FlowError::Stopped { flow: self.name.to_string() }),
        }
    }

    /// The graph, to run it on a checkpointer.
    pub fn app(&self) -> &App<FlowState, ()> {
        &self.app
    }
}

#[async_trait]
impl Runnable for BuiltFlow {
    async fn run(&self, shared: &mut Store, params: &Params, conflicts: &mut Vec<String>) -> Result<Label, NodeError> {
        let ended = self.state_of(shared.clone(), params.clone()).await.map_err(NodeError::terminal)?;
        shared.clone_from(&ended.shared);
        conflicts.extend(ended.conflicts.iter().cloned());
        Ok(ended.label.clone().unwrap_or_default())
    }
}

impl fmt::Debug for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes: Vec<&str> = self.nodes.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Flow").field("name", &self.name).field("nodes", &nodes).finish_non_exhaustive()
    }
}

impl fmt::Debug for BuiltFlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BuiltFlow").field("name", &self.name).finish_non_exhaustive()
    }
}
