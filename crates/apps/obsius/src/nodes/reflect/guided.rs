//! A judgement of a small model: yes or no to each statement.

use graphloom_agents::{Agent, AgentError};
use graphloom_vault::FileDiff;
use serde_json::json;

use super::super::visit::Visit;
use super::Judged;
use crate::overlay_tools::diff_of;
use crate::state::Finding;

/// Judges the statements at their places in the evidence; how sure the whole is, the model does not say.
pub(super) async fn judge(
    visit: &Visit,
    agent: &Agent<'_>,
    questions: &[(usize, String)],
    evidence: &mut [Finding],
    judged: &mut Judged,
) -> Result<(), AgentError> {
    let state = &visit.state;
    let changed: Vec<String> =
        diff_of(visit.resources(), &state.changes).files.iter().map(FileDiff::headline).collect();
    let done = if changed.is_empty() { "nothing".to_owned() } else { changed.join("; ") };
    for (at, question) in questions {
        let args = json!({ "request": state.session.original_request, "actions": done, "question": question });
        let options = ["yes".to_owned(), "no".to_owned()];
        let answer = agent.choose(&args, &options).await?;
        let chosen = answer.value.index;
        judged.exchanges.push(answer.exchange);
        // What nothing was done for does not hold, whatever a small model says.
        evidence[*at].holds = chosen == 0 && !(changed.is_empty() && state.answer.is_empty());
        evidence[*at].evidence = format!("judged {} on: {done}", options[chosen]);
    }
    Ok(())
}
