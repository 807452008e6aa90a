//! dagrs: a flow graph of channels without a state, and its harness, which commits every super-step.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use dagrs::{
    Action, Content, DagrsResult, DefaultNode, EnvVar, Graph, HarnessRun, InChannels, MemoryRunStore, Node, NodeTable,
    OutChannels, Output, ParticipantId, ParticipantRegistry, ReducerKind, RunConfig, RunDependencies, RunStatus,
    StateDelta, StateKey, StateSchema, StateSnapshot, StepOutcome, StepParticipant, StepTransition, WorkResults,
};
use futures::FutureExt;

use super::check;
use crate::Failure;
use crate::rounds::{CHAIN, Case, SHORT_LOOP, Shape, TASKS};

const BY: &str = "dagrs 0.9.0";

/// Tells the sum of what it hears and of its number.
struct Add(u64);

#[async_trait]
impl Action for Add {
    async fn run(&self, from: &mut InChannels, to: &mut OutChannels, _: Arc<EnvVar>) -> Output {
        let heard = from.map(|content| content.ok().and_then(|content| content.into_inner::<u64>())).await;
        let sum = heard.into_iter().flatten().map(|heard| *heard).sum::<u64>() + self.0;
        to.broadcast(Content::new(sum)).await;
        Output::Out(Some(Content::new(sum)))
    }
}

/// The graph, and the node that has the answer.
fn graph(shape: Shape) -> Result<(Graph, dagrs::NodeId), Failure> {
    let mut table = NodeTable::default();
    let mut graph = Graph::new();
    let mut add = |name: String, number, graph: &mut Graph| {
        let node = DefaultNode::with_action(name, Add(number), &mut table);
        let id = node.id();
        graph.add_node(node).map_err(|error| error.to_string())?;
        Ok::<_, Failure>(id)
    };
    let last = if shape.name == "chain1000" {
        let ids = (0..shape.units).map(|at| add(format!("n{at}"), 1, &mut graph)).collect::<Result<Vec<_>, _>>()?;
        for pair in ids.windows(2) {
            graph.add_edge(pair[0], [pair[1]]).map_err(|error| error.to_string())?;
        }
        ids[ids.len() - 1]
    } else {
        let begin = add("begin".to_owned(), 0, &mut graph)?;
        let last = add("last".to_owned(), 0, &mut graph)?;
        let branches =
            (0..shape.units).map(|at| add(format!("b{at}"), at, &mut graph)).collect::<Result<Vec<_>, _>>()?;
        graph.add_edge(begin, branches.clone()).map_err(|error| error.to_string())?;
        for branch in branches {
            graph.add_edge(branch, [last]).map_err(|error| error.to_string())?;
        }
        last
    };
    graph.set_env(EnvVar::new(table));
    Ok((graph, last))
}

/// Adds one, and names who is next.
struct Tick {
    id: ParticipantId,
    next: Option<ParticipantId>,
    until: Option<u64>,
    n: StateKey<u64>,
    /// The newest count, for the check of the answer: a report has no state.
    told: Arc<AtomicU64>,
}

#[async_trait]
impl StepParticipant for Tick {
    fn id(&self) -> ParticipantId {
        self.id.clone()
    }

    fn read_keys(&self) -> BTreeSet<String> {
        ["n".to_owned()].into()
    }

    fn write_keys(&self) -> BTreeSet<String> {
        ["n".to_owned()].into()
    }

    async fn run(&self, state: StateSnapshot, _: WorkResults) -> DagrsResult<StepOutcome> {
        let n = state.get(&self.n)?.unwrap_or(0) + 1;
        self.told.store(n, Ordering::Relaxed);
        let mut delta = StateDelta::new();
        delta.set(&self.n, n)?;
        let next = match (&self.next, self.until) {
            (Some(next), None) => StepTransition::continue_with([next.clone()]),
            (Some(next), Some(until)) if n < until => StepTransition::continue_with([next.clone()]),
            _ => StepTransition::finish(),
        };
        Ok(StepOutcome::new(delta, Vec::new(), next))
    }
}

fn harness(shape: Shape) -> Result<(RunDependencies, ParticipantId, Arc<AtomicU64>), Failure> {
    let told = Arc::new(AtomicU64::new(0));
    let mut schema = StateSchema::new(1)?;
    let n = schema.register_key::<u64>("n", 1, ReducerKind::Overwrite)?;
    let registry = ParticipantRegistry::new();
    let name = |at| ParticipantId::new(format!("n{at}"));
    let nodes = if shape.name == "chain1000" { shape.units } else { 1 };
    for at in 0..nodes {
        let (next, until) = match shape.name {
            "chain1000" if at + 1 == nodes => (None, None),
            "chain1000" => (Some(name(at + 1)?), None),
            _ => (Some(name(0)?), Some(shape.units)),
        };
        registry.register(Tick { id: name(at)?, next, until, n: n.clone(), told: Arc::clone(&told) })?;
    }
    let state = schema.empty_state();
    let dependencies = RunDependencies::new(registry, Arc::new(MemoryRunStore::new()), schema, state)?;
    Ok((dependencies, name(0)?, told))
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for shape in [CHAIN, TASKS] {
        let right = if shape.name == "tasks100" { 4_950 } else { shape.units };
        cases.push(Case::new(BY, shape, "none", async move {
            Ok(move |_| {
                let made = graph(shape);
                async move {
                    let (mut graph, last) = made?;
                    graph.async_start().await.map_err(|error| format!("{error:?}"))?;
                    let found = graph.get_results::<u64>().get(&last).cloned().flatten();
                    check(found.map(|found| *found), Some(right))
                }
                .boxed()
            })
        }));
    }
    for shape in [CHAIN, SHORT_LOOP] {
        cases.push(Case::new(BY, shape, "memory", async move {
            Ok(move |_| {
                let made = harness(shape);
                async move {
                    let (dependencies, first, told) = made?;
                    let config = RunConfig::new().with_max_super_steps(2_000);
                    let report = HarnessRun::start(config, [first], dependencies).await?;
                    check(report.status, RunStatus::Succeeded)?;
                    check(told.load(Ordering::Relaxed), shape.units)
                }
                .boxed()
            })
        }));
    }
    cases
}
