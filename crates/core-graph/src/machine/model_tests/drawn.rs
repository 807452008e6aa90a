//! Random graphs.

use std::collections::BTreeSet;

use proptest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::State;
use crate::error::NodeError;
use crate::graph::{Compiled, StateGraph};
use crate::name::{END, Node, START, Task};
use crate::state::{Log, Snapshot};
use crate::topology::{Mode, Retry};

#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Sum {
    #[state(append)]
    pub(super) notes: Log<String>,
    #[state(add)]
    pub(super) count: u64,
}

/// A graph as drawn: nodes by number, and `NODES + n` for task nodes.
#[derive(Clone, Debug)]
pub(super) struct Drawn {
    pub(super) eager: bool,
    pub(super) start: Vec<usize>,
    pub(super) edges: Vec<(usize, usize)>,
    /// Goes to the target while the count is not a multiple of the divisor.
    pub(super) routes: Vec<(usize, usize, u64)>,
    /// Sends as many keys as the count modulo the divisor, to a task node.
    pub(super) sends: Vec<(usize, usize, u64)>,
    /// Predecessors, target, and whether it is a join of what is reached.
    pub(super) joins: Vec<(Vec<usize>, usize, bool)>,
    pub(super) each: Vec<bool>,
    pub(super) deferred: Vec<bool>,
}

impl Drawn {
    /// Leads START, or a send, to what nothing reaches.
    pub(super) fn reach_all(&mut self) {
        loop {
            let mut reached: BTreeSet<usize> = self.start.iter().copied().collect();
            loop {
                let pairs = self.edges.iter().copied();
                let pairs = pairs.chain(self.routes.iter().map(|(from, to, _)| (*from, *to)));
                let pairs = pairs.chain(self.sends.iter().map(|(from, to, _)| (*from, *to)));
                let joins = self.joins.iter().flat_map(|(from, to, _)| from.iter().map(|from| (*from, *to)));
                let next: Vec<_> =
                    pairs.chain(joins).filter(|(from, _)| reached.contains(from)).map(|(_, to)| to).collect();
                let before = reached.len();
                reached.extend(next);
                if reached.len() == before {
                    break;
                }
            }
            match (0..NODES + TASKS).find(|at| !reached.contains(at)) {
                Some(node) if node < NODES => self.start.push(node),
                Some(task) => self.sends.push((self.start[0], task, 3)),
                None => return,
            }
        }
    }

    /// Eager mode: nodes of several predecessors run once for each.
    pub(super) fn say_how_often(&mut self) {
        for node in 0..NODES {
            let starts = usize::from(self.start.contains(&node));
            let from: Vec<_> = self.edges.iter().filter(|(_, to)| *to == node).map(|(from, _)| *from).collect();
            self.each[node] |= self.eager && (starts + from.len() > 1 || from.iter().any(|from| *from >= NODES));
        }
    }
}

pub(super) const NODES: usize = 5;
pub(super) const TASKS: usize = 2;
pub(super) const NAMES: [&str; NODES + TASKS] = ["a", "b", "c", "d", "e", "s", "t"];

pub(super) fn drawn() -> impl Strategy<Value = Drawn> {
    let node = 0..NODES;
    let either = 0..NODES + TASKS;
    (
        any::<bool>(),
        prop::collection::vec(node.clone(), 1..3),
        prop::collection::vec((either.clone(), node.clone()), 0..7),
        prop::collection::vec((node.clone(), node.clone(), 2..4u64), 0..3),
        prop::collection::vec((either.clone(), NODES..NODES + TASKS, 1..4u64), 0..3),
        prop::collection::vec((prop::collection::btree_set(either, 1..4), node, any::<bool>()), 0..4),
        prop::collection::vec(prop::bool::weighted(0.3), NODES),
        prop::collection::vec(prop::bool::weighted(0.2), NODES),
        prop::bool::weighted(0.2),
    )
        .prop_map(|(eager, start, edges, routes, sends, joins, each, deferred, in_a_row)| {
            let joins =
                joins.into_iter().map(|(from, to, reached)| (from.into_iter().collect(), to, reached)).collect();
            let mut drawn = Drawn { eager, start, edges, routes, sends, joins, each, deferred };
            if in_a_row {
                // Mostly one task at a time, up to what the last node sends.
                (drawn.start, drawn.edges) = (vec![0], (1..NODES).map(|at| (at - 1, at)).collect());
                drawn.sends = (NODES..NODES + TASKS).map(|task| (NODES - 1, task, 3)).collect();
                drawn.joins.clear();
            }
            drawn.joins.retain(|(from, to, _)| from != &[*to]);
            drawn.reach_all();
            drawn.start.sort_unstable();
            drawn.start.dedup();
            drawn.edges.sort_unstable();
            drawn.edges.dedup();
            drawn.say_how_often();
            drawn
        })
}

pub(super) fn compile(drawn: &Drawn) -> Option<Compiled<Sum>> {
    let mut graph = StateGraph::<Sum>::new("drawn");
    graph.mode(if drawn.eager { Mode::Eager } else { Mode::Barrier });
    let node = |at: usize| Node::named(NAMES[at]);
    let task = |at: usize| Task::<u64>::named(NAMES[at]);
    for at in 0..NODES {
        let spec = graph.add_node(node(at), |_: Snapshot<Sum>| async { Ok::<(), NodeError>(()) });
        spec.retry(Retry::immediate(3));
        if drawn.each[at] {
            spec.each();
        }
        if drawn.deferred[at] {
            spec.deferred();
        }
    }
    for at in NODES..NODES + TASKS {
        graph
            .add_task(task(at), |_: u64, _: Snapshot<Sum>| async { Ok::<(), NodeError>(()) })
            .retry(Retry::immediate(3));
    }
    drawn.start.iter().for_each(|to| {
        graph.add_edge(START, node(*to));
    });
    drawn.edges.iter().for_each(|(from, to)| {
        graph.add_edge(node(*from), node(*to));
    });
    for (from, to, divisor) in drawn.routes.iter().copied() {
        let route = move |sum: &Sum| if sum.count.is_multiple_of(divisor) { END } else { Node::named(NAMES[to]) };
        graph.add_conditional_edges(node(from), [node(to), END], route);
    }
    for (from, to, divisor) in drawn.sends.iter().copied() {
        let send = move |sum: &Sum| (0..sum.count % divisor).map(|key| Task::named(NAMES[to]).send(key, key)).collect();
        graph.add_sends(node(from), task(to), send);
    }
    for (from, to, reached) in &drawn.joins {
        let from: Vec<_> = from.iter().map(|at| node(*at)).collect();
        if *reached {
            graph.add_join_reached(from, node(*to));
        } else {
            graph.add_join(from, node(*to));
        }
    }
    graph.compile().ok()
}
