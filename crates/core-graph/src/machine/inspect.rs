//! What is read of a machine: its questions, the nodes whose tasks are left, and the names of its tasks.

use std::sync::Arc;
use std::time::Duration;

use crate::checkpoint::StepNames;
use crate::error::RunError;
use crate::event::Payload;
use crate::json_value;
use crate::machine::commit::CommittedTask;
use crate::machine::task::{Pending, Phase};
use crate::machine::{AttemptRow, MachineCore, Nodes};
use crate::tasks::{PendingTask, Question, TaskId};

impl MachineCore {
    /// The questions of suspended tasks, in task order.
    pub(crate) fn questions(&self) -> Vec<Question> {
        self.frontier.iter().flat_map(|(_, task)| task.questions()).cloned().collect()
    }

    /// The same, with the checks of their answers.
    pub(crate) fn checked_questions(&self) -> Vec<Question> {
        let mut questions = self.questions();
        for question in &mut questions {
            question.check.0 = self.outline.check(&question.path, &question.key);
        }
        questions
    }

    /// The questions of one task.
    pub(crate) fn questions_of(&self, id: TaskId) -> &[Question] {
        self.frontier.get(id).map_or(&[], |task| task.questions())
    }

    /// The names of nodes with unfinished tasks, sorted, once each. Where all tasks have finished and their step is not
    /// committed yet, the names of their nodes.
    pub(crate) fn next_nodes(&self) -> Vec<String> {
        let unfinished = self.frontier.iter().filter(|(_, task)| !matches!(task.phase, Phase::Finished(_)));
        let mut nodes: Nodes = unfinished.map(|(_, task)| task.node).collect();
        if nodes.is_empty() {
            nodes = self.next();
        }
        self.names_of(nodes)
    }

    /// All tasks that are not committed, in task order.
    pub(crate) fn pending_tasks(&self) -> Vec<PendingTask> {
        let shown = |(id, task): (TaskId, &Pending)| PendingTask {
            id: self.task_path(id).to_string(),
            node: self.outline.node(task.node).name.to_string(),
            key: task.key.as_ref().map(ToString::to_string),
            input: task.input.as_deref().map(json_value::of_stored),
            finished: matches!(task.phase, Phase::Finished(_)),
        };
        self.frontier.iter().map(shown).collect()
    }

    /// The input of the send that made a task.
    pub(crate) fn packet(&self, id: TaskId) -> Option<Payload> {
        Some(Payload::stored(self.frontier.get(id)?.input.clone()?))
    }

    /// The error of a super-step that was stopped because it took longer than the limit.
    pub(crate) fn step_timeout(&self, limit: Option<Duration>) -> RunError {
        let limit = limit.unwrap_or_default();
        RunError::StepTimeout { step: self.step() + 1, limit, unfinished: self.unfinished_in_step() }
    }

    /// The names of nodes with tasks of the step under way that have neither finished nor asked, sorted, once each.
    pub(crate) fn unfinished_in_step(&self) -> Vec<String> {
        let is_unfinished =
            |task: &Pending| task.in_step && !matches!(task.phase, Phase::Finished(_) | Phase::Suspended(_));
        let nodes: Nodes =
            self.frontier.iter().filter(|(_, task)| is_unfinished(task)).map(|(_, task)| task.node).collect();
        self.names_of(nodes)
    }

    /// The names of nodes, sorted, once each.
    fn names_of(&self, mut nodes: Nodes) -> Vec<String> {
        nodes.sort_unstable();
        nodes.dedup();
        nodes.iter().map(|node| self.outline.node(*node).name.to_string()).collect()
    }

    /// The nodes of all tasks that are not committed, sorted, once each.
    pub(crate) fn next(&self) -> Nodes {
        if let Some(only) = self.frontier.only_node() {
            return Nodes::from_slice(&[only]);
        }
        // Nodes are numbered by name.
        self.frontier.nodes().collect()
    }

    /// Joins that some of their predecessors reached and others did not: target and missing predecessors.
    pub(crate) fn starved_joins(&self) -> Vec<(String, String)> {
        self.frontier.joins.starved(&self.outline)
    }

    /// The id in the thread of a task that is committed.
    pub(crate) fn committed_path(&self, task: &CommittedTask) -> Arc<str> {
        task.id.path(self.base(), self.outline.node(task.node).name.as_str())
    }

    /// The task's id in its thread: namespace, node, and its place among the tasks of the commit that made it.
    pub(crate) fn task_path(&self, id: TaskId) -> Arc<str> {
        let node = self.frontier.get(id).map_or("?", |task| self.outline.node(task.node).name.as_str());
        id.path(self.base(), node)
    }

    /// What the steps of the namespace have in common.
    pub(crate) fn step_names(&self) -> &Arc<StepNames> {
        self.step_names.get_or_init(|| {
            let (ns, base) = (Arc::clone(&self.ns), Arc::clone(self.base()));
            let (fields, nodes) = (Arc::clone(&self.outline.field_names), Arc::clone(&self.outline.node_names));
            Arc::new(StepNames { ns, base, fields, nodes })
        })
    }

    /// What the failed attempts of a task left.
    pub(crate) fn attempts(&self, id: TaskId) -> AttemptRow {
        let task = self.frontier.get(id);
        AttemptRow {
            failed: task.map_or(0, |task| task.failed),
            failure: task.and_then(|task| task.failure.as_deref().cloned()),
            began: task.map_or(0, |task| task.began),
        }
    }
}
