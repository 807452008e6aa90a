//! The status table of a task, and its conditions.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NodeKey, NodeType, Payload, TaskAction, TaskNode, TaskStatus, TaskTree};
use crate::{Condition, Group, StatusTable};

/// What the failure of a node does to the nodes that need it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailurePolicy {
    /// Work goes on with what is there: a dependent starts once all its inputs are settled, and an outer node
    /// aggregates when all inner nodes are settled and at least one finished. Nodes whose inner nodes all failed fail.
    #[default]
    Degrade,
    /// A failed node fails its dependents and its outer node at once, up to the root.
    FailFast,
}

crate::symbols! {
    /// The conditions of the task table. [`NodeView`] evaluates them.
    pub enum TaskCondition {
        /// True for every node.
        Always = "always",
        /// The node is a plan node.
        IsPlanNode = "it is a plan node",
        /// The node is an execute node.
        IsExecuteNode = "it is an execute node",
        /// The outer node is `DOING` and the node depends on nothing.
        OuterDoingNoParents = "the outer task is DOING and there are no parents",
        /// The outer node is `DOING` and every parent is `FINISH`.
        OuterDoingParentsFinished = "the outer task is DOING and every parent is FINISH",
        /// Every inner node is `FINISH`; also when there is none.
        InnerFinished = "every inner task is FINISH",
        /// The outer node is `FAILED`.
        OuterFailed = "the outer task is FAILED",
        /// Policy `FailFast`: a parent is `FAILED`.
        ParentFailed = "a parent is FAILED and the policy is to fail fast",
        /// Policy `Degrade`: the outer node is `DOING`, every parent is `FINISH` or `FAILED`, and one is `FAILED`.
        ParentsSettled = "the outer task is DOING, every parent is FINISH or FAILED, and the policy is to go on",
        /// Policy `FailFast`: an inner node is `FAILED`.
        InnerFailed = "an inner task is FAILED and the policy is to fail fast",
        /// Policy `Degrade`: every inner node is `FINISH` or `FAILED`, and there are both.
        InnerSettled = "every inner task is FINISH or FAILED, at least one is FINISH, and the policy is to go on",
        /// Policy `Degrade`: there are inner nodes and all are `FAILED`.
        InnerAllFailed = "every inner task is FAILED",
    }
}

/// The table type of tasks.
pub type TaskTable = StatusTable<TaskStatus, TaskAction, TaskCondition>;

/// The table of WriteHERE's only node class (`RegularDummyNode`), rows and order as in its code, and beside it the
/// failure table, which gives the status `FAILED` the meaning it never had there.
///
/// | status | condition | action | next |
/// |---|---|---|---|
/// | READY | plan node | `plan` | PLAN_DONE |
/// | READY | execute node | `execute` | NEED_POST_REFLECT |
/// | NEED_UPDATE | always | `update` | READY |
/// | PLAN_DONE | always | `prior_reflect` | DOING |
/// | FINAL_TO_FINISH | always | `final_aggregate` | NEED_POST_REFLECT |
/// | NEED_POST_REFLECT | plan node | `planning_post_reflect` | FINISH |
/// | NEED_POST_REFLECT | execute node | `execute_post_reflect` | FINISH |
///
/// | status | exam condition | next |
/// |---|---|---|
/// | NOT_READY | outer DOING, no parents | READY |
/// | NOT_READY | outer DOING, every parent FINISH | NEED_UPDATE |
/// | DOING | every inner node FINISH | FINAL_TO_FINISH |
///
/// | status | failure condition | next |
/// |---|---|---|
/// | NOT_READY | outer FAILED | FAILED |
/// | NOT_READY | fail fast, a parent FAILED | FAILED |
/// | NOT_READY | degrade, outer DOING, every parent FINISH or FAILED | NEED_UPDATE |
/// | DOING | outer FAILED | FAILED |
/// | DOING | fail fast, an inner node FAILED | FAILED |
/// | DOING | degrade, every inner node FINISH or FAILED, one FINISH | FINAL_TO_FINISH |
/// | DOING | degrade, every inner node FAILED | FAILED |
pub fn task_table() -> &'static TaskTable {
    static TABLE: LazyLock<TaskTable> =
        LazyLock::new(|| build().expect("the built-in task table passes its own check"));
    &TABLE
}

fn build() -> Result<TaskTable, crate::TableError> {
    use TaskAction as Do;
    use TaskCondition as When;
    use TaskStatus::{Doing, Failed, FinalToFinish, Finish, NeedPostReflect, NeedUpdate, NotReady, PlanDone, Ready};

    StatusTable::builder()
        .group(Group::Silence, [Finish, Failed])
        .group(Group::Suspend, [NotReady, Doing])
        .group(Group::Activate, [Ready, NeedUpdate, PlanDone, FinalToFinish, NeedPostReflect])
        .action(Ready, When::IsPlanNode, Do::Plan, PlanDone)
        .action(Ready, When::IsExecuteNode, Do::Execute, NeedPostReflect)
        .action(NeedUpdate, When::Always, Do::Update, Ready)
        .action(PlanDone, When::Always, Do::PriorReflect, Doing)
        .action(FinalToFinish, When::Always, Do::FinalAggregate, NeedPostReflect)
        .action(NeedPostReflect, When::IsPlanNode, Do::PlanningPostReflect, Finish)
        .action(NeedPostReflect, When::IsExecuteNode, Do::ExecutePostReflect, Finish)
        .exam(NotReady, When::OuterDoingNoParents, Ready)
        .exam(NotReady, When::OuterDoingParentsFinished, NeedUpdate)
        .exam(Doing, When::InnerFinished, FinalToFinish)
        .failure(NotReady, When::OuterFailed, Failed)
        .failure(NotReady, When::ParentFailed, Failed)
        .failure(NotReady, When::ParentsSettled, NeedUpdate)
        .failure(Doing, When::OuterFailed, Failed)
        .failure(Doing, When::InnerFailed, Failed)
        .failure(Doing, When::InnerSettled, FinalToFinish)
        .failure(Doing, When::InnerAllFailed, Failed)
        .build()
}

/// A node in its tree: what the conditions look at.
#[derive(Debug)]
pub struct NodeView<'tree, T> {
    pub(super) tree: &'tree TaskTree<T>,
    pub(super) node: &'tree TaskNode<T>,
}

impl<'tree, T: Payload> NodeView<'tree, T> {
    /// The node.
    pub fn node(&self) -> &'tree TaskNode<T> {
        self.node
    }

    fn outer_is(&self, status: TaskStatus) -> bool {
        self.node.outer().and_then(|outer| self.tree.node(&outer)).is_some_and(|outer| outer.status == status)
    }

    fn statuses<'keys>(&self, keys: impl IntoIterator<Item = &'keys NodeKey>) -> Statuses {
        let mut seen = Statuses::default();
        for key in keys {
            seen.all += 1;
            match self.tree.node(key).map(|node| node.status) {
                Some(TaskStatus::Finish) => seen.finished += 1,
                Some(TaskStatus::Failed) => seen.failed += 1,
                _ => {}
            }
        }
        seen
    }
}

#[derive(Default)]
struct Statuses {
    all: usize,
    finished: usize,
    failed: usize,
}

impl Statuses {
    fn settled(&self) -> bool {
        self.finished + self.failed == self.all
    }
}

impl<T: Payload> Condition<NodeView<'_, T>> for TaskCondition {
    fn holds(self, view: &NodeView<'_, T>) -> bool {
        let degrade = view.tree.failure_policy() == FailurePolicy::Degrade;
        let parents = || view.statuses(&view.node.parents);
        let inner = || view.statuses(&view.node.inner.nodes);
        match self {
            Self::Always => true,
            Self::IsPlanNode => view.node.node_type == NodeType::Plan,
            Self::IsExecuteNode => view.node.node_type == NodeType::Execute,
            Self::OuterDoingNoParents => view.outer_is(TaskStatus::Doing) && view.node.parents.is_empty(),
            Self::OuterDoingParentsFinished => {
                let parents = parents();
                view.outer_is(TaskStatus::Doing) && parents.finished == parents.all
            }
            Self::InnerFinished => {
                let inner = inner();
                inner.finished == inner.all
            }
            Self::OuterFailed => view.outer_is(TaskStatus::Failed),
            Self::ParentFailed => !degrade && parents().failed > 0,
            Self::ParentsSettled => {
                let parents = parents();
                degrade && view.outer_is(TaskStatus::Doing) && parents.settled() && parents.failed > 0
            }
            Self::InnerFailed => !degrade && inner().failed > 0,
            Self::InnerSettled => {
                let inner = inner();
                degrade && inner.settled() && inner.failed > 0 && inner.finished > 0
            }
            Self::InnerAllFailed => {
                let inner = inner();
                degrade && inner.all > 0 && inner.failed == inner.all
            }
        }
    }
}

impl TaskCondition {
    /// The nodes that keep the condition from holding, or, for conditions about failure, the failed ones it is about.
    pub(super) fn because<T: Payload>(self, view: &NodeView<'_, T>) -> Vec<NodeKey> {
        let with = |keys: &[NodeKey], wanted: &dyn Fn(TaskStatus) -> bool| -> Vec<NodeKey> {
            keys.iter().filter(|key| view.tree.node(key).is_none_or(|node| wanted(node.status))).cloned().collect()
        };
        let outer: Vec<NodeKey> = view.node.outer().into_iter().collect();
        let outer_not_doing = || with(&outer, &|status| status != TaskStatus::Doing);
        let unsettled = |status| !matches!(status, TaskStatus::Finish | TaskStatus::Failed);
        let failed = |status| status == TaskStatus::Failed;
        let unfinished = |status| status != TaskStatus::Finish;
        let holds = self.holds(view);
        match self {
            Self::Always | Self::IsPlanNode | Self::IsExecuteNode => Vec::new(),
            Self::OuterDoingNoParents => [outer_not_doing(), view.node.parents.clone()].concat(),
            Self::OuterDoingParentsFinished => [outer_not_doing(), with(&view.node.parents, &unfinished)].concat(),
            Self::InnerFinished => with(&view.node.inner.nodes, &unfinished),
            Self::OuterFailed => with(&outer, &failed),
            Self::ParentFailed => with(&view.node.parents, &failed),
            Self::InnerFailed | Self::InnerAllFailed => with(&view.node.inner.nodes, &failed),
            Self::ParentsSettled if holds => with(&view.node.parents, &failed),
            Self::ParentsSettled => [outer_not_doing(), with(&view.node.parents, &unsettled)].concat(),
            Self::InnerSettled if holds => with(&view.node.inner.nodes, &failed),
            Self::InnerSettled => with(&view.node.inner.nodes, &unsettled),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Symbol;

    #[test]
    fn the_action_table_is_writeheres() {
        let mut rows = Vec::new();
        for status in TaskStatus::ALL {
            for rule in task_table().action_rules(*status) {
                rows.push(format!("{status} | {:?} | {} | {}", rule.condition, rule.action, rule.next));
            }
        }
        assert_eq!(
            rows,
            [
                "READY | IsPlanNode | plan | PLAN_DONE",
                "READY | IsExecuteNode | execute | NEED_POST_REFLECT",
                "NEED_UPDATE | Always | update | READY",
                "FINAL_TO_FINISH | Always | final_aggregate | NEED_POST_REFLECT",
                "NEED_POST_REFLECT | IsPlanNode | planning_post_reflect | FINISH",
                "NEED_POST_REFLECT | IsExecuteNode | execute_post_reflect | FINISH",
                "PLAN_DONE | Always | prior_reflect | DOING",
            ]
        );
    }

    #[test]
    fn the_exam_table_is_writeheres() {
        let mut rows = Vec::new();
        for status in TaskStatus::ALL {
            for rule in task_table().exam_rules(*status) {
                rows.push(format!("{status} | {:?} | {}", rule.condition, rule.next));
            }
        }
        assert_eq!(
            rows,
            [
                "NOT_READY | OuterDoingNoParents | READY",
                "NOT_READY | OuterDoingParentsFinished | NEED_UPDATE",
                "DOING | InnerFinished | FINAL_TO_FINISH",
            ]
        );
    }

    #[test]
    fn the_groups_are_writeheres() {
        let names = |group| task_table().statuses(group).map(Symbol::name).collect::<Vec<_>>();
        assert_eq!(names(Group::Silence), ["FINISH", "FAILED"]);
        assert_eq!(names(Group::Suspend), ["NOT_READY", "DOING"]);
        assert_eq!(
            names(Group::Activate),
            ["READY", "NEED_UPDATE", "FINAL_TO_FINISH", "NEED_POST_REFLECT", "PLAN_DONE"]
        );
    }
}
