//! What planning a task has in common however it is done: what is settled by rule, and the change of the tree at the end.

use graphloom_agents::Exchange;
use graphloom_state_machine::TreeChange;

use super::super::{Outcome, Setup, StageError, TaskContext};
use super::reviewed::reviewed;
use crate::inner_graph::plan_to_graph;
use crate::plan::{Outer, Plan, PlanRules, PlanStats, RawPlan, repair_plan};
use crate::profile::AtomRules;
use crate::task::{Planning, Task, TaskChange, Tree};

/// What profile and limits say of a task before any model is asked.
pub(super) enum ByRule {
    /// It is carried out as it is; its goal may be brought up to date first.
    Atomic {
        /// Whether the profile wants that.
        update_goal: bool,
    },
    /// This is its plan, without one it is carried out as it is.
    Settled(Option<RawPlan>),
    /// Nothing.
    Open,
}

/// A plan that is being made.
pub(super) struct Draft<'a> {
    context: TaskContext<'a>,
    rules: PlanRules,
    pub(super) atom: AtomRules,
    pub(super) has_parents: bool,
    outcome: Outcome,
    changes: Vec<TaskChange>,
    /// The tree with the changes so far.
    tree: Tree,
}

impl<'a> Draft<'a> {
    pub(super) fn new(setup: &Setup, context: TaskContext<'a>) -> Result<Self, StageError> {
        let node = context.node()?;
        Ok(Self {
            context,
            rules: setup.plan_rules(),
            atom: setup.profile.settings.atom(node.payload.info.task_type),
            has_parents: !node.parents.is_empty(),
            outcome: Outcome::nothing(context.key),
            changes: Vec::new(),
            tree: context.tree.clone(),
        })
    }

    /// What is settled by rule; a limit of the user leaves a note.
    pub(super) fn by_rule(&mut self, setup: &Setup) -> Result<ByRule, StageError> {
        let (context, atom) = (self.context, &self.atom);
        if atom.all_atom {
            let update_goal = atom.update_goal && (self.has_parents || !atom.only_on_depend);
            return Ok(ByRule::Atomic { update_goal });
        }
        if atom.use_candidate_plan {
            let candidate = context.node()?.payload.candidate_plan.clone();
            let candidate = candidate.filter(|tasks| !tasks.is_empty()).map(RawPlan::of_tasks);
            let limit = candidate.as_ref().and_then(|_| limit(setup, context));
            let allowed = candidate.filter(|_| limit.is_none());
            self.outcome.notes.extend(limit);
            return Ok(ByRule::Settled(allowed));
        }
        if atom.force_atom_layer.is_some_and(|layer| context.key.layer() >= layer) {
            return Ok(ByRule::Settled(None));
        }
        if let Some(limit) = limit(setup, context) {
            self.outcome.notes.push(limit);
            return Ok(ByRule::Settled(None));
        }
        Ok(ByRule::Open)
    }

    /// Takes a change of the task itself.
    pub(super) fn change(&mut self, change: TaskChange) {
        // Applying the same change again changes nothing.
        self.tree.apply(TreeChange::changed(self.context.key.clone(), change.clone()));
        self.changes.push(change);
    }

    /// The calls that were made, and what a user should know of them.
    pub(super) fn record(&mut self, exchanges: Vec<Exchange>, notes: Vec<String>) {
        self.outcome.exchanges.extend(exchanges);
        self.outcome.notes.extend(notes);
    }

    /// The task in the tree with the changes so far, what plans must keep to, and where calls and notes are recorded.
    pub(super) fn parts(&mut self) -> (TaskContext<'_>, &PlanRules, &mut Outcome) {
        (TaskContext { tree: &self.tree, ..self.context }, &self.rules, &mut self.outcome)
    }

    /// Repairs what was drawn up, has it reviewed where plans are, and makes the inner tasks of it; without a plan the task
    /// is carried out as it is.
    pub(super) async fn finish(mut self, setup: &Setup, drawn: Option<RawPlan>) -> Result<Outcome, StageError> {
        let key = self.context.key;
        let drawn = match drawn {
            Some(drawn) => {
                let (context, rules, outcome) = self.parts();
                reviewed(setup, context, rules, drawn, outcome).await?
            }
            None => None,
        };
        let task: Task = (*self.parts().0.node()?.payload).clone();
        let plan = match &drawn {
            Some(raw) => repair_plan(raw, outer(&task), &self.rules),
            None => Plan::atomic(),
        };
        if let Some(raw) = drawn {
            let repairs = plan.repairs().iter().map(|repair| format!("plan of task `{key}`: {repair}"));
            self.outcome.notes.extend(repairs);
            let stats = PlanStats::of(&raw);
            let planning = Planning::new(raw.tasks, plan.repairs().to_vec(), stats);
            self.changes.push(TaskChange::Planned { planning });
        }
        let children = plan_to_graph(&plan, &task, self.rules.chains);
        let mut all: Vec<TreeChange<Task>> =
            self.changes.into_iter().map(|change| TreeChange::changed(key.clone(), change)).collect();
        all.push(TreeChange::planned(key.clone(), children));
        self.outcome.change = TreeChange::All(all);
        Ok(self.outcome)
    }
}

/// What a plan of a task must fit.
pub(super) fn outer(task: &Task) -> Outer<'_> {
    let info = &task.info;
    Outer { id: &info.id, goal: &info.goal, task_type: info.task_type, length: info.length.as_deref() }
}

/// The note to leave where a limit of the user makes a task atomic.
fn limit(setup: &Setup, context: TaskContext<'_>) -> Option<String> {
    let (key, at, nodes) = (context.key, context.key.layer(), context.tree.len());
    let note = |reason: String| Some(format!("task `{key}` is carried out without planning: {reason}"));
    if setup.max_depth.is_some_and(|depth| at >= depth) {
        return note(format!("layer {at} is the deepest allowed"));
    }
    if setup.max_nodes.is_some_and(|most| nodes >= most) {
        return note(format!("the tree has {nodes} nodes"));
    }
    None
}
