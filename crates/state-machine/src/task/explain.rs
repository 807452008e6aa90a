//! Why a node stands where it stands.

use std::collections::BTreeSet;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rules::task_table;
use super::{
    ChangeError, FailureCause, NodeKey, NodeType, Payload, PendingAction, TaskAction, TaskCondition, TaskNode,
    TaskStatus, TaskTree, Transition,
};
use crate::{Condition, Group, Section};

/// A short form of a node: what it is, and its status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct NodeState {
    /// Its key.
    pub node: NodeKey,
    /// Its id in its plan.
    pub nid: String,
    /// Plan or execute node.
    pub node_type: NodeType,
    /// Its kind, as its payload calls it.
    pub kind: String,
    /// Its goal, as its payload calls it.
    pub title: String,
    /// Its status.
    pub status: TaskStatus,
    /// Why it failed, if it did.
    pub failure: Option<FailureCause>,
}

impl NodeState {
    /// The short state of a node.
    pub fn of<T: Payload>(node: &TaskNode<T>) -> Self {
        Self {
            node: node.key.clone(),
            nid: node.nid.clone(),
            node_type: node.node_type,
            kind: node.payload.kind_label().into_owned(),
            title: node.payload.title().into_owned(),
            status: node.status,
            failure: node.failure.as_ref().map(|failure| failure.cause.clone()),
        }
    }
}

impl fmt::Display for NodeState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}` {} ({}: {})", self.node, self.status, self.kind, self.title.replace('\n', " "))?;
        self.failure.as_ref().map_or(Ok(()), |failure| write!(formatter, ", {failure}"))
    }
}

/// One rule of the node's status, and whether it applies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RuleResult {
    /// The table the rule stands in.
    pub section: Section,
    /// Its condition.
    pub condition: TaskCondition,
    /// The action it names, in the action table.
    pub action: Option<TaskAction>,
    /// The status it leads to.
    pub next: TaskStatus,
    /// Whether the condition holds. The first rule that holds is the one that applies.
    pub holds: bool,
    /// The nodes that keep the condition from holding; for conditions about failures, the failed ones.
    pub because: Vec<NodeKey>,
}

impl fmt::Display for RuleResult {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "[{}] {}: {}", if self.holds { "holds" } else { "no" }, self.section, self.condition)?;
        if let Some(action) = self.action {
            write!(formatter, " -> `{action}`")?;
        }
        write!(formatter, " -> {}", self.next)?;
        if !self.because.is_empty() {
            let nodes: Vec<String> = self.because.iter().map(|node| format!("`{node}`")).collect();
            write!(formatter, " (see {})", nodes.join(", "))?;
        }
        Ok(())
    }
}

/// Everything that bears on a node's status. `Display` writes it for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Explanation {
    /// The node.
    pub state: NodeState,
    /// The group of its status.
    pub group: Group,
    /// Every rule of its status, in the order the rules are tried.
    pub rules: Vec<RuleResult>,
    /// The action that can be taken, when one can.
    pub pending: Option<PendingAction>,
    /// Whether level order can reach it: every node around it is suspended.
    pub reachable: bool,
    /// The nodes it depends on.
    pub parents: Vec<NodeState>,
    /// The node it stands inside.
    pub outer: Option<NodeState>,
    /// The nodes inside it, in topological order.
    pub inner: Vec<NodeState>,
    /// The failed nodes its status may depend on: parents of any distance, its outer nodes and theirs, and what is
    /// inside it.
    pub failed_upstream: Vec<NodeState>,
    /// Its changes of status so far.
    pub history: Vec<Transition>,
}

impl<T: Payload> TaskTree<T> {
    /// Explains a node's status.
    ///
    /// # Errors
    /// [`ChangeError::UnknownNode`].
    pub fn explain(&self, key: &NodeKey) -> Result<Explanation, ChangeError> {
        let node = self.view(key)?.node();
        let states = |keys: &[NodeKey]| keys.iter().filter_map(|key| self.node(key)).map(NodeState::of).collect();
        let outer = node.outer();
        Ok(Explanation {
            state: NodeState::of(node),
            group: task_table().group(node.status),
            rules: self.rules(key)?,
            pending: self.next_action(key).ok(),
            reachable: self.around(key).all(|outer| task_table().group(outer.status) == Group::Suspend),
            parents: states(&node.parents),
            outer: outer.as_ref().and_then(|outer| self.node(outer)).map(NodeState::of),
            inner: self.inner(node).map(NodeState::of).collect(),
            failed_upstream: self.failed_upstream(key).into_iter().map(NodeState::of).collect(),
            history: self.history(key).cloned().collect(),
        })
    }

    fn rules(&self, key: &NodeKey) -> Result<Vec<RuleResult>, ChangeError> {
        let view = self.view(key)?;
        let table = task_table();
        let status = view.node().status;
        let result = |section, condition: TaskCondition, action, next| RuleResult {
            section,
            condition,
            action,
            next,
            holds: condition.holds(&view),
            because: condition.because(&view),
        };
        let actions = table
            .action_rules(status)
            .iter()
            .map(|rule| result(Section::Action, rule.condition, Some(rule.action), rule.next));
        let exams = table.exam_rules(status).iter().map(|rule| result(Section::Exam, rule.condition, None, rule.next));
        let failures =
            table.failure_rules(status).iter().map(|rule| result(Section::Failure, rule.condition, None, rule.next));
        Ok(actions.chain(exams).chain(failures).collect())
    }

    /// The nodes around a node, from the nearest to the root.
    fn around(&self, key: &NodeKey) -> impl Iterator<Item = &TaskNode<T>> {
        std::iter::successors(key.outer(), NodeKey::outer).filter_map(|outer| self.node(&outer))
    }

    /// The failed nodes a node's status may depend on, depth first: everything inside it, and the parents of any
    /// distance of it and of the nodes around it, with what is inside those; and the nodes around it themselves.
    pub fn failed_upstream(&self, key: &NodeKey) -> Vec<&TaskNode<T>> {
        let mut upstream = BTreeSet::new();
        let mut stack: Vec<NodeKey> = self.node(key).map(|node| node.parents.clone()).unwrap_or_default();
        for outer in self.around(key) {
            upstream.insert(outer.key.clone());
            stack.extend(outer.parents.iter().cloned());
        }
        stack.extend(self.node(key).into_iter().flat_map(|node| node.inner.nodes.iter().cloned()));
        while let Some(next) = stack.pop() {
            let Some(node) = self.node(&next) else { continue };
            if next != *key && upstream.insert(next) {
                stack.extend(node.parents.iter().chain(&node.inner.nodes).cloned());
            }
        }
        upstream.iter().filter_map(|key| self.node(key)).filter(|node| node.status == TaskStatus::Failed).collect()
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = &self.state;
        let title = state.title.replace('\n', " ");
        writeln!(formatter, "`{}` ({}, {}: {title})", state.node, state.node_type, state.kind)?;
        writeln!(formatter, "status {}, group `{}`", state.status, self.group)?;
        if let Some(failure) = &state.failure {
            writeln!(formatter, "failed because: {failure}")?;
        }
        if let Some(pending) = &self.pending {
            if self.reachable {
                writeln!(formatter, "next: `{}`, then {}", pending.action, pending.next)?;
            } else {
                writeln!(formatter, "`{}` will not be taken: a task around this one is closed", pending.action)?;
            }
        }
        if !self.rules.is_empty() {
            writeln!(formatter, "rules, in the order they are tried:")?;
            self.rules.iter().try_for_each(|rule| writeln!(formatter, "  {rule}"))?;
        }
        if let Some(outer) = &self.outer {
            writeln!(formatter, "outer task:\n  {outer}")?;
        }
        for (title, states) in [
            ("parents", &self.parents),
            ("inner tasks, in topological order", &self.inner),
            ("failed tasks it may depend on", &self.failed_upstream),
        ] {
            if !states.is_empty() {
                writeln!(formatter, "{title}:")?;
                states.iter().try_for_each(|state| writeln!(formatter, "  {state}"))?;
            }
        }
        if !self.history.is_empty() {
            writeln!(formatter, "history:")?;
            self.history.iter().try_for_each(|transition| writeln!(formatter, "  {transition}"))?;
        }
        Ok(())
    }
}
