//! Planning by a model that judges and plans in words.

use graphloom_agents::{AgentError, Parsed};
use graphloom_llm::parse::tags;

use super::super::ask::{agent, seeded};
use super::super::{Outcome, Setup, StageError, TaskContext};
use super::draft::{ByRule, Draft, outer};
use super::judge::{judge, update};
use super::{brief, shaped};
use crate::plan::{PlanError, PlanRules, RawPlan, check_plan, read_plan, repair_plan};
use crate::task::TaskChange;

/// Lets the model judge whether the task is atomic, and plan it where it is not.
pub(super) async fn plan(setup: &Setup, context: TaskContext<'_>) -> Result<Outcome, StageError> {
    let mut draft = Draft::new(setup, context)?;
    let drawn = match draft.by_rule(setup)? {
        ByRule::Settled(plan) => plan,
        ByRule::Atomic { update_goal: false } => None,
        ByRule::Atomic { update_goal: true } => {
            let updated = update(setup, context, &context.args(setup)?).await?;
            draft.record(updated.exchanges, updated.notes);
            if let Some(goal) = updated.goal {
                draft.change(TaskChange::Goal { goal });
            }
            None
        }
        ByRule::Open => {
            let update_goal = draft.atom.update_diff && draft.has_parents;
            let judged = judge(setup, context, &context.args(setup)?, update_goal).await?;
            draft.record(judged.exchanges, judged.notes);
            if !judged.think.is_empty() {
                draft.change(TaskChange::Judged { think: judged.think });
            }
            if let Some(goal) = judged.goal {
                draft.change(TaskChange::Goal { goal });
            }
            if judged.atomic {
                None
            } else {
                let (changed, rules, outcome) = draft.parts();
                in_words(setup, changed, rules, outcome).await?
            }
        }
    };
    draft.finish(setup, drawn).await
}

/// Asks for a plan in words. A reply with faults is sent back as often as the rules say; when no reply holds a plan, the
/// model is given the shape of one, and when that gives none either, the task is carried out as it is.
async fn in_words(
    setup: &Setup,
    context: TaskContext<'_>,
    rules: &PlanRules,
    outcome: &mut Outcome,
) -> Result<Option<RawPlan>, StageError> {
    let args = context.args(setup)?;
    outcome.notes.extend(args.cuts.iter().map(|cut| format!("planning task `{}`: {cut}", context.key)));
    let task = &context.node()?.payload;
    let agent = agent(setup, "plan", &args.task_type)?;
    let tag = agent.spec().tag("plan");
    let asked = agent.ask(&args, seeded(setup, &context, "plan"), |reply| {
        let raw = read_plan(reply.text, tag).map_err(|error| error.to_string())?;
        if reply.attempt <= rules.strict_tries && !reply.last {
            let plan = check_plan(&raw, outer(task), rules).map_err(|error| error.to_string())?;
            if plan.is_atomic() {
                return Err(PlanError::Empty.to_string());
            }
        }
        let repaired = repair_plan(&raw, outer(task), rules);
        let notes = repaired.repairs().iter().map(ToString::to_string).collect();
        Ok(Parsed::with_notes(raw, notes))
    });
    match asked.await {
        Ok(answer) => {
            outcome.exchanges.push(answer.exchange);
            if repair_plan(&answer.value, outer(task), rules).is_atomic() {
                let key = context.key;
                outcome.notes.push(format!(
                    "task `{key}` was judged to need a plan, but its plan has no tasks; it is carried out as a whole"
                ));
            }
            Ok(Some(answer.value))
        }
        Err(AgentError::Unusable { exchange, problem, .. }) => {
            let said: Vec<String> = exchange.attempts.iter().map(|attempt| attempt.reply.clone()).collect();
            outcome.exchanges.push(*exchange);
            let key = context.key;
            // A model that cannot plan in words is led like the small ones: it plans no deeper than they do. One that says
            // nothing is not asked again.
            let says_something = said.iter().any(|reply| !tags::without(reply, "think").trim().is_empty());
            if says_something && key.layer() < setup.profile.settings.small.force_atom_layer {
                let raw = shaped::plan(setup, context, rules, outcome).await?;
                if raw.tasks.is_empty() {
                    return Ok(None);
                }
                outcome.notes.push(format!(
                    "no plan for task `{key}` could be read ({}); the model filled in a plan of a given shape",
                    brief(&problem)
                ));
                return Ok(Some(raw));
            }
            let problem = brief(&problem);
            outcome
                .notes
                .push(format!("no plan for task `{key}` could be read ({problem}); it is carried out as a whole"));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
