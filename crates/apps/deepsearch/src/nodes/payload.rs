//! What people answer.

use serde_json::{Value, json};

/// The longest feedback, in characters.
const MOST: usize = 104_857_600;
/// Ends the run without a failure.
const FINISH_TASK: &str = "FINISH TASK";

/// An answer to the clarifying questions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Feedback {
    /// What the person said.
    Text(String),
    /// The run shall end.
    Finish,
    /// Nothing was said (211702).
    Empty,
    /// It is no text (211701).
    Unreadable(String),
}

/// Reads `{"feedback": text}`, a text that holds this, or any other text, which is the feedback itself.
pub(crate) fn feedback(answer: &Value) -> Feedback {
    let text = match answer {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(Value::Object(fields)) => return feedback(&Value::Object(fields)),
            _ => text.as_str(),
        },
        Value::Object(fields) => match fields.get("feedback") {
            Some(Value::String(text)) => text.as_str(),
            None | Some(Value::Null) => "",
            Some(other) => return Feedback::Unreadable(format!("`feedback` is {}, not a text", kind(other))),
        },
        Value::Null => "",
        other => return Feedback::Unreadable(format!("the feedback is {}, not a text or an object", kind(other))),
    };
    let text = match text.char_indices().nth(MOST) {
        Some((end, _)) => &text[..end],
        None => text,
    };
    match text.trim() {
        "" => Feedback::Empty,
        FINISH_TASK => Feedback::Finish,
        _ => Feedback::Text(text.to_owned()),
    }
}

/// An answer about an outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OutlineFeedback {
    /// It is good.
    Accepted,
    /// It shall be changed by a comment.
    ReviseComment(String),
    /// It shall be replaced.
    ReviseOutline(String),
    /// Anything else ends the run.
    Other(String),
    /// It cannot be read (211701).
    Unreadable(String),
}

/// What a person says to an outline in plain words, as a payload: nothing, `yes` or `accepted` accepts it, `cancel` ends the
/// run, and anything else is a comment.
pub fn outline_words(text: &str) -> Value {
    let text = text.trim();
    match text.to_lowercase().as_str() {
        "" | "y" | "yes" | "ok" | "accept" | "accepted" => json!({ "interrupt_feedback": "accepted", "feedback": "" }),
        "cancel" => json!({ "interrupt_feedback": "cancel", "feedback": "" }),
        _ => json!({ "interrupt_feedback": "revise_comment", "feedback": text }),
    }
}

/// Whether an answer is plain words, and no payload, be it a broken one.
pub(crate) fn is_words(answer: &Value) -> Option<&str> {
    let text = answer.as_str()?;
    let is_payload = text.trim_start().starts_with('{') || serde_json::from_str::<Value>(text).is_ok();
    (!is_payload).then_some(text)
}

/// Reads `{"interrupt_feedback": …, "feedback": …}` or a text that holds this.
pub(crate) fn outline_feedback(answer: &Value) -> OutlineFeedback {
    let read;
    let fields = match answer {
        Value::Object(fields) => fields,
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(Value::Object(fields)) => {
                read = fields;
                &read
            }
            Ok(other) => {
                return OutlineFeedback::Unreadable(format!("the feedback is {}, not an object", kind(&other)));
            }
            Err(error) => return OutlineFeedback::Unreadable(format!("the feedback is no JSON: {error}")),
        },
        other => return OutlineFeedback::Unreadable(format!("the feedback is {}, not an object", kind(other))),
    };
    let action = match fields.get("interrupt_feedback") {
        Some(Value::String(action)) => action.trim(),
        None => return OutlineFeedback::Unreadable("`interrupt_feedback` is missing".to_owned()),
        Some(other) => {
            return OutlineFeedback::Unreadable(format!("`interrupt_feedback` is {}, not a text", kind(other)));
        }
    };
    let text = match fields.get("feedback") {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        // A new outline may be given as it is, not only as a text.
        Some(value @ Value::Object(_)) => value.to_string(),
        Some(other) => return OutlineFeedback::Unreadable(format!("`feedback` is {}, not a text", kind(other))),
    };
    match action {
        "accepted" => OutlineFeedback::Accepted,
        "revise_comment" => OutlineFeedback::ReviseComment(text),
        "revise_outline" => OutlineFeedback::ReviseOutline(text),
        other => OutlineFeedback::Other(other.to_owned()),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_no_payload() {
        for text in ["accepted", "", "more about costs", "[citation]"] {
            assert_eq!(is_words(&json!(text)), Some(text));
        }
        for payload in [json!("{ no json"), json!("1"), json!("\"x\""), json!({ "interrupt_feedback": "accepted" })] {
            assert_eq!(is_words(&payload), None, "{payload}");
        }
    }

    #[test]
    fn feedback_is_read_as_the_original_reads_it() {
        let text = |text: &str| Feedback::Text(text.to_owned());
        for (answer, read) in [
            (json!({ "feedback": "the last ten years" }), text("the last ten years")),
            (json!("{\"feedback\": \"in a text\"}"), text("in a text")),
            (json!("plain words"), text("plain words")),
            (json!("[1, 2]"), text("[1, 2]")),
            (json!(""), Feedback::Empty),
            (json!("  "), Feedback::Empty),
            (json!({}), Feedback::Empty),
            (json!(null), Feedback::Empty),
            (json!({ "feedback": "FINISH TASK" }), Feedback::Finish),
            (json!("FINISH TASK\n"), Feedback::Finish),
            (json!({ "feedback": 3 }), Feedback::Unreadable("`feedback` is a number, not a text".into())),
            (json!(3), Feedback::Unreadable("the feedback is a number, not a text or an object".into())),
        ] {
            assert_eq!(feedback(&answer), read, "{answer}");
        }
    }

    #[test]
    fn outline_feedback_is_read_as_the_original_reads_it() {
        use OutlineFeedback::{Accepted, Other, ReviseComment, ReviseOutline, Unreadable};
        for (answer, read) in [
            (json!({ "interrupt_feedback": "accepted" }), Accepted),
            (json!("{\"interrupt_feedback\": \"accepted\", \"feedback\": \"\"}"), Accepted),
            (json!({ "interrupt_feedback": "revise_comment", "feedback": "more" }), ReviseComment("more".into())),
            (json!({ "interrupt_feedback": "revise_outline", "feedback": "{}" }), ReviseOutline("{}".into())),
            (
                json!({ "interrupt_feedback": "revise_outline", "feedback": { "a": 1 } }),
                ReviseOutline("{\"a\":1}".into()),
            ),
            (json!({ "interrupt_feedback": "cancel" }), Other("cancel".into())),
            (json!({ "feedback": "x" }), Unreadable("`interrupt_feedback` is missing".into())),
            (json!({ "interrupt_feedback": 1 }), Unreadable("`interrupt_feedback` is a number, not a text".into())),
            (json!([]), Unreadable("the feedback is a list, not an object".into())),
            (json!("1"), Unreadable("the feedback is a number, not an object".into())),
        ] {
            assert_eq!(outline_feedback(&answer), read, "{answer}");
        }
        assert!(
            matches!(outline_feedback(&json!("yes")), Unreadable(why) if why.starts_with("the feedback is no JSON"))
        );
    }
}
