//! What came of a run.

use graphloom_agents::StopReason;
use graphloom_agents::react::ReactState;
use graphloom_cli::frame::ProgramResult;
use graphloom_cli::{ExitStatus, Session};
use graphloom_llm::layers::Spent;
use serde_json::{Value, json};

/// The result that is printed: the answer, and with `--json` the calls, too.
pub(super) fn of(session: &Session, id: &str, state: &ReactState) -> ProgramResult {
    let told = |note: &str| Some(note.to_owned());
    let (status, note) = match state.stop {
        Some(StopReason::Answered | StopReason::Ended) => (ExitStatus::Done, None),
        Some(StopReason::TurnLimit) => {
            (ExitStatus::BudgetSpent, told("the turns were used up; the answer is what the model had by then"))
        }
        Some(StopReason::Cut) => {
            let last = state.turns.last().and_then(|turn| turn.notes.last());
            (ExitStatus::Failed, last.cloned().or_else(|| told("the answer ended at the model's limit of tokens")))
        }
        Some(StopReason::Repeating) => {
            (ExitStatus::Failed, told("the model asked again and again for a call that had failed"))
        }
        Some(StopReason::Silent) => {
            (ExitStatus::Failed, told("the model said nothing three times in a row, or thought and gave no answer"))
        }
        _ => (ExitStatus::Failed, told("the run ended without a reason")),
    };
    if let Some(note) = note {
        session.progress.warn(note);
    }
    let calls: Vec<Value> = state
        .calls
        .iter()
        .map(|call| {
            let outcome = &call.outcome;
            json!({
                "turn": call.turn, "tool": outcome.tool, "arguments": outcome.arguments, "risk": outcome.risk,
                "failed": !outcome.is_success(), "content": outcome.content(), "notes": outcome.notes,
            })
        })
        .collect();
    let value = json!({
        "run": id, "answer": state.answer, "stop": state.stop, "turns": state.turns.len(), "calls": calls,
        "usage": state.usage,
    });
    let mut result = ProgramResult::new(status, state.answer.clone().unwrap_or_default(), value);
    if result.text.is_empty() {
        result.text = "the model gave no answer".to_owned();
    }
    result
}

/// What a run has spent of its budget, as far as its state says: calls and tokens.
pub(super) fn spent(state: &ReactState) -> Spent {
    let mut spent = Spent::default();
    spent.calls = (state.turns.len() + state.compactions.len()) as u64;
    spent.tokens = state.usage.input + state.usage.output;
    spent
}
