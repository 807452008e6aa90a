//! Where the boxes of a drawing stand: one below the other, those inside a node indented below it.

use super::fit::wrap;
use super::{Drawing, name};
use crate::{NodeType, Payload, TaskNode};

/// The width of a box.
pub(super) const WIDTH: usize = 440;
/// How far inner boxes stand to the right.
pub(super) const INDENT: usize = 48;
/// The height of a line of text.
pub(super) const LINE: usize = 15;
/// The room inside a box, above and below its text together.
const PADDING: usize = 12;
/// The room between boxes.
const APART: usize = 8;
/// How many columns of text a box holds, also with wide letters.
const COLUMNS: usize = 62;
/// The most lines of a goal.
const TITLE_LINES: usize = 3;

/// A box with its text. The execute node of an atomic task has none of its own: its task is drawn as carried out.
pub(super) struct TaskBox<'tree, T> {
    pub(super) node: &'tree TaskNode<T>,
    /// The box that it stands inside, by its place in the list.
    pub(super) outer: Option<usize>,
    pub(super) x: usize,
    pub(super) y: usize,
    pub(super) height: usize,
    /// The id and kind.
    pub(super) name: String,
    pub(super) title: Vec<String>,
    /// What it comes after and what is not shown, if anything.
    pub(super) remark: String,
    /// Whether it is carried out without being broken into tasks.
    pub(super) executed: bool,
}

impl<'tree, T: Payload> Drawing<'tree, T> {
    /// The boxes, each after the one it stands inside, and the size of the drawing. One pass over the nodes.
    pub(super) fn boxes(&self) -> (Vec<TaskBox<'tree, T>>, usize, usize) {
        let mut boxes: Vec<TaskBox<'tree, T>> = Vec::new();
        let mut open: Vec<(&TaskNode<T>, Option<usize>)> =
            self.tree.node(&self.top).map(|node| (node, None)).into_iter().collect();
        let (mut right, mut end) = (WIDTH, 0);
        while let Some((node, outer)) = open.pop() {
            let inner = self.inner(node);
            let atomic = matches!(inner[..], [only] if only.is_atomic_execution());
            let mut task_box = self.described(node, atomic);
            task_box.outer = outer;
            task_box.x = outer.and_then(|at| boxes.get(at)).map_or(0, |outer| outer.x + INDENT);
            task_box.y = if boxes.is_empty() { 0 } else { end + APART };
            right = right.max(task_box.x + WIDTH);
            end = task_box.y + task_box.height;
            let at = boxes.len();
            boxes.push(task_box);
            if !atomic {
                open.extend(inner.into_iter().rev().map(|inner| (inner, Some(at))));
            }
        }
        (boxes, right, end)
    }

    fn described(&self, node: &'tree TaskNode<T>, atomic: bool) -> TaskBox<'tree, T> {
        let mut remarks = Vec::new();
        let needs: Vec<&str> = self.needs(node).iter().map(|need| need.nid.as_str()).collect();
        if !needs.is_empty() {
            remarks.push(format!("after {}", needs.join(", ")));
        }
        if !atomic {
            remarks.extend(inside(self.hidden(node)));
        }
        let title = wrap(&node.payload.title(), COLUMNS, TITLE_LINES);
        let executed = atomic || node.node_type == NodeType::Execute;
        let (height, name, remark) = ((1 + title.len()) * LINE + PADDING, name(node), remarks.join(", "));
        TaskBox { node, outer: None, x: 0, y: 0, height, name, title, remark, executed }
    }
}

/// How many tasks are not shown, if any.
pub(super) fn inside(hidden: usize) -> Option<String> {
    let tasks = if hidden == 1 { "task" } else { "tasks" };
    (hidden > 0).then(|| format!("{hidden} {tasks} inside"))
}
