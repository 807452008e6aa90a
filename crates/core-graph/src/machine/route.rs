//! What a finished task triggers: edges, routers, sends, gotos, joins and fan-outs.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::error::{NodeError, RunError, panic_text};
use crate::graph::{Exits, Timeout, Topology};
use crate::machine::Machine;
use crate::machine::task::{GroupId, Groups, Pending, Phase, TaskId};
use crate::name::{END, Name, Packet};
use crate::state::State;
use crate::step::{Chosen, Next};

/// What a commit triggers, before tasks are made of it.
#[derive(Debug, Default)]
pub(super) struct Triggered {
    /// Nodes, one entry per trigger.
    nodes: Vec<u32>,
    packets: Vec<Sent>,
    /// Joins and the places of predecessors that arrived.
    arrivals: Vec<(usize, usize)>,
    /// Fan-outs to open or widen: how many sends, to which nodes.
    opened: Vec<(GroupId, BTreeSet<u32>)>,
}

/// A send: target, key, input, the fan-outs that wait for it, and its own time limit.
type Sent = (u32, Arc<str>, Arc<[u8]>, Groups, Option<Box<Timeout>>);

/// A send that did nothing, because its target has one of the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Coalesced {
    pub(crate) node: u32,
    pub(crate) key: Arc<str>,
}

/// Why routing failed.
#[derive(Debug)]
pub(super) enum RouteFault {
    Run(RunError),
    Node(NodeError),
}

impl Triggered {
    /// Follows what `next` says about a finished task of `node`, or START for `None`. `groups` are the fan-outs that sends belong to.
    pub(super) fn follow<S: State>(
        &mut self,
        topology: &Topology<S>,
        node: Option<u32>,
        next: Next,
        state: &S,
        groups: &[GroupId],
    ) -> Result<(), RouteFault> {
        match next {
            Next::End => Ok(()),
            Next::Edges => {
                let exits = node.map_or(&topology.start, |node| &topology.node(node).exits);
                self.edges(topology, node, exits, state, groups)
            }
            Next::To(chosen) => {
                let Some(node) = node else { return Ok(()) };
                self.chosen(topology, node, *chosen, groups)
            }
        }
    }

    /// Follows the edges of a finished task.
    pub(super) fn edges<S: State>(
        &mut self,
        topology: &Topology<S>,
        node: Option<u32>,
        exits: &Exits<S>,
        state: &S,
        groups: &[GroupId],
    ) -> Result<(), RouteFault> {
        self.nodes.extend_from_slice(&exits.edges);
        let name = || node.map_or_else(|| "START".to_owned(), |node| topology.node(node).name.to_string());
        for conditional in &exits.conditionals {
            let mut refused = None;
            let mut found = |target: &Name| {
                if let Err(declared) = self.goto(topology, target, &conditional.targets, conditional.may_end) {
                    refused.get_or_insert_with(|| (target.clone(), declared));
                }
            };
            guarded("router", || (conditional.route)(state, &mut found)).map_err(RouteFault::Node)?;
            if let Some((target, declared)) = refused {
                return Err(undeclared(name(), &target, declared, "add_conditional_edges"));
            }
        }
        for rule in &exits.sends {
            let packets = guarded("send function", || (rule.send)(state)).map_err(RouteFault::Node)?;
            self.send(topology, packets, &rule.targets, groups).map_err(|fault| fault.of(name(), "add_sends"))?;
        }
        // A task node arrives when its fan-out closes.
        if node.is_none_or(|node| !topology.is_task(node)) {
            self.arrivals.extend_from_slice(&exits.joins);
        }
        Ok(())
    }

    fn chosen<S: State>(
        &mut self,
        topology: &Topology<S>,
        node: u32,
        chosen: Chosen,
        groups: &[GroupId],
    ) -> Result<(), RouteFault> {
        let info = topology.node(node);
        let Chosen { goto, send } = chosen;
        for target in &goto {
            self.goto(topology, target, &info.goto, info.goto_end)
                .map_err(|declared| undeclared(info.name.to_string(), target, declared, "may_goto"))?;
        }
        if !send.is_empty() || goto.is_empty() {
            self.send(topology, send, &info.sends, groups)
                .map_err(|fault| fault.of(info.name.to_string(), "may_send"))?;
        }
        Ok(())
    }

    fn goto<S: State>(
        &mut self,
        topology: &Topology<S>,
        target: &Name,
        declared: &[u32],
        may_end: bool,
    ) -> Result<(), String> {
        match declared.iter().find(|at| topology.node(**at).name == *target) {
            Some(at) => {
                self.nodes.push(*at);
                Ok(())
            }
            None if may_end && target.as_str() == END.as_str() => Ok(()),
            None if may_end => Err(format!("{}, `END`", topology.names(declared))),
            None => Err(topology.names(declared)),
        }
    }

    fn send<S: State>(
        &mut self,
        topology: &Topology<S>,
        packets: Vec<Packet>,
        declared: &[u32],
        groups: &[GroupId],
    ) -> Result<(), SendFault> {
        for packet in packets {
            let Some(at) = declared.iter().find(|at| topology.node(**at).name == packet.to) else {
                return Err(SendFault::Undeclared(packet.to, topology.names(declared)));
            };
            let input = packet.input.map_err(SendFault::Input)?;
            self.packets.push((*at, packet.key, input, groups.into(), packet.timeout));
        }
        self.opened.extend(groups.iter().map(|group| (*group, declared.iter().copied().collect())));
        Ok(())
    }
}

impl Triggered {
    /// The node that is triggered, if that is all, and once.
    pub(super) fn only_node(&self) -> Option<u32> {
        let nothing_else = self.packets.is_empty() && self.arrivals.is_empty() && self.opened.is_empty();
        match self.nodes[..] {
            [node] if nothing_else => Some(node),
            _ => None,
        }
    }

    /// Forgets the only node.
    pub(super) fn forget_only(&mut self) {
        self.nodes.clear();
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.packets.clear();
        self.arrivals.clear();
        self.opened.clear();
    }
}

enum SendFault {
    Undeclared(Name, String),
    Input(String),
}

impl SendFault {
    fn of(self, node: String, method: &'static str) -> RouteFault {
        match self {
            Self::Undeclared(target, declared) => undeclared(node, &target, declared, method),
            Self::Input(message) => {
                RouteFault::Node(NodeError::terminal(format!("the input of a send cannot be encoded: {message}")))
            }
        }
    }
}

fn undeclared(node: String, target: &Name, declared: String, method: &'static str) -> RouteFault {
    let target = if target.as_str() == END.as_str() { "END".to_owned() } else { target.to_string() };
    RouteFault::Run(RunError::Undeclared { node, target, declared, method })
}

/// Calls user code; its panic is an error of the task that it belongs to.
pub(super) fn guarded<T>(what: &str, call: impl FnOnce() -> T) -> Result<T, NodeError> {
    catch_unwind(AssertUnwindSafe(call))
        .map_err(|payload| NodeError::terminal(format!("its {what} panicked: {}", panic_text(payload.as_ref()))))
}

impl<S: State> Machine<S> {
    /// Makes tasks of what was triggered: nodes by name, then sends by key. `finished` are the fan-outs of the tasks
    /// that ended with this commit. Returns sends that did nothing.
    pub(super) fn trigger(&mut self, number: u64, triggered: &mut Triggered, finished: &[GroupId]) -> Vec<Coalesced> {
        let Triggered { nodes, packets, arrivals, opened } = triggered;
        let (packets, coalesced) =
            if packets.is_empty() { Default::default() } else { self.coalesce(std::mem::take(packets)) };
        if !(opened.is_empty() && finished.is_empty()) {
            self.count_groups(opened, finished, arrivals);
            opened.clear();
        }
        if !arrivals.is_empty() {
            self.arrive(arrivals, nodes);
            arrivals.clear();
        }
        let durable = self.persist.is_some();
        nodes.sort_unstable();
        let mut place = self.frontier.next_place(number);
        let mut last = None;
        for node in nodes.drain(..) {
            let info = self.topology.node(node);
            let repeated = !info.each && (last == Some(node) || self.frontier.waits(node));
            last = Some(node);
            if repeated {
                continue;
            }
            let phase = if info.deferred { Phase::Deferred } else { Phase::Ready };
            self.frontier.push(TaskId { number, place }, Pending::new(node, phase), durable);
            place += 1;
        }
        for (node, key, input, groups, timeout) in packets {
            let task =
                Pending { key: Some(key), input: Some(input), groups, timeout, ..Pending::new(node, Phase::Ready) };
            self.frontier.push(TaskId { number, place }, task, durable);
            place += 1;
        }
        self.trigger_reached(number);
        coalesced
    }

    /// Sends in the order of their keys, each once. A second send of a key does nothing, but its fan-out waits for the
    /// task of the first.
    fn coalesce(&mut self, mut sent: Vec<Sent>) -> (Vec<Sent>, Vec<Coalesced>) {
        let (mut coalesced, mut joined) = (Vec::new(), Vec::new());
        let mut packets: Vec<Sent> = Vec::with_capacity(sent.len());
        let order = |a: &Sent, b: &Sent| by_key(&a.1, &b.1).then(a.0.cmp(&b.0));
        if !sent.is_sorted_by(|a, b| order(a, b).is_le()) {
            sent.sort_by_cached_key(|(node, key, ..)| (KeyOrder::of(key), *node));
        }
        for packet in sent {
            let pending = self.frontier.sent(packet.0, &packet.1);
            let waits_for = match (packets.last_mut(), pending.and_then(|id| self.frontier.get_mut(id))) {
                (_, Some(task)) => &mut task.groups,
                (Some((node, key, _, groups, _)), None) if *node == packet.0 && *key == packet.1 => groups,
                _ => {
                    for group in &packet.3 {
                        self.frontier.groups.entry(*group).or_default().open += 1;
                    }
                    packets.push(packet);
                    continue;
                }
            };
            for group in packet.3 {
                if !waits_for.contains(&group) {
                    waits_for.push(group);
                    joined.push(group);
                }
            }
            coalesced.push(Coalesced { node: packet.0, key: packet.1 });
            if let (Some(id), true) = (pending, self.persist.is_some()) {
                self.frontier.touch(id);
            }
        }
        for group in joined {
            self.frontier.groups.entry(group).or_default().open += 1;
        }
        (packets, coalesced)
    }

    /// Opens, widens and closes fan-outs; a closed one arrives at the joins of its targets.
    fn count_groups(
        &mut self,
        opened: &[(GroupId, BTreeSet<u32>)],
        finished: &[GroupId],
        arrivals: &mut Vec<(usize, usize)>,
    ) {
        let mut touched = BTreeSet::new();
        for (id, targets) in opened {
            self.frontier.groups.entry(*id).or_default().targets.extend(targets);
            touched.insert(*id);
        }
        for id in finished {
            if let Some(group) = self.frontier.groups.get_mut(id) {
                group.open = group.open.saturating_sub(1);
            }
            touched.insert(*id);
        }
        for id in touched {
            self.frontier.touch_group_if(id, self.persist.is_some());
            if self.frontier.groups.get(&id).is_some_and(|group| group.open == 0)
                && let Some(group) = self.frontier.groups.remove(&id)
            {
                group
                    .targets
                    .iter()
                    .for_each(|target| arrivals.extend_from_slice(&self.topology.node(*target).exits.joins));
            }
        }
    }

    fn arrive(&mut self, arrivals: &[(usize, usize)], nodes: &mut Vec<u32>) {
        for (join, place) in arrivals {
            self.frontier.joins[*join][*place] += 1;
        }
        for (join, arrived) in self.topology.joins.iter().zip(&mut self.frontier.joins) {
            if join.upstream.is_some() {
                continue;
            }
            while arrived.iter().all(|count| *count > 0) {
                arrived.iter_mut().for_each(|count| *count -= 1);
                nodes.push(join.target);
            }
        }
        if self.persist.is_some() {
            self.frontier.touch_joins();
        }
    }
}

/// The order of keys: those that are numbers by value, all others as text after them.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KeyOrder<K> {
    is_text: bool,
    number: i64,
    text: K,
}

impl KeyOrder<Arc<str>> {
    fn of(key: &Arc<str>) -> Self {
        KeyOrder::at(key, Arc::clone(key))
    }
}

impl<K> KeyOrder<K> {
    fn at(key: &str, text: K) -> Self {
        let number = key.parse::<i64>();
        Self { is_text: number.is_err(), number: number.unwrap_or(0), text }
    }
}

pub(super) fn by_key(a: &str, b: &str) -> Ordering {
    KeyOrder::at(a, a).cmp(&KeyOrder::at(b, b))
}

#[cfg(test)]
mod tests {
    use super::by_key;

    #[test]
    fn numbers_sort_by_value_and_before_texts() {
        let mut keys = ["b", "10", "9", "a", "1.2"];
        keys.sort_by(|a, b| by_key(a, b));
        assert_eq!(keys, ["9", "10", "1.2", "a", "b"]);
    }
}
