//! Whether a task is carried out as it is, and its goal in the light of earlier results.

use graphloom_agents::{AgentError, Exchange, Parsed};
use graphloom_llm::parse::tags;

use super::super::ask::{agent, seeded};
use super::super::{Setup, StageError, TaskContext};
use crate::context::PromptArgs;

/// A judgement.
#[derive(Clone, Debug, Default)]
pub(super) struct Judgement {
    /// Whether the task is carried out as it is.
    pub(super) atomic: bool,
    /// The new goal, when it changed.
    pub(super) goal: Option<String>,
    /// What was thought.
    pub(super) think: String,
    pub(super) exchanges: Vec<Exchange>,
    pub(super) notes: Vec<String>,
}

/// Asks the model whether a task is atomic, and for its goal when `update`. Without a usable answer it is complex.
pub(super) async fn judge(
    setup: &Setup,
    context: TaskContext<'_>,
    args: &PromptArgs,
    update: bool,
) -> Result<Judgement, StageError> {
    let action = if update { "atom_update" } else { "atom" };
    let agent = agent(setup, action, &args.task_type)?;
    let spec = agent.spec();
    let asked = agent.ask(args, seeded(setup, &context, action), |reply| {
        let tag = spec.tag("verdict");
        let verdict = tags::find(reply.text, tag).ok_or_else(|| format!("there is no `<{tag}>`"))?;
        let word = verdict.split(|c: char| !c.is_alphabetic()).find(|word| !word.is_empty()).unwrap_or_default();
        let atomic = match word.to_lowercase().as_str() {
            "atomic" => true,
            "complex" => false,
            other => return Err(format!("`<{tag}>` begins with `{other}`; write `atomic` or `complex`")),
        };
        let goal = if update { goal_in(reply.text, spec.tag("goal")) } else { None };
        let think = tags::find(reply.text, spec.tag("think")).unwrap_or_default();
        Ok(Parsed::new(Judgement { atomic, goal, think, ..Judgement::default() }))
    });
    match asked.await {
        Ok(answer) => Ok(Judgement { exchanges: vec![answer.exchange], ..answer.value }),
        Err(AgentError::Unusable { exchange, problem, .. }) => Ok(Judgement {
            exchanges: vec![*exchange],
            notes: vec![format!("no judgement of task `{}` could be read ({problem}); it is planned", context.key)],
            ..Judgement::default()
        }),
        Err(error) => Err(error.into()),
    }
}

/// Asks the model to bring a goal up to date. Without a usable answer it stays.
pub(super) async fn update(
    setup: &Setup,
    context: TaskContext<'_>,
    args: &PromptArgs,
) -> Result<Judgement, StageError> {
    let agent = agent(setup, "update", &args.task_type)?;
    let spec = agent.spec();
    let asked = agent.ask(args, seeded(setup, &context, "update"), |reply| {
        let tag = spec.tag("goal");
        if tags::find(reply.text, tag).is_none() && !reply.last {
            return Err(format!("there is no `<{tag}>`"));
        }
        let goal = goal_in(reply.text, tag);
        Ok(Parsed::new(Judgement { atomic: true, goal, ..Judgement::default() }))
    });
    match asked.await {
        Ok(answer) => Ok(Judgement { exchanges: vec![answer.exchange], ..answer.value }),
        Err(AgentError::Unusable { exchange, problem, .. }) => Ok(Judgement {
            atomic: true,
            exchanges: vec![*exchange],
            notes: vec![format!("the goal of task `{}` could not be updated ({problem}); it stays", context.key)],
            ..Judgement::default()
        }),
        Err(error) => Err(error.into()),
    }
}

fn goal_in(text: &str, tag: &str) -> Option<String> {
    let goal = tags::find(text, tag)?;
    let lines: Vec<&str> = goal.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let goal = lines.join("; ");
    let says_nothing = matches!(
        goal.to_lowercase().trim_end_matches('.'),
        "" | "none" | "nothing" | "no change" | "no update" | "n/a"
    );
    (!says_nothing).then_some(goal)
}
