//! Views of the tree for prompts: the plan around a task, and the outline of the writing.

use graphloom_state_machine::{NodeKey, TaskStatus};
use serde_json::{Value, json};

use super::context_node;
use crate::TaskType;
use crate::task::{Node, Tree};

/// The plan as nested objects, down to one layer below the task: id, type, goal, dependencies (write tasks left out),
/// whether it is finished, and which one is the task. Execute children of atomic tasks are left out.
pub fn full_plan(tree: &Tree, key: &NodeKey) -> Value {
    plan_within(tree, key, usize::MAX).0
}

/// [`full_plan`] where it has at most `most` tasks. Of a larger plan, only the tasks on the way to the task are opened, so
/// that what is shown grows with the depth of the tree and not with its size; others tell how many tasks are inside them.
pub fn plan_within(tree: &Tree, key: &NodeKey, most: usize) -> (Value, Option<String>) {
    let (Some(root), Some(current)) = (tree.root(), context_node(tree, key)) else { return (Value::Null, None) };
    let everything = |node: &Node| node.layer() <= current.layer();
    let count = shown_tasks(tree, root, &everything).take(most.saturating_add(1)).count();
    if count <= most {
        return (plan_of(tree, root, current, &everything), None);
    }
    let nearby = |node: &Node| node.key == current.key || current.key.is_inside(&node.key);
    let near = shown_tasks(tree, root, &nearby).count();
    let note = format!("of the plan's more than {most} tasks, the {near} around this one were shown");
    (plan_of(tree, root, current, &nearby), Some(note))
}

/// The inner tasks of a node that plans show.
fn planned<'t>(tree: &'t Tree, node: &'t Node) -> impl DoubleEndedIterator<Item = &'t Node> {
    tree.inner(node).filter(|inner| !inner.is_atomic_execution())
}

/// The tasks that are shown where only some are opened.
fn shown_tasks<'t>(tree: &'t Tree, root: &'t Node, opens: &dyn Fn(&Node) -> bool) -> impl Iterator<Item = &'t Node> {
    let mut open = vec![root];
    std::iter::from_fn(move || {
        let node = open.pop()?;
        if opens(node) {
            open.extend(planned(tree, node));
        }
        Some(node)
    })
}

fn plan_of(tree: &Tree, node: &Node, current: &Node, opens: &dyn Fn(&Node) -> bool) -> Value {
    let info = &node.payload.info;
    let parents: Vec<&str> = node
        .parents
        .iter()
        .filter_map(|key| tree.node(key))
        .filter(|parent| parent.payload.info.task_type != TaskType::Write)
        .map(|parent| parent.nid.as_str())
        .collect();
    let mut plan = json!({
        "id": node.nid,
        "task_type": info.task_type,
        "goal": info.goal,
        "dependency": parents,
        "finish": node.status == TaskStatus::Finish,
        "is_current_to_plan_task": node.key == current.key,
    });
    let inner: Vec<&Node> = planned(tree, node).collect();
    if opens(node) {
        if !inner.is_empty() {
            plan["sub_tasks"] = inner.into_iter().map(|inner| plan_of(tree, inner, current, opens)).collect();
        }
    } else if !inner.is_empty() && node.layer() <= current.layer() {
        plan["sub_tasks_not_shown"] = json!(inner.len());
    }
    plan
}

/// The outline of the writing as numbered lines with what is done, what is to be written now and what comes later.
///
/// `all` shows the parts that have not been started. The part an execute child writes is marked at its plan node.
pub fn writing_outline(tree: &Tree, key: &NodeKey, all: bool) -> String {
    let mut lines = Vec::new();
    if let (Some(root), Some(current)) = (tree.root(), context_node(tree, key)) {
        outline(tree, root, current, all, "", 0, &mut lines);
    }
    lines.join("\n")
}

fn outline(tree: &Tree, node: &Node, current: &Node, all: bool, number: &str, depth: usize, lines: &mut Vec<String>) {
    let writes = tree.inner(node).filter(|inner| inner.payload.info.task_type == TaskType::Write);
    for (place, part) in (1..).zip(writes.filter(|inner| !inner.is_atomic_execution())) {
        let is_current = part.key == current.key;
        let marker = match part.status {
            _ if is_current => ":**You Need To Write**",
            TaskStatus::Finish => ":**FINISHED**",
            TaskStatus::Failed => ":**FAILED, it stays unwritten**",
            status if is_started(status) => ":**DOING**",
            _ if !all => continue,
            _ => ":**Not Started Yet, You should avoid content related to this part**",
        };
        let number = if number.is_empty() { place.to_string() } else { format!("{number}.{place}") };
        let info = &part.payload.info;
        let length = info.length.as_deref().unwrap_or("length not set");
        lines.push(format!("{}【{number}】.{length}: {} {marker}", "\t".repeat(depth), info.goal));
        if !is_current && is_started(part.status) {
            outline(tree, part, current, all, &number, depth + 1, lines);
        }
    }
}

/// Whether work on a plan node has begun and is not over.
fn is_started(status: TaskStatus) -> bool {
    matches!(status, TaskStatus::Doing | TaskStatus::PlanDone | TaskStatus::FinalToFinish | TaskStatus::NeedPostReflect)
}

/// The write tasks that will use what a search finds, as lines with their lengths; the outer task when none depends on
/// it directly.
pub fn target_write_tasks(tree: &Tree, key: &NodeKey) -> Vec<String> {
    let Some(node) = context_node(tree, key) else { return Vec::new() };
    let is_write = |node: &&Node| node.payload.info.task_type == TaskType::Write;
    let mut targets: Vec<&Node> = node.dependents.iter().filter_map(|key| tree.node(key)).filter(is_write).collect();
    if targets.is_empty() {
        targets.extend(node.outer().and_then(|key| tree.node(&key)).filter(is_write));
    }
    targets
        .iter()
        .map(|target| {
            let info = &target.payload.info;
            format!("{} ({})", info.goal, info.length.as_deref().unwrap_or("length not set"))
        })
        .collect()
}
