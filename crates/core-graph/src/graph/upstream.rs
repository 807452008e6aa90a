//! For joins of what is reached: from where their predecessors can be reached.

use std::collections::BTreeMap;

use crate::graph::blueprint::Blueprint;
use crate::graph::compile::ENTRY;
use crate::name::Name;
use crate::topology::{Exits, Join, NodeIndex};

/// Tells every join of what is reached the nodes whose unfinished tasks hold it back: its predecessors, and all nodes
/// from which one can be reached by what is declared. A way that leads through the join's target does not count, for
/// the target waits for the join; the target's own tasks do.
pub(super) fn hold_back(graph: &Blueprint, index: &BTreeMap<Name, NodeIndex>, exits: &[Exits], joins: &mut [Join]) {
    if joins.iter().all(|join| join.upstream.is_none()) {
        return;
    }
    let mut before: Vec<Vec<NodeIndex>> = vec![Vec::new(); graph.nodes.len()];
    for (from, (node, exits)) in (0..).zip(graph.nodes.iter().zip(exits)) {
        let declared = node.spec.goto.iter().chain(&node.spec.sends).filter_map(|name| index.get(name));
        let conditional = exits.conditionals.iter().flat_map(|conditional| &conditional.targets);
        let sent = exits.sends.iter().flat_map(|rule| &rule.targets);
        for to in exits.edges.iter().chain(conditional).chain(sent).chain(declared) {
            before[*to as usize].push(from);
        }
    }
    for join in joins.iter() {
        before[join.target as usize].extend(join.predecessors.iter().filter(|at| **at != ENTRY));
    }
    for join in joins {
        let Join { target, predecessors, upstream: Some(upstream) } = join else { continue };
        let mut seen = vec![false; before.len()];
        let mut open: Vec<NodeIndex> = predecessors.iter().copied().filter(|at| *at != ENTRY).collect();
        while let Some(at) = open.pop() {
            let passes = at != *target || predecessors.contains(target);
            if !std::mem::replace(&mut seen[at as usize], true) && passes {
                open.extend_from_slice(&before[at as usize]);
            }
        }
        *upstream = seen.into();
    }
}
