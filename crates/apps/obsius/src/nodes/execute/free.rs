//! Actions that the model asks for.

use graphloom_agents::{Agent, Exchange};
use serde_json::{Value, json};

use super::super::analyze::merge;
use super::super::visit::Visit;
use crate::ObsiusError;
use crate::ask::value;
use crate::execute::{MOST, WrittenActions, actions_schema, read_actions};
use crate::overlay_tools::OverlayTools;
use crate::state::{ExecutionPlan, Finding, WorkflowState, read_blob};
use crate::view::{progress_args, vault_args};

/// The actions for the criteria in `unmet`, in view of the subtasks and of what tools gave so far.
pub(super) async fn plan(
    visit: &Visit,
    workspace: &OverlayTools,
    agent: &Agent<'_>,
    unmet: &[Finding],
) -> Result<(ExecutionPlan, Vec<Exchange>), ObsiusError> {
    let state = &visit.state;
    let specs = workspace.tools().specs();
    let names: Vec<&str> = workspace.tools().names().collect();
    let subtasks: Vec<Value> = state
        .task_plan
        .iter()
        .flat_map(|plan| &plan.decomposed_tasks)
        .map(|task| {
            let done = state.objectives.completed.contains(&task.id);
            json!({ "id": task.id, "kind": task.kind, "goal": task.goal, "done": done })
        })
        .collect();
    let mut args = json!({
        "request": state.session.original_request,
        "tools": specs.iter().map(|spec| json!({
            "name": spec.name, "description": spec.description, "parameters": spec.parameters.to_string(),
        })).collect::<Vec<_>>(),
        "subtasks": subtasks,
        "unmet": unmet.iter().map(|f| json!({ "criterion": f.criterion.text(), "evidence": f.evidence })).collect::<Vec<_>>(),
        "results": results(state),
        "most": MOST,
    });
    merge(&mut args, vault_args(state));
    merge(&mut args, progress_args(state));
    let answer = value::<WrittenActions>(&visit.setup, agent, &args, "actions", actions_schema(&names)).await?;
    Ok((read_actions(answer.value, visit.iteration.number), vec![answer.exchange]))
}

/// The newest results of tools, as far as a prompt holds them, oldest first.
fn results(state: &WorkflowState) -> Vec<Value> {
    let mut left = state.session.config.max_prompt_chars;
    let mut shown = Vec::new();
    for at in (0..state.executed_actions.len()).rev() {
        let Some(action) = state.executed_actions.get(at) else { continue };
        let (message, _) = read_blob(state, action);
        let mut text: String = message.chars().take(left).collect();
        if text.is_empty() {
            break;
        }
        left -= text.chars().count();
        let cut = message.chars().count() - text.chars().count();
        if cut > 0 {
            text.push_str(&format!("\n[{cut} more characters are not shown]"));
        }
        let origin = format!("{} {}", action.tool, action.arguments);
        shown.push(json!({ "origin": origin.chars().take(160).collect::<String>(), "text": text }));
    }
    shown.reverse();
    shown
}
