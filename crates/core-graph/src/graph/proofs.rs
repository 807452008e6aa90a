//! The proofs of `compile()`: reachability, loops, joins, parallel writers, and what eager mode needs to know.

use std::collections::BTreeSet;

use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;
use petgraph::visit::Dfs;

use crate::graph::blueprint::{Blueprint, Declared};
use crate::graph::compile::{Checks, ENTRY};
use crate::graph::errors::{CompileError, CompileWarning};
use crate::state::FieldKind;
use crate::topology::{Exits, Join, Mode, NodeIndex, Persistence};

impl Checks {
    pub(super) fn reach(&mut self, graph: &Blueprint, start: &Exits, exits: &[Exits], joins: &[Join]) {
        let mut all = DiGraphMap::<NodeIndex, ()>::new();
        let mut certain = DiGraphMap::<NodeIndex, ()>::new();
        let mut leaves = BTreeSet::new();
        all.add_node(ENTRY);
        certain.add_node(ENTRY);
        let goto = |at: NodeIndex| graph.nodes[at as usize].spec.goto.iter();
        for (from, exits) in std::iter::once((ENTRY, start)).chain((0..).zip(exits)) {
            for to in &exits.edges {
                all.add_edge(from, *to, ());
                certain.add_edge(from, *to, ());
            }
            for conditional in &exits.conditionals {
                for to in &conditional.targets {
                    all.add_edge(from, *to, ());
                }
                if conditional.may_end {
                    leaves.insert(from);
                }
            }
            for rule in &exits.sends {
                rule.targets.iter().for_each(|to| {
                    all.add_edge(from, *to, ());
                    certain.add_edge(from, *to, ());
                });
                leaves.insert(from);
            }
            if from == ENTRY {
                continue;
            }
            for name in goto(from).chain(&graph.nodes[from as usize].spec.sends) {
                match self.index.get(name) {
                    Some(to) => {
                        all.add_edge(from, *to, ());
                    }
                    None => {
                        leaves.insert(from);
                    }
                }
            }
        }
        for join in joins {
            for from in &join.predecessors {
                all.add_edge(*from, join.target, ());
            }
        }
        let reached = visited(&all);
        for (node, at) in graph.nodes.iter().zip(0..) {
            if !reached.contains(&at) {
                self.errors.push(CompileError::Unreachable { name: node.name.to_string() });
            }
        }
        let certainly = visited(&certain);
        let name = |at: NodeIndex| graph.nodes[at as usize].name.to_string();
        for join in joins.iter().filter(|join| join.upstream.is_none()) {
            for predecessor in join.predecessors.iter().filter(|at| **at != ENTRY && reached.contains(at)) {
                if !certainly.contains(predecessor) {
                    let (target, predecessor) = (name(join.target), name(*predecessor));
                    self.warnings.push(CompileWarning::JoinMayStarve { target, predecessor });
                }
            }
        }
        // Not the one of Tarjan, which recurses: a long chain would overflow the stack.
        for mut component in kosaraju_scc(&all) {
            let is_loop = component.len() > 1 || component.iter().any(|at| all.contains_edge(*at, *at));
            let exit =
                component.iter().any(|at| leaves.contains(at) || all.neighbors(*at).any(|to| !component.contains(&to)));
            if is_loop && !exit {
                component.sort_unstable();
                let nodes: Vec<_> = component.into_iter().map(|at| format!("`{}`", name(at))).collect();
                self.warnings.push(CompileWarning::EndlessLoop { nodes: nodes.join(", ") });
            }
        }
    }

    /// Successors of one node by plain edges run in the same super-step.
    pub(super) fn writers(&mut self, graph: &Blueprint, start: &Exits, exits: &[Exits]) {
        let fields = &graph.fields;
        for node in &graph.nodes {
            for field in node.spec.writes.iter().flatten() {
                if !fields.iter().any(|known| known.name == *field) {
                    let known: Vec<_> = fields.iter().map(|field| format!("`{}`", field.name)).collect();
                    let (node, field, known) = (node.name.to_string(), field.clone(), known.join(", "));
                    self.errors.push(CompileError::UnknownField { node, field, known });
                }
            }
        }
        let last: BTreeSet<&str> =
            fields.iter().filter(|field| field.kind == FieldKind::Last).map(|field| &*field.name).collect();
        let mut found = BTreeSet::new();
        for exits in std::iter::once(start).chain(exits) {
            for (at, first) in exits.edges.iter().enumerate() {
                for second in &exits.edges[at + 1..] {
                    let (first, second) = (&graph.nodes[*first as usize], &graph.nodes[*second as usize]);
                    let of =
                        |node: &Declared| -> BTreeSet<String> { node.spec.writes.iter().flatten().cloned().collect() };
                    for field in of(first).intersection(&of(second)).filter(|field| last.contains(field.as_str())) {
                        found.insert((field.clone(), first.name.to_string(), second.name.to_string()));
                    }
                }
            }
        }
        self.errors.extend(found.into_iter().map(|(field, first, second)| CompileError::ParallelWriters {
            field,
            first,
            second,
        }));
    }

    pub(super) fn eager(&mut self, graph: &Blueprint, start: &Exits, exits: &[Exits], joins: &[Join]) {
        if graph.mode == Mode::Barrier {
            return;
        }
        if graph.step_timeout.is_some() {
            self.errors.push(CompileError::StepTimeoutInEager);
        }
        for field in graph.fields.iter().filter(|field| field.ephemeral) {
            self.errors.push(CompileError::EphemeralInEager { field: field.name.to_string() });
        }
        for (node, at) in graph.nodes.iter().zip(0..) {
            let from: Vec<_> =
                std::iter::once((ENTRY, start))
                    .chain((0..).zip(exits))
                    .filter(|(_, exits)| exits.edges.contains(&at))
                    .map(|(from, _)| {
                        if from == ENTRY {
                            "START".to_owned()
                        } else {
                            format!("`{}`", graph.nodes[from as usize].name)
                        }
                    })
                    .collect();
            let from_task =
                (0..).zip(exits).any(|(from, exits)| exits.edges.contains(&at) && self.tasks.contains(&from));
            let joined = joins.iter().any(|join| join.target == at);
            if (from.len() > 1 || from_task) && !joined && !node.spec.each {
                let (node, predecessors) = (node.name.to_string(), from.join(", "));
                self.errors.push(CompileError::AmbiguousInEager { node, predecessors });
            }
        }
    }

    pub(super) fn classes(&mut self, graph: &Blueprint) {
        for node in &graph.nodes {
            let Some(class) = &node.spec.class else { continue };
            if !graph.limits.iter().any(|(name, limit)| name == class && *limit > 0) {
                let (node, class) = (node.name.to_string(), class.clone());
                self.errors.push(CompileError::UnlimitedClass { node, class });
            }
        }
    }
}

impl Checks {
    /// A subgraph that stores nothing holds nothing that has to be found again.
    pub(super) fn stateless(&mut self, graph: &Blueprint) {
        for declared in graph.nodes.iter().filter(|node| node.spec.persistence == Persistence::Stateless) {
            let Some(inside) = declared.child.as_ref().map(|inner| &inner.outline) else { continue };
            let node = || declared.name.to_string();
            if let Some((asking, key)) = inside.first_ask() {
                self.errors.push(CompileError::StatelessAsks { node: node(), asking, key });
            }
            if let Some(kept) = inside.first_kept() {
                self.errors.push(CompileError::StatelessKeeps { node: node(), kept });
            }
        }
    }
}

fn visited(graph: &DiGraphMap<NodeIndex, ()>) -> BTreeSet<NodeIndex> {
    let mut seen = BTreeSet::new();
    let mut search = Dfs::new(graph, ENTRY);
    while let Some(at) = search.next(graph) {
        seen.insert(at);
    }
    seen
}
