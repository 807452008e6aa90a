//! What a finished task triggers: edges, routers, sends, gotos, joins and fan-outs.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{NodeError, RunError, panic_text};
use crate::machine::fan_out::{Coalesced, Finished, Sent};
use crate::machine::task::{Groups, Pending, Phase};
use crate::machine::{MachineCore, Nodes};
use crate::name::{END, Name, Packet};
use crate::state::{State, StateError};
use crate::step::{Chosen, Next};
use crate::tasks::{GroupId, TaskId};
use crate::topology::{Exits, Outline, Topology};

/// What a commit triggers, before tasks are made of it.
#[derive(Debug, Default)]
pub(crate) struct Triggered {
    /// Nodes, one entry per trigger.
    nodes: Nodes,
    packets: Vec<Sent>,
    /// Joins and the places of predecessors that arrived.
    arrivals: Vec<(usize, usize)>,
    /// Fan-outs to open or widen: how many sends, to which nodes.
    opened: Vec<(GroupId, BTreeSet<u32>)>,
}

/// Why routing failed.
#[derive(Debug)]
pub(crate) enum RouteFault {
    Run(RunError),
    Node(NodeError),
}

impl Triggered {
    /// These nodes and sends, and nothing else.
    pub(super) fn of(nodes: &[u32], packets: Vec<Sent>) -> Self {
        Self { nodes: Nodes::from_slice(nodes), packets, ..Self::default() }
    }

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
                if exits.lead_nowhere(node.is_some_and(|node| topology.is_task(node))) {
                    return Ok(());
                }
                self.edges(topology, node, exits, state, groups)
            }
            Next::To(chosen) => {
                let Some(node) = node else { return Ok(()) };
                self.chosen(topology, node, *chosen, groups)
            }
        }
    }

    /// Follows the edges of a finished task.
    fn edges<S: State>(
        &mut self,
        topology: &Topology<S>,
        node: Option<u32>,
        exits: &Exits,
        state: &S,
        groups: &[GroupId],
    ) -> Result<(), RouteFault> {
        // Mostly one: to copy a slice of any length costs as much as the rest of a plain edge.
        match exits.edges[..] {
            [node] => self.nodes.push(node),
            _ => self.nodes.extend_from_slice(&exits.edges),
        }
        let name = || node.map_or_else(|| "START".to_owned(), |node| topology.node(node).name.to_string());
        for conditional in &exits.conditionals {
            let mut refused = None;
            let mut found = |target: &Name| {
                if let Err(declared) = self.goto(topology, target, &conditional.targets, conditional.may_end) {
                    refused.get_or_insert_with(|| (target.clone(), declared));
                }
            };
            guarded("router", || (topology.routers[conditional.route])(state, &mut found)).map_err(RouteFault::Node)?;
            if let Some((target, declared)) = refused {
                return Err(undeclared(name(), &target, declared, "add_conditional_edges"));
            }
        }
        for rule in &exits.sends {
            let packets =
                guarded("send function", || (topology.senders[rule.send])(state)).map_err(RouteFault::Node)?;
            self.send(topology, packets, &rule.targets, groups).map_err(|fault| fault.of(name(), "add_sends"))?;
        }
        // A task node arrives when its fan-out closes.
        if !exits.joins.is_empty() && node.is_none_or(|node| !topology.is_task(node)) {
            self.arrivals.extend_from_slice(&exits.joins);
        }
        Ok(())
    }

    fn chosen(&mut self, topology: &Outline, node: u32, chosen: Chosen, groups: &[GroupId]) -> Result<(), RouteFault> {
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

    fn goto(&mut self, topology: &Outline, target: &Name, declared: &[u32], may_end: bool) -> Result<(), String> {
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

    fn send(
        &mut self,
        topology: &Outline,
        packets: Vec<Packet>,
        declared: &[u32],
        groups: &[GroupId],
    ) -> Result<(), SendFault> {
        self.packets.reserve(packets.len());
        for packet in packets {
            let Some(at) = declared.iter().find(|at| topology.node(**at).name == packet.to) else {
                return Err(SendFault::Undeclared(packet.to, topology.names(declared)));
            };
            let input = packet.input.map_err(SendFault::Input)?;
            let Packet { key, timeout, .. } = packet;
            self.packets.push(Sent { node: *at, key, input, groups: Groups::from_slice(groups), timeout });
        }
        self.opened.extend(groups.iter().map(|group| (*group, declared.iter().copied().collect())));
        Ok(())
    }
}

impl Triggered {
    /// Returns the node that is triggered, if nothing else is, and it is once.
    #[inline]
    pub(super) fn only_node(&self) -> Option<u32> {
        let nothing_else = self.packets.is_empty() && self.arrivals.is_empty() && self.opened.is_empty();
        match self.nodes[..] {
            [node] if nothing_else => Some(node),
            _ => None,
        }
    }

    /// Forgets the [`only_node`](Self::only_node).
    #[inline]
    pub(super) fn clear_only_node(&mut self) {
        self.nodes.clear();
    }

    /// Whether nothing is triggered.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.packets.is_empty() && self.arrivals.is_empty() && self.opened.is_empty()
    }

    #[inline]
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
pub(crate) fn guarded<T>(what: &str, call: impl FnOnce() -> T) -> Result<T, NodeError> {
    catch_unwind(AssertUnwindSafe(call))
        .map_err(|payload| NodeError::terminal(format!("its {what} panicked: {}", panic_text(payload.as_ref()))))
}

/// Encodes values of the program; a panic of their `Serialize` is an error of the task that they are of.
pub(crate) fn guarded_encoding<T>(encode: impl FnOnce() -> Result<T, StateError>) -> Result<T, NodeError> {
    guarded("serialization", encode).and_then(|encoded| encoded.map_err(NodeError::terminal))
}

impl MachineCore {
    /// Makes tasks of what was triggered: nodes by name, then sends by key. `finished` are the fan-outs of the tasks
    /// that ended with this commit. Returns sends that did nothing.
    pub(super) fn trigger(&mut self, number: u64, triggered: &mut Triggered, finished: &[Finished]) -> Vec<Coalesced> {
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
        let is_first = place == 0;
        let mut last = None;
        for node in nodes.drain(..) {
            let info = self.outline.node(node);
            let repeated = !info.each && (last == Some(node) || self.frontier.waits(node));
            last = Some(node);
            if repeated {
                continue;
            }
            let phase = if info.deferred { Phase::Deferred } else { Phase::Ready };
            self.frontier.push(TaskId { number, place }, Pending::new(node, phase), durable);
            place += 1;
        }
        self.frontier.reserve(packets.len());
        for Sent { node, key, input, groups, timeout } in packets {
            let task =
                Pending { key: Some(key), input: Some(input), groups, timeout, ..Pending::new(node, Phase::Ready) };
            self.frontier.push(TaskId { number, place }, task, durable);
            place += 1;
        }
        let placed = self.frontier.len();
        self.trigger_reached(number);
        self.in_order = (is_first && self.frontier.len() == placed).then_some(number);
        coalesced
    }
}
