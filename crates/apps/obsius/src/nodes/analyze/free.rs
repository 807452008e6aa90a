//! A plan in the model's own words, or an answer where nothing has to be done.

use graphloom_agents::Agent;
use serde_json::json;

use super::super::visit::Visit;
use super::{PlanOutcome, fallback, merge};
use crate::ObsiusError;
use crate::analyze::{Intents, WrittenPlan, compile, or_by_rules, plan_schema};
use crate::ask::value;
use crate::view::{language_name, memory_text, progress_args, unmet, vault_args};

/// What the model makes of the request in view of the vault and of what was done so far.
pub(super) async fn plan(
    visit: &Visit,
    agent: &Agent<'_>,
    request: &str,
    max: usize,
) -> Result<PlanOutcome, ObsiusError> {
    let (setup, state) = (&visit.setup, &visit.state);
    let mut args = json!({
        "request": request,
        "max_subtasks": max,
        "unmet": unmet(state).iter().map(|f| json!({ "criterion": f.criterion.text(), "evidence": f.evidence })).collect::<Vec<_>>(),
        "memory": memory_text(state),
        "language": language_name(state),
    });
    merge(&mut args, vault_args(state));
    merge(&mut args, progress_args(state));
    let asked = value::<WrittenPlan>(setup, agent, &args, "plan", plan_schema(max)).await;
    match asked {
        Ok(answer) => {
            let written = answer.value;
            let reply = written.answer.clone().filter(|answer| !answer.trim().is_empty());
            if let (true, Some(reply), false) =
                (written.subtasks.is_empty(), reply, Intents::of(request).changes_something())
            {
                return Ok(PlanOutcome::Answer(reply, vec![answer.exchange]));
            }
            let (plan, notices) = or_by_rules(compile(&written, request, max), request);
            Ok(PlanOutcome::Plan(plan, notices, vec![answer.exchange]))
        }
        Err(error) => fallback(error, request),
    }
}
