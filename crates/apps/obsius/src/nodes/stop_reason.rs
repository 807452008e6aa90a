//! Why a conversation with tools ended, as the reason of the run's end.

use graphloom_agents::{Risk, StopReason as Ended, Transcript};
use graphloom_llm::FinishReason;

use crate::ObsiusError;
use crate::completion::{Facts, check};
use crate::state::{ExecutedAction, StopReason};

/// Why the run ends after a conversation. Changes that were made are kept whatever came after them; the reason says what
/// failed. Where nothing was changed, a failure is one of the run.
///
/// # Errors
/// A conversation that came to nothing: a tool failed and nothing made up for it, or the model gave no answer.
pub(super) fn stop_reason(
    transcript: &Transcript,
    actions: &[ExecutedAction],
    changed: bool,
    facts: Facts,
) -> Result<StopReason, ObsiusError> {
    let turns = transcript.turns;
    let no_answer = |why: &str| ObsiusError::NoAnswer { turns, why: why.to_owned() };
    match transcript.stop {
        Ended::TurnLimit => return Ok(StopReason::TurnLimit { turns }),
        Ended::Cut => {
            let length = FinishReason::Length.broken_off().unwrap_or_default();
            let other = transcript.notes.last().filter(|note| !note.ends_with(&length));
            return Ok(other.map_or(StopReason::AnswerCut, |how| StopReason::AnswerBrokenOff { how: how.clone() }));
        }
        Ended::Silent => return Err(no_answer("it said nothing, several times")),
        Ended::Repeating => {
            let failed = actions.iter().rev().find(|action| !action.result.success).filter(|_| changed);
            let Some(action) = failed else {
                return Err(no_answer("it asked again and again for a call that failed"));
            };
            let same = |other: &&ExecutedAction| {
                !other.result.success && other.tool == action.tool && other.arguments == action.arguments
            };
            let failures = actions.iter().filter(same).count();
            return Ok(StopReason::RepeatedFailure {
                action: action.tool.clone(),
                times: u32::try_from(failures).unwrap_or(u32::MAX),
                // The first error says more than that the call was refused for failing before.
                error: actions.iter().find(same).unwrap_or(action).result.message.clone(),
            });
        }
        _ => {}
    }
    if let Some(failed) = open_failure(actions) {
        let (action, error) = (failed.tool.clone(), failed.result.message.clone());
        return if changed {
            Ok(StopReason::ActionFailed { action, error })
        } else {
            Err(ObsiusError::ToolFailed { tool: action, message: error })
        };
    }
    if transcript.answer.is_none() {
        return Err(no_answer("it said nothing"));
    }
    Ok(check(facts).map_or(StopReason::Answered, |by| StopReason::Complete { by }))
}

/// The newest failure that is still open: after a failed change no change succeeded, after any other failure no action did.
pub(super) fn open_failure(actions: &[ExecutedAction]) -> Option<&ExecutedAction> {
    actions.iter().enumerate().rev().find_map(|(at, action)| {
        let is_change = action.risk.is_some_and(|risk| risk > Risk::Read);
        let resolves = |later: &ExecutedAction| later.result.success && (!is_change || later.is_write());
        (!action.result.success && !actions[at + 1..].iter().any(resolves)).then_some(action)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(risk: Risk, success: bool) -> ExecutedAction {
        let mut action = ExecutedAction { risk: Some(risk), ..ExecutedAction::default() };
        action.result.success = success;
        action
    }

    #[test]
    fn a_failed_change_is_mended_by_a_change_and_a_failed_read_by_anything() {
        use Risk::{Read, Write};
        for (actions, expected) in [
            (vec![], false),
            (vec![(Write, true), (Read, false)], true),
            (vec![(Read, false), (Write, true)], false),
            (vec![(Read, false), (Read, true)], false),
            (vec![(Write, false), (Read, true)], true),
            (vec![(Write, false), (Read, false), (Write, true)], false),
        ] {
            let actions: Vec<ExecutedAction> = actions.into_iter().map(|(risk, ok)| action(risk, ok)).collect();
            assert_eq!(open_failure(&actions).is_some(), expected, "{actions:?}");
        }
    }
}
