//! Breakpoints: where a run stops for a look.

mod read;

pub use read::BreakpointError;

use std::fmt;

use graphloom_core_graph::{Context, NodeError};
use graphloom_state_machine::{Cause, NodeKey, Symbol, TaskAction, TaskStatus, Transition};
use serde_json::{Value, json};

use crate::task::Tree;

/// The breakpoints of a run; it stops where any of them fits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Breakpoints(Vec<Breakpoint>);

/// One breakpoint: every part that is stated must fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Breakpoint {
    /// The task's key or its id in its plan; with a `*` after it also all tasks inside that one.
    pub node: Option<String>,
    /// A text in the task's goal, in any case.
    pub goal: Option<String>,
    /// The task's status before a change.
    pub status: Option<TaskStatus>,
    /// The status it gets: by the action, by its failure, or as a rule of the table says after another task's action.
    pub next: Option<TaskStatus>,
    /// The plan has more tasks than this, as it was written.
    pub plan_over: Option<usize>,
    /// The stage of the action; before it unless stated, after it where the size of a plan is stated.
    pub stage: Option<Stage>,
}

/// A stage of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Before anything is done; shows the task with its inner graph.
    Before,
    /// Before a model is called; shows the request.
    Prompt,
    /// After a model's reply; shows it.
    Reply,
    /// After a plan was read and repaired; shows it.
    Parsed,
    /// Before the change is committed; shows the task with its inner graph as it will be.
    After,
}

/// Words of stages on the command line.
const STAGES: [(&str, Stage); 5] = [
    ("before", Stage::Before),
    ("prompt", Stage::Prompt),
    ("reply", Stage::Reply),
    ("parsed", Stage::Parsed),
    ("after", Stage::After),
];

/// A task as breakpoints see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TaskView {
    pub(crate) node: NodeKey,
    nid: String,
    goal: String,
    action: TaskAction,
    status: TaskStatus,
    next: Option<TaskStatus>,
    plan: usize,
}

impl TaskView {
    pub(crate) fn of(tree: &Tree, key: &NodeKey, action: TaskAction) -> Option<Self> {
        let node = tree.node(key)?;
        Some(Self {
            node: key.clone(),
            nid: node.nid.clone(),
            goal: node.payload.info.goal.to_lowercase(),
            action,
            status: node.status,
            next: tree.next_action(key).ok().map(|next| next.next),
            plan: 0,
        })
    }

    pub(crate) fn action(&self) -> TaskAction {
        self.action
    }

    /// The same task with the plan that another tree has for it.
    pub(crate) fn after(&self, tree: &Tree) -> Self {
        let planning = tree.node(&self.node).and_then(|node| node.payload.planning.as_ref());
        Self { plan: planning.map_or(0, |planning| planning.raw.len()), ..self.clone() }
    }
}

impl TaskView {
    fn question(&self, stage: Stage, shown: &Value) -> Value {
        json!({
            "stage": stage.to_string(),
            "node": self.node,
            "action": self.action.name(),
            "status": self.status.name(),
            "next": self.next.map(Symbol::name),
            "shown": shown,
        })
    }
}

impl Breakpoints {
    /// These breakpoints.
    pub fn new(breaks: Vec<Breakpoint>) -> Self {
        Self(breaks)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Stops where a breakpoint fits, until the question is answered with anything.
    pub(crate) async fn pause<Cx>(
        &self,
        cx: &Context<Cx>,
        sight: &TaskView,
        stage: Stage,
        shown: impl FnOnce() -> Value,
    ) -> Result<(), NodeError> {
        if !self.0.iter().any(|point| point.fits(sight, stage)) {
            return Ok(());
        }
        let key = format!("break/{}/{}/{stage}", sight.node, sight.action.name());
        cx.ask::<String>(&key, &sight.question(stage, &shown())).await.map(drop)
    }

    /// Stops before an action where a breakpoint fits it, or fits how the task came to where the action is due: by a rule
    /// of the table, after an action of another task.
    pub(crate) async fn pause_before<Cx>(
        &self,
        cx: &Context<Cx>,
        sight: &TaskView,
        tree: &Tree,
        shown: impl FnOnce() -> Value,
    ) -> Result<(), NodeError> {
        if self.is_empty() {
            return Ok(());
        }
        let by_rule = |transition: &&Transition| matches!(transition.cause, Cause::Exam { .. } | Cause::Failure(_));
        let own = tree.log().rev().filter(|transition| transition.node == sight.node);
        let came: Vec<&Transition> = own.take_while(by_rule).collect();
        let fitting: Vec<&Transition> =
            came.into_iter().rev().filter(|transition| self.fit_change(tree, transition, None)).collect();
        self.stop_at(cx, sight, Stage::Before, &fitting, shown).await
    }

    /// Stops before a failure is committed: that of the task, or of others because of it.
    pub(crate) async fn pause_failed<Cx>(
        &self,
        cx: &Context<Cx>,
        sight: &TaskView,
        before: &Tree,
        after: &Tree,
        shown: impl FnOnce() -> Value,
    ) -> Result<(), NodeError> {
        let new = after.log().skip(before.log().len());
        let failures = new.filter(|transition| transition.to == TaskStatus::Failed);
        let fitting: Vec<&Transition> =
            failures.filter(|transition| self.fit_change(after, transition, Some(Stage::After))).collect();
        if fitting.is_empty() {
            return Ok(());
        }
        self.stop_at(cx, sight, Stage::After, &fitting, shown).await
    }

    /// Stops where the action fits, or where there are changes of status that do.
    async fn stop_at<Cx>(
        &self,
        cx: &Context<Cx>,
        sight: &TaskView,
        stage: Stage,
        changes: &[&Transition],
        shown: impl FnOnce() -> Value,
    ) -> Result<(), NodeError> {
        let fits = stage == Stage::Before && self.0.iter().any(|point| point.fits(sight, stage));
        if !fits && changes.is_empty() {
            return Ok(());
        }
        let mut question = sight.question(stage, &shown());
        if let Some(change) = changes.first().filter(|_| !fits) {
            question["node"] = json!(change.node);
            question["status"] = json!(change.from);
            question["next"] = json!(change.to);
        }
        if !changes.is_empty() {
            question["changes"] = changes.iter().map(ToString::to_string).collect();
        }
        let what = if stage == Stage::Before { "before" } else { "failed" };
        let key = format!("break/{}/{}/{what}", sight.node, sight.action.name());
        cx.ask::<String>(&key, &question).await.map(drop)
    }

    /// Whether a breakpoint that states a status fits a change which is not that of a task's own action.
    fn fit_change(&self, tree: &Tree, change: &Transition, stage: Option<Stage>) -> bool {
        self.0.iter().any(|point| point.fits_change(tree, change, stage))
    }
}

impl Breakpoint {
    fn fits(&self, sight: &TaskView, stage: Stage) -> bool {
        let usual = if self.plan_over.is_some() { Stage::After } else { Stage::Before };
        self.stage.unwrap_or(usual) == stage
            && self.fits_node(&sight.node, &sight.nid)
            && self.goal.as_ref().is_none_or(|goal| sight.goal.contains(&goal.to_lowercase()))
            && self.status.is_none_or(|status| status == sight.status)
            && self.next.is_none_or(|next| Some(next) == sight.next)
            && self.plan_over.is_none_or(|most| sight.action == TaskAction::Plan && sight.plan > most)
    }

    fn fits_change(&self, tree: &Tree, change: &Transition, stage: Option<Stage>) -> bool {
        let states_one = self.status.is_some() || self.next.is_some();
        let Some(node) = tree.node(&change.node).filter(|_| states_one && self.plan_over.is_none()) else {
            return false;
        };
        let goal = || node.payload.info.goal.to_lowercase();
        (self.stage.is_none() || self.stage == stage)
            && self.fits_node(&node.key, &node.nid)
            && self.goal.as_ref().is_none_or(|text| goal().contains(&text.to_lowercase()))
            && self.status.is_none_or(|status| status == change.from)
            && self.next.is_none_or(|next| next == change.to)
    }

    fn fits_node(&self, key: &NodeKey, nid: &str) -> bool {
        let Some(wanted) = &self.node else { return true };
        match wanted.strip_suffix('*') {
            None => *wanted == key.to_string() || wanted == nid,
            Some(outer) => {
                let inside =
                    |id: &str| id.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
                outer.parse().is_ok_and(|outer: NodeKey| outer == *key || key.is_inside(&outer)) || inside(nid)
            }
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(STAGES.iter().find(|(_, stage)| stage == self).map_or("", |(word, _)| word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stated_part_must_fit() {
        let tree =
            Tree::new(crate::Task::root("Report on Tides", None), graphloom_state_machine::FailurePolicy::Degrade);
        let sight = TaskView::of(&tree, &NodeKey::root(), TaskAction::Plan).unwrap();
        for (text, stage, fits) in [
            ("node=root", Stage::Before, true),
            ("node=root", Stage::After, false),
            ("goal=tides,status=READY", Stage::Before, true),
            ("goal=tides,status=DOING", Stage::Before, false),
            ("next=PLAN_DONE,stage=prompt", Stage::Prompt, true),
            ("plan>0", Stage::After, false),
            ("node=root*", Stage::Before, true),
            ("node=1*", Stage::Before, false),
        ] {
            assert_eq!(text.parse::<Breakpoint>().unwrap().fits(&sight, stage), fits, "{text}");
        }
    }

    #[test]
    fn a_star_takes_all_inside_and_nothing_that_begins_alike() {
        let point: Breakpoint = "node=1.2*".parse().unwrap();
        for (key, fits) in [("1.2", true), ("1.2.0", true), ("1.2.3.4", true), ("1.20", false), ("1", false)] {
            assert_eq!(point.fits_node(&key.parse().unwrap(), key), fits, "{key}");
        }
    }
}
