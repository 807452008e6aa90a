//! A plan in the hands of a person: what is shown, and what becomes of a changed one.

use super::super::{Outcome, Setup, StageError, TaskContext};
use super::draft::outer;
use crate::plan::{Plan, PlanRules, PlannedTask, RawPlan, RawTask, repair_plan};
use crate::review::{PlanDecision, PlanReview, PlanReviewer, PlanVerdict};
use crate::task::Task;

/// Lets the reviewer of the setup, where there is one, decide on a plan as it is repaired. A changed plan in which something
/// had to be put right is shown again, so that what is carried out was seen.
pub(super) async fn reviewed(
    setup: &Setup,
    context: TaskContext<'_>,
    rules: &PlanRules,
    mut drawn: RawPlan,
    outcome: &mut Outcome,
) -> Result<Option<RawPlan>, StageError> {
    let Some(reviewer) = &setup.review else { return Ok(Some(drawn)) };
    let task = &context.node()?.payload;
    for round in 1.. {
        let plan = repair_plan(&drawn, outer(task), rules);
        if round == 1 && plan.is_atomic() {
            break;
        }
        let PlanVerdict { decision, tasks } = ask(&**reviewer, context, task, rules, &plan, round).await?;
        if decision == PlanDecision::Accept {
            break;
        }
        // Who changes nothing sees the plan again.
        let Some(tasks) = tasks else { continue };
        outcome.notes.push(format!("the plan of task `{}` was changed in a review", context.key));
        if tasks.is_empty() {
            return Ok(None);
        }
        drawn = RawPlan::of_tasks(tasks);
        if repair_plan(&drawn, outer(task), rules).repairs().is_empty() {
            break;
        }
    }
    Ok(Some(drawn))
}

async fn ask(
    reviewer: &dyn PlanReviewer,
    context: TaskContext<'_>,
    task: &Task,
    rules: &PlanRules,
    plan: &Plan,
    round: u32,
) -> Result<PlanVerdict, StageError> {
    let inner = task.info.task_type.inner();
    let question = PlanReview {
        review: "plan".to_owned(),
        node: context.key.to_string(),
        goal: task.info.goal.clone(),
        length: task.info.length.clone(),
        round,
        tasks: plan.tasks().iter().map(shown).collect(),
        put_right: plan.repairs().iter().map(ToString::to_string).collect(),
        types: rules.allowed.iter().copied().filter(|allowed| inner.contains(allowed)).collect(),
        most_tasks: rules.max_tasks,
    };
    reviewer.review(&question).await.ok_or_else(|| StageError::NotReviewed { key: context.key.clone() })
}

/// A task as it would be carried out, in the form in which plans are written.
fn shown(task: &PlannedTask) -> RawTask {
    RawTask {
        id: Some(task.id.clone()),
        goal: Some(task.goal.clone()),
        task_type: Some(task.task_type.word().to_owned()),
        dependency: Some(task.dependency.clone()),
        length: task.length.clone(),
        atom: task.atom,
        sub_tasks: task.sub_tasks.clone(),
    }
}
