//! A plan of a small model: goals of known kinds; the title and the criteria are not its own.

use graphloom_agents::Agent;
use serde_json::json;

use super::super::visit::Visit;
use super::{PlanOutcome, fallback};
use crate::ObsiusError;
use crate::analyze::{Intents, WrittenPlan, compile, or_by_rules, small_plan_schema, title_of, wants_index};
use crate::ask::value;
use crate::state::SubtaskKind;

/// What the model makes of the request, inside a grammar.
pub(super) async fn plan(
    visit: &Visit,
    agent: &Agent<'_>,
    request: &str,
    max: usize,
) -> Result<PlanOutcome, ObsiusError> {
    let intents = Intents::of(request);
    let makes = intents.create || intents.organize || wants_index(request);
    // The example of the request's sort stands last, where a small model looks first.
    let gathers = intents.organize || wants_index(request);
    let sort = if gathers {
        "make"
    } else if makes {
        "note"
    } else if intents.changes_something() {
        "change"
    } else {
        "ask"
    };
    let args = json!({ "request": request, "sort": sort });
    let asked = value::<WrittenPlan>(&visit.setup, agent, &args, "plan", small_plan_schema(max)).await;
    let answer = match asked {
        Ok(answer) => answer,
        Err(error) => return fallback(error, request),
    };
    let mut written = answer.value;
    if sort == "note" {
        // A note on a subject quotes what was found; to link, order or change what is there is asked for in other words.
        let kinds = [SubtaskKind::Search, SubtaskKind::Read, SubtaskKind::Create, SubtaskKind::Verify];
        written.subtasks.retain(|task| kinds.contains(&task.kind));
    }
    // Its title is that of the request: a small model names what it was shown last.
    written.title = Some(title_of(request)).filter(|title| !title.is_empty());
    let compiled = compile(&written, request, max).and_then(|compiled| {
        if compiled.plan.has(SubtaskKind::Create) && !makes {
            return Err("it makes a note that nobody asked for".to_owned());
        }
        // All that is said is what notes say.
        if !compiled.plan.has(SubtaskKind::Search) {
            return Err("no subtask searches".to_owned());
        }
        Ok(compiled)
    });
    let (plan, notices) = or_by_rules(compiled, request);
    Ok(PlanOutcome::Plan(plan, notices, vec![answer.exchange]))
}
