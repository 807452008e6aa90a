//! `compile()`: what the declarations name, and the flat topology that they make.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::graph::blueprint::{Blueprint, Declared, DeclaredJoin};
use crate::graph::builder::StateGraph;
use crate::graph::cache::{Cached, Shelf};
use crate::graph::diagram::Diagram;
use crate::graph::errors::{CompileError, CompileErrors, CompileWarning};
use crate::graph::persistence::SubgraphSpec;
use crate::graph::upstream::hold_back;
use crate::graph::{Compiled, compiled};
use crate::name::{END, Name, START};
use crate::record::FRONTIER;
use crate::state::State;
use crate::topology::{Conditional, Exits, Join, NodeIndex, NodeInfo, NodeRun, Outline, SendRule, Topology};

/// START's place in the reachability graph; nodes are numbered from 0.
pub(super) const ENTRY: NodeIndex = NodeIndex::MAX;

impl<S: State, Cx: Send + Sync + 'static> StateGraph<S, Cx> {
    /// Checks everything that is declared and makes the graph runnable.
    ///
    /// # Errors
    /// All mistakes together, each with the names of its nodes and what to do.
    pub fn compile(mut self) -> Result<Compiled<S, Cx>, CompileErrors> {
        self.blueprint.fields = S::fields(&self.layout).to_vec();
        let mut checks = Checks::begin(&mut self.blueprint);
        self.take_options(&mut checks);
        let Proven { mut outline, diagram, functions, warnings, migrations } = self.blueprint.prove(checks)?;
        let mut handlers = Vec::with_capacity(functions.len());
        let mut shelves = Vec::with_capacity(functions.len());
        for (node, places) in outline.nodes.iter().zip(functions) {
            let mut run = Arc::clone(&self.runs[places.run].run);
            let own = places.on_error.map(|at| &self.error_handlers[at]);
            let on_error = own.or(self.default_error_handler.as_ref()).map(Arc::clone);
            let shelf = places.cache.map(|at| {
                let (shelf, layout) = (Arc::new(Shelf::new(&outline, &node.name)), self.layout.clone());
                run = Arc::new(Cached::new(Arc::clone(&run), &self.caches[at], layout, Arc::clone(&shelf)));
                shelf
            });
            handlers.push(NodeRun { run, on_error });
            shelves.push(shelf);
        }
        let layout = self.layout.clone();
        outline.schema = Arc::new(move || S::schema(&layout));
        let topology = Topology {
            migrations: migrations.into_iter().zip(self.migrations).collect(),
            outline: Arc::new(outline),
            layout: self.layout,
            routers: self.routers,
            senders: self.senders,
        };
        Ok(compiled::new(topology, handlers, diagram, shelves, warnings))
    }
}

/// A blueprint without mistakes.
struct Proven {
    outline: Outline,
    diagram: Diagram,
    /// By node.
    functions: Vec<FunctionPlaces>,
    warnings: Vec<CompileWarning>,
    /// The versions of states, in the order of the migrations.
    migrations: Vec<u32>,
}

/// Where the functions of a node stand in the lists of its graph.
struct FunctionPlaces {
    run: usize,
    /// Its own error handler.
    on_error: Option<usize>,
    cache: Option<usize>,
}

impl Blueprint {
    fn prove(self, mut checks: Checks) -> Result<Proven, CompileErrors> {
        for name in &self.error_handlers {
            checks.find(name, &|| format!("add_error_handler(`{name}`)"));
        }
        for name in &self.caches {
            checks.find(name, &|| format!("add_cache(`{name}`)"));
        }
        checks.migrations(&self);
        let leading = leading(&self);
        let exits = checks.exits(&self, &leading);
        let start = checks.start(&self, &leading);
        let joins = checks.joins(&self);
        drop(leading);
        if checks.errors.is_empty() {
            checks.reach(&self, &start, &exits, &joins);
            checks.writers(&self, &start, &exits);
            checks.eager(&self, &start, &exits, &joins);
            checks.classes(&self);
            checks.stateless(&self);
        }
        if self.deny_warnings {
            checks.errors.extend(checks.warnings.drain(..).map(CompileError::Denied));
        }
        if !checks.errors.is_empty() {
            return Err(CompileErrors { graph: self.name, errors: checks.errors });
        }
        Ok(self.assemble(&checks.index, start, exits, joins, checks.warnings))
    }

    fn assemble(
        self,
        index: &BTreeMap<Name, NodeIndex>,
        mut start: Exits,
        mut exits: Vec<Exits>,
        mut joins: Vec<Join>,
        warnings: Vec<CompileWarning>,
    ) -> Proven {
        for (number, join) in joins.iter().enumerate() {
            for (place, predecessor) in join.predecessors.iter().enumerate() {
                let exits = if *predecessor == ENTRY { &mut start } else { &mut exits[*predecessor as usize] };
                exits.joins.push((number, place));
            }
        }
        hold_back(&self, index, &exits, &mut joins);
        let diagram = Diagram::draw(&self, &start, &exits, &joins);
        let find = |name: &Name| index.get(name).copied();
        let (error_handlers, caches) = (places(&self.error_handlers), places(&self.caches));
        let mut functions = Vec::with_capacity(self.nodes.len());
        let mut nodes = Vec::with_capacity(self.nodes.len());
        for (declared, exits) in self.nodes.into_iter().zip(exits) {
            let Declared { name, is_task, run, spec, child, replaced, .. } = declared;
            let SubgraphSpec { node: spec, persistence } = spec;
            let on_error = error_handlers.get(&name).copied();
            let cache = caches.get(&name).copied().filter(|_| !replaced);
            functions.push(FunctionPlaces { run, on_error, cache });
            let class = spec.class.as_ref().or(self.defaults.class.as_ref());
            nodes.push(NodeInfo {
                name,
                is_task,
                retry: if spec.retry.is_empty() { self.defaults.retry.iter().cloned().collect() } else { spec.retry },
                timeout: spec.timeout.or(self.defaults.timeout).unwrap_or_default(),
                handles_errors: on_error.is_some() || self.handles_errors,
                class: class.and_then(|class| self.limits.iter().position(|(name, _)| name == class)),
                deferred: spec.deferred,
                each: spec.each,
                goto_end: spec.goto.iter().any(|name| name.as_str() == END.as_str()),
                goto: spec.goto.iter().filter_map(find).collect(),
                sends: spec.sends.iter().filter_map(find).collect(),
                asks: spec.asks,
                exits,
                child: child.map(|inner| inner.outline),
                persistence,
            });
        }
        let mut outline = Outline {
            name: self.name,
            version: self.version,
            state_version: self.state_version,
            mode: self.mode,
            step_timeout: self.step_timeout,
            field_names: self
                .fields
                .iter()
                .map(|field| Arc::from(field.name.as_ref()))
                .chain([Arc::from(FRONTIER)])
                .collect(),
            has_ephemeral: self.fields.iter().any(|field| field.ephemeral),
            sure: self.fields.iter().all(|field| field.sure),
            fields: self.fields,
            classes: nodes
                .iter()
                .any(|node| node.class.is_some())
                .then(|| nodes.iter().map(|node| node.class.and_then(|class| u32::try_from(class).ok())).collect()),
            node_names: nodes.iter().map(|node| Arc::from(node.name.as_str())).collect(),
            nodes,
            start,
            joins_reached: joins.iter().any(|join| join.upstream.is_some()),
            joins,
            limits: self.limits,
            keeps_children: false,
            schema: Arc::new(|| serde_json::Value::Null),
        };
        outline.keeps_children = outline.first_kept().is_some();
        Proven { outline, diagram, functions, warnings, migrations: self.migrations }
    }
}

/// By name, the last place among `names`.
fn places(names: &[Name]) -> BTreeMap<&Name, usize> {
    names.iter().zip(0..).collect()
}

/// By source, the places of what leads from it in the declarations of the graph.
type Leading<'a> = HashMap<&'a Name, Leads>;

#[derive(Default)]
struct Leads {
    edges: Vec<usize>,
    conditionals: Vec<usize>,
    sends: Vec<usize>,
}

fn leading(graph: &Blueprint) -> Leading<'_> {
    let mut leading = Leading::new();
    for (at, (from, _)) in graph.edges.iter().enumerate() {
        leading.entry(from).or_default().edges.push(at);
    }
    for (at, (from, ..)) in graph.conditionals.iter().enumerate() {
        leading.entry(from).or_default().conditionals.push(at);
    }
    for (at, (from, ..)) in graph.sends.iter().enumerate() {
        leading.entry(from).or_default().sends.push(at);
    }
    leading
}

pub(super) struct Checks {
    pub(super) index: BTreeMap<Name, NodeIndex>,
    pub(super) tasks: BTreeSet<NodeIndex>,
    known: String,
    pub(super) errors: Vec<CompileError>,
    pub(super) warnings: Vec<CompileWarning>,
}

impl Checks {
    /// Sorts the nodes by name, and checks their names.
    fn begin(graph: &mut Blueprint) -> Self {
        graph.nodes.sort_by(|a, b| a.name.cmp(&b.name));
        let mut checks = Self::new(graph);
        checks.names(graph);
        checks
    }

    fn new(graph: &Blueprint) -> Self {
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

    fn names(&mut self, graph: &Blueprint) {
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

    pub(super) fn find(&mut self, name: &Name, place: &dyn Fn() -> String) -> Option<NodeIndex> {
        let found = self.index.get(name).copied();
        if found.is_none() {
            let (name, known) = (name.to_string(), self.known.clone());
            self.errors.push(CompileError::UnknownNode { place: place(), name, known });
        }
        found
    }

    /// A target of an edge: a node that is no task, or END as `None` inside.
    fn edge_target(&mut self, name: &Name, place: &dyn Fn() -> String) -> Option<Option<NodeIndex>> {
        if name.as_str() == END.as_str() {
            return Some(None);
        }
        if name.as_str() == START.as_str() {
            let reason = "nothing leads to START; name the node that is to run".to_owned();
            self.errors.push(CompileError::BadEdge { place: place(), reason });
            return None;
        }
        let found = self.find(name, place)?;
        if self.tasks.contains(&found) {
            let reason =
                format!("`{name}` is a task node and needs an input; use `add_sends`, or a node added with `add_node`");
            self.errors.push(CompileError::BadEdge { place: place(), reason });
            return None;
        }
        Some(Some(found))
    }

    fn send_target(&mut self, name: &Name, place: &dyn Fn() -> String) -> Option<NodeIndex> {
        let found = self.find(name, place)?;
        if !self.tasks.contains(&found) {
            let reason = format!("`{name}` takes no input; add it with `add_task`, or use an edge");
            self.errors.push(CompileError::BadEdge { place: place(), reason });
            return None;
        }
        Some(found)
    }

    fn exits_of(&mut self, graph: &Blueprint, leading: &Leading<'_>, from: &Name) -> Exits {
        let mut exits = Exits::default();
        let Some(leads) = leading.get(from) else { return exits };
        for (_, to) in leads.edges.iter().map(|at| &graph.edges[*at]) {
            let target = self.edge_target(to, &|| format!("the edge from `{from}`")).flatten();
            exits.edges.extend(target.filter(|target| !exits.edges.contains(target)));
        }
        exits.edges.sort_unstable();
        for at in &leads.conditionals {
            let targets = &graph.conditionals[*at].1;
            let place = || format!("the conditional edge from `{from}`");
            let found: Vec<_> = targets.iter().filter_map(|name| self.edge_target(name, &place)).collect();
            exits.conditionals.push(Conditional {
                targets: found.iter().copied().flatten().collect(),
                may_end: found.contains(&None),
                route: *at,
            });
        }
        for at in &leads.sends {
            let place = || format!("the sends from `{from}`");
            let targets = graph.sends[*at].1.iter().filter_map(|name| self.send_target(name, &place)).collect();
            exits.sends.push(SendRule { targets, send: *at });
        }
        exits
    }

    fn exits(&mut self, graph: &Blueprint, leading: &Leading<'_>) -> Vec<Exits> {
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
                self.find(source, &|| place.clone());
            }
        }
        for node in &graph.nodes {
            for name in &node.spec.goto {
                self.edge_target(name, &|| format!("`may_goto` of `{}`", node.name));
            }
            for name in &node.spec.sends {
                self.send_target(name, &|| format!("`may_send` of `{}`", node.name));
            }
        }
        graph.nodes.iter().map(|node| self.exits_of(graph, leading, &node.name)).collect()
    }

    fn start(&mut self, graph: &Blueprint, leading: &Leading<'_>) -> Exits {
        let start = self.exits_of(graph, leading, &START.into_name());
        let joined = graph.joins.iter().any(|join| join.from.iter().any(|name| name.as_str() == START.as_str()));
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

    fn joins(&mut self, graph: &Blueprint) -> Vec<Join> {
        let mut joins = Vec::new();
        for DeclaredJoin { from, to, reached } in &graph.joins {
            let place = || format!("the join into `{to}`");
            let mut predecessors = Vec::new();
            for name in from {
                if name.as_str() == START.as_str() {
                    predecessors.push(ENTRY);
                } else {
                    predecessors.extend(self.find(name, &place));
                }
            }
            predecessors.sort_unstable();
            predecessors.dedup();
            let Some(target) = self.edge_target(to, &place).flatten() else { continue };
            if predecessors == [target] {
                let (target, predecessor) = (to.to_string(), to.to_string());
                self.errors.push(CompileError::JoinNeverFills { target, predecessor, reason: "is the node itself" });
            }
            joins.push(Join { target, predecessors, upstream: reached.then(Default::default) });
        }
        joins
    }
}
