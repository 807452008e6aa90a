//! The machine against a small obvious model: random graphs, random completion orders, retries, failures, questions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::State;
use crate::error::NodeError;
use crate::graph::{Compiled, Mode, Retry, StateGraph};
use crate::machine::{Completion, Limits, Machine, Plan, Stop, TaskId, TaskOutcome};
use crate::name::{END, Node, START, Task};
use crate::state::{Log, Snapshot};
use crate::step::Step;

#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Sum {
    #[state(append)]
    notes: Log<String>,
    #[state(add)]
    count: u64,
}

/// A graph as drawn: nodes by number, and `NODES + n` for task nodes.
#[derive(Clone, Debug)]
struct Drawn {
    eager: bool,
    start: Vec<usize>,
    edges: Vec<(usize, usize)>,
    /// Goes to the target while the count is not a multiple of the divisor.
    routes: Vec<(usize, usize, u64)>,
    /// Sends as many keys as the count modulo the divisor, to a task node.
    sends: Vec<(usize, usize, u64)>,
    /// Predecessors, target, and whether it is a join of what is reached.
    joins: Vec<(Vec<usize>, usize, bool)>,
    each: Vec<bool>,
    deferred: Vec<bool>,
}

impl Drawn {
    /// Leads START, or a send, to what nothing reaches.
    fn reach_all(&mut self) {
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
    fn say_how_often(&mut self) {
        for node in 0..NODES {
            let starts = usize::from(self.start.contains(&node));
            let from: Vec<_> = self.edges.iter().filter(|(_, to)| *to == node).map(|(from, _)| *from).collect();
            self.each[node] |= self.eager && (starts + from.len() > 1 || from.iter().any(|from| *from >= NODES));
        }
    }
}

const NODES: usize = 5;
const TASKS: usize = 2;
const NAMES: [&str; NODES + TASKS] = ["a", "b", "c", "d", "e", "s", "t"];

fn drawn() -> impl Strategy<Value = Drawn> {
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

fn compile(drawn: &Drawn) -> Option<Compiled<Sum>> {
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

type Id = (u64, u32);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Waits,
    Deferred,
    Runs,
    Finished,
    Suspended,
    Failed,
}

#[derive(Clone, Debug)]
struct Pending {
    node: usize,
    key: Option<u64>,
    groups: Vec<Id>,
    phase: Phase,
    tries: u32,
}

/// What the machine must do, in the plainest words.
struct Model<'a> {
    drawn: &'a Drawn,
    number: u64,
    tasks: BTreeMap<Id, Pending>,
    joins: Vec<BTreeMap<usize, u32>>,
    groups: BTreeMap<Id, (i64, Vec<usize>)>,
    notes: Vec<String>,
    executed: u64,
}

impl<'a> Model<'a> {
    fn new(drawn: &'a Drawn) -> Self {
        let joins = drawn.joins.iter().map(|(from, ..)| from.iter().map(|at| (*at, 0)).collect()).collect();
        let mut model = Self {
            drawn,
            number: 1,
            tasks: BTreeMap::new(),
            joins,
            groups: BTreeMap::new(),
            notes: Vec::new(),
            executed: 0,
        };
        model.make_tasks(drawn.start.clone(), Vec::new());
        model
    }

    fn label(task: &Pending) -> String {
        task.key.map_or_else(|| NAMES[task.node].to_owned(), |key| format!("{}{key}", NAMES[task.node]))
    }

    /// Commits finished tasks: one in eager mode, the whole step in barrier mode.
    fn commit(&mut self, finished: Id) {
        self.number += 1;
        let mut batch: Vec<Id> = if self.drawn.eager {
            vec![finished]
        } else {
            self.tasks.iter().filter(|(_, task)| task.phase == Phase::Finished).map(|(id, _)| *id).collect()
        };
        batch.sort_by_key(|id| (self.tasks[id].key.is_some(), self.tasks[id].key, self.tasks[id].node));
        let before = self.notes.len() as u64;
        self.notes.extend(batch.iter().map(|id| Self::label(&self.tasks[id])));
        let after = self.notes.len() as u64;
        let (mut nodes, mut packets, mut arrived, mut touched) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (place, id) in (0..).zip(&batch) {
            let task = self.tasks[id].clone();
            let count = if batch.len() > 1 { before + 1 } else { after };
            let nested = !task.groups.is_empty();
            let groups = if nested { task.groups.clone() } else { vec![(self.number, place)] };
            nodes.extend(self.drawn.edges.iter().filter(|(from, _)| *from == task.node).map(|(_, to)| *to));
            for (from, to, divisor) in &self.drawn.routes {
                if *from == task.node && !count.is_multiple_of(*divisor) {
                    nodes.push(*to);
                }
            }
            for (from, to, divisor) in &self.drawn.sends {
                if *from == task.node {
                    for group in &groups {
                        self.groups.entry(*group).or_default().1.push(*to);
                        touched.push(*group);
                    }
                    packets.extend((0..count % divisor).map(|key| (key, *to, groups.clone())));
                }
            }
            if nested {
                touched.extend(groups);
            } else if task.node < NODES {
                arrived.push(task.node);
            }
        }
        packets.sort_by_key(|(key, node, _): &(u64, usize, Vec<Id>)| (*key, *node));
        let left: Vec<_> = batch.iter().filter_map(|id| self.tasks.remove(id)).collect();
        let mut sent: Vec<(u64, usize, Vec<Id>)> = Vec::new();
        for (key, node, groups) in packets {
            // A second send of a key does nothing, but its fan-out waits for the first one's task.
            let same = |task: &&mut Pending| task.node == node && task.key == Some(key);
            let waits_for = match self.tasks.values_mut().find(same) {
                Some(task) => &mut task.groups,
                None => {
                    let at = sent.iter().position(|(k, n, _)| (*k, *n) == (key, node));
                    let at = at.unwrap_or_else(|| {
                        sent.push((key, node, Vec::new()));
                        sent.len() - 1
                    });
                    &mut sent[at].2
                }
            };
            for group in groups {
                if !waits_for.contains(&group) {
                    waits_for.push(group);
                    self.groups.entry(group).or_default().0 += 1;
                }
            }
        }
        for group in left.iter().flat_map(|task| &task.groups) {
            self.groups.entry(*group).or_default().0 -= 1;
        }
        touched.sort_unstable();
        touched.dedup();
        for group in touched {
            if self.groups[&group].0 == 0
                && let Some((_, mut targets)) = self.groups.remove(&group)
            {
                targets.sort_unstable();
                targets.dedup();
                arrived.extend(targets);
            }
        }
        for at in arrived {
            for join in &mut self.joins {
                join.entry(at).and_modify(|count| *count += 1);
            }
        }
        for (join, (_, to, _)) in self.joins.iter_mut().zip(&self.drawn.joins).filter(|(_, (.., reached))| !reached) {
            while join.values().all(|count| *count > 0) {
                join.values_mut().for_each(|count| *count -= 1);
                nodes.push(*to);
            }
        }
        self.executed += batch.len() as u64;
        self.make_tasks(nodes, sent);
        self.join_reached();
    }

    /// Whether what is drawn leads from a node to a predecessor of a join, not by way of the join's target.
    fn leads(&self, from: usize, join: usize) -> bool {
        let (predecessors, target, _) = &self.drawn.joins[join];
        let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
        while let Some(at) = open.pop() {
            if predecessors.contains(&at) {
                return true;
            }
            if at == *target && at != from {
                continue;
            }
            let mut to: Vec<usize> = Vec::new();
            to.extend(self.drawn.edges.iter().filter(|(from, _)| *from == at).map(|(_, to)| *to));
            to.extend(self.drawn.routes.iter().filter(|(from, ..)| *from == at).map(|(_, to, _)| *to));
            to.extend(self.drawn.sends.iter().filter(|(from, ..)| *from == at).map(|(_, to, _)| *to));
            to.extend(self.drawn.joins.iter().filter(|(from, ..)| from.contains(&at)).map(|(_, to, _)| *to));
            open.extend(to.into_iter().filter(|at| seen.insert(*at)));
        }
        false
    }

    /// Joins of what is reached fire when something has arrived and nothing can follow; those that lead to others
    /// first, and the first one where all lead to each other.
    fn join_reached(&mut self) {
        let quiet: Vec<usize> = (0..self.joins.len())
            .filter(|join| {
                let (predecessors, _, reached) = &self.drawn.joins[*join];
                let arrived = self.joins[*join].values().any(|count| *count > 0);
                let comes = || self.tasks.values().any(|task| self.leads(task.node, *join));
                let closes = || self.groups.values().any(|(_, to)| to.iter().any(|to| predecessors.contains(to)));
                *reached && arrived && !comes() && !closes()
            })
            .collect();
        let free =
            |join: &usize| !quiet.iter().any(|other| other != join && self.leads(self.drawn.joins[*other].1, *join));
        let mut fire: Vec<usize> = quiet.iter().copied().filter(free).collect();
        if fire.is_empty() {
            fire.extend(quiet.first());
        }
        for join in fire {
            self.joins[join].values_mut().for_each(|count| *count = 0);
            let node = self.drawn.joins[join].1;
            let waits = self.tasks.values().any(|task| {
                task.node == node && task.key.is_none() && matches!(task.phase, Phase::Waits | Phase::Deferred)
            });
            if waits && !self.drawn.each[node] {
                continue;
            }
            let last = self.tasks.last_key_value().filter(|((number, _), _)| *number == self.number);
            let place = last.map_or(0, |((_, place), _)| place + 1);
            let phase = if self.drawn.deferred[node] { Phase::Deferred } else { Phase::Waits };
            let task = Pending { node, key: None, groups: Vec::new(), phase, tries: 0 };
            self.tasks.insert((self.number, place), task);
        }
    }

    fn make_tasks(&mut self, mut nodes: Vec<usize>, sent: Vec<(u64, usize, Vec<Id>)>) {
        nodes.sort_unstable();
        if !nodes.is_empty() {
            let each = |at: usize| self.drawn.each[at];
            let mut kept: Vec<usize> = Vec::new();
            for at in nodes {
                let waits = self.tasks.values().any(|task| {
                    task.node == at && task.key.is_none() && matches!(task.phase, Phase::Waits | Phase::Deferred)
                });
                if each(at) || !(waits || kept.last() == Some(&at)) {
                    kept.push(at);
                }
            }
            nodes = kept;
        }
        let plain = nodes.into_iter().map(|node| (node, None, Vec::new()));
        let packets = sent.into_iter().map(|(key, node, groups)| (node, Some(key), groups));
        for (place, (node, key, groups)) in (0..).zip(plain.chain(packets)) {
            let deferred = key.is_none() && self.drawn.deferred[node];
            let phase = if deferred { Phase::Deferred } else { Phase::Waits };
            self.tasks.insert((self.number, place), Pending { node, key, groups, phase, tries: 0 });
        }
    }

    fn in_phase(&self, phase: Phase) -> usize {
        self.tasks.values().filter(|task| task.phase == phase).count()
    }
}

fn id_of(id: TaskId) -> Id {
    (id.number, id.place)
}

/// What is left, in the machine's words and in the model's.
fn compare(machine: &Machine<Sum>, model: &Model<'_>) {
    let of_machine: Vec<_> = machine.frontier.iter().map(|(id, task)| (id_of(id), task.node as usize)).collect();
    let of_model: Vec<_> = model.tasks.iter().map(|(id, task)| (*id, task.node)).collect();
    assert_eq!(of_machine, of_model, "the frontier");
    let notes: Vec<_> = machine.state.notes.iter().cloned().collect();
    assert_eq!(notes, model.notes, "the state");
    let joins: Vec<Vec<u32>> = model.joins.iter().map(|join| join.values().copied().collect()).collect();
    assert_eq!(machine.frontier.joins, joins, "the joins");
    let open: Vec<_> = machine.frontier.groups.iter().map(|(id, group)| ((id.number, id.place), group.open)).collect();
    let groups: Vec<_> = model.groups.iter().map(|(id, (open, _))| (*id, open.unsigned_abs())).collect();
    assert_eq!(open, groups, "the fan-outs");
    assert_eq!(machine.executed, model.executed);
}

fn step(label: String) -> Step<Sum> {
    Step::update(Sum::update().notes([label]).count(1))
}

/// Plays steps of one task in the lane, where the machine enters it; returns the number of them, or nothing when there are no more choices.
fn stride(
    machine: &mut Machine<Sum>,
    model: &mut Model<'_>,
    choose: &mut impl FnMut(usize) -> Option<usize>,
) -> Option<usize> {
    let mut next = machine.enter_lane();
    let mut strides = 0;
    while let Some(lone) = next {
        let id = id_of(lone.id);
        assert_eq!(model.tasks.len(), 1, "the lane is for a task that is alone");
        let task = model.tasks.get_mut(&id).expect("the model has the task");
        assert_eq!((task.phase, task.key, task.tries, task.node), (Phase::Waits, None, 0, lone.node as usize));
        task.phase = Phase::Runs;
        let step = step(Model::label(task));
        // What does not stride goes on as a task in flight.
        let choose_stride = choose(4)? > 0;
        let changes = machine.strides(lone, &step).filter(|_| choose_stride);
        let Some(changes) = changes else { return Some(strides) };
        task.phase = Phase::Finished;
        next = machine.stride(lone, step, changes, 0).unwrap_or_else(|fault| panic!("{fault:?}")).next;
        model.commit(id);
        compare(machine, model);
        strides += 1;
    }
    Some(strides)
}

/// Plays a run; returns how many of its steps the lane took.
fn play(drawn: &Drawn, concurrency: usize, durable: bool, mut choices: impl Iterator<Item = u32>) -> usize {
    let Some(compiled) = compile(drawn) else { return 0 };
    let limits = Limits { room: None, max_steps: None, concurrency };
    let mut machine = Machine::<Sum>::fresh(Arc::clone(&compiled.topology), "".into(), limits, durable);
    machine.input(None, 0).unwrap_or_else(|fault| panic!("{fault:?}"));
    let mut model = Model::new(drawn);
    compare(&machine, &model);
    let mut now = 0;
    let mut choose = |below: usize| choices.next().map(|choice| choice as usize % below.max(1));
    let mut strides = 0;
    loop {
        now += 1;
        match stride(&mut machine, &mut model, &mut choose) {
            Some(taken) => strides += taken,
            None => return strides,
        }
        match machine.plan(now) {
            Plan::Dispatch(dispatches) => {
                if dispatches.iter().any(|dispatch| model.tasks[&id_of(dispatch.id)].phase == Phase::Deferred) {
                    assert_eq!(
                        model.in_phase(Phase::Deferred),
                        model.tasks.len(),
                        "deferred means nothing else is left"
                    );
                    model.tasks.values_mut().for_each(|task| task.phase = Phase::Waits);
                }
                for dispatch in &dispatches {
                    let task = model.tasks.get_mut(&id_of(dispatch.id)).expect("the model has the task");
                    assert_eq!((task.phase, task.tries + 1), (Phase::Waits, dispatch.attempt));
                    assert_eq!(dispatch.key.as_deref().map(str::to_owned), task.key.map(|key| key.to_string()));
                    let seen = dispatch.state.notes.len();
                    assert!(seen <= model.notes.len());
                    task.phase = Phase::Runs;
                }
                assert!(model.in_phase(Phase::Runs) <= concurrency);
            }
            Plan::Wait { until } => {
                assert_eq!(until, None, "retries are immediate");
                let running: Vec<_> =
                    model.tasks.iter().filter(|(_, task)| task.phase == Phase::Runs).map(|(id, _)| *id).collect();
                let halted = model.in_phase(Phase::Failed) > 0;
                assert!(running.len() == concurrency || model.in_phase(Phase::Waits) == 0 || halted);
                let (Some(pick), Some(fate)) = (choose(running.len()), choose(40)) else { return strides };
                let id = running[pick];
                let machine_id = TaskId { number: id.0, place: id.1 };
                let task = model.tasks.get_mut(&id).expect("it runs");
                let label = Model::label(task);
                let outcome = match fate {
                    0..4 => TaskOutcome::Error(NodeError::retryable("again")),
                    4 => TaskOutcome::Suspended { questions: Vec::new(), swallowed: false },
                    5 => TaskOutcome::Error(NodeError::terminal("broken")),
                    _ => TaskOutcome::done(step(label), 0),
                };
                task.phase = match fate {
                    0..4 if task.tries + 1 < 3 => {
                        task.tries += 1;
                        Phase::Waits
                    }
                    0..4 | 5 => Phase::Failed,
                    4 => Phase::Suspended,
                    _ => Phase::Finished,
                };
                let phase = task.phase;
                match machine.complete(machine_id, outcome, now) {
                    Completion::Commit => {
                        assert_eq!(phase, Phase::Finished);
                        if !drawn.eager {
                            let rest = model.tasks.len() - model.in_phase(Phase::Deferred);
                            assert_eq!(model.in_phase(Phase::Finished), rest, "a step commits whole");
                        }
                        machine.commit(machine_id, now).unwrap_or_else(|fault| panic!("{fault:?}"));
                        model.commit(id);
                        compare(&machine, &model);
                    }
                    Completion::Hold => assert!(!drawn.eager && phase == Phase::Finished),
                    Completion::Retry { .. } => {
                        let failed = machine.attempts(machine_id).failed;
                        assert_eq!((phase, failed), (Phase::Waits, model.tasks[&id].tries));
                        if halted {
                            // It is never woken again, and the model does not know such a phase.
                            return strides;
                        }
                    }
                    Completion::Suspended => assert_eq!(phase, Phase::Suspended),
                    Completion::Failed => assert_eq!(phase, Phase::Failed),
                    Completion::Handle => panic!("no node has an error handler"),
                    Completion::Ready => panic!("nothing was put back"),
                }
            }
            Plan::Stop(reason) => {
                let expected = if model.tasks.is_empty() {
                    Stop::Done
                } else if model.in_phase(Phase::Failed) > 0 {
                    Stop::Failed
                } else {
                    Stop::Waiting
                };
                assert_eq!(reason, expected);
                assert_eq!(model.in_phase(Phase::Runs), 0);
                if reason == Stop::Done {
                    let starved = model.joins.iter().zip(&drawn.joins).filter(|(_, (.., reached))| *reached);
                    assert!(starved.flat_map(|(join, _)| join.values()).all(|count| *count == 0), "it cannot starve");
                }
                return strides;
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, max_global_rejects: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn the_machine_does_what_the_model_says(
        drawn in drawn(),
        concurrency in 1..5usize,
        durable in any::<bool>(),
        choices in prop::collection::vec(any::<u32>(), 0..160),
    ) {
        play(&drawn, concurrency, durable, choices.into_iter());
    }
}

#[test]
fn the_lane_of_one_is_taken() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut strides = |durable: bool| -> usize {
        let graphs = (0..300).map(|_| drawn().new_tree(&mut runner).unwrap().current());
        graphs.map(|drawn| play(&drawn, 2, durable, (7..).step_by(13).take(100))).sum()
    };
    for durable in [false, true] {
        let taken = strides(durable);
        assert!(taken > 100, "{taken} steps");
    }
}

#[test]
fn enough_of_the_drawn_graphs_compile() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let compiled = (0..500).filter(|_| compile(&drawn().new_tree(&mut runner).unwrap().current()).is_some()).count();
    assert!(compiled > 450, "{compiled} of 500");
}
