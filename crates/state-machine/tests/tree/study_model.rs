//! The original engine in its plainest form: full sweep after each action, no failures. Written from the table and the
//! loop alone, sharing nothing with the crate but the planner.

use std::collections::VecDeque;

use graphloom_state_machine::{FailurePolicy, NewNode, NodeType, TaskTree};

use crate::plans::{Shape, fresh};

struct Node {
    name: String,
    execute: bool,
    status: &'static str,
    outer: Option<usize>,
    parents: Vec<usize>,
    queue: Vec<usize>,
}

pub(crate) struct Model {
    nodes: Vec<Node>,
}

impl Model {
    pub(crate) fn new() -> Self {
        let root =
            Node { name: "root".into(), execute: false, status: "READY", outer: None, parents: vec![], queue: vec![] };
        Self { nodes: vec![root] }
    }

    /// Runs to the end and returns `node action` lines; `plan` gives the children of a node by name.
    pub(crate) fn run(&mut self, plan: impl Fn(&str) -> Vec<NewNode<String>>) -> Vec<String> {
        let mut trace = Vec::new();
        while let Some(at) = self.first_active() {
            let (action, next) = match (self.nodes[at].status, self.nodes[at].execute) {
                ("READY", false) => ("plan", "PLAN_DONE"),
                ("READY", true) => ("execute", "NEED_POST_REFLECT"),
                ("NEED_UPDATE", _) => ("update", "READY"),
                ("PLAN_DONE", _) => ("prior_reflect", "DOING"),
                ("FINAL_TO_FINISH", _) => ("final_aggregate", "NEED_POST_REFLECT"),
                ("NEED_POST_REFLECT", false) => ("planning_post_reflect", "FINISH"),
                ("NEED_POST_REFLECT", true) => ("execute_post_reflect", "FINISH"),
                other => panic!("no action for {other:?}"),
            };
            trace.push(format!("{} {action}", self.nodes[at].name));
            if action == "plan" {
                let name = self.nodes[at].name.clone();
                self.open(at, &plan(&name));
            }
            self.nodes[at].status = next;
            self.sweep(0);
        }
        trace
    }

    pub(crate) fn all_finished(&self) -> bool {
        self.nodes.iter().all(|node| node.status == "FINISH")
    }

    fn open(&mut self, outer: usize, children: &[NewNode<String>]) {
        let base = self.nodes.len();
        let lone = children.len() == 1 && children[0].node_type == NodeType::Execute;
        let prefix = if outer == 0 { String::new() } else { format!("{}.", self.nodes[outer].name) };
        for (place, child) in children.iter().enumerate() {
            let place_name = if lone { 0 } else { place + 1 };
            let parents =
                child.dependencies.iter().map(|id| children.iter().position(|c| c.nid == *id).unwrap() + base);
            self.nodes.push(Node {
                name: format!("{prefix}{place_name}"),
                execute: child.node_type == NodeType::Execute,
                status: "NOT_READY",
                outer: Some(outer),
                parents: parents.collect(),
                queue: vec![],
            });
        }
        let mut queue: Vec<usize> = vec![];
        while queue.len() < children.len() {
            let batch: Vec<usize> = (base..base + children.len())
                .filter(|n| !queue.contains(n) && self.nodes[*n].parents.iter().all(|p| queue.contains(p)))
                .collect();
            queue.extend(batch);
        }
        self.nodes[outer].queue = queue;
    }

    fn suspended(&self, at: usize) -> bool {
        ["NOT_READY", "DOING"].contains(&self.nodes[at].status)
    }

    fn first_active(&self) -> Option<usize> {
        let mut queue = VecDeque::from([0]);
        while let Some(at) = queue.pop_front() {
            if self.suspended(at) {
                queue.extend(&self.nodes[at].queue);
            } else if !["FINISH", "FAILED"].contains(&self.nodes[at].status) {
                return Some(at);
            }
        }
        None
    }

    fn sweep(&mut self, at: usize) {
        if !self.suspended(at) {
            return;
        }
        for inner in self.nodes[at].queue.clone() {
            self.sweep(inner);
        }
        let node = &self.nodes[at];
        let finished = |all: &[usize]| all.iter().all(|n| self.nodes[*n].status == "FINISH");
        let outer_doing = node.outer.is_some_and(|outer| self.nodes[outer].status == "DOING");
        let next = match node.status {
            "NOT_READY" if outer_doing && node.parents.is_empty() => "READY",
            "NOT_READY" if outer_doing && finished(&node.parents) => "NEED_UPDATE",
            "DOING" if finished(&node.queue) => "FINAL_TO_FINISH",
            status => status,
        };
        self.nodes[at].status = next;
    }
}

/// Runs crate and model side by side; returns both traces and the tree.
pub(crate) fn side_by_side(shape: &Shape) -> (Vec<String>, Vec<String>, TaskTree<String>) {
    let mut tree = fresh(FailurePolicy::Degrade);
    let trace = shape.run(&mut tree);
    let mut model = Model::new();
    let modelled = model.run(|name| shape.plan_of(&name.parse().unwrap()));
    assert!(model.all_finished());
    (trace, modelled, tree)
}
