//! From a plan to the inner nodes of its task (the original's `plan2graph`).

use graphloom_state_machine::{NewNode, NodeType};

use crate::TaskType;
use crate::plan::{ChainRules, Plan};
use crate::task::{Task, TaskInfo};

/// The inner nodes of `outer` for this plan, in plan order.
///
/// A plan of no tasks gives the single execute child of an atomic task, which takes over goal and length. Otherwise each
/// task is a node, an execute node where the plan says `atom`. It depends on what the plan says, think tasks on all
/// earlier think tasks, and write tasks on all earlier write tasks; a write task does not by itself wait for thinking or
/// searching. The dependencies that the chains add stay out of the task's own record.
pub fn plan_to_graph(plan: &Plan, outer: &Task, chains: ChainRules) -> Vec<NewNode<Task>> {
    if plan.is_atomic() {
        let info = TaskInfo { id: "0".into(), dependency: Vec::new(), ..outer.info.clone() };
        return vec![NewNode::execution(Task::new(info))];
    }
    plan.tasks()
        .iter()
        .zip(plan.dependencies(chains))
        .map(|(task, dependencies)| {
            let info = TaskInfo {
                id: task.id.clone(),
                goal: task.goal.clone(),
                task_type: task.task_type,
                length: task.length.clone().filter(|_| task.task_type == TaskType::Write),
                dependency: task.dependency.clone(),
            };
            let mut payload = Task::new(info);
            payload.candidate_plan.clone_from(&task.sub_tasks);
            NewNode {
                nid: task.id.clone(),
                node_type: if task.atom { NodeType::Execute } else { NodeType::Plan },
                dependencies,
                payload,
            }
        })
        .collect()
}
