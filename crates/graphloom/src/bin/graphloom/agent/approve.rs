//! Asking a person whether calls may be made.

use graphloom_agents::{Confirmation, Decision};
use graphloom_cli::{ConsentArgs, Failure, Prompt, Session, next_line};
use graphloom_core_graph::{Answers, Questions};

/// The decisions on the calls that wait; `None` where nobody can be asked, or the person leaves.
pub(super) async fn ask(
    consent: &ConsentArgs,
    session: &Session,
    questions: &Questions,
) -> Result<Option<Answers>, Failure> {
    let mut answers = Answers::new();
    let mut prompt = None;
    for question in questions.iter() {
        let decision = if consent.yes {
            Decision::Allow
        } else if consent.may_ask(&session.progress) {
            session.progress.note(shown(&question.payload));
            if prompt.is_none() {
                prompt = Prompt::open(&session.progress)?;
            }
            let line = match &mut prompt {
                Some(prompt) => prompt.answer("> ").await?,
                None => next_line().await?,
            };
            match line {
                Some(line) => decision(&line),
                None => return Ok(None),
            }
        } else {
            return Ok(None);
        };
        answers = answers.and(&question.id, decision)?;
    }
    Ok(Some(answers))
}

/// A call as a person is asked about it.
fn shown(payload: &serde_json::Value) -> String {
    let Ok(Confirmation { tool, risk, arguments, .. }) = serde_json::from_value(payload.clone()) else {
        return payload.to_string();
    };
    let arguments = serde_json::to_string_pretty(&arguments).unwrap_or_default();
    let text = format!("the model wants to call `{tool}` ({risk}) with\n{arguments}");
    format!("{text}\nCall it? `y`, `n`, or say why not:")
}

/// What a person means by a line.
fn decision(line: &str) -> Decision {
    let line = line.trim();
    match line.to_lowercase().as_str() {
        "y" | "yes" => Decision::Allow,
        "" | "n" | "no" => Decision::Deny { reason: "the person said no".to_owned() },
        _ => Decision::Deny { reason: line.to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_decision() {
        for (line, allowed) in [("y\n", true), ("YES", true), ("", false), ("n", false), ("yes, but later", false)] {
            assert_eq!(decision(line) == Decision::Allow, allowed, "{line}");
        }
        assert_eq!(decision(" not on a Sunday "), Decision::Deny { reason: "not on a Sunday".to_owned() });
    }
}
