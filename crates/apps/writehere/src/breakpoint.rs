//! Breakpoints: where a run stops for a look.

use std::fmt;
use std::str::FromStr;

use graphloom_core_graph::{Context, NodeError};
use graphloom_state_machine::{NodeKey, Symbol, TaskAction, TaskStatus};
use serde_json::{Value, json};

use crate::resources::Resources;
use crate::task::Tree;

/// The breakpoints of a run; it stops where any of them fits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Breakpoints(Vec<Breakpoint>);

/// One breakpoint: every part that is stated must fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Breakpoint {
    /// The task's key or its id in its plan.
    pub node: Option<String>,
    /// A text in the task's goal, in any case.
    pub goal: Option<String>,
    /// The task's status.
    pub status: Option<TaskStatus>,
    /// The status it gets by the action.
    pub next: Option<TaskStatus>,
    /// The plan has more tasks than this.
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
pub(crate) struct Sight {
    pub(crate) node: NodeKey,
    nid: String,
    goal: String,
    action: TaskAction,
    status: TaskStatus,
    next: Option<TaskStatus>,
    plan: usize,
}

impl Sight {
    pub(crate) fn of(tree: &Tree, key: &NodeKey, action: TaskAction) -> Option<Self> {
        let node = tree.node(key)?;
        Some(Self {
            node: key.clone(),
            nid: node.nid.clone(),
            goal: node.payload.info.goal.to_lowercase(),
            action,
            status: node.status,
            next: tree.next_action(key).ok().map(|next| next.next),
            plan: node.inner.nodes.len(),
        })
    }

    /// The same task with the inner graph of another tree.
    pub(crate) fn after(&self, tree: &Tree) -> Self {
        let plan = tree.node(&self.node).map_or(0, |node| node.inner.nodes.len());
        Self { plan, ..self.clone() }
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
    pub(crate) async fn pause(
        &self,
        cx: &Context<Resources>,
        sight: &Sight,
        stage: Stage,
        shown: impl FnOnce() -> Value,
    ) -> Result<(), NodeError> {
        if !self.0.iter().any(|point| point.fits(sight, stage)) {
            return Ok(());
        }
        let key = format!("break/{}/{}/{stage}", sight.node, sight.action.name());
        let question = json!({
            "stage": stage.to_string(),
            "node": sight.node,
            "action": sight.action.name(),
            "status": sight.status.name(),
            "next": sight.next.map(Symbol::name),
            "shown": shown(),
        });
        cx.ask::<String>(&key, &question).await.map(drop)
    }
}

impl Breakpoint {
    fn fits(&self, sight: &Sight, stage: Stage) -> bool {
        let usual = if self.plan_over.is_some() { Stage::After } else { Stage::Before };
        self.stage.unwrap_or(usual) == stage
            && self.node.as_ref().is_none_or(|node| *node == sight.node.to_string() || *node == sight.nid)
            && self.goal.as_ref().is_none_or(|goal| sight.goal.contains(&goal.to_lowercase()))
            && self.status.is_none_or(|status| status == sight.status)
            && self.next.is_none_or(|next| Some(next) == sight.next)
            && self.plan_over.is_none_or(|most| sight.action == TaskAction::Plan && sight.plan > most)
    }
}

/// A breakpoint that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{part}` is no part of a breakpoint: {reason}; parts are `node=KEY`, `goal=TEXT`, `status=STATUS`, `next=STATUS`, `plan>N`, `stage=before|prompt|reply|parsed|after`, joined by `,`"
)]
pub struct BreakpointError {
    part: String,
    reason: String,
}

impl FromStr for Breakpoint {
    type Err = BreakpointError;

    fn from_str(text: &str) -> Result<Self, BreakpointError> {
        let mut point = Self::default();
        for part in text.split(',').map(str::trim) {
            let wrong = |reason: &str| BreakpointError { part: part.to_owned(), reason: reason.to_owned() };
            if let Some(count) = part.strip_prefix("plan>") {
                point.plan_over = Some(count.trim().parse().map_err(|_| wrong("N is not a number"))?);
                continue;
            }
            let (name, value) = part.split_once('=').ok_or_else(|| wrong("it has no `=`"))?;
            let value = value.trim();
            let status = || TaskStatus::from_name(value).ok_or_else(|| wrong("no such status"));
            match name.trim() {
                "node" => point.node = Some(value.to_owned()),
                "goal" => point.goal = Some(value.to_owned()),
                "status" => point.status = Some(status()?),
                "next" => point.next = Some(status()?),
                "stage" => {
                    let stage = STAGES.iter().find(|(word, _)| *word == value).map(|(_, stage)| *stage);
                    point.stage = Some(stage.ok_or_else(|| wrong("no such stage"))?);
                }
                _ => return Err(wrong("no such part")),
            }
        }
        Ok(point)
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
    fn breakpoints_are_read_part_by_part() {
        let point: Breakpoint = "node=1.2, status=READY,stage=reply".parse().unwrap();
        assert_eq!(point.node.as_deref(), Some("1.2"));
        assert_eq!(point.status, Some(TaskStatus::Ready));
        assert_eq!(point.stage, Some(Stage::Reply));
        assert_eq!("plan>10".parse::<Breakpoint>().unwrap().plan_over, Some(10));
        for wrong in ["", "node", "status=GONE", "plan>x", "stage=later", "depth=1"] {
            assert!(wrong.parse::<Breakpoint>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_stated_part_must_fit() {
        let tree =
            Tree::new(crate::Task::root("Report on Tides", None), graphloom_state_machine::FailurePolicy::Degrade);
        let sight = Sight::of(&tree, &NodeKey::root(), TaskAction::Plan).unwrap();
        for (text, stage, fits) in [
            ("node=root", Stage::Before, true),
            ("node=root", Stage::After, false),
            ("goal=tides,status=READY", Stage::Before, true),
            ("goal=tides,status=DOING", Stage::Before, false),
            ("next=PLAN_DONE,stage=prompt", Stage::Prompt, true),
            ("plan>0", Stage::After, false),
        ] {
            assert_eq!(text.parse::<Breakpoint>().unwrap().fits(&sight, stage), fits, "{text}");
        }
    }
}
