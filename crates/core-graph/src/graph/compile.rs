//! The proofs of `compile()`, and the flat topology they allow.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use petgraph::visit::Dfs;

use crate::graph::builder::{Declared, StateGraph};
use crate::graph::diagram::Diagram;
use crate::graph::errors::{CompileError, CompileErrors, CompileWarning};
use crate::graph::spec::Mode;
use crate::graph::topology::{Conditional, Exits, Join, NodeIndex, NodeInfo, SendRule, Topology};
use crate::graph::{Compiled, compiled};
use crate::name::{END, Name, START};
use crate::state::{FieldKind, State};

/// START's place in the reachability graph; nodes are numbered from 0.
const ENTRY: NodeIndex = NodeIndex::MAX;

impl<S: State, Cx: Send + Sync + 'static> StateGraph<S, Cx> {
    /// Checks everything that is declared and makes the graph runnable.
    ///
    /// # Errors
    /// All mistakes together, each with the names of its nodes and what to do.
    pub fn compile(mut self) -> Result<Compiled<S, Cx>, CompileErrors> {
        self.nodes.sort_by(|a, b| a.name.cmp(&b.name));
        let mut checks = Checks::new(&self);
        checks.names(&self);
        let exits = checks.exits(&self);
        let start = checks.start(&self);
        let joins = checks.joins(&self);
        if checks.errors.is_empty() {
            checks.reach(&self, &start, &exits, &joins);
            checks.writers(&self, &start, &exits);
            checks.eager(&self, &start, &exits, &joins);
            checks.classes(&self);
        }
        if self.deny_warnings {
            checks.errors.extend(checks.warnings.drain(..).map(CompileError::Denied));
        }
        if !checks.errors.is_empty() {
            return Err(CompileErrors { graph: self.name, errors: checks.errors });
        }
        let warnings = checks.warnings;
        let index = checks.index;
        Ok(assemble(self, &index, start, exits, joins, warnings))
    }
}

fn assemble<S: State, Cx>(
    graph: StateGraph<S, Cx>,
    index: &BTreeMap<Name, NodeIndex>,
    mut start: Exits<S>,
    mut exits: Vec<Exits<S>>,
    joins: Vec<Join>,
    warnings: Vec<CompileWarning>,
) -> Compiled<S, Cx> {
    for (number, join) in joins.iter().enumerate() {
        for (place, predecessor) in join.predecessors.iter().enumerate() {
            let exits = if *predecessor == ENTRY { &mut start } else { &mut exits[*predecessor as usize] };
            exits.joins.push((number, place));
        }
    }
    let find = |name: &Name| index.get(name).copied();
    let diagram = Diagram::draw(&graph, &start, &exits, &joins);
    let mut handlers = Vec::with_capacity(graph.nodes.len());
    let mut nodes = Vec::with_capacity(graph.nodes.len());
    for (declared, exits) in graph.nodes.into_iter().zip(exits) {
        let Declared { name, is_task, run, spec, child } = declared;
        handlers.push(run);
        nodes.push(NodeInfo {
            name,
            is_task,
            retry: spec.retry,
            timeout: spec.timeout,
            class: spec.class.as_ref().and_then(|class| graph.limits.iter().position(|(name, _)| name == class)),
            deferred: spec.deferred,
            each: spec.each,
            goto_end: spec.goto.iter().any(|name| name.as_str() == END.as_str()),
            goto: spec.goto.iter().filter_map(find).collect(),
            sends: spec.sends.iter().filter_map(find).collect(),
            asks: spec.asks,
            exits,
            child: child.map(|(asks, _)| asks),
        });
    }
    let topology = Topology {
        name: graph.name,
        version: graph.version,
        state_version: graph.state_version,
        mode: graph.mode,
        layout: graph.layout,
        nodes,
        start,
        joins,
        limits: graph.limits,
        diagram,
    };
    compiled::new(topology, handlers, warnings)
}

struct Checks {
    index: BTreeMap<Name, NodeIndex>,
    tasks: BTreeSet<NodeIndex>,
    known: String,
    errors: Vec<CompileError>,
    warnings: Vec<CompileWarning>,
}

impl Checks {
    fn new<S: State, Cx>(graph: &StateGraph<S, Cx>) -> Self {
        let numbered = || graph.nodes.iter().zip(0..);
        let known: Vec<_> = graph.nodes.iter().map(|node| format!("`{}`", node.name)).collect();
        Self {
            index: numbered().map(|(node, at)| (node.name.clone(), at)).collect(),
            tasks: numbered().filter(|(node, _)| node.is_task).map(|(_, at)| at).collect(),
            known: known.join(", "),
            errors: Vec::new(),
            warnings: Vec::new(),
        }
    }

    fn names<S: State, Cx>(&mut self, graph: &StateGraph<S, Cx>) {
        for node in &graph.nodes {
            let name = node.name.as_str();
            let reason = if name.is_empty() {
                "it is empty"
            } else if name.starts_with("__") {
                "names that begin with `__` are reserved"
            } else if name.contains(['/', ':', '|', '#']) || name.chars().any(char::is_control) {
                "`/`, `:`, `|`, `#` and control characters are reserved"
            } else {
                continue;
            };
            self.errors.push(CompileError::BadName { name: name.to_owned(), reason });
        }
        for pair in graph.nodes.windows(2) {
            if pair[0].name == pair[1].name {
                self.errors.push(CompileError::Duplicate { name: pair[0].name.to_string() });
            }
        }
    }

    fn find(&mut self, name: &Name, place: impl Fn() -> String) -> Option<NodeIndex> {
        let found = self.index.get(name).copied();
        if found.is_none() {
            let (name, known) = (name.to_string(), self.known.clone());
            self.errors.push(CompileError::UnknownNode { place: place(), name, known });
        }
        found
    }

    /// A target of an edge: a node that is no task, or END as `None` inside.
    fn edge_target(&mut self, name: &Name, place: impl Fn() -> String) -> Option<Option<NodeIndex>> {
        if name.as_str() == END.as_str() {
            return Some(None);
        }
        if name.as_str() == START.as_str() {
            let reason = "nothing leads to START; name the node that is to run".to_owned();
            self.errors.push(CompileError::BadEdge { place: place(), reason });
            return None;
        }
        let found = self.find(name, &place)?;
        if self.tasks.contains(&found) {
            let reason =
                format!("`{name}` is a task node and needs an input; use `add_sends`, or a node added with `add_node`");
            self.errors.push(CompileError::BadEdge { place: place(), reason });
            return None;
        }
        Some(Some(found))
    }

    fn send_target(&mut self, name: &Name, place: impl Fn() -> String) -> Option<NodeIndex> {
        let found = self.find(name, &place)?;
        if !self.tasks.contains(&found) {
            let reason = format!("`{name}` takes no input; add it with `add_task`, or use an edge");
            self.errors.push(CompileError::BadEdge { place: place(), reason });
            return None;
        }
        Some(found)
    }

    fn exits_of<S: State, Cx>(&mut self, graph: &StateGraph<S, Cx>, from: &Name) -> Exits<S> {
        let mut exits = Exits::none();
        for (_, to) in graph.edges.iter().filter(|(source, _)| source == from) {
            let target = self.edge_target(to, || format!("the edge from `{from}`")).flatten();
            exits.edges.extend(target.filter(|target| !exits.edges.contains(target)));
        }
        exits.edges.sort_unstable();
        for (_, targets, route) in graph.conditionals.iter().filter(|(source, ..)| source == from) {
            let place = || format!("the conditional edge from `{from}`");
            let found: Vec<_> = targets.iter().filter_map(|name| self.edge_target(name, place)).collect();
            exits.conditionals.push(Conditional {
                targets: found.iter().copied().flatten().collect(),
                may_end: found.contains(&None),
                route: std::sync::Arc::clone(route),
            });
        }
        for (_, targets, send) in graph.sends.iter().filter(|(source, ..)| source == from) {
            let place = || format!("the sends from `{from}`");
            let targets = targets.iter().filter_map(|name| self.send_target(name, place)).collect();
            exits.sends.push(SendRule { targets, send: std::sync::Arc::clone(send) });
        }
        exits
    }

    fn exits<S: State, Cx>(&mut self, graph: &StateGraph<S, Cx>) -> Vec<Exits<S>> {
        for (source, place) in graph
            .edges
            .iter()
            .map(|(from, to)| (from, format!("the edge to `{to}`")))
            .chain(graph.conditionals.iter().map(|(from, ..)| (from, "a conditional edge".to_owned())))
            .chain(graph.sends.iter().map(|(from, ..)| (from, "a send".to_owned())))
        {
            if source.as_str() == END.as_str() {
                let reason = "nothing leads from END".to_owned();
                self.errors.push(CompileError::BadEdge { place, reason });
            } else if source.as_str() != START.as_str() {
                self.find(source, || place.clone());
            }
        }
        for node in &graph.nodes {
            for name in &node.spec.goto {
                self.edge_target(name, || format!("`may_goto` of `{}`", node.name));
            }
            for name in &node.spec.sends {
                self.send_target(name, || format!("`may_send` of `{}`", node.name));
            }
        }
        graph.nodes.iter().map(|node| self.exits_of(graph, &node.name)).collect()
    }

    fn start<S: State, Cx>(&mut self, graph: &StateGraph<S, Cx>) -> Exits<S> {
        let start = self.exits_of(graph, &START.into_name());
        let joined = graph.joins.iter().any(|(from, _)| from.iter().any(|name| name.as_str() == START.as_str()));
        if start.edges.is_empty()
            && start.conditionals.is_empty()
            && start.sends.is_empty()
            && !joined
            && self.errors.is_empty()
        {
            self.errors.push(CompileError::NoStart);
        }
        start
    }

    fn joins<S: State, Cx>(&mut self, graph: &StateGraph<S, Cx>) -> Vec<Join> {
        let mut joins = Vec::new();
        for (from, to) in &graph.joins {
            let place = || format!("the join into `{to}`");
            let mut predecessors = Vec::new();
            for name in from {
                if name.as_str() == START.as_str() {
                    predecessors.push(ENTRY);
                } else {
                    predecessors.extend(self.find(name, place));
                }
            }
            predecessors.sort_unstable();
            predecessors.dedup();
            let Some(target) = self.edge_target(to, place).flatten() else { continue };
            if predecessors == [target] {
                let (target, predecessor) = (to.to_string(), to.to_string());
                self.errors.push(CompileError::JoinNeverFills { target, predecessor, reason: "is the node itself" });
            }
            joins.push(Join { target, predecessors });
        }
        joins
    }

    fn reach<S: State, Cx>(&mut self, graph: &StateGraph<S, Cx>, start: &Exits<S>, exits: &[Exits<S>], joins: &[Join]) {
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
        for join in joins {
            for predecessor in join.predecessors.iter().filter(|at| **at != ENTRY && reached.contains(at)) {
                if !certainly.contains(predecessor) {
                    let (target, predecessor) = (name(join.target), name(*predecessor));
                    self.warnings.push(CompileWarning::JoinMayStarve { target, predecessor });
                }
            }
        }
        for mut component in tarjan_scc(&all) {
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
    fn writers<S: State, Cx>(&mut self, graph: &StateGraph<S, Cx>, start: &Exits<S>, exits: &[Exits<S>]) {
        let fields = S::fields(&graph.layout);
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
                    let of = |node: &Declared<S, Cx>| -> BTreeSet<String> {
                        node.spec.writes.iter().flatten().cloned().collect()
                    };
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

    fn eager<S: State, Cx>(&mut self, graph: &StateGraph<S, Cx>, start: &Exits<S>, exits: &[Exits<S>], joins: &[Join]) {
        if graph.mode == Mode::Barrier {
            return;
        }
        for field in S::fields(&graph.layout).iter().filter(|field| field.ephemeral) {
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

    fn classes<S: State, Cx>(&mut self, graph: &StateGraph<S, Cx>) {
        for node in &graph.nodes {
            let Some(class) = &node.spec.class else { continue };
            if !graph.limits.iter().any(|(name, limit)| name == class && *limit > 0) {
                let (node, class) = (node.name.to_string(), class.clone());
                self.errors.push(CompileError::UnlimitedClass { node, class });
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
