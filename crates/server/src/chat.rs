//! A graph with messages as somebody to talk to: what chat protocols share.

use serde_json::Value;

use crate::graph::{Fields, Graph};
use crate::log::{Entry, Interrupt, LogEvent};
use crate::messages::{Message, MessageKind, Messages};

/// The field of a graph that one can talk to.
pub(crate) const MESSAGES: &str = "messages";

/// Whether one can talk to a graph: its state has messages.
pub(crate) fn takes_messages(graph: &dyn Graph) -> bool {
    graph.outline().field(MESSAGES).is_some()
}

/// The newest message of a state, if a model said it.
pub(crate) fn last_said(values: &Fields) -> Option<Message> {
    let messages = Messages::try_from(values.get(MESSAGES)?.clone()).ok()?;
    messages.last().filter(|message| message.kind() == MessageKind::Ai).cloned()
}

/// A question as a person reads it: its text, and whatever else comes with it as JSON.
pub(crate) fn question(interrupt: &Interrupt) -> String {
    let Value::Object(mut rest) = interrupt.value.clone() else {
        return match &interrupt.value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
    };
    let text = ["question", "message", "prompt", "text"].iter().find_map(|key| match rest.get(*key) {
        Some(Value::String(text)) => Some((*key, text.clone())),
        _ => None,
    });
    let Some((key, mut text)) = text else { return pretty(&interrupt.value) };
    rest.shift_remove(key);
    for (name, value) in rest {
        let value = if let Value::String(value) = value { value } else { pretty(&value) };
        text.push_str(&format!("\n\n{name}: {value}"));
    }
    text
}

/// All that a thread waits for, as a person reads it.
pub(crate) fn questions(interrupts: &[Interrupt]) -> String {
    interrupts.iter().map(question).collect::<Vec<_>>().join("\n\n")
}

/// What a person answered: JSON where it is, or else the text.
pub(crate) fn answer(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(value @ (Value::Object(_) | Value::Array(_) | Value::Bool(_) | Value::Number(_))) => value,
        _ => Value::String(text.to_owned()),
    }
}

/// What an entry tells of how far a run is; none for entries that are no progress to a person.
pub(crate) fn progress(entry: &Entry) -> Option<String> {
    match &entry.event {
        LogEvent::TaskStarted { node, attempt: 1, .. } => Some(node.clone()),
        LogEvent::TaskRetry { node, error, .. } => Some(format!("{node} is tried again: {error}")),
        LogEvent::Custom { payload: Value::String(text), .. } => Some(text.clone()),
        LogEvent::Custom { payload, .. } => Some(payload.to_string()),
        LogEvent::Warning { message } => Some(message.clone()),
        _ => None,
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_question_is_read_as_a_text() {
        let cases = [
            (json!("Go on?"), "Go on?"),
            (json!({"question": "Approve?", "draft": "Draft for tea"}), "Approve?\n\ndraft: Draft for tea"),
            (json!({"draft": "x", "question": "Send?", "tries": 2}), "Send?\n\ndraft: x\n\ntries: 2"),
            (json!({"name": "a"}), "{\n  \"name\": \"a\"\n}"),
            (json!([1, 2]), "[1,2]"),
        ];
        for (value, expected) in cases {
            let interrupt = Interrupt {
                id: String::new(),
                value,
                key: String::new(),
                task: String::new(),
                ns: String::new(),
                response_schema: None,
            };
            assert_eq!(question(&interrupt), expected);
        }
    }

    #[test]
    fn an_answer_is_json_where_it_is() {
        let cases = [
            ("approve", json!("approve")),
            ("{\"decision\": \"approve\"}", json!({"decision": "approve"})),
            ("true", json!(true)),
            ("7", json!(7)),
            ("\"quoted\"", json!("\"quoted\"")),
            ("null", json!("null")),
            ("[1", json!("[1")),
        ];
        for (text, expected) in cases {
            assert_eq!(answer(text), expected, "{text}");
        }
    }
}
