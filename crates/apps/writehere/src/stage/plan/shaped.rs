//! A plan of a given shape, which a model fills in.

use graphloom_agents::{AgentError, Parsed, Strategy};
use graphloom_llm::ResponseFormat;
use graphloom_llm::parse::read_value;
use serde::Serialize;

use super::super::ask::{agent, seeded};
use super::super::{Outcome, Setup, StageError, TaskContext};
use super::brief;
use crate::TaskType;
use crate::context::PromptArgs;
use crate::plan::{PlanRules, PlanShape, RawPlan, plan_schema, read_plan};

/// The arguments of the prompt for a plan inside a grammar.
#[derive(Serialize)]
struct ShapedArgs<'a> {
    #[serde(flatten)]
    args: &'a PromptArgs,
    slots: Vec<&'static str>,
}

/// Asks for a plan of a given shape: goals and dependencies are the model's. For models that answer inside a grammar, and
/// for others that could not put a plan into words.
pub(super) async fn plan(
    setup: &Setup,
    context: TaskContext<'_>,
    rules: &PlanRules,
    outcome: &mut Outcome,
) -> Result<RawPlan, StageError> {
    let args = context.args(setup)?;
    let node = context.node()?;
    let task_type = node.payload.info.task_type;
    let search = rules.allowed.contains(&TaskType::Search);
    let per_part = setup.profile.settings.small.words_per_part;
    let shape = PlanShape::for_task(task_type, node.payload.words(), search, per_part);
    let slots = shape.slots.iter().filter_map(|types| types.first()).map(|t| t.word()).collect();
    let agent = agent(setup, "plan", task_type.word())?;
    let prompt = ShapedArgs { args: &args, slots };
    let schema = plan_schema(&shape, &node.payload.info.id);
    let mut ask = seeded(setup, &context, "plan");
    ask.template = Some(agent.spec().template_for(Strategy::Guided).to_owned());
    ask.format = ResponseFormat::JsonSchema { name: "plan".to_owned(), schema: schema.clone() };
    ask.accept_incomplete = true;
    let asked = agent.ask(&prompt, ask, |reply| {
        // Servers keep to schemas more or less; what such a plan lacks is repaired like that of any other.
        let fits = read_value(reply.text, Some(&schema)).map(|parsed| parsed.value.to_string());
        let raw = match &fits {
            Ok(value) => read_plan(value, "result"),
            Err(_) => read_plan(reply.text, "result"),
        };
        let mut raw = raw.map_err(|error| error.to_string())?;
        complete(&mut raw, &shape);
        match fits {
            Err(failure) if !reply.last => Err(failure.to_string()),
            _ => Ok(Parsed::new(raw)),
        }
    });
    match asked.await {
        Ok(answer) => {
            outcome.exchanges.push(answer.exchange);
            Ok(answer.value)
        }
        Err(AgentError::Unusable { exchange, problem, .. }) => {
            outcome.exchanges.push(*exchange);
            outcome.notes.push(format!(
                "no plan for task `{}` could be read ({}); it is carried out as a whole",
                context.key,
                brief(&problem)
            ));
            Ok(RawPlan::of_tasks(Vec::new()))
        }
        Err(error) => Err(error.into()),
    }
}

/// Fills in what the shape says of each task and a reply left out: its type, and that writing waits for all else.
fn complete(raw: &mut RawPlan, shape: &PlanShape) {
    raw.tasks.truncate(shape.slots.len());
    let mut before: Vec<String> = Vec::new();
    for (task, types) in raw.tasks.iter_mut().zip(&shape.slots) {
        let Some(usual) = types.first() else { continue };
        if task.task_type.is_none() {
            task.task_type = Some(usual.word().to_owned());
        }
        if *usual == TaskType::Write {
            task.dependency.get_or_insert_with(|| before.clone());
        } else {
            task.dependency.get_or_insert_default();
            before.extend(task.id.clone());
        }
    }
}
