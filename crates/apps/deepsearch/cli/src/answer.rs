//! Answers to the questions of a run, on the terminal or line by line.

use std::io::IsTerminal;

use graphloom_cli::{ConsentArgs, Failure, Prompt, Session, next_line};
use graphloom_core_graph::{Answers, Questions};
use graphloom_deepsearch::config::FeedbackMode;
use graphloom_deepsearch::nodes::outline_words;
use graphloom_deepsearch::{Config, OUTLINE_FEEDBACK};
use serde_json::Value;

use crate::web::WebMessages;

/// The outcome of asking.
pub(crate) enum Answered {
    /// Every question has an answer.
    Given(Answers),
    /// Nobody is there to answer.
    Nobody,
}

/// Asks the questions of a run: on the terminal, or in web mode as payloads, one a line of stdin.
pub(crate) async fn ask(
    consent: &ConsentArgs,
    session: &Session,
    web: &mut WebMessages,
    config: &Config,
    questions: &Questions,
) -> Result<Answered, Failure> {
    let payloads = config.workflow_feedback_mode == FeedbackMode::Web;
    let silent = consent.yes || consent.no_input || session.progress.is_json();
    let piped = payloads && !std::io::stdin().is_terminal();
    if silent || !(piped || consent.may_ask(&session.progress)) {
        return Ok(Answered::Nobody);
    }
    let mut answers = Answers::new();
    let mut terminal = if web.is_on() { None } else { Prompt::open(&session.progress)? };
    for question in questions.iter() {
        if !web.is_on() {
            let prompt = question.payload["prompt"].as_str().unwrap_or(&question.key).to_owned();
            let shown = question_text(&question.payload);
            session.progress.note(format!("{shown}{prompt}"));
        }
        let line = match &mut terminal {
            Some(terminal) => terminal.answer("> ").await?,
            None => next_line().await?,
        };
        let Some(line) = line else { return Ok(Answered::Nobody) };
        answers = answers.and(&question.id, value(&question.key, &line, payloads))?;
    }
    Ok(Answered::Given(answers))
}

/// What a person needs to see before they answer.
fn question_text(payload: &Value) -> String {
    let mut text = payload["questions"].as_str().map(|questions| format!("{questions}\n")).unwrap_or_default();
    if let Some(sections) = payload["outline"]["sections"].as_array() {
        text.push_str(&format!("{}\n", payload["outline"]["title"].as_str().unwrap_or_default()));
        for section in sections {
            let of = |key: &str| section[key].as_str().unwrap_or_default().to_owned();
            text.push_str(&format!("  {}. {}: {}\n", of("id"), of("title"), of("description")));
        }
        text.push_str("`accepted`, a comment, or a payload as JSON. ");
    }
    text
}

/// A line as an answer. On the terminal an outline may be accepted or commented in plain words.
fn value(key: &str, line: &str, payloads: bool) -> Value {
    let line = line.trim();
    if let Ok(value @ Value::Object(_)) = serde_json::from_str(line) {
        return value;
    }
    if payloads || key != OUTLINE_FEEDBACK {
        return Value::String(line.to_owned());
    }
    outline_words(line)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_outline_may_be_answered_in_plain_words() {
        let accepted = json!({ "interrupt_feedback": "accepted", "feedback": "" });
        assert_eq!(value(OUTLINE_FEEDBACK, "accepted\n", false), accepted);
        assert_eq!(value(OUTLINE_FEEDBACK, "\n", false), accepted);
        let comment = json!({ "interrupt_feedback": "revise_comment", "feedback": "more about costs" });
        assert_eq!(value(OUTLINE_FEEDBACK, "more about costs", false), comment);
        assert_eq!(value(OUTLINE_FEEDBACK, "accepted", true), json!("accepted"), "a payload is taken as it is");
        assert_eq!(value("feedback", "the last decade", false), json!("the last decade"));
        assert_eq!(value("feedback", "{\"feedback\": \"x\"}", true), json!({ "feedback": "x" }));
    }
}
